"""One file: its bytes, encoding, newlines, syntax tree and columns.

A `Source` is what the stages see: text with `\\n` newlines and the tree of it. It also
remembers all that is needed to give back exact bytes for a new text: the byte-order
mark, the encoding, the newline of every line, and for a notebook the document around
the cells.
"""

from __future__ import annotations

import ast
import codecs
import difflib
import io
import re
import sys
import tokenize
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from jaxfix._errors import JaxfixError

from .finding import FileError, Span
from .notebook import Notebook, NotebookError

_NEWLINE = re.compile(r"\r\n|\r|\n")


class SourceError(JaxfixError):
    """A file that cannot be read or parsed, or a text that it cannot hold."""

    def __init__(self, error: FileError) -> None:
        super().__init__(f"{error.path}:{error.line}: {error.message}")
        self.error = error


@dataclass(frozen=True, slots=True)
class Source:
    """A file that parses.

    Attributes:
      path: as it is printed, relative to the working directory.
      text: the program, with `\\n` newlines and no byte-order mark. Of a notebook: its
        code cells, one after the other, with the magics masked (`notebook.py`).
      tree: the syntax tree of `text`.
      lines: the lines of `text`, without newlines.
      raw: the bytes of the file.
      encoding: of the file, as Python's codecs name it; without the byte-order mark.
      newlines: the newline of every line; one for all if they agree.
      notebook: the document that the cells came from, or None.
    """

    path: str
    text: str
    tree: ast.Module = field(repr=False, compare=False)
    lines: tuple[str, ...] = field(repr=False, compare=False)
    raw: bytes = field(repr=False)
    encoding: str = "utf-8"
    newlines: tuple[str, ...] = ("\n",)
    notebook: Notebook | None = field(default=None, repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Source:
        """The file at `path`.

        Raises:
          SourceError: it cannot be read, decoded or parsed.
        """
        name = str(path)
        try:
            raw = Path(path).read_bytes()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise SourceError(FileError(name, 1, f"cannot be read: {reason}")) from None
        return cls.from_bytes(name, raw)

    @classmethod
    def from_bytes(cls, path: str, raw: bytes) -> Source:
        """The file at `path`, whose content is `raw`.

        Raises:
          SourceError: it cannot be decoded or parsed.
        """
        notebook = None
        newlines: tuple[str, ...]
        if path.endswith(".ipynb"):
            encoding, newlines = "utf-8", ("\n",)
            try:
                notebook = Notebook.read(raw)
            except NotebookError as error:
                raise SourceError(FileError(path, error.line, str(error))) from None
            text = notebook.text
        else:
            encoding = _encoding(path, raw)
            text, newlines = _unify(_decode(path, raw, encoding))
        tree = _parse(path, text, notebook)
        return cls(
            path, text, tree, split_lines(text), raw, encoding, newlines, notebook
        )

    @classmethod
    def from_text(cls, path: str, text: str) -> Source:
        """The file at `path`, whose content is `text` in UTF-8.

        Raises:
          SourceError: it cannot be parsed.
        """
        return cls.from_bytes(path, text.encode("utf-8", "surrogatepass"))

    def with_text(self, text: str) -> Source:
        """The same file with another text.

        Raises:
          SourceError: `text` cannot be parsed, or the file cannot hold it.
        """
        return Source.from_bytes(self.path, self.encode(text))

    def encode(self, text: str) -> bytes:
        """The bytes of the file for a new text; those it has for the text it has.

        Lines that are also in the old text keep their newline; new lines get the one
        that is most common in the file.

        Raises:
          SourceError: the encoding of the file has no such character, or the cells of
            the notebook cannot be told apart any more.
        """
        if text == self.text:
            return self.raw
        if self.notebook is not None:
            try:
                return self.notebook.write(text)
            except NotebookError as error:
                raise SourceError(FileError(self.path, 1, str(error))) from None
        body = self._restore_newlines(text)
        mark = codecs.BOM_UTF8 if self.raw.startswith(codecs.BOM_UTF8) else b""
        try:
            return mark + body.encode(self.encoding)
        except UnicodeEncodeError as error:
            line = len(_NEWLINE.findall(body[: error.start])) + 1
            reason = f"{error.object[error.start]!r} is not in {self.encoding}"
            raise SourceError(FileError(self.path, line, reason)) from None

    def _restore_newlines(self, text: str) -> str:
        new = text.split("\n")
        if len(self.newlines) == 1:
            return self.newlines[0].join(new)
        common = Counter(self.newlines).most_common(1)[0][0]
        ends = [common] * (len(new) - 1)
        matcher = difflib.SequenceMatcher(None, self.lines, new, autojunk=False)
        for old_at, new_at, size in matcher.get_matching_blocks():
            for step in range(size):
                if old_at + step < len(self.newlines) and new_at + step < len(ends):
                    ends[new_at + step] = self.newlines[old_at + step]
        return "".join(a + b for a, b in zip(new, [*ends, ""], strict=True))

    def column(self, line: int, offset: int) -> int:
        """The 1-based column, in code points, of a byte offset as `ast` has it."""
        text = self.lines[line - 1]
        if text.isascii():
            return offset + 1
        return len(text.encode()[:offset].decode("utf-8", "ignore")) + 1

    def span(self, node: ast.AST) -> Span:
        """Where `node` stands; it must be a node that has a position."""
        line, offset = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end, end_offset = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return Span(line, self.column(line, offset), end, self.column(end, end_offset))


def split_lines(text: str) -> tuple[str, ...]:
    """The lines that Python counts. `str.splitlines` would also cut at form feeds."""
    return tuple(text.split("\n"))


def _encoding(path: str, raw: bytes) -> str:
    """The encoding by byte-order mark and coding comment.

    Source: PEP 263; the standard library's `tokenize.detect_encoding`.
    """
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError as error:
        raise SourceError(FileError(path, 1, str(error.msg))) from None
    return "utf-8" if name == "utf-8-sig" else name


def _decode(path: str, raw: bytes, encoding: str) -> str:
    if (nul := raw.find(b"\0")) >= 0:
        line = raw.count(b"\n", 0, nul) + 1
        raise SourceError(FileError(path, line, "holds a NUL byte: not Python source"))
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SourceError(FileError(path, line, f"is not {encoding}")) from None
    except LookupError as error:
        raise SourceError(FileError(path, 1, str(error))) from None


def _unify(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `\\n` newlines, and the newlines it had."""
    if "\r" not in text:
        return text, ("\n",)
    found = tuple(_NEWLINE.findall(text))
    kinds = set(found)
    return _NEWLINE.sub("\n", text), found if len(kinds) > 1 else tuple(kinds)


def _parse(path: str, text: str, notebook: Notebook | None) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # An invalid escape in somebody's string is not our warning to give.
            warnings.simplefilter("ignore")
            return ast.parse(text, filename=path)
    except SyntaxError as error:
        line, message = error.lineno or 1, "invalid syntax"
        if error.msg != message:
            message = f"{message}: {error.msg}"
        else:
            message = (
                f"{message} for Python {sys.version_info[0]}.{sys.version_info[1]}"
            )
    except (RecursionError, MemoryError):
        line, message = 1, "nested too deeply for Python's own parser"
    except (ValueError, UnicodeError) as error:
        line, message = 1, str(error)
    if notebook is None:
        raise SourceError(FileError(path, line, message))
    cell, line = notebook.place(line)
    raise SourceError(FileError(path, line, message, cell))
