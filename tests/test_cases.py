"""Every example in a rule's docstring and every case in tests/cases/, six ways."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from jaxfix import testing
from jaxfix._rewriting.registry import rules

EXAMPLES = [
    case for rule in rules().values() for case in testing.docstring_cases(type(rule))
]
FILED = list(testing.file_cases(Path(__file__).with_name("cases")))
CASES = EXAMPLES + FILED
WORKERS = 2


def each(cases: list[testing.Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


@pytest.fixture(scope="session")
def differences(request: pytest.FixtureRequest) -> Iterator[dict[str, Future]]:
    """What the selected cases give differently; a few processes work on it."""
    selected = [
        item.callspec.params["case"]
        for item in request.session.items
        if getattr(item, "function", None) is test_same_values
    ]
    idle: queue.SimpleQueue[testing.Worker] = queue.SimpleQueue()

    def run(case: testing.Case) -> tuple[str, ...]:
        worker = idle.get()
        try:
            return worker.differences(case)
        finally:
            idle.put(worker)

    with ExitStack() as stack:
        for _ in range(WORKERS):
            idle.put(stack.enter_context(testing.Worker()))
        pool = stack.enter_context(ThreadPoolExecutor(WORKERS))
        stack.callback(pool.shutdown, cancel_futures=True)
        yield {case.name: pool.submit(run, case) for case in selected}


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
def test_same_values(case: testing.Case, differences: dict[str, Future]) -> None:
    assert differences[case.name].result() == ()


@each(FILED)
def test_report(case: testing.Case) -> None:
    assert testing.report_of(case) == (case.report or "")
