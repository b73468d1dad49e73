"""`--emit-tests`: pytest files that pin what the original returned, and time it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .verdict import Target, Verdict

HEADER = '''\
"""Pins what `{path}` returned before it was rewritten for JAX.

Written by `jaxfix validate --emit-tests`. The expected values are those of the
original, run eagerly; tolerances are 128 units in the last place.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent / {up!r}
for folder in (ROOT, ROOT / "src", (ROOT / {path!r}).parent):
    sys.path.insert(0, str(folder))
{load}

def assert_same(got, want):
    """Structure, shapes and values; dtypes may be wider."""
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        g, w = np.asarray(jnp.asarray(g)), np.asarray(jnp.asarray(w))
        assert jnp.promote_types(w.dtype, g.dtype) == g.dtype
        rtol, atol = 0.0, 0.0
        if jnp.issubdtype(g.dtype, jnp.inexact):
            rtol = 128 * float(jnp.finfo(g.dtype).eps)
            atol = rtol * float(np.max(np.abs(np.nan_to_num(w)), initial=0.0)) / 16
        g, w = g.astype("complex128"), w.astype("complex128")
        np.testing.assert_allclose(g, w, rtol=rtol, atol=atol)

'''
BY_NAME = "module = importlib.import_module({name!r})\n"
BY_FILE = """\
SPEC = importlib.util.spec_from_file_location({name!r}, ROOT / {path!r})
module = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = module
SPEC.loader.exec_module(module)
"""
TEST = """

{cases} = [
{entries}
]


@pytest.mark.parametrize(("call", "want"), {cases})
def test_{name}(call, want):
    assert_same(call(), want())


def test_{name}_speed(benchmark):
    call, _ = {cases}[0]
    benchmark(lambda: jax.block_until_ready(call()))
"""


def emit_tests(verdicts: Iterable[Verdict], folder: Path, root: Path) -> list[Path]:
    """Write one file of tests a source file; the paths written, sorted.

    Only functions that are proven equal have tests, and only with inputs that can be
    written down.
    """
    by_path: dict[str, list[Verdict]] = {}
    seen: set[Target] = set()
    for verdict in verdicts:
        if verdict.kind.is_proof and verdict.samples and verdict.target not in seen:
            seen.add(verdict.target)
            by_path.setdefault(verdict.target.path, []).append(verdict)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for path, found in sorted(by_path.items()):
        file = folder / f"test_{identifier(path.removesuffix('.py'))}_unchanged.py"
        file.write_text(file_text(path, found, folder, root), encoding="utf-8")
        written.append(file)
    return written


def file_text(path: str, verdicts: list[Verdict], folder: Path, root: Path) -> str:
    up = Path(*[".."] * len(folder.resolve().relative_to(root.resolve()).parts))
    module = path.removesuffix(".py").replace("/", ".").removeprefix("src.")
    importable = all(part.isidentifier() for part in module.split("."))
    template = BY_NAME if importable else BY_FILE
    load = template.format(name=module if importable else identifier(module), path=path)
    text = HEADER.format(path=path, up=up.as_posix(), load=load)
    if importable:
        text = text.replace("import importlib.util", "import importlib")
    for verdict in verdicts:
        name = identifier(verdict.target.function)
        entries = "\n".join(
            f"    (lambda: {sample.call}, lambda: {sample.result}),"
            for sample in verdict.samples
        )
        text += TEST.format(name=name, cases=name.upper(), entries=entries)
    return text


def identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")
