"""`Writer`: new source for one module, from its text, its `ast` and registered edits.

Statements are libcst nodes, which keep comments and blank lines and can be indented
anew; expressions are text (see `edits`). The two trees have the same statements in the
same order, which is how they are matched; no positions are asked of libcst.

Comments that end a block belong to no statement. They travel with the block's last
statement, as a statement that is nothing but comments, until a new block takes them in.
"""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import libcst as cst

from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import FunctionNode, local_names, scope_names, writes

from .blocks import (
    PASS,
    Lines,
    Statements,
    add_parameter,
    assemble,
    blocks,
    comment_statement,
    comments,
    contains_line,
    header_children,
    is_definition,
    leading_blanks,
    lines_before,
    parse,
    redefined,
    trailing,
    with_header_of,
    with_lines,
    without_first_blanks,
)
from .comments import Placed, origin_of, own_line, place
from .edits import Edits, Text, keeps_comments, stands_for
from .imports import add_import, imported, spell_name
from .lines import wrap
from .originals import Originals, Place
from .spelling import BINARY, spell_parameters
from .unused import without_unused_imports

NewStatements: TypeAlias = (
    Sequence[cst.BaseStatement] | Callable[[], Sequence[cst.BaseStatement]]
)
FunctionDef: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_IMPORTING = (ast.Import, ast.ImportFrom, ast.Try)


