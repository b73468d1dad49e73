"""Arrays that have a place in a container, and a name besides.

`w = params["w"]` is the array that the dict holds, and NumPy shows a store into `w` in
`params["w"]`. Afterwards `w` is bound to a new array, and the dict holds the old one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from jaxfix._analysis import arrays
from jaxfix._analysis.definitions import loads, statement_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.values import Unknown, alternatives

from .aliases import in_one_loop, line_of, names_bound

# What is asked of an array and has nothing to do with its elements.
_OUTSIDE = frozenset([".shape", ".ndim", ".dtype", ".size"])


@dataclass(frozen=True, slots=True)
class Place:
    """`params["w"]`: the container's name, and the way to the array from there.

    A step is a key or a field, as text; None where it is not known.
    """

    root: str
    path: tuple[str | None, ...]

    def meets(self, other: Place) -> bool:
        """May one of the two be in the other?"""
        return self.root == other.root and all(
            a is None or b is None or a == b or a[0] != b[0]
            for a, b in zip(self.path, other.path, strict=False)
        )


def place_of(fn: Function, node: ast.expr) -> Place | None:
    """The place of an array, if `node` reads it from a container with a name."""
    path: list[str | None] = []
    while not isinstance(node, ast.Name):
        match node:
            case ast.Subscript(value=base, slice=index):
                path.append(_step(index))
            case ast.Attribute(value=base, attr=attr):
                path.append(f".{attr}")
            case _:
                return None
        node = base
    if arrays.is_array(arrays.value(fn, node)):
        return None
    return Place(node.id, tuple(reversed(path)))


def _step(index: ast.expr) -> str | None:
    return f"[{index.value!r}" if isinstance(index, ast.Constant) else None


def taken_from(fn: Function, bound: ast.Name) -> list[Place]:
    """The places of the array that a variable is, once it is bound there."""
    whole: ast.AST = bound
    steps: list[str | None] = []
    holder = fn.module.parent(whole)
    while isinstance(holder, ast.Tuple | ast.List):
        at = next(i for i, e in enumerate(holder.elts) if e is whole)
        starred = any(isinstance(e, ast.Starred) for e in holder.elts)
        steps.append(None if starred else f"[{at!r}")
        whole, holder = holder, fn.module.parent(holder)
    steps.reverse()
    match holder:
        case ast.Assign(value=value, targets=targets):
            others = [t for t in targets if t is not whole and steps]
            found = [_within(fn, t, steps) for t in others]
            found.append(_within(fn, value, steps))
        case ast.NamedExpr(value=value):
            found = [_within(fn, value, steps)]
        case ast.For(target=target, iter=value) if target is whole:
            found = [_item_of(fn, value, steps)]
        case _:
            found = []
    return [one for one in found if one is not None and one.path]


def _within(fn: Function, value: ast.expr, steps: list[str | None]) -> Place | None:
    """What is at some steps in a value."""
    left = list(steps)
    while left and isinstance(value, ast.Tuple | ast.List):
        at = next((i for i in range(len(value.elts)) if left[0] == f"[{i!r}"), None)
        if at is None or isinstance(value.elts[at], ast.Starred):
            return None
        value = value.elts[at]
        left.pop(0)
    known = place_of(fn, value)
    return Place(known.root, (*known.path, *left)) if known is not None else None


def _item_of(fn: Function, value: ast.expr, steps: list[str | None]) -> Place | None:
    """An item of what a loop runs over."""
    match value:
        case ast.Call(func=ast.Attribute(value=base, attr="items"), args=[]):
            return _within(fn, base, [None]) if steps[:1] == ["[1"] else None
        case ast.Call(func=ast.Attribute(value=base, attr="values"), args=[]):
            return _within(fn, base, [None])
        case ast.Call(args=[*args]) if steps:
            name = arrays.library(fn, value)
            if name == "enumerate" and steps[0] == "[1":
                return _item_of(fn, args[0], steps[1:])
            at = [i for i in range(len(args)) if steps[0] == f"[{i!r}"]
            if name == "zip" and at:
                return _item_of(fn, args[at[0]], steps[1:])
            return None
        case _:
            return _within(fn, value, [None, *steps])


def check_taken(fn: Function, stmt: ast.stmt, name: str) -> None:
    """See to it that nobody reads an array in its container after a store into it.

    `name` is that of the array, or of the container if the store is into a part of it.

    Raises:
      CannotFix: somebody does.
    """
    for bound in names_bound(fn):
        for place in taken_from(fn, bound):
            if bound.id == name:
                _check_container(fn, stmt, bound, place)
            elif (
                place.root == name
                and _stores_at(fn, stmt, place)
                and _reads_again(fn, stmt, bound)
            ):
                raise CannotFix(
                    f"`{bound.id}` is another name of the array: in Python both change"
                )


def _stores_at(fn: Function, stmt: ast.stmt, place: Place) -> bool:
    return any(
        found is not None and found.meets(place)
        for node in ast.walk(stmt)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        for found in [place_of(fn, node.value)]
    )


def _is_inside(node: ast.AST, stmt: ast.stmt) -> bool:
    return any(node is one for one in ast.walk(stmt))


def _reads_again(fn: Function, stmt: ast.stmt, bound: ast.Name) -> bool:
    """Is what a variable got before a store read after it?"""
    outer = statement_of(fn, bound)
    if outer is None or line_of(outer) > line_of(stmt):
        return False
    return any(
        line_of(use) > line_of(stmt)
        or (in_one_loop(fn, use, stmt) and not in_one_loop(fn, outer, stmt))
        for use in loads(fn, bound.id)
        if not _is_inside(use, stmt)
    )


def _check_container(
    fn: Function, stmt: ast.stmt, bound: ast.Name, place: Place
) -> None:
    text = f"`{bound.id}` is an array in `{place.root}`"
    renewed = [*_renewals(fn, stmt, place)]
    if _is_object(fn, place) and not renewed:
        raise CannotFix(f"{text}, which is the state of an object")
    for use in loads(fn, place.root):
        if _is_inside(use, stmt) or _is_harmless(fn, use, place):
            continue
        later = line_of(use) > line_of(stmt)
        if not later and not in_one_loop(fn, use, stmt):
            continue
        between = [r for r in renewed if not later or line_of(r) < line_of(use)]
        if not between:
            raise CannotFix(f"{text}, which is read afterwards: in Python both change")


def _is_object(fn: Function, place: Place) -> bool:
    """Is it the field of an object that others may have as well?"""
    if not (place.path[-1] or "").startswith("."):
        return False
    return any(
        isinstance(one, InstanceValue) and one.cls.kind != "namedtuple"
        for use in loads(fn, place.root)
        for one in alternatives(arrays.value(fn, use) or Unknown())
    )


def _renewals(fn: Function, stmt: ast.stmt, place: Place) -> Iterator[ast.stmt]:
    """Statements behind a store, in its block or around it, that give the place another
    array, or the container's name another container."""
    around = [stmt, *fn.module.ancestors(stmt)]
    for node in fn.walk():
        if not isinstance(node, ast.Assign) or line_of(node) <= line_of(stmt):
            continue
        parent = fn.module.parent(node)
        if not any(parent is one for one in around):
            continue
        for one in (n for target in node.targets for n in ast.walk(target)):
            match one:
                case ast.Name(id=name, ctx=ast.Store()) if name == place.root:
                    yield node
                case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                    if place_of(fn, one) == place:
                        yield node


