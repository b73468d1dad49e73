"""State that is no plain name: `t.best`, `books["cash"]["eur"]`, `legs[1]`.

Assigned in a branch or a loop that is rewritten, such a place becomes a local name for
the region: read before it, written back once after it. That is right if the object is
the function's own and nothing else in the region looks at it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jaxfix._analysis import build
from jaxfix._analysis.definitions import block_of
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.frame import join_all
from jaxfix._analysis.objects import InstanceValue
from jaxfix._analysis.scopes import names, parameter_names, writes
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Seq,
    Static,
    Value,
    alternatives,
    element,
    type_name,
)

from . import ownership
from .apart import are_apart


@dataclass(slots=True)
class Place:
    """One place, as the analysis tells places apart: root name and constant path.

    `name` stands for it between `read` (None where it has no value yet) and `write`.
    """

    key: tuple[object, ...]
    name: str
    sample: ast.expr
    nodes: list[ast.expr]
    read: ast.stmt | None = None
    write: ast.stmt | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """A statement on names, what reads the places before it and writes them after."""

    before: list[ast.stmt]
    stmt: ast.stmt
    after: list[ast.stmt]
    places: list[Place]


def extract(
    fn: Function,
    stmt: ast.stmt,
    fresh: Callable[[str], str],
    edit: Callable[[ast.AST, str], None],
) -> Extracted:
    """The statement with names for places. `edit` has the old text spelled anew.

    Raises:
      CannotFix: a place whose object others may see.
    """
    local = changes_inside(fn, stmt)
    stored = [
        n for n in stores(stmt) if id(n) not in local and not is_array_store(fn, n)
    ]
    if not stored:
        return Extracted([], stmt, [], [])
    places: dict[tuple[object, ...], Place] = {}
    for store in stored:
        key = key_of(fn, stmt, store)
        if key not in places:
            check_owner(fn, stmt, key, store)
            places[key] = Place(key, fresh(base_name(key)), store, [])
    check_overlap(fn, places)
    check_other_uses(fn, stmt, places)
    renamed: dict[int, str] = {}
    for node in reads_and_stores(stmt):
        key_ = try_key(fn, stmt, node)
        if key_ is not None and key_ in places:
            renamed[id(node)] = places[key_].name
            places[key_].nodes.append(node)
            edit(node, places[key_].name)
    before: list[ast.stmt] = []
    after: list[ast.stmt] = []
    for place in places.values():
        value = current(fn, stmt, place.key)
        if value is not None:
            read = build.as_load(place.sample)
            read.fact = value  # type: ignore[attr-defined]
            place.read = build.assign(place.name, read)
            before.append(place.read)
        target = as_store(place.sample)
        place.write = ast.Assign([target], build.load(place.name))
        after.append(place.write)
    return Extracted(before, renamed_copy(stmt, renamed), after, [*places.values()])


def stores(stmt: ast.stmt) -> Iterator[ast.Attribute | ast.Subscript]:
    for node in ast.walk(stmt):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(
            node.ctx, ast.Store
        ):
            yield node


def changes_inside(fn: Function, stmt: ast.stmt) -> set[int]:
    """The stores into objects that a branch makes for itself, by identity."""
    found: set[int] = set()
    for arm in (getattr(stmt, "body", []), getattr(stmt, "orelse", [])):
        own = ownership.own_objects(fn, arm)
        for node in (n for one in arm for n in stores(one)):
            if isinstance(node.value, ast.Name) and node.value.id in own:
                found.add(id(node))
    return found


def reads_and_stores(stmt: ast.stmt) -> Iterator[ast.expr]:
    for node in ast.walk(stmt):
        if isinstance(node, ast.Attribute | ast.Subscript):
            yield node


def is_array_store(fn: Function, node: ast.expr) -> bool:
    """`x[i] = v` on an array: another rule's, and no matter of places."""
    if not isinstance(node, ast.Subscript):
        return False
    value = fn.value(node.value)
    return value is not None and any(isinstance(o, Array) for o in alternatives(value))


def key_of(fn: Function, stmt: ast.stmt, node: ast.expr) -> tuple[object, ...]:
    key = try_key(fn, stmt, node)
    if key is None:
        text = ast.unparse(node)
        raise CannotFix(f"which object `{text}` changes is not known")
    return key


