"""Conditions: `and`, `or`, `not`, chained comparisons and `in` as array operations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.definitions import resolved
from jaxfix._analysis.effects import obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import (
    BoundValue,
    FunctionValue,
    InstanceValue,
    PartialValue,
    TransformedValue,
)
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    alternatives,
    holds_tracer,
    is_static,
)

from . import sequences

# How a dotted jax name is spelled in the file: "jax.numpy.where" → "jnp.where".
Spell = Callable[[str], str]
# Of a test and two values, the choice between them.
Choose = Callable[[ast.expr, ast.expr, ast.expr], ast.expr]


def is_bool(value: Value | None) -> bool:
    """Is it certainly a bool, so that `&`, `|` and `~` are logical?"""
    match value:
        case Array(dtype=dtype):
            return dtype is not None and dtype.kind == "b"
        case Const():
            return isinstance(value.value, bool)
        case Static():
            return value.type == "bool"
        case Union():
            return all(is_bool(o) for o in value.options)
        case _:
            return False


def is_traced_bool(fn: Function, node: ast.expr) -> bool:
    """A traced bool array, of which `~` is logical not."""
    if build.is_new(node):
        return bool(getattr(node, "is_bool_array", False))
    value = fn.value(node)
    found = as_array(value) if value is not None else None
    return found is not None and found.traced and is_bool(value)


def marked(node: ast.expr) -> ast.expr:
    """Note on a new node that it is a bool array."""
    node.is_bool_array = True  # type: ignore[attr-defined]
    return node


def condition(fn: Function, spell: Spell, node: ast.expr) -> ast.expr:
    """`node` as a condition on arrays. Original parts keep their own edits."""
    if not build.is_new(node):
        return node
    match node:
        case ast.BoolOp(op=op, values=values):
            parts = [condition(fn, spell, v) for v in values]
            return junction(fn, spell, op, parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negation(fn, spell, condition(fn, spell, operand))
        case _:
            return node


def junction(
    fn: Function, spell: Spell, op: ast.boolop, parts: list[ast.expr]
) -> ast.expr:
    """`a & b & c`, or `jnp.logical_and` where a part may not be a bool array."""
    is_and = isinstance(op, ast.And)
    out = parts[0]
    for part in parts[1:]:
        if operable(fn, out) and operable(fn, part):
            operator: ast.operator = ast.BitAnd() if is_and else ast.BitOr()
            out = marked(ast.BinOp(out, operator, part))
        else:
            name = "jax.numpy.logical_and" if is_and else "jax.numpy.logical_or"
            out = marked(build.call(spell(name), out, part))
    return out


def operable(fn: Function, node: ast.expr) -> bool:
    """May the node stand beside `&`? A bool, traced or not, may."""
    if build.is_new(node):
        return bool(getattr(node, "is_bool_array", False))
    return is_bool(fn.value(node))


NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def negation(fn: Function, spell: Spell, node: ast.expr) -> ast.expr:
    """`not node`; a comparison is turned round where NaN cannot make a difference."""
    match node:
        case ast.UnaryOp(op=ast.Invert(), operand=operand) if build.is_new(node):
            return operand
        case ast.Compare(left=left, ops=[op], comparators=[right]) if (
            type(op) in NEGATED
        ):
            sides = (fn.value(left), fn.value(right))
            if any(isinstance(side, InstanceValue) for side in sides):
                pass  # their classes say what each operator means
            elif isinstance(op, ast.Eq | ast.NotEq) or (
                integral(fn, left) and integral(fn, right)
            ):
                turned = ast.Compare(left, [NEGATED[type(op)]()], [right])
                return marked(turned)
    if is_traced_bool(fn, node):
        return marked(ast.UnaryOp(ast.Invert(), node))
    return marked(build.call(spell("jax.numpy.logical_not"), node))


def positive(fn: Function, node: ast.expr) -> ast.expr | None:
    """`c` of the test `not c`, where `c` is certainly a bool; None for other tests."""
    match node:
        case ast.UnaryOp(op=ast.Not() | ast.Invert() as op, operand=operand):
            # `~` of Python's True is -2.
            certain = is_traced_bool if isinstance(op, ast.Invert) else operable
            return operand if build.is_new(node) or certain(fn, operand) else None
        case ast.Call(func=ast.Attribute(attr="logical_not"), args=[operand]) if (
            build.is_new(node)
        ):
            is_flag = build.is_new(operand) and isinstance(operand, ast.Name)
            return operand if is_flag or operable(fn, operand) else None
        case ast.Call(args=[operand], keywords=[]) if fn.library(
            node
        ) == "jax.numpy.logical_not" and operable(fn, operand):
            return operand
        case _:
            return None


def integral(fn: Function, node: ast.expr) -> bool:
    """Is it certainly an integer (so that no comparison with it is with NaN)?"""
    for option in alternatives(fn.value(node) or Static("?")):
        found = as_array(option)
        if found is None or found.dtype is None or found.dtype.kind not in ("i", "b"):
            return False
    return True


def chained(fn: Function, spell: Spell, node: ast.Compare) -> ast.expr:
    """`a < b < c` as `(a < b) & (b < c)`. The caller sees to it that b is cheap."""
    parts: list[ast.expr] = []
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        parts.append(comparison(fn, spell, left, op, right))
        left = right
    return junction(fn, spell, ast.And(), parts)


def comparison(
    fn: Function, spell: Spell, left: ast.expr, op: ast.cmpop, right: ast.expr
) -> ast.expr:
    if isinstance(op, ast.In | ast.NotIn):
        return membership(fn, spell, left, op, right)
    if any(sequences.is_compared_by_parts(fn, side) for side in (left, right)):
        if not isinstance(op, ast.Eq | ast.NotEq):
            raise CannotFix("two sequences are ordered, by the first parts that differ")
        return tuple_equality(fn, spell, left, op, right)
    made = ast.Compare(left, [op], [right])
    values = [sequences.known(fn, left), sequences.known(fn, right)]
    if any(v is not None and holds_tracer(v) is not None for v in values):
        return marked(made)
    made.is_bool_array = all(  # type: ignore[attr-defined]
        v is not None and is_static(v) and not isinstance(v, Seq) for v in values
    )
    return made


def tuple_equality(
    fn: Function, spell: Spell, left: ast.expr, op: ast.cmpop, right: ast.expr
) -> ast.expr:
    """`(a, b) == (c, d)`, element by element."""
    inner = ast.Eq() if isinstance(op, ast.Eq) else ast.NotEq()
    parts = [
        comparison(fn, spell, a, inner, b) for a, b in sequences.pairs(fn, left, right)
    ]
    if not parts:
        raise CannotFix("two empty sequences are compared")
    joined: ast.boolop = ast.And() if isinstance(op, ast.Eq) else ast.Or()
    return junction(fn, spell, joined, parts)


def sequence_among(
    fn: Function, spell: Spell, left: ast.expr, positive: bool, right: ast.expr
) -> ast.expr:
    """`(a, b) in ((c, d), (e, f))`: each in turn, or as the rows of an array."""
    entries = sequences.entries(fn, left, right)
    if not entries:
        raise CannotFix("the container of `in` is empty")
    if len(entries) <= sequences.FEW:
        op: ast.cmpop = ast.Eq() if positive else ast.NotEq()
        parts = [tuple_equality(fn, spell, left, op, entry) for entry in entries]
        return junction(fn, spell, ast.Or() if positive else ast.And(), parts)
    if not sequences.are_rows(fn, left, entries):
        raise CannotFix("the entries are not known to be of numbers of one kind")
    rows = build.call(spell("jax.numpy.array"), right)
    row = build.call(spell("jax.numpy.array"), left)
    equal = build.call(
        spell("jax.numpy.all"),
        ast.Compare(rows, [ast.Eq()], [row]),
        axis=build.const(1),
    )
    found = marked(build.call(spell("jax.numpy.any"), equal))
    return found if positive else negation(fn, spell, found)


def membership(
    fn: Function, spell: Spell, left: ast.expr, op: ast.cmpop, right: ast.expr
) -> ast.expr:
    """`x in (1, 2)` and `x in array`."""
    positive = isinstance(op, ast.In)
    if sequences.is_compared_by_parts(fn, left):
        return sequence_among(fn, spell, left, positive, right)
    written = right.elts if isinstance(right, ast.Tuple | ast.List | ast.Set) else []
    starred = any(isinstance(e, ast.Starred) for e in written)
    if 0 < len(written) <= 3 and not starred:
        test: ast.cmpop = ast.Eq() if positive else ast.NotEq()
        parts = [marked(ast.Compare(left, [test], [e])) for e in written]
        return junction(fn, spell, ast.Or() if positive else ast.And(), parts)
    value = fn.value(right)
    if written:
        container: ast.expr = build.call(
            spell("jax.numpy.array"), ast.List(list(written), ast.Load())
        )
        test_node: ast.expr = build.call(spell("jax.numpy.isin"), left, container)
    elif isinstance(value, Array):
        hit = ast.Compare(right, [ast.Eq()], [left])
        test_node = build.call(spell("jax.numpy.any"), hit)
    elif isinstance(value, Seq) and value.kind in ("tuple", "list") and value.items:
        container = build.call(spell("jax.numpy.array"), right)
        test_node = build.call(spell("jax.numpy.isin"), left, container)
    elif isinstance(value, Dict) and value.items:
        keys = build.call(build.load("list"), right)
        container = build.call(spell("jax.numpy.array"), keys)
        test_node = build.call(spell("jax.numpy.isin"), left, container)
    elif isinstance(right, ast.Call) and fn.library(right) == "range":
        test_node = in_range(fn, spell, left, right)
    else:
        raise CannotFix("the container of `in` is not known to be an array or a tuple")
    marked(test_node)
    return test_node if positive else negation(fn, spell, test_node)


def in_range(fn: Function, spell: Spell, left: ast.expr, right: ast.Call) -> ast.expr:
    """`i in range(a, b)` as `(i >= a) & (i < b)`; of what may be no integer, `isin`."""
    bounds = [build.const(0), *right.args] if len(right.args) == 1 else right.args
    if len(bounds) == 2 and all(integral(fn, side) for side in (left, *right.args)):
        low = marked(ast.Compare(left, [ast.GtE()], [bounds[0]]))
        high = marked(ast.Compare(left, [ast.Lt()], [bounds[1]]))
        return junction(fn, spell, ast.And(), [low, high])
    if any(fn.tracer(bound) is not None for bound in right.args):
        raise CannotFix("the range has a traced bound")
    numbers = build.call(spell("jax.numpy.arange"), *right.args)
    return build.call(spell("jax.numpy.isin"), left, numbers)


# --- original nodes that force the truth of a tracer


def forced_operand(fn: Function, node: ast.expr) -> ast.expr | None:
    """The traced operand whose truth a boolean expression asks for; None if none."""
    match node:
        case ast.BoolOp(values=values):
            return next((v for v in values[:-1] if fn.tracer(v) is not None), None)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand if fn.tracer(operand) is not None else None
        case ast.Compare(left=left, ops=ops, comparators=rights):
            if any(isinstance(op, ast.In | ast.NotIn) for op in ops):
                return node if fn.tracer(node) is not None else None
            if len(ops) == 1:
                if not all(
                    sequences.is_compared_by_parts(fn, side) for side in (left, *rights)
                ):
                    return None
                return node if fn.tracer(node) is not None else None
            if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                return None
            first = [left, *rights[:-1]]
            forced = next((v for v in first if fn.tracer(v) is not None), None)
            if forced is None and any(holds_assumed(fn, v) for v in first):
                return node if fn.tracer(node) is not None else None
            return forced
        case _:
            return None


def holds_assumed(fn: Function, node: ast.expr) -> bool:
    """May it be a tracer, as the argument of a jitted function that nobody calls?"""
    value = fn.value(node)
    found = holds_tracer(value) if value is not None else None
    return found is not None and found.assumed


def check_traced(fn: Function, test: ast.expr) -> None:
    """Is a condition a tracer whenever it is asked, or a Python bool in every case?

    What a function gives may be either, by a test that cannot be decided here. Then it
    is not known that the code fails, and what it decides may have to stay Python.

    Raises:
      CannotFix: it may be either, or None.
    """
    if may_be_none(fn, test):
        raise CannotFix(f"`{ast.unparse(test)}` may be None as well")
    match test:
        case ast.BoolOp(values=parts):
            # In `y or 2.0` a None takes the other value (`pick`).
            chosen = () if in_condition(fn, test) else parts[:-1]
            for part in parts:
                if part not in chosen or not may_be_none(fn, part):
                    check_traced(fn, part)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            check_traced(fn, operand)
        case ast.Call() if fn.library(test) in ("all", "any"):
            return  # of comparisons, each of which may be either as well
        case ast.Call() | ast.Name() if isinstance(resolved(fn, test), ast.Call):
            known = fn.value(test)
            options = alternatives(known) if known is not None else ()
            is_static = any(isinstance(o, Const | Static) for o in options)
            is_traced = any(isinstance(o, Array) and o.traced for o in options)
            if is_static and is_traced and not has_rounds_alone(fn, test):
                text = ast.unparse(test)
                raise CannotFix(f"`{text}` may be a Python bool as well")


def has_rounds_alone(fn: Function, test: ast.expr) -> bool:
    """Is it static only where the loops of what gives it run no round?"""
    call = resolved(fn, test)
    callees = fn.callees(call) if isinstance(call, ast.Call) else ()
    decides = ast.If | ast.IfExp | ast.Match | ast.Try | ast.While
    for callee in callees:
        if not isinstance(callee, FunctionValue):
            return False
        parts = [*ast.walk(callee.node)]
        returns = [part for part in parts if isinstance(part, ast.Return)]
        if len(returns) != 1 or any(isinstance(part, decides) for part in parts):
            return False
        if not any(isinstance(part, ast.For) for part in parts):
            return False
    return bool(callees)


def may_be_none(fn: Function, node: ast.expr) -> bool:
    """Is a place a tracer or None, by how the function is called?"""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return False
    known = fn.value(node)
    options = alternatives(known) if known is not None else ()
    return len(options) > 1 and Const(None) in options


def check_effects(fn: Function, node: ast.expr) -> None:
    """Both sides will be evaluated: the right ones must be pure and defined, and those
    between two comparisons, which are written twice, must be pure.

    Raises:
      CannotFix: an operand that Python may skip, or evaluates once, has an effect.
    """

    skipped: list[ast.expr] = []
    match node:
        case ast.BoolOp(values=values):
            skipped = values[1:]
        case ast.Compare(comparators=rights) if len(rights) > 1:
            check_twice(fn, rights[:-1])
            skipped = rights[1:]
    for operand in skipped:
        bound = {n.target.id for n in ast.walk(operand) if isinstance(n, ast.NamedExpr)}
        stmt = next(a for a in fn.module.ancestors(node) if isinstance(a, ast.stmt))
        if bound and (not isinstance(stmt, ast.If) or bound & needed_before(fn, stmt)):
            raise CannotFix("an operand that Python may skip binds a name")
        if any(prints(fn, n) for n in ast.walk(operand)):
            raise CannotFix("an operand that Python may skip prints")
        if (why := obstacle(fn, operand)) is not None:
            raise CannotFix(f"an operand that Python may skip has effects: {why}")
        for part in ast.walk(operand):
            if may_raise(fn, part):
                text = ast.unparse(part)
                raise CannotFix(f"an operand that Python may skip may raise: `{text}`")


def needed_before(fn: Function, stmt: ast.stmt) -> frozenset[str]:
    """The names of which a statement, or what follows, reads the value from before."""
    return fn.flow.live_in([stmt], fn.flow.live_after(stmt))


def check_twice(fn: Function, operands: Sequence[ast.expr]) -> None:
    """Does it make no difference that the operands are evaluated twice?

    Raises:
      CannotFix: one of them has an effect.
    """
    for operand in operands:
        text = ast.unparse(operand)
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(operand)):
            raise CannotFix(f"`{text}` is needed twice, and binds a name")
        if any(prints(fn, n) for n in ast.walk(operand)):
            raise CannotFix(f"`{text}` is needed twice, and prints; give it a name")
        if (why := obstacle(fn, operand)) is not None:
            raise CannotFix(f"`{text}` is needed twice, but {why}")


def may_raise(fn: Function, node: ast.AST) -> bool:
    """`x in y` raises where `y` is no container, and nothing is known of it."""
    match node:
        case ast.Compare(ops=ops, comparators=[*_, last]):
            is_membership = any(isinstance(op, ast.In | ast.NotIn) for op in ops)
            return is_membership and isinstance(fn.value(last) or Unknown(), Unknown)
        case _:
            return False


def prints(fn: Function, node: ast.AST, seen: set[int] | None = None) -> bool:
    """Is it a call that prints, or of a function of the project that does?"""
    if not isinstance(node, ast.Call):
        return False
    name = fn.library(node) or ""
    if name == "print" or name.startswith("jax.debug."):
        return True
    seen = set() if seen is None else seen
    for callee in fn.callees(node):
        while isinstance(callee, BoundValue | PartialValue | TransformedValue):
            callee = callee.function
        if not isinstance(callee, FunctionValue) or id(callee.node) in seen:
            continue
        seen.add(id(callee.node))
        inner = fn.facts.function(callee.node)
        if inner is not None and any(prints(inner, n, seen) for n in inner.walk()):
            return True
    return False


def in_condition(fn: Function, node: ast.expr) -> bool:
    """Is only the truth of the expression used?"""
    parent = fn.module.parent(node)
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is node
        case ast.Assert(test=test):
            return test is node
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp():
            return in_condition(fn, parent)
        case _:
            return False


def rewritten(fn: Function, spell: Spell, node: ast.expr, choose: Choose) -> ast.expr:
    """A boolean expression on traced values as array operations."""
    match node:
        case ast.UnaryOp(operand=operand):
            return negation(fn, spell, operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return comparison(fn, spell, left, op, right)
        case ast.Compare():
            return chained(fn, spell, node)
        case ast.BoolOp():
            if in_condition(fn, node) or all(is_bool(fn.value(v)) for v in node.values):
                return truth_of(fn, spell, node)
            return picked(fn, spell, node, choose)
        case _:
            raise CannotFix("not a boolean expression")


def truth_of(fn: Function, spell: Spell, node: ast.BoolOp) -> ast.expr:
    """Static operands that come first keep Python's short circuit."""
    values = list(node.values)
    leading: list[ast.expr] = []
    while values and fn.static(values[0]):
        leading.append(values.pop(0))
    for value in values:
        if fn.static(value) and not is_bool(fn.value(value)):
            raise CannotFix(
                f"`{ast.unparse(value)}` is no bool and comes after a tracer"
            )
    rest = junction(fn, spell, node.op, values)
    if not leading:
        return rest
    return ast.BoolOp(node.op, [*leading, rest])


