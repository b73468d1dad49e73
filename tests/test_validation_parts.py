"""The parts of validation that need no worker process."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import time

import jax.numpy as jnp
import numpy as np
import pytest

from jaxfix._errors import UsageError
from jaxfix._validation import commands, harness, inputs, worker
from jaxfix._validation.trees import (
    changed_functions,
    changed_trees,
    earlier_trees,
)
from jaxfix._validation.verdict import Kind, Proof, Target, Verdict


def test_an_ulp_is_the_distance_of_neighbours():
    want = np.float32([1.0, -2.0, 1e-3])
    got = np.nextafter(want, np.float32(9))
    assert worker.ulp_error(got, want).max() <= 1.0
    assert worker.ulp_error(want * 2, want).min() > 1e4


def test_nan_and_infinity_equal_themselves_alone():
    want = np.float32([np.nan, np.inf, 1.0])
    assert worker.ulp_error(want, want).max() == 0.0
    assert np.isinf(worker.ulp_error(np.float32([1.0, -np.inf, 1.0]), want)[:2]).all()


def test_rounding_is_equal_and_more_is_not():
    want = jnp.float32(1.0)
    assert worker.compare(want * (1 + 1e-6), want) is None
    assert "instead of" in worker.compare(want * (1 + 1e-3), want).text


@pytest.mark.parametrize(
    ("got", "want", "promotion"),
    [
        (jnp.float32(1), jnp.int32(1), True),
        (jnp.float32(1), jnp.bfloat16(1), True),
        (jnp.bfloat16(1), jnp.float32(1), False),
        (jnp.int32(1), jnp.float32(1), False),
    ],
)
def test_only_a_wider_dtype_is_a_promotion(got, want, promotion):
    assert worker.compare(got, want).promotion is promotion


def test_shapes_and_structures_are_compared():
    assert "shape" in worker.compare(jnp.ones(1), jnp.float32(1)).text
    assert "pytree" in worker.compare([1.0], (1.0,)).text
    assert worker.compare({"a": 1, "b": (2.0,)}, {"a": 1, "b": (2.0,)}) is None


def test_printed_numbers_may_be_rounded_and_words_may_not():
    assert worker.same_text("loss 0.3333333\n", "loss 0.33333334\n")
    assert not worker.same_text("loss 0.34\n", "loss 0.33\n")
    assert not worker.same_text("cost 0.33\n", "loss 0.33\n")


def test_a_flood_of_output_is_stopped():
    text = worker.BoundedText()
    with pytest.raises(worker.OutputFlood):
        for _ in range(100):
            text.write("x" * 2**20)
    assert len(text.text()) < 2**17


def test_endless_python_is_stopped():
    with pytest.raises(worker.CallTimeout), worker.time_limit(0.05):
        for _ in itertools.count():
            pass


def test_a_sleeper_is_stopped_after_more_patience():
    with pytest.raises(worker.CallTimeout), worker.time_limit(0.05):
        time.sleep(60)


def test_a_worker_ends_with_its_parent(monkeypatch):
    class Left(Exception):
        pass

    def leave(status):
        raise Left

    parents = iter([7, 7, 1])
    monkeypatch.setattr(worker, "PARENT_POLL_S", 0)
    monkeypatch.setattr(worker.os, "getppid", lambda: next(parents))
    monkeypatch.setattr(worker.os, "_exit", leave)
    with pytest.raises(Left):
        worker.leave_with(7)


@pytest.mark.parametrize(
    ("text", "dtype", "shape"),
    [
        ("f32[8,3]", "float32", (8, 3)),
        ("bf16[]", "bfloat16", ()),
        ("i32[2] in [5, 6]", "int32", (2,)),
        ("bool[3]", "bool", (3,)),
    ],
)
def test_avals_become_arrays(text, dtype, shape):
    array = worker.from_aval(text, np.random.default_rng(0))
    assert (str(array.dtype), array.shape) == (dtype, shape)


def test_ranges_of_avals_are_kept():
    array = worker.from_aval("f32[100] in [2, 3]", np.random.default_rng(0))
    assert 2 <= array.min() <= array.max() <= 3


def test_text_that_is_no_aval_stays_text():
    assert worker.from_aval("mean", np.random.default_rng(0)) is None


@pytest.mark.parametrize(
    ("annotation", "aval"),
    [
        ('Float[Array, "n d"]', "f32[3,4]"),
        ('jaxtyping.Int32[jax.Array, "n 7"]', "i32[3,7]"),
        ('Bool[Array, ""]', "bool[]"),
        ('Float[Array, "n n+1"]', "f32[3,4]"),
        ("int", None),
    ],
)
def test_jaxtyping_annotations_become_avals(annotation, aval):
    fresh = itertools.count(3)
    assert worker.jaxtyping_aval(annotation, {}, fresh) == aval


def test_values_have_a_source_that_gives_them_back():
    value = {"a": (1, [True, None]), "b": jnp.array([1.5, jnp.nan])}
    space = {"jnp": jnp}
    again = eval(worker.source_of(value), space)
    assert worker.compare(again, value) is None
    assert worker.source_of(object()) is None


def test_callers_without_arguments_are_found_through_others():
    import ast

    tree = ast.parse(
        "def f(x): return x\n"
        "g = jit(f)\n"
        "def helper(y): return g(y)\n"
        "def demo(): return helper(1)\n"
        "def main(n=3): return helper(n)\n"
        "def other(): return 1\n"
        "def needs(a): return f(a)\n"
    )
    assert worker.zero_argument_callers(tree, "f") == ["main", "demo"]


OLD = b"K = 2\ndef f(x):\n    return x * K\ndef g(x):\n    # one\n    return x\n"


@pytest.mark.parametrize(
    ("new", "names"),
    [
        (OLD, []),
        (OLD.replace(b"# one", b"# two"), []),
        (OLD.replace(b"return x\n", b"return -x\n"), ["g"]),
        (OLD.replace(b"K = 2", b"K = 3"), ["f"]),
        (OLD + b"def h(x):\n    return x\n", []),
    ],
)
def test_functions_that_differ(new, names):
    assert changed_functions(OLD, new) == names


def test_trees_are_without_what_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "m.py").write_text("x = 1\n")
    (tmp_path / "secret.txt").write_text("s\n")
    copy = shutil.copy2

    def refuse(source, target):
        if source.name == "secret.txt":
            raise PermissionError(13, "Permission denied")
        return copy(source, target)

    monkeypatch.setattr(shutil, "copy2", refuse)
    with changed_trees(tmp_path, {"m.py": "x = 2\n"}) as trees:
        assert [file.name for file in trees.before.iterdir()] == ["m.py"]


def test_changed_trees_leave_the_project_alone(tmp_path):
    (tmp_path / "m.py").write_text("x = 1\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "big.py").write_text("")
    with changed_trees(tmp_path, {"m.py": "x = 2\n"}) as trees:
        assert (trees.before / "m.py").read_text() == "x = 1\n"
        assert (trees.after / "m.py").read_text() == "x = 2\n"
        assert not (trees.before / ".venv").exists()
    assert (tmp_path / "m.py").read_text() == "x = 1\n"
    assert not trees.before.exists()


def git(folder, *words):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, stdout=-3)


def test_a_git_revision_is_a_tree(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "m.py").write_text("x = 1\n")
    git(tmp_path, "add", "m.py")
    git(tmp_path, "commit", "-qm", "one")
    (tmp_path / "m.py").write_text("x = 2\n")
    with earlier_trees(tmp_path, "HEAD") as trees:
        assert (trees.before / "m.py").read_text() == "x = 1\n"
        assert (trees.after / "m.py").read_text() == "x = 2\n"
    with pytest.raises(UsageError, match="no git revision `nowhere`"):
        earlier_trees(tmp_path, "nowhere").__enter__()


def test_configured_calls_are_lists_or_tables():
    table = {"m.f": [1.0, "f32[2]"], "m.g": [{"x": 1}, [2]], "m.h": {"n": 3}}
    found = inputs.read_configured(table)
    assert found["m.f"] == ({"args": [1.0, "f32[2]"], "kwargs": {}},)
    assert found["m.g"] == (
        {"args": [], "kwargs": {"x": 1}},
        {"args": [2], "kwargs": {}},
    )
    assert found["m.h"] == ({"args": [], "kwargs": {"n": 3}},)


@pytest.mark.parametrize("value", [["f33[2]"], ["f32[3"], [{"x": ["q32[2]"]}], 3])
def test_wrong_inputs_are_refused(value):
    with pytest.raises(UsageError, match=r"inputs\.m\.f"):
        inputs.read_configured({"m.f": value})


def test_inputs_go_by_path_or_by_dotted_name():
    target = Target("src/pkg/train.py", "step")
    for key in ("src/pkg/train.py:step", "pkg.train.step"):
        found = inputs.for_targets([target], {key: ({"args": [], "kwargs": {}},)})
        assert list(found) == [str(target)]


def test_settings_of_the_configuration(tmp_path):
    options = commands.configured_options(
        harness.Options(),
        {"timeout": 5, "memory": 100, "platforms": ["cpu"]},
        "validate",
    )
    assert (options.timeout_s, options.memory_bytes) == (5, 100 * 2**20)
    with pytest.raises(UsageError, match="did you mean `timeout`"):
        commands.configured_options(harness.Options(), {"timeot": 5}, "validate")
    with pytest.raises(UsageError, match="expected int"):
        commands.configured_options(harness.Options(), {"seed": "x"}, "validate")


@pytest.mark.parametrize(
    ("kind", "code"),
    [(Kind.EQUAL, 0), (Kind.NOT_RUN, 0), (Kind.DIFFERS, 1), (Kind.CRASHED, 1)],
)
def test_exit_codes(kind, code):
    verdict = Verdict(Target("m.py", "f"), "cpu", kind)
    assert commands.exit_code(Proof((verdict,), 0)) == code
