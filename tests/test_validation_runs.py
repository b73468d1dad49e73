"""Workers under stress, where inputs come from, several devices, clusters."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from jaxfix._validation import harness, inputs
from jaxfix._validation.trees import Trees, targets_from_trees
from jaxfix._validation.verdict import Kind, Target

IMPORTS = "import jax\nimport jax.numpy as jnp\n"
BRANCH = "@jax.jit\ndef f({0}):\n{1}    if x.sum() > 0:\n        return x * 2\n    return -x\n"
WHERE = "@jax.jit\ndef f({0}):\n{1}    return jnp.where(x.sum() > 0, x * 2, -x)\n"
QUICK = harness.Options(timeout_s=30)


@pytest.fixture
def project(tmp_path):
    """A function that writes files into both trees and judges what differs."""
    trees = Trees(tmp_path / "before", tmp_path / "after")

    def judge(before, after, options=QUICK, others=None):
        for folder, files in ((trees.before, before), (trees.after, after)):
            for name, text in {**(others or {}), **files}.items():
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        targets = targets_from_trees(trees.before, trees.after)
        verdicts = harness.run(trees, targets, options)
        return {str(verdict.target): verdict for verdict in verdicts}

    return judge


def pair(parameters="x", first="", more=""):
    """A module before and after, with its only function `f`."""
    before, after = (t.format(parameters, first) for t in (BRANCH, WHERE))
    return {"m.py": IMPORTS + before + more}, {"m.py": IMPORTS + after + more}


HOSTILE = {
    "hang": "import time\ndef f(x):\n    while True: time.sleep(1)\n",
    "segfault": "import ctypes\ndef f(x):\n    ctypes.string_at(0)\n",
    "greedy": (
        "held = []\ndef f(x):\n    while True: held.append(bytearray(50_000_000))\n"
    ),
    "flood": "def f(x):\n    for _ in range(1000): print('x' * 100_000)\n    return x\n",
    "leaves": "import sys\nsys.exit(3)\ndef f(x):\n    return x\n",
    "exits": "import os\ndef f(x):\n    os._exit(0)\n",
    "raises": "raise RuntimeError('no import')\ndef f(x):\n    return x\n",
    "fine": "def f(x):\n    return x\n",
}


def test_what_the_project_does_to_the_worker_is_a_verdict(project):
    before = {f"{name}.py": f"{text}\ndef main():\n    return f(1.0)\n"
              for name, text in HOSTILE.items()}  # fmt: skip
    after = {name: text + "\n" for name, text in before.items()}
    after = {name: text.replace("def f(x):", "def f(x):\n    y = x") for name, text in after.items()}
    options = replace(QUICK, timeout_s=10, memory_bytes=2**30)
    found = {k.partition(".")[0]: v for k, v in project(before, after, options).items()}
    assert set(found) == set(HOSTILE)
    assert found["hang"].kind is Kind.TIMED_OUT
    assert found["segfault"].reason.startswith("the process died of SIGSEGV")
    assert found["greedy"].kind is Kind.CRASHED
    assert "memory" in found["greedy"].reason
    assert "printed more than" in found["flood"].reason
    assert "SystemExit" in found["leaves"].reason
    assert "ended with status 0" in found["exits"].reason
    assert "no import" in found["raises"].reason
    assert found["fine"].kind is Kind.EQUAL


def test_an_interpreter_without_jax_gives_a_reason(project, tmp_path):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -S \"$@\"\n")
    python.chmod(0o755)
    verdict = project(*pair(), replace(QUICK, python=str(python)))["m.py:f"]
    assert verdict.kind is Kind.NOT_RUN
    assert "did not start" in verdict.reason
    assert "import jax" in verdict.helps


def test_recorded_calls_come_first(project):
    entry = {"args": ["f32[4] in [1, 2]"], "kwargs": {}}
    options = replace(QUICK, recorded={"m.py:f": [entry]})
    verdict = project(*pair(more="\ndef main():\n    return f(1.0)\n"), options)["m.py:f"]
    assert verdict.source == "recorded calls"
    assert verdict.kind is Kind.EQUAL


def test_configured_inputs_may_call_the_project(project):
    table = {"m.f": ["py: batch(3)", 2.0]}
    more = "\ndef batch(n):\n    return jnp.ones((n, 2))\n"
    before, after = pair("x, scale", "    x = x * scale\n", more)
    given = inputs.for_targets([Target("m.py", "f")], inputs.read_configured(table))
    verdict = project(before, after, replace(QUICK, configured=given))["m.py:f"]
    assert verdict.source == "[tool.jaxfix.inputs]"
    assert verdict.kind is Kind.EQUAL


def test_jaxtyping_annotations_bind_equal_names_to_equal_sizes(project):
    header = "from __future__ import annotations\nArray = jax.Array\n"
    parameters = 'x: Float[Array, "n d"], y: Float[Array, "d 2"]'
    first = "    x = x @ y\n"
    before, after = pair(parameters, first)
    sides = [
        {"m.py": "from __future__ import annotations\n" + side["m.py"]}
        for side in (before, after)
    ]
    verdict = project(*sides)["m.py:f"]
    assert header.startswith("from __future__")
    assert verdict.source == "jaxtyping annotations"
    assert verdict.kind is Kind.EQUAL


def test_doctests_give_inputs(project):
    first = '    """Double.\n\n    >>> f(jnp.ones(3))\n    """\n'
    assert project(*pair("x", first))["m.py:f"].source == "doctests"


@pytest.mark.parametrize(
    ("path", "text", "source"),
    [
        ("test_m.py", "import m\ndef test_f():\n    m.f(m.jnp.ones(3))\n", "tests"),
        ("examples/run.py", "import m\nm.f(m.jnp.ones(3))\n", "examples"),
    ],
)
def test_other_files_of_the_project_give_inputs(project, path, text, source):
    verdict = project(*pair(), others={path: text})["m.py:f"]
    assert source in verdict.source
    assert verdict.kind is Kind.EQUAL


def test_the_main_block_gives_inputs(project):
    more = '\nif __name__ == "__main__":\n    print(f(jnp.ones(3)))\n'
    assert "__main__" in project(*pair(more=more))["m.py:f"].source


def test_the_last_resort_is_a_search(project):
    verdict = project(*pair())["m.py:f"]
    assert verdict.source == "search"
    assert verdict.covered == (2, 2)


def test_without_inputs_it_says_what_would_help(project):
    first = "    if type(x).__name__ != 'Odd':\n        raise TypeError('odd only')\n"
    verdict = project(*pair("x", first))["m.py:f"]
    assert verdict.kind is Kind.NOT_RUN
    assert "jaxfix record" in verdict.helps


def test_an_original_that_fails_is_not_judged(project):
    more = "\ndef main():\n    return f(None)\n"
    verdict = project(*pair("x: Odd", "    x = x.missing\n", "class Odd: ...\n" + more))
    assert verdict["m.py:f"].kind in (Kind.BEFORE_FAILS, Kind.NOT_RUN)
    before = IMPORTS + "def f(x):\n    raise ValueError(x)\n" + more
    after = IMPORTS + "def f(x):\n    return x\n" + more
    verdict = project({"n.py": before}, {"n.py": after})["n.py:f"]
    assert verdict.kind is Kind.BEFORE_FAILS
    assert "ValueError" in verdict.reason


def test_methods_of_objects_are_carried_to_the_other_side(project):
    text = """
