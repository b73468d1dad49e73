"""When garbage is collected."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def by_hand() -> Iterator[None]:
    """Collect garbage only when told to: the collector would walk over all trees and
    values again and again, which takes half as long as all the rest."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
