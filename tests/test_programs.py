"""Random programs, before and after jaxfix; and the tests of that machinery itself."""

from __future__ import annotations

import ast
import collections
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.programs.generate import KINDS, Program, generate
from tests.programs.reduce import reduced, smaller
from tests.programs.run import (
    BAD,
    Judged,
    Verdict,
    difference,
    judge,
    runs_eagerly,
    table,
)
from tests.programs.worker import Outcome, Runner

SEED = 20
COUNT = 150

# Stands in for jaxfix: finds each line with "FAULT" and puts TEXT in its place; ends
# badly at "CRASH".
FAKE_TOOL = """\
import json, pathlib, sys
command, text = sys.argv[2], sys.argv[1]
findings = []
for path in sorted(pathlib.Path(".").glob("*.py")):
    lines = path.read_text().splitlines()
    for n, line in enumerate(lines):
        if "CRASH" in line:
            sys.exit("crashed")
        if "FAULT" in line:
            findings.append({"path": path.name, "line": n + 1, "message": "fault",
                             "not_fixed": None if text else "`x` is odd"})
            if text and command == "apply":
                lines[n] = "    " + text
    path.write_text("\\n".join(lines) + "\\n")
print(json.dumps({"findings": findings, "errors": []}))
"""
SOURCE = """\
import jax
import jax.numpy as jnp

@jax.jit
def step(x):
    unused = 1
    return x if x > 0 else 2.0 * x  # FAULT

def main():
    return [step(jnp.float32(v)) for v in (1.0, -1.0)]
"""


@pytest.fixture(scope="module")
def judged(runner: Runner) -> list[Judged]:
    programs = [
        generate(KINDS[n % len(KINDS)], SEED, n // len(KINDS)) for n in range(COUNT)
    ]
    return list(judge(programs, runner, batch=COUNT))


@pytest.mark.parametrize("kind", KINDS)
def test_no_program_goes_wrong(kind: str, judged: list[Judged]) -> None:
    bad = [j for j in judged if j.program.kind == kind and j.verdict in BAD]
    first = [f"{j.verdict}: {j.detail}\n{j.program.source}" for j in bad[:1]]
    assert not bad, f"{[j.program.name for j in bad]}\n{''.join(first)}"


def test_most_faults_are_fixed(judged: list[Judged]) -> None:
    """Refusing everything would be safe, and useless."""
    count = collections.Counter(j.verdict for j in judged if not j.program.clean)
    assert count[Verdict.EQUAL] > count[Verdict.REFUSED] + count[Verdict.PARTLY], table(
        judged
    )


def fake(folder: Path, text: str) -> list[str]:
    script = folder / "fake_tool.py"
    script.write_text(FAKE_TOOL)
    return [sys.executable, str(script), text]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("return jnp.where(x > 0, x, 2.0 * x)", Verdict.EQUAL),
        ("return jnp.where(x > 0, x, 3.0 * x)", Verdict.WRONG),
        ("return x > 0", Verdict.WRONG),
        ("return jnp.where(x > 0", Verdict.INVALID),
        ("return float(x)  # fixed", Verdict.RAISES),
        ("return jnp.where(x > 0, x, 2.0 * x)  # FAULT\n    # more", Verdict.UNSTABLE),
        ("", Verdict.REFUSED),
    ],
)
def test_verdicts(text: str, verdict: Verdict, runner: Runner, tmp_path: Path) -> None:
    program = Program("planted", 0, 0, SOURCE, clean=False)
    (found,) = judge([program], runner, tool=fake(tmp_path, text))
    assert found.verdict is verdict, found.detail


def test_an_integer_that_no_array_holds_says_nothing(
    runner: Runner, tmp_path: Path
) -> None:
    source = SOURCE.replace("2.0 * x  # FAULT", "int(x * 1e10)  # FAULT")
    program = Program("planted", 0, 0, source, clean=False)
    tool = fake(tmp_path, "return jnp.where(x > 0, x, (x * 1e10).astype(int))")
    (found,) = judge([program], runner, tool=tool)
    assert found.verdict is Verdict.DROPPED, found.detail


