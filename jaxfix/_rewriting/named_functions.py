"""Functions that an expression makes get a name in the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.fresh_arguments import FreshArgument, is_lasting

from .hoisting_jit import top_statement
from .rewrite import Rewriter
from .spelling import spell_parameters

if TYPE_CHECKING:
    from .blocks import Statements


def check_named(fn: Function, found: list[FreshArgument]) -> None:
    """Can the functions stand in the module?

    Raises:
      CannotFix: one is made of what is known in the function only.
    """
    for one in found:
        if not is_lasting(fn, one, top_statement(fn, one.given)):
            text = ast.unparse(one.given)
            what = ", ".join(f"`{n}`" for n in one.captured) or "what may change"
            raise CannotFix(f"`{text}` depends on {what}: pass that as an argument")


def name_functions(write: Rewriter, fn: Function, found: list[FreshArgument]) -> None:
    """`solve(lambda y: -y, x)`, with `def field(y): return -y` in the module."""
    writer = write.writer(fn.module)
    for one in found:
        given, place = one.given, top_statement(fn, one.given)
        name = writer.fresh(one.name, fn.module.tree)

        def defined(given: ast.expr = given, name: str = name) -> Statements:
            if isinstance(given, ast.Call):
                made = ast.Call(given.func, given.args, given.keywords)
                return writer.parse(f"{name} = {writer.expr(made)}\n")
            assert isinstance(given, ast.Lambda), "a function is made of these"
            head = spell_parameters(given.args, lambda node: writer.expr(node))
            body = writer.expr(given.body)
            return writer.parse(f"def {name}({head}):\n    return {body}\n")

        writer.insert_before(place, defined)
        writer.edit(given, name)
    write.touch(fn)
