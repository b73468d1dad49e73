"""The lattice of abstract values that the interpreter computes with.

A value says what is known of a Python object *while JAX traces*: is it a tracer or a
concrete Python object, what dtype and shape it has, what its parts are. Every value
carries `why`, the last step of the reason chain that led to it; `why` takes no part in
equality, so a fixed point is a fixed point of facts and not of explanations.

Dtypes and shapes are symbolic. Of an argument `x` of a jitted function we do not know
the dtype, but we do know that `x * 2.0` has "the dtype of x, made inexact by a weak
float"; two branches agree if their symbolic dtypes are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, dataclass_transform

from .finding import Evidence

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def plain(*, eq: bool = True) -> Callable[[type[T]], type[T]]:
    """A frozen dataclass, as type checkers see it.

    At run time the guard is left out: it makes construction several times as slow, and
    a run makes millions of values.
    """
    return dataclass(slots=True, eq=eq, unsafe_hash=eq)


class _Names(dict[type[Any], tuple[str, ...]]):
    """The names of the fields of a dataclass."""

    def __missing__(self, kind: type[Any]) -> tuple[str, ...]:
        names = self[kind] = tuple(one.name for one in fields(kind))
        return names


_NAMES = _Names()


def replace(value: T, **changed: Any) -> T:
    """`dataclasses.replace` for values, which have no initialisation of their own."""
    kind = type(value)
    made = kind.__new__(kind)
    put = object.__setattr__
    for name in _NAMES[kind]:
        put(made, name, getattr(value, name))
    for name, new in changed.items():
        put(made, name, new)
    return made


# Weak kinds, in the order of JAX's promotion lattice.
STRONG, WEAK_BOOL, WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX = range(5)


@plain()
class DType:
    """A symbolic dtype: the promotion of `strong` symbols with one weak kind.

    `strong` holds names of NumPy dtypes (`"float32"`, `"int32"`, `"bool"`, ...), the
    two default dtypes `"float"` and `"int"` (32 bits, 64 under x64), or `"?name"` for
    the dtype of a value that we cannot see. An empty `strong` is a weak type: a Python
    scalar or arithmetic of Python scalars.
    """

    strong: frozenset[str]
    weak: int = STRONG

    @property
    def kind(self) -> str | None:
        """`"b"`, `"i"`, `"f"` or `"c"` where it is certain, else None."""
        kinds = {kind_of(name) for name in self.strong}
        order = "bifc"
        weak = self.weak - 1
        if None in kinds:
            return "c" if "c" in kinds or self.weak == WEAK_COMPLEX else None
        best = max([weak, *(order.index(k) for k in kinds if k)], default=-1)
        return order[best] if best >= 0 else None

    @property
    def is_weak(self) -> bool:
        return not self.strong


@cache
def kind_of(name: str) -> str | None:
    """The kind of a dtype symbol: `"float32"` → `"f"`; None for `"?x"`."""
    if name.startswith("?"):
        return "f" if name.startswith("?f") else None
    if name == "bool":
        return "b"
    if name.startswith(("int", "uint")):
        return "i"
    if name.startswith("complex"):
        return "c"
    return "f"


def strong(name: str) -> DType:
    return DType(frozenset({name}))


WEAK = {
    bool: DType(frozenset(), WEAK_BOOL),
    int: DType(frozenset(), WEAK_INT),
    float: DType(frozenset(), WEAK_FLOAT),
    complex: DType(frozenset(), WEAK_COMPLEX),
}
BOOL = strong("bool")
INT = strong("int")
FLOAT = strong("float")


@cache
def promote(*dtypes: DType | None) -> DType | None:
    """The dtype of an elementwise operation on values of these dtypes.

    As in JAX, a weak kind above that of the strong dtypes wins over them and stays weak
    (`int32_array * 2.0` is a weak float), and a Python bool is as strong as an array's.
    """
    names: set[str] = set()
    weak = STRONG
    for dtype in dtypes:
        if dtype is None:
            return None
        names |= dtype.strong
        weak = max(weak, dtype.weak)
    if weak == WEAK_BOOL:
        names.add("bool")
        weak = STRONG
    kinds = {kind_of(name) for name in names}
    if weak and any(kind and "bifc".index(kind) >= weak - 1 for kind in kinds):
        weak = STRONG
    floating = bool(kinds & {"f", "c"}) or weak >= WEAK_FLOAT
    if floating:
        names = {name for name in names if kind_of(name) not in ("b", "i")}
    elif len(names) > 1 or weak:
        names.discard("bool")
    return DType(frozenset(names), weak)


def inexact(dtype: DType | None) -> DType | None:
    """The dtype of `/`, `sqrt`, `exp`, ... of values of this dtype.

    Booleans and integers of up to 32 bits become float32, also under x64; the default
    integer becomes the default float. Of an unknown dtype it is "that, made
    inexact", the same as its product with a Python float (they differ for int32 arrays
    under x64).
    """
    joined = promote(dtype)
    if joined is not None and joined.strong and joined.kind in ("b", "i"):
        wide = {"int", "uint", "int64", "uint64"} & joined.strong
        return FLOAT if wide else strong("float32")
    return promote(joined, WEAK[float])


# A shape is the set of shapes that broadcast to it: symbols ("?x") and tuples of ints.
# The empty set is a scalar; None is unknown.
Shape = frozenset[Any] | None
SCALAR: Shape = frozenset()


def shape(*dims: int | str) -> Shape:
    """The symbolic shape of an array with these dimensions."""
    return frozenset({dims}) if dims else SCALAR


def broadcast(*shapes: Shape) -> Shape:
    """The shape of an elementwise operation; known shapes are worked out."""
    out: set[Any] = set()
    known: tuple[int, ...] | None = ()
    for one in shapes:
        if one is None:
            return None
        for dims in one:
            if isinstance(dims, tuple) and all(isinstance(n, int) for n in dims):
                known = _broadcast_dims(known, dims) if known is not None else None
            else:
                out.add(dims)
    if known is None:
        return None
    return frozenset(out | {known}) if known else frozenset(out)


def _broadcast_dims(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    dims = []
    for m, n in pairs:
        if m != n and 1 not in (m, n):
            return None
        dims.append(n if m == 1 else m)
    return tuple(dims)


@plain()
class Why:
    """A reason: one sentence about one line, and the reasons before it."""

    evidence: Evidence
    before: Why | None = None

    def chain(self) -> tuple[Evidence, ...]:
        steps: list[Evidence] = []
        step: Why | None = self
        while step is not None:
            if step.evidence not in steps:
                steps.append(step.evidence)
            step = step.before
        return tuple(steps)


@plain()
class Value:
    """Base of all abstract values."""

    why: Why | None = field(default=None, compare=False, repr=False, kw_only=True)

    def joined(self, other: Value) -> Value | None:
        """What covers both as one value, where the type has such a one."""
        return None


@plain()
class Unknown(Value):
    """Nothing is known. Never gives a finding, and no fix relies on it."""


@plain(eq=False)
class Const(Value):
    """A Python object whose exact value is known: number, string, None or tuple."""

    value: Any

    def __hash__(self) -> int:
        kind = type(self.value)
        if kind in _EQUAL_AS_WRITTEN:
            return hash(self.value)
        return hash((kind.__name__, repr(self.value)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Const):
            return False
        kind = type(self.value)
        if type(other.value) is not kind:
            return False
        if kind in _EQUAL_AS_WRITTEN:
            return bool(self.value == other.value)
        return repr(other.value) == repr(self.value)


# Types whose objects are equal if and only if they are written alike.
_EQUAL_AS_WRITTEN = frozenset({int, bool, str, bytes, type(None)})


@plain()
class Static(Value):
    """A Python object that exists while JAX traces; its value is not known to us.

    `type` is `"int"`, `"float"`, `"bool"`, `"str"`, `"dtype"`, `"shape"`, ... or `""`.
    """

    type: str = ""


@plain()
class Array(Value):
    """An array or a scalar that takes part in array arithmetic.

    `traced` says that it is a tracer; otherwise it is concrete (NumPy, or a jax.Array
    outside of a trace). `host` says that a concrete one is a NumPy array.
    `tree`: it may be any pytree of arrays (a bare parameter of a root).
    `assumed`: that it is traced is a guess, not a proof.
    """

    traced: bool
    dtype: DType | None = None
    shape: Shape = None
    tree: bool = False
    assumed: bool = False
    host: bool = False
    key: bool = False


@plain()
class Seq(Value):
    """A tuple or list. `items` if the length is known, else every element is `elem`."""

    kind: str  # "tuple" | "list" | "set" | "frozenset" | "iter"
    items: tuple[Value, ...] | None
    elem: Value | None = None


@plain()
class Dict(Value):
    """A dict. `items` (key, value) if the keys are known, else each value is `elem`,
    and `words` says whether each key is a string."""

    items: tuple[tuple[Any, Value], ...] | None
    elem: Value | None = None
    words: bool = False

    @property
    def has_words(self) -> bool:
        if self.items is None:
            return self.words
        return all(isinstance(key, str) for key, _ in self.items)

    def get(self, key: Any) -> Value | None:
        if self.items is not None:
            for k, v in self.items:
                if k == key and type(k) is type(key):
                    return v
        return None


@plain()
class Lib(Value):
    """A name of a library that we know by its dotted path: `jax.numpy.sum`, `len`."""

    name: str


@plain()
class Union(Value):
    """One of a few alternatives (at most four)."""

    options: tuple[Value, ...]


def join(a: Value, b: Value) -> Value:
    """The least value that covers both."""
    if a is b:
        return a
    kind = type(a)
    if kind is type(b) and a == b:
        return a if a.why is not None or b.why is None else b
    if kind is Unknown:
        return a
    if type(b) is Unknown:
        return b
    if isinstance(a, Array) and isinstance(b, Array):
        return join_arrays(a, b)
    if isinstance(a, Seq) and isinstance(b, Seq) and a.kind == b.kind:
        if a.items is not None and b.items is not None and len(a.items) == len(b.items):
            items = tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))
            return Seq(a.kind, items, why=a.why or b.why)
        return Seq(a.kind, None, _join_elements(a, b), why=a.why or b.why)
    if isinstance(a, Dict) and isinstance(b, Dict):
        if a.items is not None and b.items is not None:
            keys = [k for k, _ in a.items]
            if keys == [k for k, _ in b.items]:
                pairs = tuple(
                    (k, join(x, y))
                    for (k, x), (_, y) in zip(a.items, b.items, strict=True)
                )
                return Dict(pairs, why=a.why or b.why)
        words = a.has_words and b.has_words
        return Dict(None, _join_elements(a, b), words, why=a.why or b.why)
    if (
        isinstance(a, (Const, Static))
        and isinstance(b, (Const, Static))
        and not is_none(a)
        and not is_none(b)
    ):
        name = type_name(a)
        return Static(name if name == type_name(b) else "", why=a.why or b.why)
    joined = a.joined(b)
    return joined if joined is not None else union(a, b)


def is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _join_elements(a: Seq | Dict, b: Seq | Dict) -> Value:
    """What an element of either is; an empty one has none."""
    if a.items == () and a.elem is None:
        return element(b)
    if b.items == () and b.elem is None:
        return element(a)
    return join(element(a), element(b))


def join_arrays(a: Array, b: Array) -> Array:
    return Array(
        a.traced or b.traced,
        a.dtype if a.dtype == b.dtype else None,
        a.shape if a.shape == b.shape else None,
        tree=a.tree and b.tree,
        assumed=(a.traced or b.traced)
        and (a.assumed or not a.traced)
        and (b.assumed or not b.traced),
        host=a.host and b.host,
        key=a.key and b.key,
        why=(a.why if a.traced and not (a.assumed and b.traced) else b.why) or a.why,
    )


def union(a: Value, b: Value) -> Value:
    """A union of at most four alternatives; more is Unknown, but a tracer is kept."""
    options: list[Value] = []
    for part in (*alternatives(a), *alternatives(b)):
        for index, old in enumerate(options):
            merged = None
            if old == part:
                merged = old
            elif isinstance(old, Array) and isinstance(part, Array):
                merged = join_arrays(old, part)
            elif type(old) is type(part) and _same_container(old, part):
                candidate = join(old, part)
                merged = candidate if not isinstance(candidate, Union) else None
            elif (
                isinstance(old, (Const, Static))
                and isinstance(part, (Const, Static))
                and not is_none(old)
                and not is_none(part)
            ):
                merged = join(old, part)
            else:
                merged = old.joined(part)
            if merged is not None:
                options[index] = merged
                break
        else:
            options.append(part)
    if len(options) == 1:
        return options[0]
    if len(options) > 4:
        return Unknown()
    return Union(tuple(options))


def _same_container(a: Value, b: Value) -> bool:
    if isinstance(a, Seq) and isinstance(b, Seq):
        return a.kind == b.kind
    return isinstance(a, Dict)


def alternatives(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Union) else (value,)


def element(value: Seq | Dict) -> Value:
    """What iteration gives (for a dict: what indexing gives)."""
    if value.items is None:
        return value.elem if value.elem is not None else Unknown()
    parts: list[Value] = (
        [v for _, v in value.items] if isinstance(value, Dict) else list(value.items)
    )
    if not parts:
        return value.elem if value.elem is not None else Unknown()
    out = parts[0]
    for part in parts[1:]:
        out = join(out, part)
    return out


def type_name(value: Value) -> str:
    """The name of a static value's Python type, `""` if unknown."""
    if isinstance(value, Const):
        return type(value.value).__name__
    return value.type if isinstance(value, Static) else ""


