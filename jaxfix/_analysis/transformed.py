"""What stands behind a transformed function: its parameters, static ones, its name."""

from __future__ import annotations

import ast
from typing import Any

from .finding import Evidence
from .objects import (
    BoundValue,
    FunctionValue,
    InstanceValue,
    MethodValue,
    PartialValue,
    TransformedValue,
)
from .transform_names import EXTRA
from .values import (
    Const,
    Seq,
    Value,
    Why,
)


def underlying(function: Value) -> FunctionValue | None:
    """The project function at the bottom of partials, methods and transforms."""
    while True:
        match function:
            case FunctionValue():
                return function
            case BoundValue() | PartialValue() | TransformedValue():
                function = function.function
            case InstanceValue():
                method = function.cls.lookup("__call__")
                if method is None:
                    return None
                function = method
            case MethodValue(name="staticmethod" | "classmethod" | "property"):
                function = function.receiver
            case _:
                return None


def bound_count(function: Value) -> int:
    """How many leading parameters of the underlying function are bound already."""
    count = 0
    while True:
        match function:
            case BoundValue():
                count += 1
                function = function.function
            case PartialValue():
                count += len(function.args)
                function = function.function
            case TransformedValue():
                function = function.function
            case InstanceValue():
                return count + 1
            case _:
                return count


def positional_names(function: Value) -> list[str]:
    """The names of the positional parameters that a caller still has to give."""
    fn = underlying(function)
    if fn is None:
        return []
    spec = fn.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    return names[bound_count(function) :]


def static_names(root: TransformedValue) -> frozenset[str]:
    """Names of the parameters that the transform declares static."""
    names = positional_names(root.function)
    out: set[str] = set()
    for option in (
        "static_argnames",
        "static_broadcasted_argnums",
        "static_argnums",
        "nondiff_argnums",
        "nondiff_argnames",
    ):
        for entry in constants(root.option(option)):
            if isinstance(entry, str):
                out.add(entry)
            elif isinstance(entry, int) and -len(names) <= entry < len(names):
                out.add(names[entry])
    return frozenset(out)


def extra_name(root: TransformedValue) -> str | None:
    """The project's own transform that stands behind a `jit`."""
    name = root.option(EXTRA)
    return name.value if isinstance(name, Const) else None


def declares_unseen(root: TransformedValue) -> bool:
    """May it declare arguments static that are not seen, as `jit(f, **options)` may?"""
    if root.option("**") is not None:
        return True
    for name in ("static_argnums", "static_argnames", "static_broadcasted_argnums"):
        value = root.option(name)
        items = value.items if isinstance(value, Seq) else (value,)
        if items is None or not all(i is None or isinstance(i, Const) for i in items):
            return True
    return False


def constants(value: Value | None) -> list[Any]:
    """The constants in an option: an int, a str, or a tuple or list of such."""
    match value:
        case Const():
            inner = value.value
            return list(inner) if isinstance(inner, tuple | list) else [inner]
        case Seq(items=items) if items is not None:
            return [v.value for v in items if isinstance(v, Const)]
        case _:
            return []


def reason(root: TransformedValue) -> Why:
    fn = underlying(root.function)
    name = fn.name if fn is not None else "the function"
    text = f"`{name}` is under {spelled(root)}"
    return Why(Evidence(root.module.path, getattr(root.node, "lineno", 1), text))


def spelled(root: TransformedValue) -> str:
    names = [extra_name(root) or root.transform]
    inner = root.function
    while isinstance(inner, TransformedValue):
        names.append(extra_name(inner) or inner.transform)
        inner = inner.function
    return " of ".join(names)


def takes_object(fn: FunctionValue) -> bool:
    """Is the first parameter the object? Of a static method it is not."""
    decorators = getattr(fn.node, "decorator_list", [])
    is_static = any(ast.unparse(d) == "staticmethod" for d in decorators)
    return fn.owner is not None and not is_static
