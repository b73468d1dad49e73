"""Which files a run is about."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from jaxfix._files import discover


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x = 1\n")


def found(*paths: str, **options: object) -> list[str]:
    return list(discover(paths or ["."], root=Path.cwd(), **options).files)


def test_python_files_of_folders_in_order(project):
    make("b.py", "a.pyi", "n.ipynb", "c.txt", "pkg/m.py", ".venv/x.py", ".git/h.py")
    assert found() == ["a.pyi", "b.py", "n.ipynb", "pkg/m.py"]
    assert found("pkg", "b.py", "pkg/m.py") == ["b.py", "pkg/m.py"]


def test_a_named_file_is_read_whatever_its_name(project):
    make("script", "skip.py")
    assert found("script", "skip.py", exclude=["skip.py"]) == ["script", "skip.py"]
    assert found("skip.py", exclude=["skip.py"], force_exclude=True) == []


def test_exclude(project):
    make("a.py", "gen/a.py", "pkg/gen/b.py", "pkg/x_pb2.py", "docs/d.py")
    assert found(exclude=["gen", "*_pb2.py"]) == ["a.py", "docs/d.py"]
    assert found(exclude=["pkg/gen", "docs/*"]) == [
        "a.py",
        "gen/a.py",
        "pkg/x_pb2.py",
    ]
    assert found("pkg/gen/b.py", exclude=["pkg"], force_exclude=True) == []
    assert found(exclude=["pkg/**/b.py"]) == found(exclude=["pkg/gen/b.py"])
    assert found(exclude=[f"{project}/pkg"]) == found(exclude=["pkg"])
    assert found(exclude=["docs/**/d.py"]) == found(exclude=["docs/d.py"]) != found()


def test_a_named_folder_is_read_though_it_is_excluded(project):
    make("site-packages/lib/m.py", "site-packages/lib/venv/n.py")
    assert found() == []
    assert found("site-packages/lib") == ["site-packages/lib/m.py"]


def test_what_cannot_be_read_is_an_error(project):
    make("a.py")
    os.mkfifo("pipe.py")
    os.symlink("nowhere", "dangling.py")
    result = discover(["a.py", "none.py", "pipe.py"], root=project)
    assert list(result.files) == ["a.py"]
    assert [(e.path, e.message) for e in result.errors] == [
        ("none.py", "cannot be read: no such file or directory"),
        ("pipe.py", "is neither a file nor a folder"),
    ]
    assert found() == ["a.py"]


def test_a_file_with_two_names_comes_once(project):
    make("b.py", "folder/m.py")
    os.symlink("b.py", "a.py")
    os.symlink("folder", "again")
    assert found() == ["b.py", "folder/m.py"]
    assert found("a.py") == ["a.py"]


def test_gitignore(project):
    make("a.py", "out/b.py", "pkg/out/c.py", "pkg/keep.py", "pkg/drop.py", "log.py")
    Path(".gitignore").write_text("/out\n# comment\nlog*\n!log.py\n")
    Path("pkg/.gitignore").write_text("*.py\n!keep.py\n")
    assert found() == ["a.py", "log.py", "pkg/keep.py"]
    assert found("out") == ["out/b.py"]
    assert found("pkg/drop.py") == ["pkg/drop.py"]


def test_gitignore_above_the_named_folder(project):
    make("pkg/a.py", "pkg/sub/b.py")
    Path(".gitignore").write_text("b.py\n")
    assert found("pkg") == ["pkg/a.py", "pkg/sub/b.py"]
    Path(".git").mkdir()
    assert found("pkg") == ["pkg/a.py"]


ATOMS = ["a", "b", "*", "?", "**", "build", "*.py", "a*", "[ab]", "[!a].py", "x.py"]


def pattern(chance: random.Random) -> str:
    text = "/".join(chance.choice(ATOMS) for _ in range(chance.randint(1, 3)))
    start = chance.choice(["", "", "/", "!", "!/"])
    return start + text + chance.choice(["", "", "/"])


@pytest.mark.skipif(shutil.which("git") is None, reason="git says what is right")
@pytest.mark.parametrize("seed", range(12))
def test_gitignore_as_git_does(project, seed):
    chance = random.Random(seed)
    subprocess.run(["git", "init", "-q"], check=True)
    for _ in range(14):
        folders = chance.choices(["a", "b", "build"], k=chance.randint(0, 3))
        make("/".join([*folders, chance.choice(["x.py", "a.py", "b.py", "ab.py"])]))
    for folder in filter(os.path.isdir, (".", "a", "b/a")):
        lines = [pattern(chance) for _ in range(chance.randint(1, 4))]
        Path(folder, ".gitignore").write_text("\n".join(lines) + "\n")
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    want = sorted(name for name in listed.stdout.split("\n") if name.endswith(".py"))
    assert found() == want
