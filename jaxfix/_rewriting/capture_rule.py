"""What the rules on captured values have in common: the question and the fix."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from jaxfix._analysis.captures import Capture
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import Problem, Safety
from jaxfix._analysis.hoisting import Hoist
from jaxfix._analysis.plan import Plan, Sites

from .hoist import carry_out
from .rewrite import Rewriter
from .rule import Rule


@dataclass(frozen=True, slots=True)
class Hoisted(Sites):
    """Captured values become arguments, at all call sites."""

    hoist: Hoist | None = None


class CaptureRule(Rule):
    """A value from outside that compiled code goes on using after it has changed."""

    visits: ClassVar[tuple[type[ast.AST], ...]] = (
        ast.Name,
        ast.Attribute,
        ast.Subscript,
    )

    @abstractmethod
    def concerns(self, capture: Capture) -> bool:
        """Is it this rule's kind of capture?"""

    @abstractmethod
    def message(self, capture: Capture) -> str:
        """What is wrong, in one sentence without a full stop."""

    def find(self, fn: Function, node: Any) -> Problem | None:
        capture = fn.facts.captures.all.get(id(node))
        if capture is None or not self.concerns(capture):
            return None
        return Problem(self.message(capture), capture.because())

    def plan(self, fn: Function, node: Any) -> Plan:
        captures = fn.facts.captures
        hoist = captures.hoisting.plan(captures.all[id(node)])
        safety = Safety.UNSAFE if hoist.is_public else Safety.SAFE
        return Hoisted(hoist.title, safety, hoist.key, hoist)

    def fix(self, fn: Function, node: Any, plan: Hoisted, write: Rewriter) -> None:
        assert plan.hoist is not None, "the plan of `plan`"
        carry_out(plan.hoist, write)
