"""Notebooks: the code cells as one program, and the way back into the document.

The cells are joined, each under a line that names it, so that a rewriting may add and
remove lines and every line still belongs to a cell. IPython's magics are no Python;
each is masked by a statement that keeps the original behind it. On the way back only
the `source` of the cells that changed is written: outputs, metadata and the formatting
of the document stay byte for byte.

Source: the notebook format, version 4 (https://nbformat.readthedocs.io); IPython's
`IPython.core.inputtransformer2` for what counts as a magic.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_CELL = "# jaxfix: cell "
_CELL_LINE = re.compile(r"^[ \t]*# jaxfix: cell (\d+)$")
_MASK = "  # jaxfix: masked: "
_MASKED_LINE = re.compile(r"^([ \t]*)(?:\S.*?)?  # jaxfix: masked: (.*)$")
_MAGIC = re.compile(
    r"""^(?P<indent>[ \t]*)(?:
        [%!?](?!=).*                                # %timeit f(x), !ls, ?name
      | (?P<targets>[\w.,\[\] \t]+?)[ ]*=[ ]*[%!](?!=).*  # files = !ls
      | [\w.\[\]]+\?{1,2}                           # name?, name??
    )[ \t]*$""",
    re.VERBOSE,
)
# Cell magics whose cell is Python that runs in the notebook's own namespace.
_PYTHON_CELLS = re.compile(
    r"%%(?:capture|debug|prun|pypy|python|python3|time|timeit)\b"
)
# What may hide the end of a line from a reader of lines: strings, comments, brackets.
_LEXEMES = re.compile(
    r"""(?P<long>'{3}|\"{3})|(?P<short>["'])|\#[^\n]*|(?P<open>[(\[{])|(?P<close>[)\]}])"""
)


