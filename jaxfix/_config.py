"""`[tool.jaxfix]` and the options of the command line → one frozen `Config`."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from jaxfix import _ignore
from jaxfix._analysis.settings import CHOICES
from jaxfix._errors import UsageError

ALL = "ALL"
# What marks the top of a project that has no configuration of ours.
_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that a run may be told.

    Attributes:
      root: the project's folder; patterns of files are relative to it.
      file: where the configuration was read, or None.
      select: the rules to run: names, prefixes with `*`, or `ALL`.
      ignore: the rules not to run.
      per_file_ignores: patterns of files, each with the rules not to report there.
      exclude: patterns of files and folders to leave out.
      force_exclude: whether `exclude` counts for files named on the command line.
      unsafe_fixes: whether `apply` and `diff` make unsafe fixes too.
      jax_version: what generated code may use, as (major, minor); None: only what all
        versions from 0.4.34 on have.
      extra_transforms: jit-like decorators of the project, each with what it traces.
      entry_points: patterns of functions that users of the project jit.
      static_calls: functions whose results are static, whatever goes in.
      inputs: example inputs for validation: calls by function, or files of recorded
        calls.
      prefer: choices between fixes, see `jaxfix._analysis.settings.CHOICES`.
      validate: the table for `jaxfix validate`.
      bench: the table for `jaxfix bench`.
      python: the interpreter whose jax runs the validation; None: the project's own.
      jobs: how many processes to use; 0: as many as there are processors.
      baseline: a file with findings to hide, or None.
    """

    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None
    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    unsafe_fixes: bool = False
    jax_version: tuple[int, int] | None = None
    extra_transforms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    entry_points: tuple[str, ...] = ()
    static_calls: tuple[str, ...] = ()
    inputs: tuple[str, ...] | Mapping[str, Any] = ()
    prefer: tuple[tuple[str, str], ...] = ()
    validate: Mapping[str, Any] = field(default_factory=dict)
    bench: Mapping[str, Any] = field(default_factory=dict)
    python: str | None = None
    jobs: int = 0
    baseline: Path | None = None

    def rules(self, known: Collection[str]) -> frozenset[str]:
        """The rules that run, of those that there are.

        Raises:
          UsageError: a name or pattern fits no rule.
        """
        for _, names in self.per_file_ignores:
            expand(names, known, "per-file-ignores")
        selected = expand(self.select, known, "select")
        ignored = expand(self.ignore, known, "ignore")
        return frozenset(
            rule
            for rule in selected
            if rule not in ignored
            or _closest(self.select, rule) > _closest(self.ignore, rule)
        )

    def is_ignored(self, rule: str, path: str) -> bool:
        """Whether `per-file-ignores` switches `rule` off in the file at `path`."""
        inside = PurePosixPath(Path(os.path.relpath(path, self.root)).as_posix())
        return any(
            _names_rule(names, rule)
            and any(_ignore.matches([pattern], p) for p in (inside, *inside.parents))
            for pattern, names in self.per_file_ignores
        )


