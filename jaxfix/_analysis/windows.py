"""Slices with traced bounds and a static width."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import arrays, build
from .definitions import resolved
from .masks import nonnegative
from .polynomials import Polynomial, polynomial, static_difference
from .shapes import known_dims
from .values import Array, Const

if TYPE_CHECKING:
    from .facts import Function


@dataclass(frozen=True, slots=True)
class Window:
    """`base[..., start : start + width]` along `axis`.

    `proven`: it lies inside of the array, so that nothing is cut off or moved.
    """

    base: ast.expr
    start: ast.expr
    width: ast.expr
    axis: int
    proven: bool


def traced_bound(fn: Function, node: ast.Subscript) -> ast.expr | None:
    """A traced bound of a slice among the indices."""
    for part in index_parts(node):
        if isinstance(part, ast.Slice):
            for bound in (part.lower, part.upper, part.step):
                if bound is not None and fn.traced(bound):
                    return bound
    return None


def index_parts(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def window(fn: Function, node: ast.Subscript) -> Window | None:
    """The window of static width that a subscript cuts out; None if it is none."""
    found: tuple[int, ast.Slice] | None = None
    for axis, part in enumerate(index_parts(node)):
        if not isinstance(part, ast.Slice):
            return None
        if part.lower is None and part.upper is None and part.step is None:
            continue
        if found is not None:
            return None
        found = axis, part
    if found is None:
        return None
    axis, part = found
    if part.lower is None or part.upper is None or part.step is not None:
        return None
    width = static_difference(fn, part.upper, part.lower)
    if width is None:
        return None
    proven = _lies_inside(fn, node.value, part.lower, width, axis)
    return Window(node.value, part.lower, width, axis, proven)


def _lies_inside(
    fn: Function, base: ast.expr, start: ast.expr, width: ast.expr, axis: int
) -> bool:
    """Is `start` clipped to where the window fits?"""
    if not nonnegative(fn, start):
        return False
    highest = _highest(fn, resolved(fn, start))
    if highest is None:
        return False
    last = polynomial(fn, highest) + polynomial(fn, width)
    size = f"{ast.unparse(base)}.shape[{axis}]"
    if last == Polynomial({(size,): 1}):
        return True
    known = fn.value(base)
    dims = known_dims(known.shape) if isinstance(known, Array) else None
    if dims is None or axis >= len(dims):
        return False
    number = _number(fn, last)
    return number is not None and number <= dims[axis]


def _highest(fn: Function, start: ast.expr) -> ast.expr | None:
    """The upper bound that `jnp.clip` or `jnp.minimum` gives."""
    if not isinstance(start, ast.Call):
        return None
    name = arrays.library(fn, start)
    if name == "jax.numpy.clip" and len(start.args) == 3:
        return start.args[2]
    if name == "jax.lax.clamp" and len(start.args) == 3:
        return start.args[2]
    if name == "jax.numpy.minimum" and len(start.args) == 2:
        return next((a for a in start.args if fn.static(a)), None)
    return None


def _number(fn: Function, sum_: Polynomial) -> int | None:
    total = 0
    for monomial, factor in sum_.terms.items():
        product = factor
        for atom in monomial:
            known = fn.value(sum_.atoms[atom])
            if not isinstance(known, Const) or type(known.value) is not int:
                return None
            product *= known.value
        total += product
    return total


def counted_range(fn: Function, node: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """`jnp.arange(start, start + n)` with a static n: the start and n."""
    name = arrays.library(fn, node)
    if name not in ("jax.numpy.arange", "numpy.arange") or node.keywords:
        return None
    if len(node.args) == 3 and fn.value(node.args[2]) != Const(1):
        return None
    if len(node.args) not in (2, 3) or not any(fn.traced(a) for a in node.args[:2]):
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    start, stop = node.args[:2]
    count = static_difference(fn, stop, start)
    return (start, count) if count is not None else None


def sliced(fn: Function, one: Window, spelled: str) -> ast.expr:
    """`lax.dynamic_slice_in_dim(base, start, width)`."""
    made = build.call(spelled, one.base, one.start, one.width)
    if one.axis:
        made.keywords.append(ast.keyword("axis", build.const(one.axis)))
    return made