class NotebookError(Exception):
    """A document that is no notebook, or cells that cannot be put back."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Notebook:
    """A document and its code cells as one program.

    Attributes:
      document: the JSON text.
      text: the program.
      cells: for each code cell its number (1-based, among all cells) and the line of
        `text` that names it.
    """

    document: str
    text: str
    cells: tuple[tuple[int, int], ...]

    @classmethod
    def read(cls, raw: bytes) -> Notebook:
        """The notebook that `raw` holds.

        Raises:
          NotebookError: it is no notebook of format 4.
        """
        document = _decode(raw)
        lines: list[str] = []
        cells = []
        for number, source in _code_cells(document):
            lines.append(f"{_CELL}{number}")
            cells.append((number, len(lines)))
            lines.extend(_mask(source).split("\n"))
        text = "\n".join(lines)
        return cls(document, text + "\n" if text else "", tuple(cells))

    def place(self, line: int) -> tuple[int, int]:
        """The cell, and the line in it, of a line of the program."""
        if not self.cells:
            return 1, 1
        at = bisect_right(self.cells, line, key=lambda cell: cell[1])
        number, start = self.cells[max(at - 1, 0)]
        return number, max(line - start, 1)

    def write(self, text: str) -> bytes:
        """The document whose code cells are those of `text`.

        Raises:
          NotebookError: cells or magics are missing or in another order.
        """
        old, new = _split(self.text), _split(text)
        if list(old) != list(new):
            raise NotebookError("the cells cannot be told apart after the fix")
        out: list[str] = []
        done = 0
        for number, start, end in _source_spans(self.document):
            before, after = old.get(number), new.get(number)
            if before is None or after is None or before == after:
                continue
            if sorted(_magics(before)) != sorted(_magics(after)):
                raise NotebookError(f"the fix would change a magic of cell {number}")
            spelled = _spell(_unmask(after), self.document[start:end], self.document)
            out += [self.document[done:start], spelled]
            done = end
        return "".join([*out, self.document[done:]]).encode()


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotebookError("is not utf-8", line) from None


def _code_cells(document: str) -> Iterator[tuple[int, str]]:
    """The number and source of every cell that holds Python."""
    try:
        notebook = json.loads(document)
    except json.JSONDecodeError as error:
        message = f"is not a notebook: invalid JSON: {error.msg}"
        raise NotebookError(message, error.lineno) from None
    except RecursionError:
        raise NotebookError("is not a notebook: nested too deeply") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise NotebookError("is not a notebook of format 4: it has no list of cells")
    if not _is_python(notebook.get("metadata")):
        return
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        if isinstance(source, list):
            source = "".join(str(line) for line in source)
        if isinstance(source, str) and _holds_python(source):
            yield number, source.replace("\r\n", "\n").replace("\r", "\n")


def _is_python(metadata: object) -> bool:
    """Whether the kernel speaks Python; a notebook that does not say so, does."""
    if not isinstance(metadata, dict):
        return True
    for table, key in (("kernelspec", "language"), ("language_info", "name")):
        value = metadata.get(table)
        if isinstance(value, dict) and isinstance(value.get(key), str):
            return bool(value[key] == "python")
    return True


def _holds_python(source: str) -> bool:
    first = source.lstrip()
    return not first.startswith("%%") or bool(_PYTHON_CELLS.match(first))


def _mask(source: str) -> str:
    """The cell with every magic behind a statement of the same indentation."""
    if _parses(source):
        return source
    lines = source.split("\n")
    for at in _statement_lines(source):
        if not (magic := _MAGIC.match(lines[at])):
            continue
        stand_in = f"{magic['targets']} = None" if magic["targets"] else "pass"
        original = lines[at][len(magic["indent"]) :]
        lines[at] = f"{magic['indent']}{stand_in}{_MASK}{original}"
        while original.endswith("\\") and at + 1 < len(lines):
            at += 1
            original = lines[at]
            lines[at] = f"{_MASK}{original}"
    return "\n".join(lines)


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _statement_lines(source: str) -> list[int]:
    """The lines (0-based) that are not inside a string, brackets or a magic."""
    found: list[int] = []
    depth, quote = 0, ""
    for at, line in enumerate(source.split("\n")):
        if not depth and not quote:
            found.append(at)
            if _MAGIC.match(line):
                continue
        depth, quote = _scan(line, depth, quote)
    return found


def _scan(line: str, depth: int, quote: str) -> tuple[int, str]:
    """The depth of brackets and the open string after `line`."""
    at = 0
    while at <= len(line):
        if quote:
            end = re.compile(rf"(?:\\.|(?!{quote}).)*{quote}").match(line, at)
            if end is None:
                return depth, quote if len(quote) == 3 or line.endswith("\\") else ""
            at, quote = end.end(), ""
        if (lexeme := _LEXEMES.search(line, at)) is None:
            return depth, ""
        at = lexeme.end()
        quote = lexeme["long"] or lexeme["short"] or ""
        depth += bool(lexeme["open"]) - bool(lexeme["close"])
    return depth, quote


def _split(text: str) -> dict[int, str]:
    """The source of every cell, by its number, with the magics still masked."""
    cells: dict[int, list[str]] = {}
    current: list[str] | None = None
    for line in text.removesuffix("\n").split("\n"):
        if marker := _CELL_LINE.match(line):
            if int(marker[1]) in cells:
                raise NotebookError("the cells cannot be told apart after the fix")
            current = cells[int(marker[1])] = []
        elif current is not None:
            current.append(line)
        elif line.strip():
            raise NotebookError("the fix would write outside of the cells")
    return {number: "\n".join(lines) for number, lines in cells.items()}


def _magics(source: str) -> list[str]:
    found = map(_MASKED_LINE.match, source.split("\n"))
    return [line[2] for line in found if line]


def _unmask(source: str) -> str:
    return "\n".join(
        f"{masked[1]}{masked[2]}" if (masked := _MASKED_LINE.match(line)) else line
        for line in source.split("\n")
    )


def _source_spans(document: str) -> Iterator[tuple[int, int, int]]:
    """The number of every cell, and where in the document its `source` stands."""
    for key, start, _ in _members(document, _skip_space(document, 0)):
        if key != "cells":
            continue
        for number, (at, _) in enumerate(_items(document, start), 1):
            for name, source_at, end in _members(document, at):
                if name == "source":
                    yield number, source_at, end


def _members(document: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of each value of the JSON object that begins at `at`."""
    decode = json.JSONDecoder().raw_decode
    at = _skip_space(document, at + 1)
    while document[at] != "}":
        key, at = decode(document, at)
        start = _skip_space(document, _skip_space(document, at) + 1)
        _, end = decode(document, start)
        yield key, start, end
        at = _skip_comma(document, end)


def _items(document: str, at: int) -> Iterator[tuple[int, int]]:
    """Start and end of each value of the JSON array that begins at `at`."""
    decode = json.JSONDecoder().raw_decode
    at = _skip_space(document, at + 1)
    while document[at] != "]":
        _, end = decode(document, at)
        yield at, end
        at = _skip_comma(document, end)


def _skip_space(document: str, at: int) -> int:
    while document[at] in " \t\r\n":
        at += 1
    return at


def _skip_comma(document: str, at: int) -> int:
    at = _skip_space(document, at)
    return _skip_space(document, at + 1) if document[at] == "," else at


def _spell(source: str, old: str, document: str) -> str:
    """`source` as JSON, in the form that `old` has."""
    is_ascii = document.isascii()
    if not old.startswith("["):
        return json.dumps(source, ensure_ascii=is_ascii)
    lines = re.findall(r"[^\n]*\n|[^\n]+", source)
    spelled = [json.dumps(line, ensure_ascii=is_ascii) for line in lines]
    frame = re.match(r"\[(\s*)", old), re.search(r"(\s*)\]\Z", old)
    opening, closing = (space[1] if space else "" for space in frame)
    separator = f",{opening}" if "\n" in opening else ", "
    return f"[{opening}{separator.join(spelled)}{closing}]"
