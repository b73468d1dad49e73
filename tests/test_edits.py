"""What one fix does to its file: enough for it alone, and nothing of another one."""

from __future__ import annotations

import ast

import pytest

from jaxfix import _engine
from jaxfix._analysis import build
from jaxfix._analysis.finding import Safety
from jaxfix._analysis.source import Source
from jaxfix._analysis.suppress import apply_edits
from jaxfix._edits import edits_of
from jaxfix._planning.desugar import Desugar
from jaxfix._rewriting.registry import rules
from jaxfix._rewriting.rewrite import number_functions, reason_of

PROGRAM = """\
import jax.numpy as jnp
import numpy as np
from jax import jit


@jit
def tell(x):
    print(x)
    return x


@jit
def wave(x):
    return np.sin(x)


@jit
def clip(x):
    if x > 1.0:
        x = x * x
    return x


@jit
def ones(n):
    return jnp.ones(n)


results = [f(2.0) for f in (tell, wave, clip)] + [ones(3)]
"""


def alone() -> dict[str, str]:
    """The program after each of its fixes, by rule."""
    source = Source.from_bytes("one.py", PROGRAM.encode())
    options = _engine.EngineOptions(rules=frozenset(rules()))
    outcome = _engine.run([source], options, fix=Safety.UNSAFE)
    edits = edits_of(outcome.fixed, outcome.changes, {source.path: source})
    return {f.rule: apply_edits(PROGRAM, list(e)) for f, e in edits.items()}


def test_each_fix_stands_alone() -> None:
    fixed = alone()
    assert fixed.keys() == {
        "trace-time-print",
        "numpy-on-tracer",
        "traced-if",
        "missing-static-arg",
    }
    for rule, text in fixed.items():
        tree = ast.parse(text)
        bound = {
            (a.asname or a.name).partition(".")[0]
            for n in ast.walk(tree)
            if isinstance(n, ast.Import | ast.ImportFrom)
            for a in n.names
        }
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        assert {"jax", "np", "jit", "jnp", "functools"} & used <= bound, (rule, text)


def test_no_fix_removes_an_import() -> None:
    for text in alone().values():
        assert "import numpy as np\n" in text
        assert "from jax import jit\n" in text


def test_no_fix_brings_the_import_of_another() -> None:
    fixed = alone()
    for rule, text in fixed.items():
        assert ("import functools\n" in text) == (rule == "missing-static-arg")
        assert ("import jax\n" in text) == (rule == "trace-time-print")


def test_a_function_that_would_lose_its_result_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Desugar, "function_body", lambda self, body: body[:-1])
    source = Source.from_bytes("one.py", PROGRAM.encode())
    options = _engine.EngineOptions(rules=frozenset({"traced-if"}))
    outcome = _engine.run([source], options, fix=Safety.UNSAFE)
    (finding,) = outcome.findings
    assert finding.not_fixed == "the new code would end without a result"
    assert not outcome.changes


def test_a_name_that_stands_in_two_places_is_renamed_once() -> None:
    call = build.call("rest_2", build.load("x"))
    body = [
        build.function("rest_1", ["x"], [build.ret(build.load("x"))]),
        build.function("rest_2", ["x"], [build.ret(build.load("x"))]),
        build.assign("y", call),
        build.ret(call),
    ]
    number_functions(body)
    assert [s.name for s in body if isinstance(s, ast.FunctionDef)] == [
        "rest",
        "rest_1",
    ]
    assert ast.unparse(call) == "rest_1(x)"


def test_the_reason_of_a_failure_is_one_line():
    reason = reason_of(ValueError("Syntax Error @ 1:1.\n\nimport jax\n^"))
    assert "(ValueError: Syntax Error @ 1:1. import jax ^)" in reason
