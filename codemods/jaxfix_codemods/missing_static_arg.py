from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    ClassValue,
    Function,
    Parameter,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Sites,
    TransformedValue,
    aliases,
    arrays,
    compiled_results,
    declarations,
    definitions,
    demands,
    hashing,
    origins,
    setting_uses,
    static_options,
)


class MissingStaticArg(Rule):
    """Argument that must be known while tracing, and is not declared static.

    `jax.jit` makes a tracer of every argument. A shape, an axis, the number of items of
    a list, a name, a string or a function must be known when the program is built: the
    argument that it comes from belongs into `static_argnames`. Each new value of a
    static argument compiles once more.

    ## Example

    ```python before
    @jax.jit
    def blocks(x, size, mode="sum"):
        parts = x.reshape(-1, size)
        if mode == "sum":
            return parts.sum(axis=1)
        return parts.mean(axis=1)


    def both(x):
        return blocks(x, 3), blocks(x, 2, mode="mean")
    ```

    ```python after
    @functools.partial(jax.jit, static_argnames=("size", "mode"))
    def blocks(x, size, mode="sum"):
        parts = x.reshape(-1, size)
        if mode == "sum":
            return parts.sum(axis=1)
        return parts.mean(axis=1)


    def both(x):
        return blocks(x, 3), blocks(x, 2, mode="mean")
    ```

    ```python check
    both(jnp.arange(12.0))
    ```

    ## Safety

    Safe: the function raises as it stands. Conditions, loops and slices are given to
    the rules for traced values first; the argument becomes static if they cannot mend
    them (branches of different structure, a loop under reverse-mode differentiation) or
    if something else needs it to be. A dataclass of settings whose attributes nobody
    assigns becomes frozen, so that it has a hash.

    ## Not fixed

    - A value that is computed from data: no declaration makes it known.
    - An argument for which a call gives an array, if it decides about a condition, the
      length of a container or a text, or another value without a hash.
    - A text of which a float, or what may be an array, is only a part to read: each
      value would compile a program.
    - An argument of the body of a scan, of a mapped function, or one that is
      differentiated.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
    """

    precedence: ClassVar = 1
    needs_known: ClassVar = True
    visits: ClassVar = (
        ast.Call,
        ast.BinOp,
        ast.AugAssign,
        ast.Subscript,
        ast.If,
        ast.While,
        ast.IfExp,
        ast.Assert,
        ast.Match,
        ast.BoolOp,
        ast.UnaryOp,
        ast.Compare,
        ast.Raise,
        ast.For,
        ast.ListComp,
        ast.SetComp,
        ast.DictComp,
        ast.GeneratorExp,
        ast.JoinedStr,
        ast.Name,
        ast.Attribute,
    )

    def find(self, fn: Function, node: ast.AST) -> Problem | None:
        if (method := method_at(fn, node)) is not None:
            _, name, cls = method
            what = compiled_results.named(cls)
            text = f"`{name}` is {what}, no array, and is not declared static"
            return Problem(text)
        setting = setting_uses.setting_at(fn, node)
        if setting is not None:
            if not is_seen(fn, node):
                return None
            text = f"`{setting.name}` is no array, and is not declared static"
            return Problem(text, (fn.facts.settings[setting],))
        if not fn.under:
            return None
        demand = demands.demand_of(fn, node)
        if demand is None:
            return None
        part, starts = unknown_parts(fn, demand)
        if part is None:
            return computed(fn, demand)
        because = fn.traced(part)
        if not is_certain(fn, starts, proven=bool(because)):
            return None
        text = f"`{ast.unparse(part)}` is {demand.what}, and is traced"
        standby = not (demand.firm or is_preferred(fn, demand))
        standby = standby and not is_needed(fn, demand, starts)
        return Problem(text, because, standby)

    def plan(self, fn: Function, node: ast.AST) -> Plan:
        if (method := method_at(fn, node)) is not None:
            root, name, cls = method
            hashing.check_constant(fn.facts, cls)
            static_options.check_declaration(root)
            key = f"self {root_key(root)}"
            return Sites(f"`{name}` in `static_argnames`", key=key, first=True)
        change = change_at(fn, node)
        refuse_containers(change)
        refuse_used_as_arrays(fn, change)
        demand = demands.demand_of(fn, node)
        if demand is not None and decides_structure(node, demand):
            refuse_arrays(change)
        if demand is not None and demand.what == demands.TEXT:
            refuse_numbers(change)
            if is_computed(fn, demand):
                refuse_unseen(fn, change)
        if isinstance(node, ast.For | ast.While | ast.If):
            refuse_shared(fn, node)
        if demand is not None and not demand.firm:
            refuse_arrays(change)
            refuse_unseen(fn, change)
            refuse_numbers(change)
        elif any(arrays.reduces(caller, call) for caller, call in change.calls):
            # Only arrays are worth reducing.
            refuse_unseen(fn, change)
        for caller, call in change.calls:
            refuse_operands(caller, call)
        for declaration in change.declarations.values():
            static_options.check_declaration(declaration.root)
        if not change.names():
            return Sites("NumPy in place of jax.numpy", key=change.key, first=True)
        names = ", ".join(f"`{n}`" for n in change.names())
        return Sites(f"{names} in `static_argnames`", key=change.key, first=True)

    def fix(self, fn: Function, node: ast.AST, plan: Sites, write: Rewriter) -> None:
        if (method := method_at(fn, node)) is not None:
            root, name, _ = method
            static_options.declare(write, root, add=[name])
            write.touch(fn)
            return
        static_options.carry_out(write, change_at(fn, node))
        write.touch(fn)


