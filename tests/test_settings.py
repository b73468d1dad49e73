"""What `[tool.jaxfix]` says of a project changes what is found and how it is mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxfix import _avals, _engine
from jaxfix._analysis.finding import Safety
from jaxfix._analysis.settings import Aval, Settings
from jaxfix._analysis.source import Source
from jaxfix._config import Config
from jaxfix._rewriting.registry import rules

UTIL = """
import registry


def compiled(f):
    return registry.compile(f)


def size_of(x):
    return registry.size(x)
"""
USER = """
import jax
import jax.numpy as jnp
from util import compiled, size_of


@compiled
def clip(x, flag):
    if flag:
        x = x + 1
    if x > 0:
        x = -x
    return x


@jax.jit
def tell(x):
    if size_of(x) > 3:
        return x
    return -x


@jax.jit
def power(x, n):
    for _ in range(n):
        x = x * x
    return x


result = power(2.0, 3)
"""


@pytest.fixture
def project(tmp_path: Path) -> list[Source]:
    for name, text in (("util.py", UTIL), ("user.py", USER)):
        (tmp_path / name).write_text(text)
    return [Source.read(path) for path in sorted(tmp_path.glob("*.py"))]


def fixed(project: list[Source], settings: Settings) -> str:
    options = _engine.EngineOptions(rules=frozenset(rules()), settings=settings)
    outcome = _engine.run(project, options, fix=Safety.UNSAFE)
    assert not outcome.errors
    return "".join(change.after for change in outcome.changes)


def found(project: list[Source], settings: Settings) -> set[tuple[str, str]]:
    options = _engine.EngineOptions(rules=frozenset(rules()), settings=settings)
    outcome = _engine.run(project, options, fix=None)
    assert not outcome.errors
    return {(f.rule, f.function or "") for f in outcome.findings}


def test_a_decorator_that_nobody_knows_traces_nothing(project: list[Source]) -> None:
    assert found(project, Settings()) == {("traced-range", "power")}


def test_an_extra_transform_traces_the_parameters_it_names(
    project: list[Source],
) -> None:
    settings = Settings(extra_transforms={"util.compiled": ("x",)})
    assert ("traced-if", "clip") in found(project, settings)
    text = fixed(project, settings)
    assert "    if flag:\n        x = x + 1\n" in text
    assert "return jnp.where(x > 0, -x, x)" in text


def test_an_extra_transform_traces_everything_if_it_names_nothing(
    project: list[Source],
) -> None:
    (user, util) = project
    called = user.text + "y = clip(jnp.float32(1.0), True)\n"
    project = [Source.from_bytes(user.path, called.encode()), util]
    text = fixed(project, Settings(extra_transforms={"util.compiled": ()}))
    assert "x = jnp.where(flag, x + 1, x)" in text


def test_the_declaration_of_an_extra_transform_is_not_touched(
    project: list[Source],
) -> None:
    settings = Settings(extra_transforms={"util.compiled": ()})
    assert "@compiled\ndef clip" in fixed(project, settings)


def test_a_static_call_gives_a_static_value(project: list[Source]) -> None:
    # `size_of` of a tracer is taken for what `registry.size` gives: not known.
    settings = Settings(static_calls=("registry.*",))
    assert not {f for f in found(project, settings) if f[1] == "tell"}
    settings = Settings(static_calls=("util.size_of",))
    assert not {f for f in found(project, settings) if f[1] == "tell"}


def test_a_static_call_of_a_known_function_is_believed(tmp_path: Path) -> None:
    text = """
import jax
import jax.numpy as jnp


def total(x):
    return jnp.sum(x)


@jax.jit
def tell(x):
    if total(x) > 3:
        return x
    return -x
