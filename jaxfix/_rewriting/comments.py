"""Comments of statements that are gone: where they go in the new ones.

A fix hands the Writer new statements that hold expressions and statements of the old
ones. Which old statement an expression comes from is known, so it is known which new
statement a comment is about:

- what stood before an `if` stands before the first statement made of its parts;
- what stood behind `if ...:` stands before the statement that has the condition;
- what stood at a branch stands at the argument of `jnp.where` or `lax.cond`, or at the
  `def`, that the branch became, and never at the choice as a whole;
- what stood behind a statement stands behind the one made of it, if it is the only
  comment there, else before it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from jaxfix._analysis import build

from .blocks import comments, header_children, leading_blanks
from .edits import Edits
from .originals import Originals
from .spelling import Note

_BLOCKS = ("body", "orelse", "finalbody")
# A longer comment than this is not put behind a statement, which may be long itself.
_SHORT = 40


@dataclass(slots=True)
class Placed:
    """What a statement gets besides its own comments, in source order.

    A text in `lines` is a comment that stood behind code; `settle` makes it a line.
    """

    lines: list[cst.EmptyLine | str] = field(default_factory=list)
    header: str | None = None
    behind: str | None = None

    def settle(self, *, is_compound: bool) -> None:
        texts = [line for line in self.lines if isinstance(line, str)]
        others = comments([line for line in self.lines if not isinstance(line, str)])
        is_one = len(texts) == 1 and len(texts[0]) <= _SHORT and not others
        if is_one and not is_compound:
            self.behind = texts[0]
            self.lines = [line for line in self.lines if line is not texts[0]]

    def as_lines(self) -> list[cst.EmptyLine]:
        return [own_line(x) if isinstance(x, str) else x for x in self.lines]


def own_line(comment: str) -> cst.EmptyLine:
    return cst.EmptyLine(comment=cst.Comment(comment))


def origin_of(stmt: ast.AST, edits: Edits) -> Any:
    """The original statement that a new one is a copy of, with its own header."""
    origin: Any = getattr(stmt, "origin", None)
    if type(origin) is not type(stmt) or not edits.is_original(origin):
        return None
    mine = [id(node) for node in header_children(stmt)]
    return origin if mine == [id(node) for node in header_children(origin)] else None


def place(
    new: Sequence[ast.stmt], old: ast.stmt, edits: Edits, originals: Originals
) -> tuple[dict[int, Placed], dict[int, Note], list[cst.EmptyLine]]:
    """Where the comments in `old` go, of which `new` is made.

    Returns:
      What the statements of `new`, at any depth, get, by id; what arguments in them
      get; and what is left for the end.
    """
    return _Placing(new, edits, originals).place(old)


class _Placing:
    def __init__(
        self, new: Sequence[ast.stmt], edits: Edits, originals: Originals
    ) -> None:
        self.new = new
        self.edits = edits
        self.originals = originals
        self.placed: dict[int, Placed] = {}
        self.notes: dict[int, Note] = {}
        self.pending: list[cst.EmptyLine | str] = []
        self.statements: dict[int, ast.stmt] = {}
        # For every statement of the new list, the old ones that it is made of.
        self.arms: dict[int, frozenset[int]] = {}
        self.made_of: dict[int, frozenset[int]] = {}
        # Old statements that are there with their own comments.
        self.kept: set[int] = set()
        for stmt in new:
            self.read(stmt)

    def read(self, stmt: ast.stmt) -> frozenset[int]:
        """Fill `made_of` and `kept` for a statement of the new list."""
        self.statements[id(stmt)] = stmt
        found: set[int] = set()
        if self.edits.is_original(stmt):
            inside = {id(n) for n in ast.walk(stmt) if isinstance(n, ast.stmt)}
            self.kept |= inside
            found |= inside
        else:
            if (origin := origin_of(stmt, self.edits)) is not None:
                self.kept.add(id(origin))
            origin = getattr(stmt, "origin", None)
            if isinstance(origin, ast.stmt) and self.edits.is_original(origin):
                found.add(id(origin))
            found |= {id(owner) for owner in self.owners(stmt)}
            for inner in inner_statements(stmt):
                found |= self.read(inner)
        self.made_of[id(stmt)] = frozenset(found)
        return self.made_of[id(stmt)]

    def owners(self, node: ast.AST) -> Iterator[ast.stmt]:
        """The old statements that the expressions of a new one come from."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                continue
            if isinstance(child, ast.expr) and self.edits.is_original(child):
                owner: ast.AST | None = child
                while owner is not None and not isinstance(owner, ast.stmt):
                    owner = self.edits.parent(owner)
                if owner is not None:
                    yield owner
            else:
                yield from self.owners(child)

    def place(
        self, old: ast.stmt
    ) -> tuple[dict[int, Placed], dict[int, Note], list[cst.EmptyLine]]:
        if isinstance(old, ast.FunctionDef | ast.AsyncFunctionDef):
            for stmt in old.body:
                self.visit(stmt)
        else:
            self.visit(old)
        for key, placed in self.placed.items():
            inner = next(inner_statements(self.statements[key]), None)
            placed.settle(is_compound=inner is not None)
        return self.placed, self.notes, Placed(self.pending).as_lines()

    def visit(self, stmt: ast.stmt, around: int | None = None) -> None:
        """Place the comments of `stmt` and of what is in it, in source order.

        `around` is the target of the statement that `stmt` is in, if that is gone too.
        """
        is_gone = id(stmt) not in self.kept
        target = self.target(stmt) if is_gone or self.pending else None
        target = around if target is None else target
        if target is not None:
            self.at(target).lines += self.pending
            self.pending = []
        arm: ast.expr | None = None
        loose: list[str] = []
        if is_gone:
            arm = self.arm(target, frozenset({id(stmt)}))
            loose = self.edits.loose_comments(stmt, header_children(stmt))
        if arm is not None:
            self.above(arm, [*comments(self.originals.leading(stmt)), *loose])
        elif is_gone:
            lines = self.originals.leading(stmt)
            if target is None or not self.is_first(stmt, target):
                lines = comments(lines)
            here = self.lines_of(target)
            here += lines[leading_blanks(lines) :] if here else lines
            here += loose
        for name in self.originals.fields(stmt):
            if is_gone:
                self.visit_header(stmt, name, target)
            for inner in self.originals.block(stmt, name):
                self.visit(inner, target if is_gone else None)
        if is_gone:
            trailing = self.originals.trailing(stmt)
            footer = comments(self.originals.footers.get(id(stmt), ()))
            if arm is not None:
                self.behind(arm, trailing)
                self.above(arm, footer)
                return
            self.lines_of(target).extend([trailing] if trailing else [])
            self.lines_of(target).extend(footer)

    def arm(
        self, target: int | None, parts: frozenset[int], *, whole: bool = False
    ) -> ast.expr | None:
        """The innermost arm of a choice in the new statement that is made of `parts`.

        If `whole`, the outermost one that is made of nothing else.
        """
        if target is None or self.edits.is_original(self.statements[target]):
            return None
        if next(inner_statements(self.statements[target]), None) is not None:
            return None
        return self.arm_in(self.statements[target], parts, whole)

    def arm_in(
        self, node: ast.AST, parts: frozenset[int], whole: bool
    ) -> ast.expr | None:
        for child in ast.walk(node):
            for arm in build.arms(child):
                made_of = self.owners_of(arm)
                if made_of and made_of <= parts and whole:
                    return arm
                if made_of & parts:
                    inner = self.arm_in(arm, parts, whole)
                    return inner or (None if whole else arm)
        return None

    def owners_of(self, arm: ast.expr) -> frozenset[int]:
        """The old statements that an arm of a choice is made of."""
        found = self.arms.get(id(arm))
        if found is None:
            found = frozenset(id(owner) for owner in self.owners(ast.Expr(arm)))
            self.arms[id(arm)] = found
        return found

    def above(self, arm: ast.expr, lines: Sequence[cst.EmptyLine | str]) -> None:
        for line in lines:
            comment = own_line(line).comment if isinstance(line, str) else line.comment
            if comment is not None:
                self.notes.setdefault(id(arm), Note()).above.append(comment.value)

    def behind(self, arm: ast.expr, comment: str | None) -> None:
        if comment is None:
            return
        note = self.notes.setdefault(id(arm), Note())
        if note.behind is None and len(comment) <= _SHORT:
            note.behind = comment
        else:
            note.above.append(comment)

    def lines_of(self, target: int | None) -> list[cst.EmptyLine | str]:
        """What has no target waits for the next statement that has one."""
        return self.pending if target is None else self.at(target).lines

    def visit_header(self, stmt: ast.stmt, name: str, target: int | None) -> None:
        above = self.originals.comments_above(stmt, name)
        header = self.originals.header_comments(stmt).get(name)
        if not above and header is None:
            return
        texts: list[cst.EmptyLine | str] = [*above, *([header] if header else [])]
        if isinstance(stmt, ast.If) and name == "body":
            self.visit_test(stmt, target, texts)
            return
        parts = frozenset(
            id(s)
            for first in self.originals.block(stmt, name)
            for s in statements_in(first)
        )
        arms = (self.arm(key, parts, whole=True) for key in [*self.statements])
        arm = next((a for a in arms if a is not None), None)
        function = self.function_of(stmt, name)
        if function is None and arm is not None:
            self.above(arm, texts)
            return
        if function is not None:
            self.at(function).lines += above
            self.at(function).header = header
            return
        self.lines_of(target).extend(texts)

    def visit_test(
        self, stmt: ast.If, target: int | None, texts: list[cst.EmptyLine | str]
    ) -> None:
        """Place what stood behind `if ...:`, which speaks of the condition."""
        asks = (key for key, new in self.statements.items() if stmt in self.asked(new))
        key = next(asks, target)
        if (arm := self.arm(key, frozenset({id(stmt)}))) is not None:
            self.above(arm, texts)
            return
        new = self.statements.get(key) if key is not None else None
        is_test = isinstance(new, ast.Assign) and new.value is stmt.test
        lines = [own_line(t) if isinstance(t, str) else t for t in texts]
        self.lines_of(key).extend(texts if is_test else lines)

    def asked(self, new: ast.stmt) -> list[ast.stmt]:
        """The old statements that the expressions of a new one itself come from."""
        return [] if self.edits.is_original(new) else [*self.owners(new)]

    def is_first(self, stmt: ast.stmt, target: int) -> bool:
        """Does `target` stand where `stmt` was, and so gets its blank lines?"""
        parent = self.edits.parent(stmt)
        if isinstance(parent, ast.stmt) and id(parent) not in self.kept:
            is_block = not isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef)
            return not (is_block and self.target(parent) == target)
        return True

    def at(self, key: int) -> Placed:
        return self.placed.setdefault(key, Placed())

    def target(self, stmt: ast.stmt) -> int | None:
        """The first new statement that is made of `stmt` or of what was in it."""
        return self.first(self.new, frozenset(id(s) for s in statements_in(stmt)))

    def first(self, stmts: Sequence[ast.stmt], parts: frozenset[int]) -> int | None:
        for stmt in stmts:
            made_of = self.made_of.get(id(stmt), frozenset())
            if not made_of & parts:
                continue
            inner = [] if self.edits.is_original(stmt) else [*inner_statements(stmt)]
            if inner and not made_of <= parts:
                found = self.first(inner, parts)
                if found is not None:
                    return found
            return id(stmt)
        return None

    def function_of(self, stmt: ast.stmt, name: str) -> int | None:
        """The new `def` whose body is made of a block of `stmt`, and of no more."""
        parts = frozenset(
            id(s)
            for first in self.originals.block(stmt, name)
            for s in statements_in(first)
        )
        for key, made_of in self.made_of.items():
            is_function = isinstance(self.statements[key], ast.FunctionDef)
            free = key not in self.placed or self.placed[key].header is None
            is_new = not self.edits.is_original(self.statements[key])
            if is_function and is_new and free and made_of and made_of <= parts:
                return key
        return None


def inner_statements(stmt: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly in the blocks of `stmt`."""
    for name in _BLOCKS:
        found = getattr(stmt, name, None)
        if isinstance(found, list):
            yield from found
    for part in [*getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ())]:
        yield from part.body


def statements_in(stmt: ast.stmt) -> list[ast.stmt]:
    """`stmt` and all statements in it, in source order."""
    found = [stmt]
    for inner in inner_statements(stmt):
        found += statements_in(inner)
    return found
