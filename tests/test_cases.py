"""Every example in a rule's docstring and every case in tests/cases/, six ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxfix import testing
from jaxfix._rewriting.registry import rules

EXAMPLES = [
    case for rule in rules().values() for case in testing.docstring_cases(type(rule))
]
FILED = list(testing.file_cases(Path(__file__).with_name("cases")))
CASES = EXAMPLES + FILED


def each(cases: list[testing.Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


@pytest.fixture(scope="session")
def worker() -> Iterator[testing.Worker]:
    with testing.Worker() as started:
        yield started


@pytest.fixture(scope="session")
def unformatted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    return testing.unformatted(CASES, tmp_path_factory.mktemp("formatted"))


@each(CASES)
def test_fixed_as_written(case: testing.Case) -> None:
    assert testing.fixed(case.program) == case.expected


@each(CASES)
def test_second_run_changes_nothing(case: testing.Case) -> None:
    once = testing.fixed(case.program)
    assert testing.fixed(once) == once


@each([case for case in CASES if case.after is not None])
def test_formatted(case: testing.Case, unformatted: tuple[str, ...]) -> None:
    assert case.name not in unformatted


@each([case for case in CASES if case.after is not None])
def test_comments_kept(case: testing.Case) -> None:
    assert testing.lost_comments(case) == ()


@each([case for case in CASES if case.calls])
def test_same_values(case: testing.Case, worker: testing.Worker) -> None:
    assert worker.differences(case) == ()


@each(FILED)
def test_report(case: testing.Case) -> None:
    assert testing.report_of(case) == (case.report or "")
