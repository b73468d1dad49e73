"""What it costs to evaluate code that Python would have skipped, and whether it may.

`jnp.where` evaluates both of its values, and `lax.cond` traces both of its branches. So
a value may move into a `where` only if it is *cheap*, *total* (neither it nor its
gradient can be NaN or infinite where Python would not have looked) and *pure*; into a
branch of `cond` or the body of a loop only if it is pure.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .jax_api import IMPURE, lookup
from .objects import (
    BoundValue,
    ClassValue,
    FunctionValue,
    MethodValue,
    PartialValue,
    TransformedValue,
)
from .recursion import is_endless
from .scopes import (
    MUTATING_METHODS,
    FunctionNode,
    local_names,
    parameter_names,
    root_name,
)
from .transformed import underlying
from .values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Unknown,
    Value,
    is_static,
)

if TYPE_CHECKING:
    from .facts import Function


@dataclass(frozen=True, slots=True)
class Cost:
    """What evaluating an expression in vain would mean."""

    cheap: bool = True
    total: bool = True

    def __and__(self, other: Cost) -> Cost:
        return Cost(self.cheap and other.cheap, self.total and other.total)


FREE = Cost()
DEAR = Cost(cheap=False)
PARTIAL = Cost(total=False)
NEITHER = Cost(cheap=False, total=False)
MAX_NODES = 24


def cost(fn: Function, node: ast.expr, depth: int = 2) -> Cost:
    """The cost of evaluating `node`, an expression of `fn`."""
    if sum(1 for _ in ast.walk(node)) > 4 * MAX_NODES:
        return DEAR & _cost(fn, node, depth)
    return _cost(fn, node, depth)


def _cost(fn: Function, node: ast.AST, depth: int) -> Cost:
    match node:
        case ast.Name() | ast.Constant() | ast.Lambda() | ast.expr_context():
            return FREE
        case ast.operator() | ast.unaryop() | ast.cmpop() | ast.boolop():
            return FREE
        case ast.BinOp(op=op, left=left, right=right):
            inner = _cost(fn, left, depth) & _cost(fn, right, depth)
            return inner & _operator_cost(fn, op, left, right)
        case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
            return NEITHER
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return NEITHER
        case ast.Call():
            inner = FREE
            for child in (*node.args, *node.keywords):
                inner &= _cost(fn, child, depth)
            return inner & _call_cost(fn, node, depth)
        case _:
            inner = FREE
            for child in ast.iter_child_nodes(node):
                inner &= _cost(fn, child, depth)
            return inner


def _operator_cost(
    fn: Function, op: ast.operator, left: ast.expr, right: ast.expr
) -> Cost:
    match op:
        case ast.MatMult():
            return DEAR
        case ast.Div() | ast.FloorDiv() | ast.Mod():
            if _nonzero(fn, right) or _integers(fn, left, right, op):
                return FREE
            return PARTIAL
        case ast.Pow():
            value = fn.value(right)
            if isinstance(value, Const) and isinstance(value.value, int):
                return FREE if value.value >= 0 else PARTIAL
            if isinstance(value, Static) and value.type == "int":
                return FREE
            return PARTIAL
        case _:
            return FREE


def _nonzero(fn: Function, node: ast.expr) -> bool:
    value = fn.value(node)
    if isinstance(value, Const):
        return isinstance(value.value, int | float) and value.value != 0
    # A number known while tracing: if it is zero, Python's own result is an error.
    return isinstance(value, Static) and value.type in ("int", "float")


def _integers(fn: Function, left: ast.expr, right: ast.expr, op: ast.operator) -> bool:
    """`//` and `%` of integers give some integer for any divisor, without gradient."""
    if isinstance(op, ast.Div):
        return False
    return all(_is_integer(fn.value(side)) for side in (left, right))


def _is_integer(value: Value | None) -> bool:
    match value:
        case Array(dtype=dtype):
            return dtype is not None and dtype.kind in ("i", "b")
        case Const():
            return isinstance(value.value, int)
        case Static():
            return value.type in ("int", "bool")
        case _:
            return False


def _call_cost(fn: Function, node: ast.Call, depth: int) -> Cost:
    callees = fn.callees(node)
    if not callees:
        return NEITHER
    total = FREE
    for callee in callees:
        total &= _callee_cost(fn, node, callee, depth)
    return total


# Functions that are regular, but for arguments so large that they overflow.
OVERFLOWING = frozenset(["cosh", "exp", "exp2", "expm1", "sinh"])


def is_singular(
    fn: Function, node: ast.AST, depth: int = 2, *, overflows: bool = True
) -> bool:
    """May the derivative of `node` be NaN or infinite where its value is asked for?

    What is not known of a call of the project counts as regular: only what is seen to
    be singular is (a division, a root, a logarithm, a norm, a one-line helper of one).
    `overflows`: an exponential is singular, too.
    """
    match node:
        case ast.Compare() | ast.Lambda() | ast.UnaryOp(op=ast.Not()):
            return False
        case ast.BinOp(op=op, left=left, right=right):
            if not _operator_cost(fn, op, left, right).total:
                return True
        case ast.Call() if depth:
            for callee in fn.callees(node):
                if _callee_is_singular(fn, node, callee, depth, overflows=overflows):
                    return True
    return any(
        is_singular(fn, child, depth, overflows=overflows)
        for child in ast.iter_child_nodes(node)
    )


def _callee_is_singular(
    fn: Function, node: ast.Call, callee: Value, depth: int, *, overflows: bool
) -> bool:
    match callee:
        case Lib(name=name) if name.startswith(("jax.", "numpy.", "math.", "cmath.")):
            if not overflows and name.rpartition(".")[2] in OVERFLOWING:
                return False
            known = lookup(name) is not None
            return known and not _callee_cost(fn, node, callee, depth).total
        case MethodValue(receiver=Array()):
            known = lookup(f"jax.numpy.{callee.name}") is not None
            return known and not _callee_cost(fn, node, callee, depth).total
        case BoundValue() | PartialValue():
            inner_callee = callee.function
            return _callee_is_singular(
                fn, node, inner_callee, depth, overflows=overflows
            )
        case FunctionValue():
            inner, body = fn.facts.function(callee.node), _only_expression(callee)
            if inner is None or body is None:
                return False
            return is_singular(inner, body, depth - 1, overflows=overflows)
        case _:
            return False


BUILTIN_COST = {
    "abs": FREE,
    "min": FREE,
    "max": FREE,
    "int": FREE,
    "float": FREE,
    "bool": FREE,
    "len": FREE,
    "sum": FREE,
    "round": FREE,
    "divmod": PARTIAL,
    "any": FREE,
    "all": FREE,
}


def _callee_cost(fn: Function, node: ast.Call, callee: Value, depth: int) -> Cost:
    match callee:
        case Lib(name=name):
            if name in BUILTIN_COST:
                return BUILTIN_COST[name]
            if name.startswith(("jax.numpy.divide", "jax.numpy.true_divide")):
                return (
                    FREE
                    if len(node.args) > 1 and _nonzero(fn, node.args[1])
                    else PARTIAL
                )
            if name.startswith(("numpy.", "math.", "cmath.")) and _all_static(fn, node):
                return FREE
            api = lookup(name)
            if api is None or api.result == "random":
                return DEAR if api is not None else NEITHER
            return Cost(api.cheap, not api.partial)
        case MethodValue(receiver=Array(), name=name):
            api = lookup(f"jax.numpy.{name.removeprefix('at[].')}")
            if name in (
                "astype",
                "at[]",
                "set",
                "add",
                "get",
                "item",
                "reshape",
                "multiply",
            ):
                return FREE
            return Cost(api.cheap, not api.partial) if api is not None else NEITHER
        case MethodValue(receiver=Seq() | Dict() | Const()):
            return FREE if callee.name not in MUTATING_METHODS else NEITHER
        case BoundValue() | PartialValue():
            return _callee_cost(fn, node, callee.function, depth)
        case TransformedValue():
            return DEAR
        case FunctionValue() if depth > 0:
            return _function_cost(fn, callee, depth)
        case ClassValue() if callee.kind in ("namedtuple", "dataclass"):
            return FREE
        case _:
            return NEITHER


def _function_cost(fn: Function, callee: FunctionValue, depth: int) -> Cost:
    """A call of a one-line helper costs what its body costs; of others, too much."""
    inner, body = fn.facts.function(callee.node), _only_expression(callee)
    if body is None or inner is None:
        return NEITHER
    return _cost(inner, body, depth - 1)


def _only_expression(callee: FunctionValue) -> ast.expr | None:
    """The value of a function that does nothing else than return it."""
    if isinstance(callee.node, ast.Lambda):
        return callee.node.body
    match [s for s in callee.node.body if not _is_docstring(s)]:
        case [ast.Return(value=value)]:
            return value
        case _:
            return None


def _is_docstring(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _all_static(fn: Function, node: ast.Call) -> bool:
    values = [fn.value(a) for a in (*node.args, *(k.value for k in node.keywords))]
    return all(v is not None and is_static(v) for v in values)


# --- purity


def obstacle(
    fn: Function, code: Sequence[ast.stmt] | ast.expr, own: frozenset[str] = frozenset()
) -> str | None:
    """Why `code` cannot move into a branch or a loop body; None if it can.

    The objects of the names in `own` it makes itself, and may change.
    """
    nodes = [code] if isinstance(code, ast.expr) else list(code)
    for outer in nodes:
        for node in walk_own(outer):
            if changed_name(node) in own:
                continue
            if (why := _node_obstacle(fn, node)) is not None:
                return why
    return None


def changed_name(node: ast.AST) -> str | None:
    """The `x` of `x.append(...)` and `del x[i], x`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            return name if attr in MUTATING_METHODS else None
        case ast.Delete(targets=targets):
            roots = {root_name(target) for target in targets}
            return roots.pop() if len(roots) == 1 else None
        case _:
            return None


