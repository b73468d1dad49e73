"""The functions of the module `operator` on abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .expressions import attribute, compare_values, item, operate
from .frame import Frame
from .objects import PartialValue
from .operators import unary
from .values import Const, Lib, Seq, Unknown, Value

Handler = Callable[[Frame, list[Value], dict[str, Value]], Value]


def _binary(op: type[ast.operator]) -> Handler:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        return operate(frame, op, *args) if len(args) == 2 else Unknown()

    return handler


def _comparison(op: type[ast.cmpop]) -> Handler:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        return compare_values(frame, op(), *args) if len(args) == 2 else Unknown()

    return handler


def _unary(op: type[ast.unaryop]) -> Handler:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        if len(args) != 1:
            return Unknown()
        return unary(op, args[0], tracing=frame.staging)

    return handler


def _getitem(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return item(frame, *args) if len(args) == 2 else Unknown()


def _getter(part: str) -> Handler:
    """`itemgetter(...)` or `attrgetter(...)`: a function that gets these parts."""

    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        return PartialValue(Lib(part), (Seq("tuple", tuple(args)),), ())

    return handler


def _parts(get: Callable[[Frame, Value, Value], Value]) -> Handler:
    """What such a function gives: the one part, or all of them."""

    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        match args:
            case [Seq(items=tuple(wanted)), whole] if wanted:
                found = tuple(get(frame, whole, part) for part in wanted)
                return found[0] if len(found) == 1 else Seq("tuple", found)
            case _:
                return Unknown()

    return handler


def _attribute(frame: Frame, whole: Value, path: Value) -> Value:
    if not isinstance(path, Const) or not isinstance(path.value, str):
        return Unknown()
    for name in path.value.split("."):
        whole = attribute(frame, whole, name)
    return whole


_OPERATORS: dict[str, Handler] = {
    "add": _binary(ast.Add),
    "and_": _binary(ast.BitAnd),
    "concat": _binary(ast.Add),
    "floordiv": _binary(ast.FloorDiv),
    "lshift": _binary(ast.LShift),
    "matmul": _binary(ast.MatMult),
    "mod": _binary(ast.Mod),
    "mul": _binary(ast.Mult),
    "or_": _binary(ast.BitOr),
    "pow": _binary(ast.Pow),
    "rshift": _binary(ast.RShift),
    "sub": _binary(ast.Sub),
    "truediv": _binary(ast.Div),
    "xor": _binary(ast.BitXor),
    "eq": _comparison(ast.Eq),
    "ge": _comparison(ast.GtE),
    "gt": _comparison(ast.Gt),
    "is_": _comparison(ast.Is),
    "is_not": _comparison(ast.IsNot),
    "le": _comparison(ast.LtE),
    "lt": _comparison(ast.Lt),
    "ne": _comparison(ast.NotEq),
    "inv": _unary(ast.Invert),
    "invert": _unary(ast.Invert),
    "neg": _unary(ast.USub),
    "pos": _unary(ast.UAdd),
    "getitem": _getitem,
}

HANDLERS: dict[str, Handler] = {
    **{f"operator.{name}": handler for name, handler in _OPERATORS.items()},
    "operator.itemgetter": _getter("jaxfix.items"),
    "operator.attrgetter": _getter("jaxfix.attributes"),
    "jaxfix.items": _parts(item),
    "jaxfix.attributes": _parts(_attribute),
}
