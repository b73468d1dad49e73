"""Parts of arrays whose size depends on data, and the reductions that consume them.

`x[mask]` and `x[:n]` have no shape while JAX traces. Where they are reduced at once, or
by way of a name, the reduction can look at the whole array and skip what is not wanted:
`jnp.sum(x, where=mask)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from jaxfix._analysis import arrays, build, jax_api
from jaxfix._analysis.definitions import (
    bindings,
    definition,
    in_traced_region,
    loads,
    resolved,
    same,
    statement_of,
    unchanged,
)
from jaxfix._analysis.effects import cost
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Safety
from jaxfix._analysis.shapes import known_dims
from jaxfix._analysis.values import Array, Const

from .signs import negative, nonnegative

Spell = Callable[[str], str]

REDUCTIONS = frozenset(
    ["sum", "prod", "mean", "max", "min", "any", "all", "std", "var"]
)
# Functions alone, which skip NaN as well, or take `where=` under another roof.
NAN_REDUCTIONS = frozenset(["nansum", "nanprod", "nanmean", "nanstd", "nanvar"])
LOGSUMEXP = frozenset(
    ["jax.nn.logsumexp", "jax.scipy.special.logsumexp", "jax.numpy.logsumexp"]
)
NORM = "jax.numpy.linalg.norm"
DEFINED_AT_ONE = frozenset(
    f"jax.numpy.{n}"
    for n in [
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "cbrt",
        "exp",
        "expm1",
        "reciprocal",
    ]
)
PRODUCTS = frozenset(f"jax.numpy.{n}" for n in ("dot", "vdot", "inner", "matmul"))
FINDERS = frozenset(
    f"{m}.{n}" for m in ("jax.numpy", "numpy") for n in ("where", "nonzero")
)
FLAT_FINDERS = frozenset({"jax.numpy.flatnonzero", "numpy.flatnonzero"})
# `jnp.extract(mask, x)` is `x[mask]`.
PICKERS = frozenset({"jax.numpy.compress", "jax.numpy.extract"})
ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


@dataclass(frozen=True, slots=True)
class Selection:
    """`base[mask]` or `base[lower:upper]`; `node` is the subscript, or a call of
    `jnp.extract` and the like. `lead` axes stand before that of the mask."""

    node: ast.Subscript | ast.Call
    base: ast.expr
    mask: ast.expr | None
    part: ast.Slice | None
    lead: int = 0

    def picks_as(self, fn: Function, other: Selection) -> bool:
        """Do both pick the elements at the same places?"""
        if self.lead != other.lead:
            return False
        if self.mask is not None and other.mask is not None:
            return _meaning(fn, self.mask) == _meaning(fn, other.mask)
        if self.part is not None and other.part is not None:
            return same(self.part, other.part)
        return False


def _meaning(fn: Function, mask: ast.expr) -> object:
    """The text of a mask, or of what its name stands for."""
    if fn.module.parent(mask) is None:
        return ast.dump(resolved(fn, mask))
    key = ("mask", id(mask))
    if key not in fn.selections:
        fn.selections[key] = ast.dump(resolved(fn, mask))
    return fn.selections[key]


def subscript_selection(fn: Function, node: ast.AST) -> Selection | None:
    """The selection that a subscript makes, if its size is traced."""
    if isinstance(node, ast.Call):
        return _called_selection(fn, node)
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return None
    if not arrays.is_array(fn.value(node.value)):
        return None
    index = node.slice
    if isinstance(index, ast.Slice):
        bounds = [b for b in (index.lower, index.upper) if b is not None]
        if any(fn.traced(b) for b in bounds):
            return Selection(node, node.value, None, index)
        return None
    if isinstance(index, ast.Tuple):
        found = on_some_axes(fn, node.value, index.elts)
        return replace(found, node=node) if found is not None else None
    mask = mask_of(fn, index) or named_mask(fn, index)
    return Selection(node, node.value, mask, None) if mask is not None else None


def named_mask(fn: Function, index: ast.expr) -> ast.expr | None:
    """The mask whose places have a name: `hits = jnp.where(mask)[0]` of `x[hits]`."""
    if not isinstance(index, ast.Name) or is_mask(fn, index):
        return None
    found = definition(fn, index)
    if found is None or isinstance(found[1], ast.Name) or is_mask(fn, found[1]):
        return None
    if len(bindings(fn, index.id)) != 1 or not unchanged(fn, found[1], found[0], index):
        return None
    return mask_of(fn, found[1])


def on_some_axes(
    fn: Function, base: ast.expr, index: Sequence[ast.expr]
) -> Selection | None:
    """`table[:, mask]`: the mask of some axes, and the others whole."""
    masks = {
        place: mask
        for place, part in enumerate(index)
        if (mask := mask_of(fn, part)) is not None
    }
    whole = [p for p, e in enumerate(index) if ast.unparse(e) == ":"]
    if len(masks) != 1 or len(whole) != len(index) - 1:
        return None
    ((lead, mask),) = masks.items()
    if not arrays.rank(fn.value(mask)) or arrays.rank(fn.value(base)) is None:
        return None
    node = ast.Subscript(base, ast.Tuple(list(index), ast.Load()), ast.Load())
    return Selection(node, base, mask, None, lead)


def _called_selection(fn: Function, node: ast.Call) -> Selection | None:
    """`jnp.extract(mask, x)`, with a mask that has the shape of the array."""
    name = arrays.library(fn, node)
    if name not in PICKERS or node.keywords or len(node.args) != 2:
        return None
    mask, base = node.args
    if any(isinstance(a, ast.Starred) for a in node.args) or not is_mask(fn, mask):
        return None
    is_flat = name == "jax.numpy.extract" or arrays.rank(fn.value(base)) == 1
    if not is_flat or not covers(fn, base, mask):
        return None
    return Selection(node, base, mask, None)


def is_reduced(fn: Function, node: ast.Call) -> bool:
    """Is a call a selection, all of whose uses can do with a mask?"""
    found = subscript_selection(fn, node)
    if found is None:
        return False
    try:
        mending(fn, found)
    except CannotFix:
        return False
    return True


def mask_of(fn: Function, index: ast.expr) -> ast.expr | None:
    """The traced mask that an index is or is made from (`jnp.where(mask)`)."""
    if is_mask(fn, index):
        return index
    is_first = isinstance(index, ast.Subscript) and fn.value(index.slice) == Const(0)
    if isinstance(index, ast.Subscript) and is_first:
        index = index.value
    if not isinstance(index, ast.Call) or len(index.args) != 1 or index.keywords:
        return None
    (mask,) = index.args
    name = arrays.library(fn, index)
    is_flat = name in FLAT_FINDERS and not is_first
    if not (is_flat or name in FINDERS) or not is_mask(fn, mask):
        return None
    one_axis = is_first or is_flat
    return mask if not one_axis or arrays.rank(fn.value(mask)) == 1 else None


def is_mask(fn: Function, node: ast.expr) -> bool:
    return bool(fn.traced(node)) and arrays.kind(fn.tracer(node)) == "b"


def selection(fn: Function, node: ast.expr) -> Selection | None:
    """The selection that an expression is, itself or by way of a name.

    A name may stand for what is computed of selections, element by element: the whole
    of that is the name itself, once its assignment computes with whole arrays.
    """
    if not isinstance(node, ast.Name):
        return subscript_selection(fn, node)
    if fn.module.parent(node) is None:
        return None
    if id(node) not in fn.selections:
        fn.selections[id(node)] = None  # the answer to a name that is made of itself
        fn.selections[id(node)] = _named_selection(fn, node)
    known = fn.selections[id(node)]
    return known if isinstance(known, Selection) else None


def _named_selection(fn: Function, node: ast.Name) -> Selection | None:
    found = definition(fn, node)
    if found is None or not unchanged(fn, found[1], found[0], node):
        return None
    made = subscript_selection(fn, found[1])
    if made is not None or not elementwise_parts(fn, found[1]):
        return made
    try:
        leaves = whole(fn, found[1]).leaves
    except CannotFix:
        return None
    if not leaves:
        return None
    first = leaves[0][1]
    return Selection(first.node, node, first.mask, first.part, first.lead)


# --- reductions


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction of `operand`. `name` is that of the jax function, or `"count"`.

    `"dot"` is the sum of the products with `other`.
    """

    node: ast.expr
    name: str
    operand: ast.expr
    axis: ast.expr | None = None
    keywords: tuple[ast.keyword, ...] = ()
    other: ast.expr | None = None

    @property
    def operands(self) -> tuple[ast.expr, ...]:
        return (self.operand,) if self.other is None else (self.operand, self.other)