"""
    (tmp_path / "one.py").write_text(text)
    sources = [Source.read(tmp_path / "one.py")]
    assert found(sources, Settings()) == {("traced-if", "tell")}
    assert found(sources, Settings(static_calls=("one.total",))) == set()


@pytest.mark.parametrize(
    ("prefer", "spelling"),
    [
        ({}, "fori_loop"),
        ({"traced-range": "dynamic"}, "fori_loop"),
        ({"traced-range": "static"}, 'partial(jax.jit, static_argnames=("n",))'),
    ],
)
def test_the_number_of_steps_is_what_the_project_prefers(
    project: list[Source], prefer: dict[str, str], spelling: str
) -> None:
    assert spelling in fixed(project, Settings(prefer=prefer))


@pytest.mark.parametrize(
    ("version", "spelling"),
    [
        (None, '@functools.partial(jax.jit, static_argnames=("n",))'),
        ((0, 8), '@functools.partial(jax.jit, static_argnames=("n",))'),
        ((0, 9), '@jax.jit(static_argnames=("n",))'),
        ((0, 10), '@jax.jit(static_argnames=("n",))'),
    ],
)
def test_static_argnames_are_spelled_for_the_version_of_jax(
    project: list[Source], version: tuple[int, int] | None, spelling: str
) -> None:
    settings = Settings(prefer={"traced-range": "static"}, jax_version=version)
    assert spelling in fixed(project, settings)


PICKY = """
import jax
import jax.numpy as jnp


@jax.jit
def root(x, n):
    if x > 0:
        y = jnp.sqrt(x)
    else:
        y = n
    return y


@jax.jit
def share(x, flag):
    if flag:
        return jnp.sum(x) / x[0]
    return x[0]
"""


def picky(tmp_path: Path, inputs: dict[str, object]) -> str:
    (tmp_path / "one.py").write_text(PICKY)
    config = Config(root=tmp_path, inputs=inputs)
    settings = Settings(avals=_avals.learnt(config))
    return fixed([Source.read(tmp_path / "one.py")], settings)


@pytest.mark.parametrize("name", ["one.py:root", "one.root"])
def test_inputs_say_which_dtypes_must_agree(tmp_path: Path, name: str) -> None:
    spelling = "lambda: jnp.sqrt(x), lambda: n.astype(jnp.float32)"
    assert spelling in picky(tmp_path, {name: [["f32[]", "i16[]"]]})
    by_name = {name: [{"x": "f32[]", "n": "i16[]"}]}
    assert spelling in picky(tmp_path, by_name)
    assert "astype" not in picky(tmp_path, {})


def test_inputs_say_that_a_condition_has_an_axis(tmp_path: Path) -> None:
    text = picky(tmp_path, {"one.py:share": [["f32[3]", "bool[1]"]]})
    assert "jnp.reshape(flag, ())" in text
    assert "reshape" not in picky(tmp_path, {})


def test_inputs_that_do_not_agree_say_nothing(tmp_path: Path) -> None:
    calls = [["f32[]", "i16[]"], ["f16[]", "i16[]"]]
    assert "astype" not in picky(tmp_path, {"one.py:root": calls})


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("f32[8,3]", Aval("float32", (8, 3))),
        ("bf16[]", Aval("bfloat16", ())),
        ("u8[2] in [0, 3]", Aval("uint8", (2,))),
        ("bool[]", Aval("bool", ())),
        ("complex64[1]", Aval("complex64", (1,))),
        ("key[]", None),
        ("py: 3", None),
        (3.0, None),
    ],
)
def test_avals_are_read(text: object, known: Aval | None) -> None:
    assert _avals.aval(text) == known


def test_recorded_calls_are_read(tmp_path: Path) -> None:
    recorded = {
        "version": 1,
        "functions": {
            "one.py:root": [
                {"args": ["f32[3]", "i16[]"], "kwargs": {}},
                {"args": ["f32[4]", "i16[]"], "kwargs": {}},
            ]
        },
    }
    (tmp_path / "jaxfix-inputs.json").write_text(json.dumps(recorded))
    learnt = _avals.learnt(Config(root=tmp_path))
    assert learnt == {
        f"{(tmp_path / 'one.py').resolve()}:root": {
            "0": Aval("float32", None),
            "1": Aval("int16", ()),
        }
    }
