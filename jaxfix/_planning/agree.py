"""Types of two values that must be one: branches of a cond, the two ends of a carry.

JAX wants the same dtype and shape from both branches and from a carry before and after.
What Python let differ (`0` here, an array there) is made to agree with the edits of
jax-semantics.md, section 2; where agreement cannot be shown the fix is given up.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeGuard

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array, merge
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.frame import join_all
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.scopes import reads
from jaxfix._analysis.values import (
    SCALAR,
    WEAK,
    Array,
    Const,
    Dict,
    DType,
    Seq,
    Shape,
    Static,
    Union,
    Unknown,
    Value,
    alternatives,
    promote,
)

from .booleans import Spell

PYTHON_TYPES = {"float": "float", "int": "int", "complex": "complex"}


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression and what it is.

    `local`: names that its branch alone binds so. `rebound`: names that statements of
    its branch have bound when it is evaluated. `is_part`: it is a part of a tree, which
    a loop may give another type after the first round.
    """

    node: ast.expr
    value: Value | None
    local: frozenset[str] = frozenset()
    rebound: frozenset[str] = frozenset()
    is_part: bool = False

    def part(self, node: ast.expr, value: Value | None) -> Typed:
        return Typed(node, value, self.local, self.rebound, is_part=True)

    def is_visible_from(self, other: Typed) -> bool:
        """Is it the name of an array that means the same in the other branch?"""
        is_name = isinstance(self.node, ast.Name | ast.Attribute)
        return is_name and not (self.local | other.rebound) & set(reads(self.node))


def collapse(value: Value | None) -> Value | None:
    """A union of numbers and arrays as one array (a loop's value before and after)."""
    if isinstance(value, Union):
        out: Value | None = value.options[0]
        for option in value.options[1:]:
            out = merge(out, option) if out is not None else None
        return out if out is not None else join_all(list(value.options))
    return value


def is_literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool() | int() | float() | complex()):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_literal(operand)
        case _:
            return False


def no_array(value: Value | None) -> str | None:
    """A word for a value that no JAX operation can return."""
    match value:
        case Const(value=None):
            return "None"
        case Const(value=str()) | Static(type="str"):
            return "a string"
        case Static(type="enum"):
            return "a member of an enum"
        case _:
            return None


def part_word(value: Value | None) -> str | None:
    """The same for what a list, tuple or dict holds; None is a tree without leaves."""
    match value:
        case Seq(items=tuple(items)):
            parts: list[Value] = [*items]
        case Dict(items=tuple(entries)):
            parts = [part for _, part in entries]
        case _:
            return None
    words = [no_array(part) or part_word(part) for part in parts]
    return next((word for word in words if word not in (None, "None")), None)


def agree(spell: Spell, name: str, a: Typed, b: Typed) -> tuple[ast.expr, ast.expr]:
    """The two expressions, edited so that they have one type.

    Raises:
      CannotFix: they differ in a way that no edit mends, or that cannot be seen.
    """
    left, right = collapse(a.value), collapse(b.value)
    if left == right and isinstance(left, Const):
        if isinstance(left.value, str | bytes):
            raise CannotFix(f"{name} is a string, which compiled code cannot return")
        return a.node, b.node
    words = [no_array(left), no_array(right)]
    if words != [None, None]:
        kinds = [w or "an array" for w in words]
        if kinds[0] == kinds[1]:
            raise CannotFix(f"{name} is {kinds[0]}, which compiled code cannot choose")
        raise CannotFix(
            f"{name} is {kinds[0]} in one branch and {kinds[1]} in the other"
        )
    if is_record(left) and is_record(right):
        return agree_records(spell, name, a.part(a.node, left), b.part(b.node, right))
    if isinstance(left, Seq | Dict) or isinstance(right, Seq | Dict):
        return agree_trees(spell, name, a.part(a.node, left), b.part(b.node, right))
    if left is None or right is None:
        return a.node, b.node
    x, y = as_array(left), as_array(right)
    if x is None or y is None:
        return a.node, b.node
    check_shapes(name, a, b, x, y)
    if any(not side.is_part and is_mixed(side.value) for side in (a, b)):
        raise CannotFix(f"the dtype of {name} depends on a static condition")
    if x.dtype is None or y.dtype is None:
        return (
            fitted(spell, a, b) if is_literal(a.node) else a.node,
            fitted(spell, b, a) if is_literal(b.node) else b.node,
        )
    if same_dtype(x.dtype, y.dtype):
        return reshaped(spell, a, b, x, y)
    target = promote(x.dtype, y.dtype)
    return (
        cast(spell, name, a, x, b, y, target),
        cast(spell, name, b, y, a, x, target),
    )


