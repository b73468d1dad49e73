"""The statements of a module as libcst has them, and the comments around each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from .blocks import blocks, comments, lines_before


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: which small statement of which line, or all of it."""

    node: Any
    index: int = 0
    count: int = 1


class Originals:
    """Pairs the statements of the two trees, which have them in the same order."""

    def __init__(self, module: cst.Module, tree: ast.Module) -> None:
        self.places: dict[int, Place] = {}
        # What is at the end of a block, by the last statement of the block.
        self.footers: dict[int, Sequence[cst.EmptyLine]] = {}
        self._match(tree.body, module)

    def _match(self, stmts: Sequence[ast.stmt], block: Any) -> None:
        """Pair the statements of a block with their nodes."""
        if isinstance(block, cst.SimpleStatementSuite):
            for index, stmt in enumerate(stmts):
                self.places[id(stmt)] = Place(block, index, len(stmts))
            return
        rest = iter(stmts)
        for node in block.body:
            if isinstance(node, cst.SimpleStatementLine):
                for index in range(len(node.body)):
                    self.places[id(next(rest))] = Place(node, index, len(node.body))
            else:
                self._match_compound(next(rest), node)
        if isinstance(block, cst.IndentedBlock) and block.footer:
            self.footers[id(stmts[-1])] = block.footer

    def _match_compound(self, stmt: ast.stmt, node: Any) -> None:
        self.places[id(stmt)] = Place(node)
        for _, stmts, part in blocks(stmt, node):
            if isinstance(part, cst.If) and part is not node:
                self._match_compound(stmts[0], part)
            else:
                self._match(stmts, part.body)

    def leading(self, stmt: ast.stmt) -> list[cst.EmptyLine]:
        """The comments and blank lines before an original statement."""
        place = self.places[id(stmt)]
        return list(lines_before(place.node)) if place.index == 0 else []

    def trailing(self, stmt: ast.stmt) -> str | None:
        """The comment behind an original simple statement."""
        place = self.places[id(stmt)]
        if place.index < place.count - 1:
            return None
        end = getattr(place.node, "trailing_whitespace", None)
        return None if end is None or end.comment is None else end.comment.value

    def header_comments(self, stmt: ast.stmt) -> dict[str, str]:
        """The comments behind the colons of a compound statement, by block."""
        found: dict[str, str] = {}
        for field, _, part in self._blocks(stmt, self.places[id(stmt)].node):
            block = part.body
            is_elif = field == "orelse" and isinstance(part, cst.If)
            if is_elif or not isinstance(block, cst.IndentedBlock):
                continue
            if block.header.comment is not None:
                found[field] = block.header.comment.value
        return found

    def comments_above(self, stmt: ast.stmt, field: str) -> list[cst.EmptyLine]:
        """The comments on lines of their own before an `else:`, `case ...:`."""
        node = self.places[id(stmt)].node
        for name, _, part in self._blocks(stmt, node):
            # Those before an `elif` belong to the statement that it is.
            if name == field and part is not node and not isinstance(part, cst.If):
                return comments(lines_before(part))
        return []

    def fields(self, stmt: ast.stmt) -> list[str]:
        """The names of the blocks of a compound statement, in source order."""
        node = self.places[id(stmt)].node
        return [name for name, _, _ in self._blocks(stmt, node)]

    def block(self, stmt: ast.stmt, field: str) -> list[ast.stmt]:
        node = self.places[id(stmt)].node
        found = [stmts for name, stmts, _ in self._blocks(stmt, node) if name == field]
        return found[0] if found else []

    def _blocks(self, stmt: ast.stmt, node: Any) -> Iterator[tuple[str, Any, Any]]:
        is_small = isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite)
        return iter(()) if is_small else blocks(stmt, node)
