"""Slices with traced bounds and a static width."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.definitions import as_slice, resolved
from jaxfix._analysis.facts import Function
from jaxfix._analysis.polynomials import (
    Polynomial,
    polynomial,
    static_difference,
)
from jaxfix._analysis.shapes import known_dims
from jaxfix._analysis.values import Array, Const

from .signs import nonnegative


@dataclass(frozen=True, slots=True)
class Window:
    """`start : start + width` along `axis`.

    `proven`: it lies inside of the array, so that nothing is cut off or moved.
    """

    start: ast.expr
    width: ast.expr
    axis: int
    proven: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """The windows that `base[...]` cuts out, and its indices, with `:` for windows."""

    base: ast.expr
    windows: tuple[Window, ...]
    rest: tuple[ast.expr, ...]

    @property
    def proven(self) -> bool:
        return all(window.proven for window in self.windows)


def traced_bound(fn: Function, node: ast.Subscript) -> ast.expr | None:
    """A traced bound of a slice among the indices."""
    for part in index_parts(fn, node):
        if isinstance(part, ast.Slice):
            for bound in (part.lower, part.upper, part.step):
                if bound is not None and arrays.forced(fn, bound):
                    return bound
    return None


def index_parts(fn: Function, node: ast.Subscript) -> list[ast.expr]:
    """The indices; `slice(a, b)`, also under a name, as `a:b`."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [as_slice(fn, part) for part in parts]


def cut(fn: Function, node: ast.Subscript) -> Cut | None:
    """The windows of static width that a subscript cuts out; None if one is not."""
    windows: list[Window] = []
    rest: list[ast.expr] = []
    for axis, part in enumerate(index_parts(fn, node)):
        if not isinstance(part, ast.Slice):
            if not _is_number(fn, part):
                return None
            rest.append(part)
        elif not any(b and fn.traced(b) for b in (part.lower, part.upper, part.step)):
            rest.append(part)
        else:
            found = _window(fn, node.value, part, axis)
            if found is None:
                return None
            windows.append(found)
            rest.append(ast.Slice(None, None, part.step))
    while rest and is_whole(rest[-1]):
        rest.pop()
    return Cut(node.value, tuple(windows), tuple(rest)) if windows else None


def _window(fn: Function, base: ast.expr, part: ast.Slice, axis: int) -> Window | None:
    if part.lower is None or part.upper is None or not _is_forward(fn, part.step):
        return None
    width = static_difference(fn, part.upper, part.lower)
    if width is None:
        return None
    proven = _lies_inside(fn, base, part.lower, width, axis)
    return Window(part.lower, width, axis, proven)


def _is_forward(fn: Function, step: ast.expr | None) -> bool:
    """Is it no step, or a positive one that is known?"""
    known = fn.value(step) if step is not None else Const(1)
    match known:
        case Const(value=int(number)):
            return number > 0
        case _:
            return False


def _is_number(fn: Function, part: ast.expr) -> bool:
    """An index that takes one element along its axis."""
    known = fn.value(part)
    return arrays.rank(known) == 0 and arrays.kind(known) == "i"


def is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step)


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


def _of_one_dtype(fn: Function, windows: Iterable[Window]) -> bool:
    """`dynamic_slice` takes no starts of several integer dtypes; literals do not count.

    Source: measured, jax 0.10.2.
    """
    known = [fn.value(w.start) for w in windows]
    traced = [value for value in known if not isinstance(value, Const)]
    dtypes = {v.dtype if isinstance(v, Array) else None for v in traced}
    return len(dtypes) == 1 and None not in dtypes


def sliced(fn: Function, one: Cut, spell: Callable[[str], str]) -> ast.expr:
    """`lax.dynamic_slice_in_dim(base, start, width)`, or one slice of all axes."""
    is_whole = len(one.windows) == arrays.rank(fn.value(one.base))
    if len(one.windows) > 1 and is_whole and _of_one_dtype(fn, one.windows):
        starts = build.tuple_of([window.start for window in one.windows])
        widths = build.tuple_of([window.width for window in one.windows])
        return build.call(spell("jax.lax.dynamic_slice"), one.base, starts, widths)
    made = one.base
    for window in one.windows:
        made = build.call(
            spell("jax.lax.dynamic_slice_in_dim"), made, window.start, window.width
        )
        if window.axis:
            made.keywords.append(ast.keyword("axis", build.const(window.axis)))
    if not one.rest:
        return made
    index = one.rest[0] if len(one.rest) == 1 else ast.Tuple([*one.rest], ast.Load())
    return ast.Subscript(made, index, ast.Load())