def reduction(fn: Function, node: ast.AST) -> Reduction | None:
    """What a call, or `x.size`, `x.shape[0]`, reduces."""
    match node:
        case ast.Attribute(value=operand, attr="size"):
            return Reduction(node, "count", operand)
        case ast.Subscript(value=ast.Attribute(value=operand, attr="shape")):
            is_first = fn.value(node.slice) == Const(0)
            return Reduction(node, "count", operand) if is_first else None
        case ast.Call(func=ast.Attribute(value=receiver, attr=attr)) if (
            attr in REDUCTIONS and arrays.method(fn, node) is not None
        ):
            return _called(node, attr, receiver, node.args)
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return Reduction(node, "dot", left, other=right)
        case ast.Call(args=[left, right], keywords=[]) if (
            arrays.library(fn, node) in PRODUCTS
        ):
            return Reduction(node, "dot", left, other=right)
        case ast.Call(args=[operand, *rest]):
            name = arrays.library(fn, node) or ""
            module, _, function = name.rpartition(".")
            if module in ("jax.numpy", "numpy") and function in REDUCTIONS:
                return _called(node, function, operand, rest)
            if module == "jax.numpy" and function in NAN_REDUCTIONS:
                return _called(node, function, operand, rest)
            if name in LOGSUMEXP and not (rest or node.keywords):
                return Reduction(node, "logsumexp", operand)
            if name == NORM and not (rest or node.keywords):
                return Reduction(node, "norm", operand)
            if name in ("sum", "max", "min", "any", "all") and not rest:
                return _called(node, name, operand, rest)
            if name in ("len", "jax.numpy.size", "numpy.size") and not rest:
                return Reduction(node, "count", operand)
    return None


