"""Two copies of a project, before and after a change, and what differs between them."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxfix._errors import UsageError

from .verdict import Target as Target

SKIPPED_FOLDERS = frozenset(
    [
        ".git",
        ".hg",
        ".venv",
        "venv",
        "env",
        "node_modules",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        "build",
        "dist",
        "site-packages",
    ]
)
LARGEST_FILE_BYTES = 20 * 2**20


@dataclass(frozen=True, slots=True)
class Trees:
    """The project before and after, each in a folder of its own."""

    before: Path
    after: Path


@contextlib.contextmanager
def changed_trees(root: Path, changes: Mapping[str, str]) -> Iterator[Trees]:
    """The project as it is, and with `changes`: new texts by path under `root`."""
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as scratch:
        trees = Trees(Path(scratch, "before"), Path(scratch, "after"))
        for folder in (trees.before, trees.after):
            copy_project(root, folder)
        for path, text in changes.items():
            (trees.after / path).write_text(text, encoding="utf-8", newline="")
        yield trees


@contextlib.contextmanager
def earlier_trees(root: Path, earlier: str) -> Iterator[Trees]:
    """An earlier state (a folder, or a git revision) and the working tree.

    Raises:
      UsageError: `earlier` is neither a folder nor a revision of the repository.
    """
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as scratch:
        trees = Trees(Path(scratch, "before"), Path(scratch, "after"))
        copy_project(root, trees.after)
        if Path(earlier).is_dir():
            copy_project(Path(earlier).resolve(), trees.before)
        else:
            extract_revision(root, earlier, trees.before)
        yield trees


def extract_revision(root: Path, revision: str, destination: Path) -> None:
    done = subprocess.run(
        ["git", "-C", str(root), "archive", "--format=tar", revision, "."],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip()
        raise UsageError(f"no folder and no git revision `{revision}`: {reason}")
    destination.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(destination, filter="data")


def copy_project(root: Path, destination: Path) -> None:
    """Copy what the project's programs may read: no environments, no huge files.

    What we may not read, they may not read either.
    """
    destination.mkdir(parents=True)
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        folders[:] = [
            f for f in folders if not os.path.exists(f"{folder}/{f}/pyvenv.cfg")
        ]
        target = destination / os.path.relpath(folder, root)
        target.mkdir(exist_ok=True)
        for name in files:
            source = Path(folder, name)
            with contextlib.suppress(PermissionError):
                if source.is_file() and source.stat().st_size <= LARGEST_FILE_BYTES:
                    shutil.copy2(source, target / name)


def targets_from_trees(before: Path, after: Path) -> list[Target]:
    """Functions that both trees have and whose source differs, comments aside.

    A module whose code outside of functions differs counts with all its functions that
    are under a decorator or read a name assigned there: its constants are part of them.
    """
    found: list[Target] = []
    for file in sorted(after.rglob("*.py")):
        path = file.relative_to(after).as_posix()
        earlier = before / path
        if not (file.is_file() and earlier.is_file()):
            continue
        if earlier.read_bytes() != file.read_bytes():
            with contextlib.suppress(SyntaxError, ValueError):
                names = changed_functions(earlier.read_bytes(), file.read_bytes())
                found += [Target(path, name) for name in names]
    return found


def changed_functions(before: bytes, after: bytes) -> list[str]:
    """Qualified names of the functions that differ, outermost only, in source order."""
    old, new = ast.parse(before), ast.parse(after)
    old_functions, new_functions = functions_of(old), functions_of(new)
    moved = changed_names(old, new)
    return [
        name
        for name, node in old_functions.items()
        if name in new_functions
        and (
            ast.dump(node) != ast.dump(new_functions[name])
            or bool(moved & reads_of(node))
        )
    ]


def functions_of(tree: ast.AST, prefix: str = "") -> dict[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[prefix + node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= functions_of(node, f"{prefix}{node.name}.")
        else:
            found |= functions_of(node, prefix)
    return found


def changed_names(old: ast.Module, new: ast.Module) -> set[str]:
    """Names that the two modules assign differently outside of functions."""
    before, after = assignments(old), assignments(new)
    return {name for name in before if name in after and before[name] != after[name]}


def assignments(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name):
                        text = found.get(part.id, "") + ast.dump(node.value)
                        found[part.id] = text
    return found


def reads_of(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
