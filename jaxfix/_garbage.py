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


@contextlib.contextmanager
def settled() -> Iterator[None]:
    """What is there at the start is no garbage: no collection looks at it."""
    is_ours = gc.get_freeze_count() == 0
    if is_ours:
        gc.freeze()
    try:
        yield
    finally:
        if is_ours:
            gc.unfreeze()


@contextlib.contextmanager
def until_exit() -> Iterator[None]:
    """`by_hand` for the rest of a process: what it holds goes when it ends, and nobody
    walks over that once more."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
