"""Carries out a `Hoist`: parameters, arguments, and functions of the old signature."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxfix._analysis import build
from jaxfix._analysis.changes import FUNCTIONS, ScopeNode
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.hoisting import Handover, Hoist, Item, Parameters, Shield
from jaxfix._analysis.project import Module
from jaxfix._analysis.scopes import local_names, root_name
from jaxfix._analysis.uses import PARTIAL, Layer, Use

from .rewrite import Rewriter
from .spelling import spell_parameters
from .static_options import check_declaration, declare

if TYPE_CHECKING:
    from .write import Writer

FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef


def carry_out(hoist: Hoist, write: Rewriter) -> None:
    """Register all edits of a plan.

    Raises:
      CannotFix: an old name has no free neighbour, or a place cannot be edited.
    """
    for layer, names in hoist.static:
        require_kept(layer, hoist.shields, write)
        for root in write.facts.roots_at.get(id(layer.node), ()):
            check_declaration(root)
            declare(write, root, add=names)
    for parameters in hoist.parameters:
        add_parameters(parameters, write)
    for item in hoist.items:
        for module, read in item.reads:
            if not (isinstance(read, ast.Name) and read.id == item.name):
                write.writer(module).edit(read, item.name)
    for handover in hoist.handovers:
        hand_over(handover, write)
    for use, items in hoist.bound:
        bind(write.writer(use.module), use, items)
    for layer, parameters, count in hoist.mapped:
        map_none(write.writer(layer.module), layer.node, parameters, count)
    for shield in hoist.shields:
        put_behind(shield, write)


def require_kept(layer: Layer, shields: Sequence[Shield], write: Rewriter) -> None:
    """An expression that is written anew keeps no option that is added to it.

    Raises:
      CannotFix: the transform is in such an expression.
    """
    for shield in shields:
        if shield.layer.node is not layer.node:
            continue
        match layer.module.parent(layer.node):
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                continue
            case ast.Assign(targets=[ast.Name(), *_]):
                continue
            case ast.Assign(targets=[ast.Attribute()]) if is_method(
                shield.parameters, write
            ):
                continue
        raise CannotFix("it is jitted in an expression, and needs a static argument")


def touch(write: Rewriter, function: ScopeNode) -> None:
    made = write.facts.function(function)
    if made is not None:
        write.touch(made)


def add_parameters(parameters: Parameters, write: Rewriter) -> None:
    function, names = parameters.function, [i.name for i in parameters.items]
    writer = write.writer(parameters.module)
    touch(write, function)
    if isinstance(function, ast.Lambda):
        old = function.args
        added = [ast.arg(n) for n in names]
        if parameters.keyword_only:
            named = [*old.kwonlyargs, *added]
            defaults = [*old.kw_defaults, *(None for _ in added)]
            new = ast.arguments(
                old.posonlyargs,
                old.args,
                old.vararg,
                named,
                defaults,
                old.kwarg,
                old.defaults,
            )
        else:
            new = ast.arguments(
                old.posonlyargs,
                [*old.args, *added],
                old.vararg,
                old.kwonlyargs,
                old.kw_defaults,
                old.kwarg,
                old.defaults,
            )
        made = ast.Lambda(new, function.body)
        writer.edit(function, lambda: writer.expr(made))
        return
    for name in names:
        writer.add_parameter(function, name, keyword_only=parameters.keyword_only)


def hand_over(handover: Handover, write: Rewriter) -> None:
    use = handover.use
    assert isinstance(use.node, ast.Call), "a use that is called"
    writer = write.writer(use.module)
    touch(write, use.owner)
    for item in handover.items:
        text = (
            item.name
            if handover.from_compiled
            else spelled(item, writer, use.module, use.owner, receiver_of(use.node))
        )
        argument = f"{item.name}={text}" if handover.by_keyword else text
        writer.add_argument(use.node, argument)


def receiver_of(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def spelled(
    item: Item,
    writer: Writer,
    module: Module,
    scope: ScopeNode,
    receiver: ast.expr | None,
) -> str:
    """How the host names the value of an item."""
    root = item.root
    if root is None:
        assert receiver is not None, "a method has a receiver"
        return f"{ast.unparse(receiver)}{item.tail}"
    is_here = root.kind == "local" or module.path == root.owner
    if is_here or (item.is_shared and root.name in module.globals):
        return root.name + item.tail
    for where, read in item.reads:
        # As this file names it already: by the module, which always has the last value.
        base = root_name(read)
        is_module = base is not None and isinstance(read, ast.Attribute)
        if where is module and is_module and base not in names_of(scope):
            return ast.unparse(read)
    return writer.name(f"{item.owner_name}.{root.name}", scope) + item.tail


def names_of(scope: ScopeNode) -> tuple[str, ...]:
    return () if isinstance(scope, ast.Module) else local_names(scope)


def bind(writer: Writer, use: Use, items: Sequence[Item]) -> None:
    """`f` → `partial(f, rate=rate)`, where compiled code passes `f` on."""
    node, last = use.node, use.layers[-1:]
    keywords = [f"{i.name}={i.name}" for i in items]
    if isinstance(node, ast.Call) and [(one.node, one.name) for one in last] == [
        (node, PARTIAL)
    ]:
        for keyword in keywords:
            writer.add_argument(node, keyword)
        return
    partial = writer.name("functools.partial", use.owner)
    bound = ", ".join(keywords)
    writer.edit(node, lambda: f"{partial}({writer.expr(node)}, {bound})")


def map_none(
    writer: Writer, node: ast.expr, parameters: Parameters, bound: int
) -> None:
    """The new arguments of a mapped function are the same for every row."""
    count = len(parameters.items)
    spec = parameters.function.args
    old = len(spec.posonlyargs) + len(spec.args)
    old -= len(spec.defaults) if parameters.before_defaults else 0
    old -= bound
    axes = ", ".join(["0"] * old + ["None"] * count)
    is_call = isinstance(node, ast.Call)
    if not is_call:
        partial = writer.name("functools.partial", None)
        writer.replace_decorator(
            node, lambda: f"{partial}({writer.expr(node)}, in_axes=({axes}))"
        )
        return
    assert isinstance(node, ast.Call), "asked above"
    given = next((k.value for k in node.keywords if k.arg == "in_axes"), None)
    if given is None and len(node.args) > 1:
        given = node.args[1]
    if given is None:
        writer.add_argument(node, f"in_axes=({axes})")
        return
    nones: list[ast.expr] = [build.const(None) for _ in range(count)]
    match given:
        case ast.Constant(value=int()):
            elements: list[ast.expr] = [given] * old
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            elements = elts
        case _:
            raise CannotFix("`in_axes` is not written out")
    made = ast.Tuple([*elements, *nones], ast.Load())
    writer.edit(given, lambda: f"({writer.expr(made)})")


# --- functions of the old signature


def put_behind(shield: Shield, write: Rewriter) -> None:
    """The compiled function goes behind one that reads the captured values anew."""
    layer, parameters = shield.layer, shield.parameters
    module, node = layer.module, layer.node
    parent = module.parent(node)
    if isinstance(parent, FunctionDef) and node in parent.decorator_list:
        behind_definition(shield, parent, write)
        return
    match parent:
        case ast.Assign(targets=[ast.Name() as target]):
            behind_name(shield, parent, target, write)
        case ast.Assign(targets=[ast.Attribute() as target]) if is_method(
            parameters, write
        ):
            behind_attribute(shield, target, write)
        case ast.Call(func=func) if func is node and not _is_spread(parent):
            at_call(shield, parent, write)
        case _:
            behind_expression(shield, write)


def _is_spread(call: ast.Call) -> bool:
    """Does a call give arguments that cannot be counted?"""
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


def at_call(shield: Shield, call: ast.Call, write: Rewriter) -> None:
    """`jax.jit(self.step)(x)` → `jax.jit(self.step)(x, self.rate)`."""
    parameters, module = shield.parameters, shield.layer.module
    writer = write.writer(module)
    receiver = bound_receiver(shield)
    values = values_at(shield, writer, write, receiver)
    spec = parameters.function.args
    places = len(spec.posonlyargs) + len(spec.args) - (1 if receiver is not None else 0)
    is_full = len(call.args) == places and not call.keywords
    for item, value in zip(parameters.items, values, strict=True):
        by_place = is_full and not parameters.keyword_only
        writer.add_argument(call, value if by_place else f"{item.name}={value}")


def is_method(parameters: Parameters, write: Rewriter) -> bool:
    value = write.facts.interpreter.functions.get(id(parameters.function))
    return value is not None and value.owner is not None


def signature(parameters: Parameters, writer: Writer, *, skip: int = 0) -> str:
    """The text of the old parameters."""
    spec = parameters.function.args
    known = ast.arguments(
        spec.posonlyargs[skip:] if spec.posonlyargs else [],
        spec.args if spec.posonlyargs else spec.args[skip:],
        spec.vararg,
        spec.kwonlyargs,
        spec.kw_defaults,
        spec.kwarg,
        spec.defaults,
    )
    return spell_parameters(known, lambda node: writer.expr(node))


def arguments(parameters: Parameters, values: Sequence[str], *, skip: int = 0) -> str:
    """The arguments that hand the old parameters and the new values on."""
    spec = parameters.function.args
    texts = [a.arg for a in (*spec.posonlyargs, *spec.args)][skip:]
    if spec.vararg is not None:
        texts.append(f"*{spec.vararg.arg}")
    named = [f"{a.arg}={a.arg}" for a in spec.kwonlyargs]
    pairs = zip(parameters.items, values, strict=True)
    if parameters.keyword_only:
        named += [f"{item.name}={value}" for item, value in pairs]
    else:
        texts += values
    if spec.kwarg is not None:
        named.append(f"**{spec.kwarg.arg}")
    return ", ".join([*texts, *named])


def values_at(
    shield: Shield, writer: Writer, write: Rewriter, receiver: ast.expr | None
) -> list[str]:
    layer = shield.layer
    owner = write.facts.captures.places.owner(layer.module, layer.node)
    return [
        spelled(item, writer, layer.module, owner, receiver)
        for item in shield.parameters.items
    ]


def behind_definition(shield: Shield, definition: FunctionDef, write: Rewriter) -> None:
    module, parameters = shield.layer.module, shield.parameters
    writer = write.writer(module)
    cls = module.parent(definition)
    kind = binding_of(definition)
    inner = free_name(f"_{definition.name.lstrip('_')}", definition.name, writer, cls)
    first, target = "", inner
    if isinstance(cls, ast.ClassDef):
        first = "" if kind == "staticmethod" else parameters.function.args.args[0].arg
        target = f"{first or visible_name(cls, module)}.{inner}"
    values = values_at(shield, writer, write, build.load(first) if first else None)
    passed = arguments(parameters, values, skip=1 if first else 0)
    decorator = f"@{kind}\n" if kind else ""
    head = f"{decorator}def {definition.name}({signature(parameters, writer)}):"
    text = f"{head}\n    return {target}({passed})\n"
    writer.rename(definition, inner)
    writer.insert_after(definition, lambda: writer.parse(text))


def binding_of(definition: FunctionDef) -> str:
    """The decorator that makes a function of a class no plain method."""
    names = [ast.unparse(d) for d in definition.decorator_list]
    return next((n for n in names if n in ("staticmethod", "classmethod")), "")


def visible_name(cls: ast.ClassDef, module: Module) -> str:
    """How the functions of a class name it.

    Raises:
      CannotFix: it stands in another class, whose names they do not see.
    """
    if isinstance(module.parent(cls), ast.ClassDef):
        raise CannotFix(f"`{cls.name}` has no name in its functions")
    return cls.name


def free_name(base: str, old: str, writer: Writer, cls: ast.AST | None) -> str:
    if isinstance(cls, ast.ClassDef):
        taken = {getattr(n, "attr", getattr(n, "name", "")) for n in ast.walk(cls)}
        return (
            base if base not in taken and base != old else f"_jitted_{old.strip('_')}"
        )
    return writer.fresh(base if base != old else f"{base}_jitted", writer.tree)


def behind_name(
    shield: Shield, stmt: ast.Assign, target: ast.Name, write: Rewriter
) -> None:
    writer = write.writer(shield.layer.module)
    parameters = shield.parameters
    inner = free_name(f"_{target.id.lstrip('_')}", target.id, writer, None)
    skip = bound_receiver(shield)
    values = values_at(shield, writer, write, skip)
    count = 1 if skip is not None else 0
    head = f"def {target.id}({signature(parameters, writer, skip=count)}):"
    passed = arguments(parameters, values, skip=count)
    writer.edit(target, inner)
    writer.insert_after(
        stmt, lambda: writer.parse(f"{head}\n    return {inner}({passed})\n")
    )


def bound_receiver(shield: Shield) -> ast.expr | None:
    """The `model` of `jax.jit(model.predict)`."""
    node = shield.layer.node
    inner = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if not any(i.is_own for i in shield.parameters.items):
        return None
    if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
        return inner.value
    raise CannotFix(
        "the object whose attribute it reads has no name where it is jitted"
    )


def behind_attribute(shield: Shield, target: ast.Attribute, write: Rewriter) -> None:
    """`self.predict = jax.jit(self._predict)`: `predict` becomes a method."""
    module, parameters = shield.layer.module, shield.parameters
    writer = write.writer(module)
    function = parameters.function
    cls = module.parent(function)
    if isinstance(function, ast.Lambda) or not isinstance(cls, ast.ClassDef):
        raise CannotFix("it is not a method that is jitted")
    names = [s.name for s in cls.body if isinstance(s, FunctionDef)]
    if target.attr in names:
        raise CannotFix(f"the class has a method `{target.attr}` too")
    declared = declarations(cls, target.attr)
    if not all(is_set_later(cls, stmt) for stmt in declared):
        raise CannotFix(f"the class declares `{target.attr}`, which has a value there")
    inner = free_name(f"_jitted_{target.attr.strip('_')}", target.attr, writer, cls)
    first = function.args.args[0].arg
    values = values_at(shield, writer, write, build.load(first))
    passed = arguments(parameters, values, skip=1)
    head = f"def {target.attr}({signature(parameters, writer)}):"
    text = f"{head}\n    return {first}.{inner}({passed})\n"
    for stmt in declared:
        writer.remove(stmt)
    writer.edit(target, lambda: f"{writer.expr(target.value)}.{inner}")
    writer.insert_after(function, lambda: writer.parse(text))


def declarations(cls: ast.ClassDef, name: str) -> list[ast.stmt]:
    """The statements of a class that declare an attribute of its instances."""
    return [
        stmt
        for stmt in cls.body
        if isinstance(stmt, ast.Assign | ast.AnnAssign)
        for target in (stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target])
        if isinstance(target, ast.Name) and target.id == name
    ]


def is_set_later(cls: ast.ClassDef, stmt: ast.stmt) -> bool:
    """Is it a declaration alone, for which a method can stand?

    `apply: Any`, or in a dataclass `apply: Any = field(init=False)`.
    """
    match stmt:
        case ast.AnnAssign(value=None):
            return not cls.decorator_list and not cls.bases
        case ast.AnnAssign(value=ast.Call(keywords=keywords)):
            return any(
                k.arg == "init"
                and isinstance(k.value, ast.Constant)
                and k.value.value is False
                for k in keywords
            )
        case _:
            return False


def behind_expression(shield: Shield, write: Rewriter) -> None:
    """`return jax.jit(f)` → `return lambda x: jitted(x, rate)`."""
    module, node = shield.layer.module, shield.layer.node
    writer = write.writer(module)
    stmt: ast.AST | None = node
    while stmt is not None and not isinstance(stmt, ast.stmt):
        if isinstance(stmt, (*FUNCTIONS, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            raise CannotFix("it is jitted inside of a lambda or a comprehension")
        stmt = module.parent(stmt)
    assert isinstance(stmt, ast.stmt), "an expression stands in a statement"
    owner = write.facts.captures.places.owner(module, node)
    name = getattr(shield.parameters.function, "name", "").strip("_")
    inner = writer.fresh(f"jitted_{name}" if name else "jitted", owner)
    receiver = bound_receiver(shield)
    count = 1 if receiver is not None else 0
    values = values_at(shield, writer, write, receiver)
    head = signature(shield.parameters, writer, skip=count)
    passed = arguments(shield.parameters, values, skip=count)
    assert isinstance(node, ast.Call), "a decorator is no part of an expression"
    jitted = build.assign(inner, ast.Call(node.func, node.args, node.keywords))
    writer.insert_before(stmt, lambda: writer.statement(jitted))
    writer.edit(node, f"lambda {head}: {inner}({passed})")