def _called(
    node: ast.Call, name: str, operand: ast.expr, rest: list[ast.expr]
) -> Reduction | None:
    axis = rest[0] if rest else None
    others: list[ast.keyword] = []
    for keyword in node.keywords:
        if keyword.arg == "axis":
            axis = keyword.value
        elif keyword.arg in ("dtype", "ddof", "correction"):
            others.append(keyword)
        else:
            return None
    if len(rest) > 1:
        return None
    return Reduction(node, name, operand, axis, tuple(others))


def consumer(fn: Function, node: ast.expr) -> Reduction | None:
    """The reduction that an expression ends in, through elementwise operations."""
    while True:
        parent = fn.module.parent(node)
        if isinstance(parent, ast.keyword):
            return None
        if isinstance(parent, ast.Attribute):
            above = fn.module.parent(parent)
            for outer in (parent, above):
                found = reduction(fn, outer) if outer is not None else None
                if found is not None and node in found.operands:
                    return found
            if isinstance(above, ast.Call) and node in elementwise_parts(fn, above):
                node = above
                continue
            return None
        found = reduction(fn, parent) if parent is not None else None
        if found is not None and node in found.operands:
            return found
        if not isinstance(parent, ast.expr) or node not in elementwise_parts(
            fn, parent
        ):
            return None
        node = parent


def assignment(fn: Function, node: ast.expr) -> ast.Assign | None:
    """The assignment of what is computed of an expression, element by element."""
    while True:
        parent = fn.module.parent(node)
        if isinstance(parent, ast.Attribute):
            parent = fn.module.parent(parent)
        if isinstance(parent, ast.expr) and node in elementwise_parts(fn, parent):
            node = parent
            continue
        return parent if isinstance(parent, ast.Assign) else None


def elementwise_parts(fn: Function, node: ast.expr) -> list[ast.expr]:
    """The operands of an elementwise operation; empty if it is none."""
    match node:
        case ast.BinOp(op=op) if not isinstance(op, ast.MatMult):
            return [node.left, node.right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left, ops=ops, comparators=rest):
            if any(isinstance(o, ast.In | ast.NotIn | ast.Is | ast.IsNot) for o in ops):
                return []
            return [left, *rest]
        case ast.BoolOp(values=values):
            return values
        case ast.Call(func=ast.Attribute(value=receiver, attr="astype" | "conj")):
            return [receiver] if arrays.method(fn, node) is not None else []
        case ast.Call(args=args, keywords=[]):
            name = arrays.library(fn, node)
            if name in ("abs", "round") and len(args) == 1:
                return args
            api = jax_api.lookup(name) if name and name.startswith("jax.") else None
            if api is not None and api.result in ("same", "float", "bool", "int"):
                is_finder = name in FINDERS and len(args) != 3
                return [] if is_finder or name == "jax.numpy.select" else args
    return []