def is_mixed(value: Value | None) -> bool:
    """May it be of two dtypes: `0` where a static test fails, else a float?"""
    if not isinstance(value, Union):
        return False
    arrays = [as_array(option) for option in value.options]
    dtypes = [a.dtype for a in arrays if a is not None and a.dtype is not None]
    return any(not same_dtype(dtypes[0], dtype) for dtype in dtypes[1:])


def same_dtype(a: DType, b: DType) -> bool:
    """Equal, where the default dtypes are 32 bits wide (else JAX says so)."""
    if a.kind == b.kind == "b":
        return True
    return a.weak == b.weak and _narrow(a) == _narrow(b)


def _narrow(dtype: DType) -> frozenset[str]:
    words = {"float": "float32", "int": "int32", "complex": "complex64"}
    return frozenset(words.get(name, name) for name in dtype.strong)


def check_shapes(name: str, a: Typed, b: Typed, x: Array, y: Array) -> None:
    if is_literal(a.node) or is_literal(b.node):
        return
    grows = adds_axis(a.node, b.node) or adds_axis(b.node, a.node)
    if grows or differ(x.shape, y.shape):
        raise CannotFix(f"{name} has another shape in one branch than in the other")


def adds_axis(node: ast.expr, other: ast.expr) -> bool:
    """Is `node` the value of `other` with one more axis, whatever its shape is?"""
    match node:
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=[first, *_]):
            return ast.dump(first) == ast.dump(other)
        case ast.Subscript(value=value, slice=index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            is_new = any(isinstance(p, ast.Constant) and p.value is None for p in parts)
            return is_new and ast.dump(value) == ast.dump(other)
        case _:
            return False


def differ(a: Shape, b: Shape) -> bool:
    """Are two shapes certainly different? Where it is not certain, JAX will tell."""
    if a is None or b is None or a == b:
        return False
    return all(isinstance(part, tuple) for part in a | b)


def reshaped(
    spell: Spell, a: Typed, b: Typed, x: Array, y: Array
) -> tuple[ast.expr, ast.expr]:
    """A literal beside an array of the same dtype that is not a scalar."""
    first, second = a.node, b.node
    if is_literal(first) and y.shape != SCALAR and y.shape is not None:
        first = fitted(spell, a, b)
    if is_literal(second) and x.shape != SCALAR and x.shape is not None:
        second = fitted(spell, b, a)
    return first, second


def fitted(spell: Spell, literal: Typed, other: Typed) -> ast.expr:
    """A literal with the dtype and shape of a named array."""
    node = other.node
    if not other.is_visible_from(literal):
        return literal.node
    value = literal.node.value if isinstance(literal.node, ast.Constant) else None
    if isinstance(value, bool):
        return literal.node
    if value is not None and value == 0:
        return build.call(spell("jax.numpy.zeros_like"), node)
    if value is not None and value == 1:
        return build.call(spell("jax.numpy.ones_like"), node)
    return build.call(spell("jax.numpy.full_like"), node, literal.node)


def cast(
    spell: Spell,
    name: str,
    this: Typed,
    mine: Array,
    other: Typed,
    theirs: Array,
    target: DType | None,
) -> ast.expr:
    """`this` as an array of dtype `target`."""
    if target is None or mine.dtype is None or same_dtype(mine.dtype, target):
        return this.node
    named = isinstance(other.node, ast.Name) and theirs.dtype == target
    named = named and other.is_visible_from(this)
    if is_literal(this.node):
        if named and theirs.shape is not None:
            return fitted(spell, this, other)
        dtype = dtype_node(spell, target)
        if dtype is None and named:
            dtype = ast.Attribute(other.node, "dtype", ast.Load())
        if dtype is None:
            if target.is_weak:
                return promoted_literal(this.node, target)
            raise CannotFix(f"the dtype of {name} is not known well enough here")
        return build.call(spell("jax.numpy.asarray"), this.node, dtype)
    dtype = dtype_node(spell, target)
    if dtype is None and named:
        dtype = ast.Attribute(other.node, "dtype", ast.Load())
    if dtype is None and target.is_weak:
        python = {3: "float", 2: "int", 4: "complex"}.get(target.weak)
        if python is not None:
            return build.call(spell("jax.numpy.asarray"), this.node, build.load(python))
    if dtype is None:
        raise CannotFix(f"the two values of {name} differ in dtype")
    options = alternatives(this.value) if this.value is not None else ()
    # JAX gives back what a loop leaves alone as it was: a Python number, perhaps.
    may_be_number = isinstance(this.node, ast.Name) and mine.dtype.is_weak
    if may_be_number or any(isinstance(o, Const | Static) for o in options):
        return build.call(spell("jax.numpy.asarray"), this.node, dtype)
    return build.method(this.node, "astype", dtype)


def promoted_literal(node: ast.expr, target: DType) -> ast.expr:
    """`0` beside a weak float: `0.0`."""
    if isinstance(node, ast.Constant) and target == WEAK[int]:
        return build.const(int(node.value))  # type: ignore[arg-type]
    if isinstance(node, ast.Constant) and target == WEAK[float]:
        return build.const(float(node.value))  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp) and target == WEAK[float]:
        return ast.UnaryOp(ast.USub(), promoted_literal(node.operand, target))
    return node


