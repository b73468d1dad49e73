"""Exceptions that a user may see, each with the exit code it ends with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


class JaxfixError(Exception):
    """An error with a message for the user."""

    exit_code = 3


class UsageError(JaxfixError):
    """The command line or the configuration is wrong."""

    exit_code = 2


@contextlib.contextmanager
def written(option: str, file: Path) -> Iterator[None]:
    """A file that cannot be written makes the option that names it a wrong one."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{option}: {file}: {error.strerror}") from None


def require_folder(option: str, file: Path) -> None:
    """Long work is not begun for a file that has nowhere to go.

    Raises:
      UsageError: the folder of `file` is not there.
    """
    if not file.parent.is_dir():
        raise UsageError(f"{option}: {file}: there is no folder `{file.parent}`")
