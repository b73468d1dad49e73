"""Comments that switch findings off, unused ones, and writing them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxfix._analysis.finding import Finding, Span
from jaxfix._analysis.source import Source
from jaxfix._analysis.suppress import (
    add_ignores,
    apply_edits,
    directives,
    unused,
)

KNOWN = {"traced-if", "traced-while", "stale-global"}


def finding(line: int, rule: str = "traced-if") -> Finding:
    return Finding("a.py", Span(line, 1, line, 2), rule, "m", (), None, "why not")


def hidden(text: str, line: int, rule: str = "traced-if") -> bool:
    found = directives(Source.from_text("a.py", text))
    return any(d.covers(finding(line, rule)) for d in found)


def without_unused(text: str, *findings: Finding, ran: set[str] = KNOWN) -> str:
    found = unused(Source.from_text("a.py", text), findings, ran=ran, known=KNOWN)
    return apply_edits(text, [edit for _, edit in found if edit])


@pytest.mark.parametrize(
    "comment",
    [
        "# jaxfix: ignore[traced-if]",
        "# jaxfix: ignore[traced-if] it is static, see #12",
        "# jaxfix: ignore[stale-global, traced-if]",
        "# jaxfix: ignore",
        "#jaxfix:ignore[traced-if]",
        "# why  # jaxfix: ignore[traced-if]",
        "# jaxfix: ignore[traced-if]  # type: ignore",
        "# noqa",
        "# noqa: traced-if",
        "# NOQA: E501, traced-if",
    ],
)
def test_forms_that_hide(comment):
    assert hidden(f"f(x)  {comment}\n", 1)
    assert not hidden(f"f(x)  {comment}\ng(x)\n", 2)


@pytest.mark.parametrize(
    "comment",
    [
        "# jaxfix: ignore[traced-while]",
        "# jaxfix: ignore[traced-if",
        "# jaxfix: ignored",
        "# jaxfix: ignore-files",
        "# noqa: E501",
        "# noqa: traced-iffy",
    ],
)
def test_forms_that_do_not(comment):
    assert not hidden(f"f(x)  {comment}\n", 1)


def test_a_comment_in_a_string_is_none():
    assert not hidden("f('# jaxfix: ignore')\n", 1)


def test_which_lines_a_comment_speaks_for():
    header = "if (a and\n    b):  # jaxfix: ignore[traced-if]\n    c\n"
    assert hidden(header, 1)
    assert not hidden(header, 3)
    above = "x\n# jaxfix: ignore[traced-if]\n# why\nf(\n    y,\n)\nz\n"
    assert [line for line in range(1, 8) if hidden(above, line)] == [4, 5, 6]
    inside = "f(\n    a,  # jaxfix: ignore\n    b,\n)\n"
    assert [line for line in range(1, 5) if hidden(inside, line)] == [2]


def test_a_whole_file():
    assert hidden("# jaxfix: ignore-file\nx\nf(x)\n", 3)
    assert hidden("x\nf(x)\n# jaxfix: ignore-file[traced-if]\n", 1)
    assert not hidden("# jaxfix: ignore-file[traced-if]\nf(x)\n", 2, "stale-global")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x)  # jaxfix: ignore[traced-if]\n", "f(x)\n"),
        ("f(x)  # jaxfix: ignore some reason\n", "f(x)\n"),
        ("f(x)  # why  # jaxfix: ignore\n", "f(x)  # why\n"),
        ("f(x)  # jaxfix: ignore  # type: ignore\n", "f(x)  # type: ignore\n"),
        ("# jaxfix: ignore-file\nf(x)\n", "f(x)\n"),
        ("    # jaxfix: ignore\nf(x)\n", "f(x)\n"),
        ("f(x)\n# jaxfix: ignore", "f(x)\n"),
        ("f(x)  # noqa: E501, traced-if\n", "f(x)  # noqa: E501\n"),
        ("f(x)  # noqa: traced-if\n", "f(x)\n"),
        ("f(x)  # jaxfix: ignore[a-rule, traced-if]\n", "f(x)\n"),
        ("f(x)  # jaxfix: ignore[]\n", "f(x)\n"),
    ],
)
def test_unused_comments_go(before, after):
    assert without_unused(before) == after
    assert without_unused(after) == after


@pytest.mark.parametrize(
    "text",
    [
        "f(x)  # noqa\n",
        "f(x)  # noqa: E501\n",
        "f(x)  # noqa: E501 some words\n",
        "f(x)  # jaxfix: ignore[traced-if\n",
    ],
)
def test_comments_of_others_stay(text):
    assert without_unused(text) == text


def test_used_names_stay():
    text = "f(x)  # jaxfix: ignore[traced-if, traced-while, stale-global] because\n"
    after = "f(x)  # jaxfix: ignore[traced-if, stale-global] because\n"
    found = (finding(1), finding(1, "stale-global"))
    assert without_unused(text, *found) == after
    assert without_unused(after, *found) == after


def test_a_rule_that_did_not_run_is_not_judged():
    text = "f(x)  # jaxfix: ignore[traced-if]\n"
    assert without_unused(text, ran={"stale-global"}) == text


def test_a_comment_for_all_rules_is_judged_when_all_ran():
    text = "f(x)  # jaxfix: ignore\n"
    assert without_unused(text, ran={"stale-global"}) == text
    assert without_unused(text, ran=KNOWN) == "f(x)\n"


def test_what_is_said_of_unused_comments():
    text = "f(x)  # jaxfix: ignore[traced-iff]\ny  # jaxfix: ignore[x\n"
    found = unused(Source.from_text("a.py", text), (), ran=KNOWN, known=KNOWN)
    assert [f.message for f, _ in found] == [
        "`# jaxfix: ignore[traced-iff]` ignores nothing: "
        "there is no rule `traced-iff`; did you mean `traced-if`?",
        "`# jaxfix: ignore[x` has no closing bracket and ignores nothing",
    ]
    assert [bool(f.fix) != bool(f.not_fixed) for f, _ in found] == [True, True]


PLACES = [
    ("f(x)\n", 1),
    ("f(x)  # why\n", 1),
    ("f(x)  # jaxfix: ignore[stale-global] reason\n", 1),
    ("if a and \\\n    b:\n    c\n", 1),
    ('x = f("""\n  text\n""")\n', 1),
    ('x = f("""\n  text\n""")\n', 2),
    ("f(\n    a,\n    b,\n)\n", 2),
    ("if a:\n    f(x)", 2),
]


@pytest.mark.parametrize(("text", "line"), PLACES)
def test_added_comments_hide_and_change_nothing_else(text, line):
    source = Source.from_text("a.py", text)
    after = add_ignores(source, [finding(line), finding(line, "traced-while")])
    assert hidden(after, line) and hidden(after, line, "traced-while")
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    rules = ("traced-if", "traced-while", "stale-global")
    assert without_unused(after, *(finding(line, rule) for rule in rules)) == after


@given(st.data())
def test_edits_of_one_line_do_not_disturb_each_other(data):
    words = data.draw(st.lists(st.sampled_from(["a", "bb", "ccc"]), max_size=6))
    parts = [f"# jaxfix: ignore[{word}] x" for word in words]
    text = "f(x)  " + "  ".join(parts) + "\ny\n"
    assert without_unused(text).rstrip(" ").replace(" \n", "\n").startswith("f(x)")
    assert "jaxfix" not in without_unused(text)
