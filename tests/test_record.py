"""Recording calls, and the commands that use what was recorded."""

from __future__ import annotations

import json
import sys

import pytest
from typer.testing import CliRunner

from jaxfix._cli import application
from jaxfix._errors import UsageError
from jaxfix._validation import inputs, record

PROGRAM = """
import functools
from typing import NamedTuple
import jax
import jax.numpy as jnp

class State(NamedTuple):
    x: jax.Array
    step: int

@functools.partial(jax.jit, static_argnames=("mode", "norm"))
def update(state, rate, mode="fast", norm=None):
    if state.x[0] > 0:
        return state.x * rate
    return -state.x

@jax.jit
def jitted(big):
    return big.sum()

def square(v):
    return v * v

def absolute(v):
    return jnp.abs(v)

class Model:
    def __init__(self, w):
        self.w = w

    @functools.partial(jax.jit, static_argnums=0)
    def run(self, x):
        return self.w * x

if __name__ == "__main__":
    with jax.disable_jit():
        update(State(jnp.ones(2), 3), 0.5, mode="slow", norm=absolute)
        update(State(jnp.ones(2), 3), 0.5, mode="slow", norm=absolute)
    jitted(jnp.zeros((100, 2)))
    assert jitted.lower(jnp.zeros(3)) is not None
    jax.vmap(square)(jnp.arange(3.0))
    jax.grad(square)(2.0)
    Model(2.0).run(jnp.ones(2))
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A project and what one run of its program recorded."""
    root = tmp_path_factory.mktemp("project")
    (root / "program.py").write_text(PROGRAM)
    (root / "pyproject.toml").write_text("[tool.jaxfix]\n")
    found = record.record([sys.executable, str(root / "program.py")], root)
    return root, found


def test_calls_of_transformed_functions_are_recorded_once_each(recorded):
    _, found = recorded
    assert found.status == 0
    assert set(found.functions) == {
        "program.py:update",
        "program.py:jitted",
        "program.py:square",
        "program.py:Model.run",
    }
    assert len(found.functions["program.py:update"]) == 1
    assert found.calls >= 6


def test_static_arguments_types_and_small_values_are_kept(recorded):
    _, found = recorded
    (call,) = found.functions["program.py:update"]
    assert call["kwargs"]["mode"] == {"kind": "py", "value": "'slow'"}
    assert call["kwargs"]["norm"]["name"] == "absolute"
    state = call["args"][0]
    assert (state["kind"], state["module"]) == ("namedtuple", "program.py")
    assert state["of"][0]["values"] == [1.0, 1.0]
    (big,) = found.functions["program.py:jitted"]
    assert big["args"] == ["f32[100,2] in [0.0, 0.0]"]


def test_the_overhead_is_stated(recorded):
    _, found = recorded
    assert 0 < found.spent_s < found.total_s
    assert 0 < found.overhead < 1


def test_the_file_is_readable_and_merges(recorded, tmp_path):
    _, found = recorded
    file = tmp_path / inputs.RECORDED
    file.write_text(
        '{"version": 1, "functions": {"other.py:f": [{"args": [1], "kwargs": {}}]}}'
    )
    record.store(found, file)
    again = inputs.read_recorded(file)
    assert again["other.py:f"] == ({"args": [1], "kwargs": {}},)
    assert again["program.py:jitted"] == tuple(found.functions["program.py:jitted"])
    lines = file.read_text().splitlines()
    assert sum('"args"' in line for line in lines) == sum(map(len, again.values()))


def test_a_file_of_another_kind_is_refused(tmp_path):
    file = tmp_path / inputs.RECORDED
    file.write_text("[]")
    with pytest.raises(UsageError, match="not written by"):
        inputs.read_recorded(file)


def test_a_command_that_does_not_exist_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="cannot run `no-such-command`"):
        record.record(["no-such-command"], tmp_path)


