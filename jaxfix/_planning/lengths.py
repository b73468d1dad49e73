"""Arrays that get longer or shorter: what a loop carries, or a branch gives, may not.

The length of an array is a sum: of the lengths that its parts had where the block
begins, and of numbers. Every part is at least one long. What is not seen is not known,
and nothing is said of it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from jaxfix._analysis.facts import Function
from jaxfix._analysis.jax_api import lookup
from jaxfix._analysis.scopes import reads, writes
from jaxfix._analysis.values import SCALAR, Array, Const

# How often each part is in a length; the numbers are those of the part "".
Length = Counter[str]

_JOINING = frozenset(
    f"jax.numpy.{name}" for name in ("append", "concatenate", "hstack", "vstack")
)
# What they join may be one row, whatever its length is.
_BY_ROWS = frozenset({"jax.numpy.vstack", "jax.numpy.append"})
_ELEMENTWISE = frozenset({"same", "float", "bool", "int"})


def changed_length(
    fn: Function, body: Sequence[ast.stmt], carried: Sequence[str]
) -> str | None:
    """The first name that a round of a loop certainly leaves longer or shorter."""
    after = _Lengths(fn).run(body)
    return next((n for n in carried if _differ(after.of(n), _whole(n))), None)


def differ(
    fn: Function, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], name: str
) -> bool:
    """Has a name certainly one length after one branch and another after the other?"""
    first, second = _Lengths(fn).run(body), _Lengths(fn).run(orelse)
    return _differ(first.of(name), second.of(name))


def results_differ(
    fn: Function, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
) -> bool:
    """Do two blocks certainly return values of different lengths?"""
    found: list[Length | None] = []
    for block in (body, orelse):
        match block:
            case [*before, ast.Return(value=ast.expr() as value)]:
                found.append(_Lengths(fn).run(before).length(value))
            case _:
                return False
    return _differ(*found)


def counts_rounds(loop: ast.For) -> bool:
    """Is something in a loop as long as its variables say: `range(k)`, `row[:k]`?"""
    nodes = [node for stmt in loop.body for node in ast.walk(stmt)]
    inner = [(n.target, n.iter) for n in nodes if isinstance(n, ast.For)]
    steps = [(n, n) for n in nodes if isinstance(n, ast.Assign | ast.AugAssign)]
    changing: set[str] = set()
    found = set(writes(loop.target))
    while found - changing:
        changing |= found
        found = {
            name
            for target, source in (*inner, *steps)
            if changing & set(reads(source))
            for name in writes(target)
        }
    counts = [
        node if isinstance(node, ast.Slice) else node.iter
        for node in nodes
        if isinstance(node, ast.For | ast.comprehension | ast.Slice)
    ]
    return any(changing & set(reads(node)) for node in counts)


def _whole(name: str) -> Length:
    return Counter({name: 1})


def _differ(a: Length | None, b: Length | None) -> bool:
    if a is None or b is None:
        return False
    counts = [a[part] - b[part] for part in {*a, *b}]
    return any(counts) and (min(counts) >= 0 or max(counts) <= 0)


@dataclass(slots=True)
class _Lengths:
    fn: Function
    known: dict[str, Length | None] = field(default_factory=dict)
    unseen: int = 0

    def of(self, name: str) -> Length | None:
        return self.known.get(name, _whole(name))

    def run(self, block: Sequence[ast.stmt]) -> _Lengths:
        for stmt in block:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.known[name] = self.length(value)
                case ast.Assign(
                    targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)
                ) if len(names) == len(values) and all(
                    isinstance(n, ast.Name) for n in names
                ):
                    found = [self.length(v) for v in values]
                    for target, length in zip(names, found, strict=True):
                        assert isinstance(target, ast.Name), "all of them are"
                        self.known[target.id] = length
                case _:
                    self.known |= dict.fromkeys(writes([stmt]))
        return self

    def length(self, node: ast.expr) -> Length | None:
        match node:
            case ast.Name(id=name):
                return None if self._is_scalar(node) else self.of(name)
            case ast.UnaryOp(operand=operand):
                return self.length(operand)
            case ast.BinOp(left=left, right=right) if not isinstance(
                node.op, ast.MatMult
            ):
                return self._elementwise([left, right])
            case ast.Subscript(value=base, slice=ast.Slice() as piece):
                return self._sliced(self.length(base), piece)
            case ast.Call():
                return self._made(node)
            case _:
                return None

    def _is_scalar(self, node: ast.expr) -> bool:
        value = self.fn.value(node)
        return isinstance(value, Const) or (
            isinstance(value, Array) and value.shape == SCALAR
        )

    def _elementwise(self, parts: Sequence[ast.expr]) -> Length | None:
        lengths = [self.length(p) for p in parts if not self._is_scalar(p)]
        same = bool(lengths) and all(x == lengths[0] for x in lengths)
        return lengths[0] if same else None

    def _sliced(self, whole: Length | None, piece: ast.Slice) -> Length | None:
        """Of `x[1:]`, `x[:-1]` and `x[::2]`, which leave something away."""
        lower, upper, step = (
            self._number(p) for p in (piece.lower, piece.upper, piece.step)
        )
        if whole is None or None in (lower, upper, step):
            return None
        assert lower is not None and upper is not None, "None of them is missing"
        if lower < 0 or upper > 0:
            return None
        fewer = lower - upper
        if step in (0, 1, -1) and not fewer:
            return Counter(whole)
        if step not in (0, 1):
            return None if fewer else Counter({**whole, self._part(): -1})
        return Counter({**whole, "": whole[""] - fewer})

    def _number(self, node: ast.expr | None) -> int | None:
        if node is None:
            return 0
        value = self.fn.value(node)
        known = value.value if isinstance(value, Const) else None
        return known if isinstance(known, int) else None

    def _part(self) -> str:
        """A name for a length that is not seen."""
        self.unseen += 1
        return f"?{self.unseen}"

    def _made(self, node: ast.Call) -> Length | None:
        name = self.fn.library(node)
        match node.func, node.args:
            case ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(value=base, attr="at"))
            ), [_] if name is None:
                return self.length(base)
            case ast.Attribute(value=base, attr="astype" | "copy"), _ if name is None:
                return self.length(base)
            case _, [base, count] if name in ("jax.numpy.repeat", "jax.numpy.tile"):
                whole, times = self.length(base), self._number(count)
                if whole is None or times is None or times < 1 or node.keywords:
                    return None
                return Counter({part: n * times for part, n in whole.items()})
            case _, [base, width, *_] if name == "jax.numpy.pad":
                whole, added = self.length(base), self._number(width)
                if whole is None or added is None:
                    return None
                return Counter({**whole, "": whole[""] + 2 * added})
        if name in _JOINING:
            return self._joined(name, node)
        api = lookup(name or "")
        if api is not None and api.result in _ELEMENTWISE and api.cheap:
            return self._elementwise(node.args)
        return None

    def _joined(self, name: str, node: ast.Call) -> Length | None:
        match node.args:
            case [ast.List(elts=parts) | ast.Tuple(elts=parts)]:
                pass
            case [*parts] if name == "jax.numpy.append":
                pass
            case _:
                return None
        if any(isinstance(p, ast.Starred) for p in parts):
            return None
        total: Length = Counter()
        for part in parts:
            seen = isinstance(part, ast.Name) or name not in _BY_ROWS
            found = self.length(part) if seen else None
            total.update(found or {self._part(): 1})
        return total
