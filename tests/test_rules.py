"""What every rule owes its reader; and a rule of a third party, from file to fix."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxfix import testing
from jaxfix._rewriting.registry import rules
from jaxfix._rewriting.rule import Rule

CASES = Path(__file__).with_name("cases")
RULES = list(rules().values())

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule
def test_page(rule: Rule) -> None:
    assert testing.page_faults(type(rule)) == ()


@each_rule
def test_has_a_case_file(rule: Rule) -> None:
    assert (CASES / f"{rule.name}.md").is_file()


def test_every_case_file_has_a_rule() -> None:
    assert {file.stem for file in CASES.glob("*.md")} <= set(rules())


THIRD_PARTY_RULE = '''\
from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import (
    Expression,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    build,
)


class SquaredByPower(Rule):
    """Traced value squared by `jnp.power`.

    ## Example

    ```python before
    @jax.jit
    def energy(v):
        return 0.5 * jnp.power(v, 2)  # kinetic
    ```

    ```python after
    @jax.jit
    def energy(v):
        return 0.5 * jnp.square(v)  # kinetic
    ```

    ```python check
    energy(3.0)
    jax.grad(energy)(3.0)
    ```

    ## Safety

    Safe.

    ## Not fixed

    - Other powers.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.square.html
    """

    visits: ClassVar = (ast.Call,)

    def find(self, fn: Function, node: ast.Call) -> Problem | None:
        match node.args:
            case [base, ast.Constant(value=2)] if (
                fn.library(node) == "jax.numpy.power" and (why := fn.traced(node))
            ):
                return Problem(f"`{ast.unparse(node)}` is a square", why)
        return None

    def plan(self, fn: Function, node: ast.Call) -> Plan:
        return Expression("jnp.square")

    def fix(
        self, fn: Function, node: ast.Call, plan: Plan, write: Rewriter
    ) -> ast.expr:
        return build.call(write.spell(fn)("jax.numpy.square"), node.args[0])
'''

THIRD_PARTY_TEST = """\
from __future__ import annotations

import pytest

from jaxfix import testing
from squares.squared_by_power import SquaredByPower

CASES = testing.docstring_cases(SquaredByPower)


@pytest.fixture(scope="session")
def worker():
    with testing.Worker() as started:
        yield started


def test_page():
    assert testing.page_faults(SquaredByPower) == ()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case, worker, tmp_path):
    assert testing.fixed(case.program) == case.expected
    assert testing.lost_comments(case) == ()
    assert testing.unformatted([case], tmp_path) == ()
    assert testing.report_of(case) == ""
    assert worker.differences(case) == ()
"""

ENTRY_POINT = "[jaxfix.codemods]\nsquares = squares\n"
METADATA = "Metadata-Version: 2.1\nName: squares\nVersion: 1.0\n"


@pytest.fixture
def third_party(tmp_path: Path) -> Path:
    """A pack of one rule as pip would install it, and its test."""
    files = {
        "squares/__init__.py": "",
        "squares/squared_by_power.py": THIRD_PARTY_RULE,
        "squares-1.0.dist-info/entry_points.txt": ENTRY_POINT,
        "squares-1.0.dist-info/METADATA": METADATA,
        "tests/test_squared_by_power.py": THIRD_PARTY_TEST,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_third_party_pack_is_found_and_passes_its_own_tests(
    third_party: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=third_party,
        env={**os.environ, "PYTHONPATH": str(third_party)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