def walk_own(node: ast.AST) -> list[ast.AST]:
    """The nodes of a statement that run with it: not the bodies of nested functions."""
    found: list[ast.AST] = []
    todo = [node]
    while todo:
        one = todo.pop(0)
        found.append(one)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        todo = [*ast.iter_child_nodes(one), *todo]
    return found


def _node_obstacle(fn: Function, node: ast.AST) -> str | None:
    match node:
        case ast.Raise():
            return "it may raise an exception, which compiled code cannot"
        case ast.Yield() | ast.YieldFrom():
            return "it has a `yield`"
        case ast.Await() | ast.AsyncFor() | ast.AsyncWith():
            return "it has an `await`"
        case ast.Global() | ast.Nonlocal():
            return "it declares a name global or nonlocal"
        case ast.Delete():
            return "it deletes something"
        case ast.Import() | ast.ImportFrom():
            return "it has an import"
        case ast.Expr(value=ast.Call(func=func) as call) if not _is_known(fn, call):
            text = ast.unparse(func)
            return f"`{text}(...)` is called for its effect, which is not known"
        case ast.withitem(context_expr=ast.Call(func=func) as call) if not _is_known(
            fn, call
        ):
            return f"`with {ast.unparse(func)}(...)` has an effect that is not known"
        case ast.Assert() if fn.traced(node.test):
            return "it asserts something about traced values"
        case ast.Call():
            return _call_obstacle(fn, node)
        case _:
            return None


