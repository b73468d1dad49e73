"""Abstract evaluation of expressions."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from functools import cache
from typing import Any

from . import python_calls, special_methods
from .arguments import StarredRest, merge, scalar_tracer
from .frame import HANDLERS, Frame, join_all, join_states
from .jax_api import JOINERS
from .objects import (
    BoundValue,
    ClassValue,
    FunctionNode,
    FunctionValue,
    InstanceValue,
    MethodValue,
    ModuleValue,
    PartialValue,
    Scope,
    SuperValue,
    TransformedValue,
)
from .project import Module
from .results import attribute_of, binary, compare, joined, subscript, unary
from .scopes import children, walk
from .truthiness import asked
from .values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    alternatives,
    element,
    holds_tracer,
    is_static,
    join,
    replace,
    tracer,
    type_name,
)


def quiet(frame: Frame, node: ast.expr) -> Value:
    """Resolve a name or dotted name without recording anything."""
    if isinstance(node, ast.Name):
        return frame.read(node.id)
    if isinstance(node, ast.Attribute):
        return attribute(frame, quiet(frame, node.value), node.attr)
    return Unknown()


def truth(value: Value) -> bool | None:
    """Python's truth of a value, where it is certain."""
    match value:
        case Const():
            return bool(value.value)
        case (
            FunctionValue() | ClassValue() | ModuleValue() | Lib() | TransformedValue()
        ):
            return True
        case Seq(kind="tuple" | "list", items=items) if items is not None:
            return bool(items)
        case Dict(items=pairs) if pairs is not None:
            return bool(pairs)
        case Union():
            truths = {truth(option) for option in value.options}
            return truths.pop() if len(truths) == 1 else None
        case _:
            return None


def _constant(frame: Frame, node: ast.Constant) -> Value:
    return Const(node.value)


def _name(frame: Frame, node: ast.Name) -> Value:
    return frame.read(node.id)


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    return attribute(frame, frame.evaluate(node.value), node.attr, node)


NUMBERS = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "tau": math.tau,
}


@cache
def library(name: str) -> Value:
    """What a dotted name of a library stands for: a number, where it is one."""
    module, _, last = name.rpartition(".")
    if module in ("jax.numpy", "numpy", "math", "cmath") and last in NUMBERS:
        return Const(NUMBERS[last])
    return Lib(name)


def attribute(
    frame: Frame, base: Value, name: str, node: ast.AST | None = None
) -> Value:
    """`base.name`."""
    match base:
        case ModuleValue():
            return module_attribute(frame, base.module, name)
        case Lib(name=python_calls.PATH) if name == "parent":
            return base
        case Lib():
            return library(f"{base.name}.{name}")
        case InstanceValue():
            return instance_attribute(frame, base, name, node)
        case ClassValue():
            found = base.lookup(name)
            if isinstance(found, MethodValue) and found.name == "property":
                return found.receiver
            if isinstance(found, MethodValue) and found.name == "staticmethod":
                return found.receiver
            if isinstance(found, MethodValue) and found.name == "classmethod":
                return BoundValue(found.receiver, base)
            if found is None and name == "_make" and base.kind == "namedtuple":
                return MethodValue(base, name)
            if base.kind == "enum" and found is not None:
                return Static("intenum" if base.is_number else "enum")
            return found if found is not None else Unknown()
        case SuperValue():
            for parent in base.cls.bases:
                if isinstance(parent, ClassValue):
                    found = parent.lookup(name)
                    if found is not None:
                        return bound_method(frame, found, base.receiver, node)
            return Unknown()
        case Array(tree=True, assumed=True):
            # A bare parameter of a root: an array, or a pytree with static fields.
            known = attribute_of(base, name)
            if known is not None and name not in ("T", "real", "imag", "mT"):
                return known
            if name in python_calls.ARRAY_METHODS:
                return MethodValue(base, name)
            return Unknown() if known is None else known
        case Array():
            known = attribute_of(base, name)
            return known if known is not None else MethodValue(base, name)
        case Seq() | Dict() | Const() | Static():
            opaque = ("", "enum", "intenum", "object")
            if isinstance(base, Static) and base.type in opaque:
                return Static()
            return MethodValue(base, name)
        case TransformedValue() | FunctionValue() | PartialValue():
            if name in ("func", "__wrapped__", "fun"):
                return (
                    base.function if not isinstance(base, FunctionValue) else Unknown()
                )
            return MethodValue(base, name)
        case Union():
            options = [o for o in base.options if o != Const(None)]
            return join_all([attribute(frame, o, name, node) for o in options])
        case _:
            return Unknown()


