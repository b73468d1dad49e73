"""Functions that the project transforms or declares, run on what they say they take."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Sequence

from .arguments import as_tracers
from .finding import Evidence
from .frame import Frame, inner_frame
from .objects import (
    BoundValue,
    ClassValue,
    FunctionValue,
    PartialValue,
    TransformedValue,
)
from .transformed import bound_count, positional_names, takes_object, underlying
from .transforms import call, loosened
from .values import (
    Array,
    Const,
    Dict,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    Why,
    shape,
    strong,
    type_name,
)


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
    if arg.annotation is not None and arg.arg not in dict(fn.defaults):
        container = container_of(arg.annotation)
        if container is not None:
            return container
    kind = annotation_kind(arg.annotation)
    if default is not None:
        if isinstance(default, Const) and default.value is None:
            return Union((Const(None), Unknown()))
        if kind == "array":
            return Array(False)
        return loosened(default)
    return by_kind(kind) or Unknown()


def container_of(annotation: ast.expr) -> Value | None:
    """The list, tuple or dict that an annotation speaks of, with its items."""
    match annotation:
        case ast.Constant(value=str() as text):
            try:
                return container_of(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return None
        case ast.Subscript(
            value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner
        ):
            match name, inner:
                case "list" | "List", _:
                    return Seq("list", None, item_of(inner))
                case "dict" | "Dict", ast.Tuple(elts=[_, values]):
                    return Dict(None, item_of(values))
                case "tuple" | "Tuple", ast.Tuple(elts=[one, ast.Constant(value=end)]):
                    if end is ...:
                        return Seq("tuple", None, item_of(one))
                case "tuple" | "Tuple", ast.Tuple(elts=parts):
                    return Seq("tuple", tuple(map(item_of, parts)))
    return None


def item_of(annotation: ast.expr) -> Value:
    """What an annotation says of an item of a container."""
    found = container_of(annotation)
    if found is not None:
        return found
    return by_kind(annotation_kind(annotation)) or Unknown()


def by_kind(kind: str) -> Value | None:
    if kind == "array":
        return Array(False)
    if kind in ("float", "int", "bool", "str"):
        return Static(kind)
    return Static("") if kind == "static" else None


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
