"""`print` in traced code: what it prints, and the `jax.debug` call that does the same.

`jax.debug.print` takes a format string. A scalar is formatted by `{}` as in an f-string
(1.2345600128173828) and by `{!s}` as `print` shows it (1.23456). Where a format string
cannot say it (`end=`, `file=`, a brace before the first field, which turns formatting
off), `jax.debug.callback` gets the values and the `print` itself.

Source: measured on jax 0.10.2.
"""

from __future__ import annotations

import ast
import itertools
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from jaxfix._analysis import build
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Evidence
from jaxfix._analysis.objects import (
    BoundValue,
    FunctionValue,
    InstanceValue,
    PartialValue,
)
from jaxfix._analysis.python_calls import loop_tracer
from jaxfix._analysis.scopes import reads, writes
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Value,
    alternatives,
    element,
    holds_tracer,
    is_static,
    type_name,
)

Spell = Callable[[str], str]
NameSet = frozenset[str]

LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp)
# Parameters of `jax.debug.print`, which cannot be names of fields.
RESERVED = frozenset({"fmt", "ordered", "partitioned", "skip_format_check"})
WITH_REPR = frozenset({"namedtuple", "dataclass", "module"})
LARGEST_INT = 2**31 - 1
ONE_DEVICE_ONLY = frozenset({"jax.pmap", "jax.shard_map"})


class Awkward(Exception):
    """A format string for `jax.debug.print` cannot say this."""


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that are printed as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """A value, and how it is formatted. `inner`: names that the format spec reads."""

    value: ast.expr
    conversion: str = ""
    spec: str = ""
    inner: tuple[str, ...] = ()
    named: bool = False


Piece = Text | Field


# --- what is printed


def printed(fn: Function, call: ast.Call) -> tuple[Evidence, ...]:
    """Why something that is printed is traced; empty if nothing is known to be."""
    return why_shown(fn, call, call.args)


def why_formatted(fn: Function, call: ast.Call) -> tuple[Evidence, ...]:
    """Why the format of a `jax.debug.print` is made of tracers; empty if it is not."""
    is_plain = not call.args or isinstance(call.args[0], ast.Constant)
    return () if is_plain else why_shown(fn, call, call.args[:1])


def why_shown(
    fn: Function, call: ast.Call, args: Sequence[ast.expr]
) -> tuple[Evidence, ...]:
    for arg in args:
        for value in shown(fn, arg):
            found = shown_tracer(fn.value(value))
            if found is not None:
                why = found.why.chain() if found.why is not None else ()
                line = getattr(value, "lineno", call.lineno)
                return tuple(reversed(why)) or (
                    Evidence(fn.path, line, "it is traced"),
                )
    return ()


def shown_tracer(value: Value | None) -> Array | None:
    """A tracer that the text of a value shows: of an instance, what its fields hold."""
    if value is None:
        return None
    if (found := holds_tracer(value)) is not None:
        return found
    for part in alternatives(value):
        if isinstance(part, InstanceValue) and part.cls.kind in WITH_REPR:
            for inner in part.attrs.values():
                if (found := holds_tracer(inner)) is not None:
                    return found
    return None