def module_attribute(frame: Frame, module: Module, name: str) -> Value:
    frame.interp.load(module)
    if name in module.globals:
        return frame.interp.global_value(frame, module, name)
    inner = frame.interp.project.find(f"{module.name}.{name}")
    return ModuleValue(inner) if inner is not None else Unknown()


def instance_attribute(
    frame: Frame, base: InstanceValue, name: str, node: ast.AST | None
) -> Value:
    if name in base.attrs:
        value = base.attrs[name]
        if (
            isinstance(value, Const)
            and not base.cls.frozen
            and base.cls.kind == "plain"
        ):
            # Someone may have assigned another value of the type.
            return value if value.value is None else Static(type(value.value).__name__)
        return value
    found = base.cls.lookup(name)
    if found is not None:
        return bound_method(frame, found, base, node)
    if base.cls.kind == "namedtuple" and name in ("_replace", "_asdict", "_fields"):
        return MethodValue(base, name)
    if name == "replace" and base.cls.kind in ("dataclass", "module"):
        return MethodValue(base, name)
    if name == "__class__":
        return base.cls
    return Dict(None, Unknown()) if name == "__dict__" else Unknown()


def bound_method(
    frame: Frame, found: Value, receiver: Value, node: ast.AST | None
) -> Value:
    match found:
        case FunctionValue() if found.owner is not None:
            return BoundValue(found, receiver)
        case TransformedValue() | PartialValue():
            inner: Value = found
            while isinstance(inner, TransformedValue | PartialValue):
                inner = inner.function
            if isinstance(inner, FunctionValue) and inner.owner is not None:
                return BoundValue(found, receiver)
            return found
        case MethodValue(name="property"):
            if node is not None:
                frame.interp.note_call(frame, node, found.receiver, [receiver], {})
            return frame.call(found.receiver, [receiver], {}, node)
        case MethodValue(name="staticmethod"):
            return found.receiver
        case MethodValue(name="classmethod"):
            cls = receiver.cls if isinstance(receiver, InstanceValue) else receiver
            return BoundValue(found.receiver, cls)
        case _:
            return found


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    base = frame.evaluate(node.value)
    index = frame.evaluate(node.slice)
    return item(frame, base, index)


def item(frame: Frame, base: Value, index: Value) -> Value:
    """`base[index]`."""
    match base:
        case Union():
            options = [o for o in base.options if o != Const(None)]
            return join_all([item(frame, o, index) for o in options])
        case Seq() if base.kind != "iter":
            return seq_item(base, index)
        case Dict():
            if isinstance(index := as_key(index), Const):
                found = base.get(index.value)
                if found is not None:
                    return found
                if base.items is not None:
                    return Unknown()
            return element(base)
        case Array(tree=True, assumed=True) if isinstance(index, Const) and isinstance(
            index.value, str
        ):
            return part_of(base, f"[{index.value!r}]")
        case Array(tree=True, assumed=True) if not holds_tracer(index):
            return part_of(base, "[]")
        case Array():
            return subscript(base, index)
        case Const(value=str() | bytes()):
            return Static("str")
        case Const(value=tuple() as constants):
            return constant_item(constants, index)
        case Static(type="shape"):
            if isinstance(index, Const) and isinstance(index.value, slice):
                return Static("shape")
            return Static("int") if not isinstance(index, Seq) else Static("shape")
        case Static():
            return Static()
        case Lib(name=name) if name in JOINERS:
            return joined(base, index, tracing=frame.staging)
        case Lib() | ClassValue():
            return base  # a generic alias: `tuple[int]`
        case InstanceValue() if base.cls.kind == "namedtuple":
            fields = base.cls.all_fields()
            values = tuple(base.attrs.get(f, Unknown()) for f in fields)
            return seq_item(Seq("tuple", values), index)
        case InstanceValue():
            method = base.cls.lookup("__getitem__")
            return (
                frame.call(method, [base, index]) if method is not None else Unknown()
            )
        case MethodValue(receiver=Array() as receiver, name="at"):
            return MethodValue(receiver, "at[]")
        case Unknown() if isinstance(index, Array) and is_proven(index):
            # Whatever takes a tracer as an index gives one.
            return Array(True, why=index.why)
        case _:
            return Unknown()


