"""What a plan knows of the names of a function at one point of it."""

from __future__ import annotations

from dataclasses import dataclass

from jaxfix._analysis.values import (
    Value,
)

Types = dict[str, Value]
NameSet = frozenset[str]


@dataclass(slots=True)
class Context:
    """What is known where a block begins."""

    types: Types
    bound: NameSet

    def copy(self) -> Context:
        return Context(dict(self.types), self.bound)
