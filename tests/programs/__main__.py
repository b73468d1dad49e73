"""`python -m tests.programs --seed 0 --count 5000`: judge random programs."""

from __future__ import annotations

import argparse
import collections
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .generate import KINDS, Program, generate
from .reduce import reduced
from .run import BAD, TOOL, Judged, judge, runs_eagerly, table
from .worker import Runner


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.programs", description=__doc__
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200, help="programs in all")
    parser.add_argument("--start", type=int, default=0, help="index of the first one")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--tool", type=shlex.split, default=TOOL)
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds a run")
    parser.add_argument("--reduce", type=int, default=3, help="failures to make small")
    parser.add_argument("--show", action="store_true", help="print every bad program")
    parser.add_argument("--eager", action="store_true", help="test the generator only")
    return parser.parse_args(arguments)


def chosen(options: argparse.Namespace) -> list[Program]:
    kinds = options.kinds
    return [
        generate(kinds[n % len(kinds)], options.seed, options.start + n // len(kinds))
        for n in range(options.count)
    ]


def show(title: str, judged: Judged) -> None:
    program = judged.program
    print(f"\n--- {title}: {program.kind} {program.seed} {program.index}")
    print(f"--- {judged.verdict}: {judged.detail}\n{program.source}")
    print(f"--- after\n{judged.after}", flush=True)


def check_generator(programs: Sequence[Program], runner: Runner) -> int:
    """Say how many programs run eagerly, and what the others raise."""
    errors: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for program in programs:
            outcome = runs_eagerly(program, runner, Path(scratch))
            if not outcome.ok:
                errors[f"{program.kind}: {outcome.error}: {outcome.message[:120]}"] += 1
    for error, number in errors.most_common():
        print(f"{number:6d}  {error}")
    print(f"{len(programs) - errors.total()} of {len(programs)} programs run eagerly")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    programs = chosen(options)
    started = time.monotonic()
    with Runner(options.timeout) as runner:
        if options.eager:
            return check_generator(programs, runner)
        judged = list(judge(programs, runner, tool=options.tool))
        bad = [j for j in judged if j.verdict in BAD]
        for failing in bad if options.show else []:
            show("as generated", failing)
        for failing in bad[: options.reduce]:
            show("reduced", reduced(failing, runner, tool=options.tool))
    print(table(judged))
    for failing in bad:
        program = failing.program
        place = f"{program.kind} --seed {program.seed} --start {program.index}"
        detail = failing.detail.splitlines()[:1]
        print(f"{failing.verdict}: --kinds {place} --count 1: {''.join(detail)[:200]}")
    print(f"{len(bad)} of {len(judged)} bad, {time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