def is_static(value: Value) -> bool:
    """Is the value certainly known while tracing, all its parts too?"""
    match value:
        case Const() | Static() | Lib():
            return True
        case Array():
            return not value.traced
        case Seq(items=None) | Dict(items=None):
            return value.elem is not None and is_static(value.elem)
        case Seq():
            return all(is_static(v) for v in value.items or ())
        case Dict():
            return all(is_static(v) for _, v in value.items or ())
        case Union():
            return all(is_static(v) for v in value.options)
        case _:
            return False


def tracer(value: Value) -> Array | None:
    """The traced array that the value is (or, in a union, may be); else None."""
    if isinstance(value, Array):
        return value if value.traced else None
    if isinstance(value, Union):
        for part in value.options:
            if isinstance(part, Array) and part.traced:
                return part
    return None


def holds_tracer(value: Value, depth: int = 4) -> Array | None:
    """A traced array that the value is or contains."""
    if depth == 0 or not isinstance(value, (Array, Seq, Dict, Union)):
        return None
    for part in alternatives(value):
        if isinstance(part, Array) and part.traced:
            return part
        if isinstance(part, (Seq, Dict)):
            inner: list[Value] = [part.elem] if part.elem is not None else []
            if part.items is not None:
                inner += (
                    [v for _, v in part.items]
                    if isinstance(part, Dict)
                    else list(part.items)
                )
            for item in inner:
                if (found := holds_tracer(item, depth - 1)) is not None:
                    return found
    return None


def with_why(value: Value, why: Why | None) -> Value:
    return replace(value, why=why) if why is not None else value
