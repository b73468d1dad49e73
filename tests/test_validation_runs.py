"""Workers under stress, where inputs come from, several devices, clusters."""

from __future__ import annotations

import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from jaxfix._validation import harness, inputs
from jaxfix._validation.trees import Trees, targets_from_trees
from jaxfix._validation.verdict import Kind, Target

IMPORTS = "import jax\nimport jax.numpy as jnp\n"
BRANCH = (
    "@jax.jit\ndef f({0}):\n{1}"
    "    if x.sum() > 0:\n        return x * 2\n    return -x\n"
)
WHERE = "@jax.jit\ndef f({0}):\n{1}    return jnp.where(x.sum() > 0, x * 2, -x)\n"
QUICK = harness.Options(timeout_s=600)


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


HANG = "import time\ndef f(x):\n    while True: time.sleep(1)\n"
HOSTILE = {
    "segfault": "import ctypes\ndef f(x):\n    ctypes.string_at(0)\n",
    "greedy": (
        "held = []\ndef f(x):\n    while True: held.append(bytearray(50_000_000))\n"
    ),
    "flood": "def f(x):\n    for _ in range(1000): print('x' * 100_000)\n",
    "leaves": "import sys\nsys.exit(3)\ndef f(x):\n    return x\n",
    "exits": "import os\ndef f(x):\n    os._exit(0)\n",
    "raises": "raise RuntimeError('no import')\ndef f(x):\n    return x\n",
    "fine": "def f(x):\n    return x\n",
}


def hostile(texts):
    """The modules before and after, each with a caller of its function."""
    before = {f"{n}.py": f"{t}\ndef main():\n    return f(1.0)\n" for n, t in texts}
    after = {
        name: text.replace("def f(x):\n", "def f(x):\n    y = x\n")
        for name, text in before.items()
    }
    return before, after


def test_what_the_project_does_to_the_worker_is_a_verdict(project):
    options = replace(QUICK, memory_bytes=2**30)
    verdicts = project(*hostile(HOSTILE.items()), options)
    found = {name.partition(".")[0]: verdict for name, verdict in verdicts.items()}
    assert set(found) == set(HOSTILE)
    assert found["segfault"].reason.startswith("the process died of SIGSEGV")
    assert found["greedy"].kind is Kind.CRASHED
    assert "memory" in found["greedy"].reason
    assert "printed more than" in found["flood"].reason
    assert "SystemExit" in found["leaves"].reason
    assert "ended with status 0" in found["exits"].reason
    assert "no import" in found["raises"].reason
    assert found["fine"].kind is Kind.EQUAL


def test_invented_inputs_that_end_the_process_are_done_without(project):
    deadly = "    if x.shape != (3,):\n        os._exit(1)\n"
    sides = pair("x", deadly, "\ndef main():\n    return f(jnp.ones(3))\n")
    before, after = ({"m.py": "import os\n" + side["m.py"]} for side in sides)
    verdict = project(before, after)["m.py:f"]
    assert verdict.kind is Kind.EQUAL
    assert "invented inputs end the process: none were tried" in verdict.notes


def test_a_hang_is_a_verdict(project):
    options = replace(QUICK, timeout_s=5)
    verdict = project(*hostile([("hang", HANG)]), options)["hang.py:f"]
    assert verdict.kind is Kind.TIMED_OUT
    assert "in 5 s" in verdict.reason


