"""What a loop carries: which names, from which values on, of which types."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.closures import stale_names
from jaxfix._analysis.effects import FREE, obstacle
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import uses_before_definite_write
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.scopes import mutations, names, writes
from jaxfix._analysis.values import (
    SCALAR,
    Array,
    Const,
    DType,
    Seq,
    Static,
    Unknown,
    Value,
    promote,
)

from .agree import (
    Typed,
    cast,
    collapse,
    dtype_node,
    is_mixed,
    no_array,
    part_word,
    same_dtype,
)
from .aliases import shared_store
from .blocks import Blocked
from .context import Context, NameSet
from .lengths import changed_length
from .ownership import own_objects
from .retyping import is_open, settled_type
from .shared_names import shared_container, shared_name

if TYPE_CHECKING:
    from .functional import Functional


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
    if (shared := shared_store(f.fn, body)) is not None:
        text = ast.unparse(shared)
        raise Blocked(source, f"in the loop, `{text}` changes an array by another name")
    if (name := shared_name(f.fn, body)) is not None:
        why = f"`{name}` is another name of an array that is stored into"
        raise Blocked(source, why)
    if (name := shared_container(f.fn, body)) is not None:
        raise Blocked(source, f"`{name}` has another name, and changes under it later")
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
    if (longer := changed_length(f.fn, body, sorted(exposed))) is not None:
        raise Blocked(source, f"the length of `{longer}` changes in the loop")


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


def check_gradient(
    f: Functional,
    node: ast.For | ast.While,
    carried: Sequence[str],
    before: Context,
    after: Context,
) -> None:
    """A loop of an unknown number of rounds has no reverse-mode gradient.

    Where it carries whole numbers and bools alone, none goes through it.

    Raises:
      Blocked: it would need one.
    """
    if not f.fn.differentiated:
        return
    types = [context.types.get(n) for n in carried for context in (before, after)]
    if all(map(is_whole, types)):
        return
    source = build.source_of(node)
    if isinstance(source, ast.For):
        raise Blocked(
            source,
            "the number of iterations is traced, and the function is differentiated in"
            " reverse mode, which such a loop does not have",
        )
    raise Blocked(
        source,
        "the function is differentiated in reverse mode, and `lax.while_loop` has"
        " no such gradient; a loop with a static bound would have one",
    )


def is_whole(value: Value | None) -> bool:
    """Is it a whole number, a bool, or an array of them?"""
    known = collapse(value)
    found = as_array(known) if known is not None else None
    dtype = found.dtype if found is not None else None
    return dtype is not None and dtype.kind in ("b", "i", "u")


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
    # JAX promotes Python's numbers by what one round makes of them, and no further.
    behind = lagging(body, carried)
    chosen = {*given_by_cond(f, body), *behind}
    heads = f.fn.facts.interpreter.loop_heads.get(id(source), {})
    for name in carried:
        if name in late:
            out.append(build.const(None))
            continue
        before = collapse(context.types.get(name))
        after = collapse(inner.types.get(name))
        if after is None and isinstance(before, InstanceValue):
            after = collapse(heads.get(name))
        try:
            first = initial_value(f, name, before, after, context)
            if name in chosen and is_mixed(context.types.get(name)):
                raise CannotFix(f"the dtype of `{name}` depends on a static condition")
            if isinstance(first, ast.Name) and name in chosen:
                first = first_cast(f, name, before, after, context) or first
            if is_bool_first(before, after):
                raise CannotFix(
                    f"`{name}` is a bool before the loop, and may be a number"
                )
            if name in behind and is_integer(before) and is_open(after):
                raise CannotFix(f"`{name}` may become a float in a later round")
            out.append(first)
        except CannotFix as error:
            raise Blocked(source, str(error)) from error
    return out


def is_bool_first(before: Value | None, after: Value | None) -> bool:
    """Is it a bool, which JAX promotes to nothing, and in the loop perhaps another?"""
    is_open_array = isinstance(after, Array) and after.dtype is None
    return is_open_array and isinstance(before, Const) and type(before.value) is bool


def initial_value(
    f: Functional,
    name: str,
    before: Value | None,
    after: Value | None,
    context: Context,
) -> ast.expr:
    node: ast.expr = build.load(name)
    if (word := part_word(before) or part_word(after)) is not None:
        raise CannotFix(f"`{name}` holds {word}, which compiled code cannot carry")
    if isinstance(before, Seq) or isinstance(after, Seq):
        check_structure(name, before, after)
        return node
    if isinstance(before, Const) and before.value is None:
        raise CannotFix(f"`{name}` is None before the loop and an array in it")
    if (word := no_array(before) or no_array(after)) is not None:
        raise CannotFix(f"`{name}` is {word}, which compiled code cannot carry")
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
        if isinstance(after, Const | Static) or y.dtype.is_weak:
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
    if x.dtype.is_weak and x.dtype.kind != "b":
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
    source = build.source_of(loop)
    heads = f.fn.facts.interpreter.loop_heads.get(id(source), {})
    for name in given_by_cond(f, body):
        if is_mixed(before.types.get(name)):
            raise CannotFix(f"the dtype of `{name}` depends on a static condition")
        value = collapse(before.types.get(name))
        later = f.first_read(name, source) or collapse(heads.get(name))
        if is_open(later):
            later = settled_type(f.fn, source, name, value) or later
        made = first_cast(f, name, value, later, before)
        if made is not None:
            casts.append(build.assign(name, made))
            f.advance(casts[-1], before)
    return casts


def lagging(body: Sequence[ast.stmt], carried: Sequence[str]) -> list[str]:
    """The names of `old = new`, of which one has in a round what the other had before.

    They have one type from the second round on.
    """
    found: list[str] = []
    for stmt in body:
        for node in ast.walk(stmt):
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
                ):
                    pairs = [*zip(targets, values, strict=False)]
                case ast.Assign(targets=[target], value=value):
                    pairs = [(target, value)]
                case _:
                    continue
            for old, new in pairs:
                if isinstance(old, ast.Name) and isinstance(new, ast.Name):
                    found += [old.id, new.id] if {old.id, new.id} <= {*carried} else []
    return found


def is_integer(value: Value | None) -> bool:
    """Is it an integer of Python, known while tracing?"""
    match value:
        case Const():
            return type(value.value) is int
        case Static():
            return value.type == "int"
        case _:
            return False


def first_cast(
    f: Functional,
    name: str,
    before: Value | None,
    later: Value | None,
    context: Context,
) -> ast.expr | None:
    """An integer that becomes a float in a loop, as a float; None for others."""
    return cast_first(f, name, build.load(name), before, later, context)


def cast_first(
    f: Functional,
    name: str,
    node: ast.expr,
    before: Value | None,
    later: Value | None,
    context: Context,
) -> ast.expr | None:
    """The same for a name or a part of it."""
    if before is None or later is None:
        return None
    if isinstance(before, Seq) and isinstance(later, Seq):
        return cast_parts(f, name, node, before, later, context)
    if isinstance(before, InstanceValue) and isinstance(later, InstanceValue):
        return cast_fields(f, name, node, before, later, context)
    x, y = as_array(before), as_array(later)
    if x is None or y is None or x.dtype is None or y.dtype is None:
        return None
    target = promote(x.dtype, y.dtype)
    if target is None or target == x.dtype:
        return None
    if target.kind is not None and target.kind == x.dtype.kind:
        return None
    dtype = dtype_from_names(f, target, context)
    if dtype is None and target.kind is None:
        return None
    if dtype is None:
        raise CannotFix(f"`{name}` has another dtype in the first iteration")
    made = build.call(f.spell("jax.numpy.asarray"), node, dtype)
    return f.new(made, replace(y, dtype=target), FREE)


def cast_parts(
    f: Functional,
    name: str,
    node: ast.expr,
    before: Seq,
    later: Seq,
    context: Context,
) -> ast.expr | None:
    """A tuple with the parts cast that become floats in a loop."""
    first, second = before.items, later.items
    if before.kind != "tuple" or first is None or second is None:
        return None
    if len(first) != len(second):
        return None
    parts = [
        ast.Subscript(build.as_load(node), build.const(i), ast.Load())
        for i in range(len(first))
    ]
    made = [
        cast_first(f, name, part, collapse(a), collapse(b), context)
        for part, a, b in zip(parts, first, second, strict=True)
    ]
    if not any(made):
        return None
    items = [new or old for new, old in zip(made, parts, strict=True)]
    known = [
        f.value(new, {}) if new else old for new, old in zip(made, first, strict=True)
    ]
    types = tuple(value or Unknown() for value in known)
    return f.new(ast.Tuple(items, ast.Load()), Seq("tuple", types), FREE)


def cast_fields(
    f: Functional,
    name: str,
    node: ast.expr,
    before: InstanceValue,
    later: InstanceValue,
    context: Context,
) -> ast.expr | None:
    """A named tuple with the fields cast that become floats in a loop."""
    if before.cls.kind != "namedtuple" or before.cls != later.cls:
        return None
    attrs = dict(before.attrs)
    made: list[ast.keyword] = []
    for field, value in before.attrs.items():
        part = ast.Attribute(build.as_load(node), field, ast.Load())
        after = collapse(later.attrs.get(field))
        if isinstance(value, Const) and type(value.value) is int and is_open(after):
            raise CannotFix(f"`{name}.{field}` may become a float in a later round")
        new = cast_first(f, f"{name}.{field}", part, collapse(value), after, context)
        if new is not None:
            made.append(ast.keyword(field, new))
            attrs[field] = f.value(new, {}) or Unknown()
    if not made:
        return None
    call = build.method(build.as_load(node), "_replace")
    call.keywords = made
    return f.new(call, before.copied(attrs), FREE)


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
