"""Long lines of new code, broken as `ruff format` breaks them.

This is no formatter: it looks at logical lines one at a time, and only at those that
are too long and were not so before. The order of attempts is that of Black: the
contents of the last brackets on a line of their own, then one element a line with a
comma at the end, then parentheses around all of it with a line for each operand.
"""

from __future__ import annotations

import ast
import io
import itertools
import keyword
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 88

_OPEN = {"(": ")", "[": "]", "{": "}"}
# Comments that speak of the line that they stand on, to a tool.
_PRAGMA = re.compile(r"\s*#\s*(type|noqa|jaxfix|fmt|pragma|pylint|pyright)\b")
_KEYWORDS = frozenset(keyword.kwlist) - {"None", "True", "False"}
# What a line may be broken before, loosest first.
_OPERATORS: tuple[frozenset[str], ...] = (
    frozenset({"if", "else", "for", "async"}),
    frozenset({"or"}),
    frozenset({"and"}),
    frozenset({"<", ">", "==", "!=", "<=", ">=", "in", "is", "not in", "is not"}),
    frozenset({"|"}),
    frozenset({"^"}),
    frozenset({"&"}),
    frozenset({"<<", ">>"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "//", "%", "@"}),
)


@dataclass(frozen=True, slots=True)
class _Word:
    """A token, with the blank before it."""

    text: str
    space: str


@dataclass(frozen=True, slots=True)
class _Group:
    """Brackets and what is in them. `call`: they follow an operand, as `f(`, `x[`."""

    open: str
    parts: tuple[_Item, ...]
    space: str
    call: bool

    @property
    def close(self) -> str:
        return _OPEN[self.open]


_Item: TypeAlias = _Word | _Group
_Items: TypeAlias = tuple[_Item, ...]


def wrap(text: str, before: str) -> str:
    """`text` with its long lines broken, except those that `before` has already."""
    if all(len(line) <= WIDTH for line in text.split("\n")):
        return text
    kept = {line.strip() for line in before.split("\n") if len(line) > WIDTH}
    lines = text.split("\n")
    for first, last, tokens in reversed(list(_logical_lines(text))):
        long = [line for line in lines[first:last] if len(line) > WIDTH]
        if long and not all(line.strip() in kept for line in long):
            lines[first:last] = _broken(lines[first:last], tokens)
    return "\n".join(lines)


def one_line(text: str) -> str | None:
    """An expression on one line; None if a comment, a string or its author forbids it.

    The author does by a comma after the last element (`ruff format` keeps to that).
    """
    if "\n" not in text:
        return text
    tokens = [*_tokens(f"({text})")]
    inner = [t for t in tokens if t.type not in _BLANK]
    if not _can_join(inner):
        return None
    words = _show(_read(inner))
    return words[1:-1] if words.startswith("(") else None


def comments_in(text: str) -> list[str]:
    """The comments in a part of a statement, which may be broken over lines."""
    if "#" not in text:
        return []
    tokens = _tokens(f"({text}\n)")
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


_BLANK = (
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text).readline)


def string_lines(text: str) -> frozenset[int]:
    """The lines, from 0, that begin inside of a string: their blanks are content."""
    found: set[int] = set()
    starts: list[int] = []
    for token in _tokens(text):
        name = tokenize.tok_name[token.type]
        if name in ("FSTRING_START", "TSTRING_START"):
            starts.append(token.start[0])
        elif name in ("FSTRING_END", "TSTRING_END"):
            found.update(range(starts.pop(), token.end[0]))
        elif token.type == tokenize.STRING:
            found.update(range(token.start[0], token.end[0]))
    return frozenset(found)


def _logical_lines(
    text: str,
) -> Iterator[tuple[int, int, list[tokenize.TokenInfo]]]:
    """(first line, line after the last, tokens), lines counted from 0."""
    tokens: list[tokenize.TokenInfo] = []
    for token in _tokens(text):
        if token.type == tokenize.NEWLINE:
            if tokens:
                yield tokens[0].start[0] - 1, token.start[0], tokens
            tokens = []
        elif token.type == tokenize.COMMENT and not tokens:
            continue
        elif token.type not in _BLANK:
            tokens.append(token)


