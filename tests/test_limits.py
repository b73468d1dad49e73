"""What jaxfix cannot do is said in plain words, and is an error of the file."""

from __future__ import annotations

import pytest

from jaxfix import _api
from jaxfix._config import Config
from jaxfix._errors import UsageError

HEAD = "import jax\n\n\n@jax.jit\ndef f(x):\n"
BRANCH = "    if x > 0:\n        x = -x\n    return x\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_fix_that_fails_of_itself_is_an_error_of_the_file(folder):
    """Python lets a form feed stand before an indentation, libcst does not."""
    (folder / "a.py").write_text(HEAD + BRANCH)
    (folder / "feed.py").write_text(f"{HEAD}\f{BRANCH}")
    report = _api.fix(["."], Config(jobs=1))
    (error,) = report.errors
    assert (error.path, error.line) == ("feed.py", 6)
    assert error.message.startswith("jaxfix failed on it: libcst, which rewrites,")
    assert "\n" not in error.message
    assert "numpy.where" in (folder / "a.py").read_text()
    assert (folder / "feed.py").read_text() == f"{HEAD}\f{BRANCH}"


def test_hundreds_of_elif_are_too_deep(folder):
    arms = "".join(f"    elif x == {i}:\n        x = {i}.5\n" for i in range(300))
    text = f"{HEAD}    if x < 0:\n        x = 1.0\n{arms}    return x\n"
    (folder / "deep.py").write_text(text)
    report = _api.check(["."], Config(jobs=1))
    assert [(e.path, e.line, e.message) for e in report.errors] == [
        ("deep.py", 6, "jaxfix failed on it: it is nested too deeply to be rewritten")
    ]
    assert [finding.rule for finding in report.findings] == ["traced-if"]


def test_why_names_what_is_on_the_line(folder):
    (folder / "a.py").write_text(HEAD + BRANCH)
    config = Config(root=folder)
    with pytest.raises(UsageError, match="`nope` is not .* line; these are: `x`"):
        _api.why("a.py", 8, "nope", config)
    (one,) = _api.why("a.py", 8, "x", config)
    assert one.what.text.startswith("`x` is traced")
