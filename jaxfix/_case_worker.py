"""A process that runs the calls of a case on two programs and compares the results.

It imports nothing of jaxfix, so that it can run in any interpreter that has jax. One
request a line comes in as JSON, `{"before", "after", "calls"}`; one answer a line goes
out, the list of what differs.
"""

# jax has functions without annotations.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import collections
import contextlib
import io
import json
import os
import re
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Results are compared up to rounding: the compiler may contract and reorder.
RELATIVE, ABSOLUTE = 1e-5, 1e-6
HALF_RELATIVE = 1e-2
CLEAR_EVERY = 200
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def main() -> None:
    """Answer requests until the input ends; what programs print goes nowhere."""
    jax.config.update("jax_disable_most_optimizations", True)
    answers = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    for count, line in enumerate(sys.stdin, 1):
        request = json.loads(line)
        found = list(differences(**request))
        answers.write(json.dumps(found) + "\n")
        answers.flush()
        if count % CLEAR_EVERY == 0:
            jax.clear_caches()


def differences(before: str, after: str, calls: list[str]) -> Iterator[str]:
    """What the calls give differently: eagerly on `before`, compiled on `after`."""
    try:
        with jax.disable_jit():
            old = load("before", before)
        new = load("after", after)
    except Exception as error:
        yield f"a program does not load: {type(error).__name__}: {error}"
        return
    for call in calls:
        try:
            with jax.disable_jit():
                want, printed = run(old, call)
        except Exception as error:
            yield f"{call}: the old program fails: {type(error).__name__}: {error}"
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                got, shown = run(new, call)
        except Exception as error:
            yield f"{call}: {type(error).__name__}: {error}"
            continue
        if difference := tree_difference(want, got):
            yield f"{call}: {difference}"
        if not same_print(printed, shown):
            yield f"{call}: printed {shown!r}, not {printed!r}"


def load(name: str, text: str) -> dict[str, Any]:
    """The names of a program, run as a module of its own."""
    module = types.ModuleType(f"case_{name}")
    # Dataclasses look their module up.
    sys.modules[module.__name__] = module
    names = module.__dict__
    exec(compile(text, f"{name}.py", "exec"), names)
    names.update({"jax": jax, "jnp": jnp, "np": np, "lax": lax})
    return names


def run(names: dict[str, Any], call: str) -> tuple[Any, str]:
    """What a call returns and prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = jax.block_until_ready(eval(call, names))
        jax.effects_barrier()
    return result, out.getvalue()


def tree_difference(want: Any, got: Any) -> str:
    """The first difference of two results, or ""."""
    leaves, tree = jax.tree.flatten(want)
    others, other = jax.tree.flatten(got)
    # The classes of two programs are two: their names must be the same.
    if as_text(tree) != as_text(other):
        return f"the structure is {other}, not {tree}"
    pairs = zip(leaves, others, strict=True)
    return next(filter(None, (leaf_difference(a, b) for a, b in pairs)), "")


def as_text(tree: Any) -> str:
    return str(tree).replace("case_after", "case_before")


def leaf_difference(want: Any, got: Any) -> str:
    if not is_number(want) or not is_number(got):
        return "" if repr(want) == repr(got) else f"{got!r}, not {want!r}"
    if jnp.shape(want) != jnp.shape(got):
        return f"shape {jnp.shape(got)}, not {jnp.shape(want)}"
    if is_key(want) or is_key(got):
        if not (is_key(want) and is_key(got)):
            return f"{got!r}, not {want!r}"
        want, got = jax.random.key_data(want), jax.random.key_data(got)
    dtype = jnp.asarray(got).dtype
    if jnp.promote_types(weak_dtype(want, dtype), dtype) != dtype:
        return f"dtype {dtype}, not {jnp.asarray(want).dtype}"
    return value_difference(want, got)


def weak_dtype(want: Any, dtype: Any) -> Any:
    """The dtype of `want`; a Python scalar takes that of an array of its kind."""
    if isinstance(want, bool | int | float | complex):
        return jnp.result_type(want, dtype)
    return jnp.asarray(want).dtype


def value_difference(want: Any, got: Any) -> str:
    is_half = jnp.asarray(got).dtype.itemsize <= 2
    kind = np.complex128 if jnp.iscomplexobj(want) else np.float64
    try:
        np.testing.assert_allclose(
            np.asarray(got, kind),
            np.asarray(want, kind),
            rtol=HALF_RELATIVE if is_half else RELATIVE,
            atol=ABSOLUTE,
        )
    except AssertionError:
        return f"{got}, not {want}"
    return ""


def is_number(leaf: Any) -> bool:
    return isinstance(
        leaf, (bool, int, float, complex, np.generic, np.ndarray, jax.Array)
    )


def is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jnp.issubdtype(
        leaf.dtype, jax.dtypes.prng_key
    )


def same_print(want: str, got: str) -> bool:
    """Do two outputs say the same? Lines may come in another order, and a Python float
    has more digits than an array's."""
    lines = collections.Counter(_NUMBER.sub("#", want).splitlines())
    others = collections.Counter(_NUMBER.sub("#", got).splitlines())
    numbers = sorted(float(n) for n in _NUMBER.findall(want))
    shown = sorted(float(n) for n in _NUMBER.findall(got))
    return lines == others and bool(np.allclose(numbers, shown, rtol=RELATIVE))


if __name__ == "__main__":
    main()
