"""Positions: `ast` counts bytes from 0, users count characters from 1."""

from __future__ import annotations

import ast
import functools

from .finding import Span


@functools.lru_cache(maxsize=64)
def _lines(text: str) -> list[str]:
    return text.split("\n")


def span_of(text: str, node: ast.AST) -> Span:
    """The place of a node in its file."""
    line = getattr(node, "lineno", 1)
    end_line = getattr(node, "end_lineno", None) or line
    lines = _lines(text)
    return Span(
        line,
        characters(lines, line, getattr(node, "col_offset", 0)) + 1,
        end_line,
        characters(lines, end_line, getattr(node, "end_col_offset", None) or 0) + 1,
    )


def characters(lines: list[str], line: int, offset: int) -> int:
    """Characters before byte `offset` of a line."""
    if not 0 < line <= len(lines):
        return offset
    text = lines[line - 1]
    if text.isascii():
        return offset
    return len(text.encode()[:offset].decode("utf-8", "ignore"))