def test_an_interpreter_without_jax_gives_a_reason(project, tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    verdict = project(*pair(), replace(QUICK, python=str(python)))["m.py:f"]
    assert verdict.kind is Kind.NOT_RUN
    assert "did not start" in verdict.reason
    assert "import jax" in verdict.helps


ODD = "    if type(x).__name__ != 'Odd':\n        raise TypeError('odd only')\n"
CALLS_F = "\ndef main():\n    return f(None)\n"
SOURCES = {
    "recorded": (*pair(more="\ndef main():\n    return f(1.0)\n"), "recorded calls"),
    "configured": (
        *pair(
            "x, scale",
            "    x = x * scale\n",
            "\ndef batch(n):\n    return jnp.ones((n, 2))\n",
        ),
        "[tool.jaxfix.inputs]",
    ),
    "annotated": (
        *pair(
            "x: 'Float[Array, \"n d\"]', y: 'Float[Array, \"d 2\"]'", "    x = x @ y\n"
        ),
        "jaxtyping annotations",
    ),
    "doctested": (
        *pair("x", '    """Double.\n\n    >>> f(jnp.ones(3))\n    """\n'),
        "doctests",
    ),
    "tested": (*pair(), "the project's tests"),
    "shown": (*pair(), "examples"),
    "run": (
        *pair(more='\nif __name__ == "__main__":\n    print(f(jnp.ones(3)))\n'),
        "the `__main__` block",
    ),
    "called": (
        *pair(more="\ndef demo():\n    return f(jnp.ones(3))\n"),
        "callers in the module",
    ),
    "searched": (*pair(), "search"),
}
RECORDED = {"recorded.py:f": [{"args": ["f32[4] in [1, 2]"], "kwargs": {}}]}
CONFIGURED = inputs.read_configured({"configured.f": ["py: batch(3)", 2.0]})
OTHERS = {
    "test_tested.py": (
        "import tested\ndef test_f():\n    tested.f(tested.jnp.ones(3))\n"
    ),
    "examples/show.py": "import shown\nshown.f(shown.jnp.ones(3))\n",
}


@pytest.fixture(scope="session")
def by_source(tmp_path_factory):
    """The verdicts of one run over modules whose inputs come from different places.

    `f` is renamed to the module's name where other files are searched for it.
    """
    folder = tmp_path_factory.mktemp("sources")
    trees = Trees(folder / "before", folder / "after")
    for side, tree in enumerate((trees.before, trees.after)):
        (tree / "examples").mkdir(parents=True)
        for name, texts in SOURCES.items():
            text = re.sub(r"\bf\(", f"f_{name}(", texts[side]["m.py"])
            (tree / f"{name}.py").write_text(text)
        for path, text in OTHERS.items():
            (tree / path).write_text(re.sub(r"\b(\w+)\.f\(", r"\1.f_\1(", text))
    targets = targets_from_trees(trees.before, trees.after)
    options = replace(
        QUICK,
        recorded={"recorded.py:f_recorded": RECORDED["recorded.py:f"]},
        configured=inputs.for_targets(
            [Target("configured.py", "f_configured")],
            {"configured.f_configured": CONFIGURED["configured.f"]},
        ),
        jobs=2,
    )
    verdicts = harness.run(trees, targets, options)
    return {v.target.path.removesuffix(".py"): v for v in verdicts}


@pytest.mark.parametrize("name", SOURCES)
def test_where_inputs_come_from(by_source, name):
    verdict = by_source[name]
    assert verdict.source == SOURCES[name][2]
    assert verdict.kind is Kind.EQUAL
    assert verdict.covered == (2, 2)


def test_without_inputs_or_with_a_failing_original_there_is_no_proof(project):
    helpless = [side["m.py"] for side in pair("x", ODD)]
    before = IMPORTS + "def f(x):\n    raise ValueError(x)\n" + CALLS_F
    after = IMPORTS + "def f(x):\n    return x\n" + CALLS_F
    found = project(
        {"m.py": helpless[0], "n.py": before}, {"m.py": helpless[1], "n.py": after}
    )
    assert found["m.py:f"].kind is Kind.NOT_RUN
    assert "jaxfix record" in found["m.py:f"].helps
    assert found["n.py:f"].kind is Kind.BEFORE_FAILS
    assert "ValueError" in found["n.py:f"].reason


CHAOS = """
def f(x, r):
    {start}
    for _ in range(50):
        x = jnp.sin(r * x)
    return {end}

def main():
    return f(1.0, 0.5)
"""


@pytest.mark.parametrize(
    ("start", "end", "kind"),
    [
        ("x = x * (1 + 2**-22)", "x", Kind.EQUAL),  # rounding, far away where r > 2
        ("x = x", "jnp.where(r < 0.75, x, -x)", Kind.DIFFERS),
    ],
)
def test_inputs_from_which_rounding_leads_anywhere(project, start, end, kind):
    before = IMPORTS + CHAOS.format(start="x = x", end="x")
    after = IMPORTS + CHAOS.format(start=start, end=end)
    verdict = project({"m.py": before}, {"m.py": after})["m.py:f"]
    assert verdict.kind is kind
    assert any("not compared" in note for note in verdict.notes)


SPREAD = """
def f(x):
    mean = x.sum() / 3
    return mean, {}

def main():
    return f(jnp.array([0.3, 0.3, 0.1]))
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(0.0 if jax.config.jax_disable_jit else 3e-9)", Kind.EQUAL),
        ("3e-9", Kind.DIFFERS),
    ],
)
def test_a_difference_that_only_fusion_makes(project, text, kind):
    before = IMPORTS + SPREAD.format("0.0 * mean")
    after = IMPORTS + SPREAD.format(f"0.0 * mean + {text} * jnp.clip(mean, -1, 1)")
    verdict = project({"m.py": before}, {"m.py": after})["m.py:f"]
    assert verdict.kind is kind


HALVE = """
def f(x, least):
    n = 0
    while x > least:
        x, n = x * 0.5, n + 1
    return n

def main():
    return f(4.0, 1.0)
"""


@pytest.mark.parametrize(("step", "kind"), [(1, Kind.EQUAL), (2, Kind.DIFFERS)])
def test_floats_of_python_are_wider_than_those_of_jit(project, step, kind):
    before = IMPORTS + HALVE
    loop = (
        "    return jax.lax.while_loop(lambda c: c[0] > least,"
        f" lambda c: (c[0] * 0.5, c[1] + {step}), (x * 1.0, 0))[1]\n"
    )
    main = HALVE.partition("def main")
    after = IMPORTS + "def f(x, least):\n" + loop + "\ndef main" + main[2]
    assert project({"m.py": before}, {"m.py": after})["m.py:f"].kind is kind


STORE = "def f(x):\n    x = x * 1\n    {}\n    return x\n"
ARRAY = "\ndef main():\n    return f(jnp.ones(3))\n"


@pytest.mark.parametrize(("value", "kind"), [(2.0, Kind.EQUAL), (3.0, Kind.DIFFERS)])
def test_an_original_that_stores_is_given_numpy_arrays(project, value, kind):
    before = IMPORTS + STORE.format("x[0] = 2.0") + ARRAY
    after = IMPORTS + STORE.format(f"x = x.at[0].set({value})") + ARRAY
    verdict = project({"m.py": before}, {"m.py": after})["m.py:f"]
    assert verdict.kind is kind
    assert any("NumPy arrays" in note for note in verdict.notes)
    if verdict.counterexample is not None:
        assert "print(module.f(np.array(" in verdict.counterexample.snippet
        assert "print(module.f(jnp.array(" in verdict.counterexample.snippet


def test_a_caller_that_fails_elsewhere_says_nothing_of_a_function(project):
    before, after = pair(
        more=(
            "@jax.jit\ndef stuck(x):\n    if x > 0:\n        return x\n    return -x\n"
            "def main():\n    return f(jnp.ones(2)), stuck(1.0)\n"
        )
    )
    verdict = project(before, after)["m.py:f"]
    assert verdict.kind is Kind.EQUAL
    assert any("fails under jit in another function" in n for n in verdict.notes)


def test_a_caller_that_only_fails_after_is_a_difference(project):
    more = "@jax.jit\ndef g(x):\n    return {0}\ndef main():\n    return g(1.0), f(2)\n"
    before, after = pair()
    before["m.py"] += more.format("x")
    after["m.py"] += more.format("x if x > 0 else -x")
    assert project(before, after)["m.py:g"].kind is Kind.DIFFERS


def test_what_is_static_after_is_given_numbers(project):
    text = "@{0}\ndef f(n):\n    return jnp.tri(n)\n"
    static = 'functools.partial(jax.jit, static_argnames=("n",))'
    before = {"m.py": IMPORTS + text.format("jax.jit")}
    after = {"m.py": "import functools\n" + IMPORTS + text.format(static)}
    assert project(before, after)["m.py:f"].kind is Kind.EQUAL


def test_a_function_without_parameters_is_called_as_it_is(project):
    text = IMPORTS + "def f():\n    return jnp.sin({})\n"
    same = project({"m.py": text.format("1.0")}, {"m.py": text.format("2.0 / 2")})
    assert same["m.py:f"].kind is Kind.EQUAL
    assert same["m.py:f"].source == "no arguments"


def test_shorter_arrays_are_summed_up_in_one_note(project):
    text = "def f(x):\n    {}\n    return x * 2\n"
    more = "\ndef main():\n    return f(jnp.ones(6))\n"
    before = IMPORTS + text.format("x = x + 0") + more
    after = IMPORTS + text.format("assert len(x) > 4, len(x)") + more
    verdict = project({"m.py": before}, {"m.py": after})["m.py:f"]
    (note,) = [note for note in verdict.notes if "shorter" in note]
    assert "AssertionError" in note
    assert verdict.kind is Kind.EQUAL


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


def test_the_making_of_an_object_is_tested_through_callers(project):
    text = """
class Ridge:
    def __init__(self, size):
        self.weights = {0}

def main():
    return Ridge(3).weights
"""
    before, after = (
        IMPORTS + text.format(f"jnp.{f}") for f in ("ones(size)", "ones([size])")
    )
    verdict = project({"m.py": before}, {"m.py": after})["m.py:Ridge.__init__"]
    assert verdict.kind is Kind.EQUAL
    assert verdict.checks["`main()`"] == "equal"


def test_changes_across_files_are_tested_together(project):
    before = {
        "pkg/__init__.py": "",
        "pkg/a.py": IMPORTS
        + "rate = 2.0\n@jax.jit\ndef step(x):\n    return x * rate\n",
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


def test_arguments_that_are_all_static_stay_so(project):
    before = (
        "@jax.jit\ndef f(n, kind):\n    if kind == 'ones':\n"
        "        return jnp.ones(n)\n    return jnp.zeros(n)\n"
        "\ndef main():\n    return f(3, 'ones'), f(2, 'zeros')\n"
    )
    static = "@functools.partial(jax.jit, static_argnames=('n', 'kind'))"
    after = "import functools\n" + IMPORTS + before.replace("@jax.jit", static)
    options = replace(QUICK, bench=True)
    verdict = project({"m.py": IMPORTS + before}, {"m.py": after}, options)["m.py:f"]
    assert verdict.kind is Kind.EQUAL
    assert verdict.bench[0].after.compiles


def test_programs_of_one_name_in_folders_side_by_side(project):
    """Each is run from its own folder, with the modules there."""
    before, after = (
        side["m.py"].replace("x * 2", "x * common.RATE") for side in pair()
    )
    main = "import common\n\ndef main():\n    print(common.RATE)\n    return f(1.0)\n"
    found = project(
        {f"{folder}/m.py": before + main for folder in "ab"},
        {f"{folder}/m.py": after + main for folder in "ab"},
        others={"a/common.py": "RATE = 2\n", "b/common.py": "RATE = 3\n"},
    )
    assert set(found) == {"a/m.py:f", "b/m.py:f"}
    for name, rate in (("a/m.py:f", 2), ("b/m.py:f", 3)):
        assert found[name].kind is Kind.EQUAL, found[name]
        texts = [f"{sample.call} {sample.result}" for sample in found[name].samples]
        assert any(f"{rate}.0" in text for text in texts), texts


def test_every_virtual_device_is_compared(project, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
    verdict = project(*pair())["m.py:f"]
    assert verdict.checks["devices"] == "cpu:0, cpu:1, cpu:2, cpu:3"
    assert len(verdict.environment["devices"]) == 4


def test_the_same_seed_gives_the_same_verdict(project):
    first, second = (project(*pair())["m.py:f"] for _ in range(2))
    assert replace(first, environment={}) == replace(second, environment={})
    json.dumps(first.environment, allow_nan=False)
    assert first.environment["jax"]


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_two_local_cluster_workers_give_the_same_verdicts(project, backend):
    pytest.importorskip({"dask": "distributed", "loky": "joblib"}[backend])
    before = {f"{n}.py": pair()[0]["m.py"] for n in "ab"}
    after = {f"{n}.py": pair()[1]["m.py"] for n in "ab"}
    found = project(before, after, replace(QUICK, jobs=2, backend=backend))
    assert [verdict.kind for verdict in found.values()] == [Kind.EQUAL, Kind.EQUAL]


def test_verify_keeps_the_worst_of_several_verdicts(tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, side in zip((before, after), pair(), strict=True):
        folder.mkdir()
        (folder / "m.py").write_text(side["m.py"])
    seen = []
    options = replace(QUICK, platforms=("cpu", "no_such_platform"))
    target = Target("m.py", "f")
    found = harness.verify(
        before, after, [target], options=options, on_verdict=seen.append
    )
    assert found[target].platform == "no_such_platform"
    assert found[target].kind is Kind.NOT_RUN
    assert len(seen) == 2


def test_an_interrupt_ends_the_workers_at_once(project, monkeypatch):
    seen = []

    def interrupt(chunk, folder, start=harness.start):
        seen.append(start(chunk, folder))
        return seen[-1]

    def stopped(futures):
        while not seen:
            time.sleep(0.01)
        raise KeyboardInterrupt

    class Pool(ThreadPoolExecutor):
        def map(self, function, chunks):
            for chunk in chunks:
                self.submit(function, chunk)
            return (stopped(chunk) for chunk in chunks)

    monkeypatch.setattr(harness, "start", interrupt)
    monkeypatch.setattr(harness, "ThreadPoolExecutor", Pool)
    hang = {"m.py": HANG}
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        project(hang, {"m.py": HANG.replace("sleep(1)", "sleep(2)")})
    assert time.monotonic() - began < 20
    assert seen[0].returncode is not None
