"""Blocks of libcst statements: their parts, their comments, the blank lines in them."""

from __future__ import annotations

import ast
import dataclasses
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

import libcst as cst

Statements: TypeAlias = list[cst.BaseStatement]
Lines: TypeAlias = Sequence[cst.EmptyLine]

BLANK = cst.EmptyLine(indent=False)
PASS = cst.SimpleStatementLine([cst.Pass()])
# New text is written with four spaces, which stand for the module's own indentation.
_FOUR_SPACES = cst.PartialParserConfig(default_indent="    ")
# What of a compound statement's node is not its header.
_NOT_HEADER = frozenset(
    {
        *("body", "orelse", "finalbody", "handlers", "cases"),
        *("leading_lines", "decorators", "lines_after_decorators"),
        *("whitespace_after_colon", "indent", "footer"),  # of `match`
    }
)


def parse(text: str) -> Statements:
    """The statements of `text`; comments at its end as a statement of comments."""
    if text[:1].isspace():
        text = textwrap.dedent(text)
    module = cst.parse_module(text, _FOUR_SPACES)
    body: Statements = list(module.body)
    if not body:
        return comment_statement([*module.header, *module.footer])
    body[0] = with_lines(body[0], [*module.header, *lines_before(body[0])])
    return [*body, *comment_statement(module.footer)]


def blocks(stmt: Any, node: Any) -> Iterator[tuple[str, list[ast.stmt], Any]]:
    """(field, statements, the node whose `body` they are) of a compound statement.

    Of an `elif` the node is that of the inner `if`.
    """
    if isinstance(stmt, ast.Match):
        for index, case in enumerate(stmt.cases):
            yield f"cases.{index}", case.body, node.cases[index]
        return
    yield "body", stmt.body, node
    for index, handler in enumerate(getattr(stmt, "handlers", ())):
        yield f"handlers.{index}", handler.body, node.handlers[index]
    if getattr(stmt, "orelse", None):
        yield "orelse", stmt.orelse, node.orelse
    if getattr(stmt, "finalbody", None):
        yield "finalbody", stmt.finalbody, node.finalbody


def header_children(stmt: ast.AST) -> list[ast.AST]:
    """The nodes in the header of a compound statement, a handler or a case."""
    found: list[ast.AST] = []
    for field, value in ast.iter_fields(stmt):
        if field not in _NOT_HEADER and field != "decorator_list":
            values = value if isinstance(value, list) else [value]
            found += [one for one in values if isinstance(one, ast.AST)]
    return found


def with_header_of(node: Any, other: Any) -> Any:
    """`node` with the header of `other`, which is of the same type."""
    names = {field.name for field in dataclasses.fields(node)} - _NOT_HEADER
    return node.with_changes(**{name: getattr(other, name) for name in sorted(names)})


def redefined(stmt: cst.BaseStatement, name: str, decorator: str) -> cst.BaseStatement:
    """A definition under another name, and with `decorator` if that is not empty."""
    if not isinstance(stmt, cst.FunctionDef):
        return stmt
    if decorator:
        made = cst.Decorator(cst.parse_expression(decorator))
        stmt = stmt.with_changes(decorators=[made])
    return stmt.with_changes(name=cst.Name(name))


def lines_before(node: Any) -> Lines:
    """The comments and blank lines before a statement, as far as they belong to it."""
    found: Lines = getattr(node, "leading_lines", ())
    return found


def with_lines(node: Any, lines: Lines) -> Any:
    return node.with_changes(leading_lines=tuple(lines))


def comments(lines: Lines) -> list[cst.EmptyLine]:
    return [line for line in lines if line.comment is not None]


def trailing(comment: str | None) -> cst.TrailingWhitespace:
    """The end of a line, with a comment if there is one."""
    if comment is None:
        return cst.TrailingWhitespace()
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(comment))


def comment_statement(lines: Lines) -> Statements:
    """A statement that is nothing but comments; none if there are no comments."""
    if not comments(lines):
        return []
    return [cst.SimpleStatementLine((), leading_lines=tuple(lines))]


def is_comment_statement(node: cst.BaseStatement) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and not node.body


def contains_line(nodes: Sequence[cst.CSTNode], lines: Lines) -> bool:
    """Is one of these very comments somewhere in `nodes`?"""
    wanted = {id(line) for line in comments(lines)}
    stack: list[cst.CSTNode] = list(nodes)
    while stack and wanted:
        node = stack.pop()
        if id(node) in wanted:
            return True
        # Comments between statements are in statements and blocks only.
        if not isinstance(node, cst.BaseExpression):
            stack.extend(node.children)
    return False


