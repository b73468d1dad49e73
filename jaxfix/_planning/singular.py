"""Values with a singular derivative, and branches that Python lets skip them.

In `n = norm(v)` / `if n > 1: v = v / n`, Python's gradient at zero is that of the
branch that is taken, which does not read `n`. A branch of `lax.cond` that has `n` from
outside sends a zero back through `norm`, and zero times infinity is NaN. So the
definition moves into the one branch that reads it. See jax-semantics.md, section 4.

Forward mode and conditions send nothing back: a `while_loop` needs none of this.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from jaxfix._analysis import build
from jaxfix._analysis.arrays import ARRAY_ATTRIBUTES
from jaxfix._analysis.closures import reads_variables
from jaxfix._analysis.definitions import changes, definition, loads, unchanged
from jaxfix._analysis.effects import PARTIAL, cost, is_singular, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.flow import definitely_writes, uses_before_definite_write
from jaxfix._analysis.objects import is_callable
from jaxfix._analysis.scopes import MUTATING_METHODS, names, reads, writes
from jaxfix._analysis.values import Array, Const, Static, Value

from .blocks import copy_with
from .for_loops import is_rolled
from .nonzero import is_singular_but, known_nonzero, without

NameSet = frozenset[str]
MAX_NODES = 40

_TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
_OPEN = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Tuple, ast.Attribute)
_BLOCKS = ("body", "orelse", "finalbody")


@dataclass(frozen=True, slots=True)
class Definition:
    """`name = value`, where the value may have a singular derivative.

    `is_stable`: nobody can change in place what the value is made of. `is_overflow`: it
    is singular only where an exponential overflows.
    """

    name: str
    value: ast.expr
    stmt: ast.stmt
    is_stable: bool = True
    is_overflow: bool = False


@dataclass(frozen=True, slots=True)
class After:
    """What is read after a place: `live` in any way, `used` for its value, always."""

    live: NameSet
    used: NameSet = frozenset()


Known = dict[str, Definition]


@dataclass(slots=True)
class Sink:
    """Moves definitions into the branches of one function.

    `is_edited`: whether the text of an original node is replaced, so that the node must
    stay whole.
    """

    fn: Function
    is_edited: Callable[[ast.AST], bool]
    moved: list[ast.stmt] = field(default_factory=list)
    nonzero: frozenset[str] = frozenset()  # what the branch at work knows

    def block(
        self, stmts: Sequence[ast.stmt], after: After, known: Known
    ) -> list[ast.stmt]:
        """The block with its traced branches mended; `known` holds at its start."""
        known = dict(known)
        out: list[ast.stmt] = []
        for index, stmt in enumerate(stmts):
            rest = stmts[index + 1 :]
            live = self.fn.flow.live_in(rest, after.live)
            out.append(
                self.statement(stmt, After(live, after.used | used(rest)), known)
            )
            self.nonzero = without(self.nonzero, set(writes(stmt)))
            self.advance(stmt, known)
        return self.without_unread(out, after.live)

    def statement(self, stmt: ast.stmt, after: After, known: Known) -> ast.stmt:
        match stmt:
            case ast.If() if getattr(stmt, "traced", False):
                return self.branches(stmt, after, known)
            case ast.If():
                return self.nested(stmt, after, known)
            case ast.For() if not is_rolled(self.fn, stmt):
                head = self.fn.flow.live_in([stmt], after.live) | after.live
                inside = After(head, after.used | used(stmt.body))
                return self.nested(stmt, inside, self.after(stmt, known))
            case ast.With():
                return self.nested(stmt, after, self.after(stmt, known))
            case _:
                return stmt

    def nested(self, stmt: ast.stmt, after: After, known: Known) -> ast.stmt:
        outside = self.nonzero
        self.nonzero = without(outside, set(writes(stmt)))
        blocks = {
            name: self.block(part, after, known)
            for name in _BLOCKS
            if (part := getattr(stmt, name, None))
        }
        self.nonzero = outside
        if all(same(block, getattr(stmt, name)) for name, block in blocks.items()):
            return stmt
        return copy_with(stmt, **blocks)

    def branches(self, node: ast.If, after: After, known: Known) -> ast.If:
        known = self.after(node.test, known)
        outputs = after.live & set(writes([*node.body, *node.orelse]))
        inner = After(outputs, after.used)
        outside = self.nonzero
        self.nonzero = outside | known_nonzero(self.fn, node.test, True)
        body = self.block(node.body, inner, known)
        self.nonzero = outside | known_nonzero(self.fn, node.test, False)
        orelse = self.block(node.orelse, inner, known)
        self.nonzero = outside
        mine, other = needs(body, outputs), needs(orelse, outputs)
        kept = behind(known, (mine & other) | (after.used - outputs))
        first = self.sunk(body, mine - other - kept, known)
        second = self.sunk(orelse, other - mine - kept, known)
        if same(first, node.body) and same(second, node.orelse):
            return node
        made = copy_with(node, body=first, orelse=second)
        assert isinstance(made, ast.If), "a copy of an if is an if"
        return made

    def sunk(
        self, block: list[ast.stmt], wanted: set[str], known: Known
    ) -> list[ast.stmt]:
        """The branch with the definitions that it alone needs."""
        chosen = self.chosen(block, wanted, known)
        if not chosen:
            return block
        self.moved += [d.stmt for d in chosen]
        if len(chosen) == 1:
            inlined = self.inlined(block, chosen[0])
            if inlined is not None:
                return inlined
        return [*(defined(self.fn, d) for d in chosen), *block]

    def chosen(
        self, block: list[ast.stmt], wanted: set[str], known: Known
    ) -> list[Definition]:
        """The definitions that a branch gets.

        To work out a value twice is the price of a regular gradient, but too high a
        price where no more than an overflow speaks for it.
        """
        known = dict(known)
        while True:
            chosen = with_their_own([n for n in known if n in wanted], known)
            code = [*block, *(d.value for d in chosen)]
            twice = {
                d.name
                for d in chosen
                if d.is_overflow and self.is_read_outside(d.name, code)
            }
            if not twice:
                return chosen
            for name in twice:
                del known[name]

    def is_read_outside(self, name: str, code: Sequence[ast.AST]) -> bool:
        return len(loads(self.fn, name)) > sum(count(name, c) for c in code)

    def inlined(self, block: list[ast.stmt], one: Definition) -> list[ast.stmt] | None:
        """The value in place of the name, in a branch of one short statement."""
        match block:
            case [ast.Return(value=ast.expr() as value) | ast.Assign(value=value)]:
                made = None
                if count(one.name, value) == 1:
                    made = substituted(self.fn, value, one, self.is_edited)
            case _:
                return None
        if made is None:
            return None
        new: ast.stmt = build.ret(made)
        if isinstance(block[0], ast.Assign):
            new = ast.Assign(block[0].targets, made)
        new.origin = build.source_of(block[0])  # type: ignore[attr-defined]
        return [new]

    def advance(self, stmt: ast.stmt, known: Known) -> None:
        """Bring the definitions over a statement."""
        for name in known.keys() - self.after(stmt, known).keys():
            del known[name]
        for name, value in definitions_in(stmt):
            if set(reads(value)) & set(writes(stmt)) or is_exact(self.fn, value):
                continue
            derived = any(n in known for n in gradient_reads([value]))
            if not derived and not is_singular_but(self.fn, value, self.nonzero):
                continue
            is_short = sum(1 for _ in ast.walk(value)) <= MAX_NODES
            if reads_variables(self.fn, value):
                continue
            if is_short and obstacle(self.fn, value) is None:
                stable = is_stable(self.fn, value)
                overflow = not is_singular(self.fn, value, overflows=False) and all(
                    known[n].is_overflow for n in gradient_reads([value]) if n in known
                )
                known[name] = Definition(name, value, stmt, stable, overflow)

    def after(self, code: ast.AST, known: Known) -> Known:
        """The definitions that hold whatever the code binds, stores or changes."""
        disturbs = any(changes_objects(self.fn, n) for n in ast.walk(code))
        return {
            name: one
            for name, one in known.items()
            if (one.is_stable or not disturbs)
            and not any(changes(code, n) for n in {name, *names(one.value)})
        }

    def without_unread(self, block: list[ast.stmt], live: NameSet) -> list[ast.stmt]:
        """The block without definitions that now stand in branches alone."""
        out: list[ast.stmt] = []
        for stmt in reversed(block):
            is_moved = any(stmt is one for one in self.moved)
            if is_moved and not set(writes(stmt)) & self.fn.flow.live_in(out, live):
                continue
            out.insert(0, stmt)
        return out


def sunk_value(
    fn: Function,
    mine: ast.expr,
    other: ast.expr,
    is_edited: Callable[[ast.AST], bool],
) -> tuple[ast.expr, list[ast.stmt]]:
    """One side of a choice with the definitions that it alone needs in it.

    Also returns the statements that nothing needs any more.
    """
    unread: list[ast.stmt] = []
    if isinstance(fn.node, ast.Lambda):
        return mine, unread
    elsewhere = set(gradient_reads([other]))
    everywhere = list(gradient_reads(fn.node.body))
    while (one := singular_in(fn, mine, elsewhere)) is not None:
        if everywhere.count(one.name) > list(gradient_reads([mine])).count(one.name):
            break
        made = substituted(fn, mine, one, is_edited)
        if made is None or obstacle(fn, one.value) is not None:
            break
        is_last = len(loads(fn, one.name)) == count(one.name, mine)
        if is_last and len(definitions_in(one.stmt)) == 1:
            unread.append(one.stmt)
        mine = made
    return mine, unread


def singular_in(fn: Function, mine: ast.expr, other: set[str]) -> Definition | None:
    """The first name in an expression whose definition is singular."""
    for node in ast.walk(mine):
        if isinstance(node, ast.Name) and node.id not in other:
            found = singular_definition(fn, node)
            if found is not None:
                return found
    return None


def singular_definition(
    fn: Function, name: ast.Name, depth: int = 4
) -> Definition | None:
    """The definition of a name, if it is singular, or one of those in it is."""
    found = definition(fn, name) if depth else None
    if found is None:
        return None
    stmt, value = found
    if is_exact(fn, value) or not unchanged(fn, value, stmt, name):
        return None
    if not is_stable(fn, value) or reads_variables(fn, value):
        return None
    if not is_singular(fn, value):
        inner = (n for n in ast.walk(value) if isinstance(n, ast.Name))
        if all(singular_definition(fn, n, depth - 1) is None for n in inner):
            return None
    return Definition(name.id, value, stmt)


def count(name: str, node: ast.AST) -> int:
    """How often it is read."""
    found = (n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)
    return sum(isinstance(n.ctx, ast.Load) for n in found)


def substituted(
    fn: Function,
    node: ast.expr,
    one: Definition,
    is_edited: Callable[[ast.AST], bool],
) -> ast.expr | None:
    """`node` with the value for the name; None if a part of it must stay whole."""
    if isinstance(node, ast.Name) and node.id == one.name:
        return one.value
    if one.name not in reads(node):
        return node
    if is_edited(node) or not isinstance(node, _OPEN):
        return None
    parts: dict[str, object] = {}
    for name, part in ast.iter_fields(node):
        items = part if isinstance(part, list) else [part]
        new = [
            substituted(fn, p, one, is_edited) if isinstance(p, ast.expr) else p
            for p in items
        ]
        if any(n is None and p is not None for n, p in zip(new, items, strict=True)):
            return None
        parts[name] = new if isinstance(part, list) else new[0]
    make: Callable[..., ast.expr] = type(node)
    made = make(**parts)
    made.fact = fn.value(node)  # type: ignore[attr-defined]
    made.cost = cost(fn, node) & PARTIAL  # type: ignore[attr-defined]
    return made


def same(new: Sequence[ast.stmt], old: Sequence[ast.stmt]) -> bool:
    return len(new) == len(old) and all(map(operator.is_, new, old))


def definitions_in(stmt: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The names that a statement binds to expressions of its own."""
    match stmt:
        case ast.Assign(targets=[ast.Tuple(elts=left)], value=ast.Tuple(elts=right)):
            if len(left) != len(right):
                return []
            pairs = zip(left, right, strict=True)
            return [(n.id, v) for n, v in pairs if isinstance(n, ast.Name)]
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [(name, value)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, value)]
        case _:
            return []