def _is_harmless(fn: Function, use: ast.Name, place: Place) -> bool:
    """Does reading a container tell nothing of the array at a place in it?"""
    node: ast.expr = use
    path: list[str | None] = []
    while True:
        parent = fn.module.parent(node)
        outer = fn.module.parent(parent) if parent is not None else None
        match parent:
            case ast.Subscript(value=base, slice=index) if base is node:
                path.append(_step(index))
            case ast.Attribute(attr=attr) if isinstance(outer, ast.Call) and (
                outer.func is parent
            ):
                return not Place(use.id, tuple(path)).meets(place) or (
                    attr == "_replace" and _gives(outer, place, len(path))
                )
            case ast.Attribute(attr=attr):
                path.append(f".{attr}")
            case _:
                break
        node = parent
        if isinstance(node.ctx, ast.Store):
            return True
        if len(path) == len(place.path) + 1 and path[-1] in _OUTSIDE:
            return True
    if not Place(use.id, tuple(path)).meets(place):
        return True
    return isinstance(parent, ast.AST) and _gives(parent, place, len(path))


def _gives(node: ast.AST, place: Place, depth: int) -> bool:
    """Does a copy of a container hold another array at the place?

    As `{**params, "w": w}`, `params | {"w": w}`, `dict(params, w=w)` or
    `state._replace(w=w)` do.
    """
    if depth >= len(place.path):
        return False
    step = place.path[depth]
    match node:
        case ast.Dict(keys=keys):
            given = [_step(key) for key in keys if key is not None]
        case ast.BinOp(op=ast.BitOr(), right=ast.Dict(keys=keys)):
            given = [_step(key) for key in keys if key is not None]
        case ast.Call(func=ast.Name(id="len" | "isinstance")):
            return True
        case ast.Call(keywords=keywords):
            named = [k.arg for k in keywords if k.arg is not None]
            given = [*(f".{n}" for n in named), *(f"[{n!r}" for n in named)]
        case _:
            return False
    return step is not None and step in given