@dataclass(frozen=True, slots=True)
class Whole:
    """An elementwise expression of selections, to be computed for whole arrays.

    `leaves` are the parts to be replaced by their bases; `guarded` says that the values
    at other places might be NaN, so that 1 must stand there, and for `guards` as well:
    what is made of the leaves and has to be defined.
    """

    leaves: tuple[tuple[ast.expr, Selection], ...]
    guarded: bool = False
    guards: tuple[ast.expr, ...] = ()


def whole(fn: Function, expr: ast.expr, like: Selection | None = None) -> Whole:
    """How an expression of selections is computed for whole arrays.

    Raises:
      CannotFix: it is not elementwise, or the selections differ.
    """
    leaves: list[tuple[ast.expr, Selection]] = []
    _collect(fn, expr, leaves, like)
    first = like or (leaves[0][1] if leaves else None)
    for node, found in leaves:
        if first is not None and not first.picks_as(fn, found):
            raise CannotFix(f"`{ast.unparse(node)}` picks elements by another mask")
        is_once = node is found.node and found.mask is not None
        if not isinstance(found.base, ATOMS) and not is_once:
            raise CannotFix("what is masked has no name")
    if not leaves or cost(fn, expr).total:
        return Whole(tuple(leaves))
    nodes = [node for node, _ in leaves]
    risky = _at_risk(fn, expr, nodes)
    guards = tuple(part for part in risky if part not in nodes)
    return Whole(tuple(leaves), guarded=True, guards=guards)


def _collect(
    fn: Function,
    expr: ast.expr,
    leaves: list[tuple[ast.expr, Selection]],
    like: Selection | None,
) -> None:
    """The selections in an expression; all else is the same at each place of `like`."""
    found = selection(fn, expr)
    if found is not None:
        leaves.append((expr, found))
        return
    inner = reduction(fn, expr)
    if inner is not None and (
        inner.axis is None or _is_same_everywhere(fn, inner, like)
    ):
        return  # mended by itself
    parts = elementwise_parts(fn, expr)
    if any(holds_selection(fn, part) for part in parts):
        for part in parts:
            _collect(fn, part, leaves, like)
    elif holds_selection(fn, expr):
        raise CannotFix(f"`{ast.unparse(expr)}` is not computed element by element")
    elif not arrays.is_scalar(known := fn.value(expr)):
        rank = arrays.rank(known)
        if rank is None or like is None or rank > axes_behind(fn, like):
            raise CannotFix(f"`{ast.unparse(expr)}` may have a shape of its own")


def _is_same_everywhere(fn: Function, inner: Reduction, like: Selection | None) -> bool:
    """Is a reduction of the same selection over all the axes of the mask?"""
    if like is None or like.lead or inner.axis is None:
        return False
    try:
        whole_axes(fn, inner.axis, like)
        return bool(whole(fn, inner.operand, like).leaves)
    except CannotFix:
        return False


def axes_behind(fn: Function, found: Selection) -> int:
    """How many axes the array certainly has behind those of the mask."""
    rank = arrays.rank(fn.value(found.base))
    masked = 1 if found.mask is None else arrays.rank(fn.value(found.mask))
    return 0 if rank is None or masked is None else rank - found.lead - masked


def holds_selection(fn: Function, expr: ast.expr) -> bool:
    return any(
        isinstance(n, ast.Subscript | ast.Name | ast.Call)
        and selection(fn, n) is not None
        for n in ast.walk(expr)
    )


def _is_power(node: ast.expr, leaves: list[ast.expr]) -> bool:
    """Is it `x[mask] ** p`, whose exponent is none of the elements?"""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and not any(inner in leaves for inner in ast.walk(node.right))
    )