def is_exact(fn: Function, value: ast.expr) -> bool:
    """Integers and bools have no gradient."""
    found = fn.value(value)
    if not isinstance(found, Array) or found.dtype is None:
        return False
    return found.dtype.kind in ("i", "u", "b")


def is_stable(fn: Function, value: ast.expr) -> bool:
    """Is it made of arrays and numbers alone, which nobody can change in place?

    What is read out of a dict, a list or an object may be another value later on,
    whoever changes it: a helper that gets the object, or a store by another name.
    """
    return all(_is_stable_part(fn, node) for node in ast.walk(value))


def _is_stable_part(fn: Function, node: ast.AST) -> bool:
    match node:
        case ast.Attribute() | ast.Name() if fn.resolve(node) is not None:
            return True
        case ast.Attribute(value=base, attr=attr):
            return is_array(fn.value(base), whole=attr not in ARRAY_ATTRIBUTES)
        case ast.Subscript(value=base):
            return is_array(fn.value(base), whole=True)
        case ast.Name():
            found = fn.value(node)
            is_plain = isinstance(found, Const | Static) or is_array(found)
            return is_plain or (found is not None and is_callable(found))
        case ast.Call() if not fn.calls_library(node):
            given = [*node.args, *(k.value for k in node.keywords)]
            return all(is_array(fn.value(a), whole=True) for a in given)
        case _:
            return True