def method_at(
    fn: Function, node: ast.AST
) -> tuple[TransformedValue, str, ClassValue] | None:
    """A jit of a method, at the node, that takes its object for an array."""
    for root in fn.facts.roots_at.get(id(node), ()):
        found = hashing.plain_self(fn.facts, root)
        if found is not None:
            return root, *found
    return None


def root_key(root: TransformedValue) -> str:
    return f"{root.module.path}:{getattr(root.node, 'lineno', 0)}"


def is_preferred(fn: Function, demand: demands.Demand) -> bool:
    """Does the project want static numbers of steps?"""
    is_count = demand.what == demands.STEPS
    return is_count and fn.facts.project_settings.static_trip_counts


def unknown_parts(
    fn: Function, demand: demands.Demand
) -> tuple[ast.expr | None, list[origins.Origins]]:
    """The first part that is a tracer, and the origins of all that are.

    Nothing if one of them is computed from data.
    """
    first: ast.expr | None = None
    starts: list[origins.Origins] = []
    for part in demand.parts:
        if not declarations.is_unknown(fn, part):
            continue
        start = declarations.unknown(fn, part)
        if start is None:
            return None, []
        first = first or part
        starts.append(start)
    return first, starts


def is_seen(fn: Function, node: ast.AST) -> bool:
    """Is the transform that makes it a tracer seen? Else one need not be there."""
    try:
        change_at(fn, node)
    except declarations.Unseen:
        return False
    except CannotFix:
        return fn.is_known
    return fn.is_known


def is_certain(fn: Function, starts: list[origins.Origins], *, proven: bool) -> bool:
    """Is it a fault? If it is not proven, only a declaration that helps shows it."""
    try:
        for start in starts:
            declarations.closure(fn.facts, start)
    except declarations.Unseen:
        return False
    except CannotFix:
        return proven
    return True


def is_needed(
    fn: Function, demand: demands.Demand, starts: list[origins.Origins]
) -> bool:
    """Becomes the value static anyhow, or is it one but for a call of jax.numpy?"""
    if not any(start.parameters for start in starts):
        return demand.what != "a condition"
    return all(start.key <= fn.facts.needed for start in starts)


def decides_structure(node: ast.AST, demand: demands.Demand) -> bool:
    """Do the keys or the length of a container depend on it, as only Python's may?"""
    if demand.what == demands.TEXT:
        return True
    return isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp)


def is_computed(fn: Function, demand: demands.Demand) -> bool:
    """Is more done with the arguments than to write them as they are?"""
    unknown = [part for part in demand.parts if declarations.is_unknown(fn, part)]
    return any(
        not isinstance(p, ast.Name) or definitions.bindings(fn, p.id) for p in unknown
    )


def refuse_shared(fn: Function, node: ast.For | ast.While | ast.If) -> None:
    """Refuse to make run what would then go on with an old array.

    Raises:
      CannotFix: in it, an array changes of which another name is read.
    """
    shared = aliases.shared_store(fn, [*node.body, *node.orelse])
    if shared is not None:
        text = ast.unparse(shared)
        raise CannotFix(f"in it, `{text}` changes an array by another name")


def refuse_arrays(change: declarations.Closure) -> None:
    """An array is passed on purpose, where there are operations for traced values.

    Raises:
      CannotFix: some call passes one.
    """
    for _, given, kind in change.conversions:
        if kind == "int":
            text = f"`{ast.unparse(given)}` (line {given.lineno})"
            raise CannotFix(
                f"{text} is an array, and a static argument must be hashable"
            )


def refuse_used_as_arrays(fn: Function, change: declarations.Closure) -> None:
    """An array has no hash.

    Raises:
      CannotFix: a function asks a parameter for its shape, its size, ...
    """
    for one in sorted(change.parameters, key=lambda p: p.name):
        function = fn.facts.function(one.node)
        if function is not None and arrays.has_array_attributes(function, one.name):
            raise CannotFix(f"`{one.name}` is used as an array, which has no hash")


