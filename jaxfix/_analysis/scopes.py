"""Which names a piece of code reads and binds, scope by scope, on plain `ast`.

Any node or list of nodes will do, parsed or synthesised: positions are never looked at.

All names are reported, those of globals and builtins too (`jnp`, `len`): what is local
is a question about the function, which `local_names` answers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Names: TypeAlias = tuple[str, ...]
NameSet: TypeAlias = frozenset[str]
Code: TypeAlias = ast.AST | Sequence[ast.AST]
FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Body: TypeAlias = FunctionNode | ast.Module | Sequence[ast.stmt]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

# Methods of lists, dicts and sets that change the object.
MUTATING_METHODS = frozenset(
    {
        *("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop"),
        *("popleft", "remove", "reverse", "rotate", "sort"),
        *("popitem", "setdefault", "update"),
        *("add", "difference_update", "discard", "intersection_update"),
        "symmetric_difference_update",
    }
)
# Of these, the ones that objects which are no containers also have, and that then give
# a value (`updates, state = optimizer.update(grads, state)`); a container gives None.
_AMBIGUOUS_METHODS = frozenset(
    {"add", "append", "update", "insert", "remove", "sort", "reverse"}
)


# Fields that never hold a part of the program: its parts are what we walk over.
_NO_PARTS = frozenset(
    {
        *("ctx", "op", "ops", "id", "attr", "kind", "type_comment", "lineno", "tag"),
        *("conversion", "simple", "is_async", "module", "level", "asname"),
        *("name", "arg", "rest", "kwd_attrs", "str"),
    }
)
_WITHOUT_PARTS = (ast.Constant, ast.Global, ast.Nonlocal, ast.MatchSingleton)
_WITH_GAPS = frozenset({"keys", "kw_defaults"})  # lists that may hold None


class _PartFields(dict[type[ast.AST], tuple[str, ...]]):
    """By the type of a node: the fields that may hold parts of it."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        names = tuple(name for name in kind._fields if name not in _NO_PARTS)
        if kind in _WITHOUT_PARTS:
            names = ()
        elif kind.__name__ == "TypeAlias":  # of Python 3.12: its name is an `ast.Name`
            names = kind._fields
        self[kind] = names
        return names


_PART_FIELDS = _PartFields()


def children(node: ast.AST) -> list[ast.AST]:
    """The direct parts, in the order of `ast`, without operators and contexts."""
    found: list[ast.AST] = []
    for name in _PART_FIELDS[type(node)]:
        value = getattr(node, name, None)
        if value.__class__ is not list:
            if value is not None:
                found.append(value)
        elif name in _WITH_GAPS:
            found += [one for one in value if one is not None]
        else:
            found += value
    return found


def walk(*roots: ast.AST) -> list[ast.AST]:
    """`ast.walk` of each, level by level, without operators and contexts."""
    found = [*roots]
    for node in found:  # which grows
        if _PART_FIELDS[type(node)]:
            found += children(node)
    return found


# A name that occurs, and whether it is bound or deleted there.
_Occurrence: TypeAlias = tuple[str, bool]


def reads(code: Code) -> Names:
    """The names that are read, in the order in which the source shows them."""
    return _unique(name for name, is_write in _occurrences(code) if not is_write)


def writes(code: Code) -> Names:
    """The names that are bound or deleted, in the order of the source."""
    return _unique(name for name, is_write in _occurrences(code) if is_write)


def names(code: Code) -> Names:
    """The names that are read or bound, in the order in which the source shows them."""
    return _unique(name for name, _ in _occurrences(code))


def _unique(items: Iterable[str]) -> Names:
    return tuple(dict.fromkeys(items))


def _occurrences(code: Code) -> list[_Occurrence]:
    found: list[_Occurrence] = []
    _collect([code] if isinstance(code, ast.AST) else code, found)
    return found