def test_missed_and_touched(runner: Runner, tmp_path: Path) -> None:
    programs = [
        Program("missed", 0, 0, SOURCE.replace("  # FAULT", ""), clean=False),
        Program("touched", 0, 0, SOURCE.replace("x if x > 0 else ", ""), clean=True),
    ]
    tool = fake(tmp_path, "return 2.0 * x + 0.0")
    verdicts = [j.verdict for j in judge(programs, runner, tool=tool)]
    assert verdicts == [Verdict.MISSED, Verdict.TOUCHED]


def test_the_program_that_jaxfix_fails_on_is_found(
    runner: Runner, tmp_path: Path
) -> None:
    sources = [SOURCE, SOURCE.replace("FAULT", "CRASH"), SOURCE]
    programs = [Program("n", 0, i, s, clean=False) for i, s in enumerate(sources)]
    tool = fake(tmp_path, "return jnp.where(x > 0, x, 2.0 * x)")
    verdicts = [j.verdict for j in judge(programs, runner, tool=tool)]
    assert verdicts == [Verdict.EQUAL, Verdict.FAILED, Verdict.EQUAL]


def test_a_program_that_never_ends_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text("def main():\n    while True: pass\n")
    short = tmp_path / "short.py"
    short.write_text("def main():\n    return [1.0]\n")
    with Runner(timeout_s=3.0) as runner:
        assert runner.run(path, eager=True).error == "Timeout"
        assert runner.run(short, eager=True).ok


def test_reduced_program_is_small_and_still_wrong(
    runner: Runner, tmp_path: Path
) -> None:
    padded = SOURCE.replace(
        "    return [",
        "    for _ in range(3):\n        extra = 1\n    return [",
    ).replace("  # FAULT", "")
    broken = padded.replace("x if x > 0 else 2.0 * x", "float(x)")
    failing = Judged(Program("planted", 0, 7, broken, clean=False), Verdict.MISSED)
    small = reduced(failing, runner, tool=fake(tmp_path, "pass"))
    assert small.verdict is Verdict.MISSED
    assert small.program.index == 7
    assert "extra" not in small.program.source
    assert "unused" not in small.program.source
    assert "float(x)" in small.program.source


def test_smaller_drops_and_unwraps() -> None:
    source = "a = 1\nif a:\n    b = 2\n"
    assert set(smaller(source)) == {
        "a = 1\n",
        "if a:\n    b = 2\n",
        "a = 1\nb = 2\n",
        "a = 1\nif a:\n    pass\n",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_generated_programs_parse_and_are_repeatable(kind: str) -> None:
    programs = [generate(kind, 1, index) for index in range(30)]
    for program in programs:
        ast.parse(program.source)
    assert programs == [generate(kind, 1, index) for index in range(30)]
    assert len({program.source for program in programs}) > 10


def test_generated_programs_run_eagerly(runner: Runner, tmp_path: Path) -> None:
    programs = [generate(kind, 2, 0) for kind in KINDS]
    failed = [p.name for p in programs if not runs_eagerly(p, runner, tmp_path).ok]
    assert len(failed) <= 2, failed


def outcome(value: object) -> Outcome:
    return Outcome((np.asarray(value),))


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (np.float32(1.0), np.float64(1.0), True),
        (np.int32(2), np.float32(2.0), False),
        (np.float32(2.0), np.int32(2), True),
        (np.bool_(True), np.float32(1.0), False),
        (np.float16(1.0), np.float32(1.0), False),
        (np.float32(np.nan), np.float32(np.nan), True),
        (np.zeros(2), np.zeros(3), False),
        (np.float32(1.001), np.float32(1.0), False),
    ],
)
def test_difference(got: object, want: object, same: bool) -> None:
    assert (difference(outcome(got), outcome(want)) == "") is same
