"""The facts on jax: the tables and the results agree with the installed jax."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from jaxfix._analysis import jax_api, results, values
from jaxfix._analysis.finding import Evidence
from tests import probe_jax_api as probe

X = values.Array(True, values.strong("?x"), frozenset({"?x"}))
SAMPLE = probe.EXPRESSIONS[::4]
NUMPY = (
    "sum mean max argmax argsort cumsum reshape sin sqrt maximum array asarray"
    " zeros_like stack concatenate where dot clip linalg.norm linalg.solve array_equal"
)
PARTIAL = (
    "jax.numpy.sqrt jax.numpy.log jax.numpy.exp jax.numpy.square jax.numpy.sin"
    " jax.numpy.arccos jax.numpy.tanh jax.numpy.abs jax.numpy.reciprocal jax.lax.rsqrt"
    " jax.lax.logistic jax.nn.softplus jax.nn.relu jax.scipy.special.gammaln"
)


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("source", SAMPLE)
def test_results_are_those_of_jax(source, symbolic):
    assert probe.disagreement(source, symbolic=symbolic) == ""


def test_the_probe_notices_a_wrong_dtype(monkeypatch):
    monkeypatch.setattr(
        results,
        "library_call",
        lambda call: call.array(values.strong("int8"), values.SCALAR),
    )
    assert "int8" in probe.disagreement("jnp.sum(x)")


def test_results_say_enough():
    """Most sampled calls have a known dtype and shape: silence would pass, too."""
    said = [probe.computed(source) for source in SAMPLE]
    arrays = [v for v in said if isinstance(v, values.Array)]
    full = [v for v in arrays if v.dtype is not None and v.shape is not None]
    assert len(full) > 0.75 * len(arrays)


@pytest.mark.parametrize("name", PARTIAL.split())
def test_partial_is_measured(name):
    assert jax_api.lookup(name).partial == probe.is_partial(name)


@pytest.mark.parametrize("name", [f"numpy.{name}" for name in NUMPY.split()])
def test_numpy_on_tracers_is_measured(name):
    if name == "numpy.array_equal":  # answers False whatever the values
        assert jax_api.numpy_on_tracer(name) == "fails"
    else:
        assert jax_api.numpy_on_tracer(name) == probe.numpy_on_tracer(name)


def test_a_list_of_tracers_fails_in_numpy():
    assert jax_api.numpy_on_tracer("numpy.sum") == "works"
    assert jax_api.numpy_on_tracer("numpy.sum", in_list=True) == "fails"


def test_every_jax_name_for_a_numpy_function_exists():
    targets = {name: jax_api.numpy_to_jnp(f"numpy.{name}") for name in dir(np)}
    assert [n for n, t in targets.items() if t and probe.find(t) is None] == []


def test_numpy_functions_without_the_same_in_jax():
    assert jax_api.numpy_to_jnp("numpy.sin") == "jax.numpy.sin"
    assert jax_api.numpy_to_jnp("numpy.fix") == "jax.numpy.trunc"
    assert jax_api.numpy_to_jnp("numpy.sin", ["out"]) is None
    assert jax_api.numpy_to_jnp("numpy.copyto") is None
    assert jax_api.numpy_to_jnp("numpy.unique") is None
    assert jax_api.numpy_to_jnp("numpy.random.normal") is None


def test_static_parameters_are_where_the_tables_say():
    wrong = {
        name: probe.misplaced(name, api.static_params)
        for name, api in jax_api.known().items()
        if api.static_params and probe.find(name) is not None
    }
    assert {name: params for name, params in wrong.items() if params} == {}


def test_lookup_follows_aliases():
    assert jax_api.lookup("jax.numpy.amax") == jax_api.lookup("numpy.max")
    assert jax_api.lookup("len") == jax_api.lookup("builtins.len")
    assert jax_api.lookup("jax.numpy.no_such_function") is None
    assert jax_api.is_dtype("numpy.float64") == "float"


def test_transforms_name_their_function_operands():
    cond = jax_api.TRANSFORMS["jax.lax.cond"]
    assert [o.name for o in cond.operands] == ["true_fun", "false_fun"]
    assert jax_api.TRANSFORMS["jax.lax.switch"].operands[0].many
    assert jax_api.TRANSFORMS["jax.grad"].traces == "none"
    assert jax_api.TRANSFORMS["jax.jit"].wraps


def test_rows_of_one_array_have_one_shape():
    first = results.subscript(X, values.Const(0))
    second = results.subscript(X, values.Static("int"))
    assert first.shape == second.shape == frozenset({"?x[]"})
    assert results.subscript(X, values.Const(slice(1, None))).shape != first.shape


def test_a_mask_gives_no_shape():
    mask = results.compare(ast.Gt, X, values.Const(0))
    assert mask.dtype == values.BOOL and mask.shape == X.shape
    assert results.subscript(X, mask).shape is None


def test_an_update_keeps_dtype_and_shape():
    at = results.subscript(results.attribute_of(X, "at"), values.Const(0))
    done = results.method_of(at, "set", [values.Const(1.5)], {}, tracing=True)
    assert (done.dtype, done.shape) == (X.dtype, X.shape)


def test_jax_calls_make_tracers_only_under_a_trace():
    zero = values.Const(())
    assert results.result_of("jax.numpy.zeros", [zero], {}, tracing=True).traced
    assert not results.result_of("jax.numpy.zeros", [zero], {}, tracing=False).traced
    host = results.result_of("numpy.zeros", [zero], {}, tracing=True)
    assert host.host and not host.traced


def test_reasons_are_passed_on():
    why = values.Why(Evidence("a.py", 1, "`x` is traced"))
    traced = values.Array(True, values.FLOAT, values.SCALAR, why=why)
    weak = values.Const(1)
    assert results.binary(ast.Add, weak, traced, tracing=True).why == why
    assert results.result_of("jax.numpy.sin", [traced], {}, tracing=True).why == why
    assert results.subscript(X, traced).why == why


@pytest.mark.parametrize(
    ("op", "left", "right", "kind"),
    [
        (ast.Pow, 10, 10**10, "int"),
        (ast.LShift, 1, 10**9, "int"),
        (ast.Mult, "ab", 10**9, "str"),
        (ast.Mult, 2**63, 2**63, "int"),
    ],
)
def test_large_constants_are_not_computed(op, left, right, kind):
    value = results.binary(op, values.Const(left), values.Const(right), tracing=True)
    assert isinstance(value, values.Static) and value.type in (kind, "")


def test_small_constants_are_computed():
    two, three = values.Const(2), values.Const(3)
    assert results.binary(ast.Pow, two, three, tracing=True) == values.Const(8)
    assert results.binary(ast.Div, two, values.Const(0), tracing=True) == (
        values.Unknown()
    )
    assert results.compare(ast.Lt, two, three) == values.Const(True)
    assert results.result_of("math.sqrt", [values.Const(4)], {}, tracing=True) == (
        values.Const(2.0)
    )


def test_promotion_keeps_a_weak_kind_above_the_strong_one():
    int32 = values.strong("int32")
    assert values.promote(int32, values.WEAK[float]) == values.WEAK[float]
    assert values.promote(values.WEAK[bool]) == values.BOOL
    assert values.inexact(int32) == values.strong("float32")
    assert values.inexact(values.INT) == values.FLOAT
    assert values.broadcast(values.shape(3), values.shape(2, 1)) == values.shape(2, 3)
