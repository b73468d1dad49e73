"""Python loops as `fori_loop`, `while_loop` or masked loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.closures import stale_names
from jaxfix._analysis.effects import FREE, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import uses_before_definite_write
from jaxfix._analysis.jax_api import lookup
from jaxfix._analysis.objects import is_traced_tree
from jaxfix._analysis.scopes import mutations, names, reads, writes
from jaxfix._analysis.values import (
    BOOL,
    SCALAR,
    WEAK,
    Array,
    Const,
    DType,
    Seq,
    Static,
    Unknown,
    Value,
    promote,
)

from .agree import Typed, cast, collapse, same_dtype
from .booleans import is_bool, junction, marked
from .desugar import Blocked, copy_with, sets_flags
from .ownership import own_objects
from .tidy import folded

if TYPE_CHECKING:
    from .functional import Context, Functional

NameSet = frozenset[str]
KEPT_UNROLLED = 8  # iterations; jax-semantics.md, section 8


# --- while


def while_loop(
    f: Functional, node: ast.While, live: NameSet, context: Context
) -> list[ast.stmt]:
    source = build.source_of(node)
    check_body(f, node, node.body)
    if f.fn.differentiated:
        raise Blocked(
            source,
            "the function is differentiated in reverse mode, and `lax.while_loop` has"
            " no such gradient; a loop with a static bound would have one",
        )
    return make_while(f, node, node.test, node.body, live, context, hidden=[])


def make_while(
    f: Functional,
    node: ast.For | ast.While,
    test: ast.expr,
    body: Sequence[ast.stmt],
    live: NameSet,
    context: Context,
    *,
    hidden: Sequence[str],
) -> list[ast.stmt]:
    """`lax.while_loop` over the names that the body rebinds (and `hidden`)."""
    source = build.source_of(node)
    done = getattr(node, "done", None)
    going = [test] if done is None else [test, build.not_(build.load(done))]
    loop = ast.While(ast.BoolOp(ast.And(), going), list(body), [])
    carried = carried_names(f, loop, live, hidden)
    before = results_first(f, source, carried, node, context)
    late = late_names(f, node, carried, body, context)
    inner = context.copy()
    enter(f, node, carried, inner)
    inner.bound |= set(late)
    if done is not None:
        inner.types[done] = Array(True, BOOL, SCALAR)
    new_body = f.loop_body(body, carried, frozenset(carried), inner)
    condition = loop_condition(f, opened(f, test, carried, inner), done, inner)
    if not carried:
        raise Blocked(source, "nothing that the loop changes is used")
    new_body += last_casts(f, source, carried, context, inner)
    inits = initial_values(f, source, carried, context, inner, new_body, late)
    keep_going = predicate(f, carried, condition)
    functions: list[ast.stmt] = []
    step = body_function(f, source, None, carried, new_body, functions)
    if not isinstance(keep_going, ast.Lambda):
        functions.insert(0, keep_going)
    call = build.call(
        f.spell("jax.lax.while_loop"),
        keep_going
        if isinstance(keep_going, ast.Lambda)
        else build.load(keep_going.name),
        step,
        # The first iteration, which certainly runs, gives the late names their values.
        build.call(step, build.tuple_of(inits)) if late else build.tuple_of(inits),
    )
    f.keep.append(call)
    leave(f, carried, inner, context)
    return [*before, *functions, result_of(f, carried, call, live, context)]


def results_first(
    f: Functional,
    source: ast.AST,
    carried: Sequence[str],
    node: ast.stmt,
    context: Context,
) -> list[ast.stmt]:
    """First values for what a `return` in the loop carries out."""
    before: list[ast.stmt] = []
    for name in carried:
        if name not in context.bound and is_result(name, node):
            kept = frozenset(carried) & context.bound
            stmt = initial_result(f, source, name, node, kept)
            f.advance(stmt, context)
            before.append(stmt)
    return before


def is_result(name: str, node: ast.stmt) -> bool:
    """Is the name one that we made for the value of a `return`?"""
    stores = [
        s
        for s in ast.walk(node)
        if isinstance(s, ast.Assign) and name in writes(s.targets[0])
    ]
    return bool(stores) and all(hasattr(s, "origin_return") for s in stores)


def late_names(
    f: Functional,
    node: ast.For | ast.While,
    carried: Sequence[str],
    body: Sequence[ast.stmt],
    context: Context,
) -> list[str]:
    """Names that only the loop binds and that are read after it.

    They are allowed where the number of iterations is static: a loop that does not run
    is then an error in Python itself.
    """
    late = [n for n in carried if n not in context.bound]
    exposed = uses_before_definite_write(list(body))
    static = (
        isinstance(node, ast.While)
        and isinstance(build.source_of(node), ast.For)
        and not f.fn.traced_count(build.source_of(node))
    )
    if static and not any(n in exposed for n in late):
        return late
    check_bound(build.source_of(node), carried, context)
    return []


def loop_condition(
    f: Functional, test: ast.expr, done: str | None, inner: Context
) -> ast.expr:
    if build.is_new(test) or not isinstance(test, ast.Constant):
        plain = f.test(test)
        value = f.value(plain, inner.types)
        condition = f.as_flag(plain, value) if not always_true(test) else None
    else:
        condition = None if test.value else test
    if done is None:
        if condition is None:
            raise CannotFix("the loop never ends")
        return condition
    going = marked(ast.UnaryOp(ast.Invert(), build.load(done)))
    if condition is None:
        return going
    return junction(f.fn, f.spell, ast.And(), [condition, going])


def opened(
    f: Functional, test: ast.expr, carried: Sequence[str], inner: Context
) -> ast.expr:
    """`not done and x < 1`, where what is carried is known to be an array by now."""

    def part(node: ast.expr) -> ast.expr:
        match node:
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op, [part(v) for v in values])
            case ast.UnaryOp(op=ast.Not() as op, operand=operand):
                return ast.UnaryOp(op, part(operand))
            case ast.Name(id=name) if name in carried and is_bool(
                inner.types.get(name)
            ):
                return marked(build.load(name))
            case _ if f.fn.tracer(node) is not None and is_bool(f.fn.value(node)):
                return node
            case _:
                raise CannotFix("a part of the condition is no bool")

    if build.is_new(test) or not isinstance(test, ast.BoolOp | ast.UnaryOp):
        return test
    try:
        return part(test)
    except CannotFix:
        return test


def always_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def carried_names(
    f: Functional, loop: ast.stmt, live: NameSet, hidden: Sequence[str]
) -> list[str]:
    """Names that the loop assigns and that are live at its head or after it."""
    head = f.fn.flow.live_in([loop], live)
    assigned = set(writes([loop])) | set(hidden)
    order = [*names([loop]), *hidden]
    found = [n for n in dict.fromkeys(order) if n in assigned and n in head | live]
    return found + [n for n in hidden if n not in found]


def check_bound(source: ast.AST, carried: Sequence[str], context: Context) -> None:
    for name in carried:
        if name not in context.bound:
            raise Blocked(
                source, f"`{name}` has no value if the loop does not run even once"
            )


def check_body(
    f: Functional, node: ast.For | ast.While, body: Sequence[ast.stmt]
) -> None:
    source = build.source_of(node)
    if (why := obstacle(f.fn, list(body), own_objects(f.fn, body))) is not None:
        raise Blocked(source, f"in the loop, {why}")
    exposed = set(uses_before_definite_write(list(body)))
    for name, place in mutations(body):
        if name in exposed or name not in writes(body):
            text = ast.unparse(place)
            raise Blocked(source, f"in the loop, `{text}` changes an object in place")
    for name in sorted(stale_names(f.fn, [node])):
        raise Blocked(
            source,
            f"a function that was made before the loop reads `{name}`, which the"
            " loop changes",
        )


def enter(
    f: Functional, node: ast.For | ast.While, carried: Sequence[str], inner: Context
) -> None:
    """Types of the carried names inside the loop."""
    source = build.source_of(node)
    heads = f.fn.facts.interpreter.loop_heads.get(id(source), {})
    for name in writes([node]):
        known = collapse(heads.get(name))
        if known is None and name in carried:
            known = collapse(inner.types.get(name))
        inner.types.pop(name, None)
        found = as_array(known) if known is not None else None
        if found is not None:
            inner.types[name] = Array(True, found.dtype, found.shape, key=found.key)
        elif known is not None:
            inner.types[name] = known


def leave(
    f: Functional, carried: Sequence[str], inner: Context, context: Context
) -> None:
    for name in carried:
        context.types.pop(name, None)
        if name in inner.types:
            context.types[name] = inner.types[name]


def result_of(
    f: Functional,
    carried: Sequence[str],
    call: ast.expr,
    live: NameSet,
    context: Context,
) -> ast.stmt:
    """The names after a loop: `_` for those that nobody reads."""
    kept = used_names(carried, live)
    for name in set(carried) - set(kept):
        # It keeps the value from before the loop.
        context.types.pop(name, None)
    return build.choice(kept, call) if set(kept) - {"_"} else ast.Expr(call)


def used_names(carried: Sequence[str], live: NameSet) -> list[str]:
    return [n if n in live or "_" in live else "_" for n in carried]


def initial_values(
    f: Functional,
    source: ast.AST,
    carried: Sequence[str],
    context: Context,
    inner: Context,
    body: Sequence[ast.stmt],
    late: Sequence[str] = (),
) -> list[ast.expr]:
    """The carry before the loop, cast to the type that the body gives it."""
    out: list[ast.expr] = []
    chosen = given_by_cond(f, body)
    for name in carried:
        if name in late:
            out.append(build.const(None))
            continue
        before = collapse(context.types.get(name))
        after = collapse(inner.types.get(name))
        try:
            first = initial_value(f, name, before, after, context)
            if isinstance(first, ast.Name) and name in chosen:
                first = first_cast(f, name, before, after, context) or first
            out.append(first)
        except CannotFix as error:
            raise Blocked(source, str(error)) from error
    return out


def initial_value(
    f: Functional,
    name: str,
    before: Value | None,
    after: Value | None,
    context: Context,
) -> ast.expr:
    node: ast.expr = build.load(name)
    if isinstance(before, Seq) or isinstance(after, Seq):
        check_structure(name, before, after)
        return node
    if isinstance(before, Const) and before.value is None:
        raise CannotFix(f"`{name}` is None before the loop and an array in it")
    if before is None or after is None:
        return node
    if isinstance(before, Const | Static) and isinstance(after, Const | Static):
        return node
    x, y = as_array(before), as_array(after)
    if x is None or y is None:
        return node
    return with_type(f, name, node, before, x, y, context)


def last_casts(
    f: Functional,
    source: ast.AST,
    carried: Sequence[str],
    context: Context,
    inner: Context,
) -> list[ast.stmt]:
    """Casts at the end of the body, to what a name is before the loop.

    In `x = 0.5` and then `x = i` the float stays one: a carry has one type.
    """
    casts: list[ast.stmt] = []
    for name in carried:
        before = collapse(context.types.get(name))
        after = collapse(inner.types.get(name))
        if before is None or after is None or name not in context.bound:
            continue
        x, y = as_array(before), as_array(after)
        if x is None or y is None or x.dtype is None or y.dtype is None:
            continue
        target = promote(x.dtype, y.dtype)
        if target is None or None in (target.kind, y.dtype.kind):
            continue
        if target.kind == y.dtype.kind:
            continue
        dtype = dtype_from_names(f, target, context)
        if dtype is None:
            raise Blocked(source, f"`{name}` has another dtype before the loop")
        read: ast.expr = build.load(name)
        if isinstance(after, Const | Static):
            made: ast.expr = build.call(f.spell("jax.numpy.asarray"), read, dtype)
        else:
            made = build.method(read, "astype", dtype)
        casts.append(build.assign(name, made))
        inner.types[name] = replace(y, dtype=target, traced=True)
    return casts


def check_structure(name: str, before: Value | None, after: Value | None) -> None:
    if isinstance(before, Seq) and isinstance(after, Seq):
        if before.items is None or after.items is None:
            raise CannotFix(f"the length of `{name}` is not known")
        if len(before.items) == len(after.items) and before.kind == after.kind:
            return
    if before is None or after is None:
        return
    raise CannotFix(f"the structure of `{name}` changes in the loop")


def with_type(
    f: Functional,
    name: str,
    node: ast.expr,
    before: Value,
    x: Array,
    y: Array,
    context: Context,
) -> ast.expr:
    shape_differs = x.shape is not None and y.shape is not None and x.shape != y.shape
    if shape_differs:
        if x.shape != SCALAR or not isinstance(before, Const):
            raise CannotFix(f"the shape of `{name}` changes in the loop")
        return like_another(f, name, before, y, context)
    if x.dtype is None or y.dtype is None or same_dtype(x.dtype, y.dtype):
        return node
    target = promote(x.dtype, y.dtype)
    if x.dtype.is_weak:
        # A weak carry takes the dtype of what the body gives: measured, T13.
        return node
    typed = Typed(node, before)
    made = dtype_from_names(f, target, context)
    if made is not None and target != x.dtype:
        if isinstance(before, Array):
            return build.method(node, "astype", made)
        return build.call(f.spell("jax.numpy.asarray"), node, made)
    return cast(f.spell, f"`{name}`", typed, x, typed, x, target)


def first_rounds(
    f: Functional, loop: ast.stmt, body: Sequence[ast.stmt], before: Context
) -> list[ast.stmt]:
    """Casts before a Python loop for names that a `lax.cond` in it gives.

    `score = 0` is an integer in the first round and a float in later ones; the branches
    have one type in all of them.

    Args:
      f: the rewriting.
      loop: the loop.
      body: its new body.
      before: what is known before the loop; it is brought up to after the casts.

    Raises:
      CannotFix: the type of a name has no spelling.
    """
    casts: list[ast.stmt] = []
    for name in given_by_cond(f, body):
        value = collapse(before.types.get(name))
        later = f.first_read(name, build.source_of(loop))
        made = first_cast(f, name, value, later, before)
        if made is not None:
            casts.append(build.assign(name, made))
            f.advance(casts[-1], before)
    return casts


def first_cast(
    f: Functional,
    name: str,
    before: Value | None,
    later: Value | None,
    context: Context,
) -> ast.expr | None:
    """An integer that becomes a float in a loop, as a float; None for others."""
    if before is None or later is None:
        return None
    x, y = as_array(before), as_array(later)
    if x is None or y is None or x.dtype is None or y.dtype is None:
        return None
    target = promote(x.dtype, y.dtype)
    if target is None or target.kind == x.dtype.kind:
        return None
    dtype = dtype_from_names(f, target, context)
    if dtype is None and target.kind is None:
        return None
    if dtype is None:
        raise CannotFix(f"`{name}` has another dtype in the first iteration")
    made = build.call(f.spell("jax.numpy.asarray"), build.load(name), dtype)
    return f.new(made, replace(y, dtype=target), FREE)


def given_by_cond(f: Functional, body: Sequence[ast.stmt]) -> list[str]:
    """The names that a `lax.cond` of ours gives, in the order of their first one."""
    cond = ast.dump(build.load(f.spell("jax.lax.cond")))
    found: list[str] = []
    for stmt in body:
        for node in ast.walk(stmt):
            if isinstance(node, ast.Assign) and getattr(node, "is_choice", False):
                value = node.value
                if isinstance(value, ast.Call) and ast.dump(value.func) == cond:
                    found += writes(node.targets[0])
    return list(dict.fromkeys(found))


def dtype_from_names(
    f: Functional, target: DType | None, context: Context
) -> ast.expr | None:
    """`jnp.result_type(a, float)`, where the dtype is that of named values."""
    if target is None:
        return None
    from .agree import dtype_node

    plain = dtype_node(f.spell, target)
    if plain is not None:
        return plain
    parts: list[ast.expr] = []
    for symbol in sorted(target.strong):
        holder = next(
            (
                n
                for n, v in context.types.items()
                if isinstance(v, Array)
                and v.dtype == DType(frozenset({symbol}))
                and n in context.bound
            ),
            None,
        )
        if holder is None:
            return None
        parts.append(build.load(holder))
    weak = {2: "int", 3: "float", 4: "complex"}.get(target.weak)
    if weak is not None:
        parts.append(build.load(weak))
        if target.is_weak:
            return parts[0]
    return build.call(f.spell("jax.numpy.result_type"), *parts) if parts else None


def like_another(
    f: Functional, name: str, before: Const, y: Array, context: Context
) -> ast.expr:
    """A scalar start for a carry that becomes an array: shaped like a named array."""
    for other, value in context.types.items():
        if (
            isinstance(value, Array)
            and value.shape == y.shape
            and value.dtype == y.dtype
            and value.dtype is not None
            and other != name
            and other in context.bound
        ):
            number = before.value
            if number == 0:
                return build.call(f.spell("jax.numpy.zeros_like"), build.load(other))
            literal = build.const(number)
            return build.call(
                f.spell("jax.numpy.full_like"), build.load(other), literal
            )
    raise CannotFix(
        f"`{name}` is a scalar before the loop and an array in it, of no named shape"
    )


# --- functions of a loop


def predicate(
    f: Functional, carried: Sequence[str], condition: ast.expr
) -> ast.Lambda | ast.FunctionDef:
    """The condition as a function of the carry."""
    if len(carried) == 1:
        return build.thunk(condition, carried)
    used = set(reads(condition))
    name = f.fresh("keep_going")
    carry = f.fresh("carry") if "carry" in f.fn.names else "carry"
    target = [n if n in used else "_" for n in carried]
    return build.function(
        name,
        [carry],
        [
            ast.Assign([build.targets(target)], build.load(carry)),
            build.ret(condition),
        ],
    )


def body_function(
    f: Functional,
    source: ast.AST,
    index: str | None,
    carried: Sequence[str],
    body: Sequence[ast.stmt],
    functions: list[ast.stmt],
) -> ast.expr:
    """The body as a local function; returns how the loop names it."""
    first = [index] if index is not None else []
    if index is not None and not {index, "_"} & set(names(body)):
        first = ["_"]
    result = build.ret(build.tuple_of([build.load(n) for n in carried]))
    if len(carried) == 1:
        block = folded(f.fn, [*body, result])
        match block:
            case [ast.Return(value=ast.expr() as value)] if (
                len(ast.unparse(value)) <= 40
            ):
                return build.thunk(value, [*first, carried[0]])
        name = f.fresh("body")
        function = build.function(name, [*first, carried[0]], block)
    else:
        name = f.fresh("body")
        carry = f.fresh("carry") if "carry" in f.fn.names else "carry"
        needed = uses_before_definite_write([*body, result])
        target = [n if n in needed else "_" for n in carried]
        unpack = ast.Assign([build.targets(target)], build.load(carry))
        block = folded(f.fn, [*body, result])
        function = build.function(name, [*first, carry], [unpack, *block])
    functions.append(function)
    return build.load(name)


# --- for


def for_loop(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    source = build.source_of(node)
    assert isinstance(source, ast.For), "a for loop comes from a for loop"
    done = getattr(node, "done", None)
    traced_count = f.fn.traced_count(source)
    if getattr(node, "traced", False) and not traced_count and done is None:
        from .rolled import rolled

        return rolled(f, node, live, context)
    if not traced_count:
        items = static_items(f.fn, source)
        if items is None or items <= KEPT_UNROLLED or f.fn.differentiated:
            return masked(f, node, live, context)
        loop = try_rolled(f, node, live, context)
        return loop if loop is not None else masked(f, node, live, context)
    check_body(f, node, node.body)
    if f.fn.differentiated:
        raise Blocked(
            source,
            "the number of iterations is traced, and the function is differentiated in"
            " reverse mode, which such a loop does not have",
        )
    if done is None:
        return fori(f, node, live, context)
    return counted_while(f, node, live, context)


def is_rolled(fn: Function, node: ast.For) -> bool:
    """Does a loop whose exit is traced become a `while_loop`, if nothing forbids it?"""
    source = build.source_of(node)
    assert isinstance(source, ast.For), "a for loop comes from a for loop"
    if fn.differentiated:
        return False
    items = static_items(fn, source)
    is_long = items is not None and items > KEPT_UNROLLED
    is_left = getattr(node, "done", None) is not None
    return bool(fn.traced_count(source)) or (is_long and is_left)


def static_items(fn: Function, source: ast.For) -> int | None:
    """The number of iterations, where it is known; 1000 for "some static number"."""
    value = fn.value(source.iter)
    if isinstance(value, Seq):
        if value.items is not None:
            return len(value.items)
        if value.kind == "range":
            return 1000
    if isinstance(value, Array) and value.shape is not None and len(value.shape) == 1:
        (dims,) = value.shape
        if isinstance(dims, tuple) and dims and isinstance(dims[0], int):
            return dims[0]
        return 1000
    if isinstance(value, Array):
        return 1000
    return None


def try_rolled(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt] | None:
    """The loop as a while_loop, if its variable may be a tracer."""
    saved = context.copy()
    try:
        check_body(f, node, node.body)
        check_rollable(f, node)
        return counted_while(f, node, live, context)
    except CannotFix:
        context.types, context.bound = saved.types, saved.bound
        return None


def check_rollable(f: Functional, node: ast.For) -> None:
    """In a rolled loop the variables are tracers: uses as Python numbers forbid it.

    Raises:
      CannotFix: such a use.
    """
    varying = set(writes(node.target)) | set(writes(node.body))
    for stmt in node.body:
        for inner in ast.walk(stmt):
            if (
                isinstance(inner, ast.Name)
                and isinstance(inner.ctx, ast.Load)
                and inner.id in varying
                and not build.is_new(inner)
                and f.fn.tracer(inner) is None
                and not is_traced_tree(f.fn.value(inner) or Unknown())
            ):
                check_use(f, inner)


def check_use(f: Functional, name: ast.Name) -> None:
    """May this static number be a tracer as well?"""
    child: ast.AST = name
    for parent in f.fn.module.ancestors(name):
        match parent:
            case ast.stmt():
                check_statement_use(f, name, child, parent)
                return
            case ast.BinOp() | ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.keyword():
                pass
            case ast.Tuple() | ast.List() | ast.Compare():
                pass
            case ast.Subscript(value=base, slice=index) if child is index:
                if not isinstance(f.fn.value(base), Array) or isinstance(
                    index, ast.Slice
                ):
                    raise CannotFix(f"`{name.id}` picks an item of a list")
            case ast.Call() if takes_tracers(f, parent, child):
                pass
            case _:
                raise CannotFix(f"`{name.id}` is used as a Python number")
        child = parent


def check_statement_use(
    f: Functional, name: ast.Name, child: ast.AST, stmt: ast.stmt
) -> None:
    match stmt:
        case (
            ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Return() | ast.Expr()
        ):
            return
        case ast.If(test=test) if child is test and f.fn.traced(test):
            return
        case _:
            raise CannotFix(f"`{name.id}` is used as a Python number")


def takes_tracers(f: Functional, call: ast.Call, argument: ast.AST) -> bool:
    """Is it an argument of a jax function that need not be static?"""
    name = f.fn.library(call)
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


def masked(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A static Python loop that stays one: after the exit its body has no effect."""
    source = build.source_of(node)
    done = getattr(node, "done", None)
    targets = [n for n in writes(node.target) if n in live]
    if done is not None and targets:
        node = with_own_targets(f, node, targets)
    body = list(node.body)
    before: list[ast.stmt] = []
    if done is not None:
        # Not `~done`: before the first iteration the flag is Python's False.
        going = build.call(f.spell("jax.numpy.logical_not"), build.load(done))
        mask = ast.If(marked(going), body, [])
        mask.traced = True  # type: ignore[attr-defined]
        mask.origin = source  # type: ignore[attr-defined]
        body = [flatten_mask(f, mask, done)]
        context.types[done] = Array(True, BOOL, SCALAR)
    head = f.fn.flow.live_in([copy_with(node, body=body)], live) | live
    inner = context.copy()
    f.enter_loop(node, inner)
    if done is not None:
        inner.types[done] = Array(True, BOOL, SCALAR)
    bound_before = context.bound
    unbound = [n for n in writes(body) if n in live and n not in bound_before]
    before += [
        initial_result(f, source, n, node)
        if is_result(n, node)
        else first_binding(f, source, n, node)
        for n in unbound
    ]
    for stmt in before:
        f.advance(stmt, context)
        f.advance(stmt, inner)
    for name in writes(body):
        start = collapse(context.types.get(name)) if is_result(name, node) else None
        if start is not None and (first := as_array(start)) is not None:
            # All that is returned has its shape; a bool has no other dtype.
            is_flag = first.dtype is not None and first.dtype.kind == "b"
            dtype = BOOL if is_flag else None
            inner.types[name] = Array(True, dtype, first.shape)
    inner.bound |= set(writes(node.target))
    new_body = f.block(body, head, inner)
    before += first_rounds(f, node, new_body, context)
    made = copy_with(node, body=new_body, orelse=[])
    made.desugared = True  # type: ignore[attr-defined]
    for name, value in inner.types.items():
        if name in writes(body):
            context.types[name] = value
    return [*before, made]


