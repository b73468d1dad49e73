"""`examples/*/before.py` is fixed to give `after.py`; the README shows what is so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jaxfix import testing
from jaxfix._api import rule_table
from jaxfix._report import table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLES = sorted((ROOT / "examples").iterdir())
each = pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)

# One process for all programs of one kind: starting jax takes longer than most of them.
RUN = """
import contextlib, io, json, runpy, sys

import jax

printed = {}
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(path, run_name="__main__")
        jax.effects_barrier()
    printed[path] = out.getvalue()
print(json.dumps(printed))
"""


def output(name: str, **environment: str) -> dict[str, str]:
    """What the programs of this name print, by example."""
    paths = {str(folder / name): folder.name for folder in EXAMPLES}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *paths],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {paths[path]: text for path, text in json.loads(done.stdout).items()}


@pytest.fixture(scope="module")
def eager() -> dict[str, str]:
    return output("before.py", JAX_DISABLE_JIT="1")


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    return output("after.py")


@each
def test_fixed_as_written(folder: Path) -> None:
    before, after = (folder / f"{name}.py" for name in ("before", "after"))
    assert testing.fixed(before.read_text()) == after.read_text()


@each
def test_second_run_changes_nothing(folder: Path) -> None:
    after = (folder / "after.py").read_text()
    assert testing.fixed(after) == after


@each
def test_prints_the_same(
    folder: Path, eager: dict[str, str], compiled: dict[str, str]
) -> None:
    assert eager[folder.name]
    assert compiled[folder.name] == eager[folder.name]


def test_readme_shows_an_example() -> None:
    shown = re.findall(r"^```python\n(@jax.*?)^```$", README, re.MULTILINE | re.DOTALL)
    programs = [ROOT / "examples" / "bandit" / f"{n}.py" for n in ("before", "after")]
    assert len(shown) == len(programs)
    for part, program in zip(shown, programs, strict=True):
        assert part in program.read_text()


def test_readme_has_the_rules() -> None:
    """`python -m jaxfix rules --write` writes the table."""
    rules = table.markdown(rule_table())
    assert f"<!-- rules -->\n{rules}<!-- /rules -->\n" in README
