"""Starts workers, hands out work, enforces limits, collects verdicts.

A worker is another process with the project's interpreter; it reads one file of jobs
and appends events to another. Whatever happens to it, the events say which job was
running, and that job alone gets the verdict; the rest goes to a fresh worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from .cluster import run_on_cluster
from .trees import Trees
from .verdict import Kind as Kind
from .verdict import Target as Target
from .verdict import Verdict as Verdict
from .verdict import verdict_from

WORKER = Path(__file__).with_name("worker.py")
POLL_S = 0.02
# Checks that a verdict can do without: compiled code that hangs in one of them cannot
# be stopped from inside, so the job is done again without that check.
OPTIONAL = frozenset({"gradients", "vmap"})
# Invented inputs, a huge size for one, can end the process: done again with the given
# inputs alone.
SEARCH = "searching inputs for coverage"


@dataclass(frozen=True, slots=True)
class Options:
    """How to run the workers."""

    python: str = sys.executable
    platforms: tuple[str, ...] = ("cpu",)
    seed: int = 0
    timeout_s: float = 120.0
    startup_s: float = 180.0
    memory_bytes: int = 4 * 2**30
    output_bytes: int = 64 * 2**20
    jobs: int = 1
    backend: str = "processes"
    bench: bool = False
    recorded: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    configured: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Targets that one worker handles, one after the other."""

    trees: Trees
    targets: tuple[Target, ...]
    platform: str
    options: Options


def verify(
    before_dir: Path,
    after_dir: Path,
    targets: Iterable[Target],
    *,
    options: Options | None = None,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
) -> dict[Target, Verdict]:
    """The verdict of each target; over several platforms, the worst.

    Args:
      before_dir: the project before the change.
      after_dir: the project after it.
      targets: functions to compare, paths relative to both.
      options: limits, interpreter, inputs.
      on_verdict: called for each verdict as it comes, for a progress bar.
    """
    wanted = tuple(targets)
    verdicts = run(
        Trees(before_dir, after_dir), wanted, options or Options(), on_verdict
    )
    worst: dict[Target, Verdict] = {}
    for verdict in verdicts:
        old = worst.get(verdict.target)
        if old is None or (old.kind.is_proof and not verdict.kind.is_proof):
            worst[verdict.target] = verdict
    return worst


def run(
    trees: Trees,
    targets: Sequence[Target],
    options: Options,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
) -> list[Verdict]:
    """All verdicts, ordered by target, then platform in the order asked for."""
    chunks = [
        Chunk(trees, part, platform, options)
        for platform in options.platforms
        for part in split(targets, options.jobs)
    ]
    if options.backend == "processes":
        found = run_here(chunks, options.jobs, on_verdict)
    else:
        found = run_on_cluster(run_chunk, chunks, options.backend, options.jobs)
        for verdict in found:
            on_verdict(verdict)
    order = {platform: i for i, platform in enumerate(options.platforms)}
    return sorted(found, key=lambda v: (v.target, order[v.platform]))


def split(targets: Sequence[Target], parts: int) -> list[tuple[Target, ...]]:
    """Deal the targets out, neighbours apart, so that a slow file is shared."""
    dealt = [tuple(targets[i::parts]) for i in range(max(1, parts))]
    return [part for part in dealt if part]


def run_here(
    chunks: Sequence[Chunk], jobs: int, on_verdict: Callable[[Verdict], None]
) -> list[Verdict]:
    stop = Event()
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        parts = pool.map(lambda chunk: run_chunk(chunk, on_verdict, stop), chunks)
        try:
            return [verdict for part in parts for verdict in part]
        except BaseException:
            stop.set()  # the threads end their workers; else the pool waits for them
            raise


def run_chunk(
    chunk: Chunk,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
    stop: Event | None = None,
) -> list[Verdict]:
    """Run workers until every target of the chunk has its verdict, or `stop` is set."""
    pending = dict(enumerate(chunk.targets))
    skips: dict[int, set[str]] = {number: set() for number in pending}
    verdicts: list[Verdict] = []
    while pending and not (stop and stop.is_set()):
        for number, verdict in run_worker(chunk, pending, skips, stop):
            del pending[number]
            verdicts.append(verdict)
            on_verdict(verdict)
    return verdicts


def run_worker(
    chunk: Chunk,
    pending: Mapping[int, Target],
    skips: Mapping[int, set[str]],
    stop: Event | None,
) -> Iterable[tuple[int, Verdict]]:
    """Verdicts that one worker process gives before it ends.

    There is at least one, or a job of `skips` has one check more to skip, or `stop` is
    set.
    """
    with tempfile.TemporaryDirectory(prefix="jaxfix-worker-") as scratch:
        folder = Path(scratch)
        (folder / "jobs.json").write_text(json.dumps(jobs_of(chunk, pending, skips)))
        (folder / "events.jsonl").touch()
        watch = Watch(chunk, dict(pending), skips, folder)
        with start(chunk, folder) as process:
            try:
                yield from watch.until_end(process, stop)
            finally:
                kill(process)


def jobs_of(
    chunk: Chunk, pending: Mapping[int, Target], skips: Mapping[int, set[str]]
) -> dict[str, Any]:
    options = chunk.options
    return {
        "before": str(chunk.trees.before.resolve()),
        "after": str(chunk.trees.after.resolve()),
        "seed": options.seed,
        "timeout_s": options.timeout_s,
        "memory_bytes": options.memory_bytes,
        "jobs": [
            {
                "id": number,
                "kind": "bench" if options.bench else "validate",
                "skip": sorted(skips[number]),
                "path": target.path,
                "function": target.function,
                "recorded": list(options.recorded.get(str(target), ())),
                "configured": list(options.configured.get(str(target), ())),
            }
            for number, target in pending.items()
        ],
    }


