"""Claims: the problems that the rules found, each with the node that it wants to change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .._analysis.facts import Facts, Function
from .._analysis.finding import CannotFix, Problem
from .._analysis.plan import Plan
from .._analysis.project import Module
from .rule import Rule


@dataclass(slots=True, eq=False)
class Claim:
    """A problem, and the plan for it or the reason why there is none.

    `inside` is the claim whose condition this one is part of: it is shown and mended
    with that.
    """

    rule: Rule
    fn: Function
    node: ast.AST
    problem: Problem
    plan: Plan | None
    not_fixed: str | None
    inside: Claim | None = None

    @property
    def is_open(self) -> bool:
        return self.plan is not None and self.not_fixed is None


def claims_of(facts: Facts, module: Module, rules: list[Rule]) -> list[Claim]:
    """What the rules say about one module, in source order."""
    found: list[Claim] = []
    by_type: dict[type[ast.AST], list[Rule]] = {}
    for rule in rules:
        for kind in rule.visits:
            by_type.setdefault(kind, []).append(rule)
    for fn in facts.functions(module):
        for node in nodes_of(fn):
            for rule in by_type.get(type(node), ()):
                problem = rule.find(fn, node)
                if problem is not None:
                    found.append(claim(rule, fn, node, problem))
    subsume(found)
    return found


def nodes_of(fn: Function) -> Iterator[ast.AST]:
    yield fn.node
    yield from fn.walk()


def claim(rule: Rule, fn: Function, node: ast.AST, problem: Problem) -> Claim:
    try:
        return Claim(rule, fn, node, problem, rule.plan(fn, node), None)
    except CannotFix as error:
        return Claim(rule, fn, node, problem, None, str(error))


def subsume(found: list[Claim]) -> None:
    """A claim on a part of another claim's condition is part of that claim."""
    tests: dict[int, Claim] = {}
    for one in found:
        test = getattr(one.node, "test", None)
        if test is None and isinstance(
            one.node, ast.BoolOp | ast.UnaryOp | ast.Compare
        ):
            test = one.node
        if isinstance(test, ast.AST):
            for inner in ast.walk(test):
                if inner is not one.node:
                    tests.setdefault(id(inner), one)
    for one in found:
        outer = tests.get(id(one.node))
        if outer is not None and isinstance(
            one.node, ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Call
        ):
            one.inside = outer
