"""One of two expressions: `jnp.where`, `lax.cond` or a boolean operation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from dataclasses import dataclass, field

from jaxfix._analysis import build
from jaxfix._analysis.arguments import as_array
from jaxfix._analysis.declarations import is_pytree
from jaxfix._analysis.effects import FREE, NEITHER, Cost, cost, obstacle
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import InstanceValue, is_callable
from jaxfix._analysis.scopes import reads
from jaxfix._analysis.values import (
    BOOL,
    SCALAR,
    Array,
    Const,
    Seq,
    Shape,
    Static,
    Value,
    alternatives,
)

from .agree import Typed, agree, collapse, is_literal
from .booleans import Spell, condition, is_bool, marked, negation, positive
from .context import Types
from .merged import merged


@dataclass(slots=True)
class Choices:
    """Chooses between two expressions of one function, old or new."""

    fn: Function
    spell: Spell
    fresh: Callable[[str], str]
    keep: list[ast.AST] = field(default_factory=list)  # new nodes, kept alive

    def value(self, node: ast.expr, types: Types) -> Value | None:
        fact = getattr(node, "fact", None)
        if isinstance(fact, Value):
            return fact
        match node:
            case ast.Constant(value=value):
                return Const(value)
            case ast.Name(id=name) if name in types:
                return types[name]
            case ast.Tuple(elts=elts) if build.is_new(node):
                items = [self.value(e, types) for e in elts]
                if all(i is not None for i in items):
                    return Seq("tuple", tuple(i for i in items if i is not None))
                return None
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                if isinstance(value, int | float):
                    return Const(-value)
        if getattr(node, "is_bool_array", False):
            return Array(True, BOOL)
        return None if build.is_new(node) else self.fn.value(node)

    def cost(self, node: ast.expr) -> Cost:
        known = getattr(node, "cost", None)
        if isinstance(known, Cost):
            return known
        if build.is_new(node):
            total = FREE
            if isinstance(node, ast.Call):
                return NEITHER
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    total &= self.cost(child)
            if isinstance(node, ast.BinOp) and not isinstance(
                node.op,
                ast.Add | ast.Sub | ast.Mult | ast.BitAnd | ast.BitOr,
            ):
                return cost(self.fn, node) & total
            return total
        return cost(self.fn, node)

    def new(self, node: ast.expr, value: Value | None, price: Cost) -> ast.expr:
        """Note what is known of a new expression."""
        node.fact = value  # type: ignore[attr-defined]
        node.cost = price  # type: ignore[attr-defined]
        self.keep.append(node)
        return node

    def test(self, node: ast.expr) -> ast.expr:
        return condition(self.fn, self.spell, node)

    def select(
        self,
        test: ast.expr,
        test_value: Value | None,
        a: Typed,
        b: Typed,
        name: str,
        *,
        force_cond: bool = False,
    ) -> ast.expr:
        """`a if test else b` as `jnp.where` or `lax.cond`."""
        if same_expression(a.node, b.node) and not binds(test):
            return a.node
        if gives_anyway(test, a.node, b.node):
            return b.node
        self.check_bound(test, {*reads(a.node), *reads(b.node)})
        if (plain := positive(self.fn, test)) is not None:
            test, test_value, a, b = plain, self.value(plain, {}), b, a
        if (simple := boolean_choice(self, test, test_value, a, b)) is not None:
            return simple
        price = self.cost(a.node) & self.cost(b.node)
        if price.cheap and price.total and not force_cond and is_whereable(a, b, test):
            return self.where(test, test_value, a, b, name)
        check_objects(self.fn, name, a, b)
        first, second = agree(self.spell, name, a, b)
        for side in (first, second):
            if (why := obstacle(self.fn, side)) is not None:
                raise CannotFix(why)
        made = build.branching(
            self.spell("jax.lax.cond"),
            scalar_test(self.spell, test, test_value),
            build.thunk(first),
            build.thunk(second),
        )
        return self.new(made, merged(a.value, b.value), Cost(cheap=False))

    def check_bound(self, test: ast.expr, read: Set[str]) -> None:
        """What a condition binds is computed whatever it says.

        Raises:
          CannotFix: a value reads it, and its gradient may be NaN.
        """
        bound = [n for n in ast.walk(test) if isinstance(n, ast.NamedExpr)]
        for node in bound:
            if node.target.id in read and not self.cost(node.value).total:
                raise CannotFix(
                    f"the condition binds `{node.target.id}`, of which the gradient may"
                    " be NaN where the other value is taken; bind it before"
                )

    def where(
        self,
        test: ast.expr,
        test_value: Value | None,
        a: Typed,
        b: Typed,
        name: str,
    ) -> ast.expr:
        check_where(name, a, b)
        made = joined_choice(self, test, test_value, a, b)
        if made is None:
            made = build.branching(
                self.spell("jax.numpy.where"),
                scalar_test(self.spell, test, test_value),
                a.node,
                b.node,
            )
        return self.new(made, merged(a.value, b.value), FREE)

    def where_tuple(
        self, test: ast.expr, test_value: Value | None, a: Typed, b: Typed
    ) -> ast.expr | None:
        """`return p, q` in both branches: item by item where the test is a name."""
        if not (isinstance(a.node, ast.Tuple) and isinstance(b.node, ast.Tuple)):
            return None
        if len(a.node.elts) != len(b.node.elts) or not repeatable(test):
            return None
        items = []
        for x, y in zip(a.node.elts, b.node.elts, strict=True):
            price = self.cost(x) & self.cost(y)
            if not (price.cheap and price.total):
                return None
            one, two = Typed(x, self.value(x, {})), Typed(y, self.value(y, {}))
            if not is_whereable(one, two, test):
                return None
            items.append(
                self.select(test, test_value, one, two, "an item of the result")
            )
        return ast.Tuple(items, ast.Load())


def boolean_choice(
    choices: Choices,
    test: ast.expr,
    test_value: Value | None,
    a: Typed,
    b: Typed,
) -> ast.expr | None:
    """`True if test else False` is the test."""
    if not is_certain_bool(choices, Typed(test, test_value)):
        return None
    plain = scalar_test(choices.spell, test, test_value)
    match truth(a), truth(b):
        case True, False:
            return plain
        case False, True:
            return negation(choices.fn, choices.spell, plain)
        case _:
            return None


def joined_choice(
    choices: Choices,
    test: ast.expr,
    test_value: Value | None,
    a: Typed,
    b: Typed,
) -> ast.expr | None:
    """`True if test else b` is `test | b` of bools, `a if test else False` an `&`."""
    if not all(is_certain_bool(choices, t) for t in (Typed(test, test_value), a, b)):
        return None
    if binds(test):
        return None
    if truth(a) is False and same_expression(b.node, test):
        return build.const(False)
    if truth(b) is True and same_expression(a.node, test):
        return build.const(True)
    plain = scalar_test(choices.spell, test, test_value)
    if truth(a) is True or same_expression(a.node, test):
        return joined(plain, ast.BitOr(), b.node)
    if truth(b) is False or same_expression(b.node, test):
        return joined(plain, ast.BitAnd(), a.node)
    return None


def gives_anyway(test: ast.expr, kept: ast.expr, other: ast.expr) -> bool:
    """Does `other` give the name `kept` wherever the test holds?

    As `x` for `k == 0` in `jnp.where(k == 1, y, x)`: `k` is one number only.
    """
    if not isinstance(kept, ast.Name) or (asked := equality(test)) is None:
        return False
    while len(arms := build.arms(other)) == 2 and isinstance(other, ast.Call):
        inner = equality(other.args[0])
        if inner is None or inner[0] != asked[0] or inner[1] == asked[1]:
            return False
        other = arms[1]
    return same_expression(kept, other)


def equality(test: ast.expr) -> tuple[str, object] | None:
    """The name and the number of a test like `k == 0`."""
    match test:
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=int(number))],
        ):
            return name, number
        case _:
            return None


def joined(test: ast.expr, op: ast.operator, other: ast.expr) -> ast.expr:
    """`test | other`, a lone name first: `done | (x > 1)`."""
    is_late = isinstance(other, ast.Name)
    pair = (other, test) if is_late else (test, other)
    return marked(ast.BinOp(pair[0], op, pair[1]))


def truth(side: Typed) -> bool | None:
    """What a value is, if it is certainly True or False."""
    match side.node, side.value:
        case (ast.Constant(value=bool(known)), _) | (ast.Name(), Const(value=known)):
            return known if isinstance(known, bool) else None
        case _:
            return None


def is_certain_bool(choices: Choices, side: Typed) -> bool:
    value = side.value if side.value is not None else choices.value(side.node, {})
    return is_bool(value) or bool(getattr(side.node, "is_bool_array", False))


def is_whereable(a: Typed, b: Typed, test: ast.expr) -> bool:
    """Can `jnp.where` take the two values? Arrays and numbers only.

    A bare parameter may be a pytree; beside an array or a number it is an array, and
    where the test orders it.
    """
    bare = 0
    ordered = ordered_names(test)
    shapes: list[Shape] = []
    for side in (a, b):
        value = collapse(side.value)
        if isinstance(value, Static) and not value.type:
            # It is known while tracing: beside an array it is a number.
            bare += 1
            shapes.append(SCALAR)
            continue
        found = as_array(value) if value is not None else None
        if found is None or found.key:
            return False
        is_name = isinstance(side.node, ast.Name) and side.node.id in ordered
        bare += found.tree and found.assumed and not is_name
        shapes.append(found.shape)
    if is_literal(a.node) or is_literal(b.node):
        return True
    return bare < 2 and alike(*shapes)


def ordered_names(test: ast.expr) -> frozenset[str]:
    """The names that a condition compares by order: those of numbers and arrays.

    Also the one that is the condition.
    """
    if isinstance(test, ast.Name):
        return frozenset({test.id})
    orders = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    return frozenset(
        side.id
        for node in ast.walk(test)
        if isinstance(node, ast.Compare)
        and all(isinstance(o, orders) for o in node.ops)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Name)
    )


def alike(a: Shape, b: Shape) -> bool:
    """Are two shapes equal, as far as one can see? `where` would broadcast in silence.

    Parameters of which nothing is known are taken for numbers: a condition on them is
    only true or false if they are.
    """
    if a is None or b is None:
        return False
    return a == b or all(is_parameter(part) for part in a | b)


def is_parameter(part: object) -> bool:
    return isinstance(part, str) and part.startswith("?") and "[" not in part


def check_where(name: str, a: Typed, b: Typed) -> None:
    """`where` broadcasts; the shape of the result must not depend on the branch."""
    x, y = (
        as_array(collapse(a.value) or Const(0)),
        as_array(collapse(b.value) or Const(0)),
    )
    if (
        x is None
        or y is None
        or x.shape is None
        or y.shape is None
        or x.shape == y.shape
    ):
        return
    if is_literal(a.node) or is_literal(b.node) or alike(x.shape, y.shape):
        return
    raise CannotFix(f"the shape of {name} depends on the condition")


def check_objects(fn: Function, name: str, *sides: Typed) -> None:
    """Only pytrees of one structure can come out of a branch.

    Raises:
      CannotFix: a side is a function, or an object that is none, or of another class.
    """
    found = [o for s in sides if s.value is not None for o in alternatives(s.value)]
    for value in found:
        if is_callable(value):
            raise CannotFix(f"{name} is a function, which compiled code cannot choose")
        if isinstance(value, InstanceValue) and not is_pytree(fn.facts, value.cls):
            raise CannotFix(f"{name} is a `{value.cls.name}`, which is no pytree")
    classes = {o.cls.name for o in found if isinstance(o, InstanceValue)}
    numbers = any(isinstance(o, Array | Const) and not is_any(o) for o in found)
    if len(classes) + numbers > 1:
        raise CannotFix(f"{name} has another structure in one branch than in the other")


def is_any(value: Value) -> bool:
    """May it be any pytree? A bare parameter of a root may."""
    return isinstance(value, Array) and value.tree


def scalar_test(spell: Spell, test: ast.expr, value: Value | None) -> ast.expr:
    """The test as a scalar: one of shape (1,) is accepted by Python's `if`."""
    found = as_array(value) if value is not None else None
    if found is None or found.shape is None or not needs_reshape(found):
        return test
    made = build.call(spell("jax.numpy.reshape"), test, ast.Tuple([], ast.Load()))
    if getattr(test, "is_bool_array", False) or is_bool(value):
        marked(made)
    return made


def needs_reshape(found: Array) -> bool:
    """Is the shape of a test known not to be (), or made by a contraction?

    Or by a reduction that keeps its axes.
    """
    return any(
        isinstance(part, tuple) or "@" in part or ",True)" in part
        for part in found.shape or ()
    )


def same_expression(a: ast.expr, b: ast.expr) -> bool:
    return ast.dump(a) == ast.dump(b)


def binds(test: ast.expr) -> bool:
    """Does a condition bind a name, so that it has to be evaluated, and once?"""
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(test))


def repeatable(test: ast.expr) -> bool:
    """May a condition stand more than once? A name or a small comparison may."""
    nodes = [n for n in ast.walk(test) if not isinstance(n, ast.expr_context)]
    return not any(isinstance(n, ast.Call | ast.NamedExpr) for n in nodes) and (
        len(nodes) <= 4
    )
