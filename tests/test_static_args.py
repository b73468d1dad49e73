"""Static arguments and jits in projects of several files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxfix import _engine
from jaxfix._analysis.finding import Safety
from jaxfix._analysis.source import Source
from jaxfix._rewriting.registry import rules

Fix = Callable[[dict[str, str]], _engine.Outcome]

SHAPES = """
import jax
import jax.numpy as jnp


@jax.jit
def blocks(x, sizes, mode="sum"):
    parts = x.reshape(sizes)
    if mode == "sum":
        return parts.sum(axis=1)
    return parts.mean(axis=1)
"""
MAIN = """
import jax.numpy as jnp

from shapes import blocks
import shapes as s

x = jnp.arange(12.0)
print(blocks(x, [3, 4]).tolist(), s.blocks(x, sizes=(2, 6), mode="mean").tolist())
"""


@pytest.fixture
def fix(tmp_path: Path) -> Fix:
    """Writes a project, applies all fixes to it, and writes what they change."""

    def run(files: dict[str, str]) -> _engine.Outcome:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.lstrip())
        sources = [Source.read(path) for path in sorted(tmp_path.rglob("*.py"))]
        options = _engine.EngineOptions(rules=frozenset(rules()))
        outcome = _engine.run(sources, options, fix=Safety.SAFE)
        for change in outcome.changes:
            Path(change.path).write_text(change.after)
        return outcome

    return run


def output(folder: Path, script: str) -> str:
    """What a script of the project prints."""
    command = [sys.executable, script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_declared_in_one_file_and_called_in_another(fix: Fix, tmp_path: Path) -> None:
    outcome = fix({"shapes.py": SHAPES, "main.py": MAIN})
    assert 'static_argnames=("sizes", "mode")' in (tmp_path / "shapes.py").read_text()
    assert "blocks(x, (3, 4))" in (tmp_path / "main.py").read_text()
    assert {f.rule for f in outcome.fixed} == {"missing-static-arg"}
    assert output(tmp_path, "main.py") == "[6.0, 22.0, 38.0] [2.5, 8.5]"


def test_reexported(fix: Fix, tmp_path: Path) -> None:
    main = MAIN.replace("from shapes", "from lib")
    main = main.replace("import shapes", "import lib")
    fix(
        {
            "lib/__init__.py": "from .shapes import blocks as blocks\n",
            "lib/shapes.py": SHAPES,
            "main.py": main,
        }
    )
    assert "functools.partial" in (tmp_path / "lib/shapes.py").read_text()
    assert output(tmp_path, "main.py") == "[6.0, 22.0, 38.0] [2.5, 8.5]"


def test_jitted_in_another_file_than_the_need(fix: Fix, tmp_path: Path) -> None:
    files = {
        "model.py": """
import jax.numpy as jnp


def ramp(x, width):
    return x * jnp.linspace(0.0, 1.0, width)
""",
        "compiled.py": """
import jax

from model import ramp

fast = jax.jit(ramp)
""",
        "main.py": """
from compiled import fast

print(fast(2.0, 3).tolist(), fast(1.0, width=2).tolist())
""",
    }
    fix(files)
    assert (
        'jax.jit(ramp, static_argnames=("width",))'
        in (tmp_path / "compiled.py").read_text()
    )
    assert (tmp_path / "model.py").read_text() == files["model.py"].lstrip()
    assert output(tmp_path, "main.py") == "[0.0, 1.0, 2.0] [0.0, 1.0]"


def test_a_call_that_gives_an_array_forbids_it(fix: Fix, tmp_path: Path) -> None:
    main = MAIN.replace("[3, 4]", "jnp.array([3, 4])")
    outcome = fix({"shapes.py": SHAPES, "main.py": main})
    reasons = {f.not_fixed for f in outcome.findings if f.function == "blocks"}
    assert any(reason and "is not hashable" in reason for reason in reasons)
    assert "jnp.array([3, 4])" in (tmp_path / "main.py").read_text()


def test_varies_in_another_file(fix: Fix, tmp_path: Path) -> None:
    fix(
        {
            "steps.py": """
import jax


@jax.jit
def other(x):
    return x


def decay(x, step):
    return x / (1.0 + step)


update = jax.jit(decay, static_argnums=(1,))
""",
            "main.py": """
from steps import update

x = 1.0
for step in range(3):
    x = update(x, step)
print(float(x), update._cache_size())
""",
        }
    )
    assert "update = jax.jit(decay)\n" in (tmp_path / "steps.py").read_text()
    first, programs = output(tmp_path, "main.py").split()
    assert float(first) == pytest.approx(1 / 6)
    assert int(programs) <= 2


def test_the_only_static_argument_is_taken_away(fix: Fix, tmp_path: Path) -> None:
    fix(
        {
            "main.py": """
from functools import partial

import jax


@partial(jax.jit, static_argnames=["rate"])
def descend(w, rate):
    return w - rate * w


def run(w, steps):
    for i in range(steps):
        w = descend(w, 0.5 ** (i + 1))
    return w


print(float(run(8.0, 2)))
"""
        }
    )
    assert "\n@jax.jit\ndef descend" in (tmp_path / "main.py").read_text()
    assert output(tmp_path, "main.py") == "3.0"


@pytest.mark.parametrize("form", ["from lib import gcd", "import lib"])
def test_a_file_that_names_no_transform_says_what_arguments_are(
    fix: Fix, form: str
) -> None:
    library = """
import jax


@jax.jit
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a
"""
    call = "gcd" if form.startswith("from") else "lib.gcd"
    caller = f"""
import jax.numpy as jnp

{form}


def main():
    return {call}(jnp.int32(12), jnp.int32(18))
"""
    outcome = fix({"lib.py": library, "main.py": caller})
    assert [f.rule for f in outcome.fixed] == ["traced-while"]
