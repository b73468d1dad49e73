"""The options that several commands share, and how a command ends."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from jaxfix._errors import JaxfixError, UsageError

if TYPE_CHECKING:
    from jaxfix._config import Config

INTERRUPTED = 130


class Format(StrEnum):
    """How a report is printed."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"
    MARKDOWN = "markdown"


class Color(StrEnum):
    """When to print in color."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def _option(text: str, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, help=text, show_default=False, **settings)


@dataclass(frozen=True, slots=True)
class Options:
    """The options that commands share; None leaves it to the configuration."""

    select: Annotated[
        list[str] | None,
        _option("Rules to run: names, `prefix*`, ALL.", metavar="RULES"),
    ] = None
    ignore: Annotated[
        list[str] | None, _option("Rules not to run.", metavar="RULES")
    ] = None
    extend_select: Annotated[
        list[str] | None, _option("Rules to run as well.", metavar="RULES")
    ] = None
    unsafe_fixes: Annotated[
        bool | None,
        _option(
            "Count and make fixes that may change what the program does.",
            "--unsafe-fixes/--no-unsafe-fixes",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None, _option("Files and folders to skip.", metavar="GLOB")
    ] = None
    force_exclude: Annotated[
        bool | None, _option("Skip excluded files even if named.", "--force-exclude")
    ] = None
    entry_points: Annotated[
        list[str] | None,
        _option(
            "Functions that users of the project jit, as `pkg.losses.*`.",
            metavar="PATTERN",
        ),
    ] = None
    config: Annotated[
        Path | None, _option("Read this configuration file.", metavar="FILE")
    ] = None
    isolated: Annotated[bool, _option("Read no configuration.", "--isolated")] = False
    python: Annotated[
        str | None,
        _option(
            "The interpreter whose jax runs the validation.", metavar="INTERPRETER"
        ),
    ] = None
    jax_version: Annotated[
        str | None,
        _option("The jax that generated code is for, as 0.6.", metavar="X.Y"),
    ] = None
    jobs: Annotated[
        int | None,
        _option(
            "How many processes; 0: all processors.", "--jobs", "-j", min=0, metavar="N"
        ),
    ] = None
    no_cache: Annotated[
        bool, _option("Keep nothing between runs (jaxfix keeps nothing).", "--no-cache")
    ] = False
    baseline: Annotated[
        Path | None, _option("Hide the findings that this file lists.", metavar="FILE")
    ] = None
    stdin_filename: Annotated[
        str | None,
        _option("The name of the file whose text comes as `-`.", metavar="FILE"),
    ] = None
    quiet: Annotated[bool, _option("Print findings only.", "--quiet", "-q")] = False
    verbose: Annotated[
        bool, _option("Say what is read and used.", "--verbose", "-v")
    ] = False
    color: Annotated[Color, _option("When to print in color.")] = Color.AUTO
    output_format: Annotated[Format, _option("How to print the report.")] = Format.TEXT
    output_file: Annotated[
        Path | None, _option("Write the report there.", metavar="FILE")
    ] = None
    exit_zero: Annotated[
        bool, _option("Exit with 0 though there are findings.", "--exit-zero")
    ] = False
    statistics: Annotated[
        bool, _option("Print how many findings each rule has.", "--statistics")
    ] = False
    show_settings: Annotated[
        bool, _option("Print the settings and stop.", "--show-settings")
    ] = False
    show_files: Annotated[
        bool, _option("Print the files that count and stop.", "--show-files")
    ] = False

    def configure(self, paths: list[str]) -> Config:
        """The configuration of the project that `paths` are in, and these options.

        Raises:
          UsageError: something in either is wrong.
        """
        from jaxfix import _config  # --help needs no TOML

        if paths == ["-"] and self.stdin_filename:
            paths = [self.stdin_filename]
        found = _config.load(paths, file=self.config, isolated=self.isolated)
        version = self.jax_version
        return _config.override(
            found,
            select=_split(self.select),
            ignore=_split(self.ignore),
            extend_select=_split(self.extend_select),
            unsafe_fixes=self.unsafe_fixes,
            exclude=_split(self.exclude),
            force_exclude=self.force_exclude,
            entry_points=_split(self.entry_points),
            python=self.python,
            jax_version=version and _config.parse_version(version, "--jax-version"),
            jobs=self.jobs,
            baseline=self.baseline,
        )


_NAMES = tuple(field.name for field in fields(Options))


def command(run: Callable[..., int]) -> Callable[..., None]:
    """A command with its own options and the shared ones.

    `run` takes its own by name and the shared ones as `options`; it gives the exit
    code. Errors for the user end with a line on stderr and the code that they carry.
    """

    @functools.wraps(run)
    def wrapper(**given: Any) -> None:
        shared = {name: given.pop(name) for name in _NAMES}
        _finish(lambda: run(options=Options(**shared), **given))

    return _unsigned(wrapper)


def plain_command(run: Callable[..., int]) -> Callable[..., None]:
    """A command without the shared options, which ends in the same ways."""

    @functools.wraps(run)
    def wrapper(**given: Any) -> None:
        _finish(lambda: run(**given))

    return _unsigned(wrapper)


def _unsigned(wrapper: Callable[..., None]) -> Callable[..., None]:
    """Without parameters until `sign`: reading all takes a quarter of the start."""
    wrapper.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
    wrapper.__annotations__ = {}
    return wrapper


def sign(wrapper: Callable[..., None]) -> None:
    """Give a command the parameters that typer makes options of."""
    run = inspect.unwrap(wrapper)
    own = inspect.signature(run, eval_str=True).parameters
    parameters = [parameter for name, parameter in own.items() if name != "options"]
    if "options" in own:
        parameters += _parameters()
    keywords = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    wrapper.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in keywords}


@functools.cache
def _parameters() -> tuple[inspect.Parameter, ...]:
    """The shared options as parameters of a function."""
    hints = get_type_hints(Options, include_extras=True)
    return tuple(
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(Options)
    )


def _finish(run: Callable[[], int]) -> None:
    try:
        code = run()
    except JaxfixError as error:
        print(f"jaxfix: error: {error}", file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:  # who reads the output has seen enough
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"jaxfix: error: {where}{error.strerror or error}", file=sys.stderr)
        code = JaxfixError.exit_code
    except KeyboardInterrupt:
        print("jaxfix: interrupted", file=sys.stderr)
        code = INTERRUPTED
    raise typer.Exit(code)


def _split(values: list[str] | None) -> tuple[str, ...] | None:
    """`--select a,b --select c` is `a`, `b` and `c`."""
    if not values:
        return None
    items = tuple(i.strip() for value in values for i in value.split(",") if i.strip())
    if not items:
        raise UsageError(f"expected names, got {', '.join(map(repr, values))}")
    return items
