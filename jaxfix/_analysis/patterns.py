"""What a `match` asks of its subject: which parts it compares, and which it names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .values import Array, Dict, Seq, Value, tracer


def matched(subject: Value, node: ast.Match) -> Array | None:
    """The tracer that a `match` compares: its subject, or an element of that.

    It is proven to be one, or compared with a number. Classes, keys, lengths and None
    are questions of structure, which Python answers while tracing.
    """
    for case in node.cases:
        for value, pattern in compared(subject, case.pattern):
            found = tracer(value)
            if found is not None and (not found.assumed or _is_number(pattern)):
                return found
    return None


def compared(value: Value, pattern: ast.pattern) -> Iterator[tuple[Value, ast.pattern]]:
    """The parts of a value that a pattern compares, each with its pattern."""
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            yield from compared(value, inner)
        case ast.MatchOr(patterns=patterns):
            for one in patterns:
                yield from compared(value, one)
        case ast.MatchSequence(patterns=patterns):
            parts = elements(value, patterns)
            for element, one in zip(parts, patterns, strict=False):
                yield from compared(element, one)
        case ast.MatchMapping(keys=keys, patterns=patterns):
            for key, one in zip(keys, patterns, strict=True):
                if (part := under_key(value, key)) is not None:
                    yield from compared(part, one)
        case ast.MatchValue() | ast.MatchSingleton(value=bool()):
            yield value, pattern


def elements(value: Value, patterns: Sequence[ast.pattern]) -> Sequence[Value]:
    """The elements of a value that are matched one by one; empty if that is unknown."""
    if not isinstance(value, Seq) or value.items is None:
        return ()
    starred = any(isinstance(p, ast.MatchStar) for p in patterns)
    fits = len(value.items) == len(patterns) and not starred
    return value.items if fits else ()


def under_key(value: Value, key: ast.expr) -> Value | None:
    """What a mapping pattern looks at; None if that is unknown."""
    if isinstance(value, Dict) and isinstance(key, ast.Constant):
        return value.get(key.value)
    return None


def _is_number(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchSingleton):
        return isinstance(pattern.value, bool)
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, int | float)
        for n in ast.walk(pattern)
    )


__all__ = ["compared", "elements", "matched", "under_key"]
