"""A helper that traced code calls both with tracers and with Python numbers.

Rewritten, it would give tracers to callers that need a Python number (for a shape,
say). So the calls with tracers get a copy of the function, and the copy is rewritten.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxfix._analysis.call_sites import call_sites
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import FunctionValue
from jaxfix._analysis.values import Const, Static, Value, alternatives, holds_tracer
from jaxfix._planning.plan import Expression, Plan, Region, Sites, Statement

if TYPE_CHECKING:
    from .rewrite import Rewriter


@dataclass(frozen=True, slots=True)
class Twin(Sites):
    """The calls with tracers are sent to a copy of the function."""


def with_twin(fn: Function, plan: Plan) -> Plan:
    """The plan itself, or that for a copy where the function is called both ways.

    Raises:
      CannotFix: it is called both ways, and the calls cannot be told apart.
    """
    if not isinstance(plan, Region | Expression | Statement):
        return plan
    traced, static = calls_by_kind(fn)
    if not traced or not static:
        return plan
    if any(call in static for call in traced):
        raise CannotFix(
            "one call reaches it with tracers and with Python numbers, and the result"
            " of the latter may have to be one"
        )
    node = fn.node
    if not isinstance(node, ast.FunctionDef) or fn.module.parent(node) is not (
        fn.module.tree
    ):
        raise CannotFix(
            "it is also called with Python numbers, whose result may have to be one"
        )
    if any(s.call.module is not fn.module for s in call_sites(fn.facts, node)):
        raise CannotFix("other files call it with tracers or with Python numbers")
    for call in traced:
        if not isinstance(call.func, ast.Name) or call.func.id != node.name:
            raise CannotFix("it is called both with tracers and with Python numbers")
    return Twin(
        "a copy for traced arguments", plan.safety, key=f"twin:{fn.path}:{fn.qualname}"
    )


def calls_by_kind(fn: Function) -> tuple[list[ast.Call], list[ast.Call]]:
    """The calls from traced code: with a tracer among the arguments, and without."""
    traced: list[ast.Call] = []
    static: list[ast.Call] = []
    for site in call_sites(fn.facts, fn.node):  # type: ignore[arg-type]
        call = site.node
        if call is None or not site.call.under:
            continue
        if not isinstance(site.callee, FunctionValue):
            continue
        for args, keywords in site.call.args:
            values = [*args, *(v for _, v in keywords)]
            if any(holds_tracer(v) is not None for v in values):
                if call not in traced:
                    traced.append(call)
            elif values and all(is_python(v) for v in values) and call not in static:
                static.append(call)
    return traced, static


def is_python(value: Value) -> bool:
    """A Python number (no array), on which the result may have to be one too."""
    return all(isinstance(o, Const | Static) for o in alternatives(value))


def make_twin(rewriter: Rewriter, fn: Function) -> None:
    """Write the copy after the function, and send the calls with tracers to it."""
    node = fn.node
    assert isinstance(node, ast.FunctionDef), "see with_twin"
    traced, _ = calls_by_kind(fn)
    name = rewriter.fresh(fn)(f"{node.name}_traced")
    lines = fn.module.text.split("\n")[node.lineno - 1 : node.end_lineno]
    text = "\n".join(lines).replace(f"def {node.name}", f"def {name}", 1)
    decorators = "".join(f"@{ast.unparse(d)}\n" for d in node.decorator_list)
    writer = rewriter.writer(fn.module)
    writer.insert_after(node, lambda: writer.parse(decorators + text))
    for site in call_sites(fn.facts, node):
        if site.node in traced:
            assert site.node is not None, "a call that is traced has a node"
            writer.edit(site.node.func, name)
    rewriter.touch(fn)
