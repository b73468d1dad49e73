"""Python's built-in functions, container methods and iteration on abstract values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from . import derivatives, state
from .arguments import StarredRest, as_array, merge
from .frame import Frame, join_all
from .objects import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    MethodValue,
    PartialValue,
    TransformedValue,
)
from .results import method_of, result_of, subscript
from .shapes import known_dims
from .values import (
    BOOL,
    INT,
    SCALAR,
    WEAK,
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    alternatives,
    element,
    holds_tracer,
    is_static,
    join,
    replace,
    tracer,
    type_name,
)

BUILTINS = frozenset(dir(builtins))

ARRAY_METHODS = frozenset(
    [
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "std",
        "var",
        "any",
        "all",
        "argmax",
        "argmin",
        "argsort",
        "sort",
        "cumsum",
        "cumprod",
        "reshape",
        "ravel",
        "flatten",
        "transpose",
        "squeeze",
        "astype",
        "dot",
        "item",
        "tolist",
        "copy",
        "clip",
        "round",
        "repeat",
        "take",
        "swapaxes",
        "at",
        "conj",
        "view",
        "block_until_ready",
        "nonzero",
        "trace",
        "diagonal",
    ]
)
MAX_KNOWN = 64


def known_items(value: Value) -> tuple[Value, ...] | None:
    """The elements of a sequence whose length is known."""
    match value:
        case Seq(kind="slice"):
            return None
        case Seq() if value.items is not None:
            return value.items
        case Dict() if value.items is not None:
            return tuple(Const(k) for k, _ in value.items)
        case InstanceValue() if value.cls.kind == "namedtuple":
            return tuple(value.attrs.get(f, Unknown()) for f in value.cls.all_fields())
        case Const(value=tuple() | list() as items):
            return tuple(Const(v) for v in items)
        case Array(shape=shape) if shape is not None and len(shape) == 1:
            (dims,) = shape
            if (
                isinstance(dims, tuple)
                and dims
                and isinstance(dims[0], int)
                and dims[0] <= MAX_KNOWN
            ):
                return tuple(subscript(value, Const(i)) for i in range(dims[0]))
    return None


def iterate(frame: Frame, value: Value) -> Value:
    """What one step of iteration over `value` gives."""
    match value:
        case Union():
            options = [o for o in value.options if o != Const(None)]
            return join_all([iterate(frame, o) for o in options])
        case StarredRest():
            return value.elem
        case Seq(kind="slice"):
            return Unknown()
        case Seq():
            return element(value)
        case Dict():
            if value.items:
                return join_all([Const(k) for k, _ in value.items])
            return Static()
        case Array():
            if value.tree and value.assumed:
                shape = value.shape and frozenset(f"{part}[]" for part in value.shape)
                return replace(value, shape=shape or None)
            return subscript(value, Static("int"))
        case Const(value=str()):
            return Static("str")
        case Const(value=tuple() | list() as items):
            return join_all([Const(v) for v in items]) if items else Unknown()
        case Static(type="shape"):
            return Static("int")
        case Static():
            return Static()
        case InstanceValue() if value.cls.kind == "namedtuple":
            return join_all(list(known_items(value) or ()))
        case InstanceValue():
            method = value.cls.lookup("__iter__")
            return iterate(frame, frame.call(method, [value])) if method else Unknown()
        case ClassValue() if value.kind == "enum":
            return Static("intenum" if value.is_number else "enum")
        case _:
            return Unknown()


def loop_tracer(value: Value) -> Array | None:
    """A tracer that decides how often a loop over `value` runs."""
    if isinstance(value, Seq) and value.kind in ("range", "iter"):
        found = tracer(value.elem) if value.elem is not None else None
        if value.kind == "range" and found is not None and not found.assumed:
            return found
        if isinstance(value, CountedSeq):
            return value.count
    return None


class CountedSeq(Seq):
    """An iterator whose length is a tracer (`zip(range(n), xs)`)."""

    __slots__ = ("count",)
    count: Array

    def __init__(self, items: Any, elem: Value, count: Array) -> None:
        super().__init__("iter", items, elem)
        object.__setattr__(self, "count", count)


def counted(elem: Value, sources: Sequence[Value]) -> Seq:
    for source in sources:
        found = loop_tracer(source)
        if found is not None:
            return CountedSeq(None, elem, found)
    return Seq("iter", None, elem)


def call_builtin(
    frame: Frame,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value | None:
    """The result of a built-in or standard-library function; None if it is not one."""
    handler = SPECIAL.get(name)
    if handler is None:
        return None
    value: Value | None = handler(frame, args, keywords)
    return value


def _len(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    items = known_items(args[0]) if args else None
    return Const(len(items)) if items is not None else Static("int")


def _range(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    for arg in args:
        if (found := tracer(arg)) is not None:
            # What is given to `range` is a number, or the call fails.
            return Seq("range", None, Array(True, WEAK[int], SCALAR, why=found.why))
    if all(isinstance(a, Const) and isinstance(a.value, int) for a in args) and args:
        try:
            numbers = range(*[a.value for a in args if isinstance(a, Const)])
        except (TypeError, ValueError):
            return Unknown()
        if len(numbers) <= MAX_KNOWN:
            return Seq("range", tuple(Const(i) for i in numbers), Static("int"))
        return Seq("range", None, Static("int"))
    if args and all(is_static(a) for a in args):
        return Seq("range", None, Static("int"))
    return Seq("range", None, Unknown() if any_unknown(args) else Static("int"))


def any_unknown(args: Sequence[Value]) -> bool:
    return any(isinstance(o, Unknown) for a in args for o in alternatives(a))


def _zip(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    lists = [known_items(a) for a in args]
    if args and all(items is not None for items in lists):
        rows = zip(*[items or () for items in lists], strict=False)
        return Seq("iter", tuple(Seq("tuple", tuple(row)) for row in rows))
    return counted(Seq("tuple", tuple(iterate(frame, a) for a in args)), args)


def _enumerate(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return Unknown()
    items = known_items(args[0])
    start = args[1] if len(args) > 1 else keywords.get("start", Const(0))
    if items is not None and isinstance(start, Const) and isinstance(start.value, int):
        return Seq(
            "iter",
            tuple(
                Seq("tuple", (Const(i), v)) for i, v in enumerate(items, start.value)
            ),
        )
    index: Value = Static("int")
    count = loop_tracer(args[0])
    if count is not None:
        index = Array(True, WEAK[int], SCALAR, why=count.why)
    return counted(Seq("tuple", (index, iterate(frame, args[0]))), args[:1])


def _reversed(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    items = known_items(args[0]) if args else None
    if items is not None:
        return Seq("iter", tuple(reversed(items)))
    if args and isinstance(args[0], Seq) and args[0].kind == "range":
        return args[0]
    return counted(iterate(frame, args[0]), args) if args else Unknown()


def _map(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) < 2:
        return Unknown()
    items = known_items(args[1])
    if items is not None and len(args) == 2 and len(items) <= 12:
        return Seq("iter", tuple(frame.call(args[0], [v]) for v in items))
    return Seq("iter", None, frame.call(args[0], [iterate(frame, a) for a in args[1:]]))


def _filter(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) < 2:
        return Unknown()
    inner = iterate(frame, args[1])
    frame.call(args[0], [inner])
    return Seq("iter", None, inner)


def _sequence(kind: str) -> Any:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        if not args:
            return Seq(kind, ())
        items = known_items(args[0])
        if items is not None:
            return Seq(kind, items)
        return Seq(kind, None, iterate(frame, args[0]))

    return handler


def _sorted(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return Unknown()
    if "key" in keywords:
        inner = iterate(frame, args[0])
        key = tracer(frame.call(keywords["key"], [inner]))
        if key is not None and not key.assumed and holds_tracer(inner) is None:
            return _picked(inner, known_items(args[0]), key)
    found = holds_tracer(args[0])
    if found is not None and not (found.tree and found.assumed):
        if isinstance(args[0], Array):
            return replace(args[0])
        inner = element(args[0]) if isinstance(args[0], Seq) else Unknown()
        items = known_items(args[0])
        if items is not None:
            return Seq("list", tuple(inner for _ in items))
        return Seq("list", None, inner)
    return Seq("list", None, iterate(frame, args[0]))


def _picked(inner: Value, items: Sequence[Value] | None, test: Array) -> Value:
    """Elements in an order that a tracer decides: which one comes first is traced."""
    from .expressions import traced_choice

    chosen = traced_choice(inner, test)
    known = None if items is None else tuple(chosen for _ in items)
    return Seq("list", known, None if known is not None else chosen)


def _dict(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    named = tuple((k, v) for k, v in keywords.items() if k != "**")
    if not args:
        return Dict(named) if "**" not in keywords else Dict(None, Unknown())
    if isinstance(args[0], Dict) and args[0].items is not None:
        return Dict(tuple((dict(args[0].items) | dict(named)).items()))
    pairs = known_items(args[0])
    if pairs is not None:
        rows = [known_items(p) for p in pairs]
        if all(r is not None and len(r) == 2 and isinstance(r[0], Const) for r in rows):
            found = {
                r[0].value: r[1]
                for r in rows
                if r is not None and isinstance(r[0], Const)
            }
            return Dict(tuple((found | dict(named)).items()))
    return Dict(None, Unknown())


def _cast(kind: type) -> Any:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        if not args:
            return Const(kind())
        if (found := tracer(args[0])) is not None:
            dtype = {bool: BOOL, int: INT}.get(kind, WEAK[float])
            return Array(True, dtype, SCALAR, assumed=found.assumed, why=found.why)
        value = args[0]
        if isinstance(value, Const):
            try:
                return Const(kind(value.value))
            except (TypeError, ValueError, OverflowError):
                return Unknown()
        return Static(kind.__name__)

    return handler


def _fold(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`max`, `min`."""
    parts = list(args)
    if len(args) == 1:
        items = known_items(args[0])
        parts = list(items) if items is not None else [iterate(frame, args[0])]
    if "default" in keywords:
        parts.append(keywords["default"])
    return _combined(parts)