def changes_objects(fn: Function, node: ast.AST) -> bool:
    """May it change an object, under whatever name?"""
    match node:
        case ast.Attribute(ctx=ctx) | ast.Subscript(ctx=ctx):
            return not isinstance(ctx, ast.Load)
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in MUTATING_METHODS:
            return True
        case ast.Call():
            return not fn.calls_library(node)
        case _:
            return False


def is_array(value: Value | None, *, whole: bool = False) -> bool:
    """Is it an array? With `whole`, surely: a bare parameter may be any pytree.

    What never ran (None) does not matter.
    """
    if value is None:
        return True
    return isinstance(value, Array) and not (whole and value.tree)


def defined(fn: Function, one: Definition) -> ast.stmt:
    made = build.assign(one.name, one.value)
    made.targets[0].fact = fn.value(one.value)  # type: ignore[attr-defined]
    return made


def with_their_own(wanted: Sequence[str], known: Known) -> list[Definition]:
    """The definitions and those of the names in them, in the order of the source."""
    needed = set(wanted)
    for name in reversed(list(known)):
        if name in needed:
            needed |= set(reads(known[name].value)) & known.keys()
    return [d for name, d in known.items() if name in needed]


def behind(known: Known, wanted: NameSet | set[str]) -> set[str]:
    """The names and those that their definitions read."""
    out = set(wanted)
    for name in reversed(list(known)):
        if name in out:
            out |= set(gradient_reads([known[name].value]))
    return out


