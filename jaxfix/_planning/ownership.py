"""Does a function alone hold an object, so that a part of it may live in a local name?

While it does, the object is not up to date: whoever looks at it by another name, in a
container, through a closure or by a method of its own would see an old value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jaxfix._analysis.build import as_load, is_new, source_of
from jaxfix._analysis.closures import hidden_reads
from jaxfix._analysis.effects import function_obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import exits, uses_before_definite_write
from jaxfix._analysis.namespaces import NAMESPACES
from jaxfix._analysis.objects import (
    BoundValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    MethodValue,
)
from jaxfix._analysis.scopes import scope_body
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Unknown,
    Value,
    alternatives,
)

MAX_DEPTH = 3
COPIES = frozenset({"dict", "list", "tuple", "copy.copy", "copy.deepcopy"})


def check_owner(fn: Function, stmt: ast.stmt, node: ast.expr) -> None:
    """The object that `node`, a place like `books["cash"]`, is a part of.

    Raises:
      CannotFix: it may be seen in another way while `stmt` runs.
    """
    text = ast.unparse(node)
    steps = list(_steps(node))
    root = steps[-1]
    assert isinstance(root, ast.Name), "a place begins with a name"
    if not all(is_plain(fn, step) for step in steps[:-1]):
        raise CannotFix(f"what `{text}` changes is not known")
    sources = fn.definitions.get(root.id)
    if not sources or not all(_is_own(fn, s, steps, MAX_DEPTH) for s in sources):
        raise CannotFix(f"the object that `{text}` changes may have another name")
    if root.id in hidden_reads(fn, stmt):
        raise CannotFix(f"a function that is called in it reads `{root.id}`")
    inside = {id(n) for n in ast.walk(stmt)}
    holders = {ast.dump(as_load(step)) for step in steps[1:]}
    for use in fn.walk():
        if id(use) in inside or not isinstance(use, ast.expr):
            continue
        if ast.dump(as_load(use)) not in holders or not _comes_before(fn, use, stmt):
            continue
        if not is_harmless(fn, use):
            raise CannotFix(f"the object that `{text}` changes may have another name")


def check_given(fn: Function, stmt: ast.stmt, node: ast.expr) -> None:
    """The object of a place like `self.level`, which the function was given.

    A new `stmt` holds all that follows in the function: its returns are its end.

    Raises:
      CannotFix: it was there before the trace, or something in `stmt` may look at it.
    """
    text = ast.unparse(node)
    root = list(_steps(node))[-1]
    assert isinstance(root, ast.Name), "a place begins with a name"
    is_outside = fn.facts.writes_outside(source_of(node))
    ends = is_new(stmt) and exits([stmt]) <= {"fall", "return"}
    if is_outside or not (ends or exits([stmt]) == {"fall"}):
        raise CannotFix(f"in it, `{text}` changes an object from outside in place")
    if not is_plain(fn, node):
        raise CannotFix(f"what `{text}` changes is not known")
    for part in ast.walk(stmt):
        is_call = isinstance(part, ast.Call) and not fn.calls_library(part)
        if is_call or isinstance(part, ast.Yield | ast.YieldFrom | ast.Await):
            raise CannotFix(f"what is called in it may see what `{text}` changes")
        if isinstance(part, ast.Name) and part.id != root.id and _is_object(fn, part):
            raise CannotFix(f"`{part.id}` may be the object that `{text}` changes")


def _is_object(fn: Function, node: ast.Name) -> bool:
    """May it be an object that can change?"""
    known = alternatives(fn.value(node) or Const(None))
    return any(isinstance(o, InstanceValue | Dict | Seq | Unknown) for o in known)


def _steps(node: ast.expr) -> Iterator[ast.expr]:
    """`a.b["c"]`, `a.b`, `a`."""
    yield node
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
        yield node


def is_plain(fn: Function, step: ast.expr) -> bool:
    """Is it an attribute or item that is data, with no code behind it?"""
    if not isinstance(step, ast.Attribute | ast.Subscript):
        return False
    known = alternatives(fn.value(step.value) or Const(None))
    if isinstance(step, ast.Subscript):
        return all(isinstance(o, Dict | Seq) for o in known)
    return all(isinstance(o, InstanceValue) and _is_data(o, step.attr) for o in known)


def _is_data(instance: InstanceValue, name: str) -> bool:
    hooks = ("__setattr__", "__getattr__", "__getattribute__")
    if any(instance.cls.lookup(hook) is not None for hook in hooks):
        return False
    found = instance.cls.lookup(name)
    is_code = isinstance(found, FunctionValue | MethodValue | BoundValue)
    return not is_code and (found is None or name in instance.attrs)


def _is_own(fn: Function, source: ast.expr, steps: list[ast.expr], depth: int) -> bool:
    """Is the object made by this expression, and the inner one that changes, too?"""
    if depth == 0:
        return False
    path = steps[1:-1]
    if not path:
        return is_fresh(fn, source, depth)
    step, inner = path[-1], None
    if isinstance(step, ast.Attribute):
        made = _made_with(fn, source, step.attr)
        return made is not None and _is_own(*made, [*steps[:-2], step], depth - 1)
    if isinstance(step, ast.Subscript) and isinstance(step.slice, ast.Constant):
        key = step.slice.value
        match source:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                inner = next((v for k, v in pairs if _is_constant(k, key)), None)
            case ast.List(elts=elts) | ast.Tuple(elts=elts) if isinstance(key, int):
                inner = elts[key] if -len(elts) <= key < len(elts) else None
    return inner is not None and _is_own(fn, inner, [*steps[:-2], step], depth)


def _made_with(
    fn: Function, source: ast.expr, name: str
) -> tuple[Function, ast.expr] | None:
    """What the `__init__` of a new object gives an attribute, that it alone has.

    The methods of its class only read and store items of it.
    """
    callees = fn.callees(source) if isinstance(source, ast.Call) else ()
    match list(callees):
        case [ClassValue(bases=()) as cls]:
            init = cls.lookup("__init__")
        case [Lib(name=maker)] if maker in NAMESPACES and isinstance(source, ast.Call):
            given = (k.value for k in source.keywords if k.arg == name)
            value = next(given, None)
            return None if value is None else (fn, value)
        case _:
            return None
    function = fn.facts.function(init.node) if isinstance(init, FunctionValue) else None
    found: list[ast.expr] = []
    for use in ast.walk(cls.node):
        if not (isinstance(use, ast.Attribute) and use.attr == name):
            continue
        match cls.module.parent(use):
            case ast.Subscript(value=base) if base is use:
                continue
            case ast.Assign(targets=[target], value=value) as made if (
                function is not None
                and target is use
                and any(made is stmt for stmt in scope_body(function.node))
            ):
                found.append(value)
            case _:
                return None
    return (function, found[0]) if function is not None and len(found) == 1 else None


def own_objects(fn: Function, block: Sequence[ast.stmt]) -> frozenset[str]:
    """The names of lists and dicts that the statements make, and may change."""
    found: dict[str, bool] = {}
    for stmt in block:
        for node in ast.walk(stmt):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found[name] = found.get(name, True) and _is_display(fn, value)
                case ast.Name(id=name, ctx=ast.Store()):
                    alone = is_only_target(fn.module.parent(source_of(node)))
                    found[name] = found.get(name, True) and alone
    exposed = set(uses_before_definite_write(block))
    return frozenset(n for n, fresh in found.items() if fresh and n not in exposed)


def is_only_target(parent: ast.AST | None) -> bool:
    return isinstance(parent, ast.Assign) and len(parent.targets) == 1


def _is_display(fn: Function, value: ast.expr) -> bool:
    is_call = isinstance(value, ast.Call) and fn.library(value) in COPIES
    kinds = (ast.Dict, ast.List, ast.ListComp, ast.DictComp)
    return is_call or isinstance(value, kinds)


def _is_constant(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def is_fresh(fn: Function, node: ast.expr, depth: int = MAX_DEPTH) -> bool:
    """Does the expression make a new object, which nothing else holds yet?"""
    match node:
        case ast.Dict() | ast.List() | ast.Tuple() | ast.ListComp() | ast.DictComp():
            return True
        case ast.BinOp(left=left, right=right):
            sides = (fn.value(left), fn.value(right))
            return any(isinstance(s, Seq) for s in sides)
        case ast.IfExp(body=body, orelse=orelse):
            return is_fresh(fn, body, depth) and is_fresh(fn, orelse, depth)
        case ast.Subscript(slice=ast.Slice()):
            return True
        case ast.Call():
            callees = fn.callees(node)
            return bool(callees) and all(_makes_new(fn, c, depth) for c in callees)
        case _:
            return False


def _makes_new(fn: Function, callee: Value, depth: int) -> bool:
    match callee:
        case ClassValue():
            return callee.lookup("__new__") is None
        case Lib(name=name):
            return name in COPIES or name in NAMESPACES
        case MethodValue(receiver=Dict() | Seq(), name=name):
            return name == "copy"
        case FunctionValue() | BoundValue():
            return depth > 0 and _returns_new(fn, callee, depth - 1)
        case _:
            return False


def _returns_new(fn: Function, callee: Value, depth: int) -> bool:
    while isinstance(callee, BoundValue):
        callee = callee.function
    if not isinstance(callee, FunctionValue) or isinstance(callee.node, ast.Lambda):
        return False
    inner = fn.facts.function(callee.node)
    if inner is None:
        return False
    returned = [n.value for n in inner.walk() if isinstance(n, ast.Return)]
    return bool(returned) and all(
        value is not None and is_fresh(inner, value, depth) for value in returned
    )


def _comes_before(fn: Function, use: ast.expr, stmt: ast.stmt) -> bool:
    """May the use be evaluated before the statement ends?"""
    source = source_of(stmt)
    end = getattr(source, "end_lineno", 0)
    if getattr(use, "lineno", 0) <= end:
        return True
    loops = [
        node
        for node in fn.module.ancestors(source)
        if isinstance(node, ast.For | ast.While)
    ]
    return any(getattr(loop, "end_lineno", 0) >= use.lineno for loop in loops)


def is_harmless(fn: Function, use: ast.expr) -> bool:
    """Does nobody keep the object that is used here?"""
    if not isinstance(getattr(use, "ctx", None), ast.Load):
        return True
    parent = fn.module.parent(use)
    match parent:
        case ast.Attribute(value=base) | ast.Subscript(value=base) if base is use:
            return True
        case ast.Return() | ast.Expr() | ast.Compare() | ast.UnaryOp() | ast.BinOp():
            return True
        case ast.FormattedValue() | ast.If() | ast.While() | ast.Assert():
            return True
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is use
        case ast.keyword():
            call = fn.module.parent(parent)
            return isinstance(call, ast.Call) and _keeps_nothing(fn, call)
        case ast.Call():
            return _keeps_nothing(fn, parent)
        case _:
            return False


def _keeps_nothing(fn: Function, call: ast.Call) -> bool:
    """Is what a call gives a number or new, and does it store nothing elsewhere?"""
    result = alternatives(fn.value(call) or Dict(None))
    is_data = all(isinstance(o, Array | Const | Static) for o in result)
    return (is_data or is_fresh(fn, call)) and all(
        isinstance(c, Lib) or function_obstacle(fn, c) is None for c in fn.callees(call)
    )
