"""`np.r_[a, b]` and `np.c_[a, b]` with tracers among what they join."""

from __future__ import annotations

import ast
from collections.abc import Callable

from jaxfix._analysis import arrays, build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.jax_api import JOINERS
from jaxfix._analysis.values import Lib, Seq


def fails(fn: Function, node: ast.Subscript) -> tuple[Evidence, ...]:
    """Why NumPy cannot join the parts: the tracer among them."""
    base = arrays.value(fn, node.value)
    if not isinstance(base, Lib) or base.name not in JOINERS:
        return ()
    if not base.name.startswith("numpy."):
        return ()
    found = (arrays.traced_inside(fn, part) for part in _parts(node))
    return next((because for because in found if because), ())


def in_jax(
    fn: Function, node: ast.Subscript, spell: Callable[[str], str]
) -> ast.Subscript:
    """The same subscript of the object of `jax.numpy`.

    Raises:
      CannotFix: a tracer gives the size of a part.
    """
    base = arrays.value(fn, node.value)
    assert isinstance(base, Lib), "it was found to be one"
    parts: list[ast.expr] = []
    for part in _parts(node):
        if isinstance(part, ast.Slice):
            bounds = [b for b in (part.lower, part.upper, part.step) if b is not None]
            if any(fn.traced(bound) for bound in bounds):
                raise CannotFix(f"`{ast.unparse(part)}` has a traced size")
        is_list = isinstance(arrays.value(fn, part), Seq)
        parts.append(build.call(spell("jax.numpy.array"), part) if is_list else part)
    made = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    return ast.Subscript(build.load(spell(f"jax.{base.name}")), made, ast.Load())


def _parts(node: ast.Subscript) -> list[ast.expr]:
    index = node.slice
    return index.elts if isinstance(index, ast.Tuple) else [index]