def with_own_targets(f: Functional, node: ast.For, read: Sequence[str]) -> ast.For:
    """A loop over fresh names for those of its variables that are read after it.

    The old ones are bound in its body, where they stay what they were at the exit.
    """
    renamed = {name: f.fresh(name) for name in read}
    first: list[ast.stmt] = []

    def taken(target: ast.expr) -> ast.expr:
        match target:
            case ast.Name(id=name) if name in renamed:
                new, item = build.store(renamed[name]), build.load(renamed[name])
                for one in (new, item):
                    one.fact = f.fn.value(target)  # type: ignore[attr-defined]
                first.append(build.assign(name, item))
                return new
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return ast.Tuple([taken(e) for e in elts], ast.Store())
            case ast.Starred(value=value):
                return ast.Starred(taken(value), ast.Store())
            case _:
                return target

    target = taken(node.target)
    made = copy_with(node, target=target, body=[*first, *node.body])
    assert isinstance(made, ast.For), "a copy of a loop is a loop"
    return made


def flatten_mask(f: Functional, mask: ast.If, done: str) -> ast.If:
    """`if not done: if c: X` is `if not done and c: X`.

    And `if not done: if c: done = True else: X` is `if done or c: done = True else: X`.
    """
    match mask.body:
        case [ast.If(body=[ast.Assign() as leave]) as only] if (
            getattr(only, "traced", False)
            and sets_flags([leave])
            and writes(leave) == (done,)
            and f.cost(only.test).cheap
        ):
            test = ast.BoolOp(ast.Or(), [marked(build.load(done)), only.test])
            made = ast.If(test, only.body, only.orelse)
            made.traced = True  # type: ignore[attr-defined]
            made.origin = build.source_of(only)  # type: ignore[attr-defined]
            return made
        case [ast.If(orelse=[]) as only] if getattr(only, "traced", False):
            made = ast.If(ast.BoolOp(ast.And(), [mask.test, only.test]), only.body, [])
            made.traced = True  # type: ignore[attr-defined]
            made.origin = build.source_of(only)  # type: ignore[attr-defined]
            return made
    return mask