def _broken(lines: list[str], tokens: list[tokenize.TokenInfo]) -> list[str]:
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    comment = ""
    if tokens[-1].type == tokenize.COMMENT:
        comment = "  " + tokens.pop().string
    if not tokens or any(t.string == ";" for t in tokens):
        return lines
    if len(lines) > 1 and not _can_join(tokens):
        return [short for line in lines for short in _own_line(line)]
    if any("\n" in t.string for t in tokens):
        return lines
    new = _statement(_read(tokens), indent)
    fits = len(new) == 1 and len(new[0] + comment) <= WIDTH
    if comment and not fits and not _PRAGMA.match(comment):
        return [indent + comment.lstrip(), *new]
    return [*new[:-1], new[-1] + comment]


def _own_line(line: str) -> list[str]:
    """A line with one element of brackets, broken if it is too long."""
    indent = line[: len(line) - len(line.lstrip())]
    text = line.strip()
    if len(line) <= WIDTH or not text.endswith(","):
        return [line]
    try:
        ast.parse(f"f({text})")
    except SyntaxError:
        return [line]
    tokens = [t for t in _tokens(f"({text[:-1]})") if t.type not in _BLANK]
    if any(t.type == tokenize.COMMENT for t in tokens):
        return [line]
    (group,) = _read(tokens)
    assert isinstance(group, _Group), "an element in parentheses"
    return _element(group.parts, indent, ",")


def _can_join(tokens: Sequence[tokenize.TokenInfo]) -> bool:
    if any(t.type == tokenize.COMMENT or "\n" in t.string for t in tokens):
        return False
    return not any(
        token.string == ","
        and after.string in (")", "]", "}")
        and after.start[0] > token.start[0]
        for token, after in itertools.pairwise(tokens)
    )


def _read(tokens: Sequence[tokenize.TokenInfo]) -> _Items:
    """The tokens as a tree of brackets; line breaks become blanks."""
    stack: list[list[_Item]] = [[]]
    opened: list[tuple[str, str, bool]] = []
    previous: tokenize.TokenInfo | None = None
    for token in tokens:
        space = _space(previous, token)
        here = stack[-1]
        if token.string in _OPEN and token.type == tokenize.OP:
            opened.append((token.string, space, _is_operand(previous)))
            stack.append([])
        elif token.string in (")", "]", "}") and token.type == tokenize.OP and opened:
            parts = tuple(stack.pop())
            stack[-1].append(_Group(opened[-1][0], parts, *opened.pop()[1:]))
        elif here and (pair := _two_words(here[-1], token)):
            here[-1] = pair
        else:
            here.append(_Word(token.string, space))
        previous = token
    return tuple(stack[0])


def _two_words(last: _Item, token: tokenize.TokenInfo) -> _Word | None:
    """`not in` and `is not` as one operator."""
    if not isinstance(last, _Word):
        return None
    text = f"{last.text} {token.string}"
    return _Word(text, last.space) if text in ("not in", "is not") else None


def _space(previous: tokenize.TokenInfo | None, token: tokenize.TokenInfo) -> str:
    if previous is None:
        return ""
    if previous.end[0] != token.start[0]:
        tight = previous.string in _OPEN or token.string in (")", "]", "}", ".")
        return "" if tight else " "
    return " " if token.start[1] > previous.end[1] else ""


def _is_operand(token: tokenize.TokenInfo | None) -> bool:
    if token is None:
        return False
    if token.type == tokenize.NAME:
        return token.string not in _KEYWORDS
    return token.type == tokenize.STRING or token.string in (")", "]", "}")


def _show(items: Sequence[_Item]) -> str:
    text = ""
    for item in items:
        if isinstance(item, _Word):
            text += item.space + item.text
        else:
            text += f"{item.space}{item.open}{_show(item.parts)}{item.close}"
    return text.lstrip() if items else ""


def _fits(text: str) -> bool:
    return len(text) <= WIDTH


