"""The order of a dict's items, which JAX does not keep: a pytree has its keys sorted.

A dict that becomes an argument of a compiled function comes back with its keys sorted.
That is the same to code that looks keys up, but not to a loop over the items whose
rounds build on each other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .call_sites import Unclear, argument, call_sites
from .transformed import underlying
from .values import Dict, Lib, Seq, Value, alternatives

if TYPE_CHECKING:
    from .facts import Facts
    from .project import Module

VIEWS = frozenset({"items", "values", "keys"})
# What reads a dict, or an iterable of its parts, without regard to the order.
LOOKS_UP = frozenset({"get", "__contains__"})
UNORDERED = frozenset(
    {
        *("sum", "min", "max", "any", "all", "len", "set", "frozenset", "sorted"),
        *("isinstance", "bool", "type"),
    }
)
# Operators whose rounds may change places.
COMMUTE = (
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
    (ast.BitOr,),
    (ast.BitAnd,),
    (ast.BitXor,),
)
MAX_DEPTH = 4


def order_matters(facts: Facts, module: Module, node: ast.expr) -> bool:
    """Could sorting the keys of the dict, or of one in it, change what is done?"""
    values = facts.interpreter.seen(node)
    if all(is_sorted(value) for value in values):
        return False
    return Reader(facts, module).is_ordered(node, MAX_DEPTH)


def is_sorted(value: Value) -> bool:
    """Has it no dict, or only such whose keys are known and in order?"""
    for option in alternatives(value):
        match option:
            case Dict(items=None):
                return False
            case Dict(items=items) if items is not None:
                keys = [key for key, _ in items]
                if not all(isinstance(key, str) for key in keys) or keys != sorted(
                    keys
                ):
                    return False
                if not all(is_sorted(inner) for _, inner in items):
                    return False
            case Seq(items=parts, elem=elem):
                inner = parts if parts is not None else (elem,)
                if not all(is_sorted(part) for part in inner if part is not None):
                    return False
    return True


class Reader:
    """Follows a dict through the code of a module that reads it."""

    def __init__(self, facts: Facts, module: Module) -> None:
        self.facts = facts
        self.module = module

    def is_ordered(self, node: ast.expr, depth: int) -> bool:
        """May the code around an expression depend on the order of a dict in it?"""
        if depth == 0:
            return True
        if self.has_no_dict(node):
            return False
        match self.module.parent(node):
            case ast.Attribute(value=base, attr=attr) as outer if base is node:
                call = self.module.parent(outer)
                if attr in VIEWS and isinstance(call, ast.Call):
                    return self.is_walk_ordered(call, depth)
                return attr not in LOOKS_UP
            case ast.Subscript() as outer:
                return outer.value is node and self.is_ordered(outer, depth)
            case ast.Compare():
                return False
            case ast.Call() as outer if node in outer.args:
                return self.is_call_ordered(outer, node, depth)
            case ast.keyword() as outer:
                return self.is_keyword_ordered(outer, depth)
            case ast.Assign(targets=[ast.Name(id=name)]) as outer:
                return self.is_name_ordered(outer, name, depth)
            case _:
                return self.is_walk_ordered(node, depth)

    def has_no_dict(self, node: ast.expr) -> bool:
        found = self.facts.interpreter.seen(node)
        return bool(found) and all(map(is_sorted, found))

    def is_walk_ordered(self, node: ast.expr, depth: int) -> bool:
        """May the code depend on the order in which it walks over an iterable?"""
        match self.module.parent(node):
            case ast.For() as loop if loop.iter is node:
                return not is_fold(loop, self.scope(loop))
            case ast.comprehension() as generator:
                outer = self.module.parent(generator)
                if isinstance(outer, ast.SetComp):
                    return False
                if isinstance(outer, ast.DictComp):
                    return self.is_ordered(outer, depth - 1)
                call = self.module.parent(outer) if outer is not None else None
                return not (isinstance(call, ast.Call) and self.is_unordered(call))
            case ast.Call() as call if node in call.args:
                return not self.is_unordered(call)
            case ast.Return() as outer:
                return not self.leaves_jit(outer)
            case _:
                return True

    def is_unordered(self, call: ast.Call) -> bool:
        found = self.facts.interpreter.calls.get(id(call))
        callees = found.callees if found is not None else []
        return bool(callees) and all(
            isinstance(c, Lib) and (c.name in UNORDERED or is_of_trees(c.name))
            for c in callees
        )

    def is_call_ordered(self, call: ast.Call, node: ast.expr, depth: int) -> bool:
        """May what is called depend on the order of the dict that it is given?"""
        if self.is_unordered(call):
            return False
        found = self.facts.interpreter.calls.get(id(call))
        functions = [underlying(c) for c in found.callees] if found is not None else []
        if not functions:
            return True
        for function in functions:
            name = self.parameter(call, node, id(function.node)) if function else None
            if function is None or name is None:
                return True
            inner = Reader(self.facts, function.module)
            if inner.is_name_ordered(function.node, name, depth):
                return True
        return False

    def parameter(self, call: ast.Call, node: ast.expr, key: int) -> str | None:
        """The parameter that an argument of a call arrives as."""
        function = self.facts.interpreter.functions[key].node
        for site in call_sites(self.facts, function):
            if site.node is not call:
                continue
            for one in (*function.args.posonlyargs, *function.args.args):
                try:
                    if argument(site, one.arg) is node:
                        return one.arg
                except Unclear:
                    return None
        return None

    def is_keyword_ordered(self, keyword: ast.keyword, depth: int) -> bool:
        """`f(**d)` binds by name; `f(x=d)` hands the dict on."""
        call = self.module.parent(keyword)
        if not isinstance(call, ast.Call):
            return True
        found = self.facts.interpreter.calls.get(id(call))
        functions = [underlying(c) for c in found.callees] if found is not None else []
        if keyword.arg is None:
            return not functions or any(
                f is None or f.node.args.kwarg is not None for f in functions
            )
        return (
            any(
                f is None
                or Reader(self.facts, f.module).is_name_ordered(
                    f.node, keyword.arg, depth
                )
                for f in functions
            )
            or not functions
        )

    def is_name_ordered(self, node: ast.AST, name: str, depth: int) -> bool:
        """May what is done with a variable, in its function, depend on the order?"""
        scope = self.scope(node)
        return any(self.is_ordered(load, depth - 1) for load in loads(scope, name))

    def scope(self, node: ast.AST) -> ast.AST:
        functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        if isinstance(node, functions):
            return node
        outer = self.module.ancestors(node)
        return next((o for o in outer if isinstance(o, functions)), self.module.tree)

    def leaves_jit(self, node: ast.Return) -> bool:
        """Is it the result of a compiled function, where keys are sorted anyway?"""
        scope = self.scope(node)
        roots = self.facts.interpreter.called.get(id(scope), ())
        sites = self.facts.call_sites.get(id(scope), ())
        return bool(roots) and all(
            underlying(site.callee) is not site.callee for site in sites
        )


def is_of_trees(name: str) -> bool:
    """Functions of `jax` see a dict as a pytree, with its keys in order."""
    return name.startswith(("jax.tree", "jax.lax.", "jax.numpy."))


def loads(scope: ast.AST, name: str) -> Iterator[ast.Name]:
    for node in ast.walk(scope):
        match node:
            case ast.Name(id=same, ctx=ast.Load()) if same == name:
                yield node


@dataclass(slots=True)
class Fold:
    """What the rounds of a loop bind: `sums`, with the kinds of their operators, and
    `plain` names. `own`: where a sum reads itself to grow."""

    sums: dict[str, set[int]] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)
    own: set[int] = field(default_factory=set)


def is_fold(loop: ast.For, scope: ast.AST) -> bool:
    """Does the loop only add (or multiply) up: `total += weight * term(x)`?

    What else its rounds bind, no other round and no code after the loop reads.
    """
    names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    fold = Fold(plain=names)
    if loop.orelse or not all(is_step(stmt, fold) for stmt in loop.body):
        return False
    if fold.plain & fold.sums.keys() or any(len(k) > 1 for k in fold.sums.values()):
        return False
    inside = {id(n) for n in ast.walk(loop)}
    return all(id(n) in inside for name in fold.plain for n in loads(scope, name)) and (
        all(id(n) in fold.own for name in fold.sums for n in loads(loop, name))
    )


def is_step(stmt: ast.stmt, fold: Fold) -> bool:
    """Is a statement of the loop one that may change places with other rounds?"""
    match stmt:
        case ast.AugAssign(target=ast.Name(id=name), op=op):
            return adds(fold, name, op)
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=same) as own, op=op),
        ) if name == same:
            fold.own.add(id(own))
            return adds(fold, name, op)
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(right=ast.Name(id=same) as own, op=op),
        ) if name == same:
            fold.own.add(id(own))
            return not isinstance(op, ast.Sub | ast.Div) and adds(fold, name, op)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            fold.plain.add(name)
            return not any(loads(value, name))
        case ast.If():
            return all(is_step(inner, fold) for inner in (*stmt.body, *stmt.orelse))
        case _:
            return isinstance(stmt, ast.Continue | ast.Pass)


def adds(fold: Fold, name: str, op: ast.operator) -> bool:
    kind = next((i for i, ops in enumerate(COMMUTE) if isinstance(op, ops)), None)
    if kind is not None:
        fold.sums.setdefault(name, set()).add(kind)
    return kind is not None


__all__ = ["is_sorted", "order_matters"]
