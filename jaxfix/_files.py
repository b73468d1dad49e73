"""Which files a run is about: folders, `.gitignore`, `exclude`."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from jaxfix import _ignore
from jaxfix._analysis.finding import FileError

SUFFIXES = (".py", ".pyi", ".ipynb")
DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".jaxfix_cache",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "node_modules",
    "site-packages",
    "venv",
)

# A folder, and the rules of an ignore file in it.
_Ignored: TypeAlias = tuple[Path, tuple[_ignore.Rule, ...]]
_Ignores: TypeAlias = tuple[_Ignored, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a run, ordered, and the paths that could not be read."""

    files: tuple[str, ...]
    errors: tuple[FileError, ...]


def discover(
    paths: Sequence[str | Path],
    *,
    root: Path,
    exclude: Sequence[str] = (),
    force_exclude: bool = False,
) -> Found:
    """The files that `paths` name, and those in the folders that they name.

    A file that is named is always in, unless `force_exclude`. Paths come back relative
    to the working directory, in order; a file that has two names comes back once.

    Args:
      paths: files and folders.
      root: what the patterns of `exclude` are relative to.
      exclude: patterns, added to the usual ones (`DEFAULT_EXCLUDE`).
      force_exclude: whether `exclude` counts for named files too.
    """
    files: dict[str, str] = {}
    errors: list[FileError] = []
    top = root.resolve()
    patterns = (_from_root(pattern, top) for pattern in exclude)
    walk = _Walk(top, (*DEFAULT_EXCLUDE, *patterns), errors)
    for path in map(Path, paths):
        if force_exclude and walk.is_inside_excluded(path):
            continue
        for file in walk.files(path):
            files.setdefault(os.path.realpath(file), display(file))
    return Found(tuple(sorted(files.values())), tuple(errors))


def _from_root(pattern: str, root: Path) -> str:
    """A pattern of `exclude` that is an absolute path, as one from the root."""
    top = f"{root}/"
    return f"./{pattern.removeprefix(top)}" if pattern.startswith(top) else pattern


def display(path: str | Path) -> str:
    """The path as it is printed: relative to the working directory."""
    try:
        return os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)


@dataclass(frozen=True, slots=True)
class _Walk:
    root: Path
    exclude: tuple[str, ...]
    errors: list[FileError]

    def files(self, path: Path) -> Iterator[Path]:
        """The files that one path of the command line names."""
        try:
            mode = path.stat().st_mode
        except OSError as error:
            self._fail(path, error)
            return
        if stat.S_ISDIR(mode):
            yield from self._folder(path.absolute(), _outer_ignores(path.absolute()))
        elif stat.S_ISREG(mode):
            yield path
        else:
            self.errors.append(
                FileError(display(path), 1, "is neither a file nor a folder")
            )

    def is_inside_excluded(self, path: Path) -> bool:
        """Whether `exclude` matches the path or a folder of the project around it."""
        full = path.absolute()
        around = (f for f in full.parents if f.is_relative_to(self.root))
        return any(self._is_excluded(f) for f in (full, *around) if f != self.root)

    def _is_excluded(self, path: Path) -> bool:
        try:
            inside = path.relative_to(self.root)
        except ValueError:  # outside of the project
            inside = path
        return _ignore.matches(self.exclude, PurePosixPath(inside.as_posix()))

    def _folder(self, folder: Path, ignores: _Ignores) -> Iterator[Path]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self._fail(folder, error)
            return
        ignores = (*ignores, *_ignores_of(folder))
        links = []
        for entry in entries:
            path = Path(entry.path)
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and path.suffix not in SUFFIXES:
                continue
            if self._is_excluded(path) or _is_ignored(ignores, path, is_folder):
                continue
            if is_folder:
                yield from self._folder(path, ignores)
            elif entry.is_symlink():
                links.append(path)
            elif entry.is_file():
                yield path
        # After the files themselves, so that a file keeps its own name.
        yield from (link for link in links if link.is_file())

    def _fail(self, path: Path, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        self.errors.append(FileError(display(path), 1, f"cannot be read: {reason}"))


def _is_ignored(
    ignores: _Ignores,
    path: Path,
    is_folder: bool,
) -> bool:
    """What the innermost `.gitignore` that speaks of `path` says."""
    for folder, rules in reversed(ignores):
        inside = path.relative_to(folder).as_posix()
        verdict = _ignore.decide(rules, inside, is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def _ignores_of(folder: Path) -> Iterator[_Ignored]:
    for file in (folder / ".git/info/exclude", folder / ".gitignore"):
        if rules := _rules(file):
            yield folder, rules


@cache
def _rules(file: Path) -> tuple[_ignore.Rule, ...]:
    try:
        return _ignore.parse(file.read_text("utf-8", "replace").split("\n"))
    except OSError:
        return ()


def _outer_ignores(folder: Path) -> _Ignores:
    """The ignore files above `folder`, up to the top of its repository.

    None, if they ignore the folder itself: it was named, so it is meant.
    """
    top = next(
        (f for f in (folder, *folder.parents) if os.path.exists(f / ".git")), folder
    )
    inner = [folder, *folder.parents]
    above = inner[1 : inner.index(top) + 1]
    ignores = tuple(pair for f in reversed(above) for pair in _ignores_of(f))
    is_named = any(
        _is_ignored(
            tuple(pair for pair in ignores if pair[0] in step.parents),
            step,
            is_folder=True,
        )
        for step in (folder, *above[:-1])
    )
    return () if is_named else ignores
