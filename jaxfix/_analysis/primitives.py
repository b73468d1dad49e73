"""Functions of jax that run functions: `lax.scan`, `lax.cond`, `jax.tree.map`, ..."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import python_calls
from .arguments import as_concrete, as_tracers, merge, row, unrow
from .frame import Frame, inner_frame, join_all
from .misfits import Misfit, misfit
from .objects import (
    InstanceValue,
    is_callable,
)
from .values import (
    BOOL,
    SCALAR,
    WEAK,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    Why,
    alternatives,
    element,
    holds_tracer,
    is_none,
    replace,
    tracer,
)


def body_reason(frame: Frame, node: ast.AST | None, what: str) -> Why:
    return frame.why(
        node if node is not None else ast.Pass(lineno=1),
        f"it is an argument of a body of {what}",
    )


def _argument(
    args: Sequence[Value], keywords: dict[str, Value], index: int, *names: str
) -> Value | None:
    if index < len(args):
        return args[index]
    return next((keywords[n] for n in names if n in keywords), None)


def _scan(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    body = _argument(args, keywords, 0, "f")
    init = _argument(args, keywords, 1, "init")
    xs = _argument(args, keywords, 2, "xs") or Const(None)
    if body is None or init is None:
        return Unknown()
    why = body_reason(frame, node, "lax.scan")
    carry = as_tracers(init, why)
    x = row(as_tracers(xs, why))
    inner = inner_frame(frame, staging=True)
    output: Value = Unknown()
    for _ in range(2):
        result = inner.call(body, [carry, x], {}, node)
        parts = python_calls.known_items(result)
        if parts is None or len(parts) != 2:
            return Unknown()
        output = parts[1]
        after = as_tracers(parts[0], why)
        note_misfit(frame, node, carry, after, in_loop=True)
        merged = _merged(carry, after)
        if merged == carry:
            break
        carry = merged
    out = Seq("tuple", (carry, unrow(as_tracers(output, why))))
    return out if frame.under else as_concrete(out)


def _merged(a: Value, b: Value) -> Value:
    if a == b:
        return a
    if (
        isinstance(a, Seq)
        and isinstance(b, Seq)
        and a.items
        and b.items
        and len(a.items) == len(b.items)
    ):
        pairs = zip(a.items, b.items, strict=True)
        return replace(a, items=tuple(_merged(x, y) for x, y in pairs))
    found = merge(a, b)
    return found if found is not None else join_all([a, b])


def _fori_loop(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    body = _argument(args, keywords, 2, "body_fun")
    init = _argument(args, keywords, 3, "init_val")
    if body is None or init is None:
        return Unknown()
    why = body_reason(frame, node, "lax.fori_loop")
    index = Array(True, WEAK[int], SCALAR, why=why)

    def step(inner: Frame, carry: Value) -> Value:
        return inner.call(body, [index, carry], {}, node)

    return _carried(frame, node, init, why, step)


def _while_loop(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    test = _argument(args, keywords, 0, "cond_fun")
    body = _argument(args, keywords, 1, "body_fun")
    init = _argument(args, keywords, 2, "init_val")
    if test is None or body is None or init is None:
        return Unknown()
    why = body_reason(frame, node, "lax.while_loop")

    def step(inner: Frame, carry: Value) -> Value:
        inner.call(test, [carry], {}, node)
        return inner.call(body, [carry], {}, node)

    return _carried(frame, node, init, why, step)


def _carried(
    frame: Frame,
    node: ast.AST | None,
    init: Value,
    why: Why,
    step: Callable[[Frame, Value], Value],
) -> Value:
    carry = as_tracers(init, why)
    inner = inner_frame(frame, staging=True)
    for _ in range(2):
        result = as_tracers(step(inner, carry), why)
        note_misfit(frame, node, carry, result, in_loop=True)
        merged = _merged(carry, result)
        if merged == carry:
            break
        carry = merged
    return carry if frame.under else as_concrete(carry)


def _cond(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    why = body_reason(frame, node, "lax.cond")
    inner = inner_frame(frame, staging=True)
    if len(args) == 5 and not is_callable(args[1]) and is_callable(args[2]):
        pairs = [(args[2], [args[1]]), (args[4], [args[3]])]
    elif len(args) >= 3:
        operands = [keywords["operand"]] if "operand" in keywords else args[3:]
        pairs = [(args[1], operands), (args[2], operands)]
    else:
        return Unknown()
    results = [
        as_tracers(inner.call(f, [as_tracers(o, why) for o in operands], {}, node), why)
        for f, operands in pairs
    ]
    note_misfit(frame, node, *results)
    out = _merged(results[0], results[1])
    return out if frame.under else as_concrete(out)


def note_misfit(
    frame: Frame, node: ast.AST | None, a: Value, b: Value, *, in_loop: bool = False
) -> None:
    why = misfit(a, b, weak_fits=in_loop)
    if node is not None and why is not None:
        name = frame.function.qualname if frame.function is not None else ""
        line = getattr(node, "lineno", 0)
        what = "the carry before and after a round" if in_loop else "the branches"
        found = Misfit(frame.module.path, line, name, what, why)
        frame.interp.misfits[id(node)] = found


def _switch(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    branches = python_calls.known_items(args[1]) if len(args) > 1 else None
    if branches is None:
        elem = python_calls.iterate(frame, args[1]) if len(args) > 1 else Unknown()
        branches = (elem,)
    why = body_reason(frame, node, "lax.switch")
    inner = inner_frame(frame, staging=True)
    operands = [as_tracers(o, why) for o in args[2:]]
    out: Value | None = None
    for branch in branches:
        result = as_tracers(inner.call(branch, list(operands), {}, node), why)
        if out is not None:
            note_misfit(frame, node, out, result)
        out = result if out is None else _merged(out, result)
    out = out if out is not None else Unknown()
    return out if frame.under else as_concrete(out)


def _map(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    function = _argument(args, keywords, 0, "f")
    xs = _argument(args, keywords, 1, "xs")
    if function is None or xs is None:
        return Unknown()
    why = body_reason(frame, node, "lax.map")
    inner = inner_frame(frame, staging=True)
    out = unrow(
        as_tracers(inner.call(function, [row(as_tracers(xs, why))], {}, node), why)
    )
    return out if frame.under else as_concrete(out)


def _associative_scan(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    function = _argument(args, keywords, 0, "fn")
    elems = _argument(args, keywords, 1, "elems")
    if function is None or elems is None:
        return Unknown()
    traced = as_tracers(elems, body_reason(frame, node, "lax.associative_scan"))
    inner_frame(frame, staging=True).call(function, [traced, traced], {}, node)
    return traced if frame.under else as_concrete(traced)


def _tree_map(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 2:
        return Unknown()
    return _on_leaves(frame, args[0], args[1], list(args[2:]), node)


def _on_leaves(
    frame: Frame, function: Value, tree: Value, rest: list[Value], node: ast.AST | None
) -> Value:
    match tree:
        case Const(value=None):
            return tree
        case Union(options=options) if any(_has_structure(o) for o in options):
            mapped = [
                _on_leaves(
                    frame, function, option, [_alike(option, r) for r in rest], node
                )
                for option in options
            ]
            return join_all(mapped)
        case Seq(kind="tuple" | "list", items=items) if items is not None:
            columns = [python_calls.known_items(r) for r in rest]
            return replace(
                tree,
                items=tuple(
                    _on_leaves(
                        frame,
                        function,
                        v,
                        [c[i] if c and i < len(c) else Unknown() for c in columns],
                        node,
                    )
                    for i, v in enumerate(items)
                ),
            )
        case Dict(items=pairs) if pairs is not None:
            return Dict(
                tuple(
                    (
                        k,
                        _on_leaves(
                            frame,
                            function,
                            v,
                            [
                                (r.get(k) if isinstance(r, Dict) else None) or Unknown()
                                for r in rest
                            ],
                            node,
                        ),
                    )
                    for k, v in pairs
                )
            )
        case InstanceValue() if tree.cls.kind != "enum":
            attrs = {
                k: _on_leaves(
                    frame,
                    function,
                    v,
                    [
                        r.attrs.get(k, Unknown())
                        if isinstance(r, InstanceValue)
                        else Unknown()
                        for r in rest
                    ],
                    node,
                )
                if k not in tree.cls.static_fields
                else v
                for k, v in tree.attrs.items()
            }
            return tree.copied(attrs)
        case Seq() | Dict():
            inner = _on_leaves(
                frame, function, element(tree), [Unknown()] * len(rest), node
            )
            return replace(tree, items=None, elem=inner)
        case Unknown():
            return frame.call(function, [tree, *rest], {}, node)
        case _:
            result = frame.call(function, [tree, *rest], {}, node)
            if isinstance(tree, Array) and tree.tree and isinstance(result, Array):
                return replace(result, tree=True, assumed=tree.assumed)
            return result


def _has_structure(tree: Value) -> bool:
    return isinstance(tree, Seq | Dict | InstanceValue) or is_none(tree)


def _alike(tree: Value, other: Value) -> Value:
    """Of several trees the one that may have the structure of another."""
    found = [o for o in alternatives(other) if type(o) is type(tree)]
    return found[0] if len(found) == 1 else other


def _leaves(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    return Seq("list", None, _leaf(args[0])) if args else Unknown()


def _known_leaves(tree: Value) -> list[Value] | None:
    """The leaves of a tree one by one; None if its structure is not known."""
    match tree:
        case Seq(kind="tuple" | "list", items=tuple(items)):
            parts = list(items)
        case Dict(items=tuple(pairs)):
            parts = [value for _, value in pairs]
        case Array(tree=False) | Const(value=int() | float() | complex()) | Static():
            return [tree]
        case Const(value=None):
            return []
        case _:
            return None
    found = [_known_leaves(part) for part in parts]
    if any(leaves is None for leaves in found):
        return None
    return [leaf for leaves in found for leaf in leaves or ()]


def _leaf(tree: Value) -> Value:
    match tree:
        case Seq() | Dict():
            inner = element(tree)
            return _leaf(inner) if isinstance(inner, Seq | Dict) else inner
        case _:
            return tree


def _tree_reduce(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 2:
        return Unknown()
    known = _known_leaves(args[1])
    # A tree of which nothing is known is taken to have leaves.
    leaves = [_leaf(args[1])] * 2 if known is None else known
    start = _argument(args, keywords, 2, "initializer")
    if start is None:
        start, *leaves = leaves or [Unknown()]
    seen = start
    for leaf in leaves:
        seen = frame.call(args[0], [seen, leaf], {}, node)
    return seen


def _tree_all(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    found = holds_tracer(_leaf(args[0])) if args else None
    if found is None:
        return Static("bool")
    return Array(True, BOOL, SCALAR, assumed=found.assumed, why=found.why)


def _forward(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    """`jax.vjp(f, *primals)`, `jax.linearize(f, *primals)`."""
    if not args:
        return Unknown()
    frame.interp.grad_depth += 1
    out = frame.call(args[0], args[1:], {}, node)
    frame.interp.grad_depth -= 1
    return Seq("tuple", (out, Unknown()))


def _jvp(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 2:
        return Unknown()
    primals = python_calls.known_items(args[1]) or ()
    out = frame.call(args[0], list(primals), {}, node)
    return Seq("tuple", (out, out))


def _eval_shape(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if args:
        why = body_reason(frame, node, "jax.eval_shape")
        inner = inner_frame(frame, staging=True)
        inner.call(args[0], [as_tracers(a, why) for a in args[1:]], keywords, node)
    return Unknown()


def _per_slice(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    """`jnp.apply_along_axis(f, axis, x)`."""
    if len(args) < 3:
        return Unknown()
    why = body_reason(frame, node, "jnp.apply_along_axis")
    inner = inner_frame(frame, staging=False)
    inner.call(args[0], [Array(True, why=why)], {}, node)
    return Array(frame.staging or tracer(args[2]) is not None, why=args[2].why)


def _piecewise(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 3:
        return Unknown()
    why = body_reason(frame, node, "jnp.piecewise")
    inner = inner_frame(frame, staging=True)
    for function in python_calls.known_items(args[2]) or ():
        if is_callable(function):
            inner.call(function, [Array(True, why=why)], {}, node)
    return Array(frame.staging or tracer(args[0]) is not None, why=args[0].why)


def _solver(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    """`lax.custom_root`, `custom_linear_solve`: run the functions on the operand."""
    why = body_reason(frame, node, "a custom solver")
    inner = inner_frame(frame, staging=True)
    operand = args[1] if len(args) > 1 else Unknown()
    if args and is_callable(args[0]):
        inner.call(args[0], [as_tracers(operand, why)], {}, node)
    return as_tracers(operand, why) if frame.under else as_concrete(operand)


def host_callback(frame: Frame, args: list[Value]) -> Value:
    if args and is_callable(args[0]):
        host = Frame(
            frame.interp, frame.module, frame.scope, frame.function, stack=frame.stack
        )
        host.call(args[0], [as_concrete(a) for a in args[1:]])
    return Array(frame.staging)


def _concrete_block(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    return Lib("jax.ensure_compile_time_eval()")


PRIMITIVES: dict[str, Any] = {
    "jax.lax.scan": _scan,
    "jax.lax.fori_loop": _fori_loop,
    "jax.lax.while_loop": _while_loop,
    "jax.lax.cond": _cond,
    "jax.lax.switch": _switch,
    "jax.lax.map": _map,
    "jax.lax.associative_scan": _associative_scan,
    "jax.lax.custom_root": _solver,
    "jax.lax.custom_linear_solve": _solver,
    "jax.tree.map": _tree_map,
    "jax.tree_map": _tree_map,
    "jax.tree_util.tree_map": _tree_map,
    "jax.tree.leaves": _leaves,
    "jax.tree_util.tree_leaves": _leaves,
    "jax.tree_leaves": _leaves,
    "jax.tree.reduce": _tree_reduce,
    "jax.tree_util.tree_reduce": _tree_reduce,
    "jax.tree.all": _tree_all,
    "jax.tree_util.tree_all": _tree_all,
    "jax.vjp": _forward,
    "jax.linearize": _forward,
    "jax.jvp": _jvp,
    "jax.eval_shape": _eval_shape,
    "jax.numpy.apply_along_axis": _per_slice,
    "jax.numpy.piecewise": _piecewise,
    "jax.ensure_compile_time_eval": _concrete_block,
}
