"""Find Python that breaks, goes stale or is slow under `jax.jit`, and fix it.

For programs:

    import jaxfix

    report = jaxfix.check(["src"])
    for finding in report.findings:
        print(finding.path, finding.span.line, finding.message)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ._config import Config
    from ._report.result import Report

__version__ = "0.1.0"

__all__ = ["check", "fix"]


def check(paths: Sequence[str | Path], config: Config | None = None) -> Report:
    """The findings in files and folders; nothing is written.

    Without `config`, that of the project which the paths are in counts.

    Raises:
      UsageError: the configuration is wrong.
    """
    from . import _api  # a program that only wants the version needs no engine

    return _api.check(paths, config)


def fix(paths: Sequence[str | Path], config: Config | None = None) -> Report:
    """Writes the fixes of the findings in files and folders; says what it did.

    Safe fixes only, unless the configuration has `unsafe_fixes`.

    Raises:
      UsageError: the configuration is wrong.
    """
    from . import _api  # as above

    return _api.fix(paths, config)
