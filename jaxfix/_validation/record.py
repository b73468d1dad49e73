"""`jaxfix record`: runs a command and stores the calls that its functions received."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxfix._errors import UsageError

from .inputs import VERSION, Calls, read_recorded

RECORDER = Path(__file__).with_name("recorder.py")


@dataclass(frozen=True, slots=True)
class Recording:
    """What a run of the user's command gave. Times in seconds."""

    status: int
    functions: Mapping[str, Calls]
    calls: int
    spent_s: float
    total_s: float

    @property
    def overhead(self) -> float:
        """The share of the run's time that recording took."""
        return self.spent_s / self.total_s if self.total_s else 0.0


def record(command: Sequence[str], root: Path) -> Recording:
    """Run the command with the recorder in it, and gather what its processes noted.

    Raises:
      UsageError: there is no such command.
    """
    with tempfile.TemporaryDirectory(prefix="jaxfix-record-") as scratch:
        site, notes = Path(scratch, "site"), Path(scratch, "notes")
        site.mkdir()
        notes.mkdir()
        shutil.copy(RECORDER, site / "sitecustomize.py")
        old_path = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(site), *([old_path] if old_path else [])]
            ),
            "JAXFIX_RECORD_ROOT": str(root),
            "JAXFIX_RECORD_FOLDER": str(notes),
        }
        try:
            done = subprocess.run(command, env=environment, check=False)
        except OSError as error:
            raise UsageError(f"cannot run `{command[0]}`: {error.strerror}") from error
        parts = [json.loads(file.read_text()) for file in sorted(notes.glob("*.json"))]
    # What a signal ended has the status that a shell gives it.
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return gather(status, parts)


def gather(status: int, parts: Iterable[Mapping[str, Any]]) -> Recording:
    functions: dict[str, dict[str, Mapping[str, Any]]] = {}
    calls, spent_s, total_s = 0, 0.0, 0.0
    for part in parts:
        calls += part["calls"]
        spent_s += part["spent_s"]
        total_s += part["total_s"]
        for place, entries in part["functions"].items():
            known = functions.setdefault(place, {})
            for entry in entries:
                known.setdefault(json.dumps(entry, sort_keys=True), entry)
    kept = {place: tuple(known.values()) for place, known in sorted(functions.items())}
    return Recording(status, kept, calls, spent_s, total_s)


def store(recording: Recording, file: Path) -> None:
    """Write the calls, one a line. Functions that were not called keep their entry."""
    merged = {**read_recorded(file), **recording.functions}
    blocks = []
    for place, calls in sorted(merged.items()):
        lines = ",\n".join(f"   {json.dumps(call)}" for call in calls)
        blocks.append(f"  {json.dumps(place)}: [\n{lines}\n  ]")
    text = ",\n".join(blocks)
    body = f'{{\n "version": {VERSION},\n "functions": {{\n{text}\n }}\n}}\n'
    scratch = file.with_name(f"{file.name}.new")
    scratch.write_text(body, encoding="utf-8")
    scratch.replace(file)
