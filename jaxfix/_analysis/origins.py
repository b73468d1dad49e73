"""Which parameters the value of an expression is computed from.

Asked of an expression that must be known in tracing: if all that makes it a tracer
is parameters of jitted functions, then declaring those static makes it known. A step on
the way that makes a tracer of anything (`jnp.ceil`) is noted; one whose result depends
on data (`x.sum()`, the carry of a scan) ends the search.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .call_sites import Parameter, Site, Unclear, argument
from .objects import BoundValue, FunctionValue, InstanceValue
from .scopes import parameter_names
from .values import Lib, Unknown, alternatives, holds_tracer

if TYPE_CHECKING:
    from .facts import Function

# Attributes that are known while tracing, whatever the array.
STRUCTURE = frozenset(
    ["shape", "ndim", "size", "dtype", "weak_type", "sharding", "aval"]
)
# Calls whose result does not depend on the values of their arguments.
STRUCTURAL_CALLS = frozenset(
    [
        "len",
        "isinstance",
        "hasattr",
        "callable",
        "type",
        "id",
        "jax.numpy.shape",
        "jax.numpy.ndim",
        "jax.numpy.size",
        "numpy.shape",
        "numpy.ndim",
        "numpy.size",
        "jax.numpy.issubdtype",
        "jax.numpy.result_type",
    ]
)
_MATH = ("math.", "cmath.")
# Calls that give a Python value for Python values.
PLAIN_CALLS = frozenset(
    [
        "abs",
        "bool",
        "dict",
        "divmod",
        "enumerate",
        "float",
        "frozenset",
        "int",
        "list",
        "max",
        "min",
        "pow",
        "range",
        "reversed",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
        "operator.index",
    ]
)
# Calls of jax.numpy that have a NumPy namesake which keeps static values static.
HOST_CALLS = frozenset(
    [
        "abs",
        "absolute",
        "add",
        "array",
        "asarray",
        "ceil",
        "cbrt",
        "divide",
        "exp",
        "exp2",
        "floor",
        "floor_divide",
        "hypot",
        "log",
        "log10",
        "log2",
        "max",
        "maximum",
        "min",
        "minimum",
        "mod",
        "multiply",
        "power",
        "prod",
        "remainder",
        "rint",
        "round",
        "sign",
        "sqrt",
        "square",
        "subtract",
        "sum",
        "true_divide",
        "trunc",
        "int32",
        "int64",
        "float32",
        "arange",
    ]
)


@dataclass(slots=True)
class Origins:
    """`parameters` it comes from, and the jax.numpy `calls` on the way.

    `calls` make tracers even of values that are known.
    """

    parameters: set[Parameter] = field(default_factory=set)
    calls: list[tuple[Function, ast.Call]] = field(default_factory=list)
    seen: set[tuple[int, str]] = field(default_factory=set)

    @property
    def key(self) -> frozenset[Parameter]:
        return frozenset(self.parameters)


def origins(fn: Function, node: ast.expr) -> Origins | None:
    """What makes an expression a tracer; None if it is anything but parameters."""
    found = Origins()
    return found if _search(fn, node, found) else None


def mentioned(fn: Function, node: ast.AST) -> frozenset[Parameter]:
    """The parameters of which an expression's value may be computed, traced or not."""
    found = Origins()
    _collect(fn, node, found)
    return found.key


def _search(fn: Function, node: ast.expr, found: Origins) -> bool:
    value = fn.value(node)
    if value is None or isinstance(value, Unknown):
        return value is None and isinstance(
            node, ast.Slice | ast.Starred | ast.Constant
        )
    if holds_tracer(value) is None and not _holds_traced_instance(value):
        return True
    match node:
        case ast.Name(id=name):
            return _name(fn, name, found)
        case ast.Attribute(value=base):
            return node.attr not in ("T", "mT", "at") and _search(fn, base, found)
        case ast.Call():
            return _call(fn, node, found)
        case (
            ast.BinOp()
            | ast.UnaryOp()
            | ast.BoolOp()
            | ast.Compare()
            | ast.IfExp()
            | ast.Tuple()
            | ast.List()
            | ast.Starred()
            | ast.Slice()
            | ast.JoinedStr()
            | ast.FormattedValue()
            | ast.NamedExpr()
        ):
            return all(_search(fn, c, found) for c in _expressions(node))
        case ast.Subscript(value=base, slice=place):
            return _search(fn, base, found) and _search(fn, place, found)
        case _:
            return False


def _holds_traced_instance(value: object) -> bool:
    return isinstance(value, InstanceValue) and value.traced


def _expressions(node: ast.AST) -> list[ast.expr]:
    parts = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
    return parts[1:] if isinstance(node, ast.NamedExpr) else parts


def _name(fn: Function, name: str, found: Origins) -> bool:
    owner = owner_of(fn, name)
    if owner is None:
        return False
    key = (id(owner.node), name)
    if key in found.seen:
        return True
    found.seen.add(key)
    sources = definitions(owner, name)
    if sources is None:
        return False
    if is_parameter(owner, name):
        assert not isinstance(owner.node, ast.Module), "a module has no parameters"
        found.parameters.add(Parameter(owner.node, name))
    elif not sources:
        return False
    return all(_search(owner, source, found) for source in sources)


