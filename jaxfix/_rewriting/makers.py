"""A function that loops make anew is made once, before them."""

from __future__ import annotations

import ast
import copy
import re
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.definitions import statement_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.makers import Made, Maker, check

from .rewrite import Rewriter

if TYPE_CHECKING:
    from .write import Writer

_MAKES = re.compile(r"^_*(?:make|build|create|get|new)_")


def make_before(write: Rewriter, fn: Function, one: Maker) -> None:
    """Each loop calls what is made in front of it.

    Raises:
      CannotFix: it may be another function in another round.
    """
    check(fn, one)
    for made in one.made:
        _before_loop(write.writer(made.caller.module), made, one.node.name)
        write.touch(made.caller)


def _before_loop(writer: Writer, made: Made, maker: str) -> None:
    place = statement_of(made.caller, made.loops[-1])
    assert place is not None, "a loop is a statement or in one"
    stmt = made.caller.module.parent(made.call)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if (
        isinstance(stmt, ast.Assign)
        and isinstance(target, ast.Name)
        and is_bound_once(made.caller, target.id)
        and not writer.has_comment(stmt)
    ):
        name = target.id
        writer.remove(stmt)
    else:
        base = _MAKES.sub("", maker)
        name = writer.fresh(base if base != maker else "compiled", made.caller.node)
        writer.edit(made.call, name)
    # Its arguments are names and constants, in which nothing is mended.
    bound = build.assign(name, copy.deepcopy(made.call))
    writer.insert_before(place, lambda: writer.statements([bound]))


def is_bound_once(fn: Function, name: str) -> bool:
    stored = [n for n in fn.stored if isinstance(n, ast.Name) and n.id == name]
    return len(stored) == 1