def initial_result(
    f: Functional,
    source: ast.AST,
    name: str,
    node: ast.stmt,
    kept: NameSet = frozenset(),
) -> ast.stmt:
    """A first value for a result that the loop may not set.

    Zero of its kind, or one of the names that the loop carries, of which it is one.
    """
    values = [
        s.value
        for s in ast.walk(node)
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and s.targets[0].id == name
        and build.is_new(s)
    ]
    if not values:
        raise Blocked(
            source, f"`{name}` has no value if the loop does not run even once"
        )
    zeros = [zero_of(f, v, kept) for v in values]
    if any(z is None or ast.dump(z) != ast.dump(zeros[0] or z) for z in zeros):
        raise Blocked(source, "what the loop returns has no known type")
    assert zeros[0] is not None, "checked above"
    return build.assign(name, zeros[0])


def first_binding(
    f: Functional, source: ast.AST, name: str, node: ast.stmt
) -> ast.stmt:
    """A value for a name that only the way out of a static loop binds.

    If the loop is not left that way, Python has no value for the name, and nobody who
    runs without an error reads it.
    """
    zeros = [zero_value(v) for v in f.assigned_values(name, node)]
    texts = {ast.dump(z) for z in zeros if z is not None}
    if len(texts) != 1 or None in zeros or zeros[0] is None:
        raise Blocked(
            source, f"`{name}` has no value if the loop does not run even once"
        )
    return build.assign(name, zeros[0])


