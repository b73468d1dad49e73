"""Functions that bring their own derivative: `jax.custom_jvp` and `jax.custom_vjp`.

JAX does not differentiate such a function, and calls its rules in its stead: the one of
`defjvp` with the primals and their tangents, the forward one of `defvjp` with the
arguments, and the backward one with what that kept and a cotangent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .arguments import as_tracers
from .objects import TransformedValue
from .values import Const, Seq, Unknown, Value

if TYPE_CHECKING:
    from .frame import Frame

CUSTOM = frozenset({"jax.custom_jvp", "jax.custom_vjp"})
DEFINITIONS = frozenset({"defjvp", "defjvps", "defvjp"})


def define(
    frame: Frame, root: TransformedValue, name: str, rules: Sequence[Value]
) -> Value:
    """`f.defjvp(rule)` gives the rule, the others give None."""
    frame.interp.derivatives[_key(root)] = (name, tuple(rules))
    return rules[0] if name == "defjvp" and rules else Const(None)


def call(
    frame: Frame,
    root: TransformedValue,
    args: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """The function itself, which nobody differentiates."""
    with undifferentiated(frame):
        return frame.call(root.function, args, keywords, node)


@contextmanager
def undifferentiated(frame: Frame) -> Iterator[None]:
    """What runs in it is not under reverse-mode differentiation."""
    interp = frame.interp
    depth, interp.grad_depth = interp.grad_depth, 0
    try:
        yield
    finally:
        interp.grad_depth = depth


def run_rules(
    frame: Frame,
    root: TransformedValue,
    args: Sequence[Value],
    fixed: frozenset[int],
    result: Value,
    node: ast.AST | None,
) -> None:
    """Run the rules as under differentiation of a call that was traced.

    Args:
      frame: where the function was called.
      root: the function.
      args: all of its arguments, by position.
      fixed: the positions that `nondiff_argnums` names.
      result: what the function gave.
      node: the call.
    """
    name, rules = frame.interp.derivatives.get(_key(root), ("", ()))
    first = [value for place, value in enumerate(args) if place in fixed]
    moving = [value for place, value in enumerate(args) if place not in fixed]
    tangents = [as_tracers(value, value.why) for value in moving]
    if name == "defjvp" and rules:
        pair = [Seq("tuple", tuple(moving)), Seq("tuple", tuple(tangents))]
        frame.call(rules[0], [*first, *pair], {}, node)
    elif name == "defjvps":
        for rule, tangent in zip(rules, tangents, strict=False):
            if rule != Const(None):
                frame.call(rule, [tangent, result, *moving], {}, node)
    elif name == "defvjp" and len(rules) == 2:
        with undifferentiated(frame):
            kept = frame.call(rules[0], list(args), {}, node)
            parts = kept.items if isinstance(kept, Seq) else None
            saved = parts[1] if parts is not None and len(parts) == 2 else Unknown()
            cotangent = as_tracers(result, result.why)
            frame.call(rules[1], [*first, saved, cotangent], {}, node)


def _key(root: TransformedValue) -> tuple[int, int]:
    return id(root.node), hash(root.function)
