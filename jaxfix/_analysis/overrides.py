"""The versions of a method: a call on `self` may run that of any class of a family."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .changes import Place, Places
from .facts import Facts
from .objects import ClassValue, FunctionNode, FunctionValue


def versions(
    facts: Facts, places: Places, function: FunctionNode
) -> list[FunctionNode]:
    """The other methods that a call of this one on `self` may run."""
    value = facts.interpreter.functions.get(id(function))
    if value is None or value.owner is None or isinstance(function, ast.Lambda):
        return []
    return [
        other.node
        for other in facts.interpreter.functions.values()
        if other is not value
        and is_method(other, function.name)
        and isinstance(other.owner, ClassValue)
        and is_family(places, value.owner, other.owner, function.name)
    ]


def is_method(value: FunctionValue, name: str) -> bool:
    """Does a class body define it under this name?"""
    return (
        getattr(value.node, "name", "") == name
        and value.owner is not None
        and value.module.parent(value.node) is value.owner.node
    )


def is_family(places: Places, a: ClassValue, b: ClassValue, name: str) -> bool:
    """Is one class a base of the other, or has a common base a use for the method?"""
    if places.related(id(a.node), id(b.node)):
        return True
    return any(uses(c, name) for c in common_bases(places, a, b))


def common_bases(places: Places, a: ClassValue, b: ClassValue) -> Iterator[ClassValue]:
    for key in places.bases(id(a.node)) & places.bases(id(b.node)):
        base = places.facts.interpreter.class_of(key)
        if base is not None:
            yield base


def uses(cls: ClassValue, name: str) -> bool:
    return cls.lookup(name) is not None or any(
        isinstance(node, ast.Attribute) and node.attr == name
        for node in ast.walk(cls.node)
    )


def same_attribute(places: Places, a: Place, b: Place) -> bool:
    """Is it one attribute, read in methods of a class and of a base of it?"""
    return (
        a == b
        or (a.kind, a.name, a.path) == (b.kind, b.name, b.path)
        and a.kind == "attribute"
        and places.related(a.owner, b.owner)
    )
