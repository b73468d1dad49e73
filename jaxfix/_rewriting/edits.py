"""Edits of expressions, and the text of expressions with the edits in them.

Expressions are text, cut from the source, and an edit is a text in place of another.
Nothing is rendered before it is asked for, so edits may be registered in any order.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeGuard

from jaxfix._analysis.finding import CannotFix

from . import lines
from .cut import Patch, Source
from .spelling import Level, Notes, level_of_text, spell, wants

Text: TypeAlias = str | Callable[[], str]

_SHARED = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)

# Before Python 3.12 the positions of what is in an f-string may be wrong. There, nodes
# that are not where they say count as new: they are spelled from the tree and cannot be
# edited. Nor can an expression in an f-string have quotes, backslashes or comments.
_OLD_F_STRINGS = sys.version_info < (3, 12)
_NOT_IN_OLD_F_STRINGS = frozenset("\"'\\#\n")


def stands_for(node: Any) -> Any:
    """The original whose text, with its edits, is that of a copy made by a plan."""
    return getattr(node, "render_as", node)


class Edits:
    """The edits of one module; its nodes are told by identity."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.source = Source(text)
        self.tree = tree
        self.dirty: set[int] = set()
        self._parents: dict[int, ast.AST] = {}
        self._in_f_strings: set[int] = set()
        self._link(tree)
        self._texts: dict[int, list[Text]] = {}
        self._rendering: dict[int, int] = {}
        self._added: dict[int, list[str]] = {}
        self._first: dict[int, list[str]] = {}
        self._removed: dict[int, set[int]] = {}
        self.notes = Notes()

    def _link(self, root: ast.AST) -> None:
        stack = [root]
        fields: list[ast.expr] = []
        while stack:
            parent = stack.pop()
            for child in ast.iter_child_nodes(parent):
                if isinstance(child, _SHARED):
                    continue
                if isinstance(parent, ast.JoinedStr) and _OLD_F_STRINGS:
                    if not self._is_placed(child):
                        continue
                    fields.append(child.value)
                self._parents[id(child)] = parent
                stack.append(child)
        if fields:
            self._in_f_strings = {id(n) for field in fields for n in ast.walk(field)}
            self.source.read_inside(self.source.span(field) for field in fields)

    def _is_placed(self, part: ast.AST) -> TypeGuard[ast.FormattedValue]:
        """Are the expressions in a part of an f-string where their positions say?"""
        return isinstance(part, ast.FormattedValue) and all(
            self._stands_there(node)
            for node in ast.walk(part.value)
            if isinstance(node, ast.expr)
        )

    def _stands_there(self, node: ast.expr) -> bool:
        text = self.source.text[slice(*self.source.span(node))]
        try:
            found = ast.parse(text, mode="eval").body
        except SyntaxError:
            return False
        return "\n" not in text and ast.dump(found) == ast.dump(node)

    def is_original(self, node: ast.AST) -> bool:
        """Does the text of `node` stand in the source, where it can be edited?"""
        return id(node) in self._parents

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(id(node))

    def mark(self, node: ast.AST) -> None:
        """Note that `node`, and so all that it is in, changes."""
        if not self.is_original(node):
            strings = (n for n in ast.walk(self.tree) if isinstance(n, ast.JoinedStr))
            if any(node is n for string in strings for n in ast.walk(string)):
                raise CannotFix("it stands in an f-string, where it cannot be located")
            raise ValueError(f"expected a node of the module, got {ast.dump(node)}")
        while id(node) not in self.dirty and node is not self.tree:
            self.dirty.add(id(node))
            node = self._parents[id(node)]

    def edit(self, node: ast.AST, text: Text) -> None:
        self.mark(node)
        self._texts.setdefault(id(node), []).append(text)

    def take_back(self, node: ast.AST, text: str) -> None:
        """Undo the last `edit` of the node with this text."""
        texts = self._texts[id(node)]
        del texts[len(texts) - 1 - texts[::-1].index(text)]
        if not texts:
            del self._texts[id(node)]

    def add_argument(self, call: ast.Call, text: str) -> None:
        self.mark(call)
        self._added.setdefault(id(call), []).append(text)

    def put_first(self, call: ast.Call, text: str) -> None:
        self.mark(call)
        self._first.setdefault(id(call), []).append(text)

    def remove_argument(self, call: ast.Call, argument: ast.expr | ast.keyword) -> None:
        self.mark(call)
        self._removed.setdefault(id(call), set()).add(id(argument))

    def expr(self, node: ast.expr) -> str:
        """The text of an expression, which can stand anywhere on one logical line."""
        node = stands_for(node)
        if not self.is_original(node):
            return spell(node, self.known, self.notes)
        return _self_contained(self.edited(node))

    def known(self, node: ast.expr) -> str | None:
        """The text of an original expression, None for a new one."""
        node = stands_for(node)
        return self.expr(node) if self.is_original(node) else None

    def is_edited(self, node: ast.AST) -> bool:
        changed = (self._texts, self._added, self._first, self._removed)
        return any(id(node) in kind for kind in changed)

    def edited(self, node: ast.AST) -> str:
        """The text of an original node with its edits, but for those in progress."""
        key = id(node)
        texts = self._texts.get(key, [])
        left = self._rendering.get(key, len(texts))
        if left == 0:
            return self.source.cut(
                *self.source.span(node), [*self._patches_inside(node)]
            )
        text = texts[left - 1]
        if isinstance(text, str):
            return text
        self._rendering[key] = left - 1
        try:
            return text()
        finally:
            self._rendering[key] = left
            if left == len(texts):
                del self._rendering[key]

    def patches(self, nodes: Iterable[ast.AST]) -> Iterator[Patch]:
        """What changes in the text of `nodes`; of nested edits the outer ones."""
        for node in nodes:
            if id(node) not in self.dirty:
                continue
            if id(node) in self._texts:
                yield self._patch(node)
            else:
                yield from self._patches_inside(node)

    def _patches_inside(self, node: ast.AST) -> Iterator[Patch]:
        removed = self._removed.get(id(node), set())
        children = ast.iter_child_nodes(node)
        yield from self.patches(child for child in children if id(child) not in removed)
        if isinstance(node, ast.Call):
            yield from self._argument_patches(node)

    def _patch(self, node: ast.AST) -> Patch:
        start, end = self.source.span(node)
        text = self.edited(node)
        self._check_f_string(node, text)
        parent = self._parents[id(node)]
        if isinstance(node, ast.expr):
            low = 0
            if isinstance(parent, ast.Call) and node is not parent.func:
                low = self._first_argument(parent)
            outer = self.source.outer(start, end, low)
            if outer != (start, end) and not self._is_plain(node, outer, text):
                return Patch(start, end, text)
            if level_of_text(text) < wants(parent, node):
                text = f"({text})"
            start, end = outer
        return Patch(start, end, text)

    def lost_comments(self, parts: Sequence[ast.AST]) -> list[str]:
        """The comments that edits of these parts of a statement take away."""
        out: list[str] = []
        for part in parts:
            if id(part) in self.dirty:
                span = self._with_parentheses(part)
                before = self.source.text[slice(*span)]
                patched = self.source.cut(*span, [*self.patches([part])])
                after = Counter(lines.comments_in(patched))
                out += gone(lines.comments_in(before), after)
        return out

    def loose_comments(self, stmt: ast.stmt, parts: Sequence[ast.AST]) -> list[str]:
        """The comments in a statement that is gone, less those in its `parts`."""
        spans = [self._with_parentheses(p) for p in parts if isinstance(p, ast.expr)]
        start = self.source.span(stmt)[0]
        end = max([end for _, end in spans], default=start)
        kept = Counter(
            comment
            for part in parts
            if isinstance(part, ast.expr)
            for comment in lines.comments_in(self.expr(part))
        )
        return gone(lines.comments_in(self.source.text[start:end]), kept)

    def _with_parentheses(self, part: ast.AST) -> tuple[int, int]:
        return self.source.outer(*self.source.span(part))

    def _is_plain(self, node: ast.AST, outer: tuple[int, int], text: str) -> bool:
        """Can `text` stand without the parentheses at the ends of `outer`?"""
        start, end = outer
        before = self.source.text[start - 1 : start]
        glued = before.isalnum() or before == "_"
        has_comment = "#" in self.source.text[start:end]
        movable = not has_comment or keeps_comments(self._statement(node))
        return not glued and "\n" not in text and movable

    def _statement(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.stmt | ast.match_case | ast.ExceptHandler):
            node = self._parents[id(node)]
        return node

    def _check_f_string(self, node: ast.AST, text: str) -> None:
        if id(node) in self._in_f_strings and _NOT_IN_OLD_F_STRINGS & {*text}:
            raise CannotFix("it stands in an f-string, which cannot hold the new text")

    def _first_argument(self, call: ast.Call) -> int:
        """The offset behind the opening parenthesis of a call."""
        return self.source.open_of(self.source.span(call)[1] - 1) + 1

    def _argument_patches(self, call: ast.Call) -> Iterator[Patch]:
        low, close = self._first_argument(call), self.source.span(call)[1] - 1
        arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        arguments.sort(key=self.source.span)
        spans = [
            self.source.outer(*self.source.span(argument), low)
            for argument in arguments
        ]
        removed = self._removed.get(id(call), set())
        kept = [a for a in arguments if id(a) not in removed]
        yield from self._removals(arguments, spans, low, close, removed)
        added = sorted(self._added.get(id(call), []), key=_is_keyword)
        first = self._first.get(id(call), [])
        ends = {id(a): end for a, (_, end) in zip(arguments, spans, strict=True)}
        if (added or first) and kept and ends[id(kept[0])] > close:
            # A generator that shares the parentheses of its call needs its own now.
            yield Patch(low, low, "".join(f"{text}, " for text in first) + "(")
            yield Patch(close, close, ")" + "".join(f", {text}" for text in added))
            return
        if first:
            end = ", " if kept or added else ""
            yield Patch(low, low, ", ".join(first) + end)
        positional = [a for a in kept if isinstance(a, ast.expr)]
        for text in added:
            before = kept if _is_keyword(text) else positional
            if before:
                yield self._addition(ends[id(before[-1])], close, text)
            else:
                yield Patch(low, low, f"{text}, " if kept else text)

    def _removals(
        self,
        arguments: list[ast.expr | ast.keyword],
        spans: list[tuple[int, int]],
        low: int,
        close: int,
        removed: set[int],
    ) -> Iterator[Patch]:
        if removed and all(id(argument) in removed for argument in arguments):
            yield Patch(low, close, "")
            return
        last_kept = max(
            (i for i, one in enumerate(arguments) if id(one) not in removed), default=0
        )
        for i, argument in enumerate(arguments):
            if id(argument) in removed and i < last_kept:
                yield Patch(spans[i][0], spans[i + 1][0], "")
        if last_kept < len(arguments) - 1 and removed:
            yield Patch(spans[last_kept][1], spans[-1][1], "")

    def _addition(self, at: int, close: int, text: str) -> Patch:
        """`text` after the argument that ends at `at`, laid out as the others are."""
        rest = self.source.text[at:close]
        exploded = rest.lstrip().startswith(",") and "\n" in rest
        return Patch(at, at, f",\n{text}" if exploded else f", {text}")


def keeps_comments(stmt: ast.AST) -> bool:
    """Do the comments that edits take away go above the statement?"""
    is_simple = not hasattr(stmt, "body") and not isinstance(stmt, ast.Match)
    return is_simple or isinstance(stmt, ast.If | ast.While | ast.For | ast.With)


def gone(before: Sequence[str], after: Counter[str]) -> list[str]:
    """The comments in `before` that are not in `after`, in order."""
    left = Counter(before) - after
    out: list[str] = []
    for comment in before:
        if left[comment]:
            left[comment] -= 1
            out.append(comment)
    return out


def _is_keyword(text: str) -> bool:
    call = ast.parse(f"f({text})", mode="eval").body
    return isinstance(call, ast.Call) and bool(call.keywords)


def _self_contained(text: str) -> str:
    """`text` on one line if that can be, else with parentheses if it needs them."""
    joined = lines.one_line(text)
    if joined is not None:
        return f"({joined})" if level_of_text(joined) == Level.NAMED else joined
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return f"({text})"
    return text
