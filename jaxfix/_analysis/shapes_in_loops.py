"""Arguments of jitted functions that have another shape in each round of a loop."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .demands import demand_of
from .static_uses import bound_by, loops_around, names_in, turns_of, value_of
from .values import Array, Const, Static, alternatives, type_name

if TYPE_CHECKING:
    from .facts import Function

# Calls that make an array longer.
JOINING = frozenset(
    f"{module}.{name}"
    for module in ("jax.numpy", "numpy")
    for name in ("append", "concatenate", "hstack", "vstack", "column_stack", "stack")
)
# Calls that make an array of a list.
COLLECTING = frozenset(
    f"{module}.{name}"
    for module in ("jax.numpy", "numpy")
    for name in ("array", "asarray", "stack", "concatenate", "hstack", "vstack")
)
# So few shapes, in a loop over that many, are no matter.
FEW_SHAPES = 3


@dataclass(frozen=True, slots=True)
class Growth:
    """An argument whose shape varies: what makes it vary, and how many there are."""

    argument: ast.expr
    because: str
    shapes: int | None


def growth_of(fn: Function, call: ast.Call) -> Growth | None:
    """The first argument of a call in a loop that has another shape in each round."""
    for loop in loops_around(fn, call):
        if not _counts(fn, loop):
            continue
        shapes = turns_of(fn, loop) if _is_range(fn, loop) else None
        if shapes is not None and shapes < FEW_SHAPES:
            continue
        for given in (*call.args, *(k.value for k in call.keywords)):
            because = _varies(fn, given, loop, set())
            if because is not None:
                return Growth(given, because, shapes)
    return None


def _counts(fn: Function, loop: ast.AST) -> bool:
    """Does the loop count, or collect? A loop over a few listed values is intended."""
    match loop:
        case ast.For(iter=ast.Tuple() | ast.List()):
            return False
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return all(fn.library(g.iter) == "range" for g in loop.generators)
        case _:
            return True


def _is_range(fn: Function, loop: ast.AST) -> bool:
    """Does a loop count as far as `range` says?"""
    return not isinstance(loop, ast.For) or fn.library(loop.iter) == "range"


def _varies(fn: Function, node: ast.expr, loop: ast.AST, seen: set[str]) -> str | None:
    """Why the shape of an expression varies in a loop, if it is seen to."""
    match node:
        case ast.Name(id=name):
            return _variable(fn, name, loop, seen)
        case ast.Subscript(value=base, slice=place):
            parts = place.elts if isinstance(place, ast.Tuple) else [place]
            if not any(isinstance(part, ast.Slice) for part in parts):
                return None
            return _slice(fn, place, loop) or _varies(fn, base, loop, seen)
        case ast.BinOp(left=left, right=right):
            return _varies(fn, left, loop, seen) or _varies(fn, right, loop, seen)
        case ast.Call():
            return _made(fn, node, loop, seen)
        case _:
            return None


def _changing(fn: Function, node: ast.AST, loop: ast.AST) -> bool:
    """Does an expression read what the loop counts?"""
    return bool(names_in(fn, node) & bound_by(loop))


def _slice(fn: Function, place: ast.expr, loop: ast.AST) -> str | None:
    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    for part in parts:
        if not isinstance(part, ast.Slice):
            continue
        moving = [b for b in (part.lower, part.upper) if b and _changing(fn, b, loop)]
        numbers = [value_of(fn, b) for b in moving]
        if len(moving) == 1 and all(_is_integer(v) for v in numbers):
            return f"the slice `{ast.unparse(part)}` has another length in each round"
    return None


def _is_integer(value: object) -> bool:
    match value:
        case Const() | Static():
            return type_name(value) == "int"
        case _:
            return False


def _made(fn: Function, node: ast.Call, loop: ast.AST, seen: set[str]) -> str | None:
    name = fn.library(node)
    if name is None or not name.startswith(("jax.", "numpy.")):
        return None
    demand = demand_of(fn, node)
    if demand is not None and demand.what in ("a shape", "a size"):
        for part in demand.parts:
            if _changing(fn, part, loop) and _is_size(fn, part):
                return f"`{ast.unparse(part)}` is its size, and changes in each round"
    if name in COLLECTING and node.args:
        first = node.args[0]
        if isinstance(first, ast.Name) and _is_appended(loop, first.id):
            return f"the list `{first.id}` grows in each round"
    for arg in node.args[:1]:
        return _varies(fn, arg, loop, seen)
    return None


def _is_size(fn: Function, part: ast.expr) -> bool:
    value = value_of(fn, part)
    return _is_integer(value) or isinstance(part, ast.Tuple)


def _is_appended(loop: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("append", "extend", "insert")
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == name
        for node in ast.walk(loop)
    )


def _variable(fn: Function, name: str, loop: ast.AST, seen: set[str]) -> str | None:
    if name in seen:
        return None
    seen.add(name)
    if _is_appended(loop, name):
        return f"the list `{name}` grows in each round"
    inside = {id(n) for n in ast.walk(loop)}
    for source in fn.definitions.get(name) or ():
        if id(source) not in inside:
            continue
        if (
            isinstance(source, ast.Call)
            and fn.library(source) in JOINING
            and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(source))
        ):
            return f"`{name}` gets longer in each round"
        because = _varies(fn, source, loop, seen)
        if because is not None:
            return because
    return None


def alternation_of(fn: Function, call: ast.Call) -> ast.expr | None:
    """An argument that is a Python number in some rounds of a loop, else an array.

    A number is weakly typed and an array is not, so there are two programs.
    """
    loops = loops_around(fn, call)
    for given in (*call.args, *(k.value for k in call.keywords)):
        if loops and _alternates(fn, given, loops[-1]):
            return given
    return None


def _alternates(fn: Function, given: ast.expr, loop: ast.AST) -> bool:
    sources: list[ast.expr] = []
    match given:
        case ast.IfExp(body=body, orelse=orelse):
            sources = [body, orelse]
        case ast.Name(id=name):
            inside = {id(n) for n in ast.walk(loop)}
            known = fn.definitions.get(name) or []
            sources = [s for s in known if id(s) in inside]
            if len(sources) == 1 and isinstance(sources[0], ast.IfExp):
                sources = [sources[0].body, sources[0].orelse]
    kinds = {_strength(fn, source) for source in sources}
    return {"weak", "strong"} <= kinds


def _strength(fn: Function, node: ast.expr) -> str:
    value = value_of(fn, node)
    options = alternatives(value) if value is not None else ()
    if options and all(type_name(o) in ("int", "float") for o in options):
        return "weak"
    if options and all(
        isinstance(o, Array) and o.dtype is not None and not o.dtype.weak
        for o in options
    ):
        return "strong"
    return ""
