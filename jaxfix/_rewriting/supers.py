"""`super()` in a local function of a method, where it has to say whose it is.

Without arguments it takes the first parameter of the function that it stands in. In a
branch or a loop body that became a function, that is another one, or none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.scopes import FUNCTIONS

if TYPE_CHECKING:
    from .write import Writer


_SCOPES = (*FUNCTIONS, ast.Lambda)


def spell_supers(writer: Writer, fn: Function, code: Sequence[ast.AST]) -> None:
    """Give the `super()` calls that stand in new functions their arguments.

    Raises:
      CannotFix: the function is no method of a class.
    """
    for call in [c for node in code for c in moved_supers(node, moved=False)]:
        writer.edit(call, f"super({', '.join(arguments(fn))})")


def moved_supers(node: ast.AST, *, moved: bool) -> Iterator[ast.Call]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            if not build.is_new(node):
                return
            moved = True
        case ast.ClassDef():
            return
        case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]) if moved:
            source = build.source_of(node)
            assert isinstance(source, ast.Call), "a call comes from a call"
            yield source
    for child in ast.iter_child_nodes(node):
        yield from moved_supers(child, moved=moved)


def arguments(fn: Function) -> tuple[str, str]:
    """The class, and the first parameter of the method."""
    owner = fn.module.parent(fn.node)
    if not isinstance(owner, ast.ClassDef) or not isinstance(fn.node, _SCOPES):
        raise CannotFix("`super()` would move out of its method")
    parameters = [*fn.node.args.posonlyargs, *fn.node.args.args]
    if not parameters:
        raise CannotFix("`super()` is in a method without a first parameter")
    is_global = isinstance(fn.module.parent(owner), ast.Module)
    is_visible = is_global and owner.name not in fn.variables
    return owner.name if is_visible else "__class__", parameters[0].arg
