"""A process that imports modules and runs their `main()`, one after the other.

Programs may hang, crash or exhaust memory; the caller (`Runner`) then ends the process
and starts a new one.
"""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing as mp
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

CLEAR_EVERY = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of a `main()` gave: flat results, or an error."""

    leaves: tuple[Any, ...] = ()
    error: str = ""
    message: str = ""

    @property
    def ok(self) -> bool:
        return not self.error


class Runner:
    """Runs `main()` of module files in another process, each under a time limit."""

    def __init__(self, timeout_s: float = 30.0) -> None:
        self.timeout_s = timeout_s
        self._process: mp.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def run(self, path: Path, *, eager: bool) -> Outcome:
        """Import `path` and return what its `main()` returns, under jit or without."""
        pipe = self._pipe or self._start()
        pipe.send((str(path), eager))
        try:
            if pipe.poll(self.timeout_s):
                outcome: Outcome = pipe.recv()
                return outcome
        except (EOFError, ConnectionError):
            self._stop()
            return Outcome(error="Crash", message="the process died")
        self._stop()
        return Outcome(error="Timeout", message=f"no answer in {self.timeout_s:.0f} s")

    def _start(self) -> Connection:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()
        return self._pipe

    def _stop(self) -> None:
        if self._process is not None and self._pipe is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process = self._pipe = None


def serve(pipe: Connection) -> None:
    """Answer requests for ever; the first message says that jax is imported."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    # Imported here: the process that asks must not pay for jax, nor hold its threads.
    import jax

    pipe.send("ready")
    count = 0
    with contextlib.suppress(EOFError):
        while True:
            path, eager = pipe.recv()
            pipe.send(answer(Path(path), eager=eager))
            count += 1
            if count % CLEAR_EVERY == 0:
                jax.clear_caches()


def answer(path: Path, *, eager: bool) -> Outcome:
    import jax
    import numpy as np

    try:
        with (
            jax.disable_jit() if eager else contextlib.nullcontext(),
            imported(path) as m,
        ):
            result = m.main()
            jax.effects_barrier()
        leaves = jax.tree_util.tree_leaves(result)
        if any(type(x) is int and not fits_int32(x) for x in leaves):
            return Outcome(error="OverflowError", message="an int of over 32 bits")
        return Outcome(
            tuple(x if isinstance(x, str) else np.asarray(x) for x in leaves)
        )
    except BaseException as error:  # a generated program may raise anything
        return Outcome(error=type(error).__name__, message=str(error)[:2000])


def fits_int32(value: int) -> bool:
    """Can it be told from its neighbours in the integers that JAX has by default?"""
    return -(2**31) <= value < 2**31


@contextlib.contextmanager
def imported(path: Path) -> Iterator[Any]:
    """The module at `path`, under a name of its own, importing its neighbours."""
    name = f"{path.stem.replace('-', '_')}_{time.monotonic_ns()}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, f"{path} is no module"
    module = importlib.util.module_from_spec(spec)
    neighbours = {other.stem for other in path.parent.glob("*.py")}
    sys.path.insert(0, str(path.parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(path.parent))
        for stale in [name, *(neighbours & set(sys.modules))]:
            origin = getattr(sys.modules[stale], "__file__", None)
            if origin is not None and Path(origin).parent == path.parent:
                del sys.modules[stale]
