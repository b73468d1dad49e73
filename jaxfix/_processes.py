"""The same work on several inputs, in forked processes.

A forked process has all that its parent has read: nothing is handed over but the
result. Where a fork is not safe (threads, also those of a loaded jax) or not there, the
caller does the work itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

Input = TypeVar("Input")
Result = TypeVar("Result")

BUNDLES = 4  # for each process: what one does sooner, it helps the others with


def can_fork() -> bool:
    """Is it safe to fork this process?"""
    return (
        hasattr(os, "fork")
        and sys.platform != "darwin"
        and threading.active_count() == 1
        and "jaxlib" not in sys.modules
    )


@dataclass(slots=True)
class _Worker(Generic[Input, Result]):
    process: multiprocessing.process.BaseProcess
    results: Connection
    bundle: list[int]  # the inputs that it has not given a result for


def fork_map(
    work: Callable[[Input], Result],
    inputs: Sequence[Input],
    sizes: Sequence[int],
    jobs: int,
) -> list[Result | None]:
    """`work` of every input, in their order; None where a process died.

    The largest inputs go first. When this ends, in whatever way, no process is left.
    """
    found: list[Result | None] = [None] * len(inputs)
    waiting = bundles(sizes, jobs * BUNDLES)
    running: dict[int, _Worker[Input, Result]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                worker = _start(work, inputs, waiting.pop(0))
                running[worker.results.fileno()] = worker
            for ready in wait([w.results for w in running.values()]):
                assert isinstance(ready, Connection), "we wait for nothing else"
                worker = running[ready.fileno()]
                try:
                    index, result = ready.recv()
                    found[index] = result
                    worker.bundle.remove(index)
                except EOFError:  # it is done, or died of the next one
                    del running[ready.fileno()]
                    ready.close()
                    worker.process.join()
                    if rest := worker.bundle[1:]:
                        waiting.append(rest)
    finally:
        for worker in running.values():
            worker.process.kill()
            worker.process.join()
            worker.results.close()
    return found


def bundles(sizes: Sequence[int], count: int) -> list[list[int]]:
    """The indices of the inputs, largest first, small ones put together."""
    enough = sum(sizes) / max(1, count)
    found: list[list[int]] = []
    filled = enough
    for index in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        if filled >= enough:
            found.append([])
            filled = 0
        found[-1].append(index)
        filled += sizes[index]
    return found


def _start(
    work: Callable[[Input], Result], inputs: Sequence[Input], bundle: list[int]
) -> _Worker[Input, Result]:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_serve, args=(sender, work, inputs, [*bundle]), daemon=True
    )
    process.start()
    sender.close()  # so that the end of the process is the end of the pipe
    return _Worker(process, receiver, bundle)


def _serve(
    sender: Connection,
    work: Callable[[Input], Result],
    inputs: Sequence[Input],
    bundle: Sequence[int],
) -> None:
    # Ctrl-C is for the parent, which ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError):
        for index in bundle:
            sender.send((index, work(inputs[index])))