def is_proven(value: Array) -> bool:
    """Is it certainly a tracer, and no pytree that holds some?"""
    return value.traced and not value.tree and not value.assumed


def as_key(index: Value) -> Value:
    """A tuple of constants is one itself, as the key of a dict."""
    match index:
        case Seq(kind="tuple", items=tuple(items)):
            parts = [as_key(part) for part in items]
            constants = [part.value for part in parts if isinstance(part, Const)]
            return Const(tuple(constants)) if len(constants) == len(parts) else index
        case _:
            return index


def part_of(tree: Array, which: str) -> Array:
    """A part of what may be a pytree or an array."""
    shape = tree.shape
    if shape is not None:
        shape = frozenset(f"{part}{which}" for part in shape)
    return replace(tree, shape=shape or None)


def constant_item(constants: tuple[object, ...], index: Value) -> Value:
    """An item of a constant tuple, of a shape for instance."""
    if isinstance(index, Const) and isinstance(index.value, int | slice):
        try:
            return Const(constants[index.value])
        except IndexError:
            return Unknown()
    items = tuple(Const(c) for c in constants)
    return seq_item(Seq("tuple", items), index)


def seq_item(base: Seq, index: Value) -> Value:
    items = base.items
    match index:
        case Const(value=int(i)) if items is not None and -len(items) <= i < len(items):
            return items[i]
        case Const(value=slice() as part) if items is not None:
            return Seq(base.kind, items[part], base.elem)
        case Static(type="slice") | Const(value=slice()):
            return Seq(base.kind, None, element(base))
    if tracer(index) is not None:
        inner = element(base)
        return traced_choice(inner, index)
    return element(base)


def traced_choice(inner: Value, index: Value) -> Value:
    """An element picked by a tracer: what `jnp.array(list)[i]` will give."""
    why = index.why
    match inner:
        case Const() | Static():
            return scalar_tracer(inner, why)
        case Array():
            return replace(inner, traced=True, host=False, why=inner.why or why)
        case Seq(items=items) if items is not None:
            return replace(inner, items=tuple(traced_choice(v, index) for v in items))
        case _:
            return inner


def _slice(frame: Frame, node: ast.Slice) -> Value:
    parts = [
        frame.evaluate(p) if p is not None else Const(None)
        for p in (node.lower, node.upper, node.step)
    ]
    values = [p.value for p in parts if isinstance(p, Const)]
    if len(values) == 3 and all(v is None or isinstance(v, int) for v in values):
        return Const(slice(*values))
    for part in parts:
        if (found := tracer(part)) is not None:
            return Seq("slice", tuple(parts), why=found.why)
    return Static("slice")


def _binop(frame: Frame, node: ast.BinOp) -> Value:
    left = frame.evaluate(node.left)
    right = frame.evaluate(node.right)
    return operate(frame, type(node.op), left, right)


def operate(frame: Frame, op: type[ast.operator], left: Value, right: Value) -> Value:
    """`left op right`, sequences and instances included."""
    if isinstance(left, Union) or isinstance(right, Union):
        return join_all(
            [
                operate(frame, op, a, b)
                for a in alternatives(left)
                for b in alternatives(right)
                if Const(None) not in (a, b)
            ]
        )
    if isinstance(left, Seq) and isinstance(right, Seq) and op is ast.Add:
        if left.items is not None and right.items is not None:
            return Seq(left.kind, left.items + right.items)
        return Seq(left.kind, None, join(element(left), element(right)))
    if op is ast.Mult:
        for seq, count in ((left, right), (right, left)):
            if isinstance(seq, Seq):
                match count:
                    case Const(value=int(n)) if seq.items is not None and 0 <= n <= 64:
                        return Seq(seq.kind, seq.items * n)
                    case _:
                        return Seq(seq.kind, None, element(seq))
    if isinstance(left, Dict) and isinstance(right, Dict) and op is ast.BitOr:
        return merge_dicts(left, right)
    if isinstance(left, InstanceValue) or isinstance(right, InstanceValue):
        return special_methods.arithmetic(frame, op, left, right)
    if op is ast.Div and left == Lib(python_calls.PATH):
        return left
    return binary(op, left, right, tracing=frame.staging)


def merge_dicts(left: Dict, right: Dict) -> Dict:
    if left.items is None or right.items is None:
        words = left.has_words and right.has_words
        return Dict(None, join(element(left), element(right)), words)
    merged = dict(left.items) | dict(right.items)
    return Dict(tuple(merged.items()))


