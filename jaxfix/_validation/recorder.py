"""Runs in the user's program, as its `sitecustomize`: notes the calls that JAX sees.

The standard library alone until the program imports jax itself. Then `jax.jit`, `vmap`,
`grad` and their like are wrapped so that the project's own functions are recorded when
they are called: the types of arrays, small values, static arguments. What cannot be
written down is left out; no error of ours may reach the program.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

SMALL = 64  # elements of an array that are written out
MAX_TYPES = 12  # distinct signatures a function
MAX_VALUES = 3  # distinct values a signature
MAX_DEPTH = 4
SHORT = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "complex64": "c64", "complex128": "c128", "bool": "bool",
}  # fmt: skip
INNER = ("vmap", "pmap", "grad", "value_and_grad", "checkpoint", "remat", "jacfwd",
         "jacrev", "hessian")  # fmt: skip


class Unwritable(Exception):
    """A value that has no spelling in the file."""


class Notes:
    """What was recorded in this process."""

    def __init__(self, root: str, folder: str) -> None:
        self.root = os.path.realpath(root)
        self.folder = folder
        self.calls: dict[str, dict[str, dict[str, Any]]] = {}
        self.spent_s = 0.0
        self.seen = 0
        self.started = time.perf_counter()
        self.busy = False

    def place(self, function: Any) -> str | None:
        """`path:qualname` of a function of the project, None for any other."""
        function = unwrapped(function)
        code = getattr(function, "__code__", None)
        if code is None or "<lambda>" in function.__qualname__:
            return None
        file = os.path.realpath(code.co_filename)
        if not file.startswith(self.root + os.sep) or "site-packages" in file:
            return None
        path = os.path.relpath(file, self.root).replace(os.sep, "/")
        return f"{path}:{function.__qualname__}"

    def note(self, place: str, args: Any, kwargs: Any) -> None:
        if self.busy:
            return
        self.busy = True
        start = time.perf_counter()
        try:
            self.seen += 1
            self.keep(place, args, kwargs)
        except Exception:  # whatever a value's own code does, the program goes on
            pass
        finally:
            self.spent_s += time.perf_counter() - start
            self.busy = False

    def keep(self, place: str, args: Any, kwargs: Any) -> None:
        by_type = self.calls.setdefault(place, {})
        kind = repr(signature([args, kwargs]))
        if kind not in by_type and len(by_type) >= MAX_TYPES:
            return
        if len(by_type.get(kind, ())) >= MAX_VALUES:
            return
        entry = {
            "args": [encode(value, self) for value in args],
            "kwargs": {name: encode(value, self) for name, value in kwargs.items()},
        }
        by_type.setdefault(kind, {})[json.dumps(entry)] = entry

    def write(self) -> None:
        if not self.calls:
            return
        functions = {
            place: [entry for kind in by_type.values() for entry in kind.values()]
            for place, by_type in sorted(self.calls.items())
        }
        data = {
            "functions": functions,
            "calls": self.seen,
            "spent_s": self.spent_s,
            "total_s": time.perf_counter() - self.started,
        }
        path = os.path.join(self.folder, f"{os.getpid()}.json")
        with contextlib.suppress(OSError), open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)


def unwrapped(function: Any) -> Any:
    for _ in range(8):
        inner = getattr(function, "__wrapped__", None) or getattr(
            function, "func", getattr(function, "__func__", None)
        )
        if inner is None:
            return function
        function = inner
    return function


def signature(value: Any) -> Any:
    """What tells two calls apart for jit: dtypes, shapes, static values."""
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(signature, value)]
    if isinstance(value, dict):
        return {key: signature(item) for key, item in value.items()}
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype}{tuple(value.shape)}"
    if isinstance(value, (str, bool, type(None))) or callable(value):
        return repr(value)
    return type(value).__name__


def encode(value: Any, notes: Notes, depth: int = 0) -> Any:
    """A value as `worker.decode` reads it; raises `Unwritable`."""
    if depth > MAX_DEPTH:
        raise Unwritable("too deep")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (str, bytes, complex)):
        return {"kind": "py", "value": repr(value)}
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return encode_array(value)
    if isinstance(value, type):
        return {"kind": "class", **reference(value, notes)}
    deeper = functools.partial(encode, notes=notes, depth=depth + 1)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        of = list(map(deeper, value))
        return {"kind": "namedtuple", **reference(type(value), notes), "of": of}
    if isinstance(value, tuple):
        return {"kind": "tuple", "of": list(map(deeper, value))}
    if isinstance(value, list):
        return list(map(deeper, value))
    if isinstance(value, dict):
        pairs = [[repr(key), deeper(item)] for key, item in value.items()]
        return {"kind": "dict", "of": pairs}
    if callable(value) and hasattr(value, "__qualname__"):
        return {"kind": "function", **reference(value, notes)}
    if hasattr(value, "__dict__"):
        of = [[name, deeper(item)] for name, item in vars(value).items()]
        return {"kind": "object", **reference(type(value), notes), "of": of}
    raise Unwritable(type(value).__name__)


def reference(thing: Any, notes: Notes) -> dict[str, str]:
    if "<" in thing.__qualname__:
        raise Unwritable(thing.__qualname__)
    module = thing.__module__
    if module == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
        if file is None:
            raise Unwritable("defined at a prompt")
        module = os.path.relpath(os.path.realpath(file), notes.root).replace(
            os.sep, "/"
        )
    return {"module": module, "name": thing.__qualname__}


def encode_array(value: Any) -> Any:
    """A small array with its values, a large one as a type and a range."""
    import jax
    import numpy as np

    shape = list(value.shape)
    if isinstance(value, jax.core.Tracer):
        value = getattr(value, "primal", value)
    if jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        if isinstance(value, jax.core.Tracer):
            return "key[]"
        data = np.asarray(jax.random.key_data(value)).tolist()
        return {"kind": "key", "values": data}
    dtype = SHORT[str(value.dtype)]
    aval = f"{dtype}[{','.join(map(str, shape))}]"
    if isinstance(value, jax.core.Tracer):
        return aval
    array = np.asarray(value)
    if array.size <= SMALL and array.dtype.kind != "c":
        return {
            "kind": "array",
            "dtype": dtype,
            "shape": shape,
            "values": array.tolist(),
        }
    if array.dtype.kind in "iuf" and np.isfinite(array).all():
        return f"{aval} in [{array.min()}, {array.max()}]"
    return aval


class Recorded:
    """A jitted function that notes its calls and is otherwise what it wraps."""

    def __init__(self, made: Any, place: str, notes: Notes) -> None:
        functools.update_wrapper(self, made)
        self._made, self._place, self._notes = made, place, notes

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._notes.note(self._place, args, kwargs)
        return self._made(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def recording_jit(original: Callable[..., Any], notes: Notes) -> Callable[..., Any]:
    @functools.wraps(original)
    def jit(*args: Any, **kwargs: Any) -> Any:
        function = args[0] if args else kwargs.get("fun")
        if function is None:
            decorate = original(*args, **kwargs)
            return lambda f: jit(f, **kwargs) if callable(decorate) else decorate
        made = original(*args, **kwargs)
        place = notes.place(function)
        return made if place is None else Recorded(made, place, notes)

    return jit


def recording_inner(original: Callable[..., Any], notes: Notes) -> Callable[..., Any]:
    """For transforms that call the function with one row, or one point, of theirs."""

    @functools.wraps(original)
    def transform(*args: Any, **kwargs: Any) -> Any:
        function = args[0] if args else kwargs.get("fun")
        place = notes.place(function) if callable(function) else None
        if place is None or not callable(function) or isinstance(function, Recorded):
            return original(*args, **kwargs)

        @functools.wraps(function)
        def inner(*given: Any, **named: Any) -> Any:
            notes.note(place, given, named)
            return function(*given, **named)

        if args:
            return original(inner, *args[1:], **kwargs)
        return original(**{**kwargs, "fun": inner})

    return transform


def patch(jax: Any, notes: Notes) -> None:
    jax.jit = recording_jit(jax.jit, notes)
    for name in INNER:
        if hasattr(jax, name):
            setattr(jax, name, recording_inner(getattr(jax, name), notes))


class WhenImported:
    """Patches jax right after the program has imported it."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            patch(module, self.notes)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def run_shadowed() -> None:
    """The `sitecustomize` that ours hides, if the environment has one."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        file = os.path.join(folder or os.curdir, "sitecustomize.py")
        if os.path.abspath(folder or os.curdir) != here and os.path.exists(file):
            spec = importlib.util.spec_from_file_location("_sitecustomize", file)
            if spec is not None and spec.loader is not None:
                spec.loader.exec_module(importlib.util.module_from_spec(spec))
            return


def install() -> None:
    notes = Notes(os.environ["JAXFIX_RECORD_ROOT"], os.environ["JAXFIX_RECORD_FOLDER"])
    sys.meta_path.insert(0, WhenImported(notes))
    atexit.register(notes.write)


if "JAXFIX_RECORD_FOLDER" in os.environ:
    install()
    run_shadowed()