def _statement(items: _Items, indent: str) -> list[str]:
    flat = indent + _show(items)
    if _fits(flat):
        return [flat]
    head, value, tail = _split_statement(items)
    if isinstance(items[0], _Word) and items[0].text in ("def", "class", "async"):
        first = next((i for i, item in enumerate(value) if _is_full(item)), None)
        if first is not None:
            return _explode(head, value, first, tail, indent, is_def=True)
    return _value(head, value, tail, indent)


def _split_statement(items: _Items) -> tuple[str, _Items, str]:
    """The start of a statement, the value that can be broken, and the end."""
    words = [item.text if isinstance(item, _Word) else "" for item in items]
    start, end, tail = 0, len(items), ""
    first = words[0]
    if words[-1] == ":":
        end, tail = end - 1, ":"
    if first in ("def", "class", "async"):
        return "", items[:end], tail
    if first in ("return", "if", "elif", "while", "assert", "raise", "with", "match"):
        start = 1
    elif first == "for" and "in" in words:
        start = words.index("in") + 1
    else:
        signs = [i for i, word in enumerate(words) if _is_assignment(word)]
        start = signs[-1] + 1 if signs else 0
    if first == "assert" and "," in words:
        end = words.index(",")
        tail = _show(items[end:])
    head = _show(items[:start])
    return (head + " " if head else ""), items[start:end], tail


def _is_assignment(word: str) -> bool:
    return word.endswith("=") and word not in ("==", "!=", "<=", ">=")


def _value(head: str, value: _Items, tail: str, indent: str) -> list[str]:
    """A value at the level of a statement, which needs brackets to go over lines."""
    if any(_is_word(item, ",") for item in value):
        return _bracketed(head, value, tail, indent)
    if _is_fluent(value):
        return _parenthesised(head, value, tail, indent)
    operators = _breaks(value)
    last = next((i for i in reversed(range(len(value))) if _is_full(value[i])), None)
    ends_in_group = last is not None and last == len(value) - 1
    if not operators or (len(operators) == 1 and ends_in_group):
        for at in reversed(range(len(value))):
            if _is_full(value[at]) and _fits(indent + head + _start(value, at)):
                return _explode(head, value, at, tail, indent)
    if not operators and last is None and not _fits(indent + "    " + _show(value)):
        return [indent + head + _show(value) + tail]
    return _parenthesised(head, value, tail, indent)


def _start(items: _Items, at: int) -> str:
    """Everything up to the opening bracket of the group at `at`."""
    group = items[at]
    opening = f"{group.space}{group.open}" if isinstance(group, _Group) else ""
    return _show(items[:at]) + (opening if at else opening.lstrip())


def _is_full(item: _Item) -> bool:
    return isinstance(item, _Group) and bool(item.parts)


def _is_word(item: _Item, text: str) -> bool:
    return isinstance(item, _Word) and item.text == text


def _is_fluent(value: _Items) -> bool:
    return len(_dots(value)) > 1 and not _breaks(value)


def _dots(value: _Items) -> list[int]:
    """The dots of method calls, but for the first of `module.function(...)`."""
    found = []
    for i, item in enumerate(value[:-2]):
        after = value[i + 2]
        called = isinstance(after, _Group) and after.call and after.open == "("
        if _is_word(item, ".") and called:
            found.append(i)
    simple = all(isinstance(item, _Word) for item in value[: found[0]]) if found else 0
    return found[1:] if simple else found


def _breaks(items: _Items) -> list[int]:
    """The places of the loosest operators, before which a line may be broken."""
    if any(_is_word(item, "lambda") for item in items):
        return []
    for operators in _OPERATORS:
        found = [
            i
            for i, item in enumerate(items)
            if i > 0
            and isinstance(item, _Word)
            and item.text in operators
            and (item.text.isalpha() or _ends_operand(items[i - 1]))
        ]
        if found:
            return found
    return []


def _ends_operand(item: _Item) -> bool:
    if isinstance(item, _Group):
        return True
    return bool(re.match(r"[\w'\"]", item.text)) and item.text not in _KEYWORDS