def _unaryop(frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        operand = asked(frame, node.operand)
        if (found := tracer(operand)) is not None:
            return Array(
                True,
                BOOL,
                found.shape,
                assumed=found.assumed,
                tree=found.tree,
                why=found.why,
            )
        known = truth(operand)
        return Const(not known) if known is not None else Static("bool")
    operand = frame.evaluate(node.operand)
    return join_all([_signed(frame, node.op, o) for o in alternatives(operand)])


def _signed(frame: Frame, op: ast.unaryop, operand: Value) -> Value:
    """`-x`, `+x` or `~x`."""
    if isinstance(operand, InstanceValue):
        found = special_methods.unary(frame, type(op), operand)
        return found if found is not None else Unknown()
    return unary(type(op), operand, tracing=frame.staging)


def _boolop(frame: Frame, node: ast.BoolOp) -> Value:
    """`and`/`or`: values that decide early cut the rest off, as in Python."""
    is_and = isinstance(node.op, ast.And)
    before = frame.snapshot()
    outcome: list[Value] = []
    for index, operand in enumerate(node.values):
        last = index == len(node.values) - 1
        value = frame.evaluate(operand) if last else asked(frame, operand)
        known = truth(value)
        if last or known is (not is_and):
            outcome.append(value)
            break
        if known is None:
            outcome.append(_short_circuit(value, stops_when=not is_and))
        refine(frame, operand, is_and)
    frame.restore(join_states(frame.snapshot(), before) if before else frame.snapshot())
    return combine_booleans(outcome)


def _short_circuit(value: Value, *, stops_when: bool) -> Value:
    """What `a` contributes to `a and b` / `a or b`."""
    if isinstance(value, Union):
        kept = [o for o in value.options if truth(o) is not (not stops_when)]
        return join_all(kept) if kept else value
    return value


def combine_booleans(values: list[Value]) -> Value:
    """The value of and/or: traced as soon as one operand is."""
    traced = [t for v in values if (t := tracer(v)) is not None]
    if not traced:
        return join_all(values)
    dtypes = {
        v.dtype if isinstance(v, Array) else None for v in values if not _is_bool(v)
    }
    dtype = BOOL if not dtypes else (dtypes.pop() if len(dtypes) == 1 else None)
    shape = SCALAR if all(t.shape == SCALAR for t in traced) else None
    return Array(
        True, dtype, shape, assumed=all(t.assumed for t in traced), why=traced[0].why
    )


def _is_bool(value: Value) -> bool:
    if isinstance(value, Array):
        return value.dtype is not None and value.dtype.kind == "b"
    return (
        isinstance(value, Const)
        and isinstance(value.value, bool)
        or (isinstance(value, Static) and value.type == "bool")
    )


def _compare(frame: Frame, node: ast.Compare) -> Value:
    left = frame.evaluate(node.left)
    results: list[Value] = []
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = frame.evaluate(right_node)
        results.append(compare_values(frame, op, left, right))
        left = right
    return results[0] if len(results) == 1 else combine_booleans(results)


def compare_values(frame: Frame, op: ast.cmpop, left: Value, right: Value) -> Value:
    match op:
        case ast.Is() | ast.IsNot():
            return identity(left, right, isinstance(op, ast.Is))
        case ast.In() | ast.NotIn():
            special_methods.called(frame, right, "__contains__", [left])
            return membership(op, left, right)
    if isinstance(left, Union) or isinstance(right, Union):
        pairs = [(a, b) for a in alternatives(left) for b in alternatives(right)]
        if not isinstance(op, ast.Eq | ast.NotEq):
            # Python orders no None.
            pairs = [p for p in pairs if Const(None) not in p] or pairs
        return join_all([compare_values(frame, op, a, b) for a, b in pairs])
    if isinstance(left, InstanceValue) or isinstance(right, InstanceValue):
        found = special_methods.comparison(frame, type(op), left, right)
        if found is not None:
            return found
    if isinstance(op, ast.Eq | ast.NotEq):
        for a, b in ((left, right), (right, left)):
            if (
                isinstance(a, Const)
                and (a.value is None or isinstance(a.value, str))
                and isinstance(b, Array | InstanceValue | Seq | Dict)
            ):
                return Static("bool")
            if isinstance(a, Array) and a.assumed and isinstance(b, Lib | ClassValue):
                return Static("bool")
        if isinstance(left, InstanceValue) and isinstance(right, InstanceValue):
            mine, yours = map(special_methods.as_tuple, (left, right))
            if left.cls == right.cls and mine is not None and yours is not None:
                return tuple_equality(mine, yours)
        if isinstance(left, Seq) and isinstance(right, Seq):
            return tuple_equality(left, right)
    elif isinstance(left, Seq) and isinstance(right, Seq):
        return tuple_order(frame, op, left, right)
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Array) and a.assumed and isinstance(b, Unknown):
            return Unknown()
        if isinstance(a, InstanceValue | Dict | Seq) and not isinstance(b, Array):
            return Static("bool") if holds_tracer(a) is None else Unknown()
        if not frame.under and isinstance(a, Unknown) and not is_word(b):
            return Unknown()  # it may be an array, and the result a mask
    return compare(type(op), left, right)