def expand(
    patterns: Iterable[str], known: Collection[str], where: str
) -> frozenset[str]:
    """The rules that names, prefixes with `*` and `ALL` stand for.

    Raises:
      UsageError: one of them fits no rule.
    """
    found: set[str] = set()
    for pattern in patterns:
        fits = {rule for rule in known if _fits(pattern, rule)}
        if not fits:
            hint = nearest(pattern.rstrip("*"), known)
            raise UsageError(f"{where}: there is no rule `{pattern}`{hint}")
        found |= fits
    return frozenset(found)


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?`, or nothing if no name is near."""
    near = difflib.get_close_matches(name, sorted(known), 1, 0.5)
    return f"; did you mean `{near[0]}`?" if near else ""


def load(
    paths: Sequence[str | Path],
    *,
    file: str | Path | None = None,
    isolated: bool = False,
) -> Config:
    """The configuration of the project that `paths` are in.

    Args:
      paths: what is to be read; the nearest configuration above all of it counts.
      file: read this one instead.
      isolated: read none.

    Raises:
      UsageError: a file is missing, is no TOML, or has an unknown or ill-typed key.
    """
    start = _common_folder(paths)
    if isolated:
        return Config(root=_project_root(start))
    if file is not None:
        return _read(Path(file))
    for folder in (start, *start.parents):
        for name in ("jaxfix.toml", "pyproject.toml"):
            if (config := _read_if_ours(folder / name)) is not None:
                return config
    return Config(root=_project_root(start))


def override(config: Config, **options: Any) -> Config:
    """The configuration with the options of the command line; None is "not given".

    `extend_select`, `ignore` and `exclude` add to what is there, the others take its
    place. What is selected here by the pattern by which the file ignores it is ignored
    no longer; else the pattern counts that says more.
    """
    given = {name: value for name, value in options.items() if value is not None}
    added = given.pop("extend_select", ())
    chosen = (*given.get("select", ()), *added)
    kept = tuple(pattern for pattern in config.ignore if pattern not in chosen)
    given["ignore"] = (*kept, *given.get("ignore", ()))
    if added:
        given["select"] = (*given.get("select", config.select), *added)
    if "exclude" in given:
        given["exclude"] = (*config.exclude, *given["exclude"])
    return replace(config, **given)


OLDEST_JAX = (0, 4)


def parse_version(text: object, where: str) -> tuple[int, int]:
    """`0.10` or `0.10.2` → `(0, 10)`.

    Raises:
      UsageError: it is something else, or too old.
    """
    match = (
        re.fullmatch(r"(\d+)\.(\d+)(?:\.\w+)*", text) if isinstance(text, str) else None
    )
    if match is None:
        raise UsageError(f'{where}: expected a version such as "0.6", got {text!r}')
    version = int(match[1]), int(match[2])
    if version < OLDEST_JAX:
        oldest = ".".join(map(str, OLDEST_JAX))
        raise UsageError(f"{where}: generated code needs jax {oldest}, got {text}")
    return version


def settings(config: Config) -> str:
    """The configuration, one line a key, for `--show-settings`."""
    lines = [
        f"{f.name.replace('_', '-')} = {_show(getattr(config, f.name))}"
        for f in fields(config)
    ]
    return "\n".join(lines) + "\n"


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_show, value))}]"
    if isinstance(value, Path):
        return _show(str(value))
    return f'"{value}"' if isinstance(value, str) else str(value)


def _names_rule(patterns: Iterable[str], rule: str) -> bool:
    return any(_fits(pattern, rule) for pattern in patterns)


def _closest(patterns: Iterable[str], rule: str) -> int:
    """How closely the closest of the patterns names a rule: by `ALL`, by a prefix of so
    many letters, or by its name."""
    return max(
        0 if pattern == ALL else len(pattern.rstrip("*")) + (pattern == rule)
        for pattern in patterns
        if _fits(pattern, rule)
    )


def _fits(pattern: str, rule: str) -> bool:
    if pattern.endswith("*"):
        return rule.startswith(pattern.rstrip("*"))
    return pattern in (ALL, rule)


def _common_folder(paths: Sequence[str | Path]) -> Path:
    folders = []
    for path in paths:
        full = Path(path).absolute()
        folders.append(str(full if full.is_dir() else full.parent))
    try:
        return Path(os.path.normpath(os.path.commonpath(folders or [os.getcwd()])))
    except ValueError:  # on different drives
        return Path.cwd()


def _project_root(start: Path) -> Path:
    for folder in (start, *start.parents):
        if any(os.path.exists(folder / mark) for mark in _ROOT_MARKS):
            return folder
    return start


def _read_if_ours(file: Path) -> Config | None:
    try:
        text = file.read_text("utf-8")
    except OSError:
        return None
    except UnicodeDecodeError as error:
        if file.name == "pyproject.toml" and b"jaxfix" not in error.object:
            return None
        raise UsageError(f"{file}: cannot be read: {error}") from None
    # A pyproject.toml that does not name us need not be parsed, nor be right.
    if file.name == "pyproject.toml" and "jaxfix" not in text:
        return None
    table = _table(file, text)
    return None if table is None else _build(file, table)


def _read(file: Path) -> Config:
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{file}: cannot be read: {reason}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: cannot be read: {error}") from None
    return _build(file, _table(file, text) or {})


def _table(file: Path, text: str) -> dict[str, Any] | None:
    """Our table of a TOML file; None if it has none."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: invalid TOML: {error}") from None
    if file.name != "pyproject.toml":
        return data
    tool = data.get("tool")
    table = tool.get("jaxfix") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{file}: `tool.jaxfix`: expected a table, got {table!r}")
    return table


def _build(file: Path, table: Mapping[str, Any]) -> Config:
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise UsageError(f"{file}: unknown key `{key}`{nearest(key, _KEYS)}")
        values[key.replace("-", "_")] = _KEYS[key](value, f"{file}: `{key}`")
    if added := values.pop("extend_select", ()):
        values["select"] = (*values.get("select", (ALL,)), *added)
    for key in ("inputs", "baseline"):
        if key in values:
            values[key] = _beside(file, values[key])
    return Config(root=file.absolute().parent, file=file, **values)


def _beside(file: Path, value: Any) -> Any:
    """Paths in a configuration are relative to the file that it stands in."""
    folder = file.absolute().parent
    if isinstance(value, Mapping):
        return value
    if isinstance(value, tuple):
        return tuple(str(folder / item) for item in value)
    return folder / value


def _bool(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{where}: expected true or false, got {value!r}")
    return value


def _count(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError(f"{where}: expected a number of processes, got {value!r}")
    return value


def _string(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{where}: expected a string, got {value!r}")
    return value


def _strings(value: object, where: str) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(i, str) for i in items):
        raise UsageError(f"{where}: expected a list of strings, got {value!r}")
    return tuple(items)


def _inputs(value: object, where: str) -> tuple[str, ...] | dict[str, Any]:
    return value if isinstance(value, dict) else _strings(value, where)


def _table_of_strings(value: object, where: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, _string(v, f"{where}.{key}")) for key, v in _dict(value, where).items()
    )


def _prefer(value: object, where: str) -> tuple[tuple[str, str], ...]:
    chosen = _table_of_strings(value, where)
    for key, choice in chosen:
        if key not in CHOICES:
            raise UsageError(f"{where}: unknown key `{key}`{nearest(key, CHOICES)}")
        if choice not in CHOICES[key]:
            words = " or ".join(f"`{c}`" for c in CHOICES[key])
            hint = nearest(choice, CHOICES[key])
            raise UsageError(f"{where}.{key}: expected {words}, got `{choice}`{hint}")
    return chosen


def _table_of_lists(
    value: object, where: str
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (key, _strings(v, f"{where}.{key}")) for key, v in _dict(value, where).items()
    )


def _dict(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: expected a table, got {value!r}")
    return value


def _proof(value: object, where: str) -> dict[str, Any]:
    """The table of `jaxfix validate` or of `jaxfix bench`."""
    # A run that has no such table need not load what runs programs.
    from jaxfix._validation.commands import configured_options
    from jaxfix._validation.harness import Options

    settings = _dict(value, where)
    configured_options(Options(), settings, where)
    return settings


_KEYS: Mapping[str, Callable[[object, str], Any]] = {
    "select": _strings,
    "ignore": _strings,
    "extend-select": _strings,
    "per-file-ignores": _table_of_lists,
    "exclude": _strings,
    "force-exclude": _bool,
    "unsafe-fixes": _bool,
    "jax-version": parse_version,
    "extra-transforms": _table_of_lists,
    "entry-points": _strings,
    "static-calls": _strings,
    "inputs": _inputs,
    "prefer": _prefer,
    "validate": _proof,
    "bench": _proof,
    "python": _string,
    "jobs": _count,
    "baseline": _string,
}