def _at_risk(fn: Function, expr: ast.expr, leaves: list[ast.expr]) -> list[ast.expr]:
    """The operands with 1 in whose place everything that may be undefined is defined.

    Raises:
      CannotFix: 1 is no help.
    """
    found = []
    for node in ast.walk(expr):
        parts = elementwise_parts(fn, node) if isinstance(node, ast.expr) else []
        if not isinstance(node, ast.expr) or not parts or cost(fn, node).total:
            continue
        divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        if (
            divides
            or _is_power(node, leaves)
            or arrays.library(fn, node) in DEFINED_AT_ONE
        ):
            risky = parts[-1] if divides else parts[0]
            is_picked = any(inner in leaves for inner in ast.walk(risky))
            if is_picked:
                found.append(risky)
            if is_picked or divides:
                continue  # another divisor is the one that Python has
        if all(cost(fn, part).total for part in parts) or not _is_total(fn, node):
            text = ast.unparse(expr)
            raise CannotFix(
                f"`{text}` may not be defined, or have no gradient, elsewhere"
            )
    return found


def _is_total(fn: Function, node: ast.expr) -> bool:
    """Is the operation itself defined for all numbers, with a gradient?"""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
            return True
        case ast.UnaryOp() | ast.Compare():
            return True
        case _:
            api = jax_api.lookup(arrays.library(fn, node) or "")
            return api is not None and not api.partial


# --- the mask of a selection, as an expression


def where_mask(fn: Function, found: Selection, spell: Spell) -> ast.expr:
    """The argument `where=` for a reduction of the whole array.

    Raises:
      CannotFix: the mask is not known to have the shape of the array.
    """
    if found.part is not None:
        return aligned(fn, found, slice_mask(fn, found.base, found.part, spell))
    assert found.mask is not None, "a selection has a mask or a slice"
    return aligned(fn, found, found.mask)


def aligned(fn: Function, found: Selection, mask: ast.expr) -> ast.expr:
    """The mask with the dimensions of the array."""
    base_rank = arrays.rank(fn.value(found.base))
    if _is_flat(fn, found) and found.mask is not None:
        return mask
    if found.part is not None and base_rank == 1:
        return mask
    mask_rank = 1 if found.part is not None else arrays.rank(fn.value(mask))
    if base_rank is None or mask_rank is None or found.lead + mask_rank > base_rank:
        base = ast.unparse(found.base)
        raise CannotFix(f"it cannot be seen that the mask has the shape of `{base}`")
    if found.lead + mask_rank == base_rank:
        return mask
    index: list[ast.expr] = [ast.Slice() for _ in range(mask_rank)]
    index += [build.const(None) for _ in range(base_rank - found.lead - mask_rank)]
    return ast.Subscript(mask, ast.Tuple(index, ast.Load()), ast.Load())


def covers(fn: Function, base: ast.expr, mask: ast.expr) -> bool:
    """Has the mask certainly the shape of the array?"""
    a, b = fn.value(base), fn.value(mask)
    if isinstance(a, Array) and isinstance(b, Array):
        if a.shape is not None and a.shape == b.shape:
            return True
        if known_dims(a.shape) is not None and known_dims(b.shape) is not None:
            return known_dims(a.shape) == known_dims(b.shape)
    return mentions(fn, resolved(fn, mask), base)


def leads(fn: Function, base: ast.expr, mask: ast.expr) -> bool:
    """Has the mask the shape of the array, or of its first dimensions?"""
    if covers(fn, base, mask):
        return True
    a, b = fn.value(base), fn.value(mask)
    if not isinstance(a, Array) or not isinstance(b, Array):
        return False
    full, part = known_dims(a.shape), known_dims(b.shape)
    return full is not None and part is not None and full[: len(part)] == part


def mentions(fn: Function, expr: ast.expr, base: ast.expr) -> bool:
    """Is `base` an operand of the elementwise expression `expr`?"""
    if same(expr, base):
        return True
    return any(
        same(part, base) or mentions(fn, resolved(fn, part), base)
        for part in elementwise_parts(fn, expr)
    )


