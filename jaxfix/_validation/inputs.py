"""Example inputs that the user gives: the file of recorded calls and the configuration.

Both end as `{"args": [...], "kwargs": {...}}` in JSON, which the worker turns into
arrays: a string such as `f32[8,3]` or `f32[8,3] in [0, 1]` is an array of that type, a
string `py: EXPRESSION` is evaluated in the function's module, all else is itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jaxfix._errors import UsageError

from .verdict import Target

RECORDED = "jaxfix-inputs.json"
VERSION = 1
AVAL = re.compile(r"(\w+)\[[\d,\s]*\](\s+in\s+[\[(][^,]+,[^\])]+[\])])?")
LOOKS_LIKE_AVAL = re.compile(r"\w+\[.*\].*|\w*\d+\[.*")
DTYPES = frozenset(
    [
        "f16",
        "bf16",
        "f32",
        "f64",
        "i8",
        "i16",
        "i32",
        "i64",
        "u8",
        "u16",
        "u32",
        "u64",
        "c64",
        "c128",
        "bool",
        "key",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "complex64",
        "complex128",
    ]
)
Calls = tuple[Mapping[str, Any], ...]


def read_recorded(file: Path) -> dict[str, Calls]:
    """The calls that `jaxfix record` wrote, by `path:function`; none without a file.

    Raises:
      UsageError: the file is not what `record` writes.
    """
    if not file.exists():
        return {}
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        functions = data["functions"]
        version = data["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file}: not written by `jaxfix record`: {error}") from error
    if version != VERSION:
        raise UsageError(f"{file}: version {version}, expected {VERSION}")
    return {name: tuple(calls) for name, calls in functions.items()}


def read_configured(table: Mapping[str, Any]) -> dict[str, Calls]:
    """The table `[tool.jaxfix.inputs]`.

    A key is `path/file.py:function` or `package.module.function`. Its value is one
    call or a list of calls; a call is a list of arguments or a table of them by name.

    Raises:
      UsageError: a value is no call, or a string in it is a misspelt aval.
    """
    return {name: tuple(calls_of(name, value)) for name, value in table.items()}


def calls_of(name: str, value: Any) -> Iterable[Mapping[str, Any]]:
    where = f"inputs.{name}"
    if isinstance(value, Mapping):
        yield call_of(where, value)
    elif isinstance(value, list) and any(isinstance(v, list | dict) for v in value):
        for entry in value:
            yield call_of(where, entry)
    elif isinstance(value, list):
        yield call_of(where, value)
    else:
        raise UsageError(
            f"{where}: expected a list of arguments, a table of them, or a list of "
            f"those, got {value!r}"
        )


def call_of(where: str, entry: Any) -> Mapping[str, Any]:
    if not isinstance(entry, list | Mapping):
        raise UsageError(f"{where}: expected a list or a table, got {entry!r}")
    check_strings(where, entry)
    if isinstance(entry, Mapping):
        return {"args": [], "kwargs": dict(entry)}
    return {"args": entry, "kwargs": {}}


def check_strings(where: str, value: Any) -> None:
    """Refuse `f23[8]`: taken as a plain string it would be an input nobody meant."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            check_strings(where, item)
    elif isinstance(value, str) and LOOKS_LIKE_AVAL.fullmatch(value):
        match = AVAL.fullmatch(value)
        if not value.startswith("py:") and (match is None or match[1] not in DTYPES):
            raise UsageError(
                f"{where}: `{value}` is no array type; write `f32[8,3]`, "
                "`f32[8,3] in [0, 1]`, or `py: EXPRESSION`"
            )


def for_targets(
    targets: Iterable[Target], given: Mapping[str, Calls]
) -> dict[str, Calls]:
    """The calls of each target, by `str(target)`, whichever way its key is spelt."""
    found: dict[str, Calls] = {}
    for target in targets:
        module = target.path.removesuffix(".py").replace("/", ".")
        dotted = f"{module.removeprefix('src.')}.{target.function}"
        calls = given.get(str(target)) or given.get(dotted)
        if calls:
            found[str(target)] = calls
    return found