class Gate:
    def __init__(self, level):
        self.level = level

    def apply(self, x):
        {body}

def main():
    return jax.jit(Gate(0.5).apply)({x})
"""
    before = IMPORTS + text.format(
        body="if x > self.level:\n            return x\n        return x * 0", x=2.0
    )
    after = IMPORTS + text.format(
        body="return jnp.where(x > self.level, x, x * 0)", x=2.0
    )
    verdict = project({"m.py": before}, {"m.py": after})["m.py:Gate.apply"]
    assert verdict.kind in (Kind.EQUAL, Kind.BEFORE_FAILS)
    assert verdict.inputs > 1


def test_changes_across_files_are_tested_together(project):
    before = {
        "pkg/__init__.py": "",
        "pkg/a.py": IMPORTS + "rate = 2.0\n@jax.jit\ndef step(x):\n    return x * rate\n",
        "pkg/b.py": "from . import a\ndef main():\n    return a.step(3.0)\n",
    }
    after = {
        "pkg/__init__.py": "",
        "pkg/a.py": IMPORTS
        + "rate = 2.0\n@jax.jit\ndef step(x, rate):\n    return x * rate\n",
        "pkg/b.py": "from . import a\ndef main():\n    return a.step(3.0, a.rate)\n",
    }
    found = project(before, after)
    assert {verdict.kind for verdict in found.values()} == {Kind.EQUAL}


def test_every_virtual_device_is_compared(project, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
    verdict = project(*pair())["m.py:f"]
    assert verdict.checks["devices"] == "cpu:0, cpu:1, cpu:2, cpu:3"
    assert len(verdict.environment["devices"]) == 4


def test_the_same_seed_gives_the_same_verdict(project):
    first, second = (project(*pair())["m.py:f"] for _ in range(2))
    assert replace(first, environment={}) == replace(second, environment={})


def test_two_local_cluster_workers_give_the_same_verdicts(project):
    before = {f"{n}.py": pair()[0]["m.py"] for n in "ab"}
    after = {f"{n}.py": pair()[1]["m.py"] for n in "ab"}
    found = project(before, after, replace(QUICK, jobs=2, backend="loky"))
    assert [verdict.kind for verdict in found.values()] == [Kind.EQUAL, Kind.EQUAL]


def test_verify_keeps_the_worst_of_several_verdicts(tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, side in zip((before, after), pair(), strict=True):
        folder.mkdir()
        (folder / "m.py").write_text(side["m.py"])
    seen = []
    options = replace(QUICK, platforms=("cpu", "no_such_platform"), startup_s=60)
    target = Target("m.py", "f")
    found = harness.verify(
        before, after, [target], options=options, on_verdict=seen.append
    )
    assert found[target].platform == "no_such_platform"
    assert found[target].kind is Kind.NOT_RUN
    assert len(seen) == 2


def test_results_are_plain_json_all_the_way(project):
    verdict = project(*pair())["m.py:f"]
    json.dumps(verdict.environment, allow_nan=False)
    assert verdict.environment["jax"]
