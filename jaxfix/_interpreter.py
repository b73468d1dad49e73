"""The interpreter of the project that is fixed, and the jax that it has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from jaxfix._config import Config, parse_version
from jaxfix._errors import UsageError

# What generated code may use where no jax is found: the version we are tested with.
_TESTED = (0, 10)
_ASK = "import importlib.metadata as m; print(m.version('jax'))"


def interpreter(config: Config) -> str:
    """The one that was asked for, else that of the project's environment, else ours."""
    if config.python is not None:
        return config.python
    for name in (".venv", "venv"):
        for python in ("bin/python", "Scripts/python.exe"):
            path = config.root / name / python
            if path.exists():
                return str(path)
    return sys.executable


def jax_version(config: Config) -> tuple[int, int]:
    """The version of jax that the project's interpreter has, as (major, minor).

    Raises:
      UsageError: the interpreter that was asked for cannot be run.
    """
    python = interpreter(config)
    # Reading the name of a folder takes a hundredth of the time that asking takes.
    prefix = Path(
        sys.prefix if python == sys.executable else Path(python).parent.parent
    )
    for pattern in ("lib/python3*/site-packages", "Lib/site-packages"):
        for info in sorted(prefix.glob(f"{pattern}/jax-*.dist-info")):
            if match := re.match(r"jax-(\d+\.\d+)", info.name):
                return parse_version(match[1], str(info))
    return _ask(python, was_asked_for=config.python is not None)


def _ask(python: str, *, was_asked_for: bool) -> tuple[int, int]:
    try:
        answer = subprocess.run(
            [python, "-c", _ASK], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        if was_asked_for:
            raise UsageError(f"--python: {python}: {error}") from None
        return _TESTED
    if answer.returncode or not answer.stdout.strip():
        return _TESTED
    return parse_version(answer.stdout.strip(), python)
