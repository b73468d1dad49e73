"""What transforms do to the functions that they are given."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Callable, Sequence
from typing import Any

from . import derivatives, python_calls
from .arguments import as_concrete, as_tracers, merge
from .finding import Evidence
from .frame import Frame, join_all
from .objects import (
    BoundValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    MethodValue,
    PartialValue,
    TransformedValue,
)
from .results import subscript
from .values import (
    SCALAR,
    WEAK,
    Array,
    Const,
    Dict,
    DType,
    Lib,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    Why,
    element,
    holds_tracer,
    replace,
    shape,
    strong,
    tracer,
    type_name,
)

JIT = frozenset(
    [
        "jax.jit",
        "jax.pmap",
        "jax.experimental.pjit.pjit",
        "jax.pjit",
        "jax.shard_map",
        "jax.experimental.shard_map.shard_map",
        "jax.api.jit",
        "flax.nnx.jit",
        "flax.linen.jit",
        "haiku.jit",
        "jax.eval_shape_of",
        "jax.named_call",
    ]
)
FILTER_JIT = frozenset(["equinox.filter_jit", "equinox.filter_pmap"])
CHECKPOINT = frozenset(
    [
        "jax.checkpoint",
        "jax.remat",
        "jax.ad_checkpoint.checkpoint",
        "equinox.filter_checkpoint",
        "flax.nnx.remat",
        "flax.linen.remat",
    ]
)
VMAP = frozenset(["jax.vmap", "equinox.filter_vmap", "flax.nnx.vmap"])
GRAD = frozenset(
    [
        "jax.grad",
        "jax.value_and_grad",
        "jax.jacfwd",
        "jax.jacrev",
        "jax.jacobian",
        "equinox.filter_grad",
        "equinox.filter_value_and_grad",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
    ]
)
REVERSE = GRAD - {"jax.jacfwd"} | {"jax.hessian"}
HESSIAN = frozenset(["jax.hessian"])
PASS_THROUGH = frozenset(
    [
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.custom_gradient",
        "jax.closure_convert",
        "jax.custom_batching.custom_vmap",
    ]
)
MAKE_JAXPR = frozenset(["jax.make_jaxpr", "jax.linear_transpose"])
VECTORIZE = frozenset(["jax.numpy.vectorize"])
WRAPPERS = (
    JIT
    | FILTER_JIT
    | CHECKPOINT
    | VMAP
    | GRAD
    | HESSIAN
    | PASS_THROUGH
    | MAKE_JAXPR
    | VECTORIZE
)
COMPILING = JIT | FILTER_JIT
POSITIONAL_OPTIONS = {
    "jax.vmap": ("in_axes", "out_axes"),
    "jax.grad": ("argnums", "has_aux"),
    "jax.value_and_grad": ("argnums", "has_aux"),
}
# Options that a transform of the project has here: its name, and what it traces.
EXTRA, TRACED = "*extra", "*traced"
HOST_CALLBACKS = frozenset(
    ["jax.pure_callback", "jax.experimental.io_callback", "jax.debug.callback"]
)


def call_library(
    frame: Frame,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value | None:
    """Apply a transform or run a control-flow primitive; None if it is neither."""
    if name in WRAPPERS:
        return wrap(frame, name, args, keywords, node)
    if name in HOST_CALLBACKS:
        return _host_callback(frame, args)
    primitive = PRIMITIVES.get(name)
    if primitive is None:
        return None
    note_transforming(frame)
    named = dict(keywords)
    value: Value = primitive(frame, args, named, node)
    return value


def wrap_extra(
    frame: Frame,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """A jit-like transform that the project declares: `jit` with options of its own."""
    traced = frame.interp.settings.extra_transforms[name]
    if not args:
        return PartialValue(Lib(name), (), tuple(keywords.items()))
    options: dict[str, Value] = {EXTRA: Const(name), TRACED: Const(traced)}
    return wrap(frame, "jax.jit", args[:1], options, node)


def wrap(
    frame: Frame,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    options = dict(keywords)
    function = args[0] if args else options.pop("fun", options.pop("f", None))
    if function is None:
        return PartialValue(Lib(name), (), tuple(options.items()))
    names = POSITIONAL_OPTIONS.get(name, ())
    options.update(zip(names, args[1:], strict=False))
    made = TransformedValue(
        name,
        function,
        tuple(options.items()),
        node if node is not None else ast.Pass(),
        frame.module,
    )
    key = (id(made.node), hash(function))
    known = frame.interp.transformed.setdefault(key, made)
    if known.function == made.function:
        made = known
    note_transforming(frame)
    inner = underlying(function)
    if inner is not None:
        users = frame.interp.called.setdefault(id(inner.node), [])
        if made not in users:
            users.append(made)
    return made


def note_transforming(frame: Frame) -> None:
    """Its callers decide which functions are transformed here: they must be run too."""
    interp = frame.interp
    interp.transforming.update(id(n) for n in frame.stack if id(n) in interp.functions)


def underlying(function: Value) -> FunctionValue | None:
    """The project function at the bottom of partials, methods and transforms."""
    while True:
        match function:
            case FunctionValue():
                return function
            case BoundValue() | PartialValue() | TransformedValue():
                function = function.function
            case InstanceValue():
                method = function.cls.lookup("__call__")
                if method is None:
                    return None
                function = method
            case MethodValue(name="staticmethod" | "classmethod" | "property"):
                function = function.receiver
            case _:
                return None


def bound_count(function: Value) -> int:
    """How many leading parameters of the underlying function are bound already."""
    count = 0
    while True:
        match function:
            case BoundValue():
                count += 1
                function = function.function
            case PartialValue():
                count += len(function.args)
                function = function.function
            case TransformedValue():
                function = function.function
            case InstanceValue():
                return count + 1
            case _:
                return count


def positional_names(function: Value) -> list[str]:
    """The names of the positional parameters that a caller still has to give."""
    fn = underlying(function)
    if fn is None:
        return []
    spec = fn.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    return names[bound_count(function) :]


def static_names(root: TransformedValue) -> frozenset[str]:
    """Names of the parameters that the transform declares static."""
    names = positional_names(root.function)
    out: set[str] = set()
    for option in (
        "static_argnames",
        "static_broadcasted_argnums",
        "static_argnums",
        "nondiff_argnums",
        "nondiff_argnames",
    ):
        for entry in constants(root.option(option)):
            if isinstance(entry, str):
                out.add(entry)
            elif isinstance(entry, int) and -len(names) <= entry < len(names):
                out.add(names[entry])
    return frozenset(out)


def extra_name(root: TransformedValue) -> str | None:
    """The project's own transform that stands behind a `jit`."""
    name = root.option(EXTRA)
    return name.value if isinstance(name, Const) else None


