"""Types of arguments, learnt from the inputs that the user recorded or wrote down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxfix._analysis.settings import Aval
from jaxfix._config import Config
from jaxfix._validation import inputs

SHORT = {"bf": "bfloat", "f": "float", "i": "int", "u": "uint", "c": "complex"}


def learnt(config: Config) -> dict[str, Mapping[str, Aval]]:
    """By function, as `path:function` and `package.module.function`: its parameters.

    A parameter is found by its name, or by its place (`"0"`). Where the calls do not
    agree about a dtype or a shape, it is not known.

    Raises:
      UsageError: a file of recorded calls or the table of inputs is wrong.
    """
    files = [config.root / inputs.RECORDED]
    calls: dict[str, inputs.Calls] = {}
    if isinstance(config.inputs, Mapping):
        calls |= inputs.read_configured(config.inputs)
    else:
        files += map(Path, config.inputs)
    for file in files:
        calls |= inputs.read_recorded(file)
    found: dict[str, Mapping[str, Aval]] = {}
    for name, given in calls.items():
        if known := agreed(given):
            for key in keys(name, config.root):
                found[key] = known
    return found


def keys(name: str, root: Path) -> Iterable[str]:
    path, colon, function = name.rpartition(":")
    if not colon:
        return [name]
    return [f"{(root / path).resolve()}:{function}"]


def agreed(calls: Sequence[Mapping[str, Any]]) -> dict[str, Aval]:
    """What all calls say of each parameter."""
    found: dict[str, Aval | None] = {}
    for call in calls:
        given = {str(i): value for i, value in enumerate(call["args"])}
        for name, value in {**given, **call["kwargs"]}.items():
            one = aval(value)
            found[name] = merged(found[name], one) if name in found else one
    return {name: one for name, one in found.items() if one is not None}


def merged(a: Aval | None, b: Aval | None) -> Aval | None:
    if a is None or b is None or a.dtype != b.dtype:
        return None
    return a if a.shape == b.shape else Aval(a.dtype, None)


def aval(value: Any) -> Aval | None:
    """The type that `f32[8,3]` names; None for other inputs."""
    match = inputs.AVAL.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[1] in ("key", "float0"):
        return None
    dtype = match[1]
    for short, long in SHORT.items():
        bits = dtype.removeprefix(short)
        if bits != dtype and bits.isdigit():
            dtype = long + bits
            break
    dims = value.partition("[")[2].partition("]")[0]
    return Aval(dtype, tuple(int(d) for d in dims.split(",") if d.strip()))
