"""Stores into arrays: what is stored where, and whether a new array can take its place.

NumPy changes an array in place, and with it every other name of it. Afterwards a name
is bound to a new array, and the others keep the old one. So a store can be rewritten
only if nobody looks at the array under another name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxfix._analysis import arrays, jax_api
from jaxfix._analysis.definitions import bindings, loads, statement_of, traced_slice
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.indexing import UPDATES
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.scopes import parameter_names, reads
from jaxfix._analysis.values import Array, Dict, Seq, alternatives

from .aliases import (
    in_one_loop,
    is_seen_elsewhere,
    line_of,
    names_bound,
    read_after,
)
from .kept_arrays import why_kept
from .taken import check_taken
from .views import parts_of, viewed, viewed_by

StoreStatement = ast.Assign | ast.AugAssign


def targets_of(stmt: StoreStatement) -> list[ast.expr]:
    """The targets, those in tuples one by one."""
    found: list[ast.expr] = []
    todo = list(stmt.targets) if isinstance(stmt, ast.Assign) else [stmt.target]
    while todo:
        one = todo.pop(0)
        if isinstance(one, ast.Tuple | ast.List):
            todo = [*one.elts, *todo]
        else:
            found.append(one)
    return found


def array_targets(fn: Function, stmt: StoreStatement) -> list[ast.Subscript]:
    """The targets that store into an array which is, or becomes, a tracer."""
    return [
        target
        for target in targets_of(stmt)
        if isinstance(target, ast.Subscript) and why_stored(fn, stmt, target)
    ]


# What NumPy lets a program assign to an array, and what does the same in JAX.
BOUND_ANEW = {
    "flat": "`x = x.at[...].set(v)`, with an index for each axis",
    "imag": "`z = lax.complex(z.real, v)`",
    "real": "`z = lax.complex(v, z.imag)`",
    "shape": "`x = x.reshape(shape)`",
}


def assigned_part(fn: Function, stmt: StoreStatement) -> ast.Attribute | None:
    """`z.real = v`, `x.flat[3] = v`, `x.shape = s` of a traced array."""
    for target in targets_of(stmt):
        part = target.value if isinstance(target, ast.Subscript) else target
        if (
            isinstance(part, ast.Attribute)
            and part.attr in BOUND_ANEW
            and (part is target or part.attr == "flat")
            and arrays.is_array(arrays.value(fn, part.value))
            and arrays.traced(fn, part.value)
        ):
            return part
    return None


def why_stored(
    fn: Function, stmt: StoreStatement, target: ast.Subscript
) -> tuple[Evidence, ...]:
    """Why a store into an array cannot work while JAX traces; empty if it can."""
    if because := why_traced(fn, stmt, target):
        return because
    base: ast.expr = target.value
    while isinstance(base, ast.Subscript):
        base = base.value
    is_host = arrays.is_host_array(arrays.value(fn, base))
    return why_kept(fn, base.id) if is_host and isinstance(base, ast.Name) else ()


def why_traced(
    fn: Function, stmt: StoreStatement, target: ast.Subscript
) -> tuple[Evidence, ...]:
    """Why the array is a tracer, or comes to hold one."""
    known = arrays.value(fn, target.value)
    if not arrays.is_array(known):
        return ()
    if because := arrays.traced(fn, target.value):
        return because
    if isinstance(known, Array) and known.assumed:
        clear = is_clearly_array(fn, stmt, target)
        return arrays.forced(fn, target.value) if clear else ()
    if not arrays.is_host_array(known):
        return ()
    for part in (target.slice, stmt.value):
        if because := arrays.traced_inside(fn, part):
            return because
    return ()


def is_clearly_array(fn: Function, stmt: StoreStatement, target: ast.Subscript) -> bool:
    """Is a parameter of which nothing is known used as only an array is?"""
    if arrays.is_array_index(fn, target.slice):
        return True
    if isinstance(target.slice, ast.Slice) and isinstance(stmt.value, ast.Constant):
        repeats = isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Mult)
        return not repeats and not isinstance(stmt.value.value, str | bytes)
    base = target.value
    return isinstance(base, ast.Name) and arrays.is_used_as_array(fn, base.id)


# --- what is rebound


def place(fn: Function, target: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """The expression that holds the array, and the indices into it.

    `x[i][j]` is a store into `x` at `i, j`; `state["x"][i]` one into `state["x"]`.

    Raises:
      CannotFix: the array cannot be bound anew there.
    """
    index = [traced_slice(fn, part) for part in parts_of(target.slice)]
    base = target.value
    while isinstance(base, ast.Subscript) and arrays.is_array(
        arrays.value(fn, base.value)
    ):
        outer = parts_of(base.slice)
        if not all(arrays.is_scalar(arrays.value(fn, part)) for part in outer):
            raise CannotFix(f"`{ast.unparse(base)}` is a part of an array, or a copy")
        index = [*outer, *index]
        base = base.value
    match base:
        case ast.Name(id=name):
            if name not in own_names(fn):
                raise CannotFix(f"`{name}` belongs to another scope")
        case ast.Subscript(value=container):
            options = alternatives(arrays.value(fn, container) or Dict(()))
            if not all(isinstance(o, Dict | Seq) for o in options):
                raise CannotFix(f"`{ast.unparse(base)}` cannot be bound anew")
            if arrays.traced(fn, base.slice):
                raise CannotFix(f"`{ast.unparse(base)}` is at a traced place")
        case ast.Attribute(value=ast.Name(id=name)) if _is_namedtuple(fn, base.value):
            if name not in own_names(fn):
                raise CannotFix(f"`{name}` belongs to another scope")
        case ast.Attribute(value=whole) if arrays.is_array(arrays.value(fn, whole)):
            raise CannotFix(f"`{ast.unparse(base)}` is a part of an array")
        case ast.Attribute():
            raise CannotFix(
                f"`{ast.unparse(base)}` is the state of an object; return the new array"
            )
        case _:
            raise CannotFix("the array that is stored into has no name")
    return base, index


def _is_namedtuple(fn: Function, node: ast.expr) -> bool:
    known = arrays.value(fn, node)
    return isinstance(known, InstanceValue) and known.cls.kind == "namedtuple"


def own_names(fn: Function) -> set[str]:
    """The names that the function binds itself, its parameters included."""
    if isinstance(fn.node, ast.Module):
        return set()
    names = set(parameter_names(fn.node))
    for node in fn.walk():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.Global | ast.Nonlocal):
            return names - set(node.names)
    return names


# --- other names of the same array


def check_aliases(fn: Function, stmt: ast.stmt, name: str) -> None:
    """See to it that no other name of the array is read after a store into it.

    What holds for one store into the array holds for all: they change together.

    Raises:
      CannotFix: one is, and Python would show it the store.
    """
    places = [stmt, *(one for one in walk_stores(fn) if _is_into(fn, one, name))]
    check_taken(fn, stmt, name)
    for bound in names_bound(fn):
        sources = viewed_by(fn, bound) - {bound.id}
        if bound.id == name:
            holder = fn.module.parent(bound)
            if isinstance(holder, ast.For) and holder.target is bound:
                raise CannotFix(f"`{name}` is a row of what the loop runs over")
            for source in sorted(sources):
                if any(read_after(fn, place, source) for place in places):
                    raise CannotFix(
                        f"`{name}` is another name of `{source}`, which is read "
                        "afterwards: in Python both change"
                    )
        elif name in sources and any(_sees(fn, bound, name, place) for place in places):
            raise CannotFix(
                f"`{bound.id}` is another name of `{name}`: in Python both change"
            )
    for use in loads(fn, name):
        holder = fn.module.parent(use)
        outer = statement_of(fn, use)
        if _is_kept(fn, use, holder) and outer is not None and _before(fn, outer, stmt):
            raise CannotFix(f"`{name}` is kept in a container, which sees the store")


def _is_into(fn: Function, stmt: StoreStatement, name: str) -> bool:
    return any(
        isinstance(target.value, ast.Name) and target.value.id == name
        for target in array_targets(fn, stmt)
    )


def _sees(fn: Function, bound: ast.Name, name: str, stmt: ast.stmt) -> bool:
    """Is a view that `bound` got before a store into `name` read after it?"""
    outer = statement_of(fn, bound)
    return (
        outer is not None
        and _before(fn, outer, stmt)
        and read_after(fn, stmt, bound.id)
        and not _is_made_between(fn, name, outer, stmt)
    )


def check_order(fn: Function, stmt: StoreStatement) -> None:
    """See to it that no store of a statement changes what its next one stores.

    Raises:
      CannotFix: one does: in `m[0], m[1] = m[1], m[0]` the rows are views. Or the
        place of one is read before the statement binds it: `m[i], i = x, i + 1`.
    """
    if not isinstance(stmt, ast.Assign):
        return
    targets = targets_of(stmt)
    for position, place in enumerate(targets):
        later = {t.id for t in targets[position:] if isinstance(t, ast.Name)}
        if isinstance(place, ast.Subscript) and (seen := later & set(reads(place))):
            raise CannotFix(
                f"`{ast.unparse(place)}` is the place before the statement binds "
                f"`{min(seen)}`"
            )
    stored: set[str] = set()
    for target in stmt.targets:
        for place, value in _paired(target, stmt.value):
            seen = stored & viewed(fn, value)
            if seen and isinstance(place, ast.Subscript):
                raise CannotFix(
                    f"`{ast.unparse(value)}` is a view of `{min(seen)}`, which has "
                    "changed when it is stored"
                )
            if isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name):
                stored.add(place.value.id)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets one by one, each with what it is given, or all of it."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
        return
    given = [value] * len(target.elts)
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(given):
        given = value.elts
    for one, part in zip(target.elts, given, strict=True):
        yield from _paired(one, part)


def check_elements(fn: Function, stmt: ast.stmt, container: ast.expr) -> None:
    """See to it that no array in a display is read under a name of its own.

    Raises:
      CannotFix: `rows = [x[0], x[1]]` was, and `x` would show a store into `rows[0]`.
    """
    if not isinstance(container, ast.Name):
        return
    for made in fn.definitions.get(container.id) or ():
        for part in ast.iter_child_nodes(made):
            sources = viewed(fn, part) if isinstance(part, ast.expr) else ()
            for source in (s for s in sorted(sources) if read_after(fn, stmt, s)):
                raise CannotFix(
                    f"`{container.id}` holds `{ast.unparse(part)}`, and `{source}` is "
                    "read afterwards: in Python both change"
                )


def _is_kept(fn: Function, use: ast.Name, holder: ast.AST | None) -> bool:
    """Is the array itself put into a list, tuple or dict that has a name?"""
    if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute):
        is_list = isinstance(fn.value(holder.func.value), Seq)
        return use in holder.args and holder.func.attr == "append" and is_list
    if isinstance(holder, ast.List | ast.Dict):
        outer = fn.module.parent(holder)
        return isinstance(outer, ast.Assign) and outer.value is holder
    return False


def _before(fn: Function, first: ast.stmt, second: ast.stmt) -> bool:
    """May `first` run before `second`: it comes first, or both are in one loop?"""
    return line_of(first) < line_of(second) or in_one_loop(fn, first, second)


def _is_made_between(fn: Function, name: str, alias: ast.stmt, store: ast.stmt) -> bool:
    """Is the array another one at each store, as `new = np.zeros(n)` makes it?

    In a loop that ends with `row = new`, and begins with a new array, the store of the
    next round is into that one.
    """
    loop = next(
        (
            o
            for o in fn.module.ancestors(alias)
            if isinstance(o, ast.For | ast.While)
            and any(o is other for other in fn.module.ancestors(store))
        ),
        None,
    )
    if loop is None or line_of(alias) < line_of(store):
        return False
    for stmt in loop.body:
        if stmt is store or any(node is store for node in ast.walk(stmt)):
            return False
        match stmt:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if (
                target == name
            ):
                return not viewed(fn, value)
    return False


# --- buffers


def buffer(fn: Function, base: ast.expr) -> ast.Call | None:
    """The NumPy call that made the array which is filled with tracers.

    None: the array is a tracer from the start.

    Raises:
      CannotFix: the array is NumPy's, and not made here.
    """
    if not isinstance(base, ast.Name):
        if _starts_on_host(fn, base):
            raise CannotFix(f"`{ast.unparse(base)}` is a NumPy array made elsewhere")
        return None
    places = [b for b in bindings(fn, base.id) if not _is_plain_update(fn, b)]
    made: list[ast.Call] = []
    for bound in places:
        holder = fn.module.parent(bound)
        value = holder.value if isinstance(holder, ast.Assign) else None
        if isinstance(value, ast.Call) and arrays.is_host_array(
            arrays.value(fn, value)
        ):
            made.append(value)
        elif value is not None and arrays.is_host_array(arrays.value(fn, value)):
            raise CannotFix(f"`{base.id}` is a NumPy array made elsewhere")
    if not made:
        return None
    if len(made) > 1 or len(made) < sum(not _is_traced_value(fn, b) for b in places):
        raise CannotFix(f"`{base.id}` is bound to several NumPy arrays")
    if not is_convertible(fn, made[0]):
        raise CannotFix(
            f"`{ast.unparse(made[0].func)}` has no counterpart in jax.numpy"
        )
    return made[0]


def is_convertible(fn: Function, made: ast.Call) -> bool:
    """Has a call of NumPy a counterpart in jax.numpy?"""
    name = arrays.library(fn, made) or ""
    return jax_api.numpy_to_jnp(name, [k.arg or "" for k in made.keywords]) is not None


def _is_traced_value(fn: Function, bound: ast.AST) -> bool:
    """Is it the `y` of `y = y + 1`, where the right side is a tracer?"""
    holder = fn.module.parent(bound)
    return (
        isinstance(holder, ast.Assign)
        and isinstance(known := arrays.value(fn, holder.value), Array)
        and known.traced
        and not known.host
    )


def _is_plain_update(fn: Function, bound: ast.AST) -> bool:
    """Is it the `y` of `y *= 0.5`, which nothing sees by another name?"""
    holder = fn.module.parent(bound)
    return isinstance(holder, ast.AugAssign) and not is_seen_elsewhere(fn, holder)


def _starts_on_host(fn: Function, base: ast.expr) -> bool:
    known = arrays.value(fn, base)
    return known is not None and any(
        isinstance(o, Array) and o.host for o in alternatives(known)
    )


def walk_stores(fn: Function) -> Iterator[StoreStatement]:
    """The statements of the function that store into traced arrays."""
    for node in fn.walk():
        if isinstance(node, ast.Assign | ast.AugAssign) and array_targets(fn, node):
            yield node


# --- updates that are thrown away


def lost_update(
    fn: Function, stmt: ast.Expr
) -> tuple[ast.expr, tuple[Evidence, ...]] | None:
    """The array of an `x.at[i].set(v)` that is a statement of its own, and why."""
    match stmt.value:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=base, attr="at")),
                attr=attr,
            )
        ) if attr in UPDATES:
            because = arrays.traced(fn, base)
            text = f"`.at[...].{attr}` gives a new array, and changes nothing"
            return base, because or (Evidence(fn.path, stmt.lineno, text),)
    return None


def check_rebinding(fn: Function, stmt: ast.stmt, base: ast.expr) -> None:
    """See to it that binding `base` anew reaches those who read it.

    Raises:
      CannotFix: it does not.
    """
    if not isinstance(base, ast.Name):
        raise CannotFix(f"`{ast.unparse(base)}` is no variable of this function")
    if base.id not in own_names(fn):
        raise CannotFix(f"`{base.id}` belongs to another scope")
    if not read_after(fn, stmt, base.id):
        raise CannotFix(f"`{base.id}` is not read afterwards; return the new array")