def _collect(nodes: Iterable[ast.AST | None], found: list[_Occurrence]) -> None:
    """Add what occurs in the nodes, in the order in which the source shows it."""
    for code in nodes:
        match code:
            case None | ast.Constant():
                pass
            case ast.Name(id=name):
                found.append((name, not isinstance(code.ctx, ast.Load)))
            case ast.Attribute():
                _collect([code.value], found)
            case ast.Call():
                _collect([code.func, *code.args, *code.keywords], found)
            case ast.AugAssign(target=ast.Name(id=name)):
                found += [(name, False), (name, True)]
                _collect([code.value], found)
            case ast.AnnAssign(target=ast.Name()):
                # The annotation of a local variable is not evaluated.
                if code.value is not None:
                    _collect([code.target, code.value], found)
            case ast.IfExp():
                _collect([code.body, code.test, code.orelse], found)
            case ast.Dict():
                for pair in zip(code.keys, code.values, strict=True):
                    _collect(pair, found)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                _collect(evaluated_at_definition(code), found)
                found += [(name, False) for name in free_names(code)]
                if not isinstance(code, ast.Lambda):
                    found.append((code.name, True))
            case ast.ClassDef():
                _collect([*code.decorator_list, *code.bases, *code.keywords], found)
                found += [(name, False) for name in free_names(code)]
                found.append((code.name, True))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                _collect_comprehension(code, found)
            case ast.Import() | ast.ImportFrom():
                found += [(name, True) for name in imported_names(code)]
            case ast.ExceptHandler():
                _collect([code.type], found)
                if code.name is not None:
                    found.append((code.name, True))
                _collect(code.body, found)
            case ast.MatchAs() | ast.MatchStar() | ast.MatchMapping():
                _collect(children(code), found)
                is_rest = isinstance(code, ast.MatchMapping)
                captured = getattr(code, "rest" if is_rest else "name")
                if captured is not None:
                    found.append((captured, True))
            case _:
                _collect(children(code), found)


def _collect_comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
    found: list[_Occurrence],
) -> None:
    """Those of the enclosing function: not the comprehension's own variables."""
    own = set(writes([g.target for g in node.generators]))
    element = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    first = node.generators[0]
    found += [o for o in _occurrences([*element, first.target]) if o[0] not in own]
    _collect([first.iter], found)
    rest: list[ast.AST] = [*first.ifs]
    for generator in node.generators[1:]:
        rest += [generator.target, generator.iter, *generator.ifs]
    found += [o for o in _occurrences(rest) if o[0] not in own]


def imported_names(node: ast.Import | ast.ImportFrom) -> Names:
    return tuple(
        alias.asname or alias.name.partition(".")[0]
        for alias in node.names
        if alias.name != "*"
    )


def evaluated_at_definition(node: FunctionNode) -> list[ast.AST]:
    """Decorators, defaults and annotations, which run where the function is defined."""
    arguments = node.args
    parts: list[ast.AST | None] = [*arguments.defaults, *arguments.kw_defaults]
    if not isinstance(node, ast.Lambda):
        parts = [*node.decorator_list, *parts]
        parts += [a.annotation for a in all_parameters(node)]
        parts.append(node.returns)
    return [part for part in parts if part is not None]


def all_parameters(function: FunctionNode) -> list[ast.arg]:
    """Every parameter, in the order in which the source shows them."""
    arguments = function.args
    star = [arguments.vararg] if arguments.vararg else []
    double = [arguments.kwarg] if arguments.kwarg else []
    return [
        *arguments.posonlyargs,
        *arguments.args,
        *star,
        *arguments.kwonlyargs,
        *double,
    ]


def parameter_names(function: FunctionNode) -> Names:
    return tuple(a.arg for a in all_parameters(function))


def free_names(scope: FunctionNode | ast.ClassDef) -> Names:
    """The names of the enclosing function that the body of `scope` may look up.

    Those of globals and builtins are among them, unless `scope` declares them global.
    """
    body = scope_body(scope)
    if isinstance(scope, ast.ClassDef):
        return reads(body)
    # One pass for both: two would double at each level of nested functions.
    found = _occurrences(body)
    nonlocals = declared(body, ast.Nonlocal)
    own = {name for name, is_write in found if is_write} - nonlocals
    own |= {*parameter_names(scope), *declared(body, ast.Global)}
    free = [name for name, is_write in found if not is_write and name not in own]
    return _unique([*free, *sorted(nonlocals)])


