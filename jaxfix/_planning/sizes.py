"""Results whose size depends on data: `jnp.nonzero` and its kin, filtered lists."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.definitions import bindings, definition, loads
from jaxfix._analysis.effects import cost, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.values import Const

from . import folds
from .masks import covers, elementwise_parts, is_mask, is_reduced, traced_mask

Spell = Callable[[str], str]

FINDERS = frozenset(["where", "nonzero", "flatnonzero", "argwhere"])
# The keyword that fixes the size of the result of each function.
SIZE_KEYWORD = dict.fromkeys(
    [
        "where",
        "nonzero",
        "flatnonzero",
        "argwhere",
        "unique",
        "unique_all",
        "unique_counts",
        "unique_inverse",
        "unique_values",
        "union1d",
        "intersect1d",
        "setdiff1d",
        "setxor1d",
        "extract",
        "compress",
    ],
    "size",
) | {"bincount": "length", "repeat": "total_repeat_length"}


@dataclass(frozen=True, slots=True)
class Sized:
    """A call whose result has a size that depends on a tracer."""

    node: ast.Call
    name: str
    arg: ast.expr
    because: tuple[Evidence, ...]

    @property
    def keyword(self) -> str:
        return SIZE_KEYWORD[self.name]


def sized(fn: Function, node: ast.Call) -> Sized | None:
    """The call of a function whose result has no static size, if nothing fixes it."""
    found = arrays.method(fn, node)
    if found is not None and found[1] == "nonzero":
        name, args = "nonzero", [found[0]]
    else:
        dotted = arrays.library(fn, node) or ""
        module, _, name = dotted.rpartition(".")
        if module not in ("jax.numpy", "numpy") or name not in SIZE_KEYWORD:
            return None
        args = list(node.args)
    if not args or any(k.arg in (SIZE_KEYWORD[name], None) for k in node.keywords):
        return None
    if name == "where" and len(args) != 1:
        return None
    decisive = args[1:2] if name == "repeat" else args[:1]
    if name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        decisive = args[:2]
    because = next((b for a in decisive if (b := arrays.forced(fn, a))), ())
    if not because or is_index_of_mask(fn, node) or is_reduced(fn, node):
        return None
    return Sized(node, name, args[0], because)


def is_index_of_mask(fn: Function, node: ast.Call) -> bool:
    """`x[jnp.where(mask)]` is the same as `x[mask]`, and reported as that."""
    inner: ast.AST = node
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        inner, parent = parent, fn.module.parent(parent)
    return (
        isinstance(parent, ast.Subscript)
        and parent.slice is inner
        and traced_mask(fn, parent) is not None
    )


@dataclass(frozen=True, slots=True)
class Use:
    """What is done with the result: `"first"`, `"last"` or `"count"`, and where."""

    what: str
    node: ast.expr
    axis: int


def use_of(fn: Function, one: Sized) -> Use | None:
    """The one element, or the number of elements, that is asked for."""
    if is_distinct(one) and (outer := counted(fn, one.node)) is not None:
        return Use("count", outer, 0)
    if one.name not in FINDERS:
        return None
    result: ast.expr = one.node
    axis = 0
    if one.name in ("where", "nonzero"):
        picked = _picked(fn, result)
        if picked is None:
            return None
        result, axis = picked
    if (outer := counted(fn, result)) is not None:
        return Use("count", outer, axis)
    parent = fn.module.parent(result)
    if isinstance(parent, ast.Subscript) and parent.value is result:
        index = fn.value(parent.slice)
        if index == Const(0):
            return Use("first", parent, axis)
        if index == Const(-1) and one.name != "argwhere":
            return Use("last", parent, axis)
    return None


def is_distinct(one: Sized) -> bool:
    """Is it `jnp.unique(x)`, with nothing else to give?"""
    return one.name == "unique" and len(one.node.args) == 1 and not one.node.keywords


def _picked(fn: Function, node: ast.expr) -> tuple[ast.expr, int] | None:
    """`jnp.where(mask)[0]`: the indices along one axis."""
    parent = fn.module.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        match fn.value(parent.slice):
            case Const(value=int(axis)) if axis >= 0:
                return parent, axis
    return None


def counted(fn: Function, node: ast.expr) -> ast.expr | None:
    """`len(node)`, `node.size`, `node.shape[0]`: the node that gives the length."""
    parent = fn.module.parent(node)
    match parent:
        case ast.Attribute(attr="size"):
            return parent
        case ast.Attribute(attr="shape"):
            outer = fn.module.parent(parent)
            if isinstance(outer, ast.Subscript) and fn.value(outer.slice) == Const(0):
                return outer
        case ast.Call(func=ast.Name(id="len")):
            return parent
    return None


def at_once(fn: Function, one: Sized, use: Use, spell: Spell) -> ast.expr:
    """The one number that is asked for, without the list of all.

    Raises:
      CannotFix: the shape of the mask is not known.
    """
    mask = one.arg
    if use.what == "count":
        if arrays.size_uses(fn, use.node):
            raise CannotFix("the number of elements is used as a shape")
        if one.name == "unique":
            mask = _counts(one, spell)
        return build.call(spell("jax.numpy.count_nonzero"), mask)
    rank = arrays.rank(fn.value(mask))
    test: ast.expr = mask
    if not is_mask(fn, mask):
        test = ast.Compare(mask, [ast.NotEq()], [build.const(0)])
    if (
        use.what == "first"
        and (one.name == "flatnonzero" or rank == 1)
        and one.name != "argwhere"
    ):
        return build.call(spell("jax.numpy.argmax"), test)
    if use.what == "first":
        return _with_size(one, use, spell)
    if rank != 1:
        raise CannotFix("it cannot be seen that the mask has one dimension")
    source = _same_length(fn, mask)
    if source is None:
        sums = build.call(spell("jax.numpy.cumsum"), test)
        return build.call(spell("jax.numpy.argmax"), sums)
    length = ast.Subscript(
        ast.Attribute(source, "shape", ast.Load()), build.const(0), ast.Load()
    )
    backwards = ast.Subscript(test, ast.Slice(None, None, build.const(-1)), ast.Load())
    from_end = build.call(spell("jax.numpy.argmax"), backwards)
    return ast.BinOp(ast.BinOp(length, ast.Sub(), build.const(1)), ast.Sub(), from_end)


def _counts(one: Sized, spell: Spell) -> ast.expr:
    """How often each distinct element occurs; 0 for what fills the array up."""
    size = ast.Attribute(one.arg, "size", ast.Load())
    call = build.call(
        spell("jax.numpy.unique"), one.arg, size=size, return_counts=build.const(True)
    )
    return ast.Subscript(call, build.const(1), ast.Load())


def _same_length(fn: Function, mask: ast.expr) -> ast.expr | None:
    """A short expression for an array with the length of the mask."""
    if isinstance(mask, ast.Name | ast.Attribute):
        return mask
    for part in elementwise_parts(fn, mask):
        if isinstance(part, ast.Name | ast.Attribute) and covers(fn, part, mask):
            return part
    return None


def _with_size(one: Sized, use: Use, spell: Spell) -> ast.expr:
    """`jnp.nonzero(mask, size=1)[0][0]`."""
    made = build.call(spell(f"jax.numpy.{one.name}"), one.arg, size=build.const(1))
    result: ast.expr = made
    if one.name in ("where", "nonzero"):
        result = ast.Subscript(made, build.const(use.axis), ast.Load())
    return ast.Subscript(result, build.const(0), ast.Load())


def first_by_name(fn: Function, one: Sized) -> ast.expr | None:
    """The call with `size=1`, where its result has a name of which only the first
    element is read (`hits = jnp.where(mask)[0]`, then `hits[0]`), or where a number of
    the first row is (`jnp.argwhere(mask)[0, 1]`)."""
    if one.name not in FINDERS:
        return None
    result: ast.expr = one.node
    if one.name in ("where", "nonzero"):
        picked = _picked(fn, result)
        if picked is None:
            return None
        result = picked[0]
    stmt = fn.module.parent(result)
    match stmt:
        case ast.Subscript(slice=ast.Tuple(elts=[row, *_])) if stmt.value is result:
            return build.const(1) if fn.value(row) == Const(0) else None
        case ast.Assign(targets=[ast.Name(id=name)]) if len(bindings(fn, name)) == 1:
            uses = loads(fn, name)
        case _:
            return None
    for use in uses:
        parent = fn.module.parent(use)
        if not isinstance(parent, ast.Subscript) or fn.value(parent.slice) != Const(0):
            return None
        if definition(fn, use) is None:
            return None
    return build.const(1) if uses else None


# --- filtered comprehensions

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def filtered(fn: Function, node: Comprehension) -> tuple[Evidence, ...]:
    """Why the test of a comprehension is traced."""
    for generator in node.generators:
        for test in generator.ifs:
            if because := arrays.traced(fn, test):
                return because
    return ()


def is_folded(fn: Function, node: Comprehension) -> bool:
    """Is it the argument of a built-in that is reported itself?"""
    parent = fn.module.parent(node)
    return isinstance(parent, ast.Call) and folds.fold(fn, parent) is not None


@dataclass(frozen=True, slots=True)
class Summed:
    """`sum(element for x in xs if test)` or `len([... if test])`.

    `source` is the array `xs`, if all can be computed at once.
    """

    call: ast.Call
    node: ast.GeneratorExp | ast.ListComp
    test: ast.expr
    element: ast.expr
    source: ast.expr | None


def summed(fn: Function, node: Comprehension) -> Summed:
    """The sum or count that a filtered comprehension ends in.

    Raises:
      CannotFix: it ends otherwise, or not all elements can be computed.
    """
    call = fn.module.parent(node)
    name = arrays.library(fn, call) if call is not None else None
    if not isinstance(call, ast.Call) or name not in ("sum", "len"):
        raise CannotFix(
            "which elements are kept depends on the data; keep all of them with "
            "`jnp.where(test, value, fill)`"
        )
    if isinstance(node, ast.SetComp | ast.DictComp) or len(call.args) != 1:
        raise CannotFix("which elements are kept depends on the data")
    if len(node.generators) != 1 or len(node.generators[0].ifs) != 1:
        raise CannotFix("there are several loops or tests in it")
    (generator,) = node.generators
    (test,) = generator.ifs
    if name == "len" and arrays.size_uses(fn, call):
        raise CannotFix("the number of elements is used as a shape")
    element = node.elt if name == "sum" else build.const(1)
    if (why := obstacle(fn, node.elt) or obstacle(fn, test)) is not None:
        raise CannotFix(f"all elements would be computed, but {why}")
    if not cost(fn, node.elt).total:
        raise CannotFix("an element may not be defined where the test fails")
    plain = ast.GeneratorExp(test, [_without_test(generator)])
    source = folds.elementwise_source(fn, plain)
    if source is not None and not _is_constant(element):
        whole = ast.GeneratorExp(element, [_without_test(generator)])
        source = folds.elementwise_source(fn, whole)
    if source is None and name == "len":
        element = build.const(1)
    return Summed(call, node, test, element, source)


def _without_test(generator: ast.comprehension) -> ast.comprehension:
    return ast.comprehension(generator.target, generator.iter, [], generator.is_async)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def total(fn: Function, one: Summed, spell: Spell) -> ast.expr:
    """The sum over all, with what the test leaves out as 0."""
    if one.source is not None:
        if _is_constant(one.element):
            return build.call(spell("jax.numpy.sum"), one.test)
        return build.call(spell("jax.numpy.sum"), one.element, where=one.test)
    picked = build.call(spell("jax.numpy.where"), one.test, one.element, build.const(0))
    generators = [_without_test(one.node.generators[0])]
    return build.call("sum", ast.GeneratorExp(picked, generators))
