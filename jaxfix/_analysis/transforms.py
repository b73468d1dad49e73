"""What transforms do to the functions that they are given."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from . import derivatives, python_calls
from .arguments import as_concrete, as_tracers, has_axis, row, unrow
from .frame import Frame, inner_frame, join_all
from .objects import (
    InstanceValue,
    PartialValue,
    TransformedValue,
)
from .primitives import PRIMITIVES, host_callback
from .transform_names import (
    CHECKPOINT,
    EXTRA,
    FILTER_JIT,
    GRAD,
    HESSIAN,
    HOST_CALLBACKS,
    JIT,
    MAKE_JAXPR,
    POSITIONAL_OPTIONS,
    REVERSE,
    TRACED,
    VECTORIZE,
    VMAP,
    WRAPPERS,
)
from .transformed import (
    constants,
    declares_unseen,
    positional_names,
    reason,
    static_names,
    underlying,
)
from .values import (
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
    holds_tracer,
    replace,
    type_name,
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
        return host_callback(frame, args)
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


# --- control-flow primitives and other functions that take functions
