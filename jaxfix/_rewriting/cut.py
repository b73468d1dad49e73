"""`Source`: pieces of a module's text, by `ast` positions, and its brackets."""

from __future__ import annotations

import bisect
import io
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .lines import string_lines

_SILENT = (
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.COMMENT,
    tokenize.ENDMARKER,
)


@dataclass(frozen=True, slots=True)
class Patch:
    """Put `text` in place of what is between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str


class Source:
    """The text of a module. Offsets count code points from its beginning."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._string_lines = string_lines(text)
        self._tokens: list[_Token] = []
        self._logical: list[int] = []
        self._opens: dict[int, int] = {}
        self._read_tokens()
        self._token_starts = [token.start for token in self._tokens]

    def _read_tokens(self) -> None:
        opened: list[int] = []
        fresh = True
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.NEWLINE:
                fresh = True
            if token.type in _SILENT:
                continue
            start = self._starts[token.start[0] - 1] + token.start[1]
            end = self._starts[token.end[0] - 1] + token.end[1]
            if fresh:
                self._logical.append(start)
                fresh = False
            self._tokens.append(_Token(start, end, token.string))
            self._match(token, start, opened)

    def _match(self, token: tokenize.TokenInfo, start: int, opened: list[int]) -> None:
        if token.type == tokenize.OP and token.string in "([{":
            opened.append(start)
        elif token.type == tokenize.OP and token.string in ")]}":
            self._opens[start] = opened.pop()

    def read_inside(self, spans: Iterable[tuple[int, int]]) -> None:
        """Read the tokens of expressions in f-strings, each on one line.

        Before Python 3.12 an f-string is a single token.
        """
        for low, high in spans:
            opened: list[int] = []
            text = io.StringIO(self.text[low:high])
            for token in tokenize.generate_tokens(text.readline):
                if token.type in _SILENT:
                    continue
                start, end = low + token.start[1], low + token.end[1]
                self._tokens.append(_Token(start, end, token.string))
                self._match(token, start, opened)
        self._tokens.sort(key=lambda token: token.start)
        self._token_starts = [token.start for token in self._tokens]

    def offset(self, line: int, column: int) -> int:
        """The offset of an `ast` position: lines from 1, columns in UTF-8 bytes."""
        text = self._lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode())
        return self._starts[line - 1] + column

    def span(self, node: Any) -> tuple[int, int]:
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def open_of(self, close: int) -> int:
        """The offset of the bracket that the one at `close` closes."""
        return self._opens[close]

    def outer(self, start: int, end: int, low: int = 0) -> tuple[int, int]:
        """The span with the parentheses around it that open at `low` or later."""
        while True:
            before = bisect.bisect_left(self._token_starts, start) - 1
            after = bisect.bisect_left(self._token_starts, end)
            if before < 0 or after >= len(self._tokens):
                return start, end
            opening, closing = self._tokens[before], self._tokens[after]
            if (opening.text, closing.text) != ("(", ")") or opening.start < low:
                return start, end
            start, end = opening.start, closing.end

    def colon(self, start: int) -> int:
        """The offset of the colon that ends the header which begins at `start`."""
        depth = lambdas = 0
        for token in self._tokens[bisect.bisect_left(self._token_starts, start) :]:
            if token.text in ("(", "[", "{"):
                depth += 1
            elif token.text in (")", "]", "}"):
                depth -= 1
            elif token.text == "lambda" and not depth:
                lambdas += 1
            elif token.text == ":" and not depth and lambdas:
                lambdas -= 1
            elif token.text == ":" and not depth:
                return token.start
        raise ValueError(f"expected a header at offset {start}")

    def word_before(self, offset: int, word: str) -> int:
        """The offset of the last token `word` before `offset`."""
        at = bisect.bisect_left(self._token_starts, offset) - 1
        while self._tokens[at].text != word:
            at -= 1
        return self._tokens[at].start

    def indent(self, offset: int) -> str:
        """The indentation of the logical line that `offset` is in."""
        first = self._logical[max(bisect.bisect_right(self._logical, offset) - 1, 0)]
        line = self._lines[bisect.bisect_right(self._starts, first) - 1]
        return line[: len(line) - len(line.lstrip())]

    def cut(self, start: int, end: int, patches: Sequence[Patch]) -> str:
        """The text between two offsets, patched, as it is at no indentation."""
        indent = self.indent(start)
        out = ""
        for patch in sorted(patches, key=lambda patch: (patch.start, patch.end)):
            out += self._raw(start, patch.start, indent)
            out += _indented(patch.text, out)
            start = patch.end
        return out + self._raw(start, end, indent)

    def _raw(self, start: int, end: int, indent: str) -> str:
        first, *rest = self.text[start:end].split("\n")
        number = bisect.bisect_right(self._starts, start)
        for line in rest:
            # A line after a backslash is not indented anew when a statement moves.
            kept = number in self._string_lines or first.endswith("\\")
            first += "\n" + (line if kept else line.removeprefix(indent))
            number += 1
        return first


def _indented(text: str, before: str) -> str:
    """`text` with its later lines indented as the line is on which it begins."""
    if "\n" not in text:
        return text
    line = before.rpartition("\n")[2] if "\n" in before else ""
    indent = line[: len(line) - len(line.lstrip())]
    kept = string_lines(f"({text}\n)")
    first, *rest = text.split("\n")
    lines = [
        line if number in kept else indent + line for number, line in enumerate(rest, 1)
    ]
    return "\n".join([first, *lines])
