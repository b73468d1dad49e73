"""The command line, on an engine that needs no JAX."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import jaxfix
from jaxfix import _api, _engine
from jaxfix._cli import application
from jaxfix._report.result import Report
from jaxfix._validation import commands
from jaxfix._validation.verdict import Kind, Proof, Target, Verdict
from tests import fake_engine

PROGRAM = """\
import jax

def f(x):
    y = bad(x)
    z = risky(y)
    return ugly(z)
"""
SAFE = PROGRAM.replace("bad(", "good(")
UNSAFE = SAFE.replace("risky(", "tame(")


class Result:
    """What a command printed, and how it ended."""

    def __init__(self, *arguments: str, stdin: str | bytes | None = None) -> None:
        done = CliRunner().invoke(application(), arguments, input=stdin)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        self.code = done.exit_code
        self.out = done.stdout
        self.raw = done.stdout_bytes
        self.err = done.stderr


run = Result


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_api, "_engine", fake_engine)
    return tmp_path


def write(text: str | bytes = PROGRAM, name: str = "a.py") -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def findings(*arguments: str) -> list[tuple[str, int, str]]:
    value = json.loads(run("check", *arguments, "--output-format", "json").out)
    return [(f["path"], f["line"], f["name"]) for f in value["findings"]]


# --- check


def test_check_reports_and_writes_nothing():
    file = write()
    result = run("check", ".")
    assert result.code == 1
    assert "a.py:4:9: traced-if: `bad` on a traced value" in result.out
    assert "4 |     y = bad(x)" in result.out
    assert "because: `f` is under jax.jit (a.py:1)" in result.out
    assert "3 findings in 1 file" in result.out
    assert file.read_text() == PROGRAM


def test_nothing_found():
    write("x = 1\n")
    assert run("check", ".").code == 0
    assert json.loads(run("check", ".", "--output-format", "json").out) == {
        "version": 1,
        "findings": [],
        "errors": [],
        "summary": {"files": 1, "findings": 0, "fixable": 0, "fixed": 0, "hidden": 0},
    }


def test_the_order_is_by_path_and_line():
    write(PROGRAM, "b/z.py")
    write(PROGRAM, "b/a.py")
    found = findings("b/z.py", "b")
    assert found == sorted(found) and len(found) == 6


def test_edits_in_json_make_the_fix():
    write("x = 0\ndef g():\n    pass\n" + PROGRAM)
    value = json.loads(run("check", ".", "--output-format", "json").out)
    first = value["findings"][0]
    assert first["fix"]["applicability"] == "safe"
    lines = Path("a.py").read_text().split("\n")
    for edit in reversed(first["fix"]["edits"]):
        assert (edit["column"], edit["end_column"]) == (1, 1)
        lines[edit["line"] - 1 : edit["end_line"] - 1] = edit["text"].split("\n")[:-1]
    assert "    y = good(x)" in lines
    assert [bool(f["fix"]) != bool(f["not_fixed"]) for f in value["findings"]] == [
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "name", ["text", "concise", "sarif", "github", "gitlab", "junit", "markdown"]
)
def test_formats(name):
    write()
    result = run("check", ".", "--output-format", name)
    assert result.code == 1
    assert "`ugly` on a traced value" in result.out
    run("check", ".", "--output-format", name, "--output-file", "report")
    assert Path("report").read_text() == result.out


def test_statistics_exit_zero_and_quiet():
    write(PROGRAM.replace("risky", "bad"))
    result = run("check", ".", "--statistics", "--exit-zero")
    assert (result.code, result.out.splitlines()[:2]) == (
        0,
        ["2  [*]  traced-if", "1  [ ]  stale-global"],
    )
    assert "[*] has fixes: `jaxfix apply`" in result.out
    assert "findings in" not in run("check", ".", "--quiet").out


def test_select_and_ignore():
    write()
    assert [f[2] for f in findings(".", "--select", "traced-*")] == [
        "traced-if",
        "traced-while",
    ]
    assert [f[2] for f in findings(".", "--ignore", "traced-if,traced-while")] == [
        "stale-global"
    ]
    both = findings(".", "--select", "traced-if", "--extend-select", "stale-global")
    assert [f[2] for f in both] == ["traced-if", "stale-global"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", ".", "--select", "traced-iff"], "did you mean `traced-if`?"),
        (["check", ".", "--selct", "traced-if"], "--select"),
        (["chek", "."], "check"),
        (["check", ".", "--jax-version", "new"], "expected a version"),
        (["check", ".", "--config", "none.toml"], "none.toml: cannot be read"),
        (["check", ".", "--output-format", "xml"], "xml"),
        (["check"], "PATH"),
        (["explain", "traced-iff"], "did you mean `traced-if`?"),
        (["why", "a.py"], "expected FILE:LINE"),
        (["why", "a.py:3", "--output-format", "json"], "expected text for this"),
        (["why", "a.py:99"], "there is no line 99"),
        (["validate", ".", "--python", "no/such/one"], "is not an interpreter"),
        (["check", "-", "a.py"], "`-` stands for the whole input"),
        (["check", ".", "--baseline", "none.json"], "none.json: No such file"),
        (["check", ".", "--output-file", "no/such/file"], "no/such/file"),
        (["check", ".", "--write-baseline", "no/b.json"], "no/b.json: No such file"),
        (["bench", ".", "--report", "no/r.md"], "no/r.md: there is no folder `no`"),
        (["bench", ".", "--pytest-benchmark", "no/b"], "there is no folder `no`"),
        (["record", "--output", "no/i.json", "--", "true"], "there is no folder `no`"),
        ([], "Usage"),
    ],
)
def test_usage_errors(arguments, message):
    write()
    result = run(*arguments)
    assert result.code == 2
    assert message in result.err + result.out


def test_an_error_of_the_system_is_one_line(monkeypatch):
    write()

    def full(*given, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_api, "check_project", full)
    result = run("check", ".")
    assert result.code == 3
    assert result.err == "jaxfix: error: No space left on device\n"


@pytest.mark.parametrize("arguments", [["check", "."], ["diff", "."], ["rules"]])
def test_a_closed_output_is_no_error_of_the_tool(arguments):
    write("x = 1\n")
    command = [sys.executable, "-m", "jaxfix", *arguments]
    child = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (child.returncode, child.stderr) == (0, b"")


def test_a_closed_input_is_a_usage_error(monkeypatch):
    code = "import sys\nsys.stdin = None\nfrom jaxfix._cli import main\nmain()\n"
    with start(code, "check", "-") as child:
        _, err = child.communicate()
    assert child.returncode == 2
    assert err == "jaxfix: error: standard input is closed: there is nothing to read\n"


def test_what_apply_leaves_is_reported_where_it_now_stands(monkeypatch):
    """As a `check` right after it does, with the reasons."""
    monkeypatch.setattr(_api, "_engine", _engine)
    write(
        "import jax\n\n\n@jax.jit\ndef f(x, n):\n    y = x\n    while y < n:\n"
        "        y = y + 1\n    assert y > 0\n    return y\n\n\nf(1.0, 3.0)\n"
    )
    left = run("apply", ".", "--output-format", "json")
    after = run("check", ".", "--output-format", "json")
    assert [f["line"] for f in json.loads(left.out)["findings"]] == [8]
    assert json.loads(left.out)["findings"] == json.loads(after.out)["findings"]
    assert json.loads(left.out)["summary"]["fixed"] == 1


def test_a_file_that_cannot_be_written_is_not_called_unequal(monkeypatch):
    write()
    write(name="b.py")
    replace = os.replace

    def failing(old, new):
        if str(new).endswith("b.py"):
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(old, new)

    monkeypatch.setattr(os, "replace", failing)
    result = run("apply", ".")
    assert result.code == 3
    assert "b.py:1: cannot be written: permission denied" in result.err
    assert "held back: standard error says why" in result.out


def test_a_wrong_key_in_the_configuration():
    write()
    write("[tool.jaxfix]\nselet = []\n", "pyproject.toml")
    result = run("check", ".")
    assert result.code == 2
    assert "unknown key `selet`; did you mean `select`?" in result.err
    assert run("check", ".", "--isolated").code == 1


def test_files_that_fail_are_one_line_each_and_the_rest_goes_on():
    write()
    write("x = (\n", "b.py")
    write(b"x = '\xff'\n", "c.py")
    write(b"x = 1\0\n", "d.py")
    result = run("check", ".", "none.py", "--output-format", "json")
    assert result.code == 3
    value = json.loads(result.out)
    assert len(value["findings"]) == 3
    assert [e["path"] for e in value["errors"]] == ["b.py", "c.py", "d.py", "none.py"]
    assert len(result.err.splitlines()) == 4
    assert "jaxfix: error: b.py:1: invalid syntax: '(' was never closed" in result.err
    assert run("apply", ".").code == 3
    assert Path("a.py").read_text() == SAFE
    assert Path("b.py").read_text() == "x = (\n"


def test_settings_and_files():
    write()
    shown = run("check", ".", "--show-settings", "--select", "traced-if").out
    assert 'select = ["traced-if"]' in shown and "rules = [traced-if]" in shown
    assert run("check", ".", "--show-files").out == "a.py\n"


def test_color():
    write()
    assert "\x1b[" in run("check", ".", "--color", "always").out
    assert "\x1b[" not in run("check", ".").out


def test_the_configuration_counts():
    write(PROGRAM, "tests/t.py")
    write()
    write(
        "[tool.jaxfix]\nignore = ['stale-global']\n"
        "[tool.jaxfix.per-file-ignores]\n'tests/*' = ['traced-*']\n",
        "pyproject.toml",
    )
    assert findings(".") == [("a.py", 4, "traced-if"), ("a.py", 5, "traced-while")]


# --- apply and diff


def test_apply_writes_safe_fixes_and_a_second_time_nothing():
    file = write()
    file.chmod(0o750)
    result = run("apply", ".")
    assert file.read_text() == SAFE
    assert file.stat().st_mode & 0o777 == 0o750
    assert "fixed 1 finding, 2 findings left in 1 file" in result.out
    # An unsafe fix is left, that could still be made.
    assert result.code == 1
    changed = file.stat().st_mtime_ns
    assert run("apply", ".").code == 1
    assert file.stat().st_mtime_ns == changed
    # What is left then has no fix.
    assert run("apply", ".", "--unsafe-fixes").code == 0
    assert file.read_text() == UNSAFE


def test_unsafe_fixes_by_configuration():
    write()
    write("unsafe-fixes = true\n", "jaxfix.toml")
    run("apply", ".", "--no-unsafe-fixes")
    assert Path("a.py").read_text() == SAFE
    run("apply", ".")
    assert Path("a.py").read_text() == UNSAFE


def test_dry_run_writes_nothing():
    file = write()
    result = run("apply", ".", "--dry-run")
    assert result.code == 1
    assert "would fix a.py:4:9: traced-if: call `good` [safe]" in result.out
    assert "+    y = good(x)" in result.out
    assert file.read_text() == PROGRAM
    write(SAFE)
    assert run("apply", ".", "--dry-run").code == 0


def test_dry_run_in_a_format_for_machines():
    file = write()
    result = run("apply", ".", "--dry-run", "--output-format", "json")
    assert result.code == 1
    value = json.loads(result.out)
    assert value["summary"] == {
        "files": 1,
        "findings": 3,
        "fixable": 2,
        "fixed": 0,
        "hidden": 0,
    }
    assert [len(f["fix"]["edits"]) for f in value["findings"] if f["fix"]] == [1, 0]
    assert file.read_text() == PROGRAM


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_diff_is_what_apply_does(newline):
    raw = PROGRAM.replace("\n", newline).encode()
    write(raw)
    write(raw, "pkg/b c.py")
    result = run("diff", ".")
    assert result.code == 1
    subprocess.run(["git", "apply", "-"], input=result.raw, check=True)
    patched = Path("a.py").read_bytes(), Path("pkg/b c.py").read_bytes()
    write(raw)
    write(raw, "pkg/b c.py")
    run("apply", ".")
    assert patched == (Path("a.py").read_bytes(), Path("pkg/b c.py").read_bytes())
    done = run("diff", ".")
    assert (done.code, done.out) == (0, "")


def test_encoding_and_mark_are_kept():
    text = "# coding: latin-1\ns = 'é'\n" + PROGRAM
    write(text.encode("latin-1"))
    run("apply", ".")
    assert Path("a.py").read_bytes().decode("latin-1") == text.replace("bad(", "good(")


def test_a_read_only_file_is_replaced_and_stays_read_only():
    file = write()
    file.chmod(0o444)
    result = run("apply", ".")
    assert (result.code, result.err) == (1, "")
    assert file.read_text() == SAFE
    assert file.stat().st_mode & 0o777 == 0o444


def change_while_running(monkeypatch, name: str, text: str) -> None:
    """Another program writes the file after it was read."""
    original = fake_engine.run

    def changing(*arguments, **keywords):
        Path(name).write_text(text)
        return original(*arguments, **keywords)

    monkeypatch.setattr(fake_engine, "run", changing)


def test_a_file_that_changed_since_is_an_error_and_the_others_are_written(monkeypatch):
    write()
    write(PROGRAM, "b.py")
    change_while_running(monkeypatch, "b.py", "x = 1\n")
    result = run("apply", ".")
    assert result.code == 3
    assert "jaxfix: error: b.py:1: has changed since it was read" in result.err
    assert Path("a.py").read_text() == SAFE
    assert Path("b.py").read_text() == "x = 1\n"


def test_fixes_that_belong_together_are_written_together_or_not(monkeypatch):
    both = "def f(x):\n    return both(x)\n"
    write(both, "a.py")
    write(both, "b.py")
    write(PROGRAM, "c.py")
    with monkeypatch.context() as patch:
        change_while_running(patch, "b.py", both + "y = 1\n")
        result = run("apply", ".")
    assert result.code == 3
    assert Path("a.py").read_text() == both
    assert Path("b.py").read_text() == both + "y = 1\n"
    assert Path("c.py").read_text() == SAFE
    assert "a.py:1: not fixed: its fix belongs to one in b.py" in result.err
    run("apply", ".")
    assert (
        "pair(x)" in Path("a.py").read_text() and "pair(x)" in Path("b.py").read_text()
    )


def test_a_failure_after_the_first_file_of_a_group_restores_it(monkeypatch):
    both = "def f(x):\n    return both(x)\n"
    write(both, "a.py")
    write(both, "b.py")
    replace = os.replace

    def failing(source, target):
        if Path(target).name == "b.py":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    result = run("apply", ".")
    assert result.code == 3
    assert "b.py:1: cannot be written: no space left on device" in result.err
    assert [Path(n).read_text() for n in ("a.py", "b.py")] == [both, both]
    assert sorted(p.name for p in Path().iterdir()) == ["a.py", "b.py"]


def test_a_fix_that_does_not_parse_is_never_written(monkeypatch):
    monkeypatch.setitem(fake_engine.RULES, "bad", ("traced-if", _api.Safety.SAFE, "g("))
    file = write()
    result = run("apply", ".")
    assert result.code == 3
    assert "a.py:1: not fixed: after the fix, invalid syntax" in result.err
    assert file.read_text() == PROGRAM


def test_stdin():
    result = run("apply", "-", "--stdin-filename", "pkg/m.py", stdin=PROGRAM)
    assert result.out == SAFE
    assert "pkg/m.py:5:9: traced-while" in result.err
    assert run("apply", "-", stdin="x = 1\r\n").raw == b"x = 1\r\n"
    diff = run("diff", "-", "--stdin-filename", "pkg/m.py", stdin=PROGRAM)
    assert diff.out.startswith("--- a/pkg/m.py\n+++ b/pkg/m.py\n")
    checked = run("check", "-", "--output-format", "concise", stdin=PROGRAM)
    assert checked.out.startswith("stdin.py:4:9: traced-if")
    broken = run("apply", "-", stdin="x = (\n")
    assert (broken.code, broken.out) == (3, "x = (\n")
    planned = run("apply", "--dry-run", "-", stdin=PROGRAM)
    assert planned.code == 1
    assert planned.out.startswith("would fix stdin.py:4:9: traced-if")


@pytest.mark.parametrize("command", ["validate", "bench"])
def test_nothing_is_proved_of_a_file_that_cannot_be_read(command):
    write("x = (\n", "broken.py")
    result = run(command, "broken.py")
    assert result.code == 3
    assert "jaxfix: error: broken.py:1: invalid syntax" in result.err


def test_verify_keeps_only_what_is_proved(monkeypatch):
    file = write(PROGRAM + PROGRAM.replace("f(", "g(") + "w = bad(1)\n")
    asked = []

    def prove(request, *, on_start, on_verdict):
        asked.append(dict(request.changes))
        kinds = {"f": Kind.EQUAL, "g": Kind.DIFFERS}
        after = request.changes["a.py"].split("def g")
        changed = [n for n, part in zip("fg", after, strict=True) if "good" in part]
        verdicts = (Verdict(Target("a.py", n), "cpu", kinds[n], "1.0") for n in changed)
        return Proof(tuple(verdicts), 0)

    monkeypatch.setattr(commands, "prove", prove)
    result = run("apply", ".", "--verify")
    assert result.code == 1
    assert result.err.splitlines() == [
        "held back: a.py:g: differs: 1.0",
        "held back: a.py:: not in a function that can be compared",
    ]
    assert file.read_text() == SAFE + PROGRAM.replace("f(", "g(") + "w = bad(1)\n"
    # What is left is another program, and was proved as well.
    assert asked[-1] == {"a.py": file.read_text()}


def test_verify_holds_back_what_changes_an_unproved_neighbour(monkeypatch):
    file = write()

    def prove(request, *, on_start, on_verdict):
        verdicts = (
            Verdict(Target("a.py", "f"), "cpu", Kind.EQUAL),
            Verdict(Target("a.py", "caller"), "cpu", Kind.NOT_RUN, "no inputs"),
        )
        return Proof(verdicts, 0)

    monkeypatch.setattr(commands, "prove", prove)
    assert "a.py:f: it changes a.py:caller" in run("apply", ".", "--verify").err
    assert file.read_text() == PROGRAM


# --- suppression and baseline


def test_comments_hide_and_unused_ones_are_found_and_removed():
    text = PROGRAM.replace(
        "bad(x)", "bad(x)  # jaxfix: ignore[traced-if, stale-global]"
    )
    text = "# jaxfix: ignore[traced-if]\n" + text
    file = write(text)
    assert findings(".") == [
        ("a.py", 1, "unused-ignore"),
        ("a.py", 5, "unused-ignore"),
        ("a.py", 6, "traced-while"),
        ("a.py", 7, "stale-global"),
    ]
    assert findings(".", "--ignore", "unused-ignore")[0][2] == "traced-while"
    run("apply", ".", "--unsafe-fixes")
    assert file.read_text() == PROGRAM.replace(
        "bad(x)", "bad(x)  # jaxfix: ignore[traced-if]"
    ).replace("risky(", "tame(")
    assert run("apply", ".", "--unsafe-fixes").code == 0


def test_add_ignores():
    file = write()
    result = run("check", ".", "--add-ignores")
    assert result.code == 0
    assert "wrote comments for 3 findings" in result.err
    assert "    y = bad(x)  # jaxfix: ignore[traced-if]\n" in file.read_text()
    assert findings(".") == []
    before = file.read_text()
    run("apply", ".", "--unsafe-fixes")
    run("check", ".", "--add-ignores")
    assert file.read_text() == before


def test_a_baseline_hides_what_was_there():
    file = write()
    assert run("check", ".", "--write-baseline", "base.json").code == 0
    result = run("check", ".", "--baseline", "base.json")
    assert result.code == 0
    assert "0 findings in 1 file, 3 hidden" in result.out
    # Lines above move it, a second one of the same is new, and old ones stay unfixed.
    file.write_text("import os\n" + PROGRAM + "\n\ndef g(x):\n    y = bad(x)\n")
    assert findings(".", "--baseline", "base.json") == [("a.py", 11, "traced-if")]
    run("apply", ".", "--baseline", "base.json")
    assert file.read_text().count("bad(x)") == 1
    assert "    y = good(x)\n" in file.read_text().split("def g")[1]


def test_a_baseline_hides_comments_without_a_use():
    write("x = 1  # jaxfix: ignore[traced-if]\n")
    run("check", ".", "--write-baseline", "base.json")
    assert findings(".") == [("a.py", 1, "unused-ignore")]
    assert findings(".", "--baseline", "base.json") == []


def test_a_baseline_may_lie_in_another_folder(monkeypatch):
    write(PROGRAM, "pkg/a.py")
    run("check", ".", "--write-baseline", "base.json")
    monkeypatch.chdir("pkg")
    assert run("check", ".", "--baseline", "../base.json").code == 0


# --- notebooks


def test_a_notebook():
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["x"]},
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [1.50],
            "source": ["!ls\n", "y"],
        },
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "source": ["a\n", "bad(y)"],
        },
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(document, indent=4)
    file = write(text, "n.ipynb")
    value = json.loads(run("check", ".", "--output-format", "json").out)
    (finding,) = value["findings"]
    assert (finding["cell"], finding["line"], finding["column"]) == (3, 2, 1)
    (edit,) = finding["fix"]["edits"]
    assert (edit["line"], edit["text"]) == (2, "good(y)\n")
    assert "n.ipynb:cell 3:2:1" in run("check", ".").out
    diff = run("diff", ".")
    subprocess.run(["git", "apply", "-"], input=diff.raw, check=True)
    assert file.read_text() == text.replace("bad(y)", "good(y)")
    write(text, "n.ipynb")
    assert run("apply", ".").code == 0
    assert file.read_text() == text.replace("bad(y)", "good(y)")


# --- the other commands


def test_why():
    write()
    write(PROGRAM, "b.py")
    start = "    a.py:1: it starts\n"
    assert run("why", "a.py:4:x").out == "a.py:4: x of 2 files\n" + start
    assert run("why", "a.py:4").out == "a.py:4: None of 2 files\n" + start


def test_why_in_a_notebook():
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
        for source in (["import jax"], ["a\n", "b"])
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    write(json.dumps(document), "n.ipynb")
    first, second = run("why", "n.ipynb:2:2:b").out.splitlines()
    assert first == "n.ipynb:cell 2:2: b of 1 files"
    assert second == "    n.ipynb:cell 1:1: it starts"


def test_why_of_what_cannot_be_read():
    write("def f(:\n")
    for place, message in [
        ("none.py:1", "none.py:1: cannot be read"),
        ("a.py:1", "a.py:1: invalid syntax"),
    ]:
        result = run("why", place)
        assert result.code == 3
        assert message in result.err


def test_rules_and_explain():
    assert "unused-ignore" in run("rules").out
    rows = json.loads(run("rules", "--output-format", "json").out)
    assert [row["name"] for row in rows] == sorted(row["name"] for row in rows)
    assert rows[2]["url"].startswith("https://docs.jax.dev/")
    assert run("explain", "traced-if").out.startswith("# traced-if\n")
    assert run("explain", "unused-ignore").out.startswith("# unused-ignore\n")


def test_the_table_of_the_readme():
    readme = write("A\n<!-- rules -->\nold\n<!-- /rules -->\nB\n", "README.md")
    assert run("rules", "--write").code == 0
    text = readme.read_text()
    assert text.startswith("A\n<!-- rules -->\n| rule |") and text.endswith("-->\nB\n")
    assert "old" not in text
    write("none\n", "README.md")
    assert run("rules", "--write").code == 2


def test_version_and_help():
    assert run("--version").out == f"jaxfix {jaxfix.__version__}\n"
    assert run("--help").code == 0
    assert "--unsafe-fixes" in run("apply", "--help").out


def test_for_programs():
    write()
    report = jaxfix.check(["."])
    assert isinstance(report, Report)
    assert [f.span.line for f in report.findings] == [4, 5, 6]
    assert [f.rule for f in jaxfix.fix(["."]).fixed] == ["traced-if"]
    assert Path("a.py").read_text() == SAFE


# --- the process as a whole

ROOT = Path(jaxfix.__file__).parent.parent


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )


def test_interrupted_exits_130():
    write()
    code = (
        "import signal, sys, time, jaxfix._options, jaxfix._config as c\n"
        # A shell's background jobs start with it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from jaxfix._cli import main\n"
        "def slow(*a, **k):\n    print('now', flush=True)\n    time.sleep(30)\n"
        "c.load = slow\nmain()\n"
    )
    with start(code, "check", ".") as child:
        assert child.stdout is not None and child.stdout.readline() == "now\n"
        time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate()
    assert child.returncode == 130
    assert err == "jaxfix: interrupted\n"


def test_an_interrupt_leaves_no_new_file_behind(monkeypatch):
    file = write()
    make = os.open

    def interrupted(path, *given, **named):
        made = make(path, *given, **named)
        if str(path).endswith(".tmp"):
            signal.raise_signal(signal.SIGINT)
        return made

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(os, "open", interrupted)
        assert run("apply", ".").code == 130
    finally:
        signal.signal(signal.SIGINT, handler)
    assert file.read_text() == PROGRAM
    assert os.listdir() == ["a.py"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_from_outside_cleans_up(number):
    code = (
        "import tempfile, time, jaxfix._config as c\n"
        "from jaxfix._cli import main\n"
        "def slow(*a, **k):\n    with tempfile.TemporaryDirectory(dir='.') as name:\n"
        "        print(name, flush=True)\n        time.sleep(30)\n"
        "c.load = slow\nmain()\n"
    )
    with start(code, "check", ".") as child:
        assert child.stdout is not None
        scratch = Path(child.stdout.readline().strip())
        assert scratch.is_dir()
        child.send_signal(number)
        _, err = child.communicate()
    assert (child.returncode, err) == (128 + number, "")
    assert not scratch.exists()


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], ["jax", "numpy", "libcst", "rich", "tomllib"]),
        (["check", "."], ["jax", "numpy", "libcst", "rich"]),
    ],
)
def test_a_start_needs_nothing_heavy(arguments, heavy):
    """Nor does a run that finds nothing to write."""
    write("import jax\n\n\n@jax.jit\ndef f(x):\n    return x\n")
    code = (
        "import sys\nfrom jaxfix._cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy} if name in sys.modules])\n"
    )
    with start(code, *arguments) as child:
        out, _ = child.communicate()
    assert out.splitlines()[-1] == "[]"


def test_output_that_the_terminal_cannot_show():
    write("def f(x):\n    y = 'é'; return ugly(x)\n", "ü.py")
    code = "import tests.fake_engine as f, jaxfix._api as a\na._engine = f\n"
    code += "from jaxfix._cli import main\nmain()\n"
    with subprocess.Popen(
        [sys.executable, "-c", code, "check", "."],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
    ) as child:
        out, _ = child.communicate()
    assert child.returncode == 1
    assert b"\\xfc.py:2:21: stale-global" in out


# --- what cannot be done is said, once and in plain words


def test_a_diff_has_one_format():
    Path("a.py").write_text(PROGRAM)
    result = run("diff", ".", "--output-format", "json")
    assert (result.code, result.out) == (2, "")
    assert "--output-format: expected text for this command" in result.err


@pytest.mark.parametrize("command", ["check", "validate", "bench"])
def test_a_path_that_is_not_there_is_a_file_that_cannot_be_read(command):
    result = run(command, "nope.py")
    assert result.code == 3
    assert "jaxfix: error: nope.py:1: cannot be read: no such file" in result.err


def test_an_unknown_rule_that_is_like_none_points_to_the_list():
    result = run("explain", "qqqq")
    assert result.code == 2
    assert "there is no rule `qqqq`; `jaxfix rules` lists them" in result.err