def _is_known(fn: Function, node: ast.Call) -> bool:
    """Is anything known of what is called?"""
    return any(not _is_open(callee) for callee in fn.callees(node))


def _is_open(callee: Value) -> bool:
    """A method of something that is an array only for want of better knowledge."""
    if not isinstance(callee, MethodValue):
        return isinstance(callee, Unknown)
    receiver = callee.receiver
    is_assumed = isinstance(receiver, Array) and receiver.assumed
    return is_assumed or isinstance(receiver, Unknown)


def _call_obstacle(fn: Function, node: ast.Call) -> str | None:
    text = ast.unparse(node.func)
    for callee in fn.callees(node):
        match callee:
            case Lib(name="next"):
                return "`next(...)` advances an iterator"
            case Lib(name="print"):
                continue
            case Lib(name="locals" | "exec" | "eval" | "globals" | "vars"):
                return f"it calls `{text}`"
            case Lib(name=name) if name in IMPURE and not name.startswith("jax."):
                return f"it calls `{text}`, which has side effects"
            case MethodValue(receiver=receiver, name=name):
                if name in MUTATING_METHODS and isinstance(receiver, Seq | Dict):
                    return f"`{text}(...)` changes an object in place"
            case _ if (why := function_obstacle(fn, callee)) is not None:
                return f"it calls `{text}`, and {why}"
        if is_endless(fn, callee):
            return f"`{text}` calls itself, which only traced conditions would end"
    return None


