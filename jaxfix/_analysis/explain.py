"""`jaxfix why`: what is known of the values on a line, in words."""

from __future__ import annotations

import ast

from jaxfix._errors import UsageError

from .facts import Facts, Function
from .finding import Evidence, Explained
from .values import Array, Const, Dict, Seq, Static, Union, Unknown, Value, tracer


def explain(
    facts: Facts, path: str, line: int, name: str | None
) -> tuple[Explained, ...]:
    """What is known of the expressions on a line, or of those that read `name`."""
    module = facts.project.by_path.get(path)
    if module is None:
        return (Explained(Evidence(path, line, "not a file of this run")),)
    found = [
        describe(fn, node)
        for fn in facts.functions(module)
        for node in fn.walk()
        if isinstance(node, ast.expr) and wanted(node, line, name)
    ]
    if not found and name is not None:
        raise UsageError(f"{path}:{line}: {absent(facts, path, line, name)}")
    if not found:
        text = "no name is read on this line"
        return (Explained(Evidence(path, line, text)),)
    return tuple(dict.fromkeys(found))


def absent(facts: Facts, path: str, line: int, name: str) -> str:
    """That a name is not on a line, and those that are."""
    text = f"`{name}` is not evaluated on this line"
    others = dict.fromkeys(
        f"`{node.id}`"
        for fn in facts.functions(facts.project.by_path[path])
        for node in fn.walk()
        if isinstance(node, ast.Name) and wanted(node, line, None)
    )
    return f"{text}; these are: {', '.join(others)}" if others else text


def wanted(node: ast.expr, line: int, name: str | None) -> bool:
    if node.lineno != line:
        return False
    if name is None:
        return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    return ast.unparse(node) == name


def describe(fn: Function, node: ast.expr) -> Explained:
    def say(text: str, *because: Evidence) -> Explained:
        what = Evidence(fn.path, node.lineno, f"`{ast.unparse(node)}`{text}")
        return Explained(what, because)

    value = fn.value(node)
    if value is None:
        host = fn.host_value(node)
        if host is None:
            return say(": no transform reaches this code")
        return say(f" is a plain Python value here: {kind(host)}")
    found = tracer(value)
    if isinstance(value, Unknown):
        return say(" is not known: nothing shows what it is")
    if found is None:
        return say(f" is static: {kind(value)}")
    word = "assumed to be traced" if found.assumed else "traced"
    chain = found.why.chain() if found.why is not None else ()
    return say(f" is {word}: {kind(found)}", *reversed(chain))


def kind(value: Value) -> str:
    """A value in a few words."""
    match value:
        case Array(dtype=dtype, shape=shape, traced=traced):
            word = "a tracer" if traced else "a concrete array"
            parts = [word]
            if dtype is not None and dtype.kind is not None:
                names = {"b": "bool", "i": "integer", "f": "float", "c": "complex"}
                weak = "weak " if dtype.is_weak else ""
                parts.append(weak + names[dtype.kind])
            if shape == frozenset():
                parts.append("scalar")
            return ", ".join(parts)
        case Const(value=constant):
            return f"the constant {constant!r}"
        case Static(type=name):
            return f"known while tracing{f' ({name})' if name else ''}"
        case Seq(kind=name):
            return f"a {name}"
        case Dict():
            return "a dict"
        case Union(options=options):
            return " or ".join(kind(o) for o in options)
        case Unknown():
            return "not known"
        case _:
            return "a Python object"
