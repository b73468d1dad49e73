"""Reads `mutants/*.md`: programs, right rewrites of them, and planted wrong ones."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("mutants")
BLOCK = re.compile(r"^```python (before|after)\n(.*?)^```", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of a program, right or wrong; `name` is a Python identifier."""

    name: str
    title: str
    before: str
    after: str

    @property
    def is_right(self) -> bool:
        return self.title == "right"


def rewrites() -> list[Rewrite]:
    found: list[Rewrite] = []
    for file in sorted(FOLDER.glob("*.md")):
        for chapter in re.split(r"^# ", file.read_text(), flags=re.M)[1:]:
            heads = re.split(r"^## ", chapter, flags=re.M)
            before = BLOCK.search(heads[0])
            assert before is not None, f"no program under {heads[0][:40]!r}"
            for section in heads[1:]:
                title = section.partition("\n")[0].strip()
                after = BLOCK.search(section)
                assert after is not None, f"no rewrite under {title!r}"
                program = heads[0].partition("\n")[0]
                name = re.sub(r"\W+", "_", f"{file.stem} {program} {title}".lower())
                text = replaced(before[2], after[2])
                found.append(Rewrite(name, title, before[2], text))
    return found


def replaced(program: str, patch: str) -> str:
    """The program with the functions (and names) of `patch` in place of its own."""
    new = {name_of(node): segment(patch, node) for node in ast.parse(patch).body}
    parts = []
    for node in ast.parse(program).body:
        parts.append(new.get(name_of(node)) or segment(program, node))
    return "\n\n".join(parts) + "\n"


def name_of(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef():
            return node.name
        case ast.Assign():
            return ast.unparse(node.targets[0])
    return ast.unparse(node)


def segment(text: str, node: ast.stmt) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def write_trees(wanted: list[Rewrite], before: Path, after: Path) -> None:
    """One file a rewrite, in both trees."""
    for folder in (before, after):
        folder.mkdir(parents=True, exist_ok=True)
    for rewrite in wanted:
        (before / f"{rewrite.name}.py").write_text(replaced(rewrite.before, ""))
        (after / f"{rewrite.name}.py").write_text(rewrite.after)