def shown(fn: Function, node: ast.expr) -> Iterator[ast.expr]:
    """The expressions whose values become text in `node`."""
    match node:
        case ast.JoinedStr(values=values):
            for part in values:
                yield from shown(fn, part)
        case ast.FormattedValue(value=value, format_spec=spec):
            yield from shown(fn, value)
            if spec is not None:
                yield from shown(fn, spec)
        case ast.BinOp(op=ast.Mod(), left=left, right=right) if is_text(fn, left):
            yield from shown(fn, right)
        case ast.BinOp(op=ast.Add(), left=left, right=right) if is_text(fn, node):
            yield from shown(fn, left)
            yield from shown(fn, right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from shown(fn, part)
        case ast.Starred(value=value):
            yield value
        case ast.Call() if is_formatting(fn, node):
            for part in (*node.args, *(k.value for k in node.keywords)):
                yield from shown(fn, part)
        case _:
            yield node


def is_text(fn: Function, node: ast.expr) -> bool:
    """Is the expression certainly a string?"""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return is_text(fn, left) or is_text(fn, right)
        case ast.BinOp(op=ast.Mod(), left=left):
            return is_text(fn, left)
        case ast.Call() if is_formatting(fn, node):
            return True
        case _:
            value = fn.value(node)
            return value is not None and type_name(value) == "str"


def is_formatting(fn: Function, node: ast.Call) -> bool:
    """`str(x)`, `repr(x)`, `format(x, spec)` or `"...".format(x)`."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return is_text(fn, node.func.value)
    return fn.library(node) in ("str", "repr", "format")


# --- when it is printed


def decided_by(fn: Function, node: ast.AST) -> Array | None:
    """A traced value on which it depends whether, or how often, `node` runs."""
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            return exit_before(fn, list(getattr(fn.node, "body", [])), node)
        if (found := _test_of(fn, outer, node)) is not None:
            return found
        if isinstance(outer, ast.For | ast.While):
            found = traced_exit(fn, outer.body)
            if found is not None:
                return found
    return None


def _test_of(fn: Function, outer: ast.AST, node: ast.AST) -> Array | None:
    match outer:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            inside = any(n is node for n in ast.walk(test))
            return None if inside else fn.tracer(test)
        case ast.BoolOp(values=[first, *rest]):
            if any(n is node for part in rest for n in ast.walk(part)):
                return fn.tracer(first)
        case ast.For(iter=source):
            value = fn.value(source)
            return loop_tracer(value) if value is not None else None
        case ast.Match(subject=subject):
            return fn.tracer(subject)
    return None


def exit_before(fn: Function, body: Sequence[ast.stmt], node: ast.AST) -> Array | None:
    """A traced test under which the function ends before it comes to `node`."""
    for stmt in body if isinstance(body, list) else []:
        if any(n is node for n in ast.walk(stmt)):
            return None
        if (found := traced_exit(fn, [stmt])) is not None:
            return found
    return None


def traced_exit(fn: Function, body: Sequence[ast.stmt]) -> Array | None:
    """The traced test of an `if` that leaves the function or a loop."""
    for stmt in body:
        for inner in ast.walk(stmt):
            if not isinstance(inner, ast.If) or fn.tracer(inner.test) is None:
                continue
            exits = ast.Return | ast.Break | ast.Continue
            if any(
                isinstance(n, exits)
                for s in inner.body + inner.orelse
                for n in ast.walk(s)
            ):
                return fn.tracer(inner.test)
    return None


def varying(fn: Function, node: ast.AST) -> NameSet:
    """Names that become traced when a loop around `node` is compiled."""
    found: set[str] = set()
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            break
        if isinstance(outer, ast.For | ast.While) and (
            _test_of(fn, outer, node) or traced_exit(fn, outer.body)
        ):
            found |= set(writes([outer]))
    return frozenset(found)


# --- the order of several prints


def is_one_of_several(fn: Function, node: ast.Call) -> bool:
    """Can one call of the compiled program print more than once?

    Plain `jax.debug.print` shows the value that is ready first. Ordered effects want
    one device.
    """
    if any(root.transform in ONE_DEVICE_ONLY for root in fn.roots()):
        return False
    if _in_loop(fn, node):
        return True
    calls = fn.facts.interpreter.calls
    together = _called_together(fn)
    for call in calls.values():
        if call.node is node or not call.under or not isinstance(call.node, ast.Call):
            continue
        if not any(id(owner) in together for owner in call.functions):
            continue
        if Lib("print") in call.callees:
            return True
        here = any(
            isinstance(bottom := _project_function(callee), FunctionValue)
            and bottom.node is fn.node
            for callee in call.callees
        )
        owner = next((o for o in call.functions if o is not None), None)
        known = (
            fn.facts.function(owner)
            if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            else None
        )
        if here and known is not None and _in_loop(known, call.node):
            return True
    return False


def _in_loop(fn: Function, node: ast.AST) -> bool:
    for outer in fn.module.ancestors(node):
        if outer is fn.node:
            return False
        if isinstance(outer, LOOPS):
            return True
    return False


def _project_function(value: Value) -> Value:
    while isinstance(value, BoundValue | PartialValue):
        value = value.function
    return value


def _called_together(fn: Function) -> set[int]:
    """The functions that may run in one call of a compiled program that runs `fn`."""
    edges: dict[int, set[int]] = {}

    def join(a: ast.AST, b: ast.AST) -> None:
        edges.setdefault(id(a), set()).add(id(b))
        edges.setdefault(id(b), set()).add(id(a))

    reached = fn.facts.interpreter.reached
    for call in fn.facts.interpreter.calls.values():
        for owner in call.functions if call.under else ():
            for callee in call.callees:
                bottom = _project_function(callee)
                if owner is not None and isinstance(bottom, FunctionValue):
                    join(owner, bottom.node)
    for inner in fn.facts.interpreter.functions.values():
        outer = inner.scope.node
        if isinstance(outer, ast.FunctionDef | ast.Lambda) and id(outer) in reached:
            join(inner.node, outer)
    seen: set[int] = set()
    todo = [id(fn.node)]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += edges.get(one, ())
    return seen


# --- the call that prints the same


def replacement(fn: Function, call: ast.Call, spell: Spell) -> ast.expr:
    """`print(...)` as a `jax.debug.print` or a `jax.debug.callback`.

    Raises:
      CannotFix: it prints something that a compiled program cannot hand out.
    """
    several = is_one_of_several(fn, call)
    try:
        made = debug_print(fn, call, spell)
    except Awkward:
        made = debug_callback(fn, call, spell)
    if several:
        made.keywords.append(ast.keyword("ordered", build.const(True)))
    return made


def with_fields(fn: Function, call: ast.Call, spell: Spell) -> ast.Call:
    """`jax.debug.print(f"x {x}")` with a field in the format, and the value beside it.

    Raises:
      CannotFix: it has values of its own, or the format cannot say what is shown.
    """
    options = [k for k in call.keywords if k.arg in RESERVED]
    if len(call.args) > 1 or len(options) < len(call.keywords):
        raise CannotFix("the format has values of its own beside those it is made of")
    try:
        made = print_of(fn, call, pieces_of(fn, call.args[0], "s"), spell)
    except Awkward:
        raise CannotFix("a format string cannot say what is shown here") from None
    made.keywords += options
    return made


def debug_print(fn: Function, call: ast.Call, spell: Spell) -> ast.Call:
    options = {k.arg: k.value for k in call.keywords}
    if set(options) - {"sep"}:
        raise Awkward
    return print_of(fn, call, joined(fn, call, options.get("sep")), spell)


def print_of(
    fn: Function, call: ast.Call, pieces: Sequence[Piece], spell: Spell
) -> ast.Call:
    """The `jax.debug.print` that shows the pieces, in the place of a call."""
    made = build.call(spell("jax.debug.print"))
    text = Template(fn, varying(fn, call))
    for piece in pieces:
        text.add(piece)
    made.args = [build.const(text.format), *text.args]
    made.keywords = [ast.keyword(n, build.load(n)) for n in text.names]
    return made


def joined(fn: Function, call: ast.Call, sep: ast.expr | None) -> list[Piece]:
    """What `print` writes, without the end of the line."""
    between = Text(" ")
    match sep:
        case None | ast.Constant(value=None):
            pass
        case ast.Constant(value=str() as text):
            between = Text(text)
        case _:
            raise Awkward
    out: list[Piece] = []
    for index, arg in enumerate(call.args):
        if isinstance(arg, ast.Starred):
            raise Awkward
        out += [between] if index else []
        out += pieces_of(fn, arg, "s")
    return out


@dataclass(slots=True)
class Template:
    """A format string in the making."""

    fn: Function
    varies: NameSet
    format: str = ""
    args: list[ast.expr] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    fields: int = 0

    def add(self, piece: Piece) -> None:
        if isinstance(piece, Text):
            if not self.fields and re.search("[{}]", piece.text):
                raise Awkward
            self.format += piece.text.replace("{", "{{").replace("}", "}}")
            return
        self.fields += 1
        piece = portable(self.fn, piece, self.varies)
        name = ""
        value = piece.value
        if piece.named and isinstance(value, ast.Name) and value.id not in RESERVED:
            name = value.id
            self.keyword(name)
        else:
            self.args.append(value)
        for inner in piece.inner:
            self.keyword(inner)
        conversion = f"!{piece.conversion}" if piece.conversion else ""
        spec = f":{piece.spec}" if piece.spec else ""
        self.format += f"{{{name}{conversion}{spec}}}"

    def keyword(self, name: str) -> None:
        if name in RESERVED:
            raise Awkward
        if name not in self.names:
            self.names.append(name)


def portable(fn: Function, piece: Field, varies: NameSet) -> Field:
    """The field with a value that the compiled program hands out unchanged.

    Numbers become arrays of 32 bits on the way: an int is printed the same, a float is
    not. So what is known while tracing is made text there.
    """
    value = fn.value(piece.value)
    if value is None:
        return piece
    check_pytree(value)
    if holds_tracer(value) is None:
        stays = is_static(value) and not set(reads(piece.value)) & varies
        return _static_field(piece, value) if stays else piece
    for part in alternatives(value):
        if isinstance(part, Seq | Dict) and _holds_number(part):
            raise CannotFix(
                "it prints a container of arrays and Python numbers, "
                "which would be printed as arrays"
            )
    match value:
        case Array(shape=shape) if shape and any(
            isinstance(dims, tuple) and dims for dims in shape
        ):
            plain = "" if piece.conversion in ("", "s") else piece.conversion
            spec = piece.spec if piece.conversion in ("s", "r", "a") else ""
            return replace(
                piece, conversion=plain if not spec else piece.conversion, spec=spec
            )
        case Array(dtype=dtype) if (
            dtype is not None
            and dtype.kind in ("i", "b")
            and piece.conversion == "s"
            and not piece.spec
        ):
            return replace(piece, conversion="")
        case Seq() | Dict() if piece.conversion == "s" and not piece.spec:
            return replace(piece, conversion="")
    return piece


def _static_field(piece: Field, value: Value) -> Field:
    """A field of a value that is known while tracing."""
    kind = type_name(value)
    too_large = (
        isinstance(value, Const)
        and isinstance(value.value, int)
        and abs(value.value) > LARGEST_INT
    )
    prints_alike = piece.conversion in ("", "s") or kind != "str"
    if kind in ("int", "bool", "str") and not too_large and prints_alike:
        return piece if piece.spec else replace(piece, conversion="")
    if piece.inner or piece.spec and piece.conversion:
        raise Awkward
    if piece.spec:
        text = build.call("format", piece.value, build.const(piece.spec))
    else:
        by_name = {"r": "repr", "a": "ascii"}
        text = build.call(by_name.get(piece.conversion, "str"), piece.value)
    return Field(text)


def _holds_number(value: Value, depth: int = 4) -> bool:
    if depth == 0:
        return False
    for part in alternatives(value):
        if type_name(part) in ("int", "float", "bool", "complex"):
            return True
        inner: list[Value] = []
        if isinstance(part, Seq):
            inner = list(part.items) if part.items is not None else [element(part)]
        elif isinstance(part, Dict):
            inner = (
                [v for _, v in part.items]
                if part.items is not None
                else [element(part)]
            )
        if any(_holds_number(v, depth - 1) for v in inner):
            return True
    return False


# --- pieces


def pieces_of(fn: Function, node: ast.expr, conversion: str) -> list[Piece]:
    """The text that `node` becomes, `conversion` being how its value is converted."""
    match node:
        case ast.Constant(value=value) if conversion != "r" or not isinstance(
            value, str
        ):
            return [Text(str(value))]
        case ast.Constant(value=value):
            return [Text(repr(value))]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if parts and not any(
            isinstance(p, ast.Starred) for p in parts
        ):
            return _sequence(fn, parts, isinstance(node, ast.Tuple))
    if conversion != "r":
        match node:
            case ast.JoinedStr(values=values):
                return [p for part in values for p in _of_f_string(fn, part)]
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as text)):
                return percent(fn, node.right, text)
            case ast.BinOp(op=ast.Add(), left=left, right=right) if is_text(fn, node):
                return [*pieces_of(fn, left, ""), *pieces_of(fn, right, "")]
            case ast.Call() if is_formatting(fn, node):
                return _of_call(fn, node)
    return [Field(node, conversion)]


def _sequence(fn: Function, parts: Sequence[ast.expr], is_tuple: bool) -> list[Piece]:
    opening, closing = "()" if is_tuple else "[]"
    out: list[Piece] = [Text(opening)]
    for index, part in enumerate(parts):
        out += [Text(", ")] if index else []
        out += pieces_of(fn, part, "r")
    return [*out, Text("," + closing if is_tuple and len(parts) == 1 else closing)]


def _of_f_string(fn: Function, part: ast.expr) -> list[Piece]:
    match part:
        case ast.Constant(value=str() as text):
            return [Text(text)]
        case ast.FormattedValue(value=value, conversion=code, format_spec=spec):
            conversion = chr(code) if code != -1 else ""
            text, inner = _spec(spec)
            plain = isinstance(value, ast.Constant) or is_text(fn, value)
            if plain and not conversion and not text:
                return pieces_of(fn, value, "")
            return [Field(value, conversion, text, inner, named=True)]
    raise Awkward


def _spec(spec: ast.expr | None) -> tuple[str, tuple[str, ...]]:
    """The text of a format spec, and the names in it."""
    text, inner = "", []
    for part in getattr(spec, "values", []):
        match part:
            case ast.Constant(value=str() as literal):
                if re.search("[{}]", literal):
                    raise Awkward
                text += literal
            case ast.FormattedValue(
                value=ast.Name(id=name), conversion=-1, format_spec=None
            ):
                text += f"{{{name}}}"
                inner.append(name)
            case _:
                raise Awkward
    return text, tuple(inner)


def is_integer(value: Value | None) -> bool:
    if isinstance(value, Array):
        return value.dtype is not None and value.dtype.kind == "i"
    return value is not None and type_name(value) == "int"


_PERCENT = re.compile(r"%(?:%|([-+ 0#]*)(\d*)(?:\.(\d+))?([diufFeEgGsrxXo]))")


def percent(fn: Function, right: ast.expr, text: str) -> list[Piece]:
    """`"..." % values`."""
    values = list(right.elts) if isinstance(right, ast.Tuple) else [right]
    out: list[Piece] = []
    at = 0
    for found in _PERCENT.finditer(text):
        out += _literal(text[at : found.start()])
        at = found.end()
        if found[0] == "%%":
            out.append(Text("%"))
            continue
        if not values or isinstance(values[0], ast.Starred):
            raise Awkward
        out.append(_percent_field(fn, values.pop(0), *found.groups("")))
    if values:
        raise Awkward
    return [*out, *_literal(text[at:])]


def _literal(text: str) -> list[Piece]:
    if "%" in text:
        raise Awkward
    return [Text(text)] if text else []


def _percent_field(
    fn: Function, value: ast.expr, flags: str, width: str, precision: str, kind: str
) -> Piece:
    if "#" in flags or (kind in "diuxXo" and precision):
        raise Awkward
    if kind in "diu":
        # `%d` of a float cuts its fraction off, which no format spec does.
        if not is_integer(fn.value(value)):
            raise Awkward
        kind = "d" if flags or width else ""
    if kind in "sr":
        if not (width or precision):
            return Field(value, kind)
        align = "<" if "-" in flags else ">"
        cut = f".{precision}" if precision else ""
        return Field(value, kind, f"{align}{width}{cut}" if width else cut)
    align = "<" if "-" in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and not align else ""
    places = f".{precision}" if precision else (".6" if kind in "fFeEgG" else "")
    return Field(value, "", f"{align}{sign}{zero}{width}{places}{kind}")


def _of_call(fn: Function, node: ast.Call) -> list[Piece]:
    """`str(x)`, `repr(x)`, `format(x, spec)`, `"...".format(...)`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as text)),
            args=args,
            keywords=keywords,
        ):
            named = {k.arg: k.value for k in keywords if k.arg is not None}
            if len(named) != len(keywords):
                raise Awkward
            return formatted(text, args, named)
        case ast.Call(func=ast.Name(), args=[value], keywords=[]):
            match fn.library(node):
                case "str":
                    return pieces_of(fn, value, "s")
                case "repr":
                    return pieces_of(fn, value, "r")
                case _:
                    return [Field(value)]
        case ast.Call(
            func=ast.Name(id="format"),
            args=[value, ast.Constant(value=str() as spec)],
            keywords=[],
        ) if not re.search("[{}]", spec):
            return [Field(value, "", spec)]
    raise Awkward


