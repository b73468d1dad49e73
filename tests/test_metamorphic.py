"""Spelling, place and surroundings of a fault must not change what jaxfix does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.metamorphic import ON_TREES, Compared, Variant, compare, variants
from tests.programs.run import difference
from tests.programs.worker import Runner

CASES = Path(__file__).with_name("cases_py")
SAMPLE = (
    "if-03-integer-truth",
    "ternary-01-call-argument",
    "while-01-gcd-tuple",
    "return-01-clamped-chain",
    "break-02-continue-in-while",
    "for-02-bounds-both-traced",
    "static-01-argnums-position",
    "numpy-01-linalg-and-ufuncs",
    "state-02-local-list-clean",
    "if-06-config-object-clean",
)
MODULES = {
    name.replace("-", "_"): (CASES / f"{name}.py").read_text() for name in SAMPLE
}
VARIANTS = [v for name, source in MODULES.items() for v in variants(name, source)]
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Compared]:
    folder = tmp_path_factory.mktemp("variants")
    return {pair.variant.name: pair for pair in compare(MODULES, folder)}


@each_variant
def test_same_answer(variant: Variant, compared: dict[str, Compared]) -> None:
    pair = compared[variant.name]
    assert pair.errors == ()
    assert pair.got == pair.want


@pytest.mark.parametrize("original", MODULES)
def test_same_values(
    original: str, compared: dict[str, Compared], runner: Runner
) -> None:
    """The values of two variants of each case: the first, and one in two files."""
    pairs = [p for p in compared.values() if p.variant.original == original]
    for pair in (pairs[0], pairs[-1]):
        assert pair.values(runner) == "", pair.variant.name


def test_every_transformation_is_in_the_sample() -> None:
    made = {variant.change for variant in VARIANTS}
    names = {transform.__name__ for transform in ON_TREES}
    assert made == names | {"add_comments", "move_to_other_module"}


@pytest.mark.parametrize("original", MODULES)
def test_variants_mean_the_same(original: str, runner: Runner, tmp_path: Path) -> None:
    """The transformations themselves: eager values, without any jaxfix."""
    path = tmp_path / f"{original}.py"
    path.write_text(MODULES[original])
    want = runner.run(path, eager=True)
    assert want.ok
    for variant in variants(original, MODULES[original]):
        for name, source in variant.files().items():
            ast.parse(source)
            (tmp_path / f"{name}.py").write_text(source)
        got = runner.run(tmp_path / f"{variant.name}.py", eager=True)
        assert got.ok, f"{variant.name}: {got.error}: {got.message}"
        assert difference(got, want) == "", variant.name


def test_names_in_strings_and_keywords_stay() -> None:
    source = (
        "import jax\n"
        "fast = jax.jit(lambda f, mode: f, static_argnames=('mode',))\n"
        "def go(free, key):\n    inner = free + key\n    return inner\n"
        "def main():\n    return go(1, key=2)\n"
    )
    renamed = next(v for v in variants("m", source) if v.change == "rename_names")
    assert "free_renamed" in renamed.source
    assert "inner_renamed" in renamed.source
    assert "key=2" in renamed.source
    assert "key_renamed" not in renamed.source
    assert "mode_renamed" not in renamed.source
