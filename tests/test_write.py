"""Writing: every file whole at any moment, a group all or none."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jaxfix import _write
from jaxfix._write import Replacement, WriteError, write_all

OLD, NEW = b"old = 1\n" * 2000, b"new = 2\n" * 3000


def group(folder: Path, count: int) -> list[Replacement]:
    files = [folder / f"f{i}.py" for i in range(count)]
    for file in files:
        file.write_bytes(OLD)
    return [Replacement(str(file), OLD, NEW) for file in files]


def contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.glob("*.py"))]


def test_content_and_mode(tmp_path):
    items = group(tmp_path, 3)
    (tmp_path / "f1.py").chmod(0o755)
    write_all(items)
    assert contents(tmp_path) == [NEW] * 3
    assert stat.S_IMODE((tmp_path / "f1.py").stat().st_mode) == 0o755
    assert len(list(tmp_path.iterdir())) == 3


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (items,) = [group(tmp_path / "real", 1)]
    link = tmp_path / "link.py"
    link.symlink_to(items[0].path)
    write_all([Replacement(str(link), OLD, NEW)])
    assert link.is_symlink()
    assert contents(tmp_path / "real") == [NEW]
    assert len(list((tmp_path / "real").iterdir())) == 1


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda file: file.chmod(0o444), "is read-only"),
        (lambda file: file.write_bytes(b"other"), "has changed since it was read"),
        (lambda file: file.unlink(), "cannot be written: no such file"),
    ],
)
def test_one_that_fails_stops_all(tmp_path, spoil, reason):
    items = group(tmp_path, 3)
    spoil(tmp_path / "f2.py")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(WriteError, match=f"f2.py: {reason}"):
        write_all(items)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_rename_that_fails_is_taken_back(tmp_path, monkeypatch):
    items = group(tmp_path, 3)
    replace = os.replace

    def refuse(source: Path, target: Path) -> None:
        if Path(target).name == "f1.py":
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(_write.os, "replace", refuse)
    with pytest.raises(WriteError, match="f1.py: cannot be written: no space left"):
        write_all(items)
    assert contents(tmp_path) == [OLD] * 3
    assert len(list(tmp_path.iterdir())) == 3


# Slow at the named call, and says so, so that the signal comes in the middle.
CHILD = """
import os, sys, time
from pathlib import Path
from jaxfix import _write
from jaxfix._write import Replacement, write_all
folder, at, old, new = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
real, seen = getattr(os, at), []
def slow(*args):
    seen.append(args)
    if len(seen) == 3:
        print("now", flush=True)
        time.sleep(0.5)
    return real(*args)
setattr(_write.os, at, slow)
files = sorted(folder.glob("f*.py"))
write_all([Replacement(str(f), f.read_bytes(), new.encode() * 3000) for f in files])
print("done", flush=True)
"""


def interrupted(folder: Path, at: str, sent: signal.Signals) -> tuple[int, str]:
    group(folder, 6)
    root = str(Path(_write.__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), at, "old = 1\n", "new = 2\n"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": root},
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "now\n"
        time.sleep(0.05)
        child.send_signal(sent)
        rest = child.stdout.read()
    return child.returncode, rest


@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_killed_in_the_middle_every_file_is_whole(tmp_path, at):
    code, rest = interrupted(tmp_path, at, signal.SIGKILL)
    assert (code, rest) == (-signal.SIGKILL, "")
    found = contents(tmp_path)
    assert len(found) == 6 and set(found) <= {OLD, NEW}
    # While new contents are prepared, no file has been touched.
    assert (found.count(NEW) == 0) == (at == "fsync")


def test_interrupted_while_preparing_nothing_is_written(tmp_path):
    interrupted(tmp_path, "fsync", signal.SIGINT)
    assert contents(tmp_path) == [OLD] * 6
    assert len(list(tmp_path.iterdir())) == 6


def test_interrupted_while_renaming_all_is_written(tmp_path):
    code, rest = interrupted(tmp_path, "replace", signal.SIGINT)
    assert contents(tmp_path) == [NEW] * 6
    assert len(list(tmp_path.iterdir())) == 6
    # The interrupt comes when the group is done, and is not lost.
    assert code != 0 and rest == ""
