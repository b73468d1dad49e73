"""Two values that must be of one dtype, and the names that may be used to say so."""

from __future__ import annotations

import ast

import pytest

from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.values import SCALAR, Array, Const, strong
from jaxfix._planning.agree import Typed, agree

KEPT = Typed(ast.parse("y", mode="eval").body, Array(True, strong("?f_y"), SCALAR))
NEW = ast.parse("0.25 / 2.0", mode="eval").body


def spell(name: str) -> str:
    return name.replace("jax.numpy", "jnp")


def test_a_name_that_both_branches_see_gives_the_dtype() -> None:
    first, second = agree(spell, "`y`", Typed(NEW, Const(0.125)), KEPT)
    assert ast.unparse(first) == "jnp.asarray(0.25 / 2.0, y.dtype)"
    assert ast.unparse(second) == "y"


def test_a_name_that_the_branch_has_bound_anew_does_not() -> None:
    rebound = Typed(NEW, Const(0.125), rebound=frozenset({"y"}))
    with pytest.raises(CannotFix, match="differ in dtype"):
        agree(spell, "`y`", rebound, KEPT)


def test_a_name_that_the_other_branch_alone_binds_does_not() -> None:
    local = Typed(KEPT.node, KEPT.value, local=frozenset({"y"}))
    with pytest.raises(CannotFix, match="differ in dtype"):
        agree(spell, "`y`", Typed(NEW, Const(0.125)), local)
