"""Work in forked processes: in order, whole, and nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from jaxfix import _engine, _processes
from jaxfix._analysis.finding import Safety
from jaxfix._analysis.source import Source

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

FAULTY = """\
import jax

@jax.jit
def f(x):
    if x > 0:
        return x
    return -x
"""


def test_results_come_in_the_order_of_the_inputs():
    found = _processes.fork_map(lambda n: n * n, range(20), list(range(20)), 3)
    assert found == [n * n for n in range(20)]


def test_what_a_dead_process_had_not_begun_is_done_by_another():
    def work(n: int) -> int:
        if n == 5:
            os._exit(1)
        return n

    found = _processes.fork_map(work, range(12), [1] * 12, 2)
    assert found == [None if n == 5 else n for n in range(12)]


def test_nothing_is_left_after_an_interrupt():
    def interrupt() -> None:
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

    # A shell's background jobs start with it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = {p.pid for p in multiprocessing.active_children()}
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        _processes.fork_map(lambda n: time.sleep(60), range(4), [1] * 4, 2)
    assert {p.pid for p in multiprocessing.active_children()} == before


def test_large_inputs_go_first_and_small_ones_together():
    assert _processes.bundles([1, 9, 1, 1], 2) == [[1], [0, 2, 3]]
    assert _processes.bundles([], 2) == []


@pytest.fixture
def sources(tmp_path, monkeypatch):
    monkeypatch.setattr(_engine, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(_engine, "can_fork", lambda: True)
    found = []
    for n in range(5):
        path = tmp_path / f"script{n}.py"
        path.write_text(FAULTY.replace("f(x)", f"f{n}(x)"))
        found.append(Source.read(path))
    return found


@pytest.fixture
def options():
    return _engine.EngineOptions(rules=frozenset(_engine.rule_names()))


@pytest.mark.parametrize("fix", [None, Safety.UNSAFE])
def test_several_processes_find_what_one_finds(sources, options, fix):
    one = _engine.run(sources, options, fix=fix)
    two = _engine.run(sources, replace(options, jobs=2), fix=fix)
    assert len(one.findings) == 5
    assert two == one


def test_files_whose_process_dies_are_errors(sources, options, monkeypatch):
    run_together = _engine.run_together

    def die(group, *args, **keywords):
        if group[0][0] == sources[2].path:
            os._exit(1)
        return run_together(group, *args, **keywords)

    monkeypatch.setattr(_engine, "run_together", die)
    found = _engine.run(sources, replace(options, jobs=2), fix=None)
    assert [e.path for e in found.errors] == [sources[2].path]
    assert "died" in found.errors[0].message
    assert len(found.findings) == 4
