"""Each format, from one small report with everything in it."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from jaxfix._analysis.finding import (
    Edit,
    Evidence,
    FileError,
    Finding,
    Fix,
    Safety,
    Span,
)
from jaxfix._report import (
    concise,
    diff,
    github,
    gitlab,
    junit,
    markdown,
    sarif,
    statistics,
    table,
    text,
)
from jaxfix._report import (
    json as json_report,
)
from jaxfix._report.result import FileText, Report, RuleText

FIXABLE = Finding(
    "my train.py",
    Span(2, 5, 3, 9),
    "traced-if",
    '`if a | b > "x"` on a traced value',
    (Evidence("my train.py", 1, "`f` is under jax.jit"),),
    Fix("lax.cond, 1 name in", Safety.SAFE),
    None,
    "f",
)
UNSAFE = Finding(
    "my train.py",
    Span(3, 2, 3, 8),
    "traced-while",
    "a loop",
    (),
    Fix("lax.while_loop", Safety.UNSAFE),
    None,
)
NOT_FIXED = Finding(
    "n.ipynb",
    Span(1, 1, 1, 4),
    "stale-global",
    "100% stale: `r`, <really>\x01",
    (Evidence("n.ipynb", 2, "it is\nrebound", 4),),
    None,
    "nobody knows",
    cell=3,
)
EDIT = Edit(Span(2, 1, 3, 1), "    y = lax.cond(x)\n")
RULES = tuple(
    RuleText(name, f"{name} here.", safety, f"https://docs.jax.dev/{name}")
    for name, safety in (
        ("stale-global", Safety.REPORT),
        ("traced-if", Safety.SAFE),
        ("traced-while", Safety.UNSAFE),
    )
)
REPORT = Report(
    findings=(FIXABLE, UNSAFE, NOT_FIXED),
    errors=(FileError("old.py", 3, "invalid syntax: oh, no"),),
    file_count=12,
    edits={FIXABLE: (EDIT,)},
    lines={
        ("my train.py", None): ("@jit", "\tif é > 1:", "    pass"),
        ("n.ipynb", 3): ("rate",),
    },
    rules=RULES,
)
EMPTY = Report(file_count=2, rules=RULES)


def test_concise():
    assert concise.render(REPORT) == (
        'my train.py:2:5: traced-if: `if a | b > "x"` on a traced value [safe fix]\n'
        "my train.py:3:2: traced-while: a loop [unsafe fix]\n"
        "n.ipynb:cell 3:1:1: stale-global: 100% stale: `r`, <really>\x01\n"
    )
    assert concise.render(EMPTY) == ""


def test_text():
    assert text.render(REPORT) == (
        'my train.py:2:5: traced-if: `if a | b > "x"` on a traced value\n'
        "      |\n"
        "    2 | \tif é > 1:\n"
        "      | \t   ^^^^^^\n"
        "    because: `f` is under jax.jit (my train.py:1)\n"
        "    fix: lax.cond, 1 name in [safe]\n"
        "    more: jaxfix explain traced-if\n"
        "\n"
        "my train.py:3:2: traced-while: a loop\n"
        "      |\n"
        "    3 |     pass\n"
        "      |  ^^^^^^\n"
        "    fix: lax.while_loop [unsafe]\n"
        "    more: jaxfix explain traced-while\n"
        "\n"
        "n.ipynb:cell 3:1:1: stale-global: 100% stale: `r`, <really>\x01\n"
        "      |\n"
        "    1 | rate\n"
        "      | ^^^\n"
        "    because: it is\nrebound (n.ipynb:cell 4:2)\n"
        "    not fixed: nobody knows\n"
        "    more: jaxfix explain stale-global\n"
        "\n"
        "3 findings in 12 files, 1 error\n"
        "1 can be fixed with `jaxfix apply`\n"
        "1 more with `jaxfix apply --unsafe-fixes`\n"
    )
    assert text.render(EMPTY) == "0 findings in 2 files\n"


def test_text_without_color_is_the_text_in_color():
    import re

    colored = text.render(REPORT, color=True)
    assert "\x1b[1;31m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text.render(REPORT)


def test_text_says_what_was_fixed():
    done = Report(findings=(NOT_FIXED,), fixed=(FIXABLE,), file_count=2, hidden=4)
    last = text.render(done).splitlines()[-1]
    assert last == "fixed 1 finding, 1 finding left in 2 files, 4 hidden"


def test_json_has_the_promised_keys():
    value = json.loads(json_report.render(REPORT))
    assert value["version"] == 1
    assert value["findings"][0] == {
        "path": "my train.py",
        "line": 2,
        "column": 5,
        "end_line": 3,
        "end_column": 9,
        "cell": None,
        "code": "traced-if",
        "name": "traced-if",
        "message": '`if a | b > "x"` on a traced value',
        "because": [
            {
                "path": "my train.py",
                "line": 1,
                "cell": None,
                "text": "`f` is under jax.jit",
            }
        ],
        "fix": {
            "applicability": "safe",
            "title": "lax.cond, 1 name in",
            "edits": [
                {
                    "line": 2,
                    "column": 1,
                    "end_line": 3,
                    "end_column": 1,
                    "text": "    y = lax.cond(x)\n",
                }
            ],
        },
        "not_fixed": None,
        "url": "https://docs.jax.dev/traced-if",
    }
    last = value["findings"][2]
    assert (last["cell"], last["fix"], last["not_fixed"]) == (3, None, "nobody knows")
    assert value["errors"][0]["message"] == "invalid syntax: oh, no"
    assert value["summary"] == {
        "files": 12,
        "findings": 3,
        "fixable": 2,
        "fixed": 0,
        "hidden": 0,
    }


def test_github():
    lines = github.render(REPORT).splitlines()
    assert lines == [
        "::error file=my train.py,line=2,endLine=3,title=jaxfix (traced-if)"
        '::my train.py:2:5: `if a | b > "x"` on a traced value',
        "::error file=my train.py,line=3,col=2,endColumn=8,title=jaxfix (traced-while)"
        "::my train.py:3:2: a loop",
        "::error file=n.ipynb,title=jaxfix (stale-global)"
        "::cell 3, line 1: 100%25 stale: `r`, <really>\x01",
        "::error file=old.py,line=3,title=jaxfix::invalid syntax: oh, no",
    ]


def test_gitlab():
    entries = json.loads(gitlab.render(REPORT))
    assert [e["location"]["lines"]["begin"] for e in entries] == [2, 3, 1, 3]
    assert {e["severity"] for e in entries} == {"major", "blocker"}
    twice = Report(findings=(FIXABLE, FIXABLE))
    names = [e["fingerprint"] for e in json.loads(gitlab.render(twice))]
    assert len(set(names)) == 2
    assert names[0] == entries[0]["fingerprint"]


def test_junit():
    root = ElementTree.fromstring(junit.render(REPORT))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == (
        "4",
        "3",
        "1",
    )
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["my train.py", "n.ipynb", "old.py"]
    failure = suites["n.ipynb"].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "100% stale: `r`, <really>\ufffd"
    empty = ElementTree.fromstring(junit.render(EMPTY))
    assert [case.get("name") for case in empty.iter("testcase")] == ["no findings"]


def test_markdown():
    lines = markdown.render(REPORT).splitlines()
    assert lines[0] == "**jaxfix**: 3 findings in 12 files"
    rows = [line for line in lines if line.startswith("| `")]
    assert len(rows) == 3
    # Every row has the four cells of the head.
    assert {row.replace("\\|", "").count("|") for row in rows} == {5}
    assert "- `old.py:3`: invalid syntax: oh, no" in lines


def test_sarif_of_a_name_that_is_no_text():
    finding = replace(REPORT.findings[0], path="bad\udcff.py")
    odd = replace(REPORT, findings=(finding,))
    (result,) = json.loads(sarif.render(odd, version="1"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bad%FF.py"


def test_sarif():
    log = json.loads(sarif.render(REPORT, version="1.2.3"))
    (run,) = log["runs"]
    assert (log["version"], run["tool"]["driver"]["version"]) == ("2.1.0", "1.2.3")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    first, _, last = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20train.py"
    assert place["region"] == {
        "startLine": 2,
        "startColumn": 5,
        "endLine": 3,
        "endColumn": 9,
    }
    change = first["fixes"][0]["artifactChanges"][0]
    assert change["replacements"][0]["insertedContent"]["text"] == EDIT.text
    assert "region" not in last["locations"][0]["physicalLocation"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "invalid syntax: oh, no"
    assert run["invocations"][0]["executionSuccessful"] is False


def test_statistics():
    report = Report(findings=(NOT_FIXED, FIXABLE, FIXABLE))
    assert statistics.render(report) == (
        "2  [*]  traced-if\n1  [ ]  stale-global\n"
        "[*] has fixes: `jaxfix apply`, for some with `--unsafe-fixes`\n"
    )
    assert json.loads(statistics.render(report, as_json=True))[0]["count"] == 2
    assert statistics.render(Report()) == ""


def test_tables_of_rules():
    assert table.text(RULES).splitlines()[1] == "traced-if     safe    traced-if here."
    assert "| `traced-if` | traced-if here. | safe |" in table.markdown(RULES)
    assert [row["name"] for row in json.loads(table.json_text(RULES))] == [
        "stale-global",
        "traced-if",
        "traced-while",
    ]


FILES = {
    "plain.py": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "with space.py": (b"a\n", b"b\n"),
    "pkg/crlf.py": (b"a\r\nb\r\n", b"a\r\nB\r\nn\r\n"),
    "no_newline.py": (b"a\nb", b"a\nB"),
    "gets_newline.py": (b"a", b"a\n"),
    "latin.py": ("x = 'é'\ny\n".encode("latin-1"), "x = 'é'\nz\n".encode("latin-1")),
    "odd\u00e9.py": (b"a\n", b"b\n"),
    'quo"te\\.py': (b"a\n", b"b\n"),
    "form\x0cfeed.txt": (b"a\x0cb\nc\n", b"a\x0cb\nd\n"),
}


def show(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("tool", ["git", "patch"])
def test_the_diff_applies(tool, tmp_path):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    names = [n for n in FILES if tool == "git" or n.isascii() and '"' not in n]
    names = [n for n in names if tool == "git" or "\x0c" not in n]
    report = Report(files=tuple(FileText(n, *map(show, FILES[n])) for n in names))
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(FILES[name][0])
    patch = diff.render(report).encode("utf-8", "surrogateescape")
    command = {
        "git": ["git", "apply", "-"],
        "patch": ["patch", "-p1", "--binary", "-s"],
    }[tool]
    subprocess.run(command, cwd=tmp_path, input=patch, check=True)
    assert {n: (tmp_path / n).read_bytes() for n in names} == {
        n: FILES[n][1] for n in names
    }


def test_no_format_is_forgotten():
    from jaxfix._options import Format

    folder = Path(diff.__file__).parent
    assert {f.value for f in Format} <= {file.stem for file in folder.glob("*.py")}
