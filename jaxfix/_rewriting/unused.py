"""Imports that a fix leaves without a use."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence

# Modules whose names nobody imports from the file that is fixed.
_KNOWN = (sys.stdlib_module_names - {"__future__"}) | {"numpy"}


def without_unused_imports(text: str, before: ast.Module) -> str:
    """`text` less the imports of names that `before` uses and `text` does not.

    Only imports of one name, on a line of their own with no comment, at the top of the
    module.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text  # not for us to report
    lost = _used(before) - _used(tree)
    lines = text.split("\n")
    for stmt in reversed(tree.body):
        name = _imported(stmt)
        if name in lost and ast.unparse(stmt) == lines[stmt.lineno - 1]:
            _remove(lines, stmt.lineno - 1)
    return "\n".join(lines)


def _imported(stmt: ast.stmt) -> str | None:
    match stmt:
        case ast.Import(names=[alias]):
            module = alias.name
        case ast.ImportFrom(module=str(module), names=[alias], level=0):
            pass
        case _:
            return None
    if module.partition(".")[0] not in _KNOWN:
        return None
    return alias.asname or alias.name.partition(".")[0]


def _used(tree: ast.Module) -> set[str]:
    return {word for node in ast.walk(tree) for word in _words(node)}


def _words(node: ast.AST) -> Iterator[str]:
    """What a node reads; strings may be annotations or names in `__all__`."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from re.findall(r"\w+", node.value)


def _remove(lines: list[str], at: int) -> None:
    """Take a line out; of the blank lines around it the longer run stays."""
    if at and lines[at - 1].lstrip().startswith("#"):
        return
    before = _blank(lines[:at][::-1])
    after = _blank(lines[at + 1 :])
    shorter = min(before, after)
    low, high = (at - shorter, at + 1) if before == shorter else (at, at + 1 + shorter)
    if before == at:
        low, high = 0, at + 1 + after
    del lines[low:high]


def _blank(lines: Sequence[str]) -> int:
    count = 0
    while count < len(lines) and not lines[count].strip():
        count += 1
    return count
