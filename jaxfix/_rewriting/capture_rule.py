"""What the rules on captured values have in common: the question and the fix."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxfix._analysis import build
from jaxfix._analysis.captures import Capture
from jaxfix._analysis.facts import Facts, Function
from jaxfix._analysis.finding import CannotFix, Problem, Safety
from jaxfix._analysis.hoisting import Hoist
from jaxfix._analysis.kept import Kept, calls_to_mend
from jaxfix._analysis.local_jits import LocalJit, local_jit_at
from jaxfix._planning.plan import Plan, Sites

from .hoist import carry_out
from .local_jits import check_local, hoist_local, local_key
from .rewrite import Rewriter
from .rule import Rule

if TYPE_CHECKING:
    from .write import Writer


@dataclass(frozen=True, slots=True)
class Hoisted(Sites):
    """Captured values become arguments, at all call sites."""

    hoist: Hoist | None = None


class CaptureRule(Rule):
    """A value from outside that compiled code goes on using after it has changed."""

    def places(self, facts: Facts) -> Iterable[int]:
        return facts.captures.all

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
        if (one := captures.all[id(node)].kept) is not None:
            calls_to_mend(fn.facts, one)
            key = f"default {one.module.path}:{one.source.lineno}:{one.name}"
            return Sites(f"`{one.name}` passed at the calls", key=key)
        if (local := moved(fn.facts, captures.all[id(node)])) is not None:
            key = local_key(*local)
            return Sites("jitted once in the module, and passed at the calls", key=key)
        hoist = captures.hoisting.plan(captures.all[id(node)])
        safety = Safety.UNSAFE if hoist.is_public else Safety.SAFE
        return Hoisted(hoist.title, safety, hoist.key, hoist=hoist)

    def fix(self, fn: Function, node: Any, plan: Sites, write: Rewriter) -> None:
        capture = fn.facts.captures.all.get(id(node))
        if capture is not None and capture.kept is not None:
            one = capture.kept
            hand_over(fn.facts, one, write.writer(one.module))
            write.touch(fn)
            return
        if capture is not None and (local := moved(fn.facts, capture)) is not None:
            hoist_local(write, *local)
            write.touch(fn)
            return
        assert isinstance(plan, Hoisted), "the plan of `plan`"
        assert plan.hoist is not None, "the plan of `plan`"
        carry_out(plan.hoist, write)


def moved(facts: Facts, capture: Capture) -> tuple[Function, LocalJit] | None:
    """A function that is compiled where it is called, and the one around it.

    When it moves to the module, its calls hand over each variable that it captures.
    """
    jit, place = capture.root.node, capture.place
    fn = facts.function(facts.captures.places.owner(capture.root.module, jit))
    if fn is None or place.kind != "local" or not isinstance(jit, ast.expr):
        return None
    one = local_jit_at(fn, jit)
    if one is None or place.name not in one.captured:
        return None
    if not any(node is capture.function for node in ast.walk(one.inner)):
        return None
    try:
        check_local(fn, one)
    except CannotFix:
        return None
    return fn, one


def hand_over(facts: Facts, one: Kept, writer: Writer) -> None:
    """What a compiled function keeps is passed by each call of it."""
    text = ast.unparse(one.source)
    calls = calls_to_mend(facts, one)
    is_first = one.partial is not None and len(one.partial.args) > 1
    for call in calls:
        if is_first:
            args = [build.load(text), *call.args]
            writer.edit(call, spelled(writer, ast.Call(call.func, args, call.keywords)))
        else:
            writer.add_argument(call, f"{one.name}={text}")
    if one.partial is not None:
        writer.edit(one.partial, spelled(writer, one.partial.args[0]))


def spelled(writer: Writer, node: ast.expr) -> Callable[[], str]:
    """The text of a node, when all edits of its parts are known."""
    return lambda: writer.expr(node)