def refuse_numbers(change: declarations.Closure) -> None:
    """A float is data: static, each of its values would be a program of its own.

    Raises:
      CannotFix: some call passes one, or an annotation says so.
    """
    for given in change.numbers:
        text = f"`{ast.unparse(given)}` (line {given.lineno})"
        raise CannotFix(f"{text} is data: each value would be compiled anew")
    for one in sorted(change.parameters, key=lambda p: p.name):
        annotation = annotation_of(one)
        if annotation is not None and any(
            isinstance(n, ast.Name) and n.id in ("float", "complex")
            for n in ast.walk(annotation)
        ):
            text = f"`{one.name}`, a `{ast.unparse(annotation)}`,"
            raise CannotFix(f"{text} is data: each value would be compiled anew")


def refuse_operands(fn: Function, call: ast.Call) -> None:
    """NumPy takes no tracers, and what a traced branch rebinds becomes one.

    Raises:
      CannotFix: the call reads such a name.
    """
    for node in ast.walk(call):
        if isinstance(node, ast.Name) and definitions.may_be_operand(fn, node):
            text = f"`{node.id}` becomes an operand of the traced branch or loop around"
            raise CannotFix(text)


def refuse_containers(change: declarations.Closure) -> None:
    """What is annotated as something without a hash, and is that to all its callers.

    Raises:
      CannotFix: there is such a parameter.
    """
    for one in sorted(change.parameters, key=lambda p: p.name):
        annotation = annotation_of(one)
        if annotation is None:
            continue
        root = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        if ast.unparse(root).rpartition(".")[2] in UNHASHABLE:
            text = ast.unparse(annotation)
            raise CannotFix(
                f"`{one.name}` is a `{text}`, and a static argument must be hashable"
            )


UNHASHABLE = frozenset(
    ["list", "dict", "set", "bytearray", "ndarray", "Array", "ArrayLike"]
    + ["List", "Dict", "Set", "DefaultDict", "Deque", "MutableSequence"]
    + ["deque", "defaultdict", "OrderedDict", "Counter", "MutableMapping"]
)


def annotation_of(one: Parameter) -> ast.expr | None:
    spec = one.node.args
    every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    return next((arg.annotation for arg in every if arg.arg == one.name), None)


def is_given(fn: Function, one: Parameter) -> bool:
    """Does a call in sight give the parameter, one outside of the function itself?"""
    sites = fn.facts.call_sites.get(id(one.node), ())
    return any(set(site.call.functions) - {one.node} for site in sites)


def refuse_unseen(fn: Function, change: declarations.Closure) -> None:
    """A parameter that nobody gives, and that may be meant for arrays.

    Raises:
      CannotFix: neither a call nor its default or annotation says that it is none.
    """
    for one in sorted(change.parameters, key=lambda p: p.name):
        if not is_given(fn, one) and not is_plain(one):
            raise CannotFix(f"no call shows that `{one.name}` is not an array")


def is_plain(one: Parameter) -> bool:
    """Do its annotation or its default say that a parameter is a Python value?"""
    spec = one.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults = dict(zip(reversed(positional), reversed(spec.defaults), strict=False))
    defaults |= {
        a: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d
    }
    for arg in (*positional, *spec.kwonlyargs):
        if arg.arg != one.name:
            continue
        match arg.annotation, defaults.get(arg):
            case ast.Name(id="int" | "bool" | "str"), _:
                return True
            case _, ast.Constant(value=bool() | int() | str() | None):
                return arg in defaults
    return False


def computed(fn: Function, demand: demands.Demand) -> Problem | None:
    """A shape or the like that is computed from data, which nothing makes known."""
    is_size = demand.what in ("a shape", "a size", "an axis", demands.TEXT)
    if not (is_size or (demand.firm and demand.what == demands.INDEX)):
        return None
    for part in demand.parts:
        because = arrays.traced_inside(fn, part)
        if not because or declarations.reads_object(fn, part):
            continue
        if declarations.unknown(fn, part) is None:
            text = f"`{ast.unparse(part)}` is {demand.what}, and is computed from data"
            return Problem(text, because)
    return None


def change_at(fn: Function, node: ast.AST) -> declarations.Closure:
    """All that must change for the sake of one node."""
    setting = setting_uses.setting_at(fn, node)
    demand = demands.demand_of(fn, node)
    if setting is not None:
        starts = [origins.Origins({setting})]
    else:
        assert demand is not None, "a problem was found"
        part, starts = unknown_parts(fn, demand)
        if part is None:
            raise CannotFix("no declaration makes known what is computed from data")
    change = declarations.Closure()
    for start in starts:
        change.add(declarations.closure(fn.facts, start))
    for cls in change.frozen.values():
        hashing.check_freezable(fn.facts, cls)
    for given, value in change.objects:
        hashing.check_argument(fn.facts, given, value)
    return change