def start(chunk: Chunk, folder: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "JAX_PLATFORMS": chunk.platform,
        "JAX_ENABLE_COMPILATION_CACHE": "false",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    with (
        open(folder / "stdout", "wb") as stdout,
        open(folder / "stderr", "wb") as stderr,
    ):
        return subprocess.Popen(
            [
                chunk.options.python,
                str(WORKER),
                str(folder / "jobs.json"),
                str(folder / "events.jsonl"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=chunk.trees.before,
            env=environment,
            start_new_session=True,
        )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End the worker and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Watch:
    """Follows one worker's events, time, memory and output."""

    def __init__(
        self,
        chunk: Chunk,
        pending: dict[int, Target],
        skips: Mapping[int, set[str]],
        folder: Path,
    ) -> None:
        self.chunk, self.pending, self.folder = chunk, pending, folder
        self.skips = skips
        self.environment: Mapping[str, Any] = {}
        self.current: int | None = None
        self.stage = "starting"
        self.since = self.stage_since = time.monotonic()
        self.offset = 0
        self.given = 0

    def until_end(
        self, process: subprocess.Popen[bytes], stop: Event | None
    ) -> Iterable[tuple[int, Verdict]]:
        while not (stop and stop.is_set()):
            ended = process.poll() is not None
            for event in self.new_events():
                if (found := self.take(event)) is not None:
                    yield found
            if not self.pending:
                return
            stopped = self.died(process) if ended else self.over_limit(process)
            if stopped is not None:
                yield from self.give_up(*stopped)
                return
            time.sleep(POLL_S)

    def new_events(self) -> list[dict[str, Any]]:
        with open(self.folder / "events.jsonl", "rb") as file:
            file.seek(self.offset)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self.offset += len(whole)
        return [json.loads(line) for line in whole.splitlines()]

    def take(self, event: dict[str, Any]) -> tuple[int, Verdict] | None:
        match event["event"]:
            case "ready":
                self.environment = event["environment"]
            case "start":
                self.current, self.since = event["id"], time.monotonic()
                self.stage_since = self.since
                self.stage = "importing"
            case "stage":
                self.stage, self.stage_since = event["text"], time.monotonic()
            case "result":
                number = event["id"]
                self.current = None
                self.given += 1
                target = self.pending.pop(number)
                return number, self.verdict(target, event["result"])
        return None

    def died(self, process: subprocess.Popen[bytes]) -> tuple[Kind, str]:
        code = process.returncode
        if code < 0:
            with contextlib.suppress(ValueError):
                return Kind.CRASHED, f"the process died of {signal.Signals(-code).name}"
        return Kind.CRASHED, f"the process ended with status {code}"

    def over_limit(self, process: subprocess.Popen[bytes]) -> tuple[Kind, str] | None:
        options = self.chunk.options
        limit_s = options.timeout_s if self.current is not None else options.startup_s
        now = time.monotonic()
        if self.stage in OPTIONAL and now - self.stage_since > limit_s / 3:
            return Kind.TIMED_OUT, f"no result in {limit_s / 3:g} s"
        if now - self.since > limit_s:
            return Kind.TIMED_OUT, f"no verdict in {limit_s:g} s"
        if resident_bytes(process.pid) > options.memory_bytes:
            return Kind.CRASHED, f"more than {options.memory_bytes >> 20} MiB of memory"
        for name in ("stdout", "stderr"):
            if (self.folder / name).stat().st_size > options.output_bytes:
                size = options.output_bytes >> 20
                return Kind.CRASHED, f"wrote more than {size} MiB of output"
        return None

    def give_up(self, kind: Kind, text: str) -> Iterable[tuple[int, Verdict]]:
        """The running job takes the blame; without one, no job can be run."""
        if self.current is not None and self.may_skip(kind):
            self.skips[self.current].add(self.stage)
        elif self.current is not None:
            target = self.pending.pop(self.current)
            reason = f"{text} while {self.stage}"
            yield (
                self.current,
                self.verdict(target, {"verdict": kind, "reason": reason}),
            )
        elif not self.given:
            tail = (
                (self.folder / "stderr").read_bytes()[-2000:].decode(errors="replace")
            )
            last = (tail.strip().splitlines() or [text])[-1]
            for number, target in list(self.pending.items()):
                result = {
                    "verdict": Kind.NOT_RUN,
                    "reason": f"the worker did not start: {last}",
                    "helps": f"`{self.chunk.options.python} -c 'import jax'` must work "
                    f"with JAX_PLATFORMS={self.chunk.platform}",
                }
                yield number, self.verdict(target, result)

    def may_skip(self, kind: Kind) -> bool:
        if self.current is None or self.stage in self.skips[self.current]:
            return False
        if kind is Kind.TIMED_OUT:
            return self.stage in OPTIONAL
        return self.stage == SEARCH

    def verdict(self, target: Target, result: Mapping[str, Any]) -> Verdict:
        return verdict_from(target, self.chunk.platform, result, self.environment)


def resident_bytes(pid: int) -> int:
    """Memory that the process holds, 0 where the system does not say (not Linux)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
