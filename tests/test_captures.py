"""Captured values become arguments at every call site, in all files of a project.

Each project is fixed, written to disk and run; what it prints must be what plain Python
would give, with the programs compiled.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from jaxfix._analysis.finding import Finding, Safety
from jaxfix._analysis.source import Source
from jaxfix._engine import EngineOptions, Outcome, run

RULES = frozenset(
    {"stale-global", "stale-closure", "mutable-capture", "rejit-no-refresh"}
)

RUNNER = """
import json, runpy, sys
out = {}
for name in json.loads(sys.argv[1]):
    before = set(sys.modules)
    sys.path.insert(0, name)
    out[name] = runpy.run_path(name + "/main.py")["results"]
    sys.path.remove(name)
    for added in set(sys.modules) - before:
        if str(getattr(sys.modules[added], "__file__", "")).startswith(name):
            del sys.modules[added]
print(json.dumps(out, default=float))
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A project, and what its `main.py` must leave in `results`."""

    name: str
    files: Mapping[str, str]
    want: list[float]
    findings: int


CASES = [
    Case(
        "what_python_itself_must_know",
        {
            "main.py": """
import jax

mode = True
activation = "relu"

@jax.jit
def f(x):
    return x if mode else -x

@jax.jit
def g(x):
    return getattr(jax.nn, activation)(x)

def main():
    global mode, activation
    results = [f(1.5), g(-0.5)]
    mode = False
    activation = "relu6"
    return [*results, f(1.5), g(7.0)]

results = [float(r) for r in main()]
""",
        },
        [1.5, 0.0, -1.5, 6.0],
        2,
    ),
    Case(
        "three_files_and_a_notebook_script",
        {
            "config.py": "rate = 0.1\n",
            "train.py": """
import jax
import config

@jax.jit
def update(w, g):
    return w - config.rate * g
""",
            "schedule.py": """
import config

def warm(step):
    config.rate = 0.1 * step
""",
            "steps.py": """
from train import update as do_update

def run_step(w):
    return do_update(w, 2.0)
""",
            "main.py": """
# %%
from schedule import warm
from steps import run_step
from train import update
# %%
results = []
for step in (1, 2):
    warm(step)
    results.append(float(update(1.0, g=1.0)))
    results.append(float(run_step(1.0)))
""",
        },
        [0.9, 0.8, 0.8, 0.6],
        1,
    ),
    Case(
        "exported_and_called_both_ways",
        {
            "lib/__init__.py": "from .core import forward as forward\n",
            "lib/core.py": """
from functools import partial
import jax

gain = 1.0

@partial(jax.jit, static_argnames="power")
def forward(x, power=1):
    return x**power * gain

def set_gain(value):
    global gain
    gain = value
""",
            "main.py": """
import lib
from lib import forward
from lib.core import set_gain

results = [float(forward(2.0)), float(lib.forward(x=2.0, power=2))]
set_gain(3.0)
results += [float(forward(2.0)), float(lib.forward(x=2.0, power=2))]
""",
        },
        [2.0, 4.0, 6.0, 12.0],
        1,
    ),
    Case(
        "two_functions_share_a_dict",
        {
            "main.py": """
import jax

settings = {"gain": 1.0, "offset": 2.0}

@jax.jit
def respond(x):
    return x * settings["gain"] + settings["offset"]

def shifted(x):
    return x + settings["offset"]

@jax.jit
def shift_twice(x):
    return shifted(shifted(x))

def configure(table, **values):
    table.update(values)

results = []
for offset in (2.0, 5.0):
    configure(settings, offset=offset)
    results += [float(respond(1.0)), float(shift_twice(1.0))]
""",
        },
        [3.0, 5.0, 6.0, 11.0],
        3,
    ),
    Case(
        "keys_of_a_dict_that_holds_text",
        {
            "main.py": """
import jax

options = {"kind": "linear", "slope": 2.0}

@jax.jit
def line(x):
    return x * options["slope"]

results = [float(line(1.0))]
options["slope"] = 4.0
results.append(float(line(1.0)))
""",
        },
        [2.0, 4.0],
        1,
    ),
    Case(
        "gradients_of_mapped_functions",
        {
            "main.py": """
import jax
import jax.numpy as jnp

rate = 1.0

def loss(w, x):
    return jnp.sum(rate * w * x)

slopes = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0)))

@jax.jit
@jax.vmap
def scaled(x):
    return x * rate

