"""Writing files so that each is whole at any moment, and a group is written or not.

Every new content is first written beside its file and forced to the disk; only when all
of a group are there are they renamed, with signals held back. So an error, Ctrl-C or a
full disk leaves the old files; a kill in between leaves every single file old or new.

Source: rename(2), "atomically replaced"; fsync(2) on the folder for the entry itself.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


class WriteError(Exception):
    """A file of the group cannot be written, so none of it was."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Replacement:
    """New bytes for the file at `path`, which must still hold the old ones."""

    path: str
    before: bytes
    after: bytes


def write_all(group: Sequence[Replacement]) -> None:
    """Writes all files of the group, or none.

    Mode, owner where allowed, and symbolic links are kept: a link stays a link, and the
    file it leads to is replaced.

    Raises:
      WriteError: a file has changed since it was read, its folder is read-only, or it
        cannot be written; the files are as they were.
    """
    staged: list[tuple[Replacement, Path, Path]] = []
    try:
        for item in group:
            target = Path(os.path.realpath(item.path))
            try:
                _check(item, target)
                # The name is known before the file is made, whatever comes between.
                staged.append((item, target, temporary := _beside(target)))
                _stage(target, temporary, item.after)
            except OSError as error:
                raise _error(item, error) from None
        with _signals_held():
            _commit(staged)
    finally:
        for _, _, temporary in staged:
            temporary.unlink(missing_ok=True)


def _check(item: Replacement, target: Path) -> None:
    # A read-only file in a writable folder is replaced and stays read-only: the mode
    # of a file says nothing about renaming over it.
    if target.read_bytes() != item.before:
        raise WriteError(item.path, "has changed since it was read")


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.jaxfix-{secrets.token_hex(8)}.tmp")


def _stage(target: Path, temporary: Path, content: bytes) -> None:
    """Make `temporary` with the mode of `target` and the content, safe on the disk."""
    with open(temporary, "xb", opener=_for_us_alone) as file:
        file.write(content)
        file.flush()
        shutil.copystat(target, temporary)
        os.utime(temporary)
        _keep_owner(target, temporary)
        os.fsync(file.fileno())


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _keep_owner(target: Path, temporary: Path) -> None:
    if not hasattr(os, "chown"):
        return
    wanted = target.stat()
    # Only the superuser may give files away; a file of one's own needs nothing.
    with contextlib.suppress(PermissionError):
        if (wanted.st_uid, wanted.st_gid) != (os.getuid(), os.getgid()):
            os.chown(temporary, wanted.st_uid, wanted.st_gid)
            os.chmod(temporary, stat.S_IMODE(wanted.st_mode))


def _commit(staged: Sequence[tuple[Replacement, Path, Path]]) -> None:
    done: list[tuple[Replacement, Path]] = []
    try:
        for item, target, temporary in staged:
            try:
                os.replace(temporary, target)
            except OSError as error:
                raise _error(item, error) from None
            done.append((item, target))
    except WriteError:
        for item, target in reversed(done):
            temporary = _beside(target)
            _stage(target, temporary, item.before)
            os.replace(temporary, target)
        raise
    for folder in {target.parent for _, target in done}:
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    # Some systems cannot open or sync a folder; the files are safe all the same.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Interrupts wait until the block is done."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _error(item: Replacement, error: OSError) -> WriteError:
    return WriteError(
        item.path, f"cannot be written: {(error.strerror or str(error)).lower()}"
    )
