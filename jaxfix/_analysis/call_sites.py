"""Where functions are called, and with which expression for which parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .arguments import StarredRest
from .interpret import MOST_NOTED, Call
from .objects import (
    BoundValue,
    FunctionNode,
    FunctionValue,
    PartialValue,
    TransformedValue,
)
from .scopes import FunctionNode as AnyFunction
from .transformed import bound_count, positional_names, underlying
from .values import Value, alternatives

if TYPE_CHECKING:
    from .facts import Facts, Function


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function of the project."""

    node: FunctionNode
    name: str


@dataclass(frozen=True, slots=True)
class Site:
    """A call that may reach a function, by way of `callee`."""

    call: Call
    callee: Value

    @property
    def node(self) -> ast.Call | None:
        return self.call.node if isinstance(self.call.node, ast.Call) else None


class Unclear(Exception):
    """It cannot be seen what a parameter is given. The text says why."""


def call_sites(facts: Facts, node: AnyFunction) -> list[Site]:
    """The calls of a function: direct, as a method, through partials and transforms."""
    return facts.call_sites.get(id(node), [])


def index(calls: Iterator[Call]) -> dict[int, list[Site]]:
    """The call sites of every function, by the identity of its node."""
    found: dict[int, list[Site]] = {}
    for call in calls:
        for callee in call.callees:
            for option in alternatives(callee):
                fn = underlying(option)
                if fn is not None:
                    found.setdefault(id(fn.node), []).append(Site(call, option))
    return found


def callers(facts: Facts, site: Site) -> list[Function]:
    """The functions (or modules) in which a call stands."""
    found = []
    for owner in site.call.functions:
        fn = (
            facts.module_code(site.call.module)
            if owner is None
            else facts.function(owner)  # type: ignore[arg-type]
        )
        if fn is not None:
            found.append(fn)
    return found


def argument(site: Site, name: str) -> ast.expr | None:
    """The expression that a call gives for the parameter `name`; None: the default.

    Raises:
      Unclear: the argument is part of a starred one, or was bound elsewhere.
    """
    node = site.node
    fn = underlying(site.callee)
    if node is None or fn is None:
        raise Unclear("the call is not written out")
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    names = positional_names(site.callee)
    if name in names:
        place = names.index(name)
        before = node.args[: place + 1]
        if any(isinstance(a, ast.Starred) for a in before):
            raise Unclear(f"`{name}` is part of a starred argument")
        if place < len(node.args):
            return node.args[place]
    elif name in (a.arg for a in (*fn.node.args.posonlyargs, *fn.node.args.args)):
        return _bound_argument(site, fn, name)
    if any(keyword.arg is None for keyword in node.keywords):
        raise Unclear(f"`{name}` may be part of a `**` argument")
    if name in _bound_keywords(site.callee):
        raise Unclear(f"`{name}` is bound by a partial")
    return None


def spread_values(site: Site, name: str) -> list[Value] | None:
    """What `f(*rest, **options)` has given for a parameter; None: it is not known.

    A call that left the parameter to its default adds nothing.
    """
    names = positional_names(site.callee)
    if site.node is None or len(site.call.args) >= MOST_NOTED:
        return None
    if name in _bound_keywords(site.callee):
        return None
    found: list[Value] = []
    for args, keywords in site.call.args:
        named = dict(keywords)
        is_open = "**" in named or any(isinstance(a, StarredRest) for a in args)
        if is_open or (name not in named and name not in names):
            return None
        place = names.index(name) if name in names else len(args)
        if name in named:
            found.append(named[name])
        elif place < len(args):
            found.append(args[place])
    return found


def given_arguments(
    facts: Facts, node: AnyFunction, name: str
) -> Iterator[tuple[Site, ast.expr]]:
    """The calls that write out what they give for a parameter, each with that."""
    for site in call_sites(facts, node):
        try:
            given = argument(site, name)
        except Unclear:
            continue
        if given is not None:
            yield site, given


def _bound_argument(site: Site, fn: FunctionValue, name: str) -> ast.expr | None:
    """The receiver of a method call."""
    spec = fn.node.args
    first = [a.arg for a in (*spec.posonlyargs, *spec.args)][0]
    func = site.node.func if site.node is not None else None
    if name == first and bound_count(site.callee) == 1:
        if isinstance(func, ast.Attribute) and _is_method(site.callee):
            return func.value
        if isinstance(func, ast.expr) and not isinstance(site.callee, PartialValue):
            return func
    raise Unclear(f"`{name}` is bound before the call")


def _is_method(callee: Value) -> bool:
    while isinstance(callee, TransformedValue):
        callee = callee.function
    return isinstance(callee, BoundValue)


def _bound_keywords(callee: Value) -> set[str]:
    names: set[str] = set()
    while isinstance(callee, BoundValue | PartialValue | TransformedValue):
        if isinstance(callee, PartialValue):
            names.update(k for k, _ in callee.keywords)
        callee = callee.function
    return names