def evaluate(value):
    global rate
    rate = value
    rows = jnp.array([1.0, 2.0])
    return [float(jnp.sum(slopes(3.0, rows))), float(jnp.sum(scaled(rows)))]

results = evaluate(1.0) + evaluate(10.0)
""",
        },
        [3.0, 3.0, 30.0, 30.0],
        2,
    ),
    Case(
        "scan_over_a_helper_of_the_module",
        {
            "main.py": """
import jax
import jax.numpy as jnp

decay = 0.5

def body(carry, x):
    carry = carry * decay + x
    return carry, carry

@jax.jit
def smooth(xs):
    return jax.lax.scan(body, 0.0, xs)[1]

results = []
for decay in (0.5, 0.0):
    results += [float(x) for x in smooth(jnp.array([1.0, 1.0]))]
""",
        },
        [1.0, 1.5, 1.0, 1.0],
        1,
    ),
    Case(
        "methods_keep_their_signature",
        {
            "main.py": """
from functools import partial
import jax

class Model:
    def __init__(self, weight):
        self.weight = weight
        self.predict = jax.jit(self._predict)

    def _predict(self, x):
        return self._scaled(x) + 1.0

    def _scaled(self, x):
        return x * self.weight

    def fit(self, weight):
        self.weight = weight

class Filter:
    def __init__(self):
        self.level = 1.0

    @partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return x - self.level

model, other, cut = Model(2.0), Model(5.0), Filter()
results = [float(model.predict(1.0)), float(other.predict(1.0)), float(cut.apply(3.0))]
model.fit(3.0)
cut.level = 2.0
results += [float(model.predict(1.0)), float(other.predict(1.0)), float(cut.apply(3.0))]
""",
        },
        [3.0, 6.0, 2.0, 4.0, 6.0, 1.0],
        2,
    ),
    Case(
        "closures_with_setters",
        {
            "main.py": """
import jax

def make_limiter(ceiling):
    @jax.jit
    def limit(x):
        return jax.numpy.minimum(x, ceiling)

    def raise_to(value):
        nonlocal ceiling
        ceiling = value

    return limit, raise_to

def make_scaler(factor):
    def apply(x):
        return x * factor

    def change(value):
        nonlocal factor
        factor = value

    return jax.jit(apply), change

def drive(step, x):
    return float(step(x))

limit, raise_to = make_limiter(1.0)
scale, change = make_scaler(2.0)
results = [drive(limit, 9.0), drive(scale, 1.0)]
raise_to(4.0)
change(7.0)
results += [drive(limit, 9.0), drive(scale, 1.0)]
""",
        },
        [1.0, 2.0, 4.0, 7.0],
        2,
    ),
    Case(
        "jitted_again_in_a_loop",
        {
            "main.py": """
import jax
import jax.numpy as jnp

samples = jnp.zeros(2)

def spread(width):
    return jnp.sum((samples / width) ** 2)

def fit_all(draws):
    global samples
    fits = []
    for draw in draws:
        samples = jnp.asarray(draw)
        score = jax.jit(spread)
        fits.append(float(score(2.0)))
    return fits

results = fit_all([[2.0, 0.0], [2.0, 2.0]])
""",
        },
        [1.0, 2.0],
        1,
    ),
    Case(
        "two_objects_of_one_class",
        {
            "main.py": """
import jax

class Knob:
    def __init__(self, value):
        self.value = value

left, right = Knob(1.0), Knob(2.0)

@jax.jit
def mix(x):
    return x * left.value + right.value

results = [float(mix(1.0))]
left.value = 10.0
right.value = 20.0
results.append(float(mix(1.0)))
""",
        },
        [3.0, 30.0],
        2,
    ),
]

UNTOUCHED = {
    "constants": """
import jax

RATE = 0.1

@jax.jit
def f(x):
    return x * RATE

results = [f(1.0), f(2.0)]
""",
    "set_once_before_the_first_call": """
import jax

rate = None

@jax.jit
def f(x):
    return x * rate

def main(value):
    global rate
    rate = value
    results = []
    for x in (1.0, 2.0):
        results.append(f(x))
    return results

if __name__ == "__main__":
    main(0.5)
""",
    "a_new_function_for_each_value": """
import jax

def main():
    results = []
    for factor in (1.0, 2.0):
        @jax.jit
        def scale(x):
            return x * factor

        results.append(scale(1.0))
    return results