def from_start(
    fn: Function, bound: ast.expr, length: ast.expr, spell: Spell
) -> ast.expr:
    """A bound of a slice, counted from the start where it may count from the end."""
    known = fn.value(bound)
    if isinstance(known, Const) and isinstance(known.value, int) and known.value < 0:
        return ast.BinOp(length, ast.Sub(), build.const(-known.value))
    if not may_be_negative(fn, bound):
        return bound
    below = ast.Compare(bound, [ast.Lt()], [build.const(0)])
    moved = ast.BinOp(bound, ast.Add(), length)
    return build.call(spell("jax.numpy.where"), below, moved, bound)


def may_be_negative(fn: Function, bound: ast.expr) -> bool:
    return negative(fn, bound) or (fn.static(bound) and not nonnegative(fn, bound))


def slice_mask(fn: Function, base: ast.expr, part: ast.Slice, spell: Spell) -> ast.expr:
    """`base[lower:upper]` as a mask over the first axis."""
    if part.step is not None:
        raise CannotFix("a slice with a step and traced bounds has no mask")
    length = ast.Subscript(
        ast.Attribute(base, "shape", ast.Load()), build.const(0), ast.Load()
    )
    tests: list[ast.expr] = []
    for bound, op in ((part.lower, ast.GtE()), (part.upper, ast.Lt())):
        if bound is None or fn.value(bound) == Const(0) and isinstance(op, ast.GtE):
            continue
        places = build.call(spell("jax.numpy.arange"), length)
        tests.append(ast.Compare(places, [op], [from_start(fn, bound, length, spell)]))
    if len(tests) == 1:
        return tests[0]
    return ast.BinOp(tests[0], ast.BitAnd(), tests[1])


# --- plans


@dataclass(frozen=True, slots=True)
class Masked:
    """A reduction, and how it is computed on the whole array."""

    reduction: Reduction
    found: Selection
    whole: Whole


@dataclass(frozen=True, slots=True)
class Mending:
    """All reductions that a selection ends in.

    `statement` is the assignment of the selection to a name, which goes; `derived` are
    assignments of what is computed of it, which compute with whole arrays.
    """

    masked: tuple[Masked, ...]
    statement: ast.stmt | None
    derived: tuple[tuple[ast.Assign, Whole], ...]
    safety: Safety


def mending(fn: Function, found: Selection) -> Mending:
    """What to do about a selection.

    Raises:
      CannotFix: it is not reduced, or its size is needed while tracing.
    """
    statement: ast.stmt | None = None
    parent = fn.module.parent(found.node)
    derived: list[ast.Assign] = []
    if isinstance(parent, ast.Assign) and consumer(fn, found.node) is None:
        statement = parent
        uses = _uses(fn, parent)
        ends = [end for use in uses for end in _ends(fn, use, derived)]
    else:
        ends = _ends(fn, found.node, derived)
    masked = tuple(_masked(fn, found, end) for end in ends)
    safety = Safety.SAFE
    if any(m.reduction.name in ("max", "min") for m in masked):
        safety = Safety.UNSAFE
    if found.part is not None and not all(
        bound is None or nonnegative(fn, bound) or may_be_negative(fn, bound)
        for bound in (found.part.lower, found.part.upper)
    ):
        safety = Safety.UNSAFE
    where_mask(fn, found, lambda name: name)
    wholes = tuple((stmt, whole(fn, stmt.value, found)) for stmt in derived)
    return Mending(masked, statement, wholes, safety)


def _ends(
    fn: Function, node: ast.expr, derived: list[ast.Assign]
) -> list[Reduction | None]:
    """The reductions that an expression ends in, at once or by way of names."""
    end = consumer(fn, node)
    stmt = assignment(fn, node) if end is None else None
    if stmt is None:
        return [end]
    if stmt in derived:
        return []
    derived.append(stmt)
    return [end for use in _uses(fn, stmt) for end in _ends(fn, use, derived)]


def _uses(fn: Function, stmt: ast.Assign) -> list[ast.Name]:
    if len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        raise CannotFix("the selection is unpacked")
    name = stmt.targets[0].id
    if len(bindings(fn, name)) != 1 or in_traced_region(fn, stmt):
        raise CannotFix(f"`{name}` has several values")
    uses = loads(fn, name)
    if not uses:
        raise CannotFix(f"`{name}` is not used")
    for use in uses:
        if selection(fn, use) is None:
            raise CannotFix(f"`{name}` is used where its values may have changed")
    return uses


