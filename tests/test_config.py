"""Configuration files and what the command line adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxfix._config import Config, load, override, parse_version, settings
from jaxfix._errors import UsageError

KNOWN = ("traced-if", "traced-while", "stale-global")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "pyproject.toml") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def test_every_key(project):
    write(
        """
        [tool.jaxfix]
        select = ["traced-*"]
        ignore = ["traced-while"]
        exclude = ["gen"]
        unsafe-fixes = true
        jax-version = "0.6.2"
        entry-points = ["pkg.losses.*"]
        static-calls = ["pkg.shape_of"]
        inputs = ["inputs.py"]
        [tool.jaxfix.per-file-ignores]
        "tests/*" = ["ALL"]
        [tool.jaxfix.extra-transforms]
        "pkg.fast" = ["x", "y"]
        [tool.jaxfix.prefer]
        traced-range = "static"
        [tool.jaxfix.validate]
        timeout = 3
        [tool.jaxfix.bench]
        seed = 5
        """
    )
    config = load([])
    assert config.root == project
    assert config.rules(KNOWN) == {"traced-if"}
    assert config.jax_version == (0, 6)
    assert config.extra_transforms == (("pkg.fast", ("x", "y")),)
    assert config.prefer == (("traced-range", "static"),)
    assert config.inputs == (str(project / "inputs.py"),)
    assert (config.validate, config.bench) == ({"timeout": 3}, {"seed": 5})
    assert config.is_ignored("traced-if", "tests/test_a.py")
    assert not config.is_ignored("traced-if", "pkg/tests.py")


def test_the_nearest_file_counts(project):
    write("[tool.jaxfix]\nignore = ['traced-if']\n")
    write("[tool.other]\n", "pkg/pyproject.toml")
    write("select = ['stale-global']\n", "own/jaxfix.toml")
    assert load(["pkg/a.py"]).ignore == ("traced-if",)
    assert load(["own"]).select == ("stale-global",)
    assert load(["own", "pkg"]).ignore == ("traced-if",)
    assert load(["pkg"], isolated=True).ignore == ()
    assert load(["pkg"], file="own/jaxfix.toml").select == ("stale-global",)


def test_a_broken_file_of_another_tool_is_not_our_business(project):
    write("[tool.other\n")
    assert load([]) == Config(root=project)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("selct = ['a']", "unknown key `selct`; did you mean `select`?"),
        ("per-file-ignore = {}", "did you mean `per-file-ignores`?"),
        ("zzz = 1", "unknown key `zzz`$"),
        ("select = 3", "`select`: expected a list of strings, got 3"),
        ("select = [1]", "`select`: expected a list of strings"),
        ("unsafe-fixes = 'yes'", "`unsafe-fixes`: expected true or false, got 'yes'"),
        ("jax-version = 0.6", "`jax-version`: expected a version such as"),
        ("prefer = {a = 1}", "`prefer`.a: expected a string, got 1"),
        (
            'prefer = {traced-rang = "static"}',
            "`prefer`: unknown key `traced-rang`; did you mean `traced-range`?",
        ),
        (
            'prefer = {traced-range = "statc"}',
            "`prefer`.traced-range: expected `dynamic` or `static`, got `statc`;"
            " did you mean `static`?",
        ),
        ("validate = 1", "`validate`: expected a table, got 1"),
        ("jobs = -1", "`jobs`: expected a number of processes"),
        ("select = [", "invalid TOML"),
    ],
)
def test_mistakes_name_what_is_near(project, text, message):
    write(f"{text}\n", "jaxfix.toml")
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        load([])


def test_a_file_that_was_asked_for_must_be_there(project):
    with pytest.raises(UsageError, match="none.toml: cannot be read"):
        load([], file="none.toml")


def test_rules_by_name_prefix_and_all():
    config = Config(select=("traced-*",), ignore=("traced-while",))
    assert config.rules(KNOWN) == {"traced-if"}
    assert Config().rules(KNOWN) == set(KNOWN)
    with pytest.raises(UsageError, match="`traced-fi`; did you mean `traced-if`"):
        Config(select=("traced-fi",)).rules(KNOWN)
    with pytest.raises(UsageError, match="per-file-ignores: there is no rule `x`"):
        Config(per_file_ignores=(("*.py", ("x",)),)).rules(KNOWN)
    with pytest.raises(UsageError, match="ignore: there is no rule `xyz-\\*`"):
        Config(ignore=("xyz-*",)).rules(KNOWN)


def test_the_command_line_overrides_and_adds():
    config = Config(select=("traced-if",), exclude=("a",), unsafe_fixes=True)
    same = override(config, select=None, unsafe_fixes=None)
    assert same == config
    more = override(config, extend_select=("stale-global",), exclude=("b",))
    assert more.select == ("traced-if", "stale-global")
    assert more.exclude == ("a", "b")
    assert override(config, unsafe_fixes=False).unsafe_fixes is False


def test_the_pattern_that_says_more_counts():
    ruled = Config(select=("traced-if",), ignore=("traced-*",)).rules
    assert ruled(KNOWN) == {"traced-if"}
    assert Config(select=("ALL",), ignore=("traced-if",)).rules(KNOWN) == (
        frozenset(KNOWN) - {"traced-if"}
    )
    assert not Config(select=("traced-if",), ignore=("traced-if",)).rules(KNOWN)


def test_the_command_line_is_above_what_the_file_ignores():
    config = Config(ignore=("traced-if", "stale-global"))
    chosen = override(config, select=("traced-if",))
    assert chosen.rules(KNOWN) == {"traced-if"}
    assert "traced-if" in override(config, extend_select=("traced-if",)).rules(KNOWN)
    less = override(config, ignore=("unused-ignore",))
    assert less.ignore == ("traced-if", "stale-global", "unused-ignore")


@pytest.mark.parametrize("table", ["validate", "bench"])
def test_the_tables_of_commands_know_their_keys(tmp_path, table):
    file = tmp_path / "jaxfix.toml"
    file.write_text(f"[{table}]\ntimeout = 5\nsede = 1\n")
    with pytest.raises(UsageError, match="unknown key `sede`; did you mean `seed`"):
        load([tmp_path])


def test_a_configuration_in_another_encoding_is_not_passed_over(tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_bytes(b'[project]\nname = "caf\xe9"\n')
    assert load([tmp_path]).file is None
    file.write_bytes(b'# caf\xe9\n[tool.jaxfix]\nignore = ["traced-if"]\n')
    with pytest.raises(UsageError, match="cannot be read"):
        load([tmp_path])


def test_a_file_that_is_not_there_is_named_once(tmp_path):
    file = tmp_path / "nope.toml"
    with pytest.raises(UsageError) as caught:
        load([], file=file)
    assert str(caught.value) == f"{file}: cannot be read: no such file or directory"


def test_versions():
    assert parse_version("0.10", "x") == parse_version("0.10.2rc1", "x") == (0, 10)
    for wrong in ("ten", "0", "", 0.4, None, "0.3"):
        with pytest.raises(UsageError):
            parse_version(wrong, "x")


def test_settings_name_every_key(project):
    text = settings(load([]))
    assert 'select = ["ALL"]' in text and "per-file-ignores = []" in text


def test_a_folder_that_cannot_be_looked_into_is_no_root(tmp_path, monkeypatch):
    def refuse(*given, **named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    assert load([tmp_path]).root == tmp_path
