"""Benchmarks for programs: all that was measured, and pytest-benchmark's format."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import statistics
from collections.abc import Mapping
from typing import Any

from jaxfix._validation.verdict import Comparison, Proof, Timing

from . import verdicts

# The layout of the files that pytest-benchmark 4 and 5 write and compare.
PYTEST_BENCHMARK = "5.1.0"


def render(proof: Proof) -> str:
    """The verdicts with all timings, and the environment of each platform."""
    rows = [comparison_data(row) for row in proof.comparisons]
    whole = {**verdicts.data(proof), "bench": rows}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def comparison_data(row: Comparison) -> dict[str, Any]:
    return {
        "path": row.target.path,
        "function": row.target.function,
        "platform": row.platform,
        "device": row.device,
        "device_kind": row.device_kind,
        "size": row.size,
        "speedup": row.speedup,
        "before": dataclasses.asdict(row.before),
        "after": dataclasses.asdict(row.after),
    }


def pytest_benchmark(proof: Proof, *, now: datetime.datetime) -> str:
    """A file that `pytest-benchmark compare` reads: a benchmark each side."""
    entries = [
        entry(row, side, timing)
        for row in proof.comparisons
        for side, timing in (("before", row.before), ("after", row.after))
    ]
    whole = {
        "machine_info": machine_info(proof),
        "commit_info": {"id": "unversioned", "time": None, "dirty": False},
        "benchmarks": entries,
        "datetime": now.isoformat(),
        "version": PYTEST_BENCHMARK,
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def machine_info(proof: Proof) -> Mapping[str, Any]:
    environment: Mapping[str, Any] = next(iter(proof.environments.values()), {})
    return {
        "node": "",
        "processor": environment.get("processor", ""),
        "machine": environment.get("machine", ""),
        "system": environment.get("system", ""),
        "python_version": environment.get("python", ""),
        "python_implementation": "CPython",
        "cpu": {"brand_raw": environment.get("processor", "")},
        "environments": proof.environments,
    }


def entry(row: Comparison, side: str, timing: Timing) -> dict[str, Any]:
    name = f"{row.target.function}[{row.device}-{row.size}-{side}]"
    return {
        "group": f"{row.target} {row.device} {row.size}",
        "name": name,
        "fullname": f"{row.target.path}::{name}",
        "params": {"device": row.device, "size": row.size, "side": side},
        "param": f"{row.device}-{row.size}-{side}",
        "extra_info": {"jitted": timing.compiles, "build_s": timing.build_s},
        "options": {
            "disable_gc": False,
            "timer": "perf_counter",
            "min_rounds": len(timing.times_s),
            "max_time": 6.0,
            "min_time": 2e-3,
            "warmup": True,
        },
        "stats": stats(list(timing.times_s)),
    }


def stats(times: list[float]) -> dict[str, Any]:
    """The fields that pytest-benchmark computes for a list of seconds."""
    times = sorted(times)
    mean, median = statistics.fmean(times), statistics.median(times)
    deviation = statistics.stdev(times) if len(times) > 1 else 0.0
    q1, _, q3 = statistics.quantiles(times, n=4) if len(times) > 1 else [median] * 3
    iqr = q3 - q1
    low, high = q1 - 1.5 * iqr, q3 + 1.5 * iqr
    outside = [t for t in times if not low <= t <= high]
    far = [t for t in times if abs(t - mean) > deviation]
    return {
        "min": times[0], "max": times[-1], "mean": mean, "stddev": deviation,
        "rounds": len(times), "median": median, "iqr": iqr, "q1": q1, "q3": q3,
        "iqr_outliers": len(outside), "stddev_outliers": len(far),
        "outliers": f"{len(far)};{len(outside)}",
        "ld15iqr": min((t for t in times if t >= low), default=times[0]),
        "hd15iqr": max((t for t in times if t <= high), default=times[-1]),
        "ops": 1 / mean if mean else math.nan,
        "total": math.fsum(times), "data": times, "iterations": 1,
    }  # fmt: skip