def _masked(fn: Function, found: Selection, end: Reduction | None) -> Masked:
    if end is None:
        raise CannotFix(
            "its size depends on the data and it is not reduced; keep the full array "
            "and use `jnp.where(mask, value, fill)`, or `jnp.nonzero(mask, size=...)`"
        )
    parts = _whole_of(fn, end, found)
    if end.name in ("dot", "norm") and not _is_flat(fn, found):
        raise CannotFix("rows are multiplied with one another")
    if end.name == "count":
        if arrays.size_uses(fn, end.node):
            raise CannotFix("the number of elements is used as a shape")
        if found.lead:
            raise CannotFix("the size is not that of the mask")
        if end.operand not in [node for node, _ in parts.leaves]:
            raise CannotFix("the size of an expression is asked for")
        if not _is_flat(fn, found) and isinstance(end.node, ast.Attribute):
            raise CannotFix("the size counts the elements of whole rows")
    if end.name in ("max", "min") and arrays.kind(fn.value(end.operand)) not in (
        "f",
        "i",
    ):
        text = ast.unparse(end.operand)
        raise CannotFix(f"the dtype of `{text}` is not known, so neither its limit")
    if (
        end.axis is not None
        and _is_flat(fn, found)
        and fn.value(end.axis) not in (Const(0), Const(-1), Const(None))
    ):
        raise CannotFix("the axis of the reduction is not known")
    if end.axis is not None and not _is_flat(fn, found):
        whole_axes(fn, end.axis, found)
    if (
        end.axis is None
        and not _is_flat(fn, found)
        and end.name != "count"
        and isinstance(end.node, ast.Call)
        and isinstance(end.node.func, ast.Name)
        and arrays.library(fn, end.node) in ("sum", "max", "min", "any", "all")
    ):
        raise CannotFix("rows are added up one by one")
    return Masked(end, found, parts)


def whole_axes(fn: Function, axis: ast.expr, found: Selection) -> ast.expr:
    """The axes of the whole array that a reduction of the selection is over.

    Raises:
      CannotFix: as many results are left as elements are picked, or it is not known.
    """
    known = fn.value(axis)
    try:
        given = known.value if isinstance(known, Const) else ast.literal_eval(axis)
    except ValueError:
        raise CannotFix("the axis of the reduction is not known") from None
    if given is None:
        return axis
    rank = arrays.rank(fn.value(found.base))
    masked = 1 if found.mask is None else arrays.rank(fn.value(found.mask))
    axes = given if isinstance(given, tuple | list) else (given,)
    if rank is None or not masked or not all(isinstance(a, int) for a in axes):
        raise CannotFix("it is not known over which axes the reduction is")
    more = masked - 1  # the selection has one axis for all those of the mask
    picked = {a % (rank - more) for a in axes}
    if found.lead not in picked:
        raise CannotFix("as many results are left as elements are picked")
    if not more:
        return axis
    mask_axes = range(found.lead, found.lead + masked)
    others = {a if a < found.lead else a + more for a in picked - {found.lead}}
    return ast.Tuple(
        [build.const(a) for a in sorted({*mask_axes, *others})], ast.Load()
    )


def _whole_of(fn: Function, end: Reduction, found: Selection) -> Whole:
    """The operands of a reduction for whole arrays: each picks the same places."""
    parts = [whole(fn, operand, found) for operand in end.operands]
    if not all(part.leaves for part in parts):
        raise CannotFix(f"`{ast.unparse(end.node)}` is no product of two selections")
    leaves = tuple(leaf for part in parts for leaf in part.leaves)
    guards = tuple(guard for part in parts for guard in part.guards)
    return Whole(leaves, any(part.guarded for part in parts), guards)


def _is_flat(fn: Function, found: Selection) -> bool:
    """Has the selection one dimension?"""
    if found.part is not None:
        return arrays.rank(fn.value(found.base)) == 1
    assert found.mask is not None, "a selection has a mask or a slice"
    return not found.lead and covers(fn, found.base, found.mask)


