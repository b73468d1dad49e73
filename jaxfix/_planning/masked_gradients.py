"""What is masked out must not reach a gradient.

In `jnp.sum((pred - target) ** 2, where=valid)` the derivative is zero times twice the
difference where the mask is false: NaN, where the data are NaN there. Python never saw
those elements. `jnp.where(valid, pred - target, 0) ** 2` has zero and no more.

Source: https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jaxfix._analysis import arrays
from jaxfix._analysis.definitions import resolved
from jaxfix._analysis.facts import Function

from .masks import Masked, Selection, Whole, elementwise_parts, mentions

# They tell what is a number: what they sort out is none.
FINITENESS = frozenset(
    f"{module}.{name}"
    for module in ("jax.numpy", "numpy")
    for name in ("isnan", "isfinite", "isinf", "isposinf", "isneginf", "nan_to_num")
)
# They square what they are given, or take its exponential.
CURVED = frozenset(["std", "var", "nanstd", "nanvar", "logsumexp"])


def zeroed(fn: Function, one: Masked) -> tuple[ast.expr, ...]:
    """The parts of a reduction that need zeros where the mask is false."""
    if one.whole.guarded:
        return ()
    curved = one.reduction.name in CURVED
    nodes = tuple(node for node, _ in one.whole.leaves)
    if not needs_zeros(fn, one.whole.leaves):
        return ()
    return tuple(
        part
        for operand in one.reduction.operands
        for part in curved_parts(fn, operand, nodes, curved=curved)
    )


def zeroed_parts(fn: Function, value: ast.expr, parts: Whole) -> tuple[ast.expr, ...]:
    """The parts of a value that is used element by element later, likewise."""
    nodes = tuple(node for node, _ in parts.leaves)
    if parts.guarded or not needs_zeros(fn, parts.leaves):
        return ()
    return tuple(curved_parts(fn, value, nodes, curved=True))


def zeroed_leaves(
    fn: Function, value: ast.expr, parts: Whole, *, curved: bool
) -> tuple[ast.expr, ...]:
    """The selections in a value that is stored by the mask, likewise."""
    nodes = tuple(node for node, _ in parts.leaves)
    if not needs_zeros(fn, parts.leaves):
        return ()
    found = curved_parts(fn, value, nodes, curved=curved)
    return tuple(n for part in found for n in nodes if n in ast.walk(part))


def is_guarded(fn: Function, node: ast.expr, parts: Whole) -> bool:
    """Needs a selection a 1 of its own, since no linear part around it gets one?"""
    leaves = tuple(leaf for leaf, _ in parts.leaves)
    return parts.guarded and not any(
        node in ast.walk(part) and is_linear(fn, part, leaves) for part in parts.guards
    )


def needs_zeros(fn: Function, leaves: Sequence[tuple[ast.expr, Selection]]) -> bool:
    """Might an element that is masked out be no finite number, and be told?

    It is told if the mask asks for it, and not unlikely in a function that is
    differentiated, unless the mask compares the values themselves.
    """
    for node, found in leaves:
        if node is found.base:
            continue  # a name, whose assignment sees to it
        if arrays.kind(fn.value(node)) in ("i", "b"):
            continue
        if found.mask is not None and asks_for_numbers(fn, found.mask):
            return True
        compared = found.mask is not None and mentions(
            fn, resolved(fn, found.mask), found.base
        )
        if fn.differentiated and not compared:
            return True
    return False


def asks_for_numbers(fn: Function, mask: ast.expr, depth: int = 4) -> bool:
    for node in [n for n in ast.walk(resolved(fn, mask)) if isinstance(n, ast.expr)]:
        if isinstance(node, ast.Call) and arrays.library(fn, node) in FINITENESS:
            return True
        is_bound = isinstance(node, ast.Name) and resolved(fn, node) is not node
        if is_bound and depth and asks_for_numbers(fn, node, depth - 1):
            return True
    return False


def curved_parts(
    fn: Function, expr: ast.expr, leaves: tuple[ast.expr, ...], *, curved: bool
) -> list[ast.expr]:
    """The largest linear parts of an expression under an operation that is not.

    A sum hands a gradient of zero on as it is; a product multiplies it by the other
    factor, whatever that is.
    """
    if not any(node in leaves for node in ast.walk(expr)):
        return []
    if isinstance(expr, ast.Compare) or arrays.kind(fn.value(expr)) in ("i", "b"):
        return []
    if is_linear(fn, expr, leaves):
        return [expr] if curved else []
    stays = curved or not is_sum(expr)
    return [
        part
        for operand in elementwise_parts(fn, expr)
        for part in curved_parts(fn, operand, leaves, curved=stays)
    ]


def is_sum(expr: ast.expr) -> bool:
    match expr:
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.UnaryOp(op=ast.USub()):
            return True
        case _:
            return False


def is_linear(fn: Function, expr: ast.expr, leaves: tuple[ast.expr, ...]) -> bool:
    """Is the derivative by every selection in it a constant?"""
    if expr in leaves:
        return True
    if not any(node in leaves for node in ast.walk(expr)):
        return False
    match expr:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return all(
                is_linear(fn, side, leaves)
                or not any(node in leaves for node in ast.walk(side))
                for side in (left, right)
            )
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_linear(fn, operand, leaves)
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if fn.static(left):
            return is_linear(fn, right, leaves)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right) if fn.static(
            right
        ):
            return is_linear(fn, left, leaves)
        case _:
            return False
