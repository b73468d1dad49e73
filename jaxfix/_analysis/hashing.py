"""Static arguments that have no hash, or one that changes: the fault and its cure."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .call_sites import Parameter
from .declarations import (
    DECLARING,
    check_restorable,
    conversion,
    is_hashable,
    is_numpy_number,
    is_pytree,
)
from .finding import CannotFix
from .objects import ClassValue, FunctionValue, InstanceValue, TransformedValue
from .scopes import is_mutated
from .static_uses import static_arguments, value_of
from .transformed import bound_count, positional_names, static_names, underlying
from .values import Array, Const, Dict, Seq, Unknown, Value, alternatives

if TYPE_CHECKING:
    from .facts import Facts, Function
    from .project import Module


@dataclass(frozen=True, slots=True)
class Trouble:
    """One static argument that cannot be hashed, or not for long.

    `kind` is "dict", "list", "set", "array", "class" or "changing".
    """

    kind: str
    root: TransformedValue
    names: tuple[str, ...]
    message: str
    because: str
    line: int
    cls: ClassValue | None = None

    @property
    def key(self) -> str:
        if self.cls is not None:
            return f"frozen {self.cls.module.path}:{self.cls.node.lineno}"
        line = getattr(self.root.node, "lineno", 0)
        return f"hash {self.root.module.path}:{line}:{','.join(self.names)}"

    @property
    def name(self) -> str:
        return self.names[0]


def trouble_at(fn: Function, node: ast.expr) -> Trouble | None:
    """What is wrong at a call of a jitted function, or where it is jitted."""
    for root in fn.facts.roots_at.get(id(node), ()):
        found = _of_self(fn.facts, root) or _of_arrays(fn.facts, root)
        if found is not None:
            return found
    if isinstance(node, ast.Attribute) and (changing := _of_changing(fn, node)):
        return changing
    if isinstance(node, ast.Call):
        for callee in fn.callees(node):
            for option in alternatives(callee):
                if (found := _at_call(fn, node, option)) is not None:
                    return found
    return None


def _of_self(facts: Facts, root: TransformedValue) -> Trouble | None:
    """A method with a static `self` whose class has no hash, or one that changes."""
    fn = underlying(root.function)
    first = positional_names(root.function)[:1]
    if fn is None or fn.owner is None or bound_count(root.function) > 0:
        return None
    if not set(first) & static_names(root):
        return None
    return _of_class(facts, root, first[0], fn.owner)


def _of_arrays(facts: Facts, root: TransformedValue) -> Trouble | None:
    names: list[str] = []
    example: ast.expr | None = None
    for name in sorted(static_names(root)):
        for caller, _, given in static_arguments(facts, root, name):
            value = value_of(caller, given) or Const(None)
            if any(is_array(o) for o in alternatives(value)):
                example = example or given
                names.append(name)
                break
    if example is None:
        return None
    text = ", ".join(f"`{n}`" for n in names)
    message = f"{text}: static, and arrays are passed"
    because = f"`{ast.unparse(example)}` is an array, which has no hash"
    return Trouble("array", root, tuple(names), message, because, example.lineno)


def is_array(value: Value) -> bool:
    """Not a NumPy number, which has a hash, nor the tracer of a Python number, which
    its function has to keep static."""
    if not isinstance(value, Array) or is_numpy_number(value):
        return False
    return not (value.traced and value.dtype is not None and value.dtype.is_weak)


def _of_class(
    facts: Facts, root: TransformedValue, name: str, cls: ClassValue
) -> Trouble | None:
    if not is_hashable(cls):
        text = f"`{name}` is static, and `{cls.name}` has no hash"
        because = f"`{cls.name}` compares by value and is not frozen"
        return Trouble("class", root, (name,), text, because, cls.node.lineno, cls)
    return None


def _of_changing(fn: Function, node: ast.Attribute) -> Trouble | None:
    """The first read, in a method with a static `self`, of what changes its hash."""
    if fn.definition is None or fn.definition.owner is None:
        return None
    for root in fn.roots():
        names = positional_names(root.function)[:1]
        if root.transform not in DECLARING or not set(names) & static_names(root):
            continue
        if not isinstance(node.value, ast.Name) or [node.value.id] != names:
            continue
        store = _changes(fn.facts, fn.definition.owner).get(node.attr)
        if store is None or _first_read(fn, node) is not node:
            continue
        cls = fn.definition.owner
        text = f"`{ast.unparse(node)}` changes, and with it the hash of `{cls.name}`"
        because = f"`{ast.unparse(store)}` is assigned; programs are kept by the hash"
        return Trouble("changing", root, (names[0],), text, because, store.lineno, cls)
    return None


def _changes(facts: Facts, cls: ClassValue) -> dict[str, ast.Attribute]:
    """The attributes that the hash of a class reads and that something assigns."""
    own = cls.lookup("__hash__")
    if not isinstance(own, FunctionValue):
        return {}
    read = {n.attr for n in ast.walk(own.node) if isinstance(n, ast.Attribute)}
    found: dict[str, ast.Attribute] = {}
    for _, store in stores(facts, cls):
        if store.attr in read:
            found.setdefault(store.attr, store)
    return found


def _first_read(fn: Function, node: ast.Attribute) -> ast.AST | None:
    for other in fn.walk():
        if (
            isinstance(other, ast.Attribute)
            and other.attr == node.attr
            and ast.unparse(other) == ast.unparse(node)
        ):
            return other
    return None


BUILDERS = ("__init__", "__post_init__", "__new__", "__setstate__")


def stores(facts: Facts, cls: ClassValue) -> list[tuple[str, ast.Attribute]]:
    """Assignments to attributes of instances of a class, outside of `__init__`.

    As (file, target). In code that never ran, where nothing is known of the object, an
    assignment to an attribute of that name counts.
    """
    own = {
        n.attr
        for n in ast.walk(cls.node)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    } | set(cls.all_fields())
    return [
        (module.path, node)
        for module in facts.project.in_scope()
        for node in module.attribute_stores
        if node.attr in own and _may_be_of(facts, module, node, cls)
    ]


def _may_be_of(
    facts: Facts, module: Module, node: ast.Attribute, cls: ClassValue
) -> bool:
    for outer in module.ancestors(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            owner = module.parent(outer)
            first = [a.arg for a in (*outer.args.posonlyargs, *outer.args.args)][:1]
            is_own = isinstance(node.value, ast.Name) and [node.value.id] == first
            if is_own and isinstance(owner, ast.ClassDef):
                return owner is cls.node and outer.name not in BUILDERS
    interpreter = facts.interpreter
    key = id(node.value)
    value = interpreter.traced.get(key) or interpreter.host.get(key) or Unknown()
    return any(
        isinstance(o, Unknown) or (isinstance(o, InstanceValue) and o.cls == cls)
        for o in alternatives(value)
    )


def _at_call(fn: Function, node: ast.Call, callee: Value) -> Trouble | None:
    while not isinstance(callee, TransformedValue):
        inner = getattr(callee, "function", None)
        if inner is None:
            return None
        callee = inner
    if not any(callee in roots for roots in fn.facts.roots_at.values()):
        return None
    for name in sorted(static_names(callee)):
        for caller, site, given in static_arguments(fn.facts, callee, name):
            value = value_of(caller, given)
            if site.node is not node or caller is not fn or value is None:
                continue
            kind, cls = kind_of(value)
            if kind in ("", "array") or conversion(value) == "":
                continue
            text = (
                f"`{ast.unparse(given)}`, passed for the static `{name}`, has no hash"
            )
            because = (
                f"it is a {kind}"
                if cls is None
                else (f"`{cls.name}` compares by value and is not frozen")
            )
            return Trouble(kind, callee, (name,), text, because, given.lineno, cls)
    return None


def kind_of(value: Value) -> tuple[str, ClassValue | None]:
    """What kind of unhashable object a value may be; "" for none."""
    for option in alternatives(value):
        match option:
            case Dict() | Const(value=dict()):
                return "dict", None
            case Seq(kind="list" | "set" as kind):
                return kind, None
            case Const(value=list()):
                return "list", None
            case Array() if not is_numpy_number(option):
                return "array", None
            case InstanceValue(cls=cls) if not is_hashable(cls):
                return "class", cls
            case _:
                continue
    return "", None


# --- what helps


@dataclass(slots=True)
class Mend:
    """How the arguments become hashable.

    `arguments` are converted where they are passed, to a "tuple", "frozenset" or
    "items"; `restore` is the function that makes a dict of the items again.
    """

    title: str
    key: str
    root: TransformedValue
    arguments: list[tuple[Function, ast.expr, str]]
    remove: tuple[str, ...] = ()
    restore: tuple[FunctionValue, str] | None = None
    freeze: ClassValue | None = None


def mend_of(facts: Facts, trouble: Trouble) -> Mend:
    """How to mend it.

    Raises:
      CannotFix: nothing keeps the meaning.
    """
    match trouble.kind:
        case "array":
            return _release(facts, trouble)
        case "class":
            return _freeze(facts, trouble)
        case "changing":
            raise CannotFix(
                "what the hash depends on must not change while programs are kept: "
                "pass it as an argument, or make the class frozen"
            )
        case _:
            return _convert(facts, trouble)


def _release(facts: Facts, trouble: Trouble) -> Mend:
    fn = underlying(trouble.root.function)
    assert fn is not None, "roots_at keeps those with a project function"
    needed = [n for n in trouble.names if Parameter(fn.node, n) in facts.used_as_static]
    arguments = [one for name in needed for one in _numbers(facts, trouble.root, name)]
    freed = tuple(name for name in trouble.names if name not in needed)
    titles = [f"`int({ast.unparse(given)})`" for _, given, _ in arguments[:1]]
    if freed:
        titles.append(", ".join(f"`{n}`" for n in freed) + " traced, not static")
    title = ", and ".join(titles)
    return Mend(title, trouble.key, trouble.root, arguments, remove=freed)


def _numbers(
    facts: Facts, root: TransformedValue, name: str
) -> list[tuple[Function, ast.expr, str]]:
    """The calls that pass an array of one integer for a parameter that stays static.

    Raises:
      CannotFix: another array is passed, or a tracer.
    """
    found: list[tuple[Function, ast.expr, str]] = []
    for caller, _, given in static_arguments(facts, root, name):
        value = value_of(caller, given)
        kind = conversion(value) if value is not None else ""
        if kind == "":
            continue
        if kind != "int" or caller.value(given) is not None:
            raise CannotFix(f"the value of `{name}` is needed while tracing")
        if not any(node is given for _, node, _ in found):
            found.append((caller, given, kind))
    return found


def _freeze(facts: Facts, trouble: Trouble) -> Mend:
    cls = trouble.cls
    assert cls is not None, "a class is the trouble"
    check_freezable(facts, cls)
    return Mend("frozen=True", trouble.key, trouble.root, [], freeze=cls)


def check_freezable(facts: Facts, cls: ClassValue) -> None:
    """May a class become a frozen dataclass?

    Raises:
      CannotFix: it is none, or somebody assigns to its attributes.
    """
    if cls.kind != "dataclass":
        raise CannotFix(f"`{cls.name}` defines `__eq__` and no `__hash__`")
    if any(isinstance(base, ClassValue) for base in cls.bases):
        raise CannotFix(f"`{cls.name}` inherits from a dataclass that is not frozen")
    for path, store in stores(facts, cls):
        raise CannotFix(
            f"`{ast.unparse(store)}` is assigned ({path}, line {store.lineno})"
        )
    _check_fields(facts, cls)


def _check_fields(facts: Facts, cls: ClassValue) -> None:
    for stmt in cls.node.body:
        if isinstance(stmt, ast.FunctionDef) and stmt.name == "__post_init__":
            raise CannotFix(f"`{cls.name}.__post_init__` assigns to fields")
    for module in facts.project.in_scope():
        for fn in facts.functions(module):
            for node in fn.walk():
                value = value_of(fn, node) if isinstance(node, ast.Call) else None
                if isinstance(value, InstanceValue) and value.cls == cls:
                    for name, attr in value.attrs.items():
                        if conversion(attr) != "":
                            raise CannotFix(f"its field `{name}` has no hash")


def _convert(facts: Facts, trouble: Trouble) -> Mend:
    fn = underlying(trouble.root.function)
    assert fn is not None, "roots_at keeps those with a project function"
    arguments: list[tuple[Function, ast.expr, str]] = []
    kinds = {"dict": "items", "list": "tuple", "set": "frozenset"}
    for caller, _, given in static_arguments(facts, trouble.root, trouble.name):
        value = value_of(caller, given)
        if value is None:
            continue
        for option in alternatives(value):
            _check_parts(option, given)
        if any(node is given for _, node, _ in arguments):
            continue
        kind, _ = kind_of(value)
        each_by_itself = {"list", "set"}
        if trouble.kind in each_by_itself and conversion(value) == "":
            continue  # it has a hash
        if kind != trouble.kind and not {kind, trouble.kind} <= each_by_itself:
            raise CannotFix(
                f"`{ast.unparse(given)}` (line {given.lineno}) is no {trouble.kind}"
            )
        arguments.append((caller, given, kinds[kind]))
    restore = None
    if trouble.kind == "dict":
        check_restorable(Parameter(fn.node, trouble.name))
        restore = (fn, trouble.name)
    elif is_mutated(fn.node, trouble.name):
        raise CannotFix(f"`{trouble.name}` is changed in place")
    title = {
        "dict": "its items as a tuple",
        "list": "a tuple",
        "set": "a frozenset",
    }[trouble.kind]
    return Mend(title, trouble.key, trouble.root, arguments, restore=restore)


def _check_parts(value: Value, given: ast.expr) -> None:
    parts: list[Value | None] = []
    match value:
        case Dict(items=pairs):
            parts = [value.elem] if pairs is None else [v for _, v in pairs]
        case Seq(items=items):
            parts = [value.elem] if items is None else list(items)
    if any(part is not None and conversion(part) != "" for part in parts):
        raise CannotFix(f"`{ast.unparse(given)}` has parts without a hash")


# --- methods whose object is no argument


def plain_self(facts: Facts, root: TransformedValue) -> tuple[str, ClassValue] | None:
    """The first parameter of a jitted method, if traced, where the object is no pytree.

    Every call of such a method fails: the object is no valid argument.
    """
    fn = underlying(root.function)
    names = positional_names(root.function)
    if fn is None or fn.owner is None or bound_count(root.function) > 0 or not names:
        return None
    if not isinstance(fn.node, ast.FunctionDef) or names[0] in static_names(root):
        return None
    wrappers = {ast.unparse(d).partition("(")[0] for d in fn.node.decorator_list}
    if wrappers & {"staticmethod", "classmethod"} or is_pytree(facts, fn.owner):
        return None
    return names[0], fn.owner


def check_constant(facts: Facts, cls: ClassValue) -> None:
    """May an object be static, as part of the program?

    Raises:
      CannotFix: it has no hash, or an attribute is assigned after `__init__`.
    """
    if not is_hashable(cls):
        raise CannotFix(f"`{cls.name}` has no hash, and is no pytree")
    for path, store in stores(facts, cls):
        raise CannotFix(
            f"`{ast.unparse(store)}` is assigned ({path}, line {store.lineno}): a "
            "static object keeps its first program"
        )


def check_argument(facts: Facts, given: ast.expr, value: InstanceValue) -> None:
    """May an object be a static argument?

    Raises:
      CannotFix: it changes, holds arrays, or is another one at each call.
    """
    cls = value.cls
    if cls.kind != "plain":
        return
    if any(conversion(attr) != "" for attr in value.attrs.values()):
        raise CannotFix(
            f"`{cls.name}` holds arrays; `jax.tree_util.register_dataclass` makes a"
            " pytree of it"
        )
    if isinstance(given, ast.Call) and cls.lookup("__hash__") is None:
        raise CannotFix(
            f"`{ast.unparse(given)}` is another object at each call, and each would be"
            " compiled anew"
        )
    check_constant(facts, cls)


def constant_objects(facts: Facts) -> set[Parameter]:
    """The `self` of jitted methods that will be static."""
    found: set[Parameter] = set()
    for roots in facts.roots_at.values():
        for root in roots:
            method = plain_self(facts, root)
            fn = underlying(root.function)
            if method is None or fn is None:
                continue
            try:
                check_constant(facts, method[1])
            except CannotFix:
                continue
            found.add(Parameter(fn.node, method[0]))
    return found
