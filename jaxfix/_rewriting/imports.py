"""How a file spells the names of a library, and where a new import goes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst
from libcst.helpers import get_full_name_for_node

from .blocks import BLANK, leading_blanks, lines_before, with_lines
from .lines import WIDTH

# The local names that everyone uses, and the line that makes them.
_CONVENTIONS = {
    "jax.numpy": ("jnp", "import jax.numpy as jnp"),
    "jax.lax": ("lax", "from jax import lax"),
    "numpy": ("np", "import numpy as np"),
}


@dataclass(frozen=True, slots=True)
class Spelling:
    """A name as it can be written, and the import that this needs, if any."""

    text: str
    line: str | None = None


def imported(statements: Sequence[ast.stmt]) -> dict[str, str]:
    """Local names → what they stand for, of the imports that always run."""
    found: dict[str, str] = {}
    for stmt in statements:
        if isinstance(stmt, ast.Import):
            for alias in stmt.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(stmt, ast.ImportFrom) and stmt.module and not stmt.level:
            for alias in stmt.names:
                found[alias.asname or alias.name] = f"{stmt.module}.{alias.name}"
        elif isinstance(stmt, ast.Try):
            found |= imported(stmt.body)
    return found


def spell_name(
    dotted: str, names: dict[str, str], taken: frozenset[str], module: frozenset[str]
) -> Spelling:
    """The shortest spelling of `dotted` that an import in the file reaches.

    Args:
      dotted: `jax.lax.cond`.
      names: what `imported` gives.
      taken: names that mean something else where the spelling is to stand.
      module: names that the module binds.
    """
    reached = [
        (len(path), -len(local), local)
        for local, path in names.items()
        if local not in taken and (dotted == path or dotted.startswith(path + "."))
    ]
    if reached:
        length, _, local = max(reached)
        return Spelling(local + dotted[length:])
    return _new_import(dotted, taken | module)


def _new_import(dotted: str, taken: frozenset[str]) -> Spelling:
    for path, (local, line) in _CONVENTIONS.items():
        if dotted.startswith(path + ".") and local not in taken:
            return Spelling(local + dotted[len(path) :], line)
    module = "jax" if dotted.startswith("jax.") else dotted.rpartition(".")[0]
    top = module.partition(".")[0]
    if top not in taken:
        return Spelling(dotted, f"import {module}")
    count = 1
    while f"{top}_{count}" in taken:
        count += 1
    alias = f"{top}_{count}"
    return Spelling(alias + dotted[len(module) :], f"import {module} as {alias}")


def add_import(
    body: Sequence[cst.BaseStatement], new: cst.BaseStatement
) -> list[cst.BaseStatement]:
    """`body` of a module with the import `new` where isort would have it."""
    for i, stmt in enumerate(body):
        if (merged := _merged(stmt, new)) is not None:
            return [*body[:i], merged, *body[i + 1 :]]
    key = _sort_key(new)
    assert key is not None, "a new import is an import"
    places = _neighbours(body, key)
    smaller = [(i, other) for i, other in places if other < key]
    larger = [(i, other) for i, other in places if other >= key]
    if smaller and smaller[-1][1][0] == key[0]:
        return _insert(body, smaller[-1][0] + 1, new)
    if larger and larger[0][1][0] == key[0]:
        return _before(body, larger[0][0], new)
    if smaller:
        return _insert(body, smaller[-1][0] + 1, _spaced(new))
    if larger:
        return _insert_first(body, larger[0][0], new)
    at = 1 if body and _is_docstring(body[0]) else 0
    return _insert(body, at, _spaced(new)) if at else _insert_first(body, 0, new)


def _merged(
    stmt: cst.BaseStatement, new: cst.BaseStatement
) -> cst.BaseStatement | None:
    """`from jax import jit` with the name that `from jax import lax` adds."""
    old, added = _plain_from(stmt), _plain_from(new)
    if old is None or added is None or added[0] != old[0]:
        return None
    names, (extra,) = old[1], added[1]
    at = next((i for i, n in enumerate(names) if _place(n) > _place(extra)), len(names))
    between = names[0].comma
    if len(names) == 1:
        between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if at < len(names):
        made = [*names[:at], extra.with_changes(comma=between), *names[at:]]
    else:
        end = extra.with_changes(comma=names[-1].comma)
        made = [*names[:-1], names[-1].with_changes(comma=between), end]
    assert isinstance(stmt, cst.SimpleStatementLine), "an import is one line"
    line = stmt.with_changes(body=[stmt.body[0].with_changes(names=made)])
    fits = all(len(part) <= WIDTH for part in cst.Module([line]).code.split("\n"))
    return line if fits else None


def _plain_from(
    stmt: cst.BaseStatement,
) -> tuple[str | None, list[cst.ImportAlias]] | None:
    """The module and the names of `from m import a, b`, without `as`."""
    match stmt:
        case cst.SimpleStatementLine(
            body=[cst.ImportFrom(module=module, names=[*names], relative=[])]
        ) if module is not None and all(
            isinstance(n, cst.ImportAlias) and n.asname is None for n in names
        ):
            aliases = [n for n in names if isinstance(n, cst.ImportAlias)]
            return get_full_name_for_node(module), aliases
        case _:
            return None


def _place(alias: cst.ImportAlias) -> tuple[int, str]:
    """Where isort has a name: constants first, then classes, then the others."""
    name = alias.name.value
    assert isinstance(name, str), "what is imported from a module is a name"
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name


_Key: TypeAlias = tuple[int, bool, str]


def _neighbours(body: Sequence[cst.BaseStatement], key: _Key) -> list[tuple[int, _Key]]:
    """The imports to sort among: of the same library, else those at the top.

    What a file does before it imports a library (`os.environ[...] = ...`) stays before.
    """
    places = [(i, other) for i, stmt in enumerate(body) if (other := _sort_key(stmt))]
    top = key[2].partition(".")[0]
    same = [(i, other) for i, other in places if other[2].partition(".")[0] == top]
    return same or [(i, other) for i, other in places if i < _first_code(body)]


def _sort_key(stmt: cst.BaseStatement) -> _Key | None:
    """(section, is it a `from`, module) of an import statement, else None."""
    if not isinstance(stmt, cst.SimpleStatementLine):
        return None
    match stmt.body[0]:
        case cst.Import(names=[first, *_]):
            module = get_full_name_for_node(first.name) or ""
            return _section(module), False, module
        case cst.ImportFrom(relative=[_, *_]):
            return 4, True, ""
        case cst.ImportFrom(module=node) if node is not None:
            module = get_full_name_for_node(node) or ""
            return _section(module), True, module
        case _:
            return None


def _section(module: str) -> int:
    top = module.partition(".")[0]
    if top == "__future__":
        return 1
    return 2 if top in sys.stdlib_module_names else 3


def _first_code(body: Sequence[cst.BaseStatement]) -> int:
    """The index of the first statement that is neither docstring nor import."""
    for i, stmt in enumerate(body):
        if _sort_key(stmt) is None and not (i == 0 and _is_docstring(stmt)):
            return i
    return len(body)


def _is_docstring(stmt: cst.BaseStatement) -> bool:
    if not isinstance(stmt, cst.SimpleStatementLine):
        return False
    first = stmt.body[0]
    return isinstance(first, cst.Expr) and isinstance(
        first.value, cst.SimpleString | cst.ConcatenatedString
    )


def _insert(
    body: Sequence[cst.BaseStatement], at: int, new: cst.BaseStatement
) -> list[cst.BaseStatement]:
    return [*body[:at], new, *body[at:]]


def _before(
    body: Sequence[cst.BaseStatement], at: int, new: cst.BaseStatement
) -> list[cst.BaseStatement]:
    """Insert before a neighbour: its blank lines go to the new one, comments stay."""
    old = body[at]
    lines = lines_before(old)
    blank = leading_blanks(lines)
    new = with_lines(new, lines[:blank])
    return [
        *body[:at],
        new,
        with_lines(old, lines[blank:]),
        *body[at + 1 :],
    ]


def _insert_first(
    body: Sequence[cst.BaseStatement], at: int, new: cst.BaseStatement
) -> list[cst.BaseStatement]:
    """Insert as a section of its own before the statement at `at`."""
    if at >= len(body):
        return [*body, new]
    lines = lines_before(body[at])
    wanted = 2 if isinstance(body[at], cst.FunctionDef | cst.ClassDef) else 1
    have = leading_blanks(lines)
    own = lines[:have]
    lead = [*[BLANK] * wanted, *lines[have:]]
    return [
        *body[:at],
        with_lines(new, own),
        with_lines(body[at], lead),
        *body[at + 1 :],
    ]


def _spaced(new: cst.BaseStatement) -> cst.BaseStatement:
    spaced: cst.BaseStatement = with_lines(new, [BLANK])
    return spaced