def try_key(fn: Function, stmt: ast.stmt, node: ast.expr) -> tuple[object, ...] | None:
    """`(root, step, ...)`: a step is an attribute, a constant key or a steady name."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=base, attr=attr):
            inner = try_key(fn, stmt, base)
            return None if inner is None else (*inner, ("attr", attr))
        case ast.Subscript(value=base, slice=index):
            inner = try_key(fn, stmt, base)
            value = fn.value(index)
            if inner is None or value is None:
                return None
            if isinstance(value, Const) and isinstance(value.value, str | int):
                return (*inner, ("item", from_start(fn, base, value.value)))
            if (steady := steady_index(fn, stmt, index)) is not None:
                return (*inner, ("name", *steady))
            return None
        case _:
            return None


def from_start(fn: Function, base: ast.expr, key: str | int) -> str | int:
    """`2` for `-1`, where the length of a list is known to be 3."""
    known = alternatives(fn.value(base) or Const(None))
    items = [o.items for o in known if isinstance(o, Seq)]
    lengths = {len(found) for found in items if found is not None}
    if not isinstance(key, int) or key >= 0 or len(items) < len(known):
        return key
    if None in items or len(lengths) != 1:
        return key
    return key + lengths.pop()


def steady_index(
    fn: Function, stmt: ast.stmt, index: ast.expr
) -> tuple[str, int] | None:
    """`("j", 1)` of `j + 1`, where `j` is known while tracing and stays what it is."""
    offset = 0
    match index:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=int() as by)):
            index, offset = left, by
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int() as by)):
            index, offset = left, -by
    if not isinstance(index, ast.Name) or index.id in writes(stmt):
        return None
    known = alternatives(fn.value(index) or Const(None))
    if not all(type_name(value) in ("str", "int") for value in known):
        return None
    return index.id, offset


def base_name(key: tuple[object, ...]) -> str:
    """`pos_0` for `ball.pos[0]`, `hits` for `ball.hits`."""
    last = key[-1]
    assert isinstance(last, tuple), "a place has a step"
    word = str(last[1])
    if last[0] != "name" and word.isidentifier():
        return word
    if last[0] == "name" and last[2]:
        word += f"_{'next' if last[2] > 0 else 'before'}"
    holders = [str(s[1]) for s in key[1:-1] if isinstance(s, tuple) and s[0] != "name"]
    holder = next((w for w in reversed(holders) if w.isidentifier()), str(key[0]))
    return f"{holder}_{word.replace('-', 'm')}"


def check_owner(
    fn: Function, stmt: ast.stmt, key: tuple[object, ...], node: ast.expr
) -> None:
    """The object must have been made in this function."""
    root = str(key[0])
    text = ast.unparse(node)
    is_lambda = isinstance(fn.node, ast.Lambda | ast.Module)
    if is_lambda or root in writes(stmt):
        raise CannotFix(f"`{text}` changes an object that is bound in the region")
    assert not isinstance(fn.node, ast.Lambda | ast.Module), "checked above"
    value = root_value(fn, stmt, root)
    known = alternatives(value) if value is not None else ()
    is_object = all(isinstance(o, InstanceValue | Dict | Seq) for o in known)
    is_given = root in parameter_names(fn.node) or root not in writes(fn.node.body)
    if known and is_object and len(key) == 2:
        try:
            ownership.check_given(fn, stmt, node)
            return
        except CannotFix:
            if is_given:
                raise
    if is_given:
        raise CannotFix(f"in it, `{text}` changes an object from outside in place")
    if not known or not is_object:
        raise CannotFix(f"in it, `{text}` changes an object that is not known")
    ownership.check_owner(fn, stmt, node)


def root_value(fn: Function, stmt: ast.stmt, root: str) -> Value | None:
    for node in ast.walk(stmt):
        if isinstance(node, ast.Name) and node.id == root:
            value = fn.value(node)
            if value is not None:
                return value
    return None


def check_overlap(fn: Function, places: dict[tuple[object, ...], Place]) -> None:
    """No place may be a part of another one, or be the same by another key."""
    for a in places:
        for b in places:
            text = ast.unparse(places[b].sample)
            if a is not b and b[: len(a)] == a:
                raise CannotFix(f"`{text}` is part of another object that changes")
            if (
                a is not b
                and may_meet(a, b)
                and not are_apart(fn, places[a].sample, a, b)
            ):
                other = ast.unparse(places[a].sample)
                raise CannotFix(f"`{text}` and `{other}` may be one place")


def may_meet(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    """May two paths lead to one place, or into it, though they are spelled apart?"""
    for one, other in zip(a, b, strict=False):
        if one == other:
            continue
        match one, other:
            case ("item", int(first)), ("item", int(second)) if first * second <= 0:
                # Counted from the two ends of a list.
                return min(first, second) < 0
        kinds = [step[0] for step in (one, other) if isinstance(step, tuple)]
        if "name" not in kinds or "attr" in kinds:
            return False
    return True


def check_other_uses(
    fn: Function, stmt: ast.stmt, places: dict[tuple[object, ...], Place]
) -> None:
    """Within the region the object is only read through paths that are known."""
    roots = {str(key[0]) for key in places}
    prefixes = {key[:n] for key in places for n in range(1, len(key))}
    for node in ast.walk(stmt):
        if not isinstance(node, ast.Name) or node.id not in roots:
            continue
        path: ast.expr = node
        for parent in fn.module.ancestors(node):
            if (
                isinstance(parent, ast.Attribute | ast.Subscript)
                and parent.value is path
            ):
                path = parent
                if not ownership.is_plain(fn, path):
                    raise CannotFix(f"`{ast.unparse(path)}` may read what changes")
                key = try_key(fn, stmt, path)
                if key is None:
                    raise CannotFix(f"`{ast.unparse(path)}` may be what changes")
                if key in prefixes:
                    continue
                if any(
                    key != place
                    and may_meet(key, place)
                    and not are_apart(fn, places[place].sample, place, key)
                    for place in places
                ):
                    raise CannotFix(f"`{ast.unparse(path)}` may be what changes")
                break
            raise CannotFix(
                f"`{ast.unparse(path)}` is used as a whole where it changes"
            )


def current(fn: Function, stmt: ast.stmt, key: tuple[object, ...]) -> Value | None:
    """The value at a place before the region; None if it is not there."""
    name = str(key[0])
    keys = spelled_out(fn, stmt, key)
    for root in (entry_value(fn, stmt, name), root_value(fn, stmt, name)):
        options = alternatives(root) if root else ()
        found = [followed(option, steps) for option in options for steps in keys]
        known = [v for v in found if v is not None]
        if known and len(known) == len(found):
            return join_all(known)
    return stored_before(fn, stmt, key)


def entry_value(fn: Function, stmt: ast.stmt, root: str) -> Value | None:
    """An object as it is before the region; None if that was not seen."""
    first = stmt
    match stmt:
        case ast.If(test=test, body=[one, *_]) if build.is_new(test):
            first = one  # a region and all that follows it
    source = build.source_of(first)
    return fn.facts.interpreter.entries.get(id(source), {}).get(root)


def stored_before(
    fn: Function, stmt: ast.stmt, key: tuple[object, ...]
) -> Value | None:
    """The value that a statement of the same block has just stored at a place."""
    source = build.source_of(stmt)
    assert isinstance(source, ast.stmt), "a statement comes from a statement"
    block = block_of(fn, source)
    earlier = block[: next((i for i, s in enumerate(block) if s is source), 0)]
    steady = {step[1] for step in key if isinstance(step, tuple) and step[0] == "name"}
    for one in reversed(earlier):
        match one:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target]):
                found = try_key(fn, one, target)
                if found == key:
                    return fn.value(one.value)
                is_other = (
                    found is not None
                    and len(found) == len(key)
                    and not may_meet(found, key)
                )
                if is_other and str(key[0]) not in names(one.value):
                    continue
        if {str(key[0]), *steady} & {*names(one)}:
            return None
    return None


def spelled_out(
    fn: Function, stmt: ast.stmt, key: tuple[object, ...]
) -> list[tuple[object, ...]]:
    """The paths that a path with variables in it may be, from the root on."""
    found: list[tuple[object, ...]] = [()]
    for step in key[1:]:
        assert isinstance(step, tuple), "a step is a pair"
        options: list[object] = [step]
        if step[0] == "name":
            value = root_value(fn, stmt, step[1])
            known = alternatives(value or Const(None)) if not step[2] else ()
            known = known or (Static("int"),)
            own = len(key) == 2 and runs_over(fn, step[1], str(key[0]))
            some = ("key", step[1]) if own else ("index", step[1])
            options = [
                ("item", o.value) if isinstance(o, Const) else some for o in known
            ]
        found = [(*path, option) for path in found for option in options]
    return found


def runs_over(fn: Function, name: str, container: str) -> bool:
    """Is a variable only ever a key of a dict, as in `for k in d`?"""
    sources = fn.definitions.get(name) or [ast.Constant(None)]
    return all(
        isinstance(iterated_dict(source), ast.Name)
        and ast.unparse(iterated_dict(source)) == container
        for source in sources
    )


def iterated_dict(source: ast.expr) -> ast.expr:
    """`d` of `d.keys()` and `d.items()`."""
    match source:
        case ast.Call(func=ast.Attribute(value=base, attr="keys" | "items"), args=[]):
            return base
        case _:
            return source


def followed(value: Value | None, steps: tuple[object, ...]) -> Value | None:
    for step in steps:
        assert isinstance(step, tuple), "a step is a pair"
        kind, word = step
        match value:
            case InstanceValue() if kind == "attr":
                value = value.attrs.get(str(word))
            case Dict() if kind == "item":
                value = value.get(word)
            case Seq() if kind == "index":
                value = element(value)
            case Seq(kind="list", items=None) if kind == "item":
                # A list has the item that is stored into it.
                value = element(value)
            case Dict() if kind == "key":
                value = element(value)
            case Seq(items=items) if kind == "item" and items is not None:
                number = int(str(word)) if isinstance(word, int) else len(items)
                value = items[number] if -len(items) <= number < len(items) else None
            case _:
                return None
    return value


def as_store(node: ast.expr) -> ast.expr:
    new = build.as_load(node)
    if isinstance(new, ast.Attribute | ast.Subscript):
        new.ctx = ast.Store()
    return new


# --- copies in which places are names


def renamed_copy(stmt: ast.stmt, renamed: dict[int, str]) -> ast.stmt:
    """The statement with the places as names; what did not change is shared."""
    new = _copy(stmt, renamed)
    assert isinstance(new, ast.stmt), "a copy of a statement is a statement"
    return new


def _copy(node: ast.AST, renamed: dict[int, str]) -> ast.AST:
    if id(node) in renamed:
        assert isinstance(node, ast.Attribute | ast.Subscript), "a place"
        name = ast.Name(renamed[id(node)], node.ctx)
        return _stand_in(name, node)
    fields: dict[str, object] = {}
    changed = False
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            items = [_copy(v, renamed) if isinstance(v, ast.AST) else v for v in value]
            changed = changed or any(
                a is not b for a, b in zip(items, value, strict=True)
            )
            fields[field] = items
        elif isinstance(value, ast.AST):
            inner = _copy(value, renamed)
            changed = changed or inner is not value
            fields[field] = inner
        else:
            fields[field] = value
    if not changed:
        return node
    return _stand_in(type(node)(**fields), node)


def _stand_in(new: ast.AST, old: ast.AST) -> ast.AST:
    """Facts and text of the copy are those of the original."""
    if hasattr(old, "lineno"):
        ast.copy_location(new, old)
    source = build.source_of(old)
    new.origin = source  # type: ignore[attr-defined]
    if not isinstance(old, _COMPOUND):
        new.render_as = source  # type: ignore[attr-defined]
    for mark in ("traced", "desugared", "done"):
        if hasattr(old, mark):
            setattr(new, mark, getattr(old, mark))
    return new


_COMPOUND = (
    ast.If,
    ast.For,
    ast.While,
    ast.With,
    ast.Try,
    ast.Match,
    ast.FunctionDef,
    ast.ExceptHandler,
    ast.match_case,
)
