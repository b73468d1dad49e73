"""Places that need no name after all: `best["value"] = jnp.where(c, x, best["value"])`.

While a region is planned, each place that it changes is a name (`places.py`). Where the
new code binds that name once, outside of functions, it may say the place itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from jaxfix._analysis import build
from jaxfix._analysis.scopes import FUNCTIONS

from .places import Place, as_store

MAX_READS = 3


def with_places(
    body: Sequence[ast.stmt],
    places: Sequence[Place],
    take_back: Callable[[ast.AST, str], None],
) -> list[ast.stmt]:
    """The body of a function with as few names for places as read well.

    Args:
      body: the new statements.
      places: those that got names.
      take_back: undoes the edit of an original expression.
    """
    top = list(body)
    for place in places:
        for block in blocks(top):
            region = between(block, place)
            if region is not None and is_simple(top, region, place):
                for node in place.nodes:
                    take_back(node, place.name)
                for stmt in region:
                    Spell(place).visit(stmt)
                block[:] = [s for s in block if s not in (place.read, place.write)]
                break
    return top


def blocks(block: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a list of statements, itself first."""
    yield block
    for stmt in block:
        for node in ast.walk(stmt):
            for _, value in ast.iter_fields(node):
                if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    yield value


def between(block: Sequence[ast.stmt], place: Place) -> list[ast.stmt] | None:
    """The statements of a block between the read and the write of a place."""
    try:
        first = block.index(place.read) + 1 if place.read is not None else 0
        return list(block[first : block.index(place.write)])
    except ValueError:
        return None


def is_simple(top: Sequence[ast.stmt], region: list[ast.stmt], place: Place) -> bool:
    """Is the name bound once, read a few times, and never inside of a function?"""
    around = [s for s in (place.read, place.write) if s is not None]
    everywhere = sum(1 for _ in uses(top, place.name))
    found = [*uses(region, place.name)]
    if everywhere != len(found) + len(around):
        return False
    if any(isinstance(n, ast.arg) for n in found) or in_functions(region, place.name):
        return False
    bound = [n for n in found if isinstance(n, ast.Name) and is_bound(n)]
    return len(bound) == 1 and len(found) - 1 <= MAX_READS


def uses(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.Name | ast.arg]:
    for outer in nodes:
        for node in ast.walk(outer):
            match node:
                case ast.Name(id=found) | ast.arg(arg=found) if found == name:
                    yield node


def is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def in_functions(region: Sequence[ast.stmt], name: str) -> bool:
    """Is the name used in a function that is defined here, but for a lambda?"""
    return any(
        True
        for stmt in region
        for node in ast.walk(stmt)
        if isinstance(node, FUNCTIONS) and not isinstance(node, ast.Lambda)
        for _ in uses([node], name)
    )


class Spell(ast.NodeTransformer):
    """Puts the place where its name stands."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.place.name:
            return node
        sample = self.place.sample
        return as_store(sample) if is_bound(node) else build.as_load(sample)