def is_word(value: Value) -> bool:
    """A string or None, which is no array's element."""
    return isinstance(value, Const) and isinstance(value.value, str | None)


def tuple_equality(left: Seq, right: Seq) -> Value:
    """`(a, b) == (c, d)` forces the comparison of the elements."""
    items = [*(left.items or ()), *(right.items or ())]
    found = proven(*items) or holds_tracer(left) or holds_tracer(right)
    if found is None:
        return Static("bool")
    if left.items is None or right.items is None:
        return Unknown()
    if len(left.items) != len(right.items):
        return Const(False)
    assumed = found.assumed and not (holds_numbers(left) or holds_numbers(right))
    return Array(True, BOOL, SCALAR, assumed=assumed, why=found.why)


def tuple_order(frame: Frame, op: ast.cmpop, left: Seq, right: Seq) -> Value:
    """`(a, b) < (c, d)` forces comparisons until two elements differ."""
    for a, b in zip(left.items or (), right.items or (), strict=False):
        if isinstance(a, Const) and isinstance(b, Const):
            if a == b:
                continue
            return compare_values(frame, op, a, b)
        found = proven(a, b)
        if found is None:
            return Static("bool") if is_static(a) and is_static(b) else Unknown()
        return Array(True, BOOL, SCALAR, assumed=found.assumed, why=found.why)
    found = holds_tracer(left) or holds_tracer(right)
    return Static("bool") if found is None else Unknown()


def proven(*values: Value) -> Array | None:
    """A tracer in the values, a proven one if there is any."""
    found = [t for v in values if (t := holds_tracer(v)) is not None]
    return next((t for t in found if not t.assumed), found[0] if found else None)


def holds_numbers(value: Seq) -> bool:
    """Is a number among the items?"""
    return any(
        isinstance(v, Const) and isinstance(v.value, int | float)
        for v in value.items or ()
    )


def identity(left: Value, right: Value, positive: bool) -> Value:
    if right == Const(None):
        nones = {o == Const(None) for o in alternatives(left)}
        if Unknown() in alternatives(left) or any(
            isinstance(o, Static) and o.type == "" for o in alternatives(left)
        ):
            return Static("bool")
        if len(nones) == 1:
            return Const(nones.pop() is positive)
    elif isinstance(left, Const) and isinstance(right, Const):
        return Const((left == right) is positive)
    return Static("bool")


