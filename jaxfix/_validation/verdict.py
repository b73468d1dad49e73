"""What validation and benchmarks hand on: plain, frozen, picklable data."""

from __future__ import annotations

import enum
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """A function to compare: its file, relative to the project, and qualified name."""

    path: str
    function: str

    def __str__(self) -> str:
        return f"{self.path}:{self.function}"


class Kind(enum.StrEnum):
    """What validation found out about one function on one platform."""

    EQUAL = "equal"
    PROMOTED = "equal-up-to-promotion"
    DIFFERS = "differs"
    NOT_RUN = "not-run"
    BEFORE_FAILS = "before-fails-eagerly"
    TIMED_OUT = "timed-out"
    CRASHED = "crashed"

    @property
    def is_proof(self) -> bool:
        """May a fix with this verdict be kept by `apply --verify`?"""
        return self in (Kind.EQUAL, Kind.PROMOTED)


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which before and after differ, and a script that shows it."""

    check: str
    text: str
    before: str
    after: str
    arguments: Mapping[str, str]
    snippet: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A call and the original's result, as Python source; for tests written out."""

    call: str
    result: str


@dataclass(frozen=True, slots=True)
class Timing:
    """One side of a benchmark on one device. Times in seconds.

    Without `compiles` the side cannot be jitted (`why_not`), and its times are those of
    an eager call. `trace_s`, `lower_s` and `compile_s` are medians of three builds from
    empty caches; `times_s` the interleaved steady-state calls, `spread_s` the distance
    of their quartiles. Bytes are XLA's own account; `operations` counts the
    instructions of the compiled program. `compilations` is how often `calls` calls,
    each input twice, made XLA compile.
    """

    compiles: bool
    median_s: float
    spread_s: float
    first_call_s: float
    times_s: tuple[float, ...]
    why_not: str = ""
    trace_s: float | None = None
    lower_s: float | None = None
    compile_s: float | None = None
    temp_bytes: int | None = None
    argument_bytes: int | None = None
    output_bytes: int | None = None
    operations: Mapping[str, int] = field(default_factory=dict)
    compilations: int | None = None
    calls: int | None = None

    @property
    def build_s(self) -> float | None:
        """Trace, lower and compile together."""
        if self.trace_s is None or self.lower_s is None or self.compile_s is None:
            return None
        return self.trace_s + self.lower_s + self.compile_s


@dataclass(frozen=True, slots=True)
class Comparison:
    """Before and after of one function, on one device, for inputs of one size."""

    target: Target
    platform: str
    device: str
    device_kind: str
    size: str
    before: Timing
    after: Timing

    @property
    def speedup(self) -> float:
        """How many times faster the steady state has become."""
        return self.before.median_s / max(self.after.median_s, 1e-12)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one function on one platform.

    `covered` is (taken, wanted): outcomes of rewritten conditions and numbers of trips
    of rewritten loops.
    """

    target: Target
    platform: str
    kind: Kind
    reason: str = ""
    helps: str = ""
    source: str = ""
    inputs: int = 0
    covered: tuple[int, int] = (0, 0)
    checks: Mapping[str, str] = field(default_factory=dict)
    counterexample: Counterexample | None = None
    notes: tuple[str, ...] = ()
    samples: tuple[Sample, ...] = ()
    bench: tuple[Comparison, ...] = ()
    environment: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    """Everything that a run of `validate` or `bench` found, for the renderers."""

    verdicts: tuple[Verdict, ...]
    seed: int

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(row for verdict in self.verdicts for row in verdict.bench)

    @property
    def environments(self) -> dict[str, Mapping[str, Any]]:
        """The machine and its software, by platform."""
        found = {v.platform: v.environment for v in self.verdicts if v.environment}
        return dict(sorted(found.items()))

    @property
    def counts(self) -> dict[str, int]:
        kinds = [verdict.kind for verdict in self.verdicts]
        return {str(kind): kinds.count(kind) for kind in Kind if kind in kinds}

    @property
    def median_speedup(self) -> float | None:
        ratios = [row.speedup for row in self.comparisons]
        return statistics.median(ratios) if ratios else None


def verdict_from(
    target: Target,
    platform: str,
    result: Mapping[str, Any],
    environment: Mapping[str, Any],
) -> Verdict:
    """What the worker wrote about one target, as data."""
    found = result.get("counterexample")
    taken, wanted = result.get("covered", (0, 0))
    return Verdict(
        target=target,
        platform=platform,
        kind=Kind(result["verdict"]),
        reason=result.get("reason", ""),
        helps=result.get("helps", ""),
        source=result.get("source", ""),
        inputs=result.get("inputs", 0),
        covered=(taken, wanted),
        checks=dict(result.get("checks", {})),
        counterexample=Counterexample(**found) if found else None,
        notes=tuple(result.get("notes", ())),
        samples=tuple(Sample(**sample) for sample in result.get("samples", ())),
        bench=tuple(
            comparison_from(target, platform, row) for row in result.get("bench", ())
        ),
        environment=environment,
    )


def comparison_from(
    target: Target, platform: str, row: Mapping[str, Any]
) -> Comparison:
    return Comparison(
        target=target,
        platform=platform,
        device=row["device"],
        device_kind=row["device_kind"],
        size=row["size"],
        before=timing_from(row["before"]),
        after=timing_from(row["after"]),
    )


def timing_from(data: Mapping[str, Any]) -> Timing:
    return Timing(**{**data, "times_s": tuple(data["times_s"])})
