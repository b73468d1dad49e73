"""What JAX would refuse to trace is seen, and a fix that leads there is withheld."""

from __future__ import annotations

import ast

import jax
import pytest

from jaxfix import _engine
from jaxfix._analysis.finding import Safety
from jaxfix._analysis.interpret import Interpreter
from jaxfix._analysis.project import Project
from jaxfix._analysis.source import Source

HEAD = """
from typing import NamedTuple
import jax
import jax.numpy as jnp
from jax import lax


class Pair(NamedTuple):
    a: jax.Array
    b: jax.Array
"""
CALL = """

def main():
    return f(jnp.ones(3), jnp.float32(1.0), jnp.int32(2))
"""
CHOICES = [
    ("(0, x)", "(1.5, x)", "one is an integer and one a float"),
    ("{'a': n > 0}", "{'a': n}", "one is bool and one an integer"),
    ("x", "None", "one is None"),
    ("(x, n)", "(x,)", "one has other items"),
    ("{'a': x}", "{'b': x}", "one has other keys"),
    ("v", "x", "they differ in shape"),
    ("x.astype(jnp.float16)", "x", "they differ in precision"),
    ("Pair(x, x)", "Pair(x, n)", "one is a float and one an integer"),
    ("x", "0.0", None),
    ("(n, [x])", "(2, [x + 1])", None),
    ("Pair(x, n)", "Pair(0.0, 1)", None),
    ("v", "v * 2", None),
]


def misfits(body: str) -> list[str]:
    text = f"{HEAD}\n\n@jax.jit\ndef f(v, x, n):\n{body}\n{CALL}"
    project = Project([("a.py", text, ast.parse(text))])
    interpreter = Interpreter(project)
    interpreter.run()
    assert not interpreter.failures
    found = [m.text for m in interpreter.misfits.values()]
    # JAX has the last word.
    names: dict[str, object] = {}
    exec(compile(text, "a.py", "exec"), names)
    if found:
        with pytest.raises(TypeError):
            names["main"]()  # type: ignore[operator]
    else:
        jax.block_until_ready(names["main"]())  # type: ignore[operator]
    return found


@pytest.mark.parametrize(("one", "other", "why"), CHOICES)
def test_branches(one, other, why):
    body = f"    return lax.cond(x > 0, lambda: {one}, lambda: {other})"
    assert misfits(body) == ([why] if why else [])
    body = f"    return lax.switch(n, [lambda: {one}, lambda: {other}])"
    assert misfits(body) == ([why] if why else [])


LOOPS = [
    ("x", "n", "one is a float and one an integer"),
    ("(x, n)", "(x, x)", "one is an integer and one a float"),
    ("x", "v * x", "they differ in shape"),
    ("0", "x", None),
    ("(0, 0.0)", "(n, x)", None),
    ("v", "v + 1", None),
]


@pytest.mark.parametrize(("start", "end", "why"), LOOPS)
def test_carries(start, end, why):
    expected = [why] if why else []
    body = f"    return lax.fori_loop(0, 3, lambda i, c: {end}, {start})"
    assert misfits(body) == expected
    body = f"    return lax.while_loop(lambda c: n < 0, lambda c: {end}, {start})"
    assert misfits(body) == expected
    body = f"    return lax.scan(lambda c, _: ({end}, None), {start}, length=3)"
    assert misfits(body) == expected


def test_a_fix_that_leads_there_is_withheld():
    text = f"""{HEAD}

@jax.jit
def f(v, x, n):
    queue = [x, x]
    count = 0
    while count < n:
        count += 1
        queue = [queue[1], count]
    return queue
{CALL}"""
    options = _engine.EngineOptions(rules=frozenset(_engine.rule_names()))
    source = Source.from_text("a.py", text)
    outcome = _engine.run([source], options, fix=Safety.UNSAFE)
    assert not outcome.changes
    (finding,) = outcome.findings
    assert "would have different types" in (finding.not_fixed or "")
