"""Built-in functions that compare their arguments: max, min, sorted, any, all, filter.

Python compares element by element and asks for the truth of each comparison; arrays
have reductions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from jaxfix._analysis import arrays, build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.definitions import loads, resolved, same
from jaxfix._analysis.effects import cost, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.objects import FunctionValue, InstanceValue, PartialValue
from jaxfix._analysis.python_calls import known_items, loop_tracer
from jaxfix._analysis.values import (
    SCALAR,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Value,
    alternatives,
    element,
    holds_tracer,
)

from .masks import elementwise_parts

Spell = Callable[[str], str]

# What gives only some of the elements: those that pass a test.
FILTERS = frozenset(
    [
        "filter",
        "itertools.takewhile",
        "itertools.dropwhile",
        "itertools.filterfalse",
    ]
)
# Python's `all` of the leaves.
OF_LEAVES = frozenset(["jax.tree.all", "jax.tree_util.tree_all"])
FOLDS = FILTERS | OF_LEAVES | {"max", "min", "sorted", "any", "all"}
ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


@dataclass(frozen=True, slots=True)
class Fold:
    """A call of a built-in function that asks for the truth of tracers."""

    name: str
    node: ast.Call
    key: ast.expr | None
    default: ast.expr | None
    reverse: bool
    because: tuple[Evidence, ...]


def fold(fn: Function, node: ast.Call) -> Fold | None:
    """The fold that a call is, if it compares tracers."""
    name = fn.library(node)
    if name not in FOLDS or not node.args:
        return None
    because = _why(fn, node, name)
    if not because:
        return None
    options = {k.arg: k.value for k in node.keywords}
    reverse = options.get("reverse")
    known = fn.value(reverse) if reverse is not None else Const(False)
    return Fold(
        name,
        node,
        _unless_none(fn, options.get("key")),
        options.get("default"),
        isinstance(known, Const) and bool(known.value),
        because,
    )


def _unless_none(fn: Function, node: ast.expr | None) -> ast.expr | None:
    return None if node is None or fn.value(node) == Const(None) else node


def _why(fn: Function, node: ast.Call, name: str) -> tuple[Evidence, ...]:
    """Why what is compared is traced."""
    if name in FILTERS:
        return _filtered(fn, node)
    if name in OF_LEAVES:
        return arrays.forced(fn, node)
    key = next((k.value for k in node.keywords if k.arg == "key"), None)
    if key is not None and _function(fn, key) is not None:
        return _key_result(fn, key)
    if isinstance(key, ast.Attribute) and _is_item_of(fn, key):
        return _why_item(fn, key)
    if key is not None and isinstance(fn.value(key), PartialValue):
        return _why_part(fn, key, node.args[0])
    if key is not None and fn.value(key) not in (Lib("abs"), Const(None)):
        return ()
    if name in ("any", "all") and isinstance(node.args[0], ast.GeneratorExp):
        return arrays.traced(fn, node.args[0].elt)
    if len(node.args) == 1:
        if name in ("max", "min") and _length(fn, node.args[0]) == 1:
            return ()
        return _iterated(fn, node.args[0])
    for arg in node.args:
        if because := arrays.forced(fn, arg):
            return because
        if _starts_with_tracer(fn.value(arg)):
            return arrays.traced_inside(fn, arg)
    return ()


def _is_item_of(fn: Function, key: ast.expr) -> bool:
    """Is it the method of a dict, or of an argument, that gives the value of a key?"""
    if not isinstance(key, ast.Attribute) or key.attr not in ("get", "__getitem__"):
        return False
    known = fn.value(key.value)
    return isinstance(known, Dict) or (isinstance(known, Array) and known.tree)


def _why_item(fn: Function, key: ast.Attribute) -> tuple[Evidence, ...]:
    """Why the values of a dict are traced."""
    known = fn.value(key.value)
    if isinstance(known, Dict):
        return arrays.evidence(fn, key, holds_tracer(element(known)))
    return arrays.forced(fn, key.value)


def _why_part(fn: Function, key: ast.expr, source: ast.expr) -> tuple[Evidence, ...]:
    """Why the part that `itemgetter(i)` or `attrgetter(name)` takes is traced."""
    match fn.value(key), fn.value(source):
        case PartialValue(Lib(getter), (Seq(items=(Const(part),)),)), Seq() as source_:
            whole = element(source_)
        case _:
            return ()
    found: Value | None = None
    match getter, whole:
        case "jaxfix.items", Seq(items=tuple(items)) if isinstance(part, int):
            found = items[part] if -len(items) <= part < len(items) else None
        case "jaxfix.items", Dict():
            found = whole.get(part)
        case "jaxfix.attributes", InstanceValue(attrs=attrs):
            found = attrs.get(str(part))
    return arrays.evidence(fn, key, holds_tracer(found) if found is not None else None)


def _iterated(fn: Function, arg: ast.expr) -> tuple[Evidence, ...]:
    """Why the elements of an iterable are tracers themselves (not tuples of them)."""
    if isinstance(arg, ast.GeneratorExp | ast.ListComp):
        if _starts_with_tracer(fn.value(arg.elt)):
            return arrays.traced_inside(fn, arg.elt)
        return arrays.traced(fn, arg.elt)
    known = arrays.value(fn, arg)
    if isinstance(known, Array):
        is_clear = isinstance(arg, ast.Name) and arrays.is_used_as_array(fn, arg.id)
        return arrays.forced(fn, arg) if is_clear else arrays.traced(fn, arg)
    if isinstance(known, Seq):
        items = known.items if known.items is not None else (known.elem,)
        if any(map(_may_be_tracer, items)):
            return arrays.traced_inside(fn, arg)
        if any(map(_starts_with_tracer, items)) and len(items) != 1:
            return arrays.traced_inside(fn, arg)
    return ()


def _may_be_tracer(known: Value | None) -> bool:
    """Is it a tracer, or a number of which some are: an element that a loop appends?"""
    options = alternatives(known) if known is not None else ()
    return any(isinstance(o, Array) and o.traced for o in options) and all(
        isinstance(o, Array | Const | Static) and o != Const(None) for o in options
    )


def _starts_with_tracer(known: Value | None) -> bool:
    """Is it a tuple whose order is that of its first item, a tracer?"""
    items = known_items(known) if isinstance(known, Seq) else None
    match items:
        case (Array(traced=True), *_):
            return True
        case _:
            return False


def _filtered(fn: Function, node: ast.Call) -> tuple[Evidence, ...]:
    if len(node.args) != 2:
        return ()
    test, source = node.args
    if fn.value(test) == Const(None):
        return _iterated(fn, source)
    return _key_result(fn, test)


def _function(fn: Function, key: ast.expr) -> FunctionValue | None:
    """The function of the project that a key is, made anew at each call perhaps."""
    known = fn.value(key)
    options = alternatives(known) if known is not None else ()
    found = [o for o in options if isinstance(o, FunctionValue)]
    is_one = len(found) == len(options) and len({id(o.node) for o in found}) == 1
    return found[0] if is_one else None


def _key_result(fn: Function, key: ast.expr) -> tuple[Evidence, ...]:
    """Why the result of a function of the project is traced."""
    known = _function(fn, key)
    if known is None:
        return ()
    inner = fn.facts.function(known.node)
    if inner is None:
        return ()
    if isinstance(known.node, ast.Lambda):
        return arrays.traced(inner, known.node.body)
    for part in inner.walk():
        if (
            isinstance(part, ast.Return)
            and part.value is not None
            and (because := arrays.traced(inner, part.value))
        ):
            return because
    return ()


def _length(fn: Function, arg: ast.expr) -> int | None:
    known = arrays.value(fn, arg)
    items = known_items(known) if known is not None else None
    return len(items) if items is not None else None


# --- what arrays have instead


def as_arrays(fn: Function, one: Fold, spell: Spell) -> ast.expr:
    """The fold as an operation on arrays.

    Raises:
      CannotFix: there is none that gives the same.
    """
    if any(isinstance(arg, ast.Starred) for arg in one.node.args):
        raise CannotFix("the arguments are starred")
    if one.name in FILTERS:
        raise CannotFix("how many elements pass depends on the data; mask them instead")
    if one.name in OF_LEAVES:
        return _all_leaves(one, spell)
    if one.key is not None and _is_item_of(fn, one.key):
        raise CannotFix("the key that is found is no array; find its place instead")
    if one.name in ("any", "all"):
        return _any_all(fn, one, spell)
    if one.name == "sorted":
        return _sorted(fn, one, spell)
    if len(one.node.args) > 1:
        return _of_arguments(fn, one, spell)
    return _of_iterable(fn, one, spell)


def _all_leaves(one: Fold, spell: Spell) -> ast.expr:
    """`jax.tree.all(tree)`, of leaves that are numbers, as `jnp.all` of an array."""
    if len(one.node.args) > 1 or one.node.keywords:
        raise CannotFix("what is a leaf is told by a function")
    leaves = build.call(spell("jax.tree.leaves"), one.node.args[0])
    return build.call(
        spell("jax.numpy.all"), build.call(spell("jax.numpy.array"), leaves)
    )


def _of_arguments(fn: Function, one: Fold, spell: Spell) -> ast.expr:
    """`max(a, b)` as `jnp.maximum(a, b)`."""
    for arg in one.node.args:
        known = arrays.value(fn, arg)
        if (arrays.rank(known) or 0) > 0:
            raise CannotFix(f"`{ast.unparse(arg)}` is an array, compared as a whole")
        if isinstance(known, Seq):
            raise CannotFix("sequences are compared")
    out = one.node.args[0]
    for arg in one.node.args[1:]:
        out = _larger(fn, one, out, arg, spell)
    return out


def _larger(
    fn: Function, one: Fold, first: ast.expr, second: ast.expr, spell: Spell
) -> ast.expr:
    if one.key is None:
        name = "maximum" if one.name == "max" else "minimum"
        return build.call(spell(f"jax.numpy.{name}"), first, second)
    for side in (first, second):
        if build.is_new(side) or not (cost(fn, side).cheap and _is_short(side)):
            raise CannotFix("give the compared values names: each is needed twice")
    keys = [_applied(one.key, side) for side in (second, first)]
    sign = ast.Gt() if one.name == "max" else ast.Lt()
    test = ast.Compare(keys[0], [sign], [keys[1]])
    return build.call(spell("jax.numpy.where"), test, second, first)


def _applied(key: ast.expr, arg: ast.expr) -> ast.expr:
    if isinstance(key, ast.Lambda):
        raise CannotFix("the key is a lambda; give it a name")
    return build.call(key, arg)


def _is_short(node: ast.expr) -> bool:
    return sum(1 for _ in ast.walk(node)) <= 8


def _of_iterable(fn: Function, one: Fold, spell: Spell) -> ast.expr:
    """`max(xs)` as `jnp.max(xs)`."""
    arg = one.node.args[0]
    if one.default is not None and not _length(fn, arg):
        raise CannotFix("whether there is an element is not known; `default` may be it")
    if one.key is not None and (count := _plain_range(fn, arg)) is not None:
        keys = _keys_of_range(fn, one.key, count, spell)
        return build.call(spell(f"jax.numpy.arg{one.name}"), keys)
    items = array_of(fn, arg, spell)
    if one.key is None:
        return build.call(spell(f"jax.numpy.{one.name}"), items)
    if (isinstance(arg, ast.Name) or _holds_names(arg)) and _holds_numbers(fn, arg):
        keys = _keys_of_range(fn, one.key, arg, spell)
        best = build.call(spell(f"jax.numpy.arg{one.name}"), keys)
        return ast.Subscript(items, best, ast.Load())
    place = build.call(
        spell(f"jax.numpy.arg{one.name}"), _mapped(fn, one.key, items, spell)
    )
    if not isinstance(items, ATOMS):
        raise CannotFix("give the compared values a name")
    return ast.Subscript(items, place, ast.Load())


def _plain_range(fn: Function, arg: ast.expr) -> ast.expr | None:
    """The call `range(n)` with a static n, of which an element is its own place."""
    if isinstance(arg, ast.Call) and fn.library(arg) == "range" and len(arg.args) == 1:
        return arg if fn.static(arg.args[0]) else None
    return None


def _holds_names(arg: ast.expr) -> bool:
    """Is it a short list or tuple of names and constants, that may stand twice?"""
    if not isinstance(arg, ast.List | ast.Tuple) or len(arg.elts) > 4:
        return False
    return all(isinstance(e, ast.Name | ast.Constant) for e in arg.elts)


def _holds_numbers(fn: Function, arg: ast.expr) -> bool:
    """Is it a list or tuple of numbers, or of arrays that are one number each?"""
    known = arrays.value(fn, arg)
    if not isinstance(known, Seq) or known.items is None:
        return False
    numbers = [as_array(item) for item in known.items]
    return all(n is not None and n.shape == SCALAR for n in numbers)


def _keys_of_range(
    fn: Function, key: ast.expr, count: ast.expr, spell: Spell
) -> ast.expr:
    """The keys of the elements of a range, or of a list, one by one."""
    if isinstance(key, ast.Lambda):
        name, element = _lambda_name(key), key.body
    else:
        name = "i"
        element = build.call(key, build.load(name))
    generator = ast.comprehension(build.store(name), count, [], 0)
    return build.call(spell("jax.numpy.array"), ast.ListComp(element, [generator]))


def _lambda_name(key: ast.Lambda) -> str:
    """The only parameter of a key function."""
    if len(key.args.args) != 1 or key.args.defaults or key.args.vararg:
        raise CannotFix("the key has several parameters")
    return key.args.args[0].arg


def key_source(fn: Function, key: ast.expr, items: ast.expr) -> ast.GeneratorExp | None:
    """A lambda key of the elements of an array, where it can be computed at once."""
    if not isinstance(key, ast.Lambda) or build.is_new(items):
        return None
    target = build.store(_lambda_name(key))
    whole = ast.GeneratorExp(key.body, [ast.comprehension(target, items, [], 0)])
    return whole if elementwise_source(fn, whole) is not None else None


def _mapped(fn: Function, key: ast.expr, items: ast.expr, spell: Spell) -> ast.expr:
    """The key of every element."""
    if (whole := key_source(fn, key, items)) is not None:
        return whole.elt
    if fn.value(key) == Lib("abs"):
        return build.call(key, items)
    if build.is_new(items):
        raise CannotFix("give the compared values a name")
    return build.call(build.call(spell("jax.vmap"), key), items)


def array_of(fn: Function, arg: ast.expr, spell: Spell) -> ast.expr:
    """An iterable of numbers as an array.

    Raises:
      CannotFix: its length is traced, or its elements are not known to be numbers.
    """
    known = arrays.value(fn, arg)
    if isinstance(known, Array):
        if arrays.rank(known) not in (None, 1):
            raise CannotFix(f"the rows of `{ast.unparse(arg)}` are compared as a whole")
        return arg
    parts = alternatives(element(known)) if isinstance(known, Seq) else ()
    if any(isinstance(part, Seq | InstanceValue) for part in parts):
        raise CannotFix("sequences are compared")
    if isinstance(arg, ast.GeneratorExp):
        _check_generators(fn, arg)
        arg = ast.ListComp(arg.elt, arg.generators)
    elif isinstance(arg, ast.ListComp):
        _check_generators(fn, arg)
    elif isinstance(known, Seq) and known.kind == "iter":
        arg = build.call("list", arg)
    elif not (isinstance(known, Seq) and known.kind in ("list", "tuple")):
        raise CannotFix("what is compared is not known to be an array or a list")
    return build.call(spell("jax.numpy.array"), arg)


def _check_generators(fn: Function, node: ast.GeneratorExp | ast.ListComp) -> None:
    for generator in node.generators:
        known = fn.value(generator.iter)
        if known is None or loop_tracer(known) is not None:
            raise CannotFix("the number of elements is traced")
        if any(fn.traced(test) for test in generator.ifs):
            raise CannotFix("which elements count depends on the data")
    if any(isinstance(n, ast.NamedExpr | ast.Await) for n in ast.walk(node)):
        raise CannotFix("an element binds a name")
    if (why := obstacle(fn, node.elt)) is not None:
        raise CannotFix(f"all elements would be computed, but {why}")


def _any_all(fn: Function, one: Fold, spell: Spell) -> ast.expr:
    """`any(r > limit for r in rows)` as `jnp.any(rows > limit)`."""
    arg = one.node.args[0]
    name = spell(f"jax.numpy.{one.name}")
    if (
        isinstance(arg, ast.GeneratorExp | ast.ListComp)
        and elementwise_source(fn, arg) is not None
    ):
        return build.call(name, arg.elt)
    return build.call(name, array_of(fn, arg, spell))


def elementwise_source(
    fn: Function, node: ast.GeneratorExp | ast.ListComp
) -> ast.expr | None:
    """The array that a comprehension runs over, if its element is computed from one
    element of it, and can as well be computed from all at once."""
    if len(node.generators) != 1:
        return None
    (generator,) = node.generators
    if generator.ifs or not isinstance(generator.target, ast.Name):
        return None
    if not isinstance(generator.iter, ATOMS):
        return None
    known = fn.value(generator.iter)
    if not isinstance(known, Array) or arrays.rank(known) not in (None, 1):
        return None
    name = generator.target.id
    if not _uses(node.elt, name) or not _is_elementwise(fn, node.elt, name):
        return None
    if any(isinstance(n, ast.NamedExpr | ast.Await) for n in ast.walk(node)):
        return None
    return generator.iter if obstacle(fn, node.elt) is None else None


def _is_elementwise(fn: Function, expr: ast.expr, name: str) -> bool:
    if isinstance(expr, ast.Name) or not _uses(expr, name):
        return True
    parts = elementwise_parts(fn, expr)
    return bool(parts) and all(_is_elementwise(fn, part, name) for part in parts)


def _uses(expr: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(expr))


def at_once(fn: Function, one: Fold) -> ast.GeneratorExp | ast.ListComp | None:
    """The comprehension, or key, whose element is computed from a whole array."""
    arg = one.node.args[0]
    if one.name in ("any", "all") and isinstance(arg, ast.GeneratorExp | ast.ListComp):
        return arg if elementwise_source(fn, arg) is not None else None
    if (
        one.key is not None
        and len(one.node.args) == 1
        and _plain_range(fn, arg) is None
    ):
        return key_source(fn, one.key, arg)
    return None


def names_of_target(
    node: ast.GeneratorExp | ast.ListComp, part: ast.expr
) -> list[ast.Name]:
    """The places in a part of a comprehension that read the loop's variable."""
    target = node.generators[0].target
    assert isinstance(target, ast.Name), "the target is a name"
    return [n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == target.id]