def membership(op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(right, Dict):
        if isinstance(left, Const) and right.items is not None:
            return Const((right.get(left.value) is not None) is isinstance(op, ast.In))
        found = holds_tracer(left)
        keys = [key for key, _ in right.items or ()]
        if found is None or not all(isinstance(key, int | float) for key in keys):
            return Static("bool")
        return Array(True, BOOL, SCALAR, assumed=found.assumed, why=found.why)
    if isinstance(left, Const) and isinstance(left.value, str):
        if (
            isinstance(right, Seq)
            and right.items is not None
            and all(isinstance(v, Const) for v in right.items)
        ):
            return Const((left in right.items) is isinstance(op, ast.In))
        return Static("bool")
    if isinstance(right, Array) and right.assumed and not isinstance(left, Array):
        return Static("bool")  # `name in params`: keys of a pytree
    if not isinstance(right, Unknown | InstanceValue):
        found = proven(left, right)
        if found is not None:
            is_number = isinstance(right, Seq) and holds_numbers(right)
            assumed = found.assumed and not is_number
            return Array(True, BOOL, SCALAR, assumed=assumed, why=found.why)
    if (
        isinstance(left, Const)
        and isinstance(right, Seq)
        and right.items is not None
        and all(isinstance(v, Const) for v in right.items)
    ):
        found_it = any(
            v.value == left.value for v in right.items if isinstance(v, Const)
        )
        return Const(found_it is isinstance(op, ast.In))
    return Static("bool")


def _ifexp(frame: Frame, node: ast.IfExp) -> Value:
    test = asked(frame, node.test)
    known = truth(test)
    results: list[Value] = []

    def arm(branch: ast.expr, outcome: bool) -> Callable[[], bool]:
        def run() -> bool:
            if known is (not outcome):
                return False
            refine(frame, node.test, outcome)
            results.append(frame.evaluate(branch))
            return True

        return run

    frame.both(arm(node.body, True), arm(node.orelse, False))
    alike = len(results) == 2 and results[0] == results[1]
    if alike and ast.dump(node.body) == ast.dump(node.orelse):
        return results[0]  # `x if c else x` is x, a number too
    return chosen(test, results)


def chosen(test: Value, results: list[Value]) -> Value:
    """The value of a choice by `test`: traced if it is and the values are arrays."""
    value = join_all(results)
    found = tracer(test)
    if found is None or found.assumed or len(results) < 2:
        return value
    return merge_traced(results[0], results[1], found)


def merge_traced(a: Value, b: Value, test: Array) -> Value:
    """What `lax.cond`/`jnp.where` on a traced test makes of two values."""
    if (
        isinstance(a, Seq)
        and isinstance(b, Seq)
        and a.kind == b.kind
        and a.items is not None
        and b.items is not None
        and len(a.items) == len(b.items)
    ):
        pairs = zip(a.items, b.items, strict=True)
        return Seq(a.kind, tuple(merge_traced(x, y, test) for x, y in pairs))
    if (
        isinstance(a, Dict)
        and isinstance(b, Dict)
        and a.items
        and b.items
        and [k for k, _ in a.items] == [k for k, _ in b.items]
    ):
        pairs_ = zip(a.items, b.items, strict=True)
        return Dict(tuple((k, merge_traced(x, y, test)) for (k, x), (_, y) in pairs_))
    if isinstance(a, InstanceValue):
        both = a.combined(b, lambda x, y: merge_traced(x, y, test))
        if both is not None:
            return both
    numeric = (Array, Const, Static)
    if isinstance(a, numeric) and isinstance(b, numeric):
        merged = merge(a, b)
        if merged is not None:
            return replace(merged, traced=True, host=False, why=test.why)
    return join(a, b)


def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    return make_function(frame, node, "<lambda>")


def make_function(frame: Frame, node: FunctionNode, name: str) -> FunctionValue:
    spec = node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    defaults = [
        (n, frame.evaluate(d))
        for n, d in zip(
            positional[len(positional) - len(spec.defaults) :],
            spec.defaults,
            strict=True,
        )
    ]
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            defaults.append((arg.arg, frame.evaluate(default)))
    outer = frame.function.qualname + ".<locals>." if frame.function else ""
    owner: ClassValue | None = None
    if frame.scope.is_class:
        holder = frame.interp.class_in_progress(frame.scope)
        owner = holder
        prefix = qualname_of_class(frame)
        outer = prefix + "."
    value = FunctionValue(
        node,
        frame.scope,
        frame.module,
        outer + name,
        tuple(defaults),
        owner,
        "yield" in frame.module.text and is_generator(node),
    )
    frame.interp.functions[id(node)] = value
    return value


def qualname_of_class(frame: Frame) -> str:
    names: list[str] = []
    scope: Scope | None = frame.scope
    while scope is not None and isinstance(scope.node, ast.ClassDef):
        names.insert(0, scope.node.name)
        scope = scope.parent
    return ".".join(names)


def is_generator(node: FunctionNode) -> bool:
    if isinstance(node, ast.Lambda):
        return False
    known: bool | None = getattr(node, "has_yield", None)
    if known is None:
        known = _has_yield(node)
        node.has_yield = known  # type: ignore[union-attr]
    return known


def _has_yield(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    todo: list[ast.AST] = list(node.body)
    while todo:
        inner = todo.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += children(inner)
    return False


def _call(frame: Frame, node: ast.Call) -> Value:
    function = frame.evaluate(node.func)
    if function == Lib("super") and not node.args:
        return _super(frame)
    args: list[Value] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            inner = frame.evaluate(arg.value)
            if isinstance(inner, Seq) and inner.items is not None:
                args.extend(inner.items)
            else:
                args.append(StarredRest(python_calls.iterate(frame, inner)))
        else:
            args.append(frame.evaluate(arg))
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = frame.evaluate(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Dict) and value.items is not None:
            keywords.update({k: v for k, v in value.items if isinstance(k, str)})
        else:
            keywords["**"] = value
    frame.interp.note_call(frame, node, function, args, keywords)
    return frame.call(function, args, keywords, node)


def _super(frame: Frame) -> Value:
    fn = frame.function
    if fn is None or fn.owner is None or isinstance(fn.node, ast.Lambda):
        return Unknown()
    names = [a.arg for a in (*fn.node.args.posonlyargs, *fn.node.args.args)]
    receiver = frame.scope.vars.get(names[0], Unknown()) if names else Unknown()
    return SuperValue(fn.owner, receiver)


def _sequence(kind: str) -> Callable[[Frame, Any], Value]:
    def handler(frame: Frame, node: ast.Tuple | ast.List | ast.Set) -> Value:
        items: list[Value] = []
        known = True
        for element_node in node.elts:
            if isinstance(element_node, ast.Starred):
                inner = frame.evaluate(element_node.value)
                frame.interp.record(frame, element_node, inner)
                if isinstance(inner, Seq) and inner.items is not None:
                    items.extend(inner.items)
                else:
                    items.append(python_calls.iterate(frame, inner))
                    known = False
            else:
                items.append(frame.evaluate(element_node))
        if known:
            return Seq(kind, tuple(items))
        return Seq(kind, None, join_all(items))

    return handler


def _dict(frame: Frame, node: ast.Dict) -> Value:
    out: Dict = Dict(())
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = frame.evaluate(value_node)
        if key_node is None:
            inner = value if isinstance(value, Dict) else Dict(None, Unknown())
            out = merge_dicts(out, inner)
            continue
        key = as_key(frame.evaluate(key_node))
        if isinstance(key, Const) and out.items is not None:
            out = merge_dicts(out, Dict(((key.value, value),)))
        else:
            out = Dict(None, join(element(out), value) if out.items else value)
    return out


def _joined(frame: Frame, node: ast.JoinedStr) -> Value:
    for part in node.values:
        frame.evaluate(part)
    return Static("str")


def _formatted(frame: Frame, node: ast.FormattedValue) -> Value:
    value = frame.evaluate(node.value)
    if node.format_spec is not None:
        frame.evaluate(node.format_spec)
    return value


def _comprehension(kind: str) -> Callable[[Frame, Any], Value]:
    def handler(
        frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp
    ) -> Value:
        known, results = run_generators(frame, node.generators, [node.elt])
        if known is not None:
            return Seq(kind, tuple(r[0] for r in known))
        return Seq(kind, None, results[0])

    return handler


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    known, results = run_generators(frame, node.generators, [node.key, node.value])
    if known is not None and all(isinstance(k, Const) for k, _ in known):
        return Dict(tuple((k.value, v) for k, v in known if isinstance(k, Const)))
    return Dict(None, results[1], type_name(results[0]) == "str")


def run_generators(
    frame: Frame, generators: list[ast.comprehension], outputs: list[ast.expr]
) -> tuple[list[list[Value]] | None, list[Value]]:
    """Run a comprehension: its elements one by one if the length is small and known,
    else the join of them."""
    saved = frame.snapshot()
    targets = {
        n.id for g in generators for n in walk(g.target) if isinstance(n, ast.Name)
    }
    first = frame.evaluate(generators[0].iter)
    rows: list[list[Value]] | None = None
    items = python_calls.known_items(first)
    if len(generators) == 1 and not generators[0].ifs and items is not None:
        rows = []
        for value in items[:12] if len(items) <= 12 else ():
            statements_assign(frame, generators[0].target, value)
            rows.append([frame.evaluate(o) for o in outputs])
        if len(items) > 12:
            rows = None
    if rows is None:
        results = _joined_run(frame, generators, outputs, first)
    else:
        results = [join_all([r[i] for r in rows]) for i in range(len(outputs))]
    for name in targets:
        if name in saved:
            frame.scope.vars[name] = saved[name]
        else:
            frame.scope.vars.pop(name, None)
    return rows, results


def _joined_run(
    frame: Frame,
    generators: list[ast.comprehension],
    outputs: list[ast.expr],
    first: Value,
) -> list[Value]:
    for index, generator in enumerate(generators):
        source = first if index == 0 else frame.evaluate(generator.iter)
        statements_assign(frame, generator.target, python_calls.iterate(frame, source))
        for test in generator.ifs:
            frame.evaluate(test)
            refine(frame, test, True)
    return [frame.evaluate(o) for o in outputs]


def _namedexpr(frame: Frame, node: ast.NamedExpr) -> Value:
    value = frame.evaluate(node.value)
    statements_assign(frame, node.target, value)
    return value


def _starred(frame: Frame, node: ast.Starred) -> Value:
    return frame.evaluate(node.value)


def _yield(frame: Frame, node: ast.Yield) -> Value:
    frame.yields.append(frame.evaluate(node.value) if node.value else Const(None))
    return Unknown()


def _yield_from(frame: Frame, node: ast.YieldFrom) -> Value:
    frame.yields.append(python_calls.iterate(frame, frame.evaluate(node.value)))
    return Unknown()


def _await(frame: Frame, node: ast.Await) -> Value:
    frame.evaluate(node.value)
    return Unknown()


def statements_assign(frame: Frame, target: ast.expr, value: Value) -> None:
    from .statements import assign

    assign(frame, target, value)


def refine(frame: Frame, test: ast.expr, outcome: bool) -> None:
    """Narrow variables by a condition that is known to hold (or not to)."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            refine(frame, operand, not outcome)
        case ast.BoolOp(op=ast.And(), values=values) if outcome:
            for value in values:
                refine(frame, value, True)
        case ast.BoolOp(op=ast.Or(), values=values) if not outcome:
            for value in values:
                refine(frame, value, False)
        case ast.NamedExpr(target=target):
            refine(frame, target, outcome)
        case ast.Compare(
            left=ast.Name() | ast.Attribute() as name,
            ops=[ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(value=None)],
        ):
            is_none = isinstance(op, ast.Is) is outcome
            narrow(frame, name, lambda v: (v == Const(None)) is is_none)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as name, kind]):
            _refine_isinstance(frame, name, quiet_types(frame, kind), outcome)
        case ast.Name():
            if outcome:
                narrow(frame, test, lambda v: truth(v) is not False)


def quiet_types(frame: Frame, node: ast.expr) -> list[str]:
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    names = []
    for one in nodes:
        value = quiet(frame, one)
        names.append(value.name if isinstance(value, Lib) else "?")
    return names


def _refine_isinstance(
    frame: Frame, name: ast.Name, types: list[str], outcome: bool
) -> None:
    if any(t.endswith((".Tracer", "jax.Array", "jax.numpy.ndarray")) for t in types):
        if not outcome:
            value = frame.read(name.id)
            if (found := tracer(value)) is not None:
                frame.scope.vars[name.id] = replace(found, traced=False)
        return
    numbers = {"int", "float", "bool", "complex", "str", "tuple", "list", "dict"}
    if all(t in numbers for t in types):
        classes = tuple(getattr(builtins, t) for t in types)

        def fits(value: Value) -> bool:
            match value:
                case Const():
                    return isinstance(value.value, classes) is outcome
                case Array():
                    return not outcome
                case Seq():
                    return (value.kind in types) is outcome
                case Dict():
                    return ("dict" in types) is outcome
                case _:
                    return True

        narrow(frame, name, fits)


def narrow(frame: Frame, name: ast.expr, keep: Callable[[Value], bool]) -> None:
    if not isinstance(name, ast.Name) or name.id not in frame.scope.vars:
        return
    value = frame.scope.vars[name.id]
    if isinstance(value, Union):
        kept = [o for o in value.options if keep(o)]
        if kept and len(kept) < len(value.options):
            frame.scope.vars[name.id] = join_all(kept)


EVALUATED: dict[type[ast.expr], Callable[[Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.BinOp: _binop,
    ast.UnaryOp: _unaryop,
    ast.BoolOp: _boolop,
    ast.Compare: _compare,
    ast.IfExp: _ifexp,
    ast.Lambda: _lambda,
    ast.Call: _call,
    ast.Tuple: _sequence("tuple"),
    ast.List: _sequence("list"),
    ast.Set: _sequence("set"),
    ast.Dict: _dict,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.GeneratorExp: _comprehension("iter"),
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _namedexpr,
    ast.Starred: _starred,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Await: _await,
}
HANDLERS.update(EVALUATED)
