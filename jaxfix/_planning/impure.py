"""Calls in traced code that read or change the world: they do so while tracing only."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from jaxfix._analysis.facts import Function
from jaxfix._analysis.jax_api import IMPURE
from jaxfix._analysis.values import Const, Lib, holds_tracer

from .printing import shown

OUTPUT = "output"
LOGGER = "logging.Logger()."
GENERATORS = {
    "numpy.random.Generator().": "random numbers of NumPy",
    "random.Random().": "random numbers of Python",
}
# Seeded by a constant, a generator gives the same numbers in every trace.
SEEDED = frozenset({"numpy.random.default_rng", "numpy.random.RandomState"})

ADVICE = {
    "the time": "read the clock outside, after `jax.block_until_ready`",
    "a pause": "wait outside of the compiled function",
    "random numbers of Python": "pass a key and draw with `jax.random`",
    "random numbers of NumPy": "pass a key and draw with `jax.random`",
    "the environment": "read it outside and pass the value as an argument",
    "the file system": "do it outside, or from `jax.experimental.io_callback`",
    "user input": "read it outside and pass the value as an argument",
    OUTPUT: "give the values to `jax.debug.callback`",
    "an iterator": "advance it outside and pass the item, or index an array",
}


@dataclass(frozen=True, slots=True)
class Impurity:
    """`what` a call does or reads, in a word of `ADVICE`; `message` for the report."""

    what: str
    message: str


def impurity(
    fn: Function, node: ast.Call | ast.Subscript | ast.Compare
) -> Impurity | None:
    """What is wrong with a call in compiled code; None if nothing certainly is."""
    if not isinstance(node, ast.Call):
        return environment(fn, node)
    name = fn.library(node)
    if name is None or fn.value(node) is None or not is_compiled(fn):
        return None
    text = ast.unparse(node.func)
    advanced = fn.facts.interpreter.advanced.get(id(node))
    if name == "next":
        if advanced is None:
            return None
        return Impurity(
            "an iterator", f"`next` advances `{advanced}` while tracing only"
        )
    for prefix, what in GENERATORS.items():
        if name.startswith(prefix):
            if advanced is None:
                return None
            return Impurity(what, f"`{text}` draws {what} while tracing only")
    found = OUTPUT if name.startswith(LOGGER) else IMPURE.get(name)
    if found is None or name == "print":
        return None
    if found == OUTPUT:
        if not shows_tracer(fn, node):
            return None
        return Impurity(found, f"`{text}` shows a tracer, while tracing only")
    if name in SEEDED and node.args:
        return None
    verb = {"the time": "reads", "a pause": "is"}.get(found, "uses")
    return Impurity(found, f"`{text}` {verb} {found} while tracing only")


def environment(fn: Function, node: ast.Subscript | ast.Compare) -> Impurity | None:
    """`os.environ["X"]` and `"X" in os.environ`, which are no calls."""
    match node:
        case ast.Subscript(value=holder, ctx=ast.Load()):
            pass
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[holder]):
            pass
        case _:
            return None
    if fn.value(holder) != Lib("os.environ") or not is_compiled(fn):
        return None
    text = ast.unparse(node)
    return Impurity("the environment", f"`{text}` is read while tracing only")


def is_compiled(fn: Function) -> bool:
    """Does a compiler stage the function out? Under `vmap` or `grad` alone it runs at
    every call."""
    return id(fn.node) in fn.facts.interpreter.staged


def shows_tracer(fn: Function, node: ast.Call) -> bool:
    values = [*node.args, *(k.value for k in node.keywords)]
    parts = [part for value in values for part in shown(fn, value)]
    return any(holds_tracer(fn.value(p) or Const(None)) is not None for p in parts)


__all__ = ["ADVICE", "Impurity", "impurity"]