def zero_of(f: Functional, node: ast.expr, kept: NameSet) -> ast.expr | None:
    """The zero of a value's type, as Python literals that promote."""
    if isinstance(node, ast.Tuple):
        parts = [zero_of(f, e, kept) for e in node.elts]
        if any(p is None for p in parts):
            return None
        return ast.Tuple([p for p in parts if p is not None], ast.Load())
    zero = zero_value(f.value(node, {}))
    if zero is None and isinstance(node, ast.Name) and node.id in kept:
        return build.load(node.id)
    return zero


def zero_value(value: Value | None) -> ast.expr | None:
    value = collapse(value)
    if isinstance(value, Seq) and value.items is not None:
        parts = [zero_value(v) for v in value.items]
        if value.kind != "tuple" or any(p is None for p in parts):
            return None
        return ast.Tuple([p for p in parts if p is not None], ast.Load())
    found = as_array(value) if value is not None else None
    if found is None or found.shape != SCALAR:
        return None
    kind = found.dtype.kind if found.dtype is not None else None
    zeros = {"b": False, "i": 0, "f": 0.0, "c": 0j}
    return build.const(zeros[kind]) if kind in zeros else None


# --- counting loops


@dataclass(slots=True)
class Range:
    """`range(start, stop, step)` as expressions."""

    start: ast.expr
    stop: ast.expr
    step: int | ast.expr

    @property
    def unit(self) -> bool:
        return self.step == 1


