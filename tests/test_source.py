"""Reading one file, and giving back its bytes."""

from __future__ import annotations

import ast
import codecs
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxfix._analysis.source import Source, SourceError


def error_of(raw: bytes, path: str = "a.py") -> tuple[int, str]:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes(path, raw)
    return caught.value.error.line, caught.value.error.message


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"x = 1",
        b"x = 1\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ry = 2\r",
        b"x = 1\r\ny = 2\nz = 3\r",
        codecs.BOM_UTF8 + "x = 'é'\n".encode(),
        "# coding: latin-1\nx = 'é'\n".encode("latin-1"),
        "# -*- coding: shift_jis -*-\nx = 'あ'\n".encode("shift_jis"),
        b"x = 1\x0c\ny = 2\n",
        "x = '\u2028'\n".encode(),
    ],
)
def test_bytes_come_back(raw):
    source = Source.from_bytes("a.py", raw)
    assert source.encode(source.text) == raw
    assert "\r" not in source.text
    changed = source.encode(source.text + "# new")
    assert changed.startswith(raw)
    assert ast.dump(ast.parse(raw)) == ast.dump(source.tree)


def test_new_lines_get_the_common_newline_and_old_lines_keep_theirs():
    source = Source.from_bytes("a.py", b"a = 1\r\nb = 2\nc = 3\r\n")
    new = source.text.replace("b = 2\n", "b = 2\nn = 0\n")
    assert source.encode(new) == b"a = 1\r\nb = 2\nn = 0\r\nc = 3\r\n"


@given(
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), max_size=8),
    st.integers(0, 7),
)
def test_any_mix_of_newlines_survives_a_change_of_one_line(ends, at):
    raw = "".join(f"x{i} = {i}{end}" for i, end in enumerate(ends)).encode()
    source = Source.from_bytes("a.py", raw)
    assert source.encode(source.text) == raw
    new = source.text.replace(f"x{at} = {at}\n", f"x{at} = 99\n")
    assert source.encode(new).decode().split("x")[:at] == raw.decode().split("x")[:at]
    assert Source.from_bytes("a.py", source.encode(new)).text == new


def test_columns_count_code_points():
    source = Source.from_text("a.py", "s = 'é😀'; y = bad(s)\n")
    call = source.tree.body[1].value
    span = source.span(call)
    assert source.lines[0][span.column - 1 : span.end_column - 1] == "bad(s)"


def test_what_is_no_python_is_one_clear_line():
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    bare = f"invalid syntax for Python {version}"
    assert error_of(b"x = 1\nif :\n") == (2, bare)
    assert error_of(b"x = 1\ny = '\0'\n") == (2, "holds a NUL byte: not Python source")
    assert error_of(b"x = 1\n# \xff\n") == (2, "is not utf-8")
    assert "unknown encoding" in error_of(b"# coding: klingon\n")[1]
    assert "not a text encoding" in error_of(b"# coding: rot13\n")[1]
    assert error_of(b"(" * 5000)[0] == 1
    assert error_of(b"x = " + b"-" * 200_000 + b"1\n")[0] >= 1


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        Source.read(tmp_path / "none.py")


def test_text_that_the_encoding_cannot_hold():
    source = Source.from_bytes("a.py", "# coding: latin-1\nx = 1\n".encode("latin-1"))
    with pytest.raises(SourceError, match="a.py:2: 'λ' is not in iso-8859-1"):
        source.encode(source.text.replace("x = 1", "x = 'λ'"))


def notebook(*cells: object, **metadata: object) -> bytes:
    listed = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [{"n": 1e10}],
            "source": source,
        }
        for source in cells
    ]
    document = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# T"]},
            *listed,
        ],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


MAGICS = [
    "%matplotlib inline\n",
    "files = !ls\n",
    "text = '''\n",
    "%no magic\n",
    "'''\n",
    "n = (7\n",
    " % 3)\n",
    "jax?\n",
    "for i in x:\n",
    "    !echo \\\n",
    "  hi\n",
    "%time f(x)",
]


def test_magics_are_masked_and_come_back():
    raw = notebook(MAGICS, "%%bash\nif x; then", "x = 'é'\ny = bad(x)")
    source = Source.from_bytes("a.ipynb", raw)
    assert source.encode(source.text) == raw
    assert "%no magic" in source.lines and " % 3)" in source.lines
    assert "if x; then" not in source.text
    new = source.text.replace("bad(x)", "good(x)").replace("n = (7\n", "m = n = (7\n")
    want = raw.replace(b"bad(x)", b"good(x)").replace(b"n = (7\\n", b"m = n = (7\\n")
    assert source.encode(new) == want


def test_a_new_line_is_spelled_as_its_neighbours():
    raw = notebook(["x = 1\n", "y = 2"])
    source = Source.from_bytes("a.ipynb", raw)
    new = source.encode(source.text.replace("x = 1\n", "x = 1\nz = 3\n"))
    assert json.loads(new)["cells"][1]["source"] == ["x = 1\n", "z = 3\n", "y = 2"]
    assert new == raw.replace(
        b'    "x = 1\\n",\n', b'    "x = 1\\n",\n    "z = 3\\n",\n'
    )


def test_lines_of_a_notebook_belong_to_cells():
    source = Source.from_bytes("a.ipynb", notebook("a = 1", "b = 2\nc = 3"))
    line = source.lines.index("c = 3") + 1
    assert source.notebook is not None
    assert source.notebook.place(line) == (3, 2)


def test_cells_that_cannot_be_told_apart_are_not_written():
    source = Source.from_bytes("a.ipynb", notebook("a = 1", "%time b = 2"))
    for new in (
        source.text.replace("# jaxfix: cell 3\n", ""),
        "import jax\n" + source.text,
        source.text.replace("  # jaxfix: masked: %time b = 2", ""),
    ):
        with pytest.raises(SourceError):
            source.encode(new)


def test_notebooks_that_are_none():
    assert error_of(b"{\n", "a.ipynb")[1].startswith("is not a notebook: invalid JSON")
    assert "format 4" in error_of(b'{"worksheets": []}', "a.ipynb")[1]
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("a.ipynb", notebook("a = 1", "b = 2\nif :"))
    assert (caught.value.error.cell, caught.value.error.line) == (3, 2)


def test_a_notebook_of_another_language_has_no_python():
    raw = notebook("let x = 1", kernelspec={"language": "julia"})
    assert Source.from_bytes("a.ipynb", raw).text == ""