def function_obstacle(fn: Function, callee: Value, depth: int = 6) -> str | None:
    """Why a call of this project function has effects besides its result."""
    function = underlying(callee)
    if function is None or depth == 0:
        return None
    inner = fn.facts.function(function.node)
    if inner is None:
        return None
    known = fn.facts.purity.get(id(function.node), "")
    if known != "":
        return known
    fn.facts.purity[id(function.node)] = None
    answer = _body_obstacle(inner, function.node, depth)
    fn.facts.purity[id(function.node)] = answer
    return answer


def _body_obstacle(inner: Function, node: FunctionNode, depth: int) -> str | None:
    mine = set(local_names(node)) - set(parameter_names(node))
    for part in [node.body] if isinstance(node, ast.Lambda) else node.body:
        for one in walk_own(part):
            match one:
                case ast.Global() | ast.Nonlocal():
                    return f"it writes `{one.names[0]}`, which is not its own"
                case ast.Attribute(value=base, ctx=ast.Store() | ast.Del()):
                    if not (isinstance(base, ast.Name) and base.id in mine):
                        return f"it writes `{ast.unparse(one)}`"
                case ast.Subscript(value=base, ctx=ast.Store() | ast.Del()):
                    if not (isinstance(base, ast.Name) and base.id in mine):
                        return f"it writes into `{ast.unparse(base)}`"
                case ast.Yield() | ast.YieldFrom():
                    return "it is a generator"
                case ast.Raise() if _reached(inner, one):
                    return "it may raise an exception"
                case ast.Expr(value=ast.Call(func=func) as call) if _reached(
                    inner, one
                ) and not _is_known(inner, call):
                    return f"it calls `{ast.unparse(func)}`, which is not known"
                case ast.Call(func=ast.Attribute(value=base, attr=attr)):
                    if attr in MUTATING_METHODS and not (
                        isinstance(base, ast.Name) and base.id in mine
                    ):
                        value = inner.value(base)
                        if isinstance(value, Seq | Dict):
                            return f"it changes `{ast.unparse(base)}` in place"
            if isinstance(one, ast.Call):
                for callee in inner.callees(one):
                    why = function_obstacle(inner, callee, depth - 1)
                    if why is not None:
                        return why
                    if (
                        isinstance(callee, Lib)
                        and callee.name in IMPURE
                        and callee.name != "print"
                        and not callee.name.startswith("jax.")
                    ):
                        return f"it calls `{callee.name}`"
    return None


def _reached(fn: Function, node: ast.stmt) -> bool:
    return fn.facts.reached(node)


__all__ = ["Cost", "cost", "function_obstacle", "obstacle", "walk_own"]
