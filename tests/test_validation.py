"""Before against after: right rewrites pass, planted wrong ones do not."""

from __future__ import annotations

import pytest

from jaxfix._validation import harness
from jaxfix._validation.trees import Trees, targets_from_trees
from jaxfix._validation.verdict import Kind
from tests.planted import rewrites, write_trees

ALL = rewrites()
WRONG = [rewrite for rewrite in ALL if not rewrite.is_right]
# Takes all the time that it is given.
ENDLESS = "never_ends"
RIGHT = [rewrite for rewrite in ALL if rewrite.is_right]


@pytest.fixture(scope="session")
def judged(tmp_path_factory):
    """The verdicts on every rewrite, by its name; computed once."""
    folder = tmp_path_factory.mktemp("mutants")
    trees = Trees(folder / "before", folder / "after")
    write_trees(ALL, trees.before, trees.after)
    targets = targets_from_trees(trees.before, trees.after)
    endless = [target for target in targets if ENDLESS in target.path]
    others = [target for target in targets if target not in endless]
    verdicts = [
        *harness.run(trees, others, harness.Options(jobs=2, timeout_s=600)),
        *harness.run(trees, endless, harness.Options(timeout_s=20)),
    ]
    found = {}
    for verdict in verdicts:
        found.setdefault(verdict.target.path.removesuffix(".py"), []).append(verdict)
    return found


def test_there_are_at_least_forty_mutants():
    assert len(WRONG) >= 40


@pytest.mark.parametrize("rewrite", WRONG, ids=lambda rewrite: rewrite.name)
def test_no_wrong_rewrite_is_called_equal(judged, rewrite):
    kinds = [verdict.kind for verdict in judged[rewrite.name]]
    assert any(kind is not Kind.EQUAL for kind in kinds)
    if rewrite.title != "counter becomes a float":
        assert not all(kind.is_proof for kind in kinds)


@pytest.mark.parametrize("rewrite", RIGHT, ids=lambda rewrite: rewrite.name)
def test_every_right_rewrite_is_called_equal(judged, rewrite):
    for verdict in judged[rewrite.name]:
        assert verdict.kind is Kind.EQUAL, verdict
        taken, wanted = verdict.covered
        assert taken == wanted


def one(judged, title):
    (name,) = [r.name for r in ALL if r.name.endswith(title)]
    return judged[name][0]


def test_a_counterexample_is_small_and_has_a_script(judged):
    found = one(judged, "last_arm_lost").counterexample
    assert found.check == "values"
    assert set(found.arguments) == {"x"}
    assert "import jax" in found.snippet
    assert "disable_jit" in found.snippet
    compile(found.snippet, "snippet", "exec")


def test_the_dtype_is_named_where_only_it_differs(judged):
    verdict = one(judged, "counter_becomes_a_float")
    assert verdict.kind is Kind.PROMOTED
    assert "float32 instead of int32" in verdict.reason


def test_an_endless_loop_is_stopped_and_named(judged):
    verdict = one(judged, "never_ends_on_equality")
    assert verdict.kind is Kind.TIMED_OUT
    assert "in 20 s" in verdict.reason


def test_reverse_mode_that_a_while_loop_never_had_is_no_difference(judged):
    verdict = one(judged, "loop_until_convergence_right")
    assert "forward mode" in verdict.checks["gradients"]


def test_prints_in_another_order_under_jit_are_pointed_out(judged):
    assert "ordered=True" in one(judged, "a_print_right").checks["stdout"]


def test_vmap_and_traces_are_compared(judged):
    checks = one(judged, "three_ways_by_elif_right").checks
    assert "rows" in checks["vmap"]
    assert checks["traces"].endswith("0 when repeated")
