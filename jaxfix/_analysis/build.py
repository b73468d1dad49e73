"""New syntax: small constructors for `ast` nodes that have no position.

The rewriting works on `ast`. New statements hold original nodes where they keep the
user's code; the writer renders those from the source, and the new ones afresh.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence


def load(name: str) -> ast.expr:
    """A name or dotted name that is read: `x`, `jnp.where`."""
    head, *rest = name.split(".")
    node: ast.expr = ast.Name(head, ast.Load())
    for part in rest:
        node = ast.Attribute(node, part, ast.Load())
    return node


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def const(value: object) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]


def call(function: str | ast.expr, *args: ast.expr, **keywords: ast.expr) -> ast.Call:
    return ast.Call(
        load(function) if isinstance(function, str) else function,
        list(args),
        [ast.keyword(k, v) for k, v in keywords.items()],
    )


def branching(function: str, *args: ast.expr) -> ast.Call:
    """`function(test, a, b, ...)`, which gives one of its arms `a` and `b`."""
    made = call(function, *args)
    made.arms = list(args[1:3])  # type: ignore[attr-defined]
    return made


def arms(node: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = getattr(node, "arms", [])
    return found


def method(receiver: ast.expr, name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(receiver, name, ast.Load()), list(args), [])


def tuple_of(items: Sequence[ast.expr]) -> ast.expr:
    """The item itself if there is one, else a tuple."""
    if len(items) == 1:
        return items[0]
    return ast.Tuple(list(items), ast.Load())


def targets(names: Sequence[str]) -> ast.expr:
    if len(names) == 1:
        return store(names[0])
    return ast.Tuple([store(n) for n in names], ast.Store())


def assign(names: str | Sequence[str], value: ast.expr) -> ast.Assign:
    target = store(names) if isinstance(names, str) else targets(names)
    return ast.Assign([target], value)


def choice(names: Sequence[str], value: ast.expr) -> ast.Assign:
    """The names of what an operation of ours gives, which can do without them."""
    made = assign(names, value)
    made.is_choice = True  # type: ignore[attr-defined]
    return made


def ret(value: ast.expr | None) -> ast.Return:
    return ast.Return(value)


def thunk(value: ast.expr, parameters: Sequence[str] = ()) -> ast.Lambda:
    return ast.Lambda(arguments(parameters), value)


def arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def function(
    name: str, parameters: Sequence[str], body: Sequence[ast.stmt]
) -> ast.FunctionDef:
    node = ast.FunctionDef(name, arguments(parameters), list(body), [], None)
    if hasattr(node, "type_params") or "type_params" in node._fields:
        node.type_params = []  # type: ignore[attr-defined]
    return node


def not_(test: ast.expr) -> ast.expr:
    """`not test`, simplified: a comparison is turned round where that is exact."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def as_load(node: ast.expr) -> ast.expr:
    """The same place, to be read: new nodes around the original indices."""
    match node:
        case ast.Attribute(value=base, attr=attr):
            return ast.Attribute(as_load(base), attr, ast.Load())
        case ast.Subscript(value=base, slice=index):
            return ast.Subscript(as_load(base), index, ast.Load())
        case ast.Name(id=name):
            return load(name)
        case _:
            return node


OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def opposite(test: ast.expr) -> ast.expr:
    """`not test` of Python values: `a != b` of `a == b`."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if (
            turned := OPPOSITES.get(type(op))
        ):
            return ast.Compare(left, [turned()], [right])
        case _:
            return not_(test)


def is_new(node: ast.AST) -> bool:
    """Was the node made by us (it has no place in the source)?"""
    return not hasattr(node, "lineno")


def source_of(node: ast.AST) -> ast.AST:
    """The original node that a modified copy stands for, else the node itself."""
    origin = getattr(node, "origin", None)
    return origin if isinstance(origin, ast.AST) else node
