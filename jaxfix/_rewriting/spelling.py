"""Text of expressions that do not stand in the source: parts of new code.

A part that does stand there keeps its own spelling; only parentheses are added where
its new neighbours want them. `ast.unparse` would spell all of it anew, in other quotes.
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

# The text of a node that stands in the source, None for a new one.
Known: TypeAlias = Callable[[ast.expr], str | None]


@dataclass(slots=True)
class Note:
    """Comments about an argument of a new call: on lines above it, and behind it."""

    above: list[str] = field(default_factory=list)
    behind: str | None = None


@dataclass(slots=True)
class Notes:
    """The notes on arguments, by the ids of these, and how their lines are indented."""

    indent: str = "    "
    of: dict[int, Note] = field(default_factory=dict)


class Level(enum.IntEnum):
    """How tightly an expression binds, loosest first."""

    TUPLE = enum.auto()
    NAMED = enum.auto()
    YIELD = enum.auto()
    TEST = enum.auto()
    OR = enum.auto()
    AND = enum.auto()
    NOT = enum.auto()
    COMPARE = enum.auto()
    BIT_OR = enum.auto()
    BIT_XOR = enum.auto()
    BIT_AND = enum.auto()
    SHIFT = enum.auto()
    SUM = enum.auto()
    PRODUCT = enum.auto()
    SIGN = enum.auto()
    POWER = enum.auto()
    AWAIT = enum.auto()
    ATOM = enum.auto()


BINARY: dict[type[ast.operator], tuple[str, Level]] = {
    ast.BitOr: ("|", Level.BIT_OR),
    ast.BitXor: ("^", Level.BIT_XOR),
    ast.BitAnd: ("&", Level.BIT_AND),
    ast.LShift: ("<<", Level.SHIFT),
    ast.RShift: (">>", Level.SHIFT),
    ast.Add: ("+", Level.SUM),
    ast.Sub: ("-", Level.SUM),
    ast.Mult: ("*", Level.PRODUCT),
    ast.MatMult: ("@", Level.PRODUCT),
    ast.Div: ("/", Level.PRODUCT),
    ast.FloorDiv: ("//", Level.PRODUCT),
    ast.Mod: ("%", Level.PRODUCT),
    ast.Pow: ("**", Level.POWER),
}
UNARY: dict[type[ast.unaryop], tuple[str, Level]] = {
    ast.Not: ("not ", Level.NOT),
    ast.USub: ("-", Level.SIGN),
    ast.UAdd: ("+", Level.SIGN),
    ast.Invert: ("~", Level.SIGN),
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_SIMPLE = re.compile(r"-?[\w.]+")


def level(node: ast.expr) -> Level:
    """The level of a node as it is spelled without parentheses around it."""
    match node:
        case ast.Tuple(elts=[]):
            return Level.ATOM
        case ast.Tuple():
            return Level.TUPLE
        case ast.NamedExpr():
            return Level.NAMED
        case ast.Yield() | ast.YieldFrom():
            return Level.YIELD
        case ast.Lambda() | ast.IfExp():
            return Level.TEST
        case ast.BoolOp(op=op):
            return Level.OR if isinstance(op, ast.Or) else Level.AND
        case ast.Compare():
            return Level.COMPARE
        case ast.BinOp(op=op):
            return BINARY[type(op)][1]
        case ast.UnaryOp(op=op):
            return UNARY[type(op)][1]
        case ast.Await():
            return Level.AWAIT
        case ast.Constant(value=int() | float() as number) if str(number)[0] == "-":
            return Level.SIGN
        case _:
            return Level.ATOM


def level_of_text(text: str) -> Level:
    """The level of an expression in source form; what cannot stand alone is an atom."""
    node = _parse(text)
    if node is None:
        return Level.ATOM
    stripped = text.strip()
    if isinstance(node, ast.Tuple):
        # A bare tuple is several arguments of a call.
        call = _parse(f"f(\n{stripped}\n)")
        is_one = isinstance(call, ast.Call) and len(call.args) == 1
        return Level.ATOM if is_one and stripped.startswith("(") else Level.TUPLE
    # The parser starts a parenthesised expression after its parenthesis.
    first = stripped.splitlines()[0]
    at_start = node.lineno == 2 and node.col_offset == 0
    if first.startswith("(") and not at_start:
        return Level.ATOM
    return level(node)


def _parse(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"(\n{text.strip()}\n)", mode="eval").body
    except SyntaxError:
        return None


def wants(parent: ast.AST, child: ast.expr) -> Level:
    """The level that `parent` wants of the spelling of its part `child`."""
    match parent:
        case ast.BinOp(op=op):
            own = BINARY[type(op)][1]
            if isinstance(op, ast.Pow):
                return Level.AWAIT if child is parent.left else Level.SIGN
            return own if child is parent.left else Level(own + 1)
        case ast.UnaryOp(op=op):
            return UNARY[type(op)][1]
        case ast.BoolOp() | ast.Compare():
            return Level(level(parent) + 1)
        case ast.IfExp():
            return Level.TEST if child is parent.orelse else Level.OR
        case ast.Attribute() | ast.Subscript() | ast.Call() if child is _base(parent):
            return Level.ATOM
        case ast.Await():
            return Level.ATOM
        case ast.Starred():
            return Level.BIT_OR
        case ast.Subscript() | ast.Expr() | ast.Assign() | ast.Return():
            return Level.TUPLE
        case ast.comprehension():
            return Level.OR
        case _:
            return Level.TEST


def _base(node: ast.Attribute | ast.Subscript | ast.Call) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node.value


def spell(node: ast.expr, known: Known, notes: Notes | None = None) -> str:
    """The text of `node`, with every part that `known` knows as it stands there.

    A call with notes on its arguments has these on lines of their own.
    """
    found = known(node)
    if found is not None:
        return found
    text = _Speller(known, notes or Notes()).build(node)
    return f"({text})" if level(node) == Level.NAMED else text


def spell_parameters(arguments: ast.arguments, known: Known) -> str:
    """The text between the parentheses of a `def`, or after `lambda`."""
    return ", ".join(_Speller(known, Notes()).parameters(arguments))


def literal(value: object) -> str:
    """A constant as ruff would leave it: double quotes where they need no escape."""
    text = repr(value)
    if isinstance(value, str) and text.startswith("'") and '"' not in text:
        return f'"{text[1:-1]}"'
    if value is ...:
        return "..."
    return text.replace("inf", "1e309") if isinstance(value, float) else text


class _Speller:
    def __init__(self, known: Known, notes: Notes) -> None:
        self.known = known
        self.notes = notes
        self.depth = 0

    def part(self, parent: ast.AST, child: ast.expr) -> str:
        return self.at(child, wants(parent, child))

    def at(self, node: ast.expr, least: Level) -> str:
        text = self.known(node)
        if text is None:
            text, own = self.build(node), level(node)
        else:
            own = level_of_text(text)
        return f"({text})" if own < least else text

    def all(self, nodes: Sequence[ast.expr]) -> str:
        return ", ".join(self.at(node, Level.TEST) for node in nodes)

    def build(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Constant(value=value):
                return literal(value)
            case ast.Attribute(value=ast.Constant(value=int()) as value, attr=attr):
                return f"({self.at(value, Level.ATOM)}).{attr}"
            case ast.Attribute(value=value, attr=attr):
                return f"{self.part(node, value)}.{attr}"
            case ast.Call():
                return f"{self.part(node, node.func)}({self.arguments(node)})"
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                return self.junction(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(self.part(node, left), op, self.part(node, right))
            case ast.UnaryOp(op=op, operand=operand):
                return UNARY[type(op)][0] + self.part(node, operand)
            case ast.BoolOp(op=op, values=values):
                word = " or " if isinstance(op, ast.Or) else " and "
                return word.join(self.part(node, value) for value in values)
            case ast.Compare(left=left, ops=ops, comparators=others):
                pairs = zip(ops, others, strict=True)
                rest = [f"{COMPARE[type(o)]} {self.part(node, v)}" for o, v in pairs]
                return " ".join([self.part(node, left), *rest])
            case ast.Tuple(elts=[one]):
                return f"{self.at(one, Level.TEST)},"
            case ast.Tuple(elts=elements):
                return self.all(elements) or "()"
            case ast.List(elts=elements):
                return f"[{self.all(elements)}]"
            case ast.Set(elts=elements):
                return f"{{{self.all(elements)}}}"
            case ast.Dict():
                return f"{{{self.items(node)}}}"
            case ast.Subscript(value=value, slice=index):
                return f"{self.part(node, value)}[{self.part(node, index)}]"
            case ast.Slice():
                return self.slice(node)
            case ast.Lambda(args=arguments, body=body):
                head = " ".join(["lambda", *[", ".join(self.parameters(arguments))]])
                return f"{head.rstrip()}: {self.part(node, body)}"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                ends = f"{self.part(node, body)} if {self.part(node, test)}"
                return f"{ends} else {self.part(node, orelse)}"
            case ast.Starred(value=value):
                return f"*{self.part(node, value)}"
            case ast.NamedExpr(target=target, value=value):
                return f"{target.id} := {self.part(node, value)}"
            case ast.Await(value=value):
                return f"await {self.part(node, value)}"
            case ast.ListComp(elt=element, generators=generators):
                return f"[{self.at(element, Level.TEST)}{self.clauses(generators)}]"
            case ast.SetComp(elt=element, generators=generators):
                return f"{{{self.at(element, Level.TEST)}{self.clauses(generators)}}}"
            case ast.GeneratorExp(elt=element, generators=generators):
                return f"({self.at(element, Level.TEST)}{self.clauses(generators)})"
            case ast.DictComp(key=key, value=value, generators=generators):
                pair = f"{self.at(key, Level.TEST)}: {self.at(value, Level.TEST)}"
                return f"{{{pair}{self.clauses(generators)}}}"
            case ast.JoinedStr():
                text = ast.unparse(node)
                plain = text.count("'") == 2 and '"' not in text
                return text.replace("'", '"') if plain else text
            case _:
                return ast.unparse(node)

    def junction(self, node: ast.BinOp) -> str:
        """`a & b & c` without parentheses, and `(a & b) | c` with them."""
        sign, own = BINARY[type(node.op)]
        texts: list[str] = []
        for child in (node.left, node.right):
            text = self.known(child)
            spelled = text if text is not None else self.build(child)
            depth = level(child) if text is None else level_of_text(spelled)
            alone = depth == own or depth > Level.BIT_AND
            texts.append(spelled if alone else f"({spelled})")
        return f"{texts[0]} {sign} {texts[1]}"

    def binary(self, left: str, op: ast.operator, right: str) -> str:
        sign = BINARY[type(op)][0]
        simple = _SIMPLE.fullmatch(left) and _SIMPLE.fullmatch(right)
        if isinstance(op, ast.Pow) and simple:
            return f"{left}**{right}"
        return f"{left} {sign} {right}"

    def arguments(self, call: ast.Call) -> str:
        if self.notes.of and any(id(n) in self.notes.of for n in ast.walk(call)):
            return self.lines(call)
        positional = [self.at(a, Level.TEST) for a in call.args]
        return ", ".join([*positional, *map(self.keyword, call.keywords)])

    def keyword(self, node: ast.keyword) -> str:
        sign = f"{node.arg}=" if node.arg is not None else "**"
        return sign + self.at(node.value, Level.TEST)

    def lines(self, call: ast.Call) -> str:
        """The arguments of a call, one a line, with the comments on them."""
        self.depth += 1
        margin = "\n" + self.notes.indent * self.depth
        text = ""
        for argument in call.args:
            note = self.notes.of.get(id(argument), Note())
            text += "".join(margin + comment for comment in note.above)
            text += f"{margin}{self.at(argument, Level.TEST)},"
            text += f"  {note.behind}" if note.behind else ""
        for named in call.keywords:
            text += f"{margin}{self.keyword(named)},"
        self.depth -= 1
        return text + "\n" + self.notes.indent * self.depth

    def items(self, node: ast.Dict) -> str:
        pairs = zip(node.keys, node.values, strict=True)
        return ", ".join(
            f"{self.at(key, Level.TEST)}: {self.at(value, Level.TEST)}"
            if key is not None
            else f"**{self.at(value, Level.BIT_OR)}"
            for key, value in pairs
        )

    def slice(self, node: ast.Slice) -> str:
        ends = [
            "" if end is None else self.at(end, Level.TEST)
            for end in (node.lower, node.upper, node.step)
        ]
        if node.step is None:
            ends.pop()
        if all(_SIMPLE.fullmatch(end) for end in ends if end):
            return ":".join(ends)
        return " : ".join(ends).strip()

    def clauses(self, generators: Sequence[ast.comprehension]) -> str:
        text = ""
        for one in generators:
            word = " async for " if one.is_async else " for "
            text += f"{word}{self.at(one.target, Level.TUPLE)} in "
            text += self.part(one, one.iter)
            text += "".join(f" if {self.part(one, test)}" for test in one.ifs)
        return text

    def parameters(self, arguments: ast.arguments) -> list[str]:
        positional = [*arguments.posonlyargs, *arguments.args]
        missing = len(positional) - len(arguments.defaults)
        defaults = [*[None] * missing, *arguments.defaults]
        pairs = zip(positional, defaults, strict=True)
        parts = [self.parameter(arg, default) for arg, default in pairs]
        if arguments.posonlyargs:
            parts.insert(len(arguments.posonlyargs), "/")
        if arguments.vararg is not None:
            parts.append("*" + self.parameter(arguments.vararg, None))
        elif arguments.kwonlyargs:
            parts.append("*")
        named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        parts += [self.parameter(arg, default) for arg, default in named]
        if arguments.kwarg is not None:
            parts.append("**" + self.parameter(arguments.kwarg, None))
        return parts

    def parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        text = arg.arg
        if arg.annotation is not None:
            text += f": {self.at(arg.annotation, Level.TEST)}"
        if default is None:
            return text
        equals = " = " if arg.annotation is not None else "="
        return f"{text}{equals}{self.at(default, Level.TEST)}"
