"""Every file of tests/cases_py: found where it says, fixed or left alone, same values.

The header of each file says what must happen (`expect`) and where (`findings`). The
values must be those of the file's own `main()` run eagerly, or those it writes down.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.programs.run import ToolReport, ask_jaxfix, run_tool
from tests.programs.worker import Outcome, Runner

FOLDER = Path(__file__).with_name("cases_py")
KINDS = frozenset(
    {
        "traced-if",
        "traced-ternary",
        "traced-bool-op",
        "traced-while",
        "traced-for",
        "traced-iter",
        "accumulate-list",
        "early-return",
        "break-continue",
        "nested",
        "static-arg",
        "global-capture",
        "closure-capture",
        "mutable-capture",
        "side-effect-print",
        "side-effect-state",
        "impure-call",
        "inplace-update",
        "dynamic-shape",
        "recompile",
        "numpy-call",
        "concretize-cast",
        "traced-assert",
        "unrolled-loop",
        "method",
        "cross-function",
        "rng",
    }
)
# A finding may start one line off: at a decorator, or in a wrapped expression.
LINE_SLACK = 1
TRANSFORMS = frozenset({"jit", "vmap", "grad", "value_and_grad", "pmap"})


@dataclass(frozen=True, slots=True)
class CaseFile:
    """One case: its source, and what its header asks for."""

    name: str
    source: str
    kind: str
    expect: str
    findings: tuple[int, ...]
    tolerance: float
    want: str | None


def read_case(path: Path) -> CaseFile:
    source = path.read_text()
    lines = source.splitlines()
    end = lines.index("# ///", 1)
    header = tomllib.loads("\n".join(line[2:] for line in lines[1:end]))
    return CaseFile(
        path.stem,
        source,
        header["kind"],
        header["expect"],
        tuple(header["findings"]),
        header.get("tolerance", 1e-5),
        header["want"] if header.get("oracle") == "want" else None,
    )


CASES = [read_case(path) for path in sorted(FOLDER.glob("*.py"))]
FIXED = [case for case in CASES if case.expect == "fix"]
UNTOUCHED = [case for case in CASES if case.expect != "fix"]


def each(cases: list[CaseFile]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases")


@pytest.fixture(scope="module")
def reports(folder: Path) -> dict[str, ToolReport]:
    """What jaxfix says of all the cases, in one run; files are left in `folder`."""
    found = ask_jaxfix({case.name: case.source for case in CASES}, folder)
    safe = folder / "safe"
    safe.mkdir()
    for case in CASES:
        (safe / f"{case.name}.py").write_text(case.source)
    run_tool(["apply"], folder=safe)
    return found


def test_every_kind_has_a_case() -> None:
    assert {case.kind for case in CASES} == KINDS


@each([case for case in CASES if case.expect != "clean"])
def test_found(case: CaseFile, reports: dict[str, ToolReport]) -> None:
    lines = sorted({finding["line"] for finding in reports[case.name].findings})
    missed = [
        line
        for line in case.findings
        if not any(abs(line - near) <= LINE_SLACK for near in lines)
    ]
    assert lines, "nothing was found"
    assert not missed, f"found only {lines}"


@each([case for case in CASES if case.expect == "clean"])
def test_nothing_found(case: CaseFile, reports: dict[str, ToolReport]) -> None:
    assert [f["message"] for f in reports[case.name].findings] == []


@each(UNTOUCHED)
def test_untouched(case: CaseFile, reports: dict[str, ToolReport]) -> None:
    assert reports[case.name].after == case.source


@each(FIXED)
def test_second_apply_changes_nothing(
    case: CaseFile, reports: dict[str, ToolReport]
) -> None:
    assert reports[case.name].again == reports[case.name].after


@each(FIXED)
def test_transforms_kept(case: CaseFile, reports: dict[str, ToolReport]) -> None:
    """A fix that takes `jax.jit` away is no fix."""
    assert transforms(reports[case.name].after) >= transforms(case.source)


@each(FIXED)
def test_fixed(
    case: CaseFile, reports: dict[str, ToolReport], folder: Path, runner: Runner
) -> None:
    assert reports[case.name].after != case.source, reports[case.name].reasons
    got = runner.run(folder / "after" / f"{case.name}.py", eager=False)
    assert got.ok, f"{got.error}: {got.message}"
    assert_same(got, case, folder, runner)


@each(FIXED)
def test_safe_fixes_alone_give_no_wrong_value(
    case: CaseFile, reports: dict[str, ToolReport], folder: Path, runner: Runner
) -> None:
    """Where other faults remain the program may raise, or be as wrong as it was."""
    path = folder / "safe" / f"{case.name}.py"
    if path.read_text() in (case.source, reports[case.name].after):
        return
    got = runner.run(path, eager=False)
    if got.ok and case.want is None:
        assert_same(got, case, folder, runner)


def transforms(source: str) -> int:
    names = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name | ast.Attribute)
    )
    return sum(name in TRANSFORMS for name in names)


def assert_same(got: Outcome, case: CaseFile, folder: Path, runner: Runner) -> None:
    if case.want is None:
        want = runner.run(folder / "before" / f"{case.name}.py", eager=True)
        assert want.ok, f"the oracle itself fails: {want.error}: {want.message}"
        values = list(want.leaves)
        results = list(got.leaves)
        assert len(results) == len(values)
    else:
        values, results = scalars(ast.literal_eval(case.want)), scalars(got.leaves)
        assert len(results) == len(values)
    for result, value in zip(results, values, strict=True):
        if isinstance(value, str):
            assert result == value
        else:
            np.testing.assert_allclose(
                result, value, rtol=case.tolerance, atol=case.tolerance
            )


def scalars(tree: Any) -> list[Any]:
    """Numbers and strings of nested lists and arrays, in order."""
    if isinstance(tree, list | tuple):
        return [leaf for item in tree for leaf in scalars(item)]
    return list(np.ravel(tree)) if isinstance(tree, np.ndarray) else [tree]
