"""Stores into arrays, as statements that bind a new array."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.definitions import traced_slice
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Safety
from jaxfix._analysis.operands import dtype_of
from jaxfix._analysis.polynomials import static_difference
from jaxfix._analysis.values import Array, Const, Static, Value, promote
from jaxfix._planning import (
    masked_gradients,
    masks,
    mutators,
    numpy_calls,
    signs,
    store_calls,
    stores,
    windows,
)
from jaxfix._planning.masks import Selection
from jaxfix._planning.plan import Sites
from jaxfix._planning.stores import StoreStatement

from .rewrite import Rewriter

AT_METHODS: dict[type[ast.operator], str] = {ast.Add: "add", ast.Mult: "multiply"}
# The methods of `x.at[i]` by what they do to the elements.
STORED_BY: dict[str, ast.operator | None] = {
    "set": None,
    "add": ast.Add(),
    "subtract": ast.Sub(),
    "multiply": ast.Mult(),
    "mul": ast.Mult(),
    "divide": ast.Div(),
    "power": ast.Pow(),
}


@dataclass(frozen=True, slots=True)
class Update:
    """One store: `base[index] = value`, or `base[index] op= value`."""

    target: ast.Subscript
    base: ast.expr
    index: list[ast.expr]
    op: ast.operator | None
    value: ast.expr


def check_store(fn: Function, stmt: StoreStatement) -> Safety:
    """Can the statement be rewritten, and how safely?

    Raises:
      CannotFix: it cannot.
    """
    safety = Safety.SAFE
    stores.check_order(fn, stmt)
    for one in updates(fn, stmt, stmt.value):
        root: ast.expr = one.base
        if isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            stores.check_aliases(fn, stmt, root.id)
        elif isinstance(root, ast.Subscript):
            stores.check_elements(fn, stmt, root.value)
        stores.buffer(fn, one.base)
        updated(fn, one, lambda name: name)
        for part in one.index:
            if isinstance(part, ast.Slice) and not _counts_from_start(fn, part):
                safety = Safety.UNSAFE
    return safety


def _counts_from_start(fn: Function, part: ast.Slice) -> bool:
    bounds = [b for b in (part.lower, part.upper) if b is not None and fn.traced(b)]
    if (
        part.lower is not None
        and part.upper is not None
        and static_difference(fn, part.upper, part.lower) is not None
    ):
        bounds = bounds[:1]
    return all(signs.nonnegative(fn, bound) for bound in bounds)


def updates(fn: Function, stmt: StoreStatement, value: ast.expr) -> list[Update]:
    op = stmt.op if isinstance(stmt, ast.AugAssign) else None
    found = []
    for target in stores.array_targets(fn, stmt):
        base, index = stores.place(fn, target)
        found.append(Update(target, base, index, op, value))
    return found


# --- `x.at[i].set(v)` with an index that cannot be traced


def at_update(fn: Function, node: ast.Subscript) -> tuple[ast.Call, Update]:
    """The call around `x.at[i]`, and the store that it is.

    Raises:
      CannotFix: it is none that has operators for it.
    """
    base = node.value
    method = fn.module.parent(node)
    call = fn.module.parent(method) if method is not None else None
    assert isinstance(base, ast.Attribute), "it is the `x.at` of `x.at[i]`"
    if (
        not isinstance(method, ast.Attribute)
        or not isinstance(call, ast.Call)
        or call.func is not method
        or method.attr not in STORED_BY
    ):
        raise CannotFix(f"`{ast.unparse(node)}` is not stored into at once")
    if call.keywords or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        raise CannotFix(f"`{method.attr}` is called with options")
    index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    op = STORED_BY[method.attr]
    parts = [traced_slice(fn, part) for part in index]
    return call, Update(node, base.value, parts, op, call.args[0])


def plan_at(fn: Function, node: ast.Subscript) -> Sites:
    """How `x.at[i].set(v)` is written with an index of static size.

    Raises:
      CannotFix: it cannot be.
    """
    call, one = at_update(fn, node)
    new = updated(fn, one, lambda name: name)
    counted = all(
        _counts_from_start(fn, p) for p in one.index if isinstance(p, ast.Slice)
    )
    by_mask = any(masks.mask_of(fn, part) is not None for part in one.index)
    is_where = by_mask or not _is_at_method(new)
    title = "jnp.where" if is_where else "`.at[...]` with an array of places"
    key = f"{fn.path}:{call.lineno}:{call.col_offset}"
    return Sites(title, Safety.SAFE if counted else Safety.UNSAFE, key)


def mend_at(write: Rewriter, fn: Function, node: ast.Subscript) -> None:
    """Carry out `plan_at`."""
    call, one = at_update(fn, node)
    writer = write.writer(fn.module)
    edit_leaves(write, fn, one)
    new = updated(fn, one, write.spell(fn))
    writer.edit(call, lambda: writer.expr(new))


def _is_at_method(new: ast.expr) -> bool:
    return (
        isinstance(new, ast.Call)
        and isinstance(new.func, ast.Attribute)
        and isinstance(new.func.value, ast.Subscript)
    )


# --- statements


def store_statements(
    write: Rewriter, fn: Function, stmt: StoreStatement
) -> list[ast.stmt]:
    """The statements that bind new arrays instead of storing into the old ones."""
    for one in updates(fn, stmt, stmt.value):
        made = stores.buffer(fn, one.base)
        if made is not None:
            in_jax(write, fn, made)
    simple = isinstance(stmt, ast.AugAssign) or (
        len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Subscript)
    )
    if simple:
        (only,) = updates(fn, stmt, stmt.value)
        edit_leaves(write, fn, only)
        return [bound(write, fn, only)]
    assert isinstance(stmt, ast.Assign), "several targets are those of an assignment"
    return _several(write, fn, stmt)


def check_rebound(fn: Function, stmt: ast.AugAssign) -> None:
    """Is `p = p + v` what `p += v` does, but for the array that changes?

    Raises:
      CannotFix: NumPy would keep the dtype, or another name sees the change.
    """
    assert isinstance(stmt.target, ast.Name), "a variable"
    known = fn.value(stmt.target)
    value = fn.value(stmt.value)
    is_exact = isinstance(stmt.op, ast.Div | ast.Pow) and arrays.kind(known) != "f"
    if is_exact or not fits(known, value):
        raise CannotFix("in place NumPy keeps the dtype; a new array may have another")
    stores.check_aliases(fn, stmt, stmt.target.id)


def rebound(stmt: ast.AugAssign) -> ast.stmt:
    """`p = p + v` for `p += v`."""
    assert isinstance(stmt.target, ast.Name), "a variable"
    name = stmt.target.id
    return build.assign(name, ast.BinOp(build.load(name), stmt.op, stmt.value))


def store_call_statements(
    write: Rewriter, fn: Function, stmt: ast.Expr
) -> list[ast.stmt]:
    """`counts = counts.at[i].add(1)` for `np.add.at(counts, i, 1)`."""
    call = store_calls.store_call(fn, stmt)
    assert call is not None, "the statement is such a call"
    name = store_calls.check(fn, stmt, call)
    if (made := stores.buffer(fn, call.base)) is not None:
        in_jax(write, fn, made)
    return [build.assign(name, store_calls.updated(fn, call, write.spell(fn)))]


def _several(write: Rewriter, fn: Function, stmt: ast.Assign) -> list[ast.stmt]:
    """`x[i], y[j] = a, b`: the values get names, then each is stored."""
    stored = {id(t) for t in stores.array_targets(fn, stmt)}
    later: list[tuple[ast.expr, ast.expr]] = []
    fresh = write.fresh(fn)

    def renamed(target: ast.expr) -> ast.expr:
        if isinstance(target, ast.Tuple | ast.List):
            return type(target)([renamed(e) for e in target.elts], ast.Store())
        if isinstance(target, ast.Name):
            return target
        name = fresh("value")
        later.append((target, build.load(name)))
        return build.store(name)

    if len(stmt.targets) == 1:
        first: list[ast.stmt] = [ast.Assign([renamed(stmt.targets[0])], stmt.value)]
    else:
        first, value = [], stmt.value
        if not isinstance(value, ast.Constant):
            name = fresh("value")
            first = [build.assign(name, value)]
            value = build.load(name)
        for target in stmt.targets:
            if isinstance(target, ast.Subscript | ast.Attribute):
                later.append((target, value))
            else:
                first.append(ast.Assign([renamed(target)], value))
    out = first
    for target, value in later:
        if id(target) in stored:
            assert isinstance(target, ast.Subscript), "an array store is a subscript"
            base, index = stores.place(fn, target)
            out.append(bound(write, fn, Update(target, base, index, None, value)))
        else:
            out.append(ast.Assign([target], value))
    return out


def bound(write: Rewriter, fn: Function, one: Update) -> ast.stmt:
    """`x = x.at[i].set(value)`."""
    new = updated(fn, one, write.spell(fn))
    if isinstance(one.base, ast.Name):
        return build.assign(one.base.id, new)
    if isinstance(one.base, ast.Attribute) and isinstance(one.base.value, ast.Name):
        owner = one.base.value.id
        replaced = build.method(build.load(owner), "_replace")
        replaced.keywords.append(ast.keyword(one.base.attr, new))
        return build.assign(owner, replaced)
    return ast.Assign([one.base], new)


def in_jax(write: Rewriter, fn: Function, node: ast.Call) -> None:
    """Make a NumPy call one of `jax.numpy`."""
    writer = write.writer(fn.module)
    new = numpy_calls.in_jax(fn, node, write.spell(fn))
    writer.edit(node, lambda: writer.expr(new))


# --- the new array


def updated(fn: Function, one: Update, spell: Callable[[str], str]) -> ast.expr:
    """The array after the store.

    Raises:
      CannotFix: the indices or the value do not let us say it.
    """
    base: ast.expr = one.base
    if isinstance(base, ast.Name):
        base = build.load(base.id)
    if arrays.is_host_array(fn.host_value(one.base)) and not arrays.is_host_array(
        arrays.value(fn, one.base)
    ):
        base = build.call(spell("jax.numpy.asarray"), base)
    if (found := selected(fn, one)) is not None:
        return _masked(fn, one, found, base, spell)
    parts = [masks.mask_of(fn, part) for part in one.index]
    if any(mask is not None for mask in parts):
        return _masked_axis(fn, one, parts, base, spell)
    index = _indices(fn, one, spell)
    key = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
    at = ast.Subscript(ast.Attribute(base, "at", ast.Load()), key, ast.Load())
    if one.op is None:
        return build.method(at, "set", _cast(fn, one, spell))
    name = AT_METHODS.get(type(one.op))
    if name is not None and all(_is_unique(fn, part) for part in one.index):
        return build.method(at, name, one.value)
    if not _may_repeat_safely(fn, one):
        raise CannotFix("indices may occur twice: NumPy adds once, `.at[].add` twice")
    old = ast.Subscript(base, key, ast.Load())
    return build.method(at, "set", ast.BinOp(old, one.op, one.value))


def _indices(fn: Function, one: Update, spell: Callable[[str], str]) -> list[ast.expr]:
    """The indices, as `.at[...]` takes them."""
    cut = [part for part in one.index if _is_window(fn, part)]
    if cut:
        _require_apart(fn, one)
    found: list[ast.expr] = []
    for part in one.index:
        if isinstance(part, ast.Slice) and part in cut:
            places = _places(fn, part, spell)
            later = len(cut) - cut.index(part) - 1
            found.append(_spread(places, later))
        elif isinstance(part, ast.List):
            found.append(build.call(spell("jax.numpy.array"), part))
        else:
            found.append(part)
    return found


def _is_window(fn: Function, part: ast.expr) -> bool:
    if not isinstance(part, ast.Slice):
        return False
    bounds = [b for b in (part.lower, part.upper, part.step) if b is not None]
    return any(fn.traced(b) for b in bounds)


def _places(fn: Function, part: ast.Slice, spell: Callable[[str], str]) -> ast.expr:
    """`start + jnp.arange(width)` for a slice of static width."""
    width = None
    if part.lower is not None and part.upper is not None and part.step is None:
        width = static_difference(fn, part.upper, part.lower)
    if width is None or part.lower is None:
        raise CannotFix("a slice of traced width is stored into")
    places = build.call(spell("jax.numpy.arange"), width)
    return ast.BinOp(part.lower, ast.Add(), places)


def _require_apart(fn: Function, one: Update) -> None:
    """Arrays of places name the same elements as the slices, in the same layout.

    Raises:
      CannotFix: they do not.
    """
    others = [p for p in one.index if not isinstance(p, ast.Slice)]
    if not all(arrays.is_scalar(arrays.value(fn, p)) for p in others):
        raise CannotFix("a traced slice is mixed with other indices")
    arrays_at = [
        i
        for i, part in enumerate(one.index)
        if not isinstance(part, ast.Slice) or _is_window(fn, part)
    ]
    is_one_block = arrays_at[-1] - arrays_at[0] < len(arrays_at)
    if not is_one_block and not arrays.is_scalar(arrays.value(fn, one.value)):
        raise CannotFix("a traced slice is mixed with other indices")


def _spread(node: ast.expr, count: int, rank: int = 1) -> ast.expr:
    """`node[:, None]`, for arrays along `count` axes behind those of the node."""
    if not count:
        return node
    nones: list[ast.expr] = [ast.Constant(None) for _ in range(count)]
    key = ast.Tuple([*[ast.Slice()] * rank, *nones], ast.Load())
    return ast.Subscript(node, key, ast.Load())


def _is_unique(fn: Function, part: ast.expr) -> bool:
    """Does the index name no element twice?"""
    if isinstance(part, ast.Slice | ast.Constant):
        return True
    if isinstance(part, ast.List):
        return _are_distinct(part)
    if arrays.library(fn, part) == "jax.numpy.arange":
        return True
    return arrays.is_scalar(arrays.value(fn, part))


def _are_distinct(part: ast.List) -> bool:
    """Is it a list of integers of one sign, none of them twice?"""
    try:
        found = ast.literal_eval(part)
    except ValueError:
        return False
    if not all(type(one) is int for one in found):
        return False
    is_one_sign = len({one < 0 for one in found}) <= 1
    return is_one_sign and len(set(found)) == len(found)


def _may_repeat_safely(fn: Function, one: Update) -> bool:
    """Is `x[i] = x[i] op v` one value for each place, even where `i` repeats?"""
    if arrays.is_scalar(arrays.value(fn, one.value)):
        return True
    ranks = [
        0 if isinstance(p, ast.Slice) else arrays.rank(arrays.value(fn, p))
        for p in one.index
    ]
    return all(rank == 0 for rank in ranks)


def _cast(fn: Function, one: Update, spell: Callable[[str], str]) -> ast.expr:
    """The value in the dtype of the array: NumPy casts it, JAX would warn."""
    known = arrays.value(fn, one.base)
    value = None if build.is_new(one.value) else arrays.value(fn, one.value)
    if value is None or fits(known, value):
        return one.value
    if not _is_narrower(known, value):
        return one.value
    dtype = ast.Attribute(one.base, "dtype", ast.Load())
    if isinstance(value, Array):
        return build.method(one.value, "astype", dtype)
    return build.call(spell("jax.numpy.asarray"), one.value, dtype)


def _is_narrower(base: Value | None, value: Value | None) -> bool:
    """Would JAX warn that the array cannot hold the value?"""
    kinds = "bifc"
    a, b = arrays.kind(base), arrays.kind(value)
    if a and b and kinds.index(a) < kinds.index(b):
        return True
    return (
        _is_half(base) and isinstance(value, Array) and not _is_half(value) and b == "f"
    )


def _is_half(known: Value | None) -> bool:
    dtype = dtype_of(known) if known is not None else None
    names = dtype.strong if dtype is not None else frozenset()
    return bool(names) and names <= {"float16", "bfloat16"}


def fits(base: Value | None, value: Value | None) -> bool:
    """Does the array keep its dtype when it takes the value?"""
    if base is None or value is None:
        return False
    a, b = dtype_of(base), dtype_of(value)
    if a is None:
        return isinstance(value, Const | Static) and arrays.kind(value) in ("i", "b")
    return b is not None and promote(a, b) == a


# --- masks


def selected(fn: Function, one: Update) -> Selection | None:
    """The elements that a store by a mask, or by a slice of traced width, changes."""
    if len(one.index) > 1:
        return masks.on_some_axes(fn, one.base, one.index)
    part = one.index[0]
    node = ast.Subscript(one.base, part, ast.Load())
    if isinstance(part, ast.Slice):
        if not any(fn.traced(b) for b in (part.lower, part.upper) if b is not None):
            return None
        if (
            part.lower is not None
            and part.upper is not None
            and part.step is None
            and static_difference(fn, part.upper, part.lower) is not None
        ):
            return None
        return Selection(node, one.base, None, part)
    mask = masks.mask_of(fn, part)
    return Selection(node, one.base, mask, None) if mask is not None else None


def _masked(
    fn: Function,
    one: Update,
    found: Selection,
    base: ast.expr,
    spell: Callable[[str], str],
) -> ast.expr:
    """`x = jnp.where(mask, value, x)`."""
    mask = masks.where_mask(fn, found, spell)
    if not build.is_new(one.value):
        masks.whole(fn, one.value, found)
    old = base
    if isinstance(one.op, ast.Pow):
        # A power may have no value, or no gradient, where the mask is false.
        old = build.call(spell("jax.numpy.where"), mask, base, build.const(1))
    new = one.value if one.op is None else ast.BinOp(old, one.op, one.value)
    made: ast.expr = build.call(spell("jax.numpy.where"), mask, new, base)
    return _kept_dtype(fn, one, made)


def _kept_dtype(fn: Function, one: Update, made: ast.expr) -> ast.expr:
    known = arrays.value(fn, one.base)
    value = None if build.is_new(one.value) else arrays.value(fn, one.value)
    if fits(known, value) and not isinstance(one.op, ast.Div | ast.Pow):
        return made
    if (
        isinstance(one.op, ast.Div | ast.Pow)
        and arrays.kind(known) == "f"
        and fits(known, value)
    ):
        return made
    return build.method(made, "astype", ast.Attribute(one.base, "dtype", ast.Load()))


def _masked_axis(
    fn: Function,
    one: Update,
    parts: list[ast.expr | None],
    base: ast.expr,
    spell: Callable[[str], str],
) -> ast.expr:
    """`x[mask, 0] = v`: the column is masked and put back."""
    place = next(i for i, mask in enumerate(parts) if mask is not None)
    mask = parts[place]
    assert mask is not None, "one of the indices is a mask"
    others = [p for i, p in enumerate(one.index) if i != place]
    rank = arrays.rank(arrays.value(fn, one.base))
    masked = arrays.rank(arrays.value(fn, mask))
    if not masked or rank is None:
        names = f"`{ast.unparse(one.base)}` and `{ast.unparse(mask)}`"
        raise CannotFix(f"it is not known how many axes {names} have")
    if not all(_is_plain(fn, part) for part in others):
        raise CannotFix("the mask is one of several indices")
    index: list[ast.expr] = list(one.index)
    index[place : place + 1] = [ast.Slice()] * masked
    behind = sum(isinstance(part, ast.Slice) for part in index[place + masked :])
    behind += rank - len(index)
    value = arrays.rank(arrays.value(fn, one.value))
    if value is None or value > behind:
        raise CannotFix("several elements are stored by a mask")
    mask = _spread(mask, behind, masked)
    while index and windows.is_whole(index[-1]):
        index.pop()
    if not index:
        new = one.value if one.op is None else ast.BinOp(base, one.op, one.value)
        whole = build.call(spell("jax.numpy.where"), mask, new, base)
        return _kept_dtype(fn, one, whole)
    key = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
    old = ast.Subscript(base, key, ast.Load())
    new = one.value if one.op is None else ast.BinOp(old, one.op, one.value)
    at = ast.Subscript(ast.Attribute(base, "at", ast.Load()), key, ast.Load())
    made: ast.expr = build.call(spell("jax.numpy.where"), mask, new, old)
    return build.method(at, "set", _kept_dtype(fn, one, made))


def _is_plain(fn: Function, part: ast.expr) -> bool:
    """A number, or a slice with static bounds."""
    if isinstance(part, ast.Slice):
        return not _is_window(fn, part)
    return arrays.is_scalar(arrays.value(fn, part))


def edit_leaves(write: Rewriter, fn: Function, one: Update) -> None:
    """In `x[mask] = y[mask] * 2`, `y[mask]` becomes `y`."""
    found = selected(fn, one)
    if found is None:
        return
    writer = write.writer(fn.module)
    spell = write.spell(fn)
    parts = masks.whole(fn, one.value, found)
    mask = masks.where_mask(fn, found, spell)
    divides = isinstance(one.op, ast.Div | ast.FloorDiv | ast.Mod)
    curved = isinstance(one.op, ast.Mult | ast.Pow)
    zeroed = masked_gradients.zeroed_leaves(fn, one.value, parts, curved=curved)
    for part in parts.guards:
        made = masks.one_elsewhere(mask, part, spell)
        writer.edit(part, lambda made=made: writer.expr(made))  # type: ignore[misc]
    for node, picked in parts.leaves:
        guarded = divides or masked_gradients.is_guarded(fn, node, parts)
        base = masks.leaf(picked, mask, guarded, spell)
        if node in zeroed and not parts.guarded and not divides:
            base = masks.zero_elsewhere(mask, base, spell)
        writer.edit(node, lambda base=base: writer.expr(base))  # type: ignore[misc]


# --- functions that store into their arguments


def mend_mutator(write: Rewriter, fn: Function, found: mutators.Mutator) -> None:
    """The function returns the arrays that it changes, and its callers take them."""
    writer = write.writer(fn.module)
    assert isinstance(fn.node, ast.FunctionDef), "it has statements"
    for stmt in list(stores.walk_stores(fn)):
        made = store_statements(write, fn, stmt)
        writer.replace_statement(stmt, lambda made=made: writer.statements(made))  # type: ignore[misc]
    result = build.tuple_of([build.load(name) for name in found.names])
    if not mutators.returned_names(fn):
        for node in fn.walk():
            if isinstance(node, ast.Return):
                ret = [build.ret(result)]
                writer.replace_statement(node, lambda ret=ret: writer.statements(ret))  # type: ignore[misc]
        last = fn.node.body[-1]
        if not isinstance(last, ast.Return):
            end = [build.ret(result)]
            writer.insert_after(last, lambda: writer.statements(end))
    for one in found.rebindings:
        _rebind(write, one)


def _rebind(write: Rewriter, one: mutators.Rebinding) -> None:
    writer = write.writer(one.caller.module)
    for buffer in one.buffers:
        in_jax(write, one.caller, buffer)
    write.touch(one.caller)
    if one.is_taken:
        return
    assert isinstance(one.stmt, ast.Expr), "a call that is a statement"
    names = [arg.id for arg in one.names if isinstance(arg, ast.Name)]
    made = [build.assign(names if len(names) > 1 else names[0], one.stmt.value)]
    writer.replace_statement(one.stmt, lambda: writer.statements(made))
