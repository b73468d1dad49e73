"""What the tests share: the root on the path, one process that runs programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.programs.worker import Runner  # noqa: E402  (needs the root on the path)


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """Runs `main()` of a module file in another process, with jit or without."""
    with Runner(timeout_s=60.0) as started:
        yield started