def _call(fn: Function, node: ast.Call, found: Origins) -> bool:
    arguments = [*node.args, *(k.value for k in node.keywords)]
    callees = [o for c in fn.callees(node) for o in alternatives(c)]
    if not callees:
        return False
    for callee in callees:
        match callee:
            case Lib(name=name) if name in PLAIN_CALLS or name.startswith(_MATH):
                pass
            case Lib(name=name) if is_host_call(name):
                found.calls.append((fn, node))
            case FunctionValue() | BoundValue():
                return len(callees) == 1 and _result(fn, node, callee, found)
            case _:
                return False
    return all(_search(fn, a, found) for a in arguments)


def is_host_call(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return module == "jax.numpy" and last in HOST_CALLS


def _result(
    fn: Function, node: ast.Call, callee: FunctionValue | BoundValue, found: Origins
) -> bool:
    """What a call of a project function gives comes from what it returns."""
    inner = callee.function if isinstance(callee, BoundValue) else callee
    record = fn.call(node)
    if not isinstance(inner, FunctionValue) or record is None:
        return False
    helper = fn.facts.function(inner.node)
    if helper is None or len(found.seen) > 60:
        return False
    body = Origins(seen=found.seen)
    for result in returned(helper):
        if not _search(helper, result, body):
            return False
    found.calls += body.calls
    for parameter in body.parameters:
        if parameter.node is not inner.node:
            found.parameters.add(parameter)
            continue
        try:
            given = argument(Site(record, callee), parameter.name)
        except Unclear:
            return False
        if given is not None and not _search(fn, given, found):
            return False
    return True


def returned(fn: Function) -> list[ast.expr]:
    """What a function may return."""
    if isinstance(fn.node, ast.Lambda):
        return [fn.node.body]
    return [
        n.value for n in fn.walk() if isinstance(n, ast.Return) and n.value is not None
    ]


def _collect(fn: Function, node: ast.AST, found: Origins) -> None:
    match node:
        case ast.Name(id=name):
            owner = owner_of(fn, name)
            if owner is None or (id(owner.node), name) in found.seen:
                return
            found.seen.add((id(owner.node), name))
            if is_parameter(owner, name) and not isinstance(owner.node, ast.Module):
                found.parameters.add(Parameter(owner.node, name))
            for source in definitions(owner, name) or ():
                _collect(owner, source, found)
        case ast.Attribute(attr=attr) if attr in STRUCTURE:
            return
        case ast.Compare(
            ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            return
        case ast.Call() if fn.library(node) in STRUCTURAL_CALLS:
            return
        case ast.Lambda():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                _collect(fn, child, found)


# --- names


def owner_of(fn: Function, name: str) -> Function | None:
    """The function, `fn` or one around it, of which `name` is a local variable."""
    for node in (fn.node, *fn.module.ancestors(fn.node)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        owner = fn.facts.function(node)
        if owner is not None and name in owner.variables:
            return owner
    return None


def is_parameter(fn: Function, name: str) -> bool:
    if isinstance(fn.node, ast.Module):
        return False
    spec = fn.node.args
    rest = {a.arg for a in (spec.vararg, spec.kwarg) if a is not None}
    return name in parameter_names(fn.node) and name not in rest


def definitions(fn: Function, name: str) -> list[ast.expr] | None:
    """What is assigned to a local variable; None if a definition is no expression."""
    if not isinstance(fn.node, ast.Module):
        spec = fn.node.args
        if name in (a.arg for a in (spec.vararg, spec.kwarg) if a is not None):
            return None
    known = fn.definitions
    if name not in known:
        return []
    return known[name]


def all_definitions(fn: Function) -> dict[str, list[ast.expr] | None]:
    """The definitions of every local variable that the body binds."""
    table: dict[str, list[ast.expr] | None] = {}
    for node in fn.walk():
        for name, source in _bindings(node):
            known = table.setdefault(name, [])
            if source is None or known is None:
                table[name] = None
            else:
                known.append(source)
    for node in fn.walk():
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                table.pop(name, None)
    return table


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _targets(target, value)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.NamedExpr(target=target, value=value):
            yield from _targets(target, value)
        case ast.For(target=target, iter=values):
            yield from _targets(target, values, iterated=True)
        case ast.comprehension(target=target, iter=values):
            yield from _targets(target, values, iterated=True)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, None
        case ast.ClassDef(name=name):
            yield name, None
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    for inner in ast.walk(item.optional_vars):
                        if isinstance(inner, ast.Name):
                            yield inner.id, None
        case ast.ExceptHandler(name=str(name)):
            yield name, None
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], None
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, None
        case _:
            return


def _targets(
    target: ast.expr, value: ast.expr, *, iterated: bool = False
) -> Iterator[tuple[str, ast.expr | None]]:
    match target:
        case ast.Name(id=name):
            yield name, value
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            values: Sequence[ast.expr] = [value] * len(targets)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
                values = values if iterated else value.elts
            for one, source in zip(targets, values, strict=True):
                yield from _targets(one, source, iterated=iterated)
        case ast.Starred(value=inner):
            yield from _targets(inner, value)
        case _:
            return