def picked(fn: Function, spell: Spell, node: ast.BoolOp, choose: Choose) -> ast.expr:
    """`a or b`, `a and b` used as a value: a choice by the truth of a."""
    is_or = isinstance(node.op, ast.Or)
    out = node.values[-1]
    for value in reversed(node.values[:-1]):
        if fn.static(value):
            out = ast.BoolOp(node.op, [value, out])
            continue
        if is_or and (parts := tests_and_value(fn, value)) is not None:
            tests, kept = parts
            both = ast.BoolOp(ast.And(), tests)
            test = truth_of(fn, spell, both) if len(tests) > 1 else tests[0]
            out = choose(test, kept, out)
            continue
        if not is_short(value):
            raise CannotFix("the first operand is long; give it a name")
        out = pick(fn, value, out, is_or, choose)
    return out


def is_short(node: ast.expr) -> bool:
    """May it be written twice?"""
    return sum(1 for _ in ast.walk(node)) <= 6


def tests_and_value(
    fn: Function, node: ast.expr
) -> tuple[list[ast.expr], ast.expr] | None:
    """Of `c and x` in `c and x or y`: all that must hold for x to be taken, and x."""
    match node:
        case ast.BoolOp(op=ast.And(), values=[*tests, last]) if is_short(last):
            known = fn.value(last)
        case _:
            return None
    if Const(None) in (alternatives(known) if known is not None else ()):
        return None
    if isinstance(known, Const) and isinstance(known.value, int | float):
        return (tests, last) if known.value else None
    return [*tests, last], last


def is_first_of_or(fn: Function, node: ast.expr) -> bool:
    """Is it the `c and x` of a `c and x or y` that is one choice?"""
    parent = fn.module.parent(node)
    return (
        isinstance(parent, ast.BoolOp)
        and isinstance(parent.op, ast.Or)
        and node is not parent.values[-1]
        and not in_condition(fn, parent)
        and tests_and_value(fn, node) is not None
        and forced_operand(fn, parent) is not None
    )


def pick(
    fn: Function, first: ast.expr, other: ast.expr, is_or: bool, choose: Choose
) -> ast.expr:
    known = fn.value(first)
    options = alternatives(known) if known is not None else ()
    made = choose(first, first, other) if is_or else choose(first, other, first)
    if Const(None) in options:
        is_none = ast.Compare(first, [ast.Is()], [build.const(None)])
        made = ast.IfExp(is_none, other if is_or else first, made)
    return made