def dtype_node(spell: Spell, dtype: DType) -> ast.expr | None:
    """An expression for a dtype that is known by name."""
    if len(dtype.strong) != 1 or dtype.weak:
        return None
    (name,) = dtype.strong
    if name.startswith("?"):
        return None
    if name in PYTHON_TYPES:
        return build.load(name)
    if name == "bool":
        return build.load("bool")
    return build.load(spell(f"jax.numpy.{name}"))


def agree_trees(
    spell: Spell, name: str, a: Typed, b: Typed
) -> tuple[ast.expr, ast.expr]:
    left, right = a.value, b.value
    if isinstance(left, Seq) and isinstance(right, Seq):
        if left.items is None or right.items is None:
            return a.node, b.node
        if left.kind != right.kind or len(left.items) != len(right.items):
            raise CannotFix(
                f"{name} has another structure in one branch than in the other"
            )
        if (
            isinstance(a.node, ast.Tuple | ast.List)
            and isinstance(b.node, ast.Tuple | ast.List)
            and len(a.node.elts) == len(b.node.elts) == len(left.items)
        ):
            pairs = [
                agree(spell, f"item {i} of {name}", a.part(m, p), b.part(n, q))
                for i, (m, n, p, q) in enumerate(
                    zip(
                        a.node.elts,
                        b.node.elts,
                        left.items,
                        right.items,
                        strict=True,
                    )
                )
            ]
            return (
                type(a.node)([p for p, _ in pairs], ast.Load()),
                type(b.node)([q for _, q in pairs], ast.Load()),
            )
        for p, q in zip(left.items, right.items, strict=True):
            same_type(name, p, q)
        return a.node, b.node
    if isinstance(left, Dict) and isinstance(right, Dict):
        if left.items is None or right.items is None:
            return a.node, b.node
        if {k for k, _ in left.items} != {k for k, _ in right.items}:
            raise CannotFix(f"{name} has other keys in one branch than in the other")
        mine, theirs = entries(a.node), entries(b.node)
        if mine is not None and theirs is not None:
            for key, value in left.items:
                one = a.part(mine[key], value)
                other = b.part(theirs[key], right.get(key))
                part = f"`{key}` of {name}"
                mine[key], theirs[key] = agree(spell, part, one, other)
            return with_entries(a.node, mine), with_entries(b.node, theirs)
        for key, value in left.items:
            same_type(name, value, right.get(key))
        return a.node, b.node
    if isinstance(left, Unknown) or isinstance(right, Unknown) or None in (left, right):
        return a.node, b.node
    raise CannotFix(f"{name} has another structure in one branch than in the other")


def is_record(value: Value | None) -> TypeGuard[InstanceValue]:
    """Is it a named tuple or an object of a dataclass, all of whose parts are known?"""
    return (
        isinstance(value, InstanceValue)
        and value.complete
        and value.cls.kind in ("namedtuple", "dataclass")
    )


