"""typer: the commands that run the user's code, `validate`, `bench` and `record`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from jaxfix._analysis.finding import FileError
from jaxfix._errors import UsageError, require_folder, written
from jaxfix._options import Format, Options, command, plain_command

if TYPE_CHECKING:
    from jaxfix._config import Config
    from jaxfix._validation.commands import Request
    from jaxfix._validation.verdict import Proof, Verdict

Shown = TypeVar("Shown")

# Imports inside of functions keep libcst, matplotlib and rich out of the start.

app = typer.Typer()

Paths = Annotated[list[str], typer.Argument(metavar="PATH", help="Files or folders.")]
Before = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="REV|DIR",
        help="Compare the files as they are with this revision or folder, instead of "
        "with what `apply` would write.",
    ),
]
Platforms = Annotated[
    list[str] | None,
    typer.Option(
        "--platform", help="A JAX platform: cpu, cuda, tpu, ... Repeat for several."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of random inputs.")]
Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds a function may take.")
]
Memory = Annotated[
    int | None, typer.Option("--memory", help="MiB of memory a worker may hold.")
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help="Where workers run: processes (here), or joblib's loky, dask, ray.",
    ),
]


# A benchmark validates first, then builds and calls at several sizes.
FAILED = 3  # the exit status where some file cannot be read
TIMEOUT_S = {"validate": 120.0, "bench": 600.0}


def register(target: typer.Typer) -> None:
    """Give these commands to the application."""
    target.registered_commands.extend(app.registered_commands)


@app.command()
@command
def validate(
    paths: Paths,
    options: Options,
    before: Before = None,
    platform: Platforms = None,
    seed: Seed = None,
    timeout: Timeout = None,
    memory: Memory = None,
    backend: Backend = None,
    emit_tests: Annotated[
        Path | None,
        typer.Option(
            "--emit-tests",
            metavar="DIR",
            help="Write pytest files that pin the equivalence into this folder.",
        ),
    ] = None,
) -> int:
    """Run every changed function before and after, and say whether they agree."""
    from jaxfix._report import verdicts
    from jaxfix._validation import commands
    from jaxfix._validation.emit import emit_tests as emit

    renderers: dict[Format, Callable[[Proof], str]] = {
        Format.TEXT: lambda proof: verdicts.render(proof, verbose=options.verbose),
        Format.JSON: verdicts.json_text,
        Format.MARKDOWN: verdicts.markdown,
    }
    render = renderer(options, renderers)
    config = options.configure(paths)
    request, unread = request_for(paths, config, before, "validate")
    request = overridden(request, platform, seed, timeout, memory, backend)
    proof = run(request, options)
    put(options, render(proof))
    if emit_tests is not None:
        with written("--emit-tests", emit_tests):
            files = emit(proof.verdicts, emit_tests, config.root)
        for file in files:
            say(options, f"wrote {file}")
    if unread:
        return FAILED
    return 0 if options.exit_zero else commands.exit_code(proof)


@app.command()
@command
def bench(
    paths: Paths,
    options: Options,
    before: Before = None,
    platform: Platforms = None,
    seed: Seed = None,
    timeout: Timeout = None,
    memory: Memory = None,
    backend: Backend = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write the report: .html, .md or .json. Repeat for several.",
        ),
    ] = None,
    pytest_benchmark: Annotated[
        Path | None,
        typer.Option(
            "--pytest-benchmark",
            metavar="FILE",
            help="Write the times for `pytest-benchmark compare`.",
        ),
    ] = None,
) -> int:
    """Time every changed function before and after, on each device."""
    import datetime

    from jaxfix._report import bench_json, bench_markdown
    from jaxfix._validation import commands

    renderers: dict[Format, Callable[[Proof], str]] = {
        Format.TEXT: bench_markdown.text,
        Format.JSON: bench_json.render,
        Format.MARKDOWN: bench_markdown.render,
    }
    render = renderer(options, renderers)
    files = [(file, file_renderer(file)) for file in report or ()]
    if pytest_benchmark is not None:
        require_folder("--pytest-benchmark", pytest_benchmark)
    config = options.configure(paths)
    request, unread = request_for(paths, config, before, "bench")
    request = overridden(request, platform, seed, timeout, memory, backend)
    request = replace(request, options=replace(request.options, bench=True))
    proof = run(request, options)
    put(options, render(proof))
    for file, render_file in files:
        with written("--report", file):
            file.write_text(render_file(proof), encoding="utf-8")
        say(options, f"wrote {file}")
    if pytest_benchmark is not None:
        now = datetime.datetime.now(datetime.UTC)
        text = bench_json.pytest_benchmark(proof, now=now)
        with written("--pytest-benchmark", pytest_benchmark):
            pytest_benchmark.write_text(text, encoding="utf-8")
        say(options, f"wrote {pytest_benchmark}")
    if unread:
        return FAILED
    return 0 if options.exit_zero else commands.exit_code(proof)


@app.command(context_settings={"allow_interspersed_args": False})
@plain_command
def record(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="What to run, after `--`."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", help="The file; default: jaxfix-inputs.json."),
    ] = None,
) -> int:
    """Run a script or a test suite and store the calls of its JAX functions."""
    from jaxfix import _config
    from jaxfix._validation import inputs
    from jaxfix._validation import record as recorder

    root = _config.load([Path.cwd()]).root
    file = output or root / inputs.RECORDED
    require_folder("--output", file)
    recording = recorder.record(arguments, root)
    if not recording.functions:
        print("jaxfix: no call of a transformed function was seen", file=sys.stderr)
        return recording.status
    with written("--output", file):
        recorder.store(recording, file)
    print(
        f"jaxfix: {len(recording.functions)} functions, {recording.calls} calls seen; "
        f"recording took {recording.spent_s * 1e3:.3g} ms, {recording.overhead:.1%} of "
        f"the time; wrote {file}",
        file=sys.stderr,
    )
    return recording.status


def request_for(
    paths: list[str], config: Config, before: str | None, table: str
) -> tuple[Request, bool]:
    """What to compare: the fixes that `apply` would make, or an earlier state.

    And whether some file cannot be read.
    """
    from jaxfix import _interpreter
    from jaxfix._validation import commands, harness

    settings = config.validate if table == "validate" else config.bench
    options = commands.configured_options(
        harness.Options(
            python=_interpreter.interpreter(config),
            jobs=config.jobs or jobs_of(table),
            timeout_s=TIMEOUT_S[table],
        ),
        settings,
        table,
    )
    changes: dict[str, str] = {}
    if before:
        unread = tell([error for path in paths for error in unreadable(path)])
    else:
        changes, unread = planned_changes(paths, config)
    request = commands.Request(
        root=config.root,
        changes=changes,
        earlier=before,
        only=tuple(inside(path, config.root) for path in paths),
        given=config.inputs,
        options=options,
    )
    return request, unread


def jobs_of(table: str) -> int:
    """Timed processes run one after the other: side by side they slow each other."""
    return 1 if table == "bench" else os.cpu_count() or 1


def planned_changes(paths: list[str], config: Config) -> tuple[dict[str, str], bool]:
    """New texts by path, and whether some file cannot be read."""
    from jaxfix import _api

    report = _api.preview(_api.open_project(paths, config))
    unread = tell(report.errors)
    changes = {
        inside(change.path, config.root): change.after
        for change in report.changes
        if change.path.endswith(".py")
    }
    return changes, unread


def unreadable(path: str) -> Iterator[FileError]:
    """What is wrong with a path of the command line, if it is not there."""
    try:
        os.stat(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield FileError(path, 1, f"cannot be read: {reason}")


def tell(errors: Sequence[FileError]) -> bool:
    """A line on stderr for each file that failed; whether there is one."""
    for error in errors:
        where = f"{error.path}:{error.line}"
        print(f"jaxfix: error: {where}: {error.message}", file=sys.stderr)
    return bool(errors)


def inside(path: str | Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def overridden(
    request: Request,
    platform: list[str] | None,
    seed: int | None,
    timeout: float | None,
    memory: int | None,
    backend: str | None,
) -> Request:
    """The request with what the command line says; None leaves it as it is."""
    given: dict[str, Any] = {
        "platforms": tuple(platform) if platform else None,
        "seed": seed,
        "timeout_s": timeout,
        "memory_bytes": memory * 2**20 if memory else None,
        "backend": backend,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return replace(request, options=replace(request.options, **chosen))


def run(request: Request, options: Options) -> Proof:
    """The proof, under a progress bar if someone is watching."""
    from jaxfix._validation import commands

    with progress(options) as (on_start, on_verdict):
        return commands.prove(request, on_start=on_start, on_verdict=on_verdict)


@contextlib.contextmanager
def progress(
    options: Options,
) -> Iterator[tuple[Callable[[int], None], Callable[[Verdict], None]]]:
    """A bar on a terminal, one step a verdict; nothing in a pipe."""
    if options.quiet or not sys.stderr.isatty():
        yield (lambda count: None), (lambda verdict: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, Elapsed(), console=Console(stderr=True), transient=True)
    with bar:
        task = bar.add_task("starting", total=None)

        def on_start(count: int) -> None:
            bar.update(task, total=count)

        def on_verdict(verdict: Verdict) -> None:
            text = f"{verdict.target.function}: {verdict.kind}"
            bar.update(task, advance=1, description=text)

        yield on_start, on_verdict


def renderer(
    options: Options, known: dict[Format, Callable[[Shown], str]]
) -> Callable[[Shown], str]:
    """What prints a result in the format that is asked for, if `known` has it."""
    if options.output_format not in known:
        names = ", ".join(known)
        raise UsageError(f"--output-format: expected {names} for this command")
    return known[options.output_format]


def file_renderer(file: Path) -> Callable[[Proof], str]:
    """How to write a report, by the file's suffix."""
    from jaxfix._report import bench_html, bench_json, bench_markdown

    renderers: dict[str, Callable[[Proof], str]] = {
        ".html": bench_html.render,
        ".md": bench_markdown.render,
        ".json": bench_json.render,
    }
    if file.suffix not in renderers:
        raise UsageError(f"--report: expected .html, .md or .json, got `{file}`")
    require_folder("--report", file)
    if file.suffix == ".html":
        require_matplotlib()
    return renderers[file.suffix]


def require_matplotlib() -> None:
    import importlib.util

    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("an HTML report needs `pip install matplotlib`")


def put(options: Options, text: str) -> None:
    """Print the result, or write it where it was asked for."""
    if options.output_file is None:
        sys.stdout.write(text)
    else:
        with written("--output-file", options.output_file):
            options.output_file.write_text(text, encoding="utf-8")


def say(options: Options, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)