def declares_unseen(root: TransformedValue) -> bool:
    """May it declare arguments static that are not seen, as `jit(f, **options)` may?"""
    if root.option("**") is not None:
        return True
    for name in ("static_argnums", "static_argnames"):
        value = root.option(name)
        items = value.items if isinstance(value, Seq) else (value,)
        if items is None or not all(i is None or isinstance(i, Const) for i in items):
            return True
    return False


def constants(value: Value | None) -> list[Any]:
    """The constants in an option: an int, a str, or a tuple or list of such."""
    match value:
        case Const():
            inner = value.value
            return list(inner) if isinstance(inner, tuple | list) else [inner]
        case Seq(items=items) if items is not None:
            return [v.value for v in items if isinstance(v, Const)]
        case _:
            return []


def reason(root: TransformedValue) -> Why:
    fn = underlying(root.function)
    name = fn.name if fn is not None else "the function"
    text = f"`{name}` is under {spelled(root)}"
    return Why(Evidence(root.module.path, getattr(root.node, "lineno", 1), text))


def spelled(root: TransformedValue) -> str:
    names = [extra_name(root) or root.transform]
    inner = root.function
    while isinstance(inner, TransformedValue):
        names.append(extra_name(inner) or inner.transform)
        inner = inner.function
    return " of ".join(names)


# --- calling a transformed function


