"""What `validate`, `bench` and `record` do, apart from reading options and printing."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jaxfix._errors import UsageError

from . import harness, inputs
from .harness import Options
from .trees import Trees, changed_trees, earlier_trees, targets_from_trees
from .verdict import Kind, Proof, Target, Verdict

# `[tool.jaxfix.validate]` and `[tool.jaxfix.bench]`: each key with its type, and the
# field of `Options` that it sets.
SETTINGS: Mapping[str, tuple[type, str]] = {
    "platforms": (list, "platforms"),
    "seed": (int, "seed"),
    "timeout": (float, "timeout_s"),
    "memory": (int, "memory_bytes"),
    "backend": (str, "backend"),
}
FAILED = frozenset({Kind.DIFFERS, Kind.TIMED_OUT, Kind.CRASHED})


@dataclass(frozen=True, slots=True)
class Request:
    """What to compare.

    Attributes:
      root: the project's folder.
      changes: new texts of files, by path relative to `root`; ignored with `earlier`.
      earlier: a folder or a git revision to compare the project with, or None.
      only: files and folders, relative to `root`, that targets must be in; none: all.
      given: what the configuration has under `inputs`.
      options: how to run the workers.
    """

    root: Path
    changes: Mapping[str, str]
    earlier: str | None
    only: tuple[str, ...]
    given: Sequence[str] | Mapping[str, Any]
    options: Options


def prove(
    request: Request,
    *,
    on_start: Callable[[int], None] = lambda count: None,
    on_verdict: Callable[[Verdict], None] = lambda verdict: None,
) -> Proof:
    """Validate (or, with `options.bench`, also time) every function that differs.

    Args:
      request: what, and how.
      on_start: called with the number of verdicts to come.
      on_verdict: called for each verdict as it comes.

    Raises:
      UsageError: no such revision, or wrong inputs.
    """
    with trees_of(request) as trees:
        found = targets_from_trees(trees.before, trees.after)
        targets = [target for target in found if wanted(target, request.only)]
        options = with_inputs(request.options, request.root, request.given, targets)
        on_start(len(targets) * len(options.platforms))
        verdicts = harness.run(trees, targets, options, on_verdict)
    return Proof(tuple(verdicts), options.seed)


@contextlib.contextmanager
def trees_of(request: Request) -> Iterator[Trees]:
    if request.earlier is not None:
        with earlier_trees(request.root, request.earlier) as trees:
            yield trees
    else:
        with changed_trees(request.root, request.changes) as trees:
            yield trees


def wanted(target: Target, only: Sequence[str]) -> bool:
    return not only or any(
        part in (".", target.path) or target.path.startswith(f"{part}/")
        for part in only
    )


def with_inputs(
    options: Options,
    root: Path,
    given: Sequence[str] | Mapping[str, Any],
    targets: Sequence[Target],
) -> Options:
    """The options with the recorded and configured inputs of these targets.

    Raises:
      UsageError: a file of recorded calls or the table of inputs is wrong.
    """
    configured: dict[str, inputs.Calls] = {}
    files = [root / inputs.RECORDED]
    if isinstance(given, Mapping):
        configured = inputs.read_configured(given)
    else:
        files += map(Path, given)
    recorded: dict[str, inputs.Calls] = {}
    for file in files:
        recorded |= inputs.read_recorded(file)
    return replace(
        options,
        recorded=inputs.for_targets(targets, recorded),
        configured=inputs.for_targets(targets, configured),
    )


def configured_options(
    options: Options, table: Mapping[str, Any], where: str
) -> Options:
    """The options with those of a table of the configuration.

    Raises:
      UsageError: an unknown key, with the nearest known one, or a wrong type.
    """
    fields: dict[str, Any] = {}
    for key, value in table.items():
        if key not in SETTINGS:
            near = difflib.get_close_matches(key, SETTINGS, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise UsageError(f"{where}: unknown key `{key}`{hint}")
        kind, field = SETTINGS[key]
        if not isinstance(value, (int, float) if kind is float else kind):
            raise UsageError(f"{where}.{key}: expected {kind.__name__}, got {value!r}")
        fields[field] = tuple(value) if isinstance(value, list) else value
    if "memory_bytes" in fields:
        fields["memory_bytes"] *= 2**20
    return replace(options, **fields)


def exit_code(proof: Proof) -> int:
    """1 if a verdict says that something is wrong after the change."""
    return int(any(verdict.kind in FAILED for verdict in proof.verdicts))