def _combined(parts: list[Value]) -> Value:
    if not parts:
        return Unknown()
    if any(holds_tracer(p) is not None for p in parts):
        out: Value | None = parts[0]
        for part in parts[1:]:
            out = merge(out, part) if out is not None else None
        found = as_array(out) if out is not None else None
        return found if found is not None else _some_number(parts)
    if all(isinstance(p, Const) for p in parts):
        kinds = {type_name(p) for p in parts}
        return (
            parts[0]
            if len(parts) == 1
            else Static(kinds.pop() if len(kinds) == 1 else "")
        )
    return join_all(parts) if not any_unknown(parts) else Unknown()


def _some_number(parts: list[Value]) -> Value:
    """One of several numbers, some of them traced, of which nothing else is known."""
    options = [o for part in parts for o in alternatives(part)]
    if not all(isinstance(o, Array | Const | Static) for o in options):
        return Unknown()
    found = next((t for o in options if (t := tracer(o)) is not None), None)
    if found is None:
        return Unknown()
    return Array(True, assumed=found.assumed, why=found.why)


def _by_key(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """The extreme by a key: one of the arguments, picked by a tracer if it is one."""
    inner = iterate(frame, args[0]) if len(args) == 1 else join_all(args)
    found = tracer(frame.call(keywords["key"], [inner]))
    value = _fold(frame, args, keywords)
    if found is None or found.assumed or tracer(value) is not None:
        return value
    from .expressions import traced_choice

    return traced_choice(value, found)


def _extreme(kind: str) -> Any:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        parts = args
        if len(args) == 1:
            parts = list(known_items(args[0]) or ())
        if "key" in keywords:
            return _by_key(frame, args, keywords)
        if parts and all(isinstance(p, Const) for p in parts):
            try:
                values = [p.value for p in parts if isinstance(p, Const)]
                return Const(max(values) if kind == "max" else min(values))
            except TypeError:
                return Unknown()
        return _fold(frame, args, keywords)

    return handler


def _sum(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return Unknown()
    if isinstance(args[0], Array):
        return result_of(
            "jax.numpy.sum", [args[0], Const(0)], {}, tracing=frame.staging
        )
    items = known_items(args[0])
    start = args[1] if len(args) > 1 else keywords.get("start", Const(0))
    parts = [start, *items] if items is not None else [start, iterate(frame, args[0])]
    from .expressions import operate

    out = parts[0]
    for part in parts[1:]:
        out = operate(frame, ast.Add, out, part)
    return out if items is not None or not isinstance(out, Const) else Static("int")


def _product(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`math.prod`: what `*` makes of the factors, one after the other."""
    from .expressions import operate

    if not args:
        return Unknown()
    start = keywords.get("start", Const(1))
    items = known_items(args[0])
    if items is None:
        out = operate(frame, ast.Mult, start, iterate(frame, args[0]))
        return out if not isinstance(out, Const) else Static("int")
    for item in items:
        start = operate(frame, ast.Mult, start, item)
    return start


def _any_all(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return Unknown()
    found = holds_tracer(args[0])
    if found is not None and not isinstance(args[0], Dict):
        return Array(True, BOOL, SCALAR, assumed=found.assumed, why=found.why)
    return Static("bool")


def _abs(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if args and tracer(args[0]) is not None:
        return result_of("jax.numpy.abs", args, {}, tracing=frame.staging)
    match args:
        case [Const(value=int() | float() as number)]:
            return Const(abs(number))
        case [Array()]:
            return result_of("jax.numpy.abs", args, {}, tracing=False)
    return Static(type_name(args[0])) if args else Unknown()


def _round(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if args and (found := tracer(args[0])) is not None:
        return replace(found)
    return Static("int" if len(args) == 1 else "float")


def _divmod(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    from .expressions import operate

    if len(args) != 2:
        return Unknown()
    return Seq(
        "tuple", tuple(operate(frame, op, *args) for op in (ast.FloorDiv, ast.Mod))
    )


def _pow(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    from .expressions import operate

    return operate(frame, ast.Pow, args[0], args[1]) if len(args) == 2 else Unknown()


def _field(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`dataclasses.field(default=...)`: in the class, the attribute is the default."""
    return keywords.get("default", Unknown())


def _getattr(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    from .expressions import attribute

    match args:
        case [base, Const(value=str() as name), *rest]:
            if isinstance(base, Array | Unknown):
                return Unknown()
            found = attribute(frame, base, name)
            return join_all([found, *rest])
    return Unknown()


def _static(kind: str) -> Any:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        return Static(kind)

    return handler


def _isinstance(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) != 2:
        return Static("bool")
    value, types = args
    kinds = types.items if isinstance(types, Seq) and types.items else (types,)
    answers = {_is_one_of(option, kinds) for option in alternatives(value)}
    if len(answers) == 1 and (known := answers.pop()) is not None:
        return Const(known)
    return Static("bool")


def _is_one_of(value: Value, kinds: Sequence[Value]) -> bool | None:
    answers = {_is_of(value, kind) for kind in kinds}
    if True in answers:
        return True
    return None if None in answers else False


def _is_of(value: Value, kind: Value) -> bool | None:
    if not isinstance(kind, Lib):
        return None
    if kind.name.endswith(".Tracer"):
        return _is_tracer(value)
    if kind.name in ("int", "float", "bool", "complex", "str", "tuple", "list", "dict"):
        return _is_a(value, kind.name)
    return None


def _is_tracer(value: Value) -> bool | None:
    """Is it a tracer? An argument that may be a pytree is taken for one: who asks
    means to spare tracers."""
    match value:
        case Array():
            return value.traced
        case Const() | Static() | Seq() | Dict():
            return False
        case _:
            return None


def _is_a(value: Value, name: str) -> bool | None:
    match value:
        case Const():
            return isinstance(value.value, getattr(builtins, name))
        case Array(tree=False):
            return False
        case Array(traced=True) if name not in ("tuple", "list", "dict"):
            return False  # the leaves of a pytree that is traced are tracers
        case Seq(kind="tuple" | "list"):
            return value.kind == name
        case Dict():
            return name == "dict"
        case _:
            return None


def _iter(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return Seq("iter", None, iterate(frame, args[0])) if args else Unknown()


def _next(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return join_all([iterate(frame, args[0]), *args[1:]]) if args else Unknown()


def _defaultdict(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return Dict(None, frame.call(args[0], []) if args else Unknown())


def _counter(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return Dict(None, Static("int"))


def _made(name: str) -> Any:
    """A constructor whose result goes by a name, so that its methods are known."""

    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        return Lib(name)

    return handler


def _partial(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return Unknown()
    return PartialValue(args[0], tuple(args[1:]), tuple(keywords.items()))


def _method_kind(kind: str) -> Any:
    def handler(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
        return MethodValue(args[0], kind) if args else Unknown()

    return handler


def _wraps(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return Lib("jaxfix.identity")


def _identity(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return args[0] if args else Unknown()


def _cache(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if args and isinstance(args[0], FunctionValue | PartialValue | TransformedValue):
        return args[0]
    return Lib("jaxfix.identity")


def _register_dataclass(
    frame: Frame, args: list[Value], keywords: dict[str, Value]
) -> Value:
    """`register_dataclass(Class, data_fields, meta_fields)`: the latter are static."""
    given = keywords.get("meta_fields", args[2] if len(args) > 2 else None)
    match args, given:
        case [ClassValue() as cls, *_], Seq(items=items) if items is not None:
            names = {i.value for i in items if isinstance(i, Const)}
            # Python, too, makes the class first and registers it then.
            object.__setattr__(cls, "static_fields", cls.static_fields | names)
    return args[0] if args else Unknown()


def _replace(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`dataclasses.replace(instance, ...)`."""
    match args:
        case [InstanceValue() as instance]:
            attrs = {
                **instance.attrs,
                **{k: v for k, v in keywords.items() if k != "**"},
            }
            return instance.copied(attrs)
        case [Array() as array]:
            return replace(array)
    return Unknown()


def _none(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    return Const(None)


def _setattr(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    match args:
        case [InstanceValue() as instance, Const(value=str() as name), value]:
            frame.interp.set_attribute(instance, name, value)
    return Const(None)


def _namespace(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`vars(object)`, `globals()`: a dict of which nothing is said."""
    return Dict(None, Unknown())


def _reduce(frame: Frame, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) < 2:
        return Unknown()
    inner = iterate(frame, args[1])
    start = args[2] if len(args) > 2 else inner
    once = frame.call(args[0], [start, inner])
    return join_all([start, frame.call(args[0], [join(start, once), inner])])


# A path, by name, and the functions and methods that give one.
PATH = "pathlib.Path()"
GIVE_PATHS = [
    *("pathlib.Path", "pathlib.Path.cwd", "pathlib.Path.home"),
    *(f"{PATH}.{name}" for name in ["absolute", "expanduser", "resolve", "joinpath"]),
    *(f"{PATH}.{name}" for name in ["with_name", "with_stem", "with_suffix"]),
]

SPECIAL: dict[str, Any] = {
    "len": _len,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _reversed,
    "map": _map,
    "filter": _filter,
    "list": _sequence("list"),
    "tuple": _sequence("tuple"),
    "set": _sequence("set"),
    "frozenset": _sequence("frozenset"),
    "collections.deque": _sequence("list"),
    "collections.defaultdict": _defaultdict,
    "collections.Counter": _counter,
    "collections.OrderedDict": _dict,
    "sorted": _sorted,
    "dict": _dict,
    "int": _cast(int),
    "float": _cast(float),
    "bool": _cast(bool),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "sum": _sum,
    "math.prod": _product,
    "any": _any_all,
    "all": _any_all,
    "abs": _abs,
    "round": _round,
    "divmod": _divmod,
    "pow": _pow,
    "getattr": _getattr,
    "setattr": _setattr,
    "object.__setattr__": _setattr,
    "vars": _namespace,
    "globals": _namespace,
    "hasattr": _static("bool"),
    "callable": _static("bool"),
    "isinstance": _isinstance,
    "issubclass": _static("bool"),
    "type": _static("type"),
    "id": _static("int"),
    "hash": _static("int"),
    "repr": _static("str"),
    "str": _static("str"),
    "format": _static("str"),
    "iter": _iter,
    "next": _next,
    "print": _none,
    "numpy.random.default_rng": _made("numpy.random.Generator()"),
    "numpy.random.RandomState": _made("numpy.random.Generator()"),
    "numpy.vectorize": _made("numpy.vectorize()"),
    "numpy.frompyfunc": _made("numpy.frompyfunc()"),
    "random.Random": _made("random.Random()"),
    "logging.getLogger": _made("logging.Logger()"),
    **dict.fromkeys(GIVE_PATHS, _made(PATH)),
    "staticmethod": _method_kind("staticmethod"),
    "classmethod": _method_kind("classmethod"),
    "property": _method_kind("property"),
    "functools.partial": _partial,
    "jax.tree_util.Partial": _partial,
    "functools.wraps": _wraps,
    "functools.lru_cache": _cache,
    "functools.cache": _cache,
    "functools.reduce": _reduce,
    "jaxfix.identity": _identity,
    "jax.block_until_ready": _identity,
    "jax.device_put": _identity,
    "jax.lax.stop_gradient": _identity,
    "jax.tree_util.register_pytree_node_class": _identity,
    "jax.tree_util.register_dataclass": _register_dataclass,
    "dataclasses.replace": _replace,
    "dataclasses.field": _field,
    "copy.copy": _identity,
    "copy.deepcopy": _identity,
}


# --- methods


def call_method(
    frame: Frame,
    method: MethodValue,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    receiver = method.receiver
    if isinstance(receiver, Seq | Dict):
        state.note_method(
            frame, node, receiver, method.name, [*args, *keywords.values()]
        )
    match receiver:
        case Array(traced=True) if method.name == "tolist" and (
            len(known_dims(receiver.shape) or ()) == 1
        ):
            # It fails; where only the elements are used, the array will do.
            return Seq("list", None, replace(receiver, shape=SCALAR))
        case Array():
            found = method_of(
                receiver, method.name, args, keywords, tracing=frame.staging
            )
            return found if found is not None else Unknown()
        case Seq():
            value, changed = seq_method(frame, receiver, method.name, args)
        case Dict():
            value, changed = dict_method(frame, receiver, method.name, args, keywords)
        case InstanceValue():
            return instance_method(frame, receiver, method.name, args, keywords)
        case ClassValue() if method.name == "_make":
            return frame.interp.instantiate(
                frame, receiver, list(known_items(args[0]) or ()) or None, {}, node
            )
        case Const(value=str()) | Static(type="str"):
            return string_method(receiver, method.name, args)
        case TransformedValue() if method.name in derivatives.DEFINITIONS:
            return derivatives.define(frame, receiver, method.name, args)
        case TransformedValue() if method.name in ("lower", "trace", "eval_shape"):
            frame.call(receiver, args, keywords, node)
            return Unknown()
        case TransformedValue():
            return Static()
        case Static():
            return Static()
        case _:
            return Unknown()
    if (
        changed is not None
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
    ):
        from .statements import store

        store(frame, node.func.value, changed)
    return value


def seq_method(
    frame: Frame, seq: Seq, name: str, args: list[Value]
) -> tuple[Value, Value | None]:
    """(result, changed sequence) of a list or tuple method."""
    grown = element(seq) if seq.items is None or seq.items else None
    match name, args:
        case (("append" | "appendleft" | "add"), [value]):
            if (
                seq.items is not None
                and len(seq.items) < MAX_KNOWN
                and name == "append"
            ) and not frame.loops:
                return Const(None), replace(seq, items=(*seq.items, value))
            inner = value if grown is None else join(grown, value)
            return Const(None), replace(seq, items=None, elem=inner)
        case "insert", [Const(value=0), value] if seq.items is not None:
            return Const(None), replace(seq, items=(value, *seq.items))
        case "insert", [_, value]:
            inner = value if grown is None else join(grown, value)
            return Const(None), replace(seq, items=None, elem=inner)
        case "extend", [more]:
            items = known_items(more)
            if seq.items is not None and items is not None and not frame.loops:
                return Const(None), replace(seq, items=(*seq.items, *items))
            inner = iterate(frame, more)
            if grown is not None:
                inner = join(grown, inner)
            return Const(None), replace(seq, items=None, elem=inner)
        case (("pop" | "popleft"), []) if seq.items and not frame.loops:
            last = name == "pop"
            rest = seq.items[:-1] if last else seq.items[1:]
            return seq.items[-1 if last else 0], replace(seq, items=rest)
        case (("pop" | "popleft"), _):
            return element(seq), replace(seq, items=None, elem=element(seq))
        case "clear", _:
            return Const(None), replace(seq, items=(), elem=None)
        case (("sort" | "remove" | "discard"), _):
            return Const(None), replace(seq, items=None, elem=element(seq))
        case "reverse", _ if seq.items is not None:
            return Const(None), replace(seq, items=tuple(reversed(seq.items)))
        case (("index" | "count"), _):
            return Static("int"), None
        case "copy", _:
            return seq, None
        case _:
            return Unknown(), None


def dict_method(
    frame: Frame, d: Dict, name: str, args: list[Value], keywords: dict[str, Value]
) -> tuple[Value, Value | None]:
    from .expressions import merge_dicts

    match name, args:
        case "items", _:
            if d.items is not None:
                pairs = tuple(Seq("tuple", (Const(k), v)) for k, v in d.items)
                return Seq("iter", pairs), None
            return Seq("iter", None, Seq("tuple", (Static(), element(d)))), None
        case "values", _:
            if d.items is not None:
                return Seq("iter", tuple(v for _, v in d.items)), None
            return Seq("iter", None, element(d)), None
        case "keys", _:
            if d.items is not None:
                return Seq("iter", tuple(Const(k) for k, _ in d.items)), None
            return Seq("iter", None, Static()), None
        case "get", [Const(value=key), *default]:
            found = d.get(key)
            if found is not None:
                return found, None
            fallback = default[0] if default else Const(None)
            return (
                fallback if d.items is not None else join(element(d), fallback)
            ), None
        case "pop", [key, *default]:
            inner = d.get(key.value) if isinstance(key, Const) else None
            rest: Value = Dict(None, element(d))
            if isinstance(key, Const) and d.items is not None:
                rest = Dict(tuple((k, v) for k, v in d.items if k != key.value))
            return inner or join_all([element(d), *default]), rest
        case "update", _:
            more: Value = args[0] if args else Dict(())
            named = Dict(tuple((k, v) for k, v in keywords.items() if k != "**"))
            base = (
                merge_dicts(d, more)
                if isinstance(more, Dict)
                else Dict(None, Unknown())
            )
            return Const(None), merge_dicts(base, named)
        case "setdefault", [Const(value=key), value]:
            found = d.get(key)
            if found is not None:
                return found, None
            inner = _to_be_filled(value)
            return inner, merge_dicts(d, Dict(((key, inner),)))
        case "setdefault", [_, value]:
            inner = _to_be_filled(value)
            if d.items != ():
                inner = join(_to_be_filled(element(d)), inner)
            return inner, Dict(None, inner)
        case "copy", _:
            return d, None
        case "clear", _:
            return Const(None), Dict(())
        case _:
            return Unknown(), None


def _to_be_filled(value: Value) -> Value:
    """A container that changes by no name of its own: `d.setdefault(k, []).append`."""
    match value:
        case Seq(kind="list"):
            return Seq("list", None, Unknown())
        case Dict():
            return Dict(None, Unknown())
        case _:
            return value


def instance_method(
    frame: Frame,
    instance: InstanceValue,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
) -> Value:
    if name in ("_replace", "replace"):
        return _replace(frame, [instance], keywords)
    if name == "_asdict":
        return Dict(tuple(instance.attrs.items()))
    return Unknown()


def string_method(receiver: Value, name: str, args: list[Value]) -> Value:
    if name in ("startswith", "endswith", "isdigit", "isidentifier"):
        return Static("bool")
    if name in ("split", "rsplit", "splitlines", "partition"):
        return Seq("list", None, Static("str"))
    if name in ("find", "index", "count"):
        return Static("int")
    return Static("str")