def local_names(scope: FunctionNode) -> Names:
    """The parameters and the variables of the function itself."""
    body = scope_body(scope)
    shared = declared(body, ast.Global) | declared(body, ast.Nonlocal)
    bound = (n for n in writes(body) if n not in shared)
    return _unique([*parameter_names(scope), *bound])


def scope_body(scope: Body | ast.ClassDef) -> list[ast.AST]:
    """What runs in a scope: its statements, or a lambda's expression."""
    if isinstance(scope, ast.Lambda):
        return [scope.body]
    if isinstance(scope, ast.AST):
        return list(scope.body)
    return list(scope)


def declared(
    body: Sequence[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]
) -> set[str]:
    """The names that `global` or `nonlocal` statements of this scope itself name."""
    found: set[str] = set()
    todo = [*body]
    while todo:
        node = todo.pop()
        if isinstance(node, kind):
            found.update(node.names)
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.expr)):
            todo += children(node)
    return found


def walk_scope(code: Code) -> Iterator[ast.AST]:
    """All nodes in source order, without the bodies of nested functions and classes."""
    todo = [code] if isinstance(code, ast.AST) else [*code]
    todo.reverse()
    while todo:
        node = todo.pop()
        yield node
        parts: list[ast.AST]
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            parts = evaluated_at_definition(node)
        elif isinstance(node, ast.ClassDef):
            parts = [*node.decorator_list, *node.bases, *node.keywords]
        else:
            parts = children(node)
        parts.reverse()
        todo += parts


def scope_names(scope: FunctionNode | ast.Module | ast.ClassDef) -> NameSet:
    """Every name that occurs in `scope`, at any depth: what a new name must avoid."""
    found: set[str] = set()
    for node in walk(scope):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Import() | ast.ImportFrom():
                found.update(imported_names(node))
            case ast.Global() | ast.Nonlocal():
                found.update(node.names)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                found.update([node.name] if node.name else [])
            case ast.MatchMapping(rest=str(rest)):
                found.add(rest)
    return frozenset(found)


def mutations(
    code: Code, *, methods: NameSet = MUTATING_METHODS
) -> tuple[tuple[str, ast.AST], ...]:
    """What changes an object in place: (name at the root of the object, node).

    The node is the target (`x.a[i]` of `x.a[i] = v`) or the call (`x.append(v)`). An
    update through `.at[...]` makes a new array and is none.
    """
    found: list[tuple[str, ast.AST]] = []
    values = {id(value) for node in walk_scope(code) for value in _used_by(node)}
    for node in walk_scope(code):
        match node:
            case ast.Attribute() | ast.Subscript():
                stored = not isinstance(node.ctx, ast.Load)
                base = root_name(node.value) if stored else None
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                gives_value = id(node) in values and attr in _AMBIGUOUS_METHODS
                called = attr in methods and not gives_value and not _is_at(value)
                base = root_name(value) if called else None
            case _:
                base = None
        if base is not None:
            found.append((base, node))
    return tuple(found)


def is_mutated(function: FunctionNode, name: str) -> bool:
    """Does a function, or one that is nested in it, change what it calls `name`?"""
    for node in ast.walk(function):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                code: Code = node.body
            case ast.Lambda():
                code = node.body
            case _:
                continue
        if any(root == name for root, _ in mutations(code)):
            return True
    return False


def _used_by(node: ast.AST) -> list[ast.expr | None]:
    """The values that a node certainly makes use of."""
    match node:
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Return():
            return [node.value]
        case ast.Attribute() | ast.Subscript() | ast.keyword():
            return [node.value]
        case ast.Call(args=args):
            return [*args]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return [*elts]
        case _:
            return []


def root_name(node: ast.expr) -> str | None:
    """The `x` of `x`, `x.a`, `x[i].b`; None if something else is at the root."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_at(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "at"
    )
