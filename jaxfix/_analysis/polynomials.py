"""Integer expressions as polynomials, to compare and subtract bounds of slices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .definitions import definition, same, unchanged
from .jax_api import canonical
from .values import Const

if TYPE_CHECKING:
    from .facts import Function

# A product of atoms (spelled), sorted; the empty one is the constant term.
Monomial = tuple[str, ...]


class Polynomial:
    """A sum of products of atoms. `atoms` gives the node of each."""

    def __init__(
        self, terms: dict[Monomial, int], atoms: dict[str, ast.expr] | None = None
    ) -> None:
        self.terms = {m: n for m, n in terms.items() if n}
        self.atoms = atoms or {}

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, factor in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + factor
        return Polynomial(terms, self.atoms | other.atoms)

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -n for m, n in self.terms.items()}, self.atoms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for a, m in self.terms.items():
            for b, n in other.terms.items():
                key = tuple(sorted((*a, *b)))
                terms[key] = terms.get(key, 0) + m * n
        return Polynomial(terms, self.atoms | other.atoms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and other.terms == self.terms

    __hash__ = None  # type: ignore[assignment]

    @property
    def number(self) -> int | None:
        """The value, if it is a constant."""
        if not self.terms:
            return 0
        return self.terms.get(()) if set(self.terms) == {()} else None

    def expression(self) -> ast.expr:
        """The polynomial as new syntax."""
        out: ast.expr | None = None
        for monomial, factor in sorted(self.terms.items(), key=lambda t: -len(t[0])):
            term = self._term(monomial, abs(factor))
            if out is None:
                out = term if factor > 0 else ast.UnaryOp(ast.USub(), term)
            else:
                sign = ast.Add() if factor > 0 else ast.Sub()
                out = ast.BinOp(out, sign, term)
        return out if out is not None else ast.Constant(0)

    def _term(self, monomial: Monomial, factor: int) -> ast.expr:
        parts: list[ast.expr] = [self.atoms[name] for name in monomial]
        if factor != 1 or not parts:
            parts.insert(0, ast.Constant(factor))
        out = parts[0]
        for part in parts[1:]:
            out = ast.BinOp(out, ast.Mult(), part)
        return out


def polynomial(fn: Function, node: ast.expr, depth: int = 4) -> Polynomial:
    """An integer expression; what is not `+`, `-`, `*` of others is an atom."""
    match node:
        case ast.Constant(value=int(number)):
            return Polynomial({(): number})
        case ast.BinOp(left=left, op=op, right=right):
            a, b = polynomial(fn, left, depth), polynomial(fn, right, depth)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -polynomial(fn, operand, depth)
        case ast.Call(func=ast.Name(id="len"), args=[array]):
            # `len(x)` and `x.shape[0]` are one atom.
            name = f"{ast.unparse(array)}.shape[0]"
            return Polynomial({(name,): 1}, {name: node})
        case ast.Name() if depth:
            found = definition(fn, node)
            if (
                found is not None
                and isinstance(found[1], ast.BinOp | ast.UnaryOp)
                and unchanged(fn, found[1], found[0], node)
            ):
                return polynomial(fn, found[1], depth - 1)
            if found is not None and isinstance(found[1], ast.Constant):
                return polynomial(fn, found[1], depth - 1)
    text = ast.unparse(node)
    return Polynomial({(text,): 1}, {text: node})


def static_difference(
    fn: Function, upper: ast.expr, lower: ast.expr
) -> ast.expr | None:
    """`upper - lower`, if it is known while tracing although they are not."""
    rest = polynomial(fn, upper) - polynomial(fn, lower)
    if not all(fn.static(rest.atoms[name]) for term in rest.terms for name in term):
        return None
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add):
        for one, other in ((upper.left, upper.right), (upper.right, upper.left)):
            if same(one, lower):
                return other
    return rest.expression()


def counted_range(fn: Function, node: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """`jnp.arange(start, start + n)` with a static n: the start and n."""
    name = canonical(fn.library(node) or "")
    if name not in ("jax.numpy.arange", "numpy.arange") or node.keywords:
        return None
    if len(node.args) == 3 and fn.value(node.args[2]) != Const(1):
        return None
    if len(node.args) not in (2, 3) or not any(fn.traced(a) for a in node.args[:2]):
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    start, stop = node.args[:2]
    count = static_difference(fn, stop, start)
    return (start, count) if count is not None else None