def formatted(
    text: str, args: Sequence[ast.expr], named: dict[str, ast.expr]
) -> list[Piece]:
    """`text.format(*args, **named)`."""
    if any(isinstance(a, ast.Starred) for a in args):
        raise Awkward
    out: list[Piece] = []
    count = 0
    for literal, name, spec, conversion in string.Formatter().parse(text):
        out += [Text(literal)] if literal else []
        if name is None:
            continue
        if re.search("[{}]", spec or ""):
            raise Awkward
        if name == "":
            name, count = str(count), count + 1
        if name.isdigit() and int(name) < len(args):
            value = args[int(name)]
        elif name in named:
            value = named[name]
        else:
            raise Awkward
        out.append(Field(value, conversion or "", spec or "", named=True))
    return out


# --- callback


def debug_callback(fn: Function, call: ast.Call, spell: Spell) -> ast.Call:
    """`jax.debug.callback(lambda x: print(...), x)`, the `print` as it was.

    What varies while tracing (a loop variable) is bound by a default, as Python would
    look a captured name up when the callback runs, which is too late.
    """
    parts = Operands(fn, call)
    for part in (*call.args, *call.keywords):
        parts.collect(part)
    body = rebuilt(call, parts.new) if parts.new else call
    assert isinstance(body, ast.expr), "a call is an expression"
    function = build.thunk(body, [*parts.values, *parts.defaults])
    function.args.defaults = [build.load(n) for n in parts.defaults]
    return build.call(spell("jax.debug.callback"), function, *parts.values.values())