def agree_records(
    spell: Spell, name: str, a: Typed, b: Typed
) -> tuple[ast.expr, ast.expr]:
    """Two objects of one class, field by field."""
    left, right = a.value, b.value
    assert isinstance(left, InstanceValue) and isinstance(right, InstanceValue)
    if left.cls != right.cls:
        raise CannotFix(f"{name} has another structure in one branch than in the other")
    mine, theirs = given(a.node, left), given(b.node, right)
    for field in left.cls.all_fields():
        first, second = left.attrs.get(field), right.attrs.get(field)
        if field in left.cls.static_fields:
            if first != second:
                raise CannotFix(f"`{field}` of {name} is static and differs")
            continue
        one = mine.get(field, kept(a.node, field))
        other = theirs.get(field, kept(b.node, field))
        if one is None or other is None:
            same_type(name, first, second)
            continue
        part = f"`{field}` of {name}"
        made = agree(spell, part, a.part(one, first), b.part(other, second))
        for fields, old, new in ((mine, one, made[0]), (theirs, other, made[1])):
            if field in fields:
                fields[field] = new
            elif new is not old:
                raise CannotFix(f"a part of {name} has another dtype in one branch")
    return with_given(a.node, left, mine), with_given(b.node, right, theirs)


def given(node: ast.expr, record: InstanceValue) -> dict[str, ast.expr]:
    """The fields that a call of the class, or of `_replace`, gives one by one."""
    if not isinstance(node, ast.Call):
        return {}
    plain = not any(isinstance(arg, ast.Starred) for arg in node.args)
    function = node.func
    match function:
        case ast.Attribute(attr="_replace") if not node.args:
            names: tuple[str, ...] = ()
        case ast.Name(id=word) | ast.Attribute(attr=word) if (
            word == record.cls.name and plain
        ):
            names = record.cls.all_fields()[: len(node.args)]
        case _:
            return {}
    found = dict(zip(names, node.args, strict=True))
    found.update((k.arg, k.value) for k in node.keywords if k.arg is not None)
    return found


def kept(node: ast.expr, field: str) -> ast.expr | None:
    """The field of the object that a name, or a `_replace` of one, leaves as it is."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as base, attr="_replace")):
            return ast.Attribute(base, field, ast.Load())
        case ast.Name():
            return ast.Attribute(node, field, ast.Load())
        case _:
            return None


def with_given(
    node: ast.expr, record: InstanceValue, fields: dict[str, ast.expr]
) -> ast.expr:
    """The call with other values of its fields; itself if they are its own."""
    before = given(node, record)
    if all(before[field] is value for field, value in fields.items()):
        return node
    assert isinstance(node, ast.Call), "it gives fields"
    names = record.cls.all_fields()[: len(node.args)]
    args = [fields[field] for field in names]
    keywords = [
        ast.keyword(k.arg, fields[k.arg] if k.arg is not None else k.value)
        for k in node.keywords
    ]
    return ast.Call(node.func, args, keywords)


def entries(node: ast.expr) -> dict[object, ast.expr] | None:
    """The values of a dict display by key; None if a key is not written out."""
    if not isinstance(node, ast.Dict):
        return None
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    if len(set(keys)) < len(node.keys):
        return None
    return dict(zip(keys, node.values, strict=True))


def with_entries(node: ast.expr, values: dict[object, ast.expr]) -> ast.expr:
    """The dict display with other values; itself if they are its own."""
    assert isinstance(node, ast.Dict), "it has entries"
    made = list((entries(node) or {}).keys())
    if all(values[key] is value for key, value in zip(made, node.values, strict=True)):
        return node
    return ast.Dict(list(node.keys), [values[key] for key in made])


def same_type(name: str, a: Value | None, b: Value | None) -> None:
    """Give up where two parts of a pytree are known to differ."""
    left, right = collapse(a), collapse(b)
    word = no_array(left)
    if word == no_array(right) and word not in (None, "None"):
        raise CannotFix(f"a part of {name} is {word}, which no branch can return")
    if left == right or left is None or right is None:
        return
    if word != no_array(right):
        raise CannotFix(f"{name} has another structure in one branch than in the other")
    x, y = as_array(left), as_array(right)
    if x is None or y is None:
        return
    if (
        x.dtype is not None
        and y.dtype is not None
        and x.dtype != y.dtype
        and x.dtype.kind != y.dtype.kind
    ):
        raise CannotFix(f"a part of {name} has another dtype in one branch")
    if differ(x.shape, y.shape):
        raise CannotFix(f"a part of {name} has another shape in one branch")
