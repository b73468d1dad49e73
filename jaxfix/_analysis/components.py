"""Files that have nothing to do with each other are analysed apart."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from .project import module_name

File = tuple[str, str, ast.Module]


def components(files: Sequence[File]) -> list[list[File]]:
    """The files in groups: those of one package, and those that import each other.

    What a file may read or change in another it reaches by an import, so groups without
    imports between them cannot matter to each other.
    """
    tops = [
        module_name(Path(path).absolute())[0].partition(".")[0] for path, _, _ in files
    ]
    parent = {top: top for top in tops}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for top, (_, _, tree) in zip(tops, files, strict=True):
        for name in imported_tops(tree):
            if name in parent:
                parent[root(name)] = root(top)
    groups: dict[str, list[File]] = {}
    for top, file in zip(tops, files, strict=True):
        groups.setdefault(root(top), []).append(file)
    return list(groups.values())


def imported_tops(tree: ast.Module) -> set[str]:
    """The first parts of the names that a file imports absolutely, and of its siblings
    that it imports with dots as a script would."""
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module:
                found.add(node.module.partition(".")[0])
            else:
                found.update(alias.name for alias in node.names)
    return found


def statements(tree: ast.Module) -> list[ast.AST]:
    """The statements of a file at any depth, with what holds blocks of them."""
    found: list[ast.AST] = [tree]
    for node in found:  # which grows
        for block in BLOCKS:
            found += getattr(node, block, ())
    return found


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
