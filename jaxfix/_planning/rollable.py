"""May what is a Python number in each round be a tracer as well?"""

from __future__ import annotations

import ast

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.jax_api import lookup
from jaxfix._analysis.objects import is_traced_tree
from jaxfix._analysis.scopes import writes
from jaxfix._analysis.values import Array, Unknown


def check_rollable(fn: Function, node: ast.For) -> None:
    """In a rolled loop the variables are tracers: uses as Python numbers forbid it.

    Raises:
      CannotFix: such a use.
    """
    varying = set(writes(node.target)) | set(writes(node.body))
    functions = {s.name for s in node.body if isinstance(s, ast.FunctionDef)}
    for stmt in node.body:
        for inner in ast.walk(stmt):
            if (
                isinstance(inner, ast.Name)
                and isinstance(inner.ctx, ast.Load)
                and inner.id in varying
                and not build.is_new(inner)
                and fn.tracer(inner) is None
                and not is_traced_tree(fn.value(inner) or Unknown())
                and inner.id not in functions
            ):
                check_use(fn, inner)


def check_use(fn: Function, name: ast.Name) -> None:
    """May this static number be a tracer as well?"""
    child: ast.AST = name
    for parent in fn.module.ancestors(name):
        match parent:
            case ast.stmt():
                check_statement_use(fn, name, child, parent)
                return
            case ast.BinOp() | ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.keyword():
                pass
            case ast.Tuple() | ast.List() | ast.Compare():
                pass
            case ast.BoolOp() if fn.traced(parent):
                pass
            case ast.Subscript(value=base, slice=index) if child is index:
                of_array = isinstance(fn.value(base), Array)
                if not of_array or isinstance(index, ast.Slice):
                    raise CannotFix(f"`{name.id}` picks an item of a list")
            case ast.Call() if takes_tracers(fn, parent, child) or shows(fn, parent):
                pass
            case _:
                raise CannotFix(f"`{name.id}` is used as a Python number")
        is_array = isinstance(parent, ast.BinOp | ast.Compare | ast.Subscript)
        if is_array and fn.tracer(parent) is not None:
            return  # what is around it sees a tracer already
        child = parent


def check_statement_use(
    fn: Function, name: ast.Name, child: ast.AST, stmt: ast.stmt
) -> None:
    match stmt:
        case (
            ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Return() | ast.Expr()
        ):
            return
        case ast.If(test=test) if child is test and fn.traced(test):
            return
        case _:
            raise CannotFix(f"`{name.id}` is used as a Python number")


def shows(fn: Function, call: ast.Call) -> bool:
    """Is it a `print` of a tracer? It becomes a `jax.debug.print`, or is no use."""
    return fn.library(call) == "print" and any(map(fn.traced, call.args))


def takes_tracers(fn: Function, call: ast.Call, argument: ast.AST) -> bool:
    """Is it an argument of a jax function that need not be static?"""
    name = fn.library(call)
    if name is None or not name.startswith("jax."):
        return False
    api = lookup(name)
    if api is None:
        return False
    for param in api.static_params:
        if isinstance(argument, ast.keyword) and argument.arg == param.name:
            return False
        if (
            param.position is not None
            and param.position < len(call.args)
            and call.args[param.position] is argument
        ):
            return False
    return True
