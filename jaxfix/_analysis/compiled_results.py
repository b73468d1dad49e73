"""What compiled functions return: arrays and pytrees of them, or what JAX refuses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .declarations import DECLARING, is_pytree
from .definitions import resolved
from .objects import (
    BoundValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    PartialValue,
    TransformedValue,
)
from .transform_names import VMAP
from .transformed import underlying
from .values import Const, Dict, Seq, Static, Value, alternatives

if TYPE_CHECKING:
    from .facts import Facts, Function

_SEQUENCES = {"set": "a set", "frozenset": "a set", "range": "a range"}

_TRANSFORMS = frozenset(t for t in DECLARING | VMAP if t.startswith("jax."))


def compiled(fn: Function) -> TransformedValue | None:
    """The `jax.jit` or `jax.vmap` that takes what a function returns.

    Those of other libraries may sort out what is no array.
    """
    roots = fn.facts.interpreter.called.get(id(fn.node), [])
    for root in roots:
        inner = underlying(root.function)
        is_own = inner is not None and inner.node is fn.node
        if is_own and root.transform in _TRANSFORMS:
            return root
    return None


def named(cls: ClassValue) -> str:
    """The name of a class with its article: "an `Agent`"."""
    article = "an" if cls.name.lstrip("_")[:1].upper() in set("AEIOU") else "a"
    return f"{article} `{cls.name}`"


def is_chosen(fn: Function, node: ast.Return) -> bool:
    """Does a traced condition choose what JAX refuses of the result?

    That is a fault already, and says what of.
    """
    traced = [
        outer
        for outer in fn.walk()
        if isinstance(outer, ast.If | ast.IfExp | ast.While)
        and bool(fn.traced(outer.test))
    ]
    inside = [inner for outer in traced for inner in ast.walk(outer)]
    if any(isinstance(inner, ast.Return | ast.IfExp) for inner in inside):
        return True
    bound = {
        inner.id
        for inner in inside
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
    return any(_may_read(fn, part, bound) for part in _refused_parts(fn, node))


def _refused_parts(fn: Function, node: ast.Return) -> list[ast.expr]:
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return [p for p in parts if p is not None and refused(fn.facts, fn.value(p))]


def _may_read(fn: Function, node: ast.expr, names: set[str]) -> bool:
    """May an expression be what a name of `names` is? A text is one in any case."""
    node = resolved(fn, node)
    if isinstance(node, ast.JoinedStr | ast.Constant):
        return False
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def refused(facts: Facts, value: Value | None) -> str | None:
    """A word for what is no array, nor a pytree, in any case; None if it may be one."""
    if value is None:
        return None
    words = [_refused(facts, option) for option in alternatives(value)]
    return words[0] if words and None not in words else None


def _refused(facts: Facts, value: Value) -> str | None:
    match value:
        case Const(value=str() | bytes()) | Static(type="str" | "bytes"):
            return "a string"
        case Static(type="enum"):
            return "a member of an enum"
        case InstanceValue(cls=cls):
            return None if is_pytree(facts, cls) else named(cls)
        case FunctionValue() | BoundValue() | PartialValue() | TransformedValue():
            return "a function"
        case ClassValue():
            return "a class"
        case Seq(kind=kind) if kind in _SEQUENCES:
            return _SEQUENCES[kind]
        case Seq(kind="tuple" | "list", items=tuple(items)):
            return next((w for i in items if (w := refused(facts, i))), None)
        case Dict(items=tuple(pairs)):
            return next((w for _, i in pairs if (w := refused(facts, i))), None)
        case _:
            return None
