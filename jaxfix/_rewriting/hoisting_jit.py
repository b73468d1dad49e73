"""Jitting a function once: in its module, before the loop, or in `__init__`."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxfix._analysis.call_sites import Parameter, Site, Unclear, argument
from jaxfix._analysis.definitions import unchanged
from jaxfix._analysis.demands import demand_of
from jaxfix._analysis.dict_order import order_matters
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix, Safety
from jaxfix._analysis.fresh import Rejit, captures, varies
from jaxfix._analysis.hashing import stores
from jaxfix._analysis.objects import ClassValue, InstanceValue
from jaxfix._analysis.scopes import reads, writes
from jaxfix._analysis.static_uses import is_real, loops_around, value_of
from jaxfix._analysis.transform_names import GRAD, VMAP
from jaxfix._analysis.transformed import underlying
from jaxfix._analysis.values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Unknown,
    Value,
    alternatives,
    type_name,
)

from .rewrite import Rewriter

if TYPE_CHECKING:
    from .blocks import Statements
    from .write import Writer

BEFORE, MODULE, INIT = "before the loop", "in the module", "in the object"
AXES = frozenset(["in_axes", "out_axes"])
PREFIXES = {"grad": "grad_", "value_and_grad": "value_and_grad_", "vmap": "batched_"}


@dataclass(slots=True)
class Hoist:
    """Where a jit goes, and what it then takes.

    `passed` are captured variables that become arguments, `static` those of them whose
    values are needed while tracing; `leading` and `keywords` are what a partial bound.
    """

    title: str
    place: str
    function: ast.expr
    passed: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    leading: list[ast.expr] = field(default_factory=list)
    keywords: list[ast.keyword] = field(default_factory=list)
    safety: Safety = Safety.SAFE


def plan(fn: Function, found: Rejit) -> Hoist:
    """Where the jit can go.

    Raises:
      CannotFix: the function depends on what cannot be an argument.
    """
    if not found.calls and (found.captured or found.kind == "partial"):
        return _before_loop(found)  # no call is there to take more arguments
    match found.kind:
        case "method":
            return _method(fn, found)
        case "partial":
            return _partial(fn, found)
        case _:
            return _lambda(fn, found)


# --- lambdas, and transforms of functions


def _lambda(fn: Function, found: Rejit) -> Hoist:
    inner = _innermost(found.function)
    title = "jitted once in the module"
    if not found.captured:
        _check_eager(fn, found)
        return Hoist(title, MODULE, found.function)
    outside = set(captures(fn, found.node)) - set(
        captures(fn, inner) if isinstance(inner, ast.Lambda) else ()
    )
    if not isinstance(inner, ast.Lambda) or outside:
        return _before_loop(found)
    mapped = False
    for call in _transforms(found.function):
        name = fn.library(call) or ""
        mapped = mapped or name in VMAP
        if name not in GRAD and not _maps_plainly(call, name, inner):
            return _before_loop(found)
    if mapped and any(call.keywords for call in found.calls):
        return _before_loop(found)  # `vmap` maps over every keyword argument
    spec = inner.args
    if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.defaults:
        return _before_loop(found)
    static = []
    for name in found.captured:
        if is_static_in(fn, inner, name):
            static.append(name)
        elif not _is_data(fn, inner, name):
            return _before_loop(found)
    if mapped and static:
        return _before_loop(found)
    _check_eager(fn, found)
    return Hoist(title, MODULE, found.function, found.captured, tuple(static))


def _maps_plainly(call: ast.Call, name: str, inner: ast.Lambda) -> bool:
    """Is it a `vmap` whose axes can be told, so that `None` can be added to them?"""
    if name not in VMAP or any(k.arg not in AXES for k in call.keywords):
        return False
    axes = _axes(call)
    match axes:
        case None | ast.Constant(value=int()):
            return True
        case ast.Tuple(elts=elements):
            count = len(inner.args.posonlyargs) + len(inner.args.args)
            return len(elements) == count
        case _:
            return False


def _axes(call: ast.Call) -> ast.expr | None:
    given = next((k.value for k in call.keywords if k.arg == "in_axes"), None)
    return call.args[1] if given is None and len(call.args) > 1 else given


def _more_axes(call: ast.Call, count: int) -> ast.expr:
    """`in_axes` with `None` for as many more arguments."""
    inner = _innermost(call)
    assert isinstance(inner, ast.Lambda), "checked by the plan"
    nones: list[ast.expr] = [ast.Constant(None) for _ in range(count)]
    match _axes(call):
        case ast.Tuple(elts=elements):
            old = elements
        case axes:
            places = [*inner.args.posonlyargs, *inner.args.args]
            old = [axes or ast.Constant(0) for _ in places]
    return ast.Tuple([*old, *nones], ast.Load())


def _innermost(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return node


def _transforms(node: ast.expr) -> list[ast.Call]:
    found = []
    while isinstance(node, ast.Call) and node.args:
        found.append(node)
        node = node.args[0]
    return found


def _before_loop(found: Rejit) -> Hoist:
    """The same expression, before the outermost loop."""
    if not found.loops or not isinstance(found.loops[-1], ast.For | ast.While):
        raise CannotFix("it depends on variables that cannot become arguments")
    if varies(found, found.captured):
        raise CannotFix("it depends on variables that change in the loop")
    return Hoist("jitted once before the loop", BEFORE, found.function)


def _is_data(fn: Function, inner: ast.Lambda, name: str) -> bool:
    """Is a captured variable a number, an array, or a structure of such?"""
    scope = fn.facts.function(inner) or fn
    for node in ast.walk(inner.body):
        if isinstance(node, ast.Name) and node.id == name:
            value = value_of(scope, node) or value_of(fn, node) or Unknown()
            if isinstance(value, Unknown):
                return _is_computed_with(scope, inner.body, name)
            if not _is_number(value) or order_matters(fn.facts, scope.module, node):
                return False
    return True


def _is_computed_with(
    scope: Function, body: ast.AST, name: str, depth: int = 4
) -> bool:
    """Is a variable only an operand, or given to functions that compute with it?"""
    uses = [n for n in ast.walk(body) if isinstance(n, ast.Name) and n.id == name]
    return all(_is_operand(scope, use, depth) for use in uses)


def _is_operand(scope: Function, use: ast.Name, depth: int) -> bool:
    parent = scope.module.parent(use)
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.AugAssign():
            return True
        case ast.Call() if parent.func is not use and depth:
            for callee in scope.callees(parent):
                if isinstance(callee, Lib) and callee.name.startswith("jax."):
                    continue
                if not _computes_with(scope, parent, callee, use, depth):
                    return False
            return bool(scope.callees(parent))
        case _:
            return False


def _computes_with(
    scope: Function, call: ast.Call, callee: Value, use: ast.Name, depth: int
) -> bool:
    function = underlying(callee)
    inner = scope.facts.function(function.node) if function is not None else None
    record = scope.call(call)
    if function is None or inner is None or record is None:
        return False
    spec = function.node.args
    for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        try:
            given = argument(Site(record, callee), arg.arg)
        except Unclear:
            return False
        if given is use:
            body = function.node.body
            parts = [body] if isinstance(body, ast.expr) else body
            whole = ast.Module(list(parts), [])  # type: ignore[arg-type]
            return _is_computed_with(inner, whole, arg.arg, depth - 1)
    return False


def _is_number(value: Value) -> bool:
    return all(_is_data_option(o) for o in alternatives(value))


def _is_data_option(value: Value) -> bool:
    match value:
        case Array():
            return True
        case Const() | Static():
            return type_name(value) in ("int", "float", "bool", "complex")
        case Seq(items=items) if items is not None:
            return all(_is_number(v) for v in items)
        case Dict(items=pairs) if pairs is not None:
            return all(_is_number(v) for _, v in pairs)
        case _:
            return False


def is_static_in(fn: Function, inner: ast.Lambda | ast.FunctionDef, name: str) -> bool:
    """Is the value of a captured variable needed while the function is traced?"""
    scope = fn.facts.function(inner)
    if scope is None:
        return False
    for node in ast.walk(inner):
        demand = demand_of(scope, node)
        parts = demand.parts if demand is not None else ()
        if any(name in reads(part) for part in parts):
            return True
        match node:
            case ast.BinOp(op=ast.Pow(), right=exponent) if name in reads(exponent):
                if not is_real(value_of(scope, exponent)):
                    return True
            case ast.Call() if _passed_static(scope, node, name):
                return True
    return False


def _passed_static(scope: Function, node: ast.Call, name: str) -> bool:
    record = scope.call(node)
    for callee in scope.callees(node):
        function = underlying(callee)
        if function is None or record is None:
            continue
        spec = function.node.args
        for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
            if Parameter(function.node, arg.arg) in scope.facts.used_as_static:
                try:
                    given = argument(Site(record, callee), arg.arg)
                except Unclear:
                    continue
                if given is not None and name in reads(given):
                    return True
    return False


# --- partials


def _partial(fn: Function, found: Rejit) -> Hoist:
    call = found.function
    assert isinstance(call, ast.Call), "a partial is a call"
    inner = call.args[0] if call.args else None
    bound = [*call.args[1:], *(k.value for k in call.keywords)]
    is_plain = isinstance(inner, ast.Name) and inner.id not in found.captured
    if not is_plain or any(isinstance(a, ast.Starred) for a in bound):
        return _before_loop(found)
    if any(k.arg is None for k in call.keywords):
        return _before_loop(found)
    assert isinstance(inner, ast.Name), "checked"
    function = underlying(value_of(fn, inner) or Const(None))
    if function is None:
        return _before_loop(found)
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    pairs = [
        *zip(names, call.args[1:], strict=False),
        *((str(k.arg), k.value) for k in call.keywords),
    ]
    static = []
    for name, given in pairs:
        value = value_of(fn, given)
        if Parameter(function.node, name) in fn.facts.used_as_static:
            static.append(name)
        elif value is None or not _is_number(value):
            return _before_loop(found)
    for given in bound:
        _check_kept(fn, found, given)
    _check_eager(fn, found, only=inner)
    return Hoist(
        "jitted once in the module",
        MODULE,
        inner,
        (),
        tuple(static),
        list(call.args[1:]),
        list(call.keywords),
    )


def _check_kept(fn: Function, found: Rejit, given: ast.expr) -> None:
    """Has what the partial binds the same value where the result is called?

    Raises:
      CannotFix: it may have changed by then.
    """
    if found.variable is None:
        return
    text = ast.unparse(given)
    if any(isinstance(node, ast.Call) for node in ast.walk(given)):
        raise CannotFix(f"`{text}` would be computed again")
    for call in found.calls:
        inner = [o for o in loops_around(fn, call) if o not in found.loops]
        if not unchanged(fn, given, found.variable, call) or any(
            {*writes([loop])} & {*reads(given)}
            for loop in inner
            if isinstance(loop, ast.stmt)
        ):
            raise CannotFix(f"`{text}` has changed where it is called")


# --- methods


def _method(fn: Function, found: Rejit) -> Hoist:
    method = _innermost(found.function)
    assert isinstance(method, ast.Attribute), "a bound method is an attribute"
    for option in alternatives(value_of(fn, method.value) or Const(None)):
        if isinstance(option, InstanceValue):
            _check_constant(fn, option.cls, method.attr)
    cls = owner_class(fn)
    first = _first_parameter(fn)
    receiver = method.value
    if cls is None or not isinstance(receiver, ast.Name) or receiver.id != first:
        return _before_loop(found)
    if set(found.captured) != {first}:
        raise CannotFix("it depends on local variables of the method")
    _check_class(cls)
    title = "jitted once for each object"
    public = _public_state(cls, method.attr)
    if public:
        title += f" (it keeps the `{public[0]}` of its first call)"
    # A subclass that is not seen may have an `__init__` of its own.
    is_open = bool(public) or not cls.name.startswith("_")
    safety = Safety.UNSAFE if is_open else Safety.SAFE
    return Hoist(title, INIT, found.function, safety=safety)


def _check_constant(fn: Function, cls: ClassValue, method: str) -> None:
    """Do the attributes that a method reads stay as they are?

    Raises:
      CannotFix: one is assigned after `__init__`.
    """
    read = attributes_read(cls, method)
    for _, store in stores(fn.facts, cls):
        if store.attr in read:
            text = ast.unparse(store)
            raise CannotFix(
                f"`{text}`, which the method reads, is assigned (line {store.lineno}): "
                "the program would keep its first value"
            )


def _public_state(cls: ClassValue, method: str) -> list[str]:
    """The attributes that a method reads and that code which is not seen may assign."""
    if cls.frozen:
        return []
    assigned = {
        node.attr
        for node in ast.walk(cls.node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    } | {*cls.fields}
    read = attributes_read(cls, method)
    return sorted(n for n in assigned & read if not n.startswith("_"))


def owner_class(fn: Function) -> ClassValue | None:
    return fn.definition.owner if fn.definition is not None else None


def _first_parameter(fn: Function) -> str | None:
    if isinstance(fn.node, ast.Module):
        return None
    spec = fn.node.args
    return next((a.arg for a in (*spec.posonlyargs, *spec.args)), None)


def attributes_read(cls: ClassValue, method: str) -> set[str]:
    """The attributes of `self` that a method reads, itself or by methods it names."""
    found: set[str] = set()
    todo = [method]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        function = underlying(cls.lookup(name) or Const(None))
        if function is not None:
            todo += [
                n.attr for n in ast.walk(function.node) if isinstance(n, ast.Attribute)
            ]
    return found


def _check_class(cls: ClassValue) -> None:
    if cls.kind not in ("plain", "dataclass"):
        raise CannotFix(f"`{cls.name}` takes no new attributes")
    if "__slots__" in cls.scope.vars:
        raise CannotFix(f"`{cls.name}` has `__slots__`")
    init = own_init(cls)
    if init is not None:
        for node in ast.walk(init):
            if isinstance(node, ast.Return):
                raise CannotFix("`__init__` may return early")


def own_init(cls: ClassValue) -> ast.FunctionDef | None:
    for stmt in cls.node.body:
        if isinstance(stmt, ast.FunctionDef) and stmt.name == "__init__":
            return stmt
    return None


# --- places in the module


def _check_eager(fn: Function, found: Rejit, only: ast.expr | None = None) -> None:
    """Are the names that the hoisted expression reads at once bound where it goes?

    Raises:
      CannotFix: one is defined later in the module.
    """
    place = top_statement(fn, found.node)
    names = eager_names(only if only is not None else found.function)
    for stmt in fn.module.tree.body:
        if stmt is place:
            return
        names -= _bound_names(stmt)
        if not names:
            return
    late = ", ".join(f"`{n}`" for n in sorted(names))
    raise CannotFix(f"{late} would have to be defined before")


def eager_names(node: ast.expr) -> set[str]:
    """The names that an expression reads when evaluated, not when called."""
    found: set[str] = set()
    todo: list[ast.AST] = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Name):
            found.add(one.id)
        if not isinstance(one, ast.Lambda):
            todo += ast.iter_child_nodes(one)
    return found


def _bound_names(stmt: ast.stmt) -> set[str]:
    match stmt:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import() | ast.ImportFrom():
            return {a.asname or a.name.partition(".")[0] for a in stmt.names}
        case _:
            return {
                n.id
                for n in ast.walk(stmt)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }


def top_statement(fn: Function, node: ast.AST) -> ast.stmt:
    """The statement of the module in which a node stands."""
    inner: ast.AST = node
    for outer in fn.module.ancestors(node):
        if isinstance(outer, ast.Module):
            break
        inner = outer
    assert isinstance(inner, ast.stmt), "a module consists of statements"
    return inner


# --- carrying it out


def carry_out(write: Rewriter, fn: Function, found: Rejit) -> None:
    hoist = plan(fn, found)
    writer = write.writer(fn.module)
    if hoist.place == INIT:
        name = _into_object(writer, fn, found)
    else:
        scope = fn.module.tree if hoist.place == MODULE else fn.node
        own = own_name(fn, found.variable)
        name = own or writer.fresh(name_for(found.function), scope)
        made = _new_jit(fn, found, hoist)
        place, blank = _place(fn, found, hoist)
        known = _functions_above(place, fn) if _hands_on(found, hoist) else frozenset()

        def assignment() -> Statements:
            value = _direct(writer.expr(made), known)
            return writer.parse(f"{blank}{name} = {value}")

        writer.insert_before(place, assignment)
    if found.variable is not None:
        writer.remove(found.variable)
    if not found.calls:
        writer.edit(found.node, name)
    for call in found.calls:
        _redirect(writer, call, name, hoist)


def _place(fn: Function, found: Rejit, hoist: Hoist) -> tuple[ast.stmt, str]:
    """The statement before which the jit goes, and the blank lines before it."""
    if hoist.place == BEFORE:
        loop = found.loops[-1]
        assert isinstance(loop, ast.stmt), "checked by the plan"
        return loop, ""
    place = top_statement(fn, found.node)
    body = fn.module.tree.body
    at = next(i for i, stmt in enumerate(body) if stmt is place)
    match body[at - 1] if at else None:
        case ast.Import() | ast.ImportFrom():
            return place, "\n"
        case _:
            return place, ""


def _hands_on(found: Rejit, hoist: Hoist) -> bool:
    """Are the arguments of the jitted function told by their positions alone?"""
    settings = [*found.node.keywords, *(k for c in found.calls for k in c.keywords)]
    return not settings and not hoist.static and not hoist.keywords


def _functions_above(place: ast.stmt, fn: Function) -> frozenset[str]:
    """Functions of the module that stand above `place`, and keep their names."""
    body = fn.module.tree.body
    defined = [
        stmt.name
        for stmt in body[: next((i for i, s in enumerate(body) if s is place), 0)]
        if isinstance(stmt, ast.FunctionDef)
    ]
    stores = Counter(name for stmt in body for name in writes([stmt]))
    return frozenset(
        n for n in defined if stores[n] == 1 and n not in fn.module.rebound
    )


def _direct(text: str, functions: frozenset[str]) -> str:
    """`jit(lambda x, y: f(x, y))` as `jit(f)`, for these `f`."""
    node: ast.expr = ast.parse(text, mode="eval").body
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.Call):
        return text
    plain = ast.arguments([], node.args.args, None, [], [], None, [])
    call = ast.Call(
        node.body.func, [ast.Name(a.arg, ast.Load()) for a in plain.args], []
    )
    name = ast.unparse(node.body.func)
    same = ast.dump(ast.Lambda(plain, call)) == ast.dump(node)
    lambda_ = ast.get_source_segment(text, node)
    if not same or name not in functions or lambda_ is None:
        return text
    return text.replace(lambda_, name, 1)


def own_name(fn: Function, variable: ast.Assign | None) -> str | None:
    """The variable that held the jit, if it may be one of the module as well."""
    if variable is None or not isinstance(variable.targets[0], ast.Name):
        return None
    name = variable.targets[0].id
    stores = [
        n
        for n in ast.walk(fn.module.tree)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    ]
    alone = len(stores) == 1 and name not in fn.module.globals
    return name if alone and len(name) > 2 else None


def name_for(function: ast.expr) -> str:
    """What a reader would call it: `grad_loss`, `jitted_step`, `compiled`."""
    transforms = _transforms(function)
    inner = _innermost(function)
    if isinstance(inner, ast.Lambda):
        return "compiled"
    base = ast.unparse(inner).rpartition(".")[2].lstrip("_")
    for call in transforms:
        prefix = PREFIXES.get(ast.unparse(call.func).rpartition(".")[2])
        if prefix is not None:
            return f"{prefix}{base}"
    return f"jitted_{base}"


def _new_jit(fn: Function, found: Rejit, hoist: Hoist) -> ast.expr:
    """The jit with the captured variables as parameters."""
    function = _with_parameters(fn, hoist.function, hoist.passed)
    keywords = list(found.node.keywords)
    if hoist.static:
        names = ast.Tuple([ast.Constant(n) for n in hoist.static], ast.Load())
        keywords.append(ast.keyword("static_argnames", names))
    return ast.Call(found.node.func, [function, *found.node.args[1:]], keywords)


def _with_parameters(fn: Function, node: ast.expr, names: tuple[str, ...]) -> ast.expr:
    if not names:
        return node
    if isinstance(node, ast.Call):
        inner = _with_parameters(fn, node.args[0], names)
        if fn.library(node) not in VMAP:
            return ast.Call(node.func, [inner, *node.args[1:]], node.keywords)
        others = [k for k in node.keywords if k.arg != "in_axes"]
        axes = ast.keyword("in_axes", _more_axes(node, len(names)))
        return ast.Call(node.func, [inner], [axes, *others])
    assert isinstance(node, ast.Lambda), "checked by the plan"
    spec = node.args
    extra = [ast.arg(name) for name in names]
    return ast.Lambda(
        ast.arguments(spec.posonlyargs, [*spec.args, *extra], None, [], [], None, []),
        node.body,
    )


def _redirect(writer: Writer, call: ast.Call, name: str, hoist: Hoist) -> None:
    """Let a call call the new function, with what it captured."""
    if ast.unparse(call.func) != name:
        writer.edit(call.func, name)
    by_name = [f"{n}={n}" for n in hoist.passed]
    for text in by_name if call.keywords else hoist.passed:
        writer.add_argument(call, text)
    given = {k.arg for k in call.keywords}
    for keyword in hoist.keywords:
        if keyword.arg in given:
            continue  # the call has the last word
        writer.add_argument(call, f"{keyword.arg}={writer.expr(keyword.value)}")
    for one in hoist.leading:
        writer.put_first(call, writer.expr(one))


def _into_object(writer: Writer, fn: Function, found: Rejit) -> str:
    """Jit a method once for each object; how the result is spelled."""
    cls = owner_class(fn)
    first = _first_parameter(fn)
    assert cls is not None and first is not None, "checked by the plan"
    taken = {
        *cls.scope.vars,
        *(n.attr for n in ast.walk(cls.node) if isinstance(n, ast.Attribute)),
    }
    own = getattr(fn.node, "name", "method").strip("_")
    name = next(
        n for n in (f"_{own}", f"_jitted_{own}", f"_{own}_program") if n not in taken
    )
    # Its own node is where the calls now name the attribute.
    jit = ast.Call(found.node.func, found.node.args, found.node.keywords)
    init = own_init(cls)
    if init is not None:
        receiver = init.args.args[0].arg

        def assignment() -> object:
            return writer.parse(f"{receiver}.{name} = {writer.expr(jit)}")

        if receiver != first:
            raise CannotFix("`__init__` calls its object by another name")
        writer.insert_after(init.body[-1], assignment)  # type: ignore[arg-type]
        return f"{first}.{name}"
    decorator = writer.name("functools.cached_property")
    assert isinstance(fn.node, ast.FunctionDef), "methods are functions"
    writer.insert_before(
        fn.node,
        lambda: writer.parse(
            f"@{decorator}\ndef {name}({first}):\n    return {writer.expr(jit)}\n"
        ),
    )
    return f"{first}.{name}"


__all__ = ["Hoist", "carry_out", "is_static_in", "plan", "top_statement"]