# --- sorted


def _sorted(fn: Function, one: Fold, spell: Spell) -> ast.expr:
    arg = one.node.args[0]
    if one.key is not None and (count := _plain_range(fn, arg)) is not None:
        keys = _keys_of_range(fn, one.key, count, spell)
        if one.reverse:
            keys = ast.UnaryOp(ast.USub(), keys)
        order = build.call(spell("jax.numpy.argsort"), keys)
        return order if used_as_array(fn, one.node) else build.call("list", order)
    items = array_of(fn, arg, spell)
    if one.key is None:
        made: ast.expr = build.call(spell("jax.numpy.sort"), items)
        if one.reverse:
            step = ast.Slice(None, None, build.const(-1))
            made = ast.Subscript(made, step, ast.Load())
    else:
        if not isinstance(items, ATOMS) or build.is_new(items):
            raise CannotFix("give the sorted values a name")
        keys = _mapped(fn, one.key, items, spell)
        if one.reverse:
            keys = ast.UnaryOp(ast.USub(), keys)
        order = build.call(spell("jax.numpy.argsort"), keys)
        made = ast.Subscript(items, order, ast.Load())
    return made if used_as_array(fn, one.node) else build.call("list", made)


def used_as_array(fn: Function, node: ast.expr) -> bool:
    """Does no one notice that a list or tuple is an array?"""
    parent = fn.module.parent(node)
    match parent:
        case ast.Subscript(value=base, slice=index) if base is node:
            if not isinstance(index, ast.Slice):
                return True
            return used_as_array(fn, parent)
        case ast.Call(args=args) if any(a is node for a in args):
            name = arrays.library(fn, parent) or ""
            return name in ("len", "sum", "enumerate", "zip", "list", "tuple") or (
                name.startswith(("jax.numpy.", "numpy."))
            )
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is node
        case ast.Assign(targets=[ast.Tuple(elts=elts)]):
            return not any(isinstance(e, ast.Starred) for e in elts)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            uses = loads(fn, name)
            return all(
                same(resolved(fn, use), node) and used_as_array(fn, use) for use in uses
            )
        case _:
            return False