def _parenthesised(head: str, value: _Items, tail: str, indent: str) -> list[str]:
    deeper = indent + "    "
    return [
        f"{indent}{head}(",
        *_element(value, deeper, ""),
        f"{indent}){tail}",
    ]


def _bracketed(head: str, value: _Items, tail: str, indent: str) -> list[str]:
    """A bare tuple, which gets parentheses."""
    group = _Group("(", value, "", False)
    return _explode(head, (group,), 0, tail, indent)


def _explode(
    head: str,
    items: _Items,
    at: int,
    tail: str,
    indent: str,
    *,
    is_def: bool = False,
) -> list[str]:
    """The contents of the group at `at` on lines of their own."""
    group = items[at]
    assert isinstance(group, _Group), "only brackets can be exploded"
    deeper = indent + "    "
    first = indent + head + _start(items, at)
    rest = "".join(_spaced(item) for item in items[at + 1 :])
    last = indent + group.close + rest + tail
    elements = _elements(group.parts)
    trailing = _is_word(group.parts[-1], ",")
    flat = deeper + _show(group.parts)
    # The items of a tuple, list or dict go on lines of their own, those of a call if
    # they must.
    apart = len(elements) > 1 and (trailing or not group.call)
    if _fits(flat) and not apart:
        return [first, flat, last]
    if len(elements) == 1 and not is_def:
        comma = "," if trailing else ""
        return [first, *_element(elements[0], deeper, comma), last]
    body = [line for one in elements for line in _element(one, deeper, ",")]
    return [first, *body, last]


def _spaced(item: _Item) -> str:
    return item.space + _show([item])


def _elements(parts: _Items) -> list[_Items]:
    """What the commas part; those of `lambda a, b:` and of `for a, b in` do not."""
    found: list[_Items] = []
    current: list[_Item] = []
    in_lambda = in_target = False
    for item in parts:
        in_lambda = (in_lambda or _is_word(item, "lambda")) and not _is_word(item, ":")
        in_target = (in_target or _is_word(item, "for")) and not _is_word(item, "in")
        if _is_word(item, ",") and not (in_lambda or in_target):
            found.append(tuple(current))
            current = []
        else:
            current.append(item)
    return [*found, tuple(current)] if current else found


def _element(items: _Items, indent: str, suffix: str) -> list[str]:
    """One element inside of brackets, where a line may be broken anywhere."""
    flat = indent + _show(items) + suffix
    if _fits(flat):
        return [flat]
    if len(_dots(items)) > 1 and not _breaks(items):
        return _pieces(items, _dots(items), indent, suffix)
    if _is_word(items[0], "lambda"):
        colon = next(i for i, item in enumerate(items) if _is_word(item, ":"))
        if _breaks(items[colon + 1 :]):
            head = f"{indent}{_show(items[: colon + 1])} ("
            body = _element(items[colon + 1 :], indent + "    ", "")
            return [head, *body, f"{indent}){suffix}"]
    start = 2 if len(items) > 2 and _is_word(items[1], "=") else 0
    operators = [i + start for i in _breaks(items[start:])]
    if operators:
        return _pieces(items, operators, indent, suffix)
    for at in reversed(range(len(items))):
        if _is_full(items[at]) and _fits(indent + _start(items, at)):
            return _explode("", items, at, suffix, indent)
    return [flat]


def _pieces(
    items: _Items, starts: Sequence[int], indent: str, suffix: str
) -> list[str]:
    ends = [*starts, len(items)]
    begins = [0, *starts]
    lines: list[str] = []
    for begin, end in zip(begins, ends, strict=True):
        last = suffix if end == len(items) else ""
        piece = items[begin:end]
        if begin and not _fits(indent + _show(piece) + last):
            lines += _operand(piece, indent, last)
        else:
            lines += _element(piece, indent, last)
    return lines


def _operand(piece: _Items, indent: str, suffix: str) -> list[str]:
    """An operator and its operand, which is broken as if it stood alone."""
    operator = _show(piece[:1])
    space = piece[1].space if len(piece) > 1 else ""
    first, *rest = _element(piece[1:], indent, suffix)
    return [f"{indent}{operator}{space}{first.lstrip()}", *rest]