def reduced(fn: Function, one: Masked, mask: ast.expr, spell: Spell) -> ast.expr:
    """The reduction of the whole array."""
    end = one.reduction
    if end.name == "count":
        return build.call(spell("jax.numpy.sum"), mask)
    if end.name in ("dot", "norm"):
        kept = [zero_elsewhere(mask, o, spell) for o in end.operands]
        match end.node:
            case ast.Call(func=func):
                return ast.Call(func, list[ast.expr](kept), [])
            case _:
                return ast.BinOp(kept[0], ast.MatMult(), kept[1])
    if end.name == "logsumexp":
        made = build.call(spell("jax.nn.logsumexp"), end.operand)
        made.keywords = [ast.keyword("where", mask)]
        return made
    made = build.call(spell(f"jax.numpy.{end.name}"), end.operand)
    made.keywords = list(end.keywords)
    if end.axis is not None and not _is_flat(fn, one.found):
        axes = whole_axes(fn, end.axis, one.found)
        made.keywords.append(ast.keyword("axis", axes))
    made.keywords.append(ast.keyword("where", mask))
    if end.name in ("max", "min"):
        made.keywords.append(ast.keyword("initial", limit(fn, end, spell)))
    return made


def limit(fn: Function, end: Reduction, spell: Spell) -> ast.expr:
    """The value that no element of the dtype is beyond."""
    if arrays.kind(fn.value(end.operand)) == "f":
        infinity = build.load(spell("jax.numpy.inf"))
        return ast.UnaryOp(ast.USub(), infinity) if end.name == "max" else infinity
    base = end.operand if isinstance(end.operand, ATOMS) else None
    found = selection(fn, end.operand) if base is not None else None
    if found is None:
        raise CannotFix("the limit of the dtype cannot be spelled")
    info = build.call(
        spell("jax.numpy.iinfo"), ast.Attribute(found.base, "dtype", ast.Load())
    )
    return ast.Attribute(info, "min" if end.name == "max" else "max", ast.Load())


def leaf(one: Selection, mask: ast.expr, guarded: bool, spell: Spell) -> ast.expr:
    """What stands in place of a selection: the whole array."""
    return one_elsewhere(mask, one.base, spell) if guarded else one.base


def one_elsewhere(mask: ast.expr, value: ast.expr, spell: Spell) -> ast.Call:
    return build.call(spell("jax.numpy.where"), mask, value, build.const(1))


def zero_elsewhere(mask: ast.expr, value: ast.expr, spell: Spell) -> ast.Call:
    return build.call(spell("jax.numpy.where"), mask, value, build.const(0))


def key(fn: Function, found: Selection, plan: Mending) -> str:
    """Names the change: selections that one reduction consumes are mended together."""
    derived = plan.derived[0][0] if plan.derived else None
    node: ast.AST = plan.statement or derived or plan.masked[0].reduction.node
    return f"{fn.path}:{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


# --- what the rules ask


def traced_mask(fn: Function, node: ast.Subscript) -> ast.expr | None:
    """The traced mask among the indices of an array."""
    if not arrays.is_array(fn.value(node.value)):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return next((m for part in parts if (m := mask_of(fn, part)) is not None), None)


def is_at(fn: Function, node: ast.Subscript) -> bool:
    """Is it the `x.at[i]` of an update?"""
    base = node.value
    return (
        isinstance(base, ast.Attribute)
        and base.attr == "at"
        and arrays.is_array(fn.value(base.value))
    )


def is_assigned_in_place(fn: Function, node: ast.Subscript) -> bool:
    """Is the selection the right side of a store by the same mask?

    `x[mask] = y[mask]`, `x[mask] += y[mask]`, `x.at[mask].set(y[mask])`: then the store
    is what is mended.
    """
    for outer in fn.module.ancestors(node):
        if isinstance(outer, ast.stmt):
            break
        if (
            isinstance(outer, ast.Call)
            and isinstance(outer.func, ast.Attribute)
            and isinstance(at := outer.func.value, ast.Subscript)
            and at is not node
            and is_at(fn, at)
            and traced_mask(fn, at) is not None
        ):
            return True
    stmt = statement_of(fn, node)
    targets: list[ast.expr] = []
    if isinstance(stmt, ast.Assign):
        targets = stmt.targets
    elif isinstance(stmt, ast.AugAssign):
        targets = [stmt.target]
    return any(
        isinstance(t, ast.Subscript) and traced_mask(fn, t) is not None for t in targets
    )
