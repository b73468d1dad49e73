"""The interpreter of the project that is fixed."""

from __future__ import annotations

import shutil
import sys

from jaxfix._config import Config
from jaxfix._errors import UsageError


def interpreter(config: Config) -> str:
    """The one that was asked for, else that of the project's environment, else ours.

    Raises:
      UsageError: the one that was asked for is no program.
    """
    if config.python is not None:
        if shutil.which(config.python) is None:
            raise UsageError(f"python: {config.python!r} is not an interpreter")
        return config.python
    for name in (".venv", "venv"):
        for python in ("bin/python", "Scripts/python.exe"):
            path = config.root / name / python
            if path.exists():
                return str(path)
    return sys.executable
