"""`types.SimpleNamespace`: an object that has what it is given, and no own class."""

from __future__ import annotations

import ast

from .frame import Frame
from .objects import ClassValue, InstanceValue, Scope
from .project import Module
from .values import Const, Value

NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})

# All have one class, as far as comparisons of classes go.
_NODE = ast.ClassDef(
    "SimpleNamespace", [], [], [ast.Pass()], [], lineno=0, col_offset=0
)


def call(
    frame: Frame,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST | None,
) -> Value | None:
    """A call that makes such an object; None for any other."""
    if name not in NAMESPACES or args or "**" in keywords:
        return None
    made = frame.interp.instantiate(frame, _class(frame.module), [], {}, node)
    if isinstance(made, InstanceValue):
        for attribute, value in keywords.items():
            frame.interp.set_attribute(made, attribute, value, fresh=True)
    return made


def is_namespace(cls: ClassValue) -> bool:
    """Is it the class that says nothing of its objects?"""
    return cls.node is _NODE


def _class(module: Module) -> ClassValue:
    scope = Scope(module, _NODE, None, {"__hash__": Const(None)}, is_class=True)
    nothing = frozenset[str]()
    return ClassValue(_NODE, module, scope, (), "plain", False, (), nothing, ())