def call(
    frame: Frame,
    root: TransformedValue,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """Call what a transform returned."""
    frame.interp.ran.add((id(root.node), hash(root.function)))
    name = root.transform
    if frame.linear:
        return _called_on_host(frame, root, args, keywords, node)
    if name in JIT or name in FILTER_JIT or name in CHECKPOINT or name in MAKE_JAXPR:
        result = staged(frame, root, args, keywords, node)
        return Unknown() if name in MAKE_JAXPR else result
    if name in VMAP or name in VECTORIZE:
        return mapped(frame, root, args, keywords, node)
    if name in GRAD or name in HESSIAN:
        return differentiated(frame, root, args, keywords, node)
    if name in derivatives.CUSTOM:
        return with_rules(frame, root, args, keywords, node)
    return frame.call(root.function, args, keywords, node)


def with_rules(
    frame: Frame,
    root: TransformedValue,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """`custom_jvp` and `custom_vjp`: the function, and its rules where it is traced."""
    result = derivatives.call(frame, root, args, keywords, node)
    fn = underlying(root.function)
    if not frame.under or fn is None:
        return result
    names = positional_names(root.function)
    defaults = dict(fn.defaults)
    given = list(args)
    for name in names[len(args) :]:
        given.append(keywords.get(name) or defaults.get(name) or Unknown())
    static = static_names(root)
    fixed = frozenset(i for i, name in enumerate(names) if name in static)
    derivatives.run_rules(frame, root, given, fixed, result, node)
    return result


def inner_frame(frame: Frame, *, staging: bool) -> Frame:
    return Frame(
        frame.interp,
        frame.module,
        frame.scope,
        frame.function,
        True,
        staging or frame.staging,
        frame.stack,
        trace=frame.interp.new_trace(),
    )


def staged(
    frame: Frame,
    root: TransformedValue,
    args: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """jit and its kin: every argument that is not static becomes a tracer."""
    static = static_names(root)
    why = reason(root)
    names = positional_names(root.function)
    convert = filtered if root.transform in FILTER_JIT else as_tracers
    is_open = declares_unseen(root)
    only = constants(root.option(TRACED))
    # Arguments of a function that takes `*args` have a place and no name.
    places = {p for p in constants(root.option("static_argnums")) if isinstance(p, int)}

    def enter(name: str | None, value: Value) -> Value:
        if name in static or is_open or (only and name not in only):
            return loosened(value)
        return with_symbol(convert(value, why), root, name)

    given = [
        enter(names[i], value)
        if i < len(names)
        else loosened(value)
        if i in places
        else enter(None, value)
        for i, value in enumerate(args)
    ]
    named = {k: enter(k, v) for k, v in keywords.items()}
    inner = inner_frame(frame, staging=True)
    result = inner.call(root.function, given, named, node)
    if frame.under:
        return as_tracers(result, why)
    return as_concrete(result)


def with_symbol(value: Value, root: TransformedValue, name: str | None) -> Value:
    """A parameter of which nothing is known has the shape "that of the parameter"."""
    if isinstance(value, Array) and value.assumed and value.shape is None and name:
        fn = underlying(root.function)
        where = fn.qualname if fn is not None else ""
        return replace(value, shape=frozenset({f"?{where}.{name}"}))
    return value


def filtered(value: Value, why: Why | None) -> Value:
    """equinox.filter_jit: arrays are traced, everything else is static."""
    match value:
        case Array() | Seq() | Dict():
            return as_tracers(value, why)
        case InstanceValue():
            return as_tracers(value, why)
        case Const():
            return loosened(value)
        case _:
            return value


def loosened(value: Value) -> Value:
    """A static argument: its type is known, its value varies from call to call."""
    match value:
        case Const(value=None):
            return value
        case Const():
            return Static(type_name(value))
        case Union():
            return join_all([loosened(o) for o in value.options])
        case Array(traced=True, dtype=DType() as dtype) if dtype.is_weak:
            # A Python number of the caller, who has to keep it static as well.
            return Static(PYTHON_TYPES.get(dtype.kind or "", ""))
        case Array(traced=True):
            return replace(value, traced=False)
        case _:
            return value


PYTHON_TYPES = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def mapped(
    frame: Frame,
    root: TransformedValue,
    args: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """vmap: arguments with an axis become tracers of one rank less."""
    axes = root.option("in_axes")
    why = reason(root)
    # equinox maps over arrays only, unless it is told otherwise.
    is_filter = root.transform == "equinox.filter_vmap" and axes is None
    convert = filtered if is_filter else as_tracers
    given = [
        value if not has_axis(axes, i) else row(convert(value, why))
        for i, value in enumerate(args)
    ]
    named = {k: row(convert(v, why)) for k, v in keywords.items()}
    inner = inner_frame(frame, staging=False)
    inner.interp.batched.update(_function_ids(root.function))
    result = inner.call(root.function, given, named, node)
    stacked = unrow(as_tracers(result, why))
    return stacked if frame.under else as_concrete(stacked)


def _function_ids(function: Value) -> list[int]:
    fn = underlying(function)
    return [id(fn.node)] if fn is not None else []


def has_axis(axes: Value | None, index: int) -> bool:
    match axes:
        case Const(value=None):
            return False
        case Const(value=tuple() as items) if index < len(items):
            return items[index] is not None
        case Seq(items=items) if items is not None and index < len(items):
            return items[index] != Const(None)
        case _:
            return True


def row(value: Value) -> Value:
    """One slice along a mapped axis."""
    match value:
        case Array(tree=True, assumed=True):
            return value
        case Array():
            inner = subscript(value, Static("int"))
            if not isinstance(inner, Array):
                return value
            return replace(inner, traced=True, why=value.why)
        case Seq(items=items) if items is not None:
            return replace(value, items=tuple(row(v) for v in items))
        case Dict(items=pairs) if pairs is not None:
            return Dict(tuple((k, row(v)) for k, v in pairs))
        case InstanceValue():
            return value.copied({k: row(v) for k, v in value.attrs.items()})
        case _:
            return value


def unrow(value: Value) -> Value:
    """The stack of the results of a mapped function or of a scan."""
    match value:
        case Array():
            shape = None
            if value.shape is not None:
                dims = sorted(map(repr, value.shape))
                shape = frozenset({"*stack(" + ",".join(dims) + ")"})
            return replace(value, shape=shape, tree=False)
        case Seq(items=items) if items is not None:
            return replace(value, items=tuple(unrow(v) for v in items))
        case Dict(items=pairs) if pairs is not None:
            return Dict(tuple((k, unrow(v)) for k, v in pairs))
        case InstanceValue():
            return value.copied({k: unrow(v) for k, v in value.attrs.items()})
        case _:
            return value


def differentiated(
    frame: Frame,
    root: TransformedValue,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """grad and its kin: values stay as concrete as they were."""
    interp = frame.interp
    reverse = root.transform in REVERSE
    interp.grad_depth += reverse
    try:
        if root.transform in HESSIAN:
            why = reason(root)
            inner = inner_frame(frame, staging=False)
            result = inner.call(
                root.function, [as_tracers(a, why) for a in args], keywords, node
            )
            result = result if frame.under else as_concrete(result)
        else:
            result = frame.call(root.function, args, keywords, node)
            if not frame.under:
                _linearized(frame, root, args, keywords, node)
    finally:
        interp.grad_depth -= reverse
    argnums = constants(root.option("argnums")) or [0]
    grads = [
        args[n] for n in argnums if isinstance(n, int) and -len(args) <= n < len(args)
    ]
    several = isinstance(root.option("argnums"), Seq) or isinstance(
        getattr(root.option("argnums"), "value", None), tuple
    )
    slope: Value = Unknown()
    if grads:
        slope = Seq("tuple", tuple(grads)) if several else grads[0]
    if frame.under:
        slope = as_tracers(slope, reason(root))
    if root.transform.endswith("value_and_grad"):
        return Seq("tuple", (result, slope))
    if root.transform in ("jax.grad", "equinox.filter_grad", "flax.nnx.grad"):
        if root.option("has_aux") == Const(True):
            items = python_calls.known_items(result)
            aux = items[1] if items is not None and len(items) == 2 else Unknown()
            return Seq("tuple", (slope, aux))
        return slope
    return Array(frame.under, why=reason(root))


def _linearized(
    frame: Frame,
    root: TransformedValue,
    args: Sequence[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> None:
    """Once more with tracers for what is differentiated, to see where they go."""
    why = reason(root)
    argnums = [n for n in constants(root.option("argnums")) or [0] if type(n) is int]
    chosen = {n % len(args) for n in argnums if args}
    given = [as_tracers(v, why) if i in chosen else v for i, v in enumerate(args)]
    inner = replace(inner_frame(frame, staging=False), linear=True)
    inner.call(root.function, given, keywords, node)


def _called_on_host(
    frame: Frame,
    root: TransformedValue,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value:
    """A transform inside of a differentiated function sees what it sees elsewhere."""
    host = Frame(
        frame.interp, frame.module, frame.scope, frame.function, stack=frame.stack
    )
    concrete = {k: as_concrete(v) for k, v in keywords.items()}
    result = call(host, root, [as_concrete(a) for a in args], concrete, node)
    found = next((t for a in args if (t := holds_tracer(a)) is not None), None)
    return as_tracers(result, found.why) if found is not None else result


# --- roots that nobody visible calls


def run_root(frame: Frame, root: TransformedValue) -> None:
    """Run a transformed function on arguments of which only the signature is known."""
    fn = underlying(root.function)
    if fn is None:
        return
    names = positional_names(root.function)
    bound = _partial_keywords(root.function)
    spec = fn.node.args
    args: list[Value] = []
    by_name = {a.arg: a for a in (*spec.posonlyargs, *spec.args)}
    if takes_object(fn) and bound_count(root.function) == 0 and names:
        assert fn.owner is not None, "a method has a class"
        args.append(_self_argument(frame, fn.owner))
        names = names[1:]
    for name in names:
        if name in bound:
            break
        args.append(parameter(frame, fn, by_name[name]))
    keywords = {
        a.arg: parameter(frame, fn, a) for a in spec.kwonlyargs if a.arg not in bound
    }
    call(frame, root, args, keywords, None)


def takes_object(fn: FunctionValue) -> bool:
    """Is the first parameter the object? Of a static method it is not."""
    decorators = getattr(fn.node, "decorator_list", [])
    is_static = any(ast.unparse(d) == "staticmethod" for d in decorators)
    return fn.owner is not None and not is_static


def _self_argument(frame: Frame, owner: ClassValue) -> Value:
    return frame.interp.example_instance(frame, owner)


def _partial_keywords(function: Value) -> set[str]:
    names: set[str] = set()
    while isinstance(function, PartialValue | BoundValue | TransformedValue):
        if isinstance(function, PartialValue):
            names |= {k for k, _ in function.keywords}
        function = function.function
    return names


def parameter(frame: Frame, fn: FunctionValue, arg: ast.arg) -> Value:
    """A parameter of a root of which only annotation and default are known."""
    if (shown := shown_by_inputs(frame, fn, arg)) is not None:
        return shown
    default = dict(fn.defaults).get(arg.arg)
    annotated = frame.interp.by_annotation(fn, arg)
    if annotated is not None:
        return annotated
    kind = annotation_kind(arg.annotation)
    if default is not None:
        if isinstance(default, Const) and default.value is None:
            return Union((Const(None), Unknown()))
        if kind == "array":
            return Array(False)
        return loosened(default)
    if kind == "array":
        return Array(False)
    if kind in ("float", "int"):
        return Static(kind)
    if kind in ("bool", "str", "static"):
        return Static(kind if kind != "static" else "")
    return Unknown()


def shown_by_inputs(frame: Frame, fn: FunctionValue, arg: ast.arg) -> Value | None:
    """The array that recorded or written inputs give for a parameter."""
    spec = fn.node.args
    positional = [*spec.posonlyargs, *spec.args]
    place = positional.index(arg) if arg in positional else -1
    where = (fn.module.path, fn.module.name, fn.qualname)
    found = frame.interp.settings.aval(where, arg.arg, place)
    if found is None:
        return None
    dims = None if found.shape is None else shape(*found.shape)
    return Array(False, strong(found.dtype), dims)


def annotation_kind(annotation: ast.expr | None) -> str:
    """`"array"`, `"float"`, `"int"`, `"bool"`, `"str"`, `"static"` or `""`."""
    if annotation is None:
        return ""
    text = ast.unparse(annotation).strip("\"'")
    head = text.partition("[")[0].rpartition(".")[2]
    if head in (
        "Array",
        "ndarray",
        "ArrayLike",
        "Float",
        "Int",
        "Bool",
        "Shaped",
        "Num",
        "Inexact",
        "Integer",
        "Complex",
        "Real",
        "UInt",
        "Scalar",
        "ScalarLike",
    ):
        return "array"
    if head in ("float", "int", "bool", "str"):
        return head
    if head in ("Callable", "type", "Type", "Literal"):
        return "static"
    return ""


def is_entry_point(fn: FunctionValue, patterns: Sequence[str]) -> bool:
    """Is it declared to be one? What makes an object is not what users jit."""
    if fn.name in ("__init__", "__post_init__", "__new__"):
        return False
    name = f"{fn.module.name}.{fn.qualname}"
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def run_entry_point(frame: Frame, fn: FunctionValue) -> None:
    """A function whose users jit it: array-like parameters are traced, no flags."""
    why = Why(
        Evidence(
            fn.module.path, fn.node.lineno, f"`{fn.name}` is a declared entry point"
        )
    )
    spec = fn.node.args
    bound: dict[str, Value] = {}
    for index, arg in enumerate((*spec.posonlyargs, *spec.args, *spec.kwonlyargs)):
        if index == 0 and takes_object(fn):
            assert fn.owner is not None, "a method has a class"
            bound[arg.arg] = _self_argument(frame, fn.owner)
            continue
        value = parameter(frame, fn, arg)
        if annotation_kind(arg.annotation) in (
            "bool",
            "str",
            "int",
            "static",
        ) or type_name(value) in ("bool", "str", "int"):
            bound[arg.arg] = value
        else:
            bound[arg.arg] = as_tracers(value, why)
    inner = inner_frame(frame, staging=True)
    frame.interp.run_function(inner, fn, bound, None, because=why)


# --- control-flow primitives and other functions that take functions


def body_reason(frame: Frame, node: ast.AST | None, what: str) -> Why:
    return frame.why(
        node if node is not None else ast.Pass(lineno=1),
        f"it is an argument of a body of {what}",
    )


def _argument(
    args: Sequence[Value], keywords: dict[str, Value], index: int, *names: str
) -> Value | None:
    if index < len(args):
        return args[index]
    return next((keywords[n] for n in names if n in keywords), None)


def _scan(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    body = _argument(args, keywords, 0, "f")
    init = _argument(args, keywords, 1, "init")
    xs = _argument(args, keywords, 2, "xs") or Const(None)
    if body is None or init is None:
        return Unknown()
    why = body_reason(frame, node, "lax.scan")
    carry = as_tracers(init, why)
    x = row(as_tracers(xs, why))
    inner = inner_frame(frame, staging=True)
    output: Value = Unknown()
    for _ in range(2):
        result = inner.call(body, [carry, x], {}, node)
        parts = python_calls.known_items(result)
        if parts is None or len(parts) != 2:
            return Unknown()
        output = parts[1]
        merged = _merged(carry, as_tracers(parts[0], why))
        if merged == carry:
            break
        carry = merged
    out = Seq("tuple", (carry, unrow(as_tracers(output, why))))
    return out if frame.under else as_concrete(out)


def _merged(a: Value, b: Value) -> Value:
    if a == b:
        return a
    if (
        isinstance(a, Seq)
        and isinstance(b, Seq)
        and a.items
        and b.items
        and len(a.items) == len(b.items)
    ):
        pairs = zip(a.items, b.items, strict=True)
        return replace(a, items=tuple(_merged(x, y) for x, y in pairs))
    found = merge(a, b)
    return found if found is not None else join_all([a, b])


def _fori_loop(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    body = _argument(args, keywords, 2, "body_fun")
    init = _argument(args, keywords, 3, "init_val")
    if body is None or init is None:
        return Unknown()
    why = body_reason(frame, node, "lax.fori_loop")
    index = Array(True, WEAK[int], SCALAR, why=why)
    return _carried(frame, init, why, lambda f, c: f.call(body, [index, c], {}, node))


def _while_loop(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    test = _argument(args, keywords, 0, "cond_fun")
    body = _argument(args, keywords, 1, "body_fun")
    init = _argument(args, keywords, 2, "init_val")
    if test is None or body is None or init is None:
        return Unknown()
    why = body_reason(frame, node, "lax.while_loop")

    def step(inner: Frame, carry: Value) -> Value:
        inner.call(test, [carry], {}, node)
        return inner.call(body, [carry], {}, node)

    return _carried(frame, init, why, step)


def _carried(
    frame: Frame, init: Value, why: Why, step: Callable[[Frame, Value], Value]
) -> Value:
    carry = as_tracers(init, why)
    inner = inner_frame(frame, staging=True)
    for _ in range(2):
        result = as_tracers(step(inner, carry), why)
        merged = _merged(carry, result)
        if merged == carry:
            break
        carry = merged
    return carry if frame.under else as_concrete(carry)


def is_callable(value: Value) -> bool:
    return isinstance(
        value,
        FunctionValue
        | BoundValue
        | PartialValue
        | TransformedValue
        | Lib
        | MethodValue
        | ClassValue,
    )


def _cond(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    why = body_reason(frame, node, "lax.cond")
    inner = inner_frame(frame, staging=True)
    if len(args) == 5 and not is_callable(args[1]) and is_callable(args[2]):
        pairs = [(args[2], [args[1]]), (args[4], [args[3]])]
    elif len(args) >= 3:
        operands = [keywords["operand"]] if "operand" in keywords else args[3:]
        pairs = [(args[1], operands), (args[2], operands)]
    else:
        return Unknown()
    results = [
        as_tracers(inner.call(f, [as_tracers(o, why) for o in operands], {}, node), why)
        for f, operands in pairs
    ]
    out = _merged(results[0], results[1])
    return out if frame.under else as_concrete(out)


def _switch(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    branches = python_calls.known_items(args[1]) if len(args) > 1 else None
    if branches is None:
        elem = python_calls.iterate(frame, args[1]) if len(args) > 1 else Unknown()
        branches = (elem,)
    why = body_reason(frame, node, "lax.switch")
    inner = inner_frame(frame, staging=True)
    operands = [as_tracers(o, why) for o in args[2:]]
    out: Value | None = None
    for branch in branches:
        result = as_tracers(inner.call(branch, list(operands), {}, node), why)
        out = result if out is None else _merged(out, result)
    out = out if out is not None else Unknown()
    return out if frame.under else as_concrete(out)


def _map(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    function = _argument(args, keywords, 0, "f")
    xs = _argument(args, keywords, 1, "xs")
    if function is None or xs is None:
        return Unknown()
    why = body_reason(frame, node, "lax.map")
    inner = inner_frame(frame, staging=True)
    out = unrow(
        as_tracers(inner.call(function, [row(as_tracers(xs, why))], {}, node), why)
    )
    return out if frame.under else as_concrete(out)


def _associative_scan(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    function = _argument(args, keywords, 0, "fn")
    elems = _argument(args, keywords, 1, "elems")
    if function is None or elems is None:
        return Unknown()
    traced = as_tracers(elems, body_reason(frame, node, "lax.associative_scan"))
    inner_frame(frame, staging=True).call(function, [traced, traced], {}, node)
    return traced if frame.under else as_concrete(traced)


def _tree_map(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 2:
        return Unknown()
    return _on_leaves(frame, args[0], args[1], list(args[2:]), node)


def _on_leaves(
    frame: Frame, function: Value, tree: Value, rest: list[Value], node: ast.AST | None
) -> Value:
    match tree:
        case Const(value=None):
            return tree
        case Seq(kind="tuple" | "list", items=items) if items is not None:
            columns = [python_calls.known_items(r) for r in rest]
            return replace(
                tree,
                items=tuple(
                    _on_leaves(
                        frame,
                        function,
                        v,
                        [c[i] if c and i < len(c) else Unknown() for c in columns],
                        node,
                    )
                    for i, v in enumerate(items)
                ),
            )
        case Dict(items=pairs) if pairs is not None:
            return Dict(
                tuple(
                    (
                        k,
                        _on_leaves(
                            frame,
                            function,
                            v,
                            [
                                (r.get(k) if isinstance(r, Dict) else None) or Unknown()
                                for r in rest
                            ],
                            node,
                        ),
                    )
                    for k, v in pairs
                )
            )
        case InstanceValue() if tree.cls.kind != "enum":
            attrs = {
                k: _on_leaves(
                    frame,
                    function,
                    v,
                    [
                        r.attrs.get(k, Unknown())
                        if isinstance(r, InstanceValue)
                        else Unknown()
                        for r in rest
                    ],
                    node,
                )
                if k not in tree.cls.static_fields
                else v
                for k, v in tree.attrs.items()
            }
            return tree.copied(attrs)
        case Seq() | Dict():
            inner = _on_leaves(
                frame, function, element(tree), [Unknown()] * len(rest), node
            )
            return replace(tree, items=None, elem=inner)
        case Unknown():
            return frame.call(function, [tree, *rest], {}, node)
        case _:
            result = frame.call(function, [tree, *rest], {}, node)
            if isinstance(tree, Array) and tree.tree and isinstance(result, Array):
                return replace(result, tree=True, assumed=tree.assumed)
            return result


def _leaves(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    return Seq("list", None, _leaf(args[0])) if args else Unknown()


def _leaf(tree: Value) -> Value:
    match tree:
        case Seq() | Dict():
            inner = element(tree)
            return _leaf(inner) if isinstance(inner, Seq | Dict) else inner
        case _:
            return tree


def _forward(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    """`jax.vjp(f, *primals)`, `jax.linearize(f, *primals)`."""
    if not args:
        return Unknown()
    frame.interp.grad_depth += 1
    out = frame.call(args[0], args[1:], {}, node)
    frame.interp.grad_depth -= 1
    return Seq("tuple", (out, Unknown()))


def _jvp(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 2:
        return Unknown()
    primals = python_calls.known_items(args[1]) or ()
    out = frame.call(args[0], list(primals), {}, node)
    return Seq("tuple", (out, out))


def _eval_shape(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if args:
        why = body_reason(frame, node, "jax.eval_shape")
        inner = inner_frame(frame, staging=True)
        inner.call(args[0], [as_tracers(a, why) for a in args[1:]], keywords, node)
    return Unknown()


def _per_slice(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    """`jnp.apply_along_axis(f, axis, x)`."""
    if len(args) < 3:
        return Unknown()
    why = body_reason(frame, node, "jnp.apply_along_axis")
    inner = inner_frame(frame, staging=False)
    inner.call(args[0], [Array(True, why=why)], {}, node)
    return Array(frame.staging or tracer(args[2]) is not None, why=args[2].why)


def _piecewise(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    if len(args) < 3:
        return Unknown()
    why = body_reason(frame, node, "jnp.piecewise")
    inner = inner_frame(frame, staging=True)
    for function in python_calls.known_items(args[2]) or ():
        if is_callable(function):
            inner.call(function, [Array(True, why=why)], {}, node)
    return Array(frame.staging or tracer(args[0]) is not None, why=args[0].why)


def _solver(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    """`lax.custom_root`, `custom_linear_solve`: run the functions on the operand."""
    why = body_reason(frame, node, "a custom solver")
    inner = inner_frame(frame, staging=True)
    operand = args[1] if len(args) > 1 else Unknown()
    if args and is_callable(args[0]):
        inner.call(args[0], [as_tracers(operand, why)], {}, node)
    return as_tracers(operand, why) if frame.under else as_concrete(operand)


def _host_callback(frame: Frame, args: list[Value]) -> Value:
    if args and is_callable(args[0]):
        host = Frame(
            frame.interp, frame.module, frame.scope, frame.function, stack=frame.stack
        )
        host.call(args[0], [as_concrete(a) for a in args[1:]])
    return Array(frame.staging)


def _concrete_block(
    frame: Frame, args: list[Value], keywords: dict[str, Value], node: ast.AST | None
) -> Value:
    return Lib("jax.ensure_compile_time_eval()")


PRIMITIVES: dict[str, Any] = {
    "jax.lax.scan": _scan,
    "jax.lax.fori_loop": _fori_loop,
    "jax.lax.while_loop": _while_loop,
    "jax.lax.cond": _cond,
    "jax.lax.switch": _switch,
    "jax.lax.map": _map,
    "jax.lax.associative_scan": _associative_scan,
    "jax.lax.custom_root": _solver,
    "jax.lax.custom_linear_solve": _solver,
    "jax.tree.map": _tree_map,
    "jax.tree_map": _tree_map,
    "jax.tree_util.tree_map": _tree_map,
    "jax.tree.leaves": _leaves,
    "jax.tree_util.tree_leaves": _leaves,
    "jax.tree_leaves": _leaves,
    "jax.vjp": _forward,
    "jax.linearize": _forward,
    "jax.jvp": _jvp,
    "jax.eval_shape": _eval_shape,
    "jax.numpy.apply_along_axis": _per_slice,
    "jax.numpy.piecewise": _piecewise,
    "jax.ensure_compile_time_eval": _concrete_block,
}
