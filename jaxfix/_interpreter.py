"""The interpreter of the project that is fixed."""

from __future__ import annotations

import sys

from jaxfix._config import Config


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
