"""What every expression was seen to be."""

from __future__ import annotations

from .objects import remembered
from .values import Value

# Values of one expression that wait to be joined: more would fill the memory.
MANY = 16


class Seen:
    """From an expression's identity to the join of the values that it had.

    Most are never asked for, so values are joined when they are.
    """

    __slots__ = ("_others", "_values")

    def __init__(self) -> None:
        self._values: dict[int, Value] = {}
        self._others: dict[int, list[Value]] = {}

    def note(self, key: int, value: Value) -> None:
        """The expression was `value` once more."""
        first = self._values.setdefault(key, value)
        if first is value:
            return
        others = self._others.setdefault(key, [])
        others.append(value)
        if len(others) >= MANY:
            self.get(key)

    def get(self, key: int) -> Value | None:
        """What the expression was, whenever it ran; None if it never did."""
        others = self._others.pop(key, None)
        if others is not None:
            known = self._values[key]
            for other in others:
                known = remembered(known, other)
            self._values[key] = known
        return self._values.get(key)