def test_the_status_of_the_command_is_kept(tmp_path):
    command = [sys.executable, "-c", "raise SystemExit(5)"]
    assert record.record(command, tmp_path).status == 5


def test_the_status_after_a_signal_is_that_of_a_shell(tmp_path):
    command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert record.record(command, tmp_path).status == 137


def test_validate_uses_what_was_recorded(recorded, tmp_path, monkeypatch):
    root, found = recorded
    record.store(found, root / inputs.RECORDED)
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    (earlier / "program.py").write_text(PROGRAM)
    wrong = PROGRAM.replace(
        "    if state.x[0] > 0:\n        return state.x * rate\n    return -state.x",
        "    return jnp.where(state.x[0] < 0, state.x * rate, -state.x)",
    )
    monkeypatch.chdir(root)
    (root / "program.py").write_text(wrong)
    words = ["validate", "program.py", "--before", str(earlier)]
    words += ["--output-format", "json", "--jobs", "1"]
    done = CliRunner().invoke(application(), words)
    assert done.exit_code == 1, done.output
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert verdict["inputs"]["source"] == "recorded calls"
    assert verdict["verdict"] == "differs"


# No search finds a dictionary with this key: without help there is no proof.
NEEDS_HELP = """@jax.jit
def {0}(state):
    if state["x"] > 0:
        return state["x"] * 2
    return -state["x"]
"""


def test_verify_uses_recorded_and_configured_inputs(tmp_path, monkeypatch):
    names = ("recorded", "configured", "unknown")
    functions = {name: NEEDS_HELP.format(name) for name in names}
    file = tmp_path / "m.py"
    file.write_text("\n\n".join(["import jax\n", *functions.values()]))
    (tmp_path / "pyproject.toml").write_text(
        '[tool.jaxfix.inputs]\n"m.configured" = [[{x = "f32[]"}]]\n'
    )
    call = {"args": ["py: {'x': 1.5}"], "kwargs": {}}
    known = {"version": 1, "functions": {"m.py:recorded": [call]}}
    (tmp_path / inputs.RECORDED).write_text(json.dumps(known))
    monkeypatch.chdir(tmp_path)
    words = ["apply", "--verify", "m.py", "--jobs", "1"]
    done = CliRunner().invoke(application(), words)
    assert done.exit_code == 1, done.output
    after = file.read_text()
    assert [name for name in names if functions[name] in after] == ["unknown"]
    assert "held back: m.py:unknown: not-run" in done.stderr
    assert "m.py:recorded" not in done.stderr


def test_wrong_options_end_with_status_two(recorded, monkeypatch):
    root, _ = recorded
    monkeypatch.chdir(root)
    for words in (
        ["bench", "program.py", "--report", "report.pdf"],
        ["validate", "program.py", "--before", "nowhere"],
        ["validate", "program.py", "--output-format", "sarif"],
    ):
        assert CliRunner().invoke(application(), words).exit_code == 2


@pytest.mark.parametrize("command", ["validate", "bench"])
def test_a_path_that_is_not_there_is_a_file_that_cannot_be_read(
    command, recorded, monkeypatch
):
    root, _ = recorded
    monkeypatch.chdir(root)
    done = CliRunner().invoke(application(), [command, "nowhere.py"])
    assert done.exit_code == 3
    assert "nowhere.py:1: " in done.stderr


def test_record_runs_a_test_suite(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(
        "import jax\n@jax.jit\ndef f(x):\n    return x + 1\n"
    )
    (tmp_path / "test_model.py").write_text(
        "import model\ndef test_f():\n    assert model.f(1.0) == 2.0\n"
    )
    (tmp_path / "pyproject.toml").write_text("[tool.jaxfix]\n")
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = CliRunner().invoke(application(), ["record", "--", *words])
    assert done.exit_code == 0, done.output
    assert "recording took" in done.stderr
    assert list(inputs.read_recorded(tmp_path / inputs.RECORDED)) == ["model.py:f"]