def range_of(f: Functional, node: ast.expr) -> Range | None:
    if f.fn.library(node) != "range" or not isinstance(node, ast.Call):
        return None
    args = node.args
    match args:
        case [stop]:
            return Range(build.const(0), stop, 1)
        case [start, stop]:
            return Range(start, stop, 1)
        case [start, stop, step]:
            value = f.fn.value(step)
            if isinstance(value, Const) and isinstance(value.value, int):
                return Range(start, stop, value.value)
            return Range(start, stop, step)
        case _:
            return None


def fori(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A loop with a traced number of iterations and no exits: `lax.fori_loop`."""
    source = build.source_of(node)
    plan = iteration(f, source, node, live, context)
    body = [*plan.first, *node.body]
    loop = ast.For(build.store(plan.index), build.const(0), body, [])
    carried = [n for n in carried_names(f, loop, live, []) if n != plan.index]
    check_bound(source, carried, context)
    inner = context.copy()
    enter(f, node, carried, inner)
    inner.types[plan.index] = Array(True, WEAK[int], SCALAR)
    inner.bound |= {plan.index}
    new_body = f.loop_body(body, carried, frozenset(carried), inner)
    if not carried:
        return [*plan.before, *effect_loop(f, plan, new_body)]
    new_body += last_casts(f, source, carried, context, inner)
    inits = initial_values(f, source, carried, context, inner, new_body)
    functions: list[ast.stmt] = []
    step = body_function(f, source, plan.index, carried, new_body, functions)
    call = build.call(
        f.spell("jax.lax.fori_loop"),
        plan.lower,
        plan.upper,
        step,
        build.tuple_of(inits),
    )
    f.keep.append(call)
    leave(f, carried, inner, context)
    return [*plan.before, *functions, result_of(f, carried, call, live, context)]


def effect_loop(
    f: Functional, plan: Iteration, body: Sequence[ast.stmt]
) -> list[ast.stmt]:
    """A loop that carries nothing: it is there for its effects."""
    function = build.function(f.fresh("body"), [plan.index, "_"], body)
    call = build.call(
        f.spell("jax.lax.fori_loop"),
        plan.lower,
        plan.upper,
        build.load(function.name),
        build.const(None),
    )
    f.keep.append(call)
    return [function, ast.Expr(call)]


def counted_while(
    f: Functional, node: ast.For, live: NameSet, context: Context
) -> list[ast.stmt]:
    """A counting loop that may be left early: `lax.while_loop` with an index."""
    source = build.source_of(node)
    plan = iteration(f, source, node, live, context)
    index = plan.index
    advance = ast.AugAssign(build.store(index), ast.Add(), build.const(1))
    test: ast.expr = marked(ast.Compare(build.load(index), [ast.Lt()], [plan.upper]))
    body = [*plan.first, *node.body, advance]
    start = build.assign(index, plan.lower)
    f.advance(start, context)
    statements = [*plan.before]
    loop = ast.While(test, body, [])
    loop.origin = source  # type: ignore[attr-defined]
    loop.done = getattr(node, "done", None)  # type: ignore[attr-defined]
    made = make_while(f, loop, test, body, live, context, hidden=[index])
    return [*statements, start, *made]


@dataclass(slots=True)
class Iteration:
    """How a `for` becomes counting: `index` from `lower` to `upper`.

    `before` runs once, `first` at the head of each iteration.
    """

    index: str
    lower: ast.expr
    upper: ast.expr
    before: list[ast.stmt]
    first: list[ast.stmt]


def iteration(
    f: Functional,
    source: ast.AST,
    node: ast.For,
    live: NameSet,
    context: Context,
) -> Iteration:
    span = range_of(f, node.iter)
    if span is not None and isinstance(node.target, ast.Name):
        return over_range(f, source, node, span, live, context)
    return over_items(f, source, node, live)


def over_range(
    f: Functional,
    source: ast.AST,
    node: ast.For,
    span: Range,
    live: NameSet,
    context: Context,
) -> Iteration:
    assert isinstance(node.target, ast.Name), "checked by the caller"
    name = node.target.id
    kept = name in live or name in writes(node.body)
    if span.unit and not kept:
        index = index_name(f, node) if name.startswith("_") else name
        return Iteration(index, span.start, span.stop, [], [])
    index = index_name(f, node)
    if span.unit:
        return Iteration(
            index, span.start, span.stop, [], [build.assign(name, build.load(index))]
        )
    trips = trip_count(f, source, span)
    value = stepped(span, build.load(index))
    return Iteration(index, build.const(0), trips, [], [build.assign(name, value)])


def index_name(f: Functional, node: ast.For) -> str:
    """A name for the counter of a loop: a parameter of its body, if it has no exit."""
    if getattr(node, "done", None) is None:
        taken = {*names([node]), *f.fn.flow.live_in([node], frozenset())}
        return next(
            (n for n in ("i", "k", "j", "n") if n not in taken), f.fresh("index")
        )
    base = next((n for n in ("i", "k", "index") if n not in f.fn.names), "index")
    return f.fresh(base)


def step_node(span: Range) -> ast.expr:
    if isinstance(span.step, int):
        if span.step < 0:
            return ast.UnaryOp(ast.USub(), build.const(-span.step))
        return build.const(span.step)
    return span.step


def stepped(span: Range, index: ast.expr) -> ast.expr:
    """The value of a range at an index: `start + 3 * i`, `start - 2 * i`."""
    step = span.step
    if isinstance(step, int) and step < 0:
        offset = (
            index if step == -1 else ast.BinOp(build.const(-step), ast.Mult(), index)
        )
        return ast.BinOp(span.start, ast.Sub(), offset)
    offset = index if span.unit else ast.BinOp(step_node(span), ast.Mult(), index)
    return offset if is_zero(span.start) else ast.BinOp(span.start, ast.Add(), offset)


def is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def trip_count(f: Functional, source: ast.AST, span: Range) -> ast.expr:
    """The number of iterations of a range with a step: a negative one means none."""
    if not isinstance(span.step, int) or span.step == 0:
        raise Blocked(source, "the step of the range is not known")
    size = abs(span.step)
    low, high = (span.start, span.stop) if span.step > 0 else (span.stop, span.start)
    known = int_of(low)
    width = ast.BinOp(high, ast.Sub(), low) if known is None else plus(high, -known)
    if size == 1:
        return width
    return ast.BinOp(plus(width, size - 1), ast.FloorDiv(), build.const(size))


def int_of(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            return None


def plus(node: ast.expr, amount: int) -> ast.expr:
    """`node + amount`, where a number that `node` ends with is reckoned in."""
    base = node
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if (last := int_of(right)) is not None:
                base = left
                amount += last if isinstance(op, ast.Add) else -last
        case _ if (value := int_of(node)) is not None:
            return build.const(value + amount)
    if amount == 0:
        return base
    sign: ast.operator = ast.Add() if amount > 0 else ast.Sub()
    return ast.BinOp(base, sign, build.const(abs(amount)))


def over_items(
    f: Functional, source: ast.AST, node: ast.For, live: NameSet
) -> Iteration:
    """A loop over arrays, `zip`, `enumerate`, `reversed`: their items by index."""
    index = index_name(f, node)
    items = Items(f, source, index)
    items.take(node.target, node.iter)
    if not items.counts:
        raise Blocked(source, "what the loop runs over has no length that is known")
    counts = items.counts
    upper = counts[0]
    if len(counts) > 1:
        traced = any(f.fn.traced(c) for c in counts if not build.is_new(c))
        if traced:
            for other in counts[1:]:
                upper = build.call(f.spell("jax.numpy.minimum"), upper, other)
        else:
            upper = build.call("min", *counts)
    return Iteration(index, build.const(0), upper, items.before, items.first)


@dataclass(slots=True)
class Items:
    """Takes an iterable apart into indexed reads."""

    f: Functional
    source: ast.AST
    index: str

    def __post_init__(self) -> None:
        self.before: list[ast.stmt] = []
        self.first: list[ast.stmt] = []
        self.counts: list[ast.expr] = []

    before: list[ast.stmt] = None  # type: ignore[assignment]
    first: list[ast.stmt] = None  # type: ignore[assignment]
    counts: list[ast.expr] = None  # type: ignore[assignment]

    def take(self, target: ast.expr, iterable: ast.expr) -> None:
        name = self.f.fn.library(iterable)
        match iterable:
            case ast.Call(args=args) if name == "zip" and isinstance(target, ast.Tuple):
                if len(args) != len(target.elts):
                    raise Blocked(self.source, "zip and its targets differ in number")
                for inner, arg in zip(target.elts, args, strict=True):
                    self.take(inner, arg)
            case ast.Call(args=[inner, *start]) if name == "enumerate" and isinstance(
                target, ast.Tuple
            ):
                first = start[0] if start else keyword(iterable, "start")
                count: ast.expr = build.load(self.index)
                if first is not None:
                    count = ast.BinOp(count, ast.Add(), first)
                self.bind(target.elts[0], count)
                self.take(target.elts[1], inner)
            case ast.Call(args=[inner]) if name == "reversed":
                self.reversed(target, inner)
            case ast.Call() if name == "range":
                self.over_range(target, iterable)
            case _:
                self.over_array(target, iterable)

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.first.append(build.assign(target.id, value))
            return
        self.first.append(ast.Assign([target], value))

    def over_range(self, target: ast.expr, node: ast.expr) -> None:
        span = range_of(self.f, node)
        if span is None:
            raise Blocked(self.source, "a range of this form is not known")
        if span.unit and is_zero(span.start):
            self.bind(target, build.load(self.index))
            self.counts.append(span.stop)
            return
        self.bind(target, stepped(span, build.load(self.index)))
        self.counts.append(trip_count(self.f, self.source, span))

    def reversed(self, target: ast.expr, inner: ast.expr) -> None:
        span = range_of(self.f, inner)
        if span is None or not span.unit:
            self.over_array(target, inner, backwards=True)
            return
        last = plus(span.stop, -1)
        self.bind(target, ast.BinOp(last, ast.Sub(), build.load(self.index)))
        self.counts.append(trip_count(self.f, self.source, span))

    def over_array(
        self, target: ast.expr, node: ast.expr, *, backwards: bool = False
    ) -> None:
        value = self.f.fn.value(node)
        if not isinstance(value, Array):
            raise Blocked(
                self.source, f"`{ast.unparse(node)}` is not known to be an array"
            )
        if not isinstance(node, ast.Name):
            name = self.f.fresh("items")
            self.before.append(build.assign(name, node))
            node = build.load(name)
        index: ast.expr = build.load(self.index)
        if backwards:
            index = ast.BinOp(ast.UnaryOp(ast.USub(), build.const(1)), ast.Sub(), index)
        self.bind(target, ast.Subscript(node, index, ast.Load()))
        self.counts.append(
            ast.Subscript(
                ast.Attribute(node, "shape", ast.Load()), build.const(0), ast.Load()
            )
        )


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)
