"""typer: options in, exit code out; holds no decision about JAX."""

from __future__ import annotations

import importlib
import os
import re
import signal
import sys
from collections.abc import Collection, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jaxfix import __version__, _cli_proof
from jaxfix._errors import UsageError, written
from jaxfix._garbage import until_exit
from jaxfix._options import Color, Format, Options, command, plain_command, sign

if TYPE_CHECKING:
    from jaxfix._analysis.finding import FileError
    from jaxfix._api import Project
    from jaxfix._config import Config
    from jaxfix._report.result import Report

# Imports inside of functions keep libcst, and all that `--help` does not need, out of
# the start.

FOUND, FAILED = 1, 3
_STDIN = "-"
_TABLE = re.compile(r"(<!-- rules -->\n).*?(<!-- /rules -->)", re.DOTALL)

app = typer.Typer(
    name="jaxfix",
    help="Find Python that breaks, goes stale or is slow under jax.jit, and fix it.",
    add_completion=False,
    # Without them typer need not load rich, which takes longer than all the rest.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class TableFormat(StrEnum):
    """How the table of rules is printed."""

    TEXT = "text"
    JSON = "json"


Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="Files, folders, or `-` for text from stdin."),
]


def main() -> None:
    """The `jaxfix` command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before the start
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        # A name that the terminal cannot show must not stop the report.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)
    with until_exit():
        application(sys.argv[1:])(prog_name="jaxfix")


def _stop(number: int, frame: object) -> None:
    """An end from outside leaves no worker and no scratch file behind."""
    raise SystemExit(128 + number)


def application(asked: Collection[str] | None = None) -> typer.Typer:
    """The commands, those in `asked` with their options; None: all with them."""
    for info in app.registered_commands:
        if info.callback and (asked is None or info.callback.__name__ in asked):
            sign(info.callback)
    return app


def _version(asked: bool) -> None:
    if asked:
        print(f"jaxfix {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(UsageError.exit_code)


@app.command()
@command
def check(
    paths: Paths,
    options: Options,
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all findings to this baseline."),
    ] = None,
    add_ignores: Annotated[
        bool,
        typer.Option("--add-ignores", help="Write a comment for every finding."),
    ] = False,
) -> int:
    """Report what breaks, goes stale or is slow under jax.jit."""
    from jaxfix import _api

    config = options.configure(paths)
    if (code := _show(paths, options, config)) is not None:
        return code
    project = _open(paths, options, config)
    if write_baseline:
        with written("--write-baseline", write_baseline):
            count = _api.write_baseline(project, write_baseline)
        _say(options, f"wrote {count} findings to {write_baseline}")
        return _errors(project.errors)
    if add_ignores:
        _no_stdin(paths, "--add-ignores")
        report = _api.add_ignores(project)
        _say(options, f"wrote comments for {len(report.fixed)} findings")
        _errors(report.errors)
        return _code(options, report, found=bool(report.findings))
    wants_edits = options.output_format in (Format.JSON, Format.SARIF)
    report = _api.check_project(
        project, with_edits=wants_edits and not options.statistics
    )
    _print_report(options, report)
    return _code(options, report, found=bool(report.findings))


@app.command()
@command
def apply(
    paths: Paths,
    options: Options,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print what would change and write nothing."),
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Keep only fixes that validation proves equal."),
    ] = False,
) -> int:
    """Write the safe fixes; with --unsafe-fixes the others too."""
    from jaxfix import _api
    from jaxfix._report import diff

    config = options.configure(paths)
    if (code := _show(paths, options, config)) is not None:
        return code
    project = _open(paths, options, config)
    report, held = (
        _verified(project, options) if verify else (_api.preview(project), ())
    )
    if paths == [_STDIN] and not dry_run:
        return _apply_text(options, project, report)
    if dry_run:
        if options.output_format is Format.TEXT:
            _put(options, _planned(report) + diff.render(report))
            _errors(report.errors)
        else:
            _print_report(options, report.planned())
        return _code(options, report, found=bool(report.files or held))
    report = _api.now_left(project, _api.write(report))
    _print_report(options, report)
    left = bool(report.fixable(unsafe=True))
    return _code(options, report, found=left or bool(held))


def _verified(project: Project, options: Options) -> tuple[Report, tuple[str, ...]]:
    from jaxfix import _verify

    with _cli_proof.progress(options) as watch:
        report, held = _verify.verify(project, watch)
    for line in held:
        print(f"held back: {line}", file=sys.stderr)
    return report, held


@app.command()
@command
def diff(paths: Paths, options: Options) -> int:
    """Print the fixes as one unified diff, for `git apply` or `patch -p1`."""
    from jaxfix import _api
    from jaxfix._report import diff as unified

    render = _cli_proof.renderer(options, {Format.TEXT: unified.render})
    config = options.configure(paths)
    if (code := _show(paths, options, config)) is not None:
        return code
    report = _api.preview(_open(paths, options, config))
    _put(options, render(report))
    _errors(report.errors)
    return _code(options, report, found=bool(report.files))


@app.command()
@command
def why(
    place: Annotated[
        str,
        typer.Argument(
            metavar="FILE:LINE[:NAME]",
            help="A line, and a name in it; in a notebook, FILE:CELL:LINE[:NAME].",
        ),
    ],
    options: Options,
) -> int:
    """Print the chain from a transform to a value, or why it is static."""
    from jaxfix import _api
    from jaxfix._report import explained

    match = re.fullmatch(
        r"(?P<path>.+?):(?:(?P<cell>\d+):)?(?P<line>\d+)(?::(?P<name>.+))?", place
    )
    if match is None:
        raise UsageError(f"expected FILE:LINE or FILE:LINE:NAME, got {place!r}")
    path, cell = match["path"], match["cell"]
    render = _cli_proof.renderer(options, {Format.TEXT: explained.render})
    config = options.configure([path])
    found = _api.why(
        path,
        int(match["line"]),
        match["name"],
        config,
        cell=int(cell) if cell else None,
    )
    _put(options, render(found))
    return 0


@app.command()
@plain_command
def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The name of a rule.")],
) -> int:
    """Print the manual page of a rule."""
    from jaxfix import _api

    print(_api.rule_page(rule).rstrip())
    return 0


@app.command()
@plain_command
def rules(
    output_format: Annotated[
        TableFormat, typer.Option(help="How to print the table.")
    ] = TableFormat.TEXT,
    write: Annotated[
        bool, typer.Option("--write", help="Write the table into README.md here.")
    ] = False,
) -> int:
    """Print the table of rules."""
    from jaxfix import _api
    from jaxfix._report import table

    listed = _api.rule_table()
    if write:
        _write_table(Path("README.md"), table.markdown(listed))
    elif output_format is TableFormat.JSON:
        print(table.json_text(listed), end="")
    else:
        print(table.text(listed), end="")
    return 0


def _write_table(readme: Path, table: str) -> None:
    try:
        text = readme.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{readme}: {error.strerror}") from None
    if not _TABLE.search(text):
        raise UsageError(f"{readme}: expected `<!-- rules -->` and `<!-- /rules -->`")
    new = _TABLE.sub(lambda match: match[1] + table + match[2], text)
    readme.write_text(new, "utf-8")


def _show(paths: list[str], options: Options, config: Config) -> int | None:
    """Prints settings or files if that was asked for; None if it was not."""
    from jaxfix import _api, _config

    if options.show_settings:
        active = sorted(config.rules(_api.rule_names()))
        text = _config.settings(config) + f"rules = [{', '.join(active)}]\n"
        _put(options, text)
        return 0
    if options.show_files:
        from jaxfix import _files

        found = _files.discover(
            paths,
            root=config.root,
            exclude=config.exclude,
            force_exclude=config.force_exclude,
        )
        _put(options, "".join(f"{file}\n" for file in found.files))
        return _errors(found.errors)
    return None


def _open(paths: list[str], options: Options, config: Config) -> Project:
    from jaxfix import _api

    if _STDIN not in paths:
        project = _api.open_project(paths, config)
    elif len(paths) > 1:
        raise UsageError("`-` stands for the whole input: name no other path with it")
    else:
        name = options.stdin_filename or "stdin.py"
        if sys.stdin is None:
            raise UsageError("standard input is closed: there is nothing to read")
        project = _api.open_text(name, sys.stdin.buffer.read(), config)
    # A wrong name of a rule is an error even if there is no file to read.
    active = len(project.rules)
    if options.verbose:
        print(f"configuration: {config.file or 'none'}", file=sys.stderr)
        print(f"root: {config.root}", file=sys.stderr)
        print(f"files: {project.file_count}, rules: {active}", file=sys.stderr)
    return project


def _no_stdin(paths: list[str], option: str) -> None:
    if _STDIN in paths:
        raise UsageError(f"{option} writes files: it does not go with `-`")


def _apply_text(options: Options, project: Project, report: Report) -> int:
    """Prints the fixed text of stdin; the report goes to stderr."""
    from jaxfix._report import concise

    for file in report.files:
        _write_bytes(options, file.after.encode("utf-8", "surrogateescape"))
    if not report.files:
        _write_bytes(options, project.raw)
    print(concise.render(report), end="", file=sys.stderr)
    _errors(report.errors)
    return _code(options, report, found=bool(report.fixable(unsafe=True)))


def _planned(report: Report) -> str:
    """One line a fix that would be made."""
    from jaxfix._report.result import place, plural

    lines = []
    for f in report.fixed:
        where = place(f.path, f.span.line, f.cell, f.span.column)
        fix = f": {f.fix.title} [{f.fix.safety}]" if f.fix else ""
        lines.append(f"would fix {where}: {f.rule}{fix}")
    findings, files = len(report.fixed), len(report.files)
    lines.append(f"would fix {plural(findings, 'finding')} in {plural(files, 'file')}")
    return "".join(f"{line}\n" for line in lines)


def _print_report(options: Options, report: Report) -> None:
    _put(options, _render(options, report))
    _errors(report.errors)


def _render(options: Options, report: Report) -> str:
    if options.statistics:
        from jaxfix._report import statistics

        return statistics.render(report, as_json=options.output_format is Format.JSON)
    if options.output_format is Format.TEXT:
        from jaxfix._report import text

        return text.render(
            report,
            color=_in_color(options),
            unsafe=bool(options.unsafe_fixes),
            summary=not options.quiet,
        )
    if options.output_format is Format.SARIF:
        from jaxfix._report import sarif

        return sarif.render(report, version=__version__)
    renderer = importlib.import_module(f"jaxfix._report.{options.output_format}")
    return str(renderer.render(report))


def _in_color(options: Options) -> bool:
    if options.color is not Color.AUTO:
        return options.color is Color.ALWAYS
    if os.environ.get("NO_COLOR") or options.output_file:
        return False
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _put(options: Options, text: str) -> None:
    """Prints the result, or writes it where it was asked for."""
    if options.output_file is None and not _has_odd_bytes(text):
        sys.stdout.write(text)
    else:
        _write_bytes(options, text.encode("utf-8", "surrogateescape"))


def _has_odd_bytes(text: str) -> bool:
    """Whether a diff carries newlines or bytes that a text stream would change."""
    return "\r" in text or any("\udc80" <= c <= "\udcff" for c in text)


def _write_bytes(options: Options, raw: bytes) -> None:
    if options.output_file is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        sys.stdout.flush()
        return
    with written("--output-file", options.output_file):
        options.output_file.write_bytes(raw)


def _say(options: Options, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)


def _errors(errors: Sequence[FileError]) -> int:
    """A line on stderr for each file that failed; gives the exit code."""
    from jaxfix._report.result import place

    for error in errors:
        where = place(error.path, error.line, error.cell)
        print(f"jaxfix: error: {where}: {error.message}", file=sys.stderr)
    return FAILED if errors else 0


def _code(options: Options, report: Report, *, found: bool) -> int:
    if report.errors:
        return FAILED
    return FOUND if found and not options.exit_zero else 0


_cli_proof.register(app)