def assemble(
    statements: Sequence[cst.BaseStatement],
    made: Collection[int],
    inserted: Collection[int],
    *,
    blank: int = 1,
    first: int = 0,
) -> tuple[Statements, list[cst.EmptyLine]]:
    """The body and the footer of a block of these statements.

    Statements of comments go into what follows them. A function that was `made` gets
    `blank` blank lines before it, or `first` if it begins the block, and after it,
    unless it is the last; so does a statement that was `inserted`, where it borders on
    a definition.
    """
    body: Statements = []
    pending: list[cst.EmptyLine] = []
    after_made = after_inserted = False
    for statement in statements:
        if is_comment_statement(statement):
            pending += lines_before(statement)
            continue
        lines = [*pending, *lines_before(statement)]
        is_made, is_inserted = id(statement) in made, id(statement) in inserted
        borders = (is_inserted or after_inserted) and any(
            map(is_definition, (statement, *body[-1:]))
        )
        if body and (is_made or after_made or borders):
            lines = [*[BLANK] * (blank - leading_blanks(lines)), *lines]
        elif not body and is_made:
            lines = [*[BLANK] * first, *lines[leading_blanks(lines) :]]
        body.append(with_lines(statement, lines))
        pending = []
        after_made, after_inserted = is_made, is_inserted
    return body, pending


def without_first_blanks(body: Sequence[cst.BaseStatement]) -> Statements:
    """The statements of a block that begins at once."""
    if not body:
        return []
    lines = lines_before(body[0])
    return [with_lines(body[0], lines[leading_blanks(lines) :]), *body[1:]]


def is_definition(node: object) -> bool:
    return isinstance(node, cst.FunctionDef | cst.ClassDef)


def leading_blanks(lines: Lines) -> int:
    count = 0
    while count < len(lines) and lines[count].comment is None:
        count += 1
    return count


def add_parameter(function: cst.FunctionDef, text: str, *, keyword_only: bool) -> Any:
    """`function` with one more parameter, laid out as the others are."""
    new = cst.ensure_type(
        cst.parse_statement(f"def f({text}): pass"), cst.FunctionDef
    ).params.params[0]
    space = function.whitespace_before_params
    comma: cst.Comma | cst.MaybeSentinel = cst.MaybeSentinel.DEFAULT
    if isinstance(space, cst.ParenthesizedWhitespace):
        comma = cst.Comma(whitespace_after=space)
    params = function.params
    if keyword_only:
        names = _inserted(params.kwonly_params, len(params.kwonly_params), new, comma)
        star = params.star_arg
        if isinstance(star, cst.MaybeSentinel):
            star = cst.ParamStar()
            if not params.kwonly_params and params.star_kwarg is None:
                params, names = _hand_on_comma(params, names, comma)
        params = params.with_changes(kwonly_params=names, star_arg=star)
        return function.with_changes(params=params)
    field = "params"
    if new.default is None and any(p.default for p in params.posonly_params):
        field = "posonly_params"
    old: Sequence[cst.Param] = getattr(params, field)
    at = len(old)
    if new.default is None:
        at = next((i for i, p in enumerate(old) if p.default is not None), at)
    changed = params.with_changes(**{field: _inserted(old, at, new, comma)})
    return function.with_changes(params=changed)


def _inserted(
    params: Sequence[cst.Param],
    at: int,
    new: cst.Param,
    comma: cst.Comma | cst.MaybeSentinel,
) -> list[cst.Param]:
    if at < len(params) or not params:
        is_last = not params
        here = new if is_last else new.with_changes(comma=comma)
        return [*params[:at], here, *params[at:]]
    last = params[-1]
    return [
        *params[:-1],
        last.with_changes(comma=comma),
        new.with_changes(comma=last.comma),
    ]


def _hand_on_comma(
    params: cst.Parameters,
    names: list[cst.Param],
    comma: cst.Comma | cst.MaybeSentinel,
) -> tuple[cst.Parameters, list[cst.Param]]:
    """Give the comma behind the last parameter to the new last one, after a star."""
    if not params.params:
        return params, names
    last = params.params[-1]
    changed = [*params.params[:-1], last.with_changes(comma=comma)]
    return (
        params.with_changes(params=changed),
        [*names[:-1], names[-1].with_changes(comma=last.comma)],
    )