""",
    "another_variable_of_that_name": """
import jax

rate = 0.1

@jax.jit
def f(x):
    return x * rate

def tune(values):
    for rate in values:
        print(rate)
    return f(1.0), f(2.0)

results = tune([1.0])
""",
    "only_grad_and_vmap": """
import jax

rate = 0.1

def f(x):
    return x * rate

results = [jax.grad(f)(1.0)]
rate = 0.2
results.append(jax.grad(f)(1.0))
""",
    "attributes_of_a_traced_pytree": """
import jax
from typing import NamedTuple

class State(NamedTuple):
    x: jax.Array

@jax.jit
def step(state):
    return state._replace(x=state.x + 1)

def main():
    state = State(x=0.0)
    for _ in range(3):
        state = step(state)
    return state
""",
}

REPORTED = {
    "it is not known what `@register` makes": """
import jax
from elsewhere import register

rate = 0.1

@register
def helper(x):
    return x * rate

@jax.jit
def f(x):
    return helper(x)

def main():
    global rate
    results = [f(1.0)]
    rate = 0.2
    return [*results, f(1.0)]
""",
}


def sources(files: Mapping[str, str], folder: Path) -> list[Source]:
    """The files of a project, written to disk and read."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [Source.read(str(folder / name)) for name in files]


def apply(files: Mapping[str, str], folder: Path) -> Outcome:
    options = EngineOptions(rules=RULES)
    outcome = run(sources(files, folder), options, fix=Safety.UNSAFE)
    for change in outcome.changes:
        Path(change.path).write_text(change.after)
    return outcome


@pytest.fixture(scope="module")
def fixed(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[Outcome, list[float]]]:
    """Every project after its fix, and what it gives: one process runs them all."""
    base = tmp_path_factory.mktemp("projects")
    outcomes = {c.name: apply(c.files, base / c.name) for c in CASES}
    folders = [str(base / c.name) for c in CASES]
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps(folders)],
        capture_output=True,
        text=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    return {c.name: (outcomes[c.name], values[str(base / c.name)]) for c in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_values_are_those_of_python(
    case: Case, fixed: dict[str, tuple[Outcome, list[float]]]
) -> None:
    outcome, values = fixed[case.name]
    assert values == pytest.approx(case.want)
    assert len(outcome.findings) == case.findings
    assert all(finding.fix is not None for finding in outcome.findings)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_second_run_changes_nothing(case: Case, tmp_path: Path) -> None:
    apply(case.files, tmp_path)
    again = {name: (tmp_path / name).read_text() for name in case.files}
    outcome = apply(again, tmp_path)
    assert outcome.changes == ()
    assert outcome.findings == ()


def check(text: str, folder: Path) -> tuple[Finding, ...]:
    options = EngineOptions(rules=RULES)
    outcome = run(sources({"main.py": text}, folder), options, fix=Safety.UNSAFE)
    assert outcome.changes == ()
    return outcome.findings


@pytest.mark.parametrize("name", UNTOUCHED)
def test_correct_code_has_no_finding(name: str, tmp_path: Path) -> None:
    assert check(UNTOUCHED[name], tmp_path) == ()


@pytest.mark.parametrize("reason", REPORTED)
def test_what_cannot_be_an_argument_is_reported(reason: str, tmp_path: Path) -> None:
    [finding] = check(REPORTED[reason], tmp_path)
    assert finding.not_fixed is not None
    assert reason in finding.not_fixed


def test_public_signature_of_a_package_is_an_unsafe_change(tmp_path: Path) -> None:
    case = next(c for c in CASES if c.name == "exported_and_called_both_ways")
    options = EngineOptions(rules=RULES)
    outcome = run(sources(case.files, tmp_path), options, fix=Safety.SAFE)
    assert outcome.changes == ()
    [finding] = outcome.findings
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


def test_uncalled_function_of_a_library_keeps_its_signature(tmp_path: Path) -> None:
    text = """
import jax

rate = 0.1

@jax.jit
def update(x):
    return x * rate

def set_rate(value):
    global rate
    rate = value
"""
    [change] = apply({"main.py": text}, tmp_path).changes
    functions = {
        node.name: ast.unparse(node.args)
        for node in ast.parse(change.after).body
        if isinstance(node, ast.FunctionDef)
    }
    assert functions == {"_update": "x, rate", "update": "x", "set_rate": "value"}