class Writer:
    """Edits one module.

    Args:
      text: the module's source, with `\\n` newlines and no byte order mark.
      tree: `ast.parse(text)`. Its nodes, told by identity, are what the methods take;
        nodes that are not of it are new, and are spelled from the tree.
    """

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.tree = tree
        self._module = cst.parse_module(text)
        self._edits = Edits(text, tree)
        self._edits.notes.indent = self._module.default_indent
        self._originals = Originals(self._module, tree)
        self._places = self._originals.places
        self._parameters: dict[int, list[tuple[str, bool]]] = {}
        self._names: dict[int, str] = {}
        self._replaced: dict[int, NewStatements] = {}
        self._before: dict[int, list[NewStatements]] = {}
        self._after: dict[int, list[NewStatements]] = {}
        self._rendering: set[int] = set()
        # The statement that is being replaced, until its comments have been placed.
        self._to_place: ast.stmt | None = None
        self._placed: dict[int, Placed] = {}
        self._alive: list[Sequence[ast.stmt]] = []
        # The nodes are kept, or their ids could be given to others.
        self._made: dict[int, cst.BaseStatement] = {}
        self._inserted: dict[int, cst.BaseStatement] = {}
        self._imports = imported(tree.body)
        self._new_imports: list[str] = []
        self._bound = frozenset(writes(tree.body))
        # Names that something other than an import binds, too.
        others = (s for s in tree.body if not isinstance(s, _IMPORTING))
        self._rebound = frozenset(writes([*others]))
        # By function: the names in it, and those that were made for it.
        self._taken: dict[int, set[str]] = {}
        self._fresh: dict[int, set[str]] = {}

    # Registering what changes

    def edit(self, node: ast.AST, text: Text) -> None:
        """Put `text` in place of an original expression, keyword or parameter.

        A callable is asked when the text is wanted; in it, `expr(node)` gives the text
        without this edit, so that several edits of one node compose.
        """
        self._edits.edit(node, text)

    def take_back(self, node: ast.AST, text: str) -> None:
        """Undo the last `edit` of the node with this text."""
        self._edits.take_back(node, text)

    def is_edited(self, node: ast.AST) -> bool:
        """Does another text stand for the node?"""
        return self._edits.is_edited(node)

    def add_argument(self, call: ast.Call, text: str) -> None:
        """Add `text` (`x`, `name=x`) to a call, a positional one before keywords."""
        self._edits.add_argument(call, text)

    def put_first(self, call: ast.Call, text: str) -> None:
        """Add the positional argument `text` to a call, before all others."""
        self._edits.put_first(call, text)

    def remove_argument(self, call: ast.Call, argument: ast.expr | ast.keyword) -> None:
        """Take an argument out of a call, with its comma."""
        self._edits.remove_argument(call, argument)

    def add_parameter(
        self, function: FunctionDef, text: str, *, keyword_only: bool = False
    ) -> None:
        """Add the parameter `text` (`x`, `x=1`, `x: float = 1`) to a function.

        A positional one goes last, but before those with a default if it has none.
        """
        self._edits.mark(function)
        self._parameters.setdefault(id(function), []).append((text, keyword_only))

    def rename(self, function: FunctionDef, name: str) -> None:
        """Give a function another name, where it is defined."""
        self._edits.mark(function)
        self._names[id(function)] = name

    def replace_decorator(self, decorator: ast.expr, text: Text) -> None:
        """Put the expression `text` in place of a decorator; "" takes it away."""
        self._edits.edit(decorator, text)

    def replace_statement(self, stmt: ast.stmt, statements: NewStatements) -> None:
        """Put `statements` in place of `stmt`.

        The comments before `stmt` go before the first of them, unless a part of them
        is a form of `stmt` (as `statement(stmt)` gives), which has them already. A
        callable is asked when they are wanted; in it, `statement(stmt)` is the original
        with its edits.

        Raises:
          CannotFix: another fix has replaced it.
        """
        self._edits.mark(stmt)
        if id(stmt) in self._replaced:
            raise CannotFix("another fix replaces the same statement")
        self._replaced[id(stmt)] = statements

    def insert_before(self, stmt: ast.stmt, statements: NewStatements) -> None:
        self._edits.mark(stmt)
        self._before.setdefault(id(stmt), []).append(statements)

    def insert_after(self, stmt: ast.stmt, statements: NewStatements) -> None:
        self._edits.mark(stmt)
        self._after.setdefault(id(stmt), []).append(statements)

    def move_before(
        self,
        place: ast.stmt,
        function: ast.FunctionDef,
        name: str,
        *,
        decorator: str = "",
    ) -> None:
        """Put a definition, with its edits and comments, before `place`, as `name`.

        A `decorator` takes the place of those that it has.
        """

        def moved() -> Statements:
            return [redefined(s, name, decorator) for s in self._plain(function)]

        self._edits.mark(function)
        self._replaced[id(function)] = ()
        self.insert_before(place, moved)

    def remove(self, stmt: ast.stmt) -> None:
        """Take `stmt` away, with the comments before it and behind it."""
        self._edits.mark(stmt)
        self._replaced[id(stmt)] = ()

    # Expressions

    def expr(self, node: ast.expr) -> str:
        """The text of an expression, which can stand anywhere on one logical line.

        An original one keeps its spelling, with the edits in it; it is put on one line
        unless it has comments, or a comma that asks for a line for each element.
        """
        return self._edits.expr(node)

    # Statements

    def statements(self, stmts: Sequence[ast.stmt]) -> Statements:
        """The statements of a block, original or new, with everything registered.

        If new ones are to replace a statement (this is called in its replacement), then
        they also get the comments of what is gone. So give all of them at once.
        """
        stmts = [stands_for(stmt) for stmt in stmts]
        old = self._to_place
        if old is None or not any(self._is_new(stmt) for stmt in stmts):
            return self._block_of(stmts)
        self._to_place = None
        placed, notes, rest = place(stmts, old, self._edits, self._originals)
        self._placed |= placed
        self._edits.notes.of |= notes
        self._alive.append(stmts)
        return [*self._block_of(stmts), *comment_statement(rest)]

    def _is_new(self, stmt: ast.stmt) -> bool:
        return not self._edits.is_original(stmt)

    def _block_of(self, stmts: Sequence[ast.stmt]) -> Statements:
        out: Statements = []
        index = 0
        while index < len(stmts):
            line = self._whole_line(stmts[index:])
            out += line or self.statement(stmts[index])
            index += self._places[id(stmts[index])].count if line else 1
        return out

    def _whole_line(self, stmts: Sequence[ast.stmt]) -> Statements:
        """A line of several small statements that stay together, if there is one."""
        place = self._places.get(id(stmts[0]))
        if place is None or place.count == 1 or place.index > 0:
            return []
        line = stmts[: place.count]
        here = [self._places.get(id(stmt)) for stmt in line]
        together = len(line) == place.count and all(
            other is not None and other.node is place.node for other in here
        )
        is_suite = isinstance(place.node, cst.SimpleStatementSuite)
        if not together or is_suite or any(self._is_moved(stmt) for stmt in line):
            return []
        smalls = [self._small(stmt) for stmt in line]
        return [place.node.with_changes(body=smalls), *self._footer(line[-1])]

    def statement(self, stmt: ast.stmt, like: ast.stmt | None = None) -> Statements:
        """A statement with all that is registered for it and in it.

        Args:
          stmt: an original statement, which keeps its comments, or a new one, which is
            spelled from the tree. A new compound one may have original ones in it.
          like: the original statement whose comments a new one gets.
        """
        stmt = stands_for(stmt)
        key = id(stmt)
        if not self._edits.is_original(stmt):
            return self._new(stmt, like)
        if key in self._rendering:
            return self._plain(stmt)
        self._rendering.add(key)
        try:
            return [
                *self._new_around(self._before.get(key, [])),
                *(
                    self._replacement(stmt)
                    if key in self._replaced
                    else self._plain(stmt)
                ),
                *self._new_around(self._after.get(key, [])),
            ]
        finally:
            self._rendering.discard(key)

    def _new_around(self, many: Sequence[NewStatements]) -> Statements:
        found = _resolved(many)
        self._inserted |= {id(statement): statement for statement in found}
        return found

    def _is_moved(self, stmt: ast.stmt) -> bool:
        key = id(stmt)
        known = key in self._replaced or key in self._before or key in self._after
        return known and key not in self._rendering

    def _replacement(self, stmt: ast.stmt) -> Statements:
        outer, self._to_place = self._to_place, stmt
        new = _resolved([self._replaced[id(stmt)]])
        self._to_place = outer
        lines = self.leading(stmt)
        if new and not contains_line(new, lines) and not lines_before(new[0]):
            new[0] = self._with_lines(new[0], lines)
        elif new and comments(lines) and not contains_line(new, lines):
            new[0] = self._with_lines(new[0], [*lines, *comments(lines_before(new[0]))])
        footer = self._originals.footers.get(id(stmt), ())
        return new if contains_line(new, footer) else [*new, *self._footer(stmt)]

    def _with_lines(self, node: cst.BaseStatement, lines: Lines) -> cst.BaseStatement:
        changed: cst.BaseStatement = with_lines(node, lines)
        if id(node) in self._made:
            self._made[id(changed)] = changed
        return changed

    def _footer(self, stmt: ast.stmt) -> Statements:
        return comment_statement(self._originals.footers.get(id(stmt), ()))

    def _plain(self, stmt: ast.stmt) -> Statements:
        """An original statement with the edits in it."""
        place = self._places[id(stmt)]
        node = place.node
        is_dirty = id(stmt) in self._edits.dirty
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            whole = isinstance(node, cst.SimpleStatementLine) and place.count == 1
            if is_dirty or not whole:
                node = self._single(stmt, place)
        elif is_dirty:
            node = self._rebuilt(stmt, {})
        return [self._with_placed(stmt, node), *self._footer(stmt)]

    def _with_placed(self, stmt: ast.stmt, node: Any) -> Any:
        """With the comments of others that have been placed here."""
        placed = self._placed.get(id(stmt))
        if placed is None:
            return node
        own, more = list(lines_before(node)), placed.as_lines()
        blank = leading_blanks(own)
        if leading_blanks(more):
            own, blank = own[blank:], 0
        node = with_lines(node, [*own[:blank], *more, *own[blank:]])
        if placed.behind is not None and isinstance(node, cst.SimpleStatementLine):
            node = node.with_changes(trailing_whitespace=trailing(placed.behind))
        if placed.header and node.body.header.comment is None:
            block = node.body.with_changes(header=trailing(placed.header))
            node = node.with_changes(body=block)
        return node

    def _single(self, stmt: ast.stmt, place: Place) -> cst.SimpleStatementLine:
        """One small statement on a line of its own."""
        small = self._small(stmt).with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        end = cst.TrailingWhitespace()
        if place.index == place.count - 1:
            end = place.node.trailing_whitespace
        above = self.leading(stmt)
        if id(stmt) in self._edits.dirty:
            cut = self._edits.lost_comments(header_children(stmt))
            above += map(own_line, cut)
        return cst.SimpleStatementLine([small], above, end)

    def _small(self, stmt: ast.stmt) -> cst.BaseSmallStatement:
        place = self._places[id(stmt)]
        old: cst.BaseSmallStatement = place.node.body[place.index]
        if id(stmt) not in self._edits.dirty:
            return old
        patches = [*self._edits.patches(ast.iter_child_nodes(stmt))]
        text = self._edits.source.cut(*self._edits.source.span(stmt), patches)
        line = cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
        return line.body[0].with_changes(semicolon=old.semicolon)

    def compound(
        self, stmt: ast.stmt, new_blocks: Mapping[str, Sequence[cst.BaseStatement]]
    ) -> Statements:
        """An original compound statement with other statements in some of its blocks.

        Args:
          stmt: an original `if`, `for`, `while`, `with`, `try`, `match` or `def`.
          new_blocks: by "body", "orelse", "finalbody", "handlers.0", "cases.0"; blocks
            that are not named stay, an "orelse" of nothing goes.
        """
        return [self._rebuilt(stmt, new_blocks), *self._footer(stmt)]

    def _rebuilt(
        self, stmt: Any, new_blocks: Mapping[str, Sequence[cst.BaseStatement]]
    ) -> Any:
        node = self._places[id(stmt)].node
        result = self._with_header(stmt, node)
        lists: dict[str, list[Any]] = {}
        for field, stmts, part in blocks(stmt, node):
            given = new_blocks.get(field)
            name, _, index = field.partition(".")
            if index:
                ast_part = getattr(stmt, name)[int(index)]
                new_part = self._with_header(ast_part, part)
                body = self._block(stmts, part.body, given)
                lists.setdefault(name, []).append(new_part.with_changes(body=body))
            elif part is node:
                body = self._block(stmts, part.body, given, in_def=is_definition(node))
                result = result.with_changes(body=body)
            else:
                result = result.with_changes(**{name: self._part(stmts, part, given)})
        if new_blocks.get("orelse") and not stmt.orelse:
            body = self._indented(new_blocks["orelse"], None)
            result = result.with_changes(orelse=cst.Else(body))
        return result.with_changes(**lists) if lists else result

    def _part(
        self,
        stmts: Sequence[ast.stmt],
        part: Any,
        given: Sequence[cst.BaseStatement] | None,
    ) -> Any:
        """An `else`, `elif` or `finally`."""
        if given is not None and not given:
            return None
        only = given[0] if given is not None and len(given) == 1 else None
        if isinstance(part, cst.If) and isinstance(only, cst.If):
            return only
        if not isinstance(part, cst.If):
            return part.with_changes(body=self._block(stmts, part.body, given))
        if given is None and not self._is_moved(stmts[0]):
            is_dirty = id(stmts[0]) in self._edits.dirty
            return self._rebuilt(stmts[0], {}) if is_dirty else part
        return cst.Else(self._indented(given or self.statements(stmts), None))

    def _block(
        self,
        stmts: Sequence[ast.stmt],
        old: Any,
        given: Sequence[cst.BaseStatement] | None,
        *,
        in_def: bool = False,
    ) -> Any:
        if given is not None:
            return self._indented(given, old, in_def=in_def)
        if not any(id(stmt) in self._edits.dirty for stmt in stmts):
            return old
        is_suite = isinstance(old, cst.SimpleStatementSuite)
        if is_suite and not any(self._is_moved(stmt) for stmt in stmts):
            return old.with_changes(body=[self._small(stmt) for stmt in stmts])
        body = self.statements(stmts)
        if body and self._replaced.get(id(stmts[0])) == ():
            lines = lines_before(body[0])
            body[0] = self._with_lines(body[0], lines[leading_blanks(lines) :])
        return self._indented(body, old, in_def=in_def)

    def _indented(
        self, given: Sequence[cst.BaseStatement], old: Any, *, in_def: bool = False
    ) -> Any:
        block = old if isinstance(old, cst.IndentedBlock) else cst.IndentedBlock(())
        first = 0 if in_def else 1
        body, footer = assemble(given, self._made, self._inserted, first=first)
        return block.with_changes(body=body or [PASS], footer=footer)

    def _with_header(self, stmt: ast.AST, node: Any) -> Any:
        """The node with the edits in its header."""
        dirty = self._edits.dirty
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            node = node.with_changes(decorators=self._decorators(stmt, node))
        children = header_children(stmt)
        if any(id(child) in dirty for child in children):
            node = with_header_of(node, self._header(stmt, children))
            if keeps_comments(stmt):
                cut = self._edits.lost_comments(children)
                lines = [*lines_before(node), *map(own_line, cut)]
                node = with_lines(node, lines)
        for text, keyword_only in self._parameters.get(id(stmt), []):
            node = add_parameter(node, text, keyword_only=keyword_only)
        if (name := self._names.get(id(stmt))) is not None:
            node = node.with_changes(name=cst.Name(name))
        return node

    def _header(self, stmt: Any, children: Sequence[ast.AST]) -> Any:
        source = self._edits.source
        if isinstance(stmt, ast.match_case):
            start = source.word_before(source.span(stmt.pattern)[0], "case")
        else:
            start = source.span(stmt)[0]
        patches = [*self._edits.patches(children)]
        text = source.cut(start, source.colon(start), patches) + ":"
        body: Any
        match stmt:
            case ast.match_case():
                body = cst.parse_statement(f"match _:\n    {text}\n        pass")
                return body.cases[0]
            case ast.Match():
                return cst.parse_statement(f"{text}\n    case _:\n        pass")
            case ast.ExceptHandler():
                body = cst.parse_statement(f"try:\n    pass\n{text}\n    pass")
                return body.handlers[0]
            case _:
                text = text.removeprefix("el") if isinstance(stmt, ast.If) else text
                return cst.parse_statement(f"{text}\n    pass")

    def _decorators(self, stmt: Any, node: Any) -> list[cst.Decorator]:
        found: list[cst.Decorator] = []
        for old, decorator in zip(stmt.decorator_list, node.decorators, strict=True):
            if id(old) not in self._edits.dirty:
                found.append(decorator)
            elif text := self.expr(old):
                new = cst.parse_expression(text)
                found.append(decorator.with_changes(decorator=new))
        return found

    # New statements

    def parse(self, text: str) -> Statements:
        """New statements, written with four spaces for the module's indentation."""
        return self._register(parse(text))

    def _register(self, statements: Statements) -> Statements:
        for statement in statements:
            if isinstance(statement, cst.FunctionDef | cst.ClassDef):
                self._made[id(statement)] = statement
        return statements

    def function(
        self,
        name: str,
        parameters: Sequence[str],
        body: Sequence[cst.BaseStatement],
        *,
        comment: str | None = None,
        comment_from: ast.stmt | None = None,
        branch: tuple[ast.stmt, str] | None = None,
    ) -> Statements:
        """A nested `def`; the block that takes it in sets it off by blank lines.

        Args:
          name: a fresh name.
          parameters: `x`, `x=1`, `*args`.
          body: its statements.
          comment: a comment for the `def` line.
          comment_from: the statement whose leading comments go before the `def`.
          branch: the original block that the function is made of, as (`if` statement,
            "orelse"), whose header's comments then go to the `def`.
        """
        above: list[cst.EmptyLine] = []
        if comment_from is not None:
            above += comments(self.leading(comment_from))
        if branch is not None:
            above += self.comments_above(*branch)
            comment = comment or self.header_comments(branch[0]).get(branch[1])
        node = cst.ensure_type(
            cst.parse_statement(f"def {name}({', '.join(parameters)}): pass"),
            cst.FunctionDef,
        )
        lines, footer = assemble(body, self._made, self._inserted)
        block = cst.IndentedBlock(
            without_first_blanks(lines) or [PASS],
            header=trailing(comment),
            footer=footer,
        )
        made = node.with_changes(body=block, leading_lines=above)
        return self._register([made])

    def _new(self, stmt: ast.stmt, like: ast.stmt | None) -> Statements:
        if (origin := origin_of(stmt, self._edits)) is not None and like is None:
            return self._copy(stmt, origin)
        node = self._new_compound(stmt, like)
        if node is None:
            node = parse(self._simple_text(stmt))[0]
            if like is not None:
                end = trailing(self.trailing(like))
                node = node.with_changes(trailing_whitespace=end)
        if like is not None:
            node = with_lines(node, self.leading(like))
        return self._register([self._with_placed(stmt, node)])

    def _copy(self, stmt: ast.stmt, origin: Any) -> Statements:
        """A copy of an original compound statement with other blocks."""
        new_blocks: dict[str, Statements] = {}
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(origin, name, None), list):
                new_blocks[name] = self.statements(_list(stmt, name))
        for name in ("handlers", "cases"):
            for index, part in enumerate(getattr(stmt, name, ())):
                if part is not getattr(origin, name)[index]:
                    new_blocks[f"{name}.{index}"] = self.statements(part.body)
        node, *footer = self.compound(origin, new_blocks)
        return [self._with_placed(stmt, node), *footer]

    def _new_compound(self, stmt: ast.stmt, like: ast.stmt | None) -> Any:
        header = self._new_header(stmt)
        if header is None:
            return None
        found = {} if like is None else self.header_comments(like)
        node: Any = cst.parse_statement(f"{header}:\n    pass")
        is_def = is_definition(node)
        body = self._indented(self.statements(_list(stmt, "body")), None, in_def=is_def)
        if is_def:
            body = body.with_changes(body=without_first_blanks(body.body))
        node = node.with_changes(
            body=body.with_changes(header=trailing(found.get("body")))
        )
        orelse = _list(stmt, "orelse")
        if not orelse:
            return node
        body = self._indented(self.statements(orelse), None)
        body = body.with_changes(header=trailing(found.get("orelse")))
        only = body.body[0] if len(body.body) == 1 else None
        is_elif = isinstance(stmt, ast.If) and isinstance(only, cst.If)
        return node.with_changes(orelse=only if is_elif else cst.Else(body))

    def _new_header(self, stmt: ast.stmt) -> str | None:
        match stmt:
            case ast.If(test=test):
                return f"if {self.expr(test)}"
            case ast.While(test=test):
                return f"while {self.expr(test)}"
            case ast.For(target=target, iter=values):
                return f"for {self.expr(target)} in {self.expr(values)}"
            case ast.With(items=items):
                return f"with {', '.join(self._with_item(item) for item in items)}"
            case ast.FunctionDef(name=name, args=arguments):
                parameters = spell_parameters(arguments, self._edits.known)
                return f"def {name}({parameters})"
            case _:
                return None

    def _with_item(self, item: ast.withitem) -> str:
        text = self.expr(item.context_expr)
        if item.optional_vars is None:
            return text
        return f"{text} as {self.expr(item.optional_vars)}"

    def _simple_text(self, stmt: ast.stmt) -> str:
        match stmt:
            case ast.Assign(targets=targets, value=value):
                return " = ".join(self.expr(one) for one in [*targets, value])
            case ast.AugAssign(target=target, op=op, value=value):
                sign = BINARY[type(op)][0]
                return f"{self.expr(target)} {sign}= {self.expr(value)}"
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                text = f"{self.expr(target)}: {self.expr(annotation)}"
                return text if value is None else f"{text} = {self.expr(value)}"
            case ast.Return(value=ast.expr() as value):
                return f"return {self.expr(value)}"
            case ast.Expr(value=value):
                return self.expr(value)
            case ast.Assert(test=test, msg=ast.expr() as message):
                return f"assert {self.expr(test)}, {self.expr(message)}"
            case ast.Assert(test=test):
                return f"assert {self.expr(test)}"
            case ast.Raise(exc=ast.expr() as error, cause=None):
                return f"raise {self.expr(error)}"
            case ast.Delete(targets=targets):
                return f"del {', '.join(self.expr(one) for one in targets)}"
            case ast.Return() | ast.Pass() | ast.Break() | ast.Continue():
                return type(stmt).__name__.lower()
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                return f"{type(stmt).__name__.lower()} {', '.join(names)}"
            case ast.Import() | ast.ImportFrom():
                return ast.unparse(stmt)
            case _:
                raise ValueError(
                    f"expected a statement of a body, got {ast.dump(stmt)}"
                )

    # Comments

    def leading(self, stmt: ast.stmt) -> list[cst.EmptyLine]:
        """The comments and blank lines before an original statement."""
        return self._originals.leading(stmt)

    def trailing(self, stmt: ast.stmt) -> str | None:
        """The comment behind an original simple statement."""
        return self._originals.trailing(stmt)

    def has_comment(self, stmt: ast.stmt) -> bool:
        """Do comments stand before an original simple statement, or behind it?"""
        if self.trailing(stmt) is not None:
            return True
        return any(line.comment is not None for line in self.leading(stmt))

    def header_comments(self, stmt: ast.stmt) -> dict[str, str]:
        """The comments behind the colons of a compound statement, by block."""
        return self._originals.header_comments(stmt)

    def comments_above(self, stmt: ast.stmt, field: str) -> list[cst.EmptyLine]:
        """The comments on lines of their own before an `else:`, `case ...:`."""
        return self._originals.comments_above(stmt, field)

    # Names

    def fresh(self, base: str, scope: FunctionNode | ast.Module) -> str:
        """`base`, or `base_1`, ...: a name that nothing in or around `scope` uses."""
        outer: FunctionNode | ast.Module = scope
        parent: ast.AST | None = scope
        while parent is not None:
            if isinstance(parent, FunctionDef):
                outer = parent
            parent = self._edits.parent(parent)
        taken = self._taken.get(id(outer))
        if taken is None:
            taken = self._taken[id(outer)] = {*scope_names(outer), *self._bound}
        # A new name of the module may be read in any function, and hidden there.
        is_module = isinstance(outer, ast.Module)
        made = {
            name
            for key, names in self._fresh.items()
            if is_module or key == id(self.tree)
            for name in names
        }
        name, count = base, 0
        while (
            name in taken
            or name in made
            or keyword.iskeyword(name)
            or hasattr(builtins, name)
        ):
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        self._fresh.setdefault(id(outer), set()).add(name)
        return name

    def name(self, dotted: str, scope: ast.AST | None = None) -> str:
        """`jax.lax.cond` as this file spells it; the import is added if it has none.

        Args:
          dotted: the full name of something in a module.
          scope: the function in which it is to be read.
        """
        names = dict(self._imports)
        taken = set(self._rebound)
        for function in reversed([*self._functions_around(scope)]):
            local = imported(function.body) if isinstance(function, FunctionDef) else {}
            names |= local
            taken |= set(local_names(function)) - local.keys()
            taken |= self._fresh.get(id(function), set())
        spelling = spell_name(dotted, names, frozenset(taken), self._bound)
        if spelling.line is not None:
            self._new_imports.append(spelling.line)
            self._imports |= imported(ast.parse(spelling.line).body)
        return spelling.text

    def _functions_around(self, node: ast.AST | None) -> Iterator[FunctionNode]:
        while node is not None:
            if isinstance(node, FunctionDef | ast.Lambda):
                yield node
            node = self._edits.parent(node)

    # The module

    def code(self) -> str:
        """The new text of the module; what was not touched stays byte for byte."""
        if not self._edits.dirty and not self._new_imports:
            return self.text
        self._placed.clear()
        self._edits.notes.of.clear()
        self._alive.clear()
        old, footer = assemble(
            self.statements(self.tree.body), self._made, self._inserted, blank=2
        )
        body: list[Any] = old
        header = self._module.header
        first = body[0].body if body else None
        for line in self._new_imports:
            body = add_import(body, parse(line)[0])
        blank = leading_blanks(header[::-1])
        if body and body[0].body is not first and blank > 1:
            # The blank lines were those before a function that was first.
            header = header[: len(header) - blank + 1]
        footer = [*footer, *self._module.footer]
        module = self._module.with_changes(header=header, body=body, footer=footer)
        return without_unused_imports(wrap(module.code, self.text), self.tree)

    def changed(self) -> bool:
        return self.code() != self.text


def _resolved(many: Sequence[NewStatements]) -> Statements:
    return [
        statement for one in many for statement in (one() if callable(one) else one)
    ]


def _list(stmt: ast.stmt, field: str) -> list[ast.stmt]:
    found: list[ast.stmt] = getattr(stmt, field, [])
    return found
