"""Cases out of docstrings and case files, and what every fix owes: for any rule pack.

A case is a program before, the program after, calls that must give the same, and what
is reported. It stands in the docstring of a rule or in a section of a Markdown file:

- `python before`: always there. A block starts below `HEADER`.
- `python after`: what the fixes make of it. Without it nothing may change.
- `python check`: calls, one a line, run on both programs: the old one eagerly.
- `text report`: what is reported; lines count from the first line of the block. Where
  it is missing nothing may be found in the program after. Reasons (`because: ...`) are
  compared if the block has any.

The functions give results for a test to compare, so that a runner is one screen:

    CASES = testing.file_cases(Path(__file__).with_name("cases"))

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
    def test_fixed_as_written(case):
        assert testing.fixed(case.program) == case.expected
"""

from __future__ import annotations

import ast
import functools
import inspect
import io
import json
import re
import subprocess
import sys
import threading
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from . import _engine
from ._analysis.finding import Finding, Safety
from ._analysis.source import Source
from ._rewriting.registry import rules
from ._rewriting.rule import Rule

HEADER = """\
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


"""
SECTIONS = ("Example", "Safety", "Not fixed", "See")
_PATH = "case.py"
_HEADER_LINES = HEADER.count("\n")
_BLOCK = re.compile(r"^```(\w+) (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WIDTH = 88


@dataclass(frozen=True, slots=True)
class Case:
    """A program before and after.

    `calls` are expressions; `report` is None where the case does not say what is
    reported.
    """

    rule: str
    title: str
    before: str
    after: str | None = None
    calls: tuple[str, ...] = ()
    report: str | None = None

    @property
    def name(self) -> str:
        """`traced-if::bound-in-one-branch-only`: the id of its tests."""
        words = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        return f"{self.rule}::{words}"

    @property
    def program(self) -> str:
        return HEADER + self.before

    @property
    def expected(self) -> str:
        return HEADER + (self.before if self.after is None else self.after)


def docstring_cases(rule: type[Rule]) -> tuple[Case, ...]:
    """The examples of a rule's manual page."""
    page = inspect.getdoc(rule) or ""
    cases = list(cases_of(rule().name, "example", page))
    if len(cases) < 2:
        return tuple(cases)
    return tuple(
        Case(c.rule, f"example {i}", c.before, c.after, c.calls, c.report)
        for i, c in enumerate(cases, 1)
    )


def file_cases(folder: Path) -> tuple[Case, ...]:
    """The cases of all Markdown files in `folder`, each named for its rule.

    Raises:
      ValueError: a section without a program, or two of one title.
    """
    cases: list[Case] = []
    for file in sorted(folder.glob("*.md")):
        for section in re.split(r"^## ", file.read_text(), flags=re.MULTILINE)[1:]:
            title, _, text = section.partition("\n")
            found = list(cases_of(file.stem, title, text))
            if len(found) != 1:
                raise ValueError(f"{file.name}: {title!r} has {len(found)} programs")
            cases += found
    twice = [name for name, n in Counter(c.name for c in cases).items() if n > 1]
    if twice:
        raise ValueError(f"several cases are named {', '.join(twice)}")
    return tuple(cases)


def cases_of(rule: str, title: str, text: str) -> Iterator[Case]:
    """A case for each `python before` block, with the blocks up to the next one."""
    blocks: dict[str, str] = {}
    for match in _BLOCK.finditer(text):
        if match[2] == "before" and blocks:
            yield as_case(rule, title, blocks)
            blocks = {}
        blocks[match[2]] = match[3]
    if "before" in blocks:
        yield as_case(rule, title, blocks)


def as_case(rule: str, title: str, blocks: Mapping[str, str]) -> Case:
    calls = tuple(filter(None, blocks.get("check", "").splitlines()))
    return Case(
        rule, title, blocks["before"], blocks.get("after"), calls, blocks.get("report")
    )


# --- what jaxfix makes of a program


@functools.cache
def run(program: str) -> _engine.Outcome:
    """All rules of all packs on one program, with unsafe fixes."""
    source = Source.from_bytes(_PATH, program.encode())
    options = _engine.EngineOptions(rules=frozenset(rules()))
    return _engine.run([source], options, fix=Safety.UNSAFE)


def fixed(program: str) -> str:
    """The program with all fixes."""
    changes = run(program).changes
    return changes[0].after if changes else program


def report(program: str, *, reasons: bool = True) -> str:
    """What is found in a program, as a `text report` block spells it."""
    lines: list[str] = []
    for finding in run(program).findings:
        lines += reported(finding, reasons=reasons)
    return "".join(f"{line}\n" for line in lines)


def reported(finding: Finding, *, reasons: bool) -> Iterator[str]:
    line = finding.span.line - _HEADER_LINES
    yield f"{line}:{finding.span.column} {finding.rule}: {finding.message}"
    if reasons:
        for step in finding.because:
            yield f"    because: {step.text} (line {step.line - _HEADER_LINES})"
    if finding.fix is not None:
        yield f"    fix: {finding.fix.title} [{finding.fix.safety}]"
    else:
        yield f"    not fixed: {finding.not_fixed}"


def report_of(case: Case) -> str:
    """What is reported of a case, with reasons if the case gives any.

    A case without a report says nothing of what is mended, and that nothing is left.
    """
    if case.report is None:
        return report(case.expected, reasons=False)
    return report(case.program, reasons="    because: " in case.report)


def lost_comments(case: Case) -> tuple[str, ...]:
    """Comments of the program that are not in the fixed one."""
    lost = Counter(comments(case.program)) - Counter(comments(fixed(case.program)))
    return tuple(lost.elements())


def comments(program: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(program).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def unformatted(cases: Iterable[Case], folder: Path) -> tuple[str, ...]:
    """Names of the cases whose fixed program `ruff format` would change.

    Cases whose program is not formatted to begin with count as formatted. One run of
    ruff, which must be installed, over files that are written into `folder`.
    """
    names: dict[str, str] = {}
    for i, case in enumerate(cases):
        names[f"{i}.py"] = case.name
        for part, text in (("before", case.program), ("after", fixed(case.program))):
            (folder / part).mkdir(exist_ok=True)
            (folder / part / f"{i}.py").write_text(text)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--check", "."]
    loose: dict[str, set[str]] = {}
    for part in ("before", "after"):
        done = subprocess.run(
            command, cwd=folder / part, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"ruff format: {done.stderr}")
        loose[part] = set(re.findall(r"\d+\.py", done.stdout))
    return tuple(names[file] for file in sorted(loose["after"] - loose["before"]))


class Worker:
    """One process with jax, which runs the calls of cases before and after.

    Use it as a context; start it once for a whole run of the tests.

    Args:
      python: the interpreter, which must have jax.
      timeout_s: what one case may take, in seconds.
    """

    def __init__(
        self, python: str = sys.executable, *, timeout_s: float = 60.0
    ) -> None:
        self._command = [python, "-P", str(Path(__file__).with_name("_case_worker.py"))]
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def differences(self, case: Case) -> tuple[str, ...]:
        """What the calls of a case give differently after the fixes."""
        request = {
            "before": case.program,
            "after": fixed(case.program),
            "calls": case.calls,
        }
        process = self._process or self._start()
        assert process.stdin is not None, "the process was started with a pipe"
        assert process.stdout is not None, "the process was started with a pipe"
        limit = threading.Timer(self._timeout_s, process.kill)
        limit.start()
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        limit.cancel()
        if not answer:
            self._stop()
            return (f"the process died, or gave no answer in {self._timeout_s:.0f} s",)
        return tuple(json.loads(answer))

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None


# --- what a rule owes


def page_faults(rule: type[Rule]) -> tuple[str, ...]:
    """What is wrong with the file name and the manual page of a rule."""
    return tuple(faults(rule()))


def faults(rule: Rule) -> Iterator[str]:
    file = Path(inspect.getfile(type(rule)))
    if file.stem.replace("_", "-") != rule.name:
        yield f"{rule.name} is in {file.name}"
    if not rule.summary.endswith(".") or len(rule.summary) > _WIDTH:
        yield f"the first line is no sentence of at most {_WIDTH} columns"
    sections = tuple(re.findall(r"^## (.+)$", rule.page, re.MULTILINE))
    if sections != SECTIONS:
        yield f"the sections are {sections}, not {SECTIONS}"
    if "https://" not in rule.page.partition("\n## See\n")[2]:
        yield "See has no link"
    examples = docstring_cases(type(rule))
    if not examples:
        yield "there is no example"
    for case in examples:
        yield from example_faults(rule, case)


def example_faults(rule: Rule, case: Case) -> Iterator[str]:
    for text in (case.before, case.after or "", *case.calls):
        try:
            ast.parse(text)
        except SyntaxError as error:
            yield f"{case.name} does not parse: {error}"
    if not any(f.rule == rule.name for f in run(case.program).findings):
        yield f"{case.name} has no such problem"
    if rule.safety is not Safety.REPORT and case.after is None:
        yield f"{case.name} has no program after"
    if case.after is not None and not case.calls:
        yield f"{case.name} has no calls to check"