def needs(block: Sequence[ast.stmt], live: NameSet) -> set[str]:
    """The names whose value before the branch has a gradient in what it gives."""
    exposed = set(uses_before_definite_write(block)) & set(gradient_reads(block))
    return exposed | (live - set(definitely_writes(block)))


def used(block: Sequence[ast.stmt]) -> NameSet:
    """The names that are read for their value whichever branches are taken."""
    found: set[str] = set()
    for stmt in block:
        if isinstance(stmt, ast.If) and getattr(stmt, "traced", False):
            found |= used(stmt.body) & used(stmt.orelse)
        elif isinstance(stmt, ast.If | ast.For | ast.While | ast.With | ast.Try):
            found |= used([s for name in _BLOCKS for s in getattr(stmt, name, ())])
            found |= set(gradient_reads(header(stmt)))
        else:
            found |= set(gradient_reads([stmt]))
    return frozenset(found)


def header(stmt: ast.stmt) -> list[ast.AST]:
    """The parts of a compound statement that are no statements or conditions."""
    skipped = getattr(stmt, "test", None)
    return [
        child
        for child in ast.iter_child_nodes(stmt)
        if not isinstance(child, ast.stmt) and child is not skipped
    ]


def gradient_reads(block: Sequence[ast.AST]) -> Iterator[str]:
    """The names that are read for their value: not to compare, decide or print."""
    for node in block:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                yield name
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Expr():
                continue
        skipped = node.test if isinstance(node, _TESTS) else None
        yield from gradient_reads(
            [c for c in ast.iter_child_nodes(node) if c is not skipped]
        )