class Operands:
    """What a `print` needs from the compiled program: values by parameter."""

    def __init__(self, fn: Function, call: ast.Call) -> None:
        self.fn = fn
        self.values: dict[str, ast.expr] = {}
        self.defaults: list[str] = []
        self.new: dict[int, ast.expr] = {}
        self.varying = varying(fn, call)
        self.assigned = (
            set()
            if isinstance(fn.node, ast.Lambda)
            else set(writes(list(fn.node.body)))
        )
        self.names = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
        self.names |= {n.arg for n in ast.walk(call) if isinstance(n, ast.arg)}

    def collect(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr) and self.is_operand(node):
            self.hand_out(node)
        elif isinstance(node, ast.Name):
            if node.id in self.assigned and node.id not in self.defaults:
                self.defaults.append(node.id)
        else:
            for child in ast.iter_child_nodes(node):
                self.collect(child)

    def is_operand(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name) and node.id in self.varying:
            return True
        value = self.fn.value(node)
        if value is None or shown_tracer(value) is None or is_shell(self.fn, node):
            return False
        check_pytree(value)
        return True

    def hand_out(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            self.values.setdefault(node.id, node)
            return
        numbered = (f"value_{n}" for n in itertools.count(1))
        names = itertools.chain(["value"], numbered)
        taken = self.names | self.values.keys()
        name = next(n for n in names if n not in taken)
        self.values[name] = node
        self.new[id(node)] = build.load(name)


def check_pytree(value: Value) -> None:
    """An object that is no pytree cannot be an operand.

    Raises:
      CannotFix: it may be such an object.
    """
    for part in alternatives(value):
        kind = part.cls.kind if isinstance(part, InstanceValue) else ""
        if isinstance(part, InstanceValue) and kind in ("plain", "dataclass"):
            name = part.cls.name
            raise CannotFix(f"`{name}` objects cannot leave a compiled program")


def is_shell(fn: Function, node: ast.expr) -> bool:
    """Is the expression the making of text, whose parts are what is handed out?"""
    parts = list(shown(fn, node)) if not isinstance(node, ast.Starred) else []
    return isinstance(node, ast.Starred) or parts != [node]


def rebuilt(node: ast.AST, new: dict[int, ast.expr]) -> ast.AST:
    """`node` with some of its parts exchanged; parts that do not change stay."""
    if id(node) in new:
        return new[id(node)]
    if not any(id(n) in new for n in ast.walk(node)):
        return node
    parts: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            items: list[object] = value
            parts[name] = [
                rebuilt(v, new) if isinstance(v, ast.AST) else v for v in items
            ]
        else:
            parts[name] = rebuilt(value, new) if isinstance(value, ast.AST) else value
    return type(node)(**parts)


__all__ = ["decided_by", "printed", "replacement"]
