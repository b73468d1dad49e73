"""Python's operators on instances of the project's classes: their special methods."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .frame import Frame, join_all
from .objects import InstanceValue
from .values import Lib, Seq, Unknown, Value, alternatives

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
# The method of the left side, and what the right one is asked if that says nothing.
_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
}
_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "__neg__",
    ast.UAdd: "__pos__",
    ast.Invert: "__invert__",
}
_NOTHING_SAID = Lib("NotImplemented")


def arithmetic(
    frame: Frame, op: type[ast.operator], left: Value, right: Value
) -> Value:
    """`left op right`, where a side is an instance."""
    name = _ARITHMETIC[op]
    found = _asked(frame, f"__{name}__", f"__r{name}__", left, right)
    return found if found is not None else Unknown()


def augmented(
    frame: Frame, op: type[ast.operator], left: Value, right: Value
) -> Value | None:
    """`left op= right` by a method for it; None if the class of `left` has none."""
    return called(frame, left, f"__i{_ARITHMETIC[op]}__", [right])


def comparison(
    frame: Frame, op: type[ast.cmpop], left: Value, right: Value
) -> Value | None:
    """`left op right`; None if neither side defines it."""
    if op not in _COMPARISONS:
        return None
    return _asked(frame, *_COMPARISONS[op], left, right)


def unary(frame: Frame, op: type[ast.unaryop], operand: Value) -> Value | None:
    return called(frame, operand, _UNARY[op], []) if op in _UNARY else None


def called(
    frame: Frame, instance: Value, name: str, args: Sequence[Value]
) -> Value | None:
    """What a special method gives; None if the class has none, or it says nothing."""
    if not isinstance(instance, InstanceValue):
        return None
    method = instance.cls.lookup(name)
    if method is None:
        return None
    given = alternatives(frame.call(method, [instance, *args]))
    said = [value for value in given if value != _NOTHING_SAID]
    return join_all(said) if said else None


def _asked(
    frame: Frame, name: str, reflected: str, left: Value, right: Value
) -> Value | None:
    found = called(frame, left, name, [right])
    return found if found is not None else called(frame, right, reflected, [left])


def as_tuple(value: Value) -> Seq | None:
    """The fields of an instance, where `==` compares those one by one."""
    if not isinstance(value, InstanceValue) or not value.complete:
        return None
    cls = value.cls
    if cls.kind not in ("namedtuple", "dataclass") or cls.lookup("__eq__") is not None:
        return None
    if any("eq=False" in ast.unparse(one) for one in cls.node.decorator_list):
        return None
    fields = cls.all_fields()
    if not all(field in value.attrs for field in fields):
        return None
    return Seq("tuple", tuple(value.attrs[field] for field in fields))
