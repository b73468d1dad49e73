"""Claims: the problems that the rules found, each with the node it wants to change."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from jaxfix._analysis.facts import Facts, Function
from jaxfix._analysis.finding import CannotFix, Problem
from jaxfix._analysis.project import Module
from jaxfix._planning.plan import Plan

from .rule import Rule
from .twins import with_twin


@dataclass(slots=True, eq=False)
class Claim:
    """A problem, and the plan for it or the reason why there is none.

    `inside` is the claim whose condition this one is part of: it is shown and mended
    with that. `fallback` takes the claim's place if it cannot be carried out.
    `depends` says that it was closed for the sake of another claim.
    """

    rule: Rule
    fn: Function
    node: ast.AST
    problem: Problem
    plan: Plan | None
    not_fixed: str | None
    inside: Claim | None = None
    fallback: Claim | None = None
    depends: bool = False

    @property
    def is_open(self) -> bool:
        return self.plan is not None and self.not_fixed is None


class Visitors:
    """Which rules are asked about a node: those of its type, and those that list it."""

    def __init__(self, facts: Facts, rules: Sequence[Rule]) -> None:
        self._facts = facts
        self._rules = rules

    @cached_property
    def _by_type(self) -> dict[type[ast.AST], list[Rule]]:
        found: dict[type[ast.AST], list[Rule]] = {}
        for rule in self._rules:
            for kind in rule.visits:
                found.setdefault(kind, []).append(rule)
        return found

    @cached_property
    def _by_node(self) -> dict[int, list[Rule]]:
        found: dict[int, list[Rule]] = {}
        for rule in self._rules:
            for key in rule.places(self._facts):
                found.setdefault(key, []).append(rule)
        return found

    def of(self, node: ast.AST) -> Sequence[Rule]:
        visiting = self._by_type.get(type(node), ())
        listed = self._by_node.get(id(node))
        if listed is None:
            return visiting
        return [*visiting, *(rule for rule in listed if rule not in visiting)]


def claims_of(facts: Facts, module: Module, visitors: Visitors) -> list[Claim]:
    """What the rules say about one module, in source order."""
    found: list[Claim] = []
    for fn in facts.functions(module):
        if not fn.is_known:
            # It is called in more ways than were followed: nothing is certain of it.
            continue
        for node in (fn.node, *fn.walk()):
            for rule in visitors.of(node):
                problem = rule.find(fn, node)
                if problem is not None and not expects_tracers(fn, node):
                    found.append(claim(rule, fn, node, problem))
    found = owners(found)
    subsume(found)
    return found


def expects_tracers(fn: Function, node: ast.AST) -> bool:
    """Does the code around catch what JAX raises for a tracer?"""
    child = node
    for parent in fn.module.ancestors(node):
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
        if isinstance(parent, ast.Try) and child in parent.body:
            for handler in parent.handlers:
                caught = ast.unparse(handler.type) if handler.type else ""
                if any(word in caught for word in CAUGHT):
                    return True
        child = parent
    return False


CAUGHT = ("Concretization", "TracerBool", "TracerInteger", "TracerArray")


def claim(rule: Rule, fn: Function, node: ast.AST, problem: Problem) -> Claim:
    try:
        plan = with_twin(fn, rule.plan(fn, node))
        return Claim(rule, fn, node, problem, plan, None)
    except CannotFix as error:
        return Claim(rule, fn, node, problem, None, str(error))


def owners(found: list[Claim]) -> list[Claim]:
    """One node, one owner: of the claims on one node, those that stay.

    Of those that can be mended the rule of the highest precedence has it. If none can,
    it is the other way round: a rule of no precedence knows more about the node. A
    claim on standby waits behind the others.
    """
    by_node: dict[int, list[Claim]] = {}
    for one in found:
        by_node.setdefault(id(one.node), []).append(one)
    kept: set[int] = set()
    for group in by_node.values():
        first = [c for c in group if not c.problem.standby]
        if not first:
            continue
        able = [c for c in first if c.is_open]
        pick = max if able else min
        able = able or first
        best = pick(c.rule.precedence for c in able)
        chosen = [c for c in able if c.rule.precedence == best]
        if best == 0 and all(c.rule.precedence == 0 for c in first):
            chosen = first
        for one in chosen:
            one.fallback = next((c for c in group if c.problem.standby), None)
            kept.add(id(one))
    return [c for c in found if id(c) in kept]


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
