"""Runs in the project's interpreter: imports two trees, calls both, compares and times.

One file, the standard library, jax and numpy, nothing of jaxfix: it must start in the
environment of the project that is fixed. `harness.py` starts it as
`python worker.py JOBS.json EVENTS.jsonl` and reads the events; if this process dies,
the harness knows from the last event which job it died in.

Three instances of the project live here at once. `before` and `after` are the programs
that are compared, untouched. `scout` is `before` again with its conditions and loops
instrumented: it is where inputs are searched and where the project's own callers run to
be watched, so that the state of the two judged programs is not disturbed.
"""

# mypy: disable-error-code="no-untyped-call"
# (jax is annotated in parts only)
from __future__ import annotations

import ast
import builtins
import collections
import contextlib
import dataclasses
import doctest
import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import io
import itertools
import json
import math
import os
import pathlib
import platform
import re
import runpy
import signal
import statistics
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np

try:
    import resource
except ImportError:  # not on Windows: the harness watches the resident size alone
    resource = None  # type: ignore[assignment]

Call = dict[str, Any]  # parameter name -> value, as a frame sees its arguments

# How far a result may be from the original's, in units in the last place of its dtype.
# Source: README.md of this folder, "Tolerances".
TOLERANCE_ULP = {"bfloat16": 4, "float16": 16, "float32": 128, "float64": 128}
ILL_CONDITIONED_ULP = 4096  # the most that measured conditioning may add, float32
FLOOD_BYTES = 16 * 2**20
KEPT_TEXT = 2**16
MAX_INPUTS = 40
SEARCH = "searching inputs for coverage"  # the harness knows this stage by its name
EAGER_CALL_S = 1.0
PATIENCE = 4  # times a limit that a starved process may take
CALLER_S = 30.0
NARROWING = "the original was given its floats as arrays: Python's have 64 bits"
PARENT_POLL_S = 1.0
SCALED_CALL_S = 20.0
LARGE_ELEMENTS = 64  # an eager loop over more is slow, its gradient slower
SLOW_BUILD_S = 3.0  # a build that takes longer is measured once
SEARCH_S = 30.0  # a stop for slow machines: the search is bounded by counts
SLOW_CALLS = 8  # variants that may run into `EAGER_CALL_S`, endless loops mostly
# How many inputs that add no coverage are kept, by why they were tried.
SPARE = {"equal": 6, "boundary": 8, "edge": 4, "random": 2, "mixed": 6, "length": 3}


class OutputFlood(BaseException):
    """The project printed more than `FLOOD_BYTES`."""


class CallTimeout(BaseException):
    """A call took longer than its limit. No `Exception`: user code may not eat it."""


class BoundedText(io.TextIOBase):
    """A stdout that keeps the start of what is written and a digest of the rest."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.size = 0
        self.digest = hashlib.sha256()
        self.flooded = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.size < KEPT_TEXT:
            self.kept.append(text[: KEPT_TEXT - self.size])
        else:
            self.digest.update(text.encode("utf-8", "replace"))
        self.size += len(text)
        if self.size > FLOOD_BYTES:
            self.flooded = True
            raise OutputFlood(f"printed more than {FLOOD_BYTES // 2**20} MB")
        return len(text)

    def text(self) -> str:
        rest = f"[{self.digest.hexdigest()}]" if self.size > KEPT_TEXT else ""
        return "".join(self.kept) + rest


@contextlib.contextmanager
def captured() -> Iterator[BoundedText]:
    """Collect what is printed, compiled callbacks included."""
    text = BoundedText()
    with contextlib.redirect_stdout(text):
        try:
            yield text
        finally:
            if hasattr(jax, "effects_barrier"):
                with contextlib.suppress(Exception):
                    jax.effects_barrier()
    if text.flooded:
        raise OutputFlood(f"printed more than {FLOOD_BYTES // 2**20} MB")


@contextlib.contextmanager
def time_limit(limit_s: float) -> Iterator[None]:
    """Stop Python code after `limit_s` seconds; compiled code is for the harness.

    On a machine that is busy with other things the seconds count that this process
    had: what is accepted there must be what is accepted on an idle one.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    had, patience = time.process_time(), PATIENCE

    def stop(_signal: int, _frame: object) -> None:
        nonlocal patience
        patience -= 1
        left = limit_s - (time.process_time() - had)
        if left > limit_s / 4 and patience:
            signal.setitimer(signal.ITIMER_REAL, limit_s)
            return
        raise CallTimeout(f"no result in {limit_s:g} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def limit_memory(memory_bytes: int) -> None:
    """Make allocation beyond the limit fail here rather than on the user's machine.

    Address space is no measure on accelerators, whose drivers reserve all of it.
    """
    if resource is None:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if os.environ.get("JAX_PLATFORMS", "") == "cpu":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        # jaxlib maps some 3 GiB before the first call without using it.
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes + 4 * 2**30, hard))


class Probe:
    """What the scout's conditions and loops did: outcomes and numbers of trips."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()
        self.open: dict[str, int] = {}

    def condition(self, key: str, value: Any) -> Any:
        if not is_tracer(value):
            with contextlib.suppress(Exception):
                self.seen.add((key, "true" if value else "false"))
        return value

    def loop_test(self, key: str, value: Any) -> Any:
        if is_tracer(value):
            return value
        try:
            true = bool(value)
        except Exception:
            return value
        if true:
            self.open[key] = self.open.get(key, 0) + 1
        else:
            self.seen.add((key, trips(self.open.pop(key, 0))))
        return value

    def iterate(self, key: str, values: Any) -> Iterator[Any]:
        count = 0
        try:
            for value in values:
                count += 1
                yield value
        finally:
            self.seen.add((key, trips(count)))

    def flush(self) -> None:
        """Loops left by `break`, `return` or an exception."""
        for key, count in self.open.items():
            self.seen.add((key, trips(count)))
        self.open.clear()


def trips(count: int) -> str:
    return ("zero", "one")[count] if count < 2 else "several"


class Instrument(ast.NodeTransformer):
    """Hand every condition and every iterable of one file to the probe."""

    def __init__(self, path: str) -> None:
        self.path = path

    def hook(self, name: str, node: ast.expr, at: ast.AST) -> ast.expr:
        key = ast.Constant(probe_key(self.path, at))
        call = ast.Call(ast.Name(name, ast.Load()), [key, node], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self.hook("__jaxfix_condition__", node.test, node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self.hook("__jaxfix_condition__", node.test, node)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.test = self.hook("__jaxfix_loop_test__", node.test, node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self.hook("__jaxfix_iterate__", node.iter, node)
        return node


def probe_key(path: str, node: ast.AST) -> str:
    return f"{path}:{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


class ScoutLoader(importlib.machinery.SourceFileLoader):
    """Loads a module with its conditions instrumented."""

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, *args: Any, **kwargs: Any
    ) -> Any:
        tree = ast.parse(data, filename=str(path))
        tree = Instrument(str(path)).visit(tree)
        return compile(tree, str(path), "exec", dont_inherit=True)


class ScoutFinder:
    """Puts `ScoutLoader` in front for files of the scout's tree."""

    def __init__(self, root: str) -> None:
        self.root = root

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(
            spec.loader, importlib.machinery.SourceFileLoader
        ):
            return None
        if not str(spec.origin).startswith(self.root + os.sep):
            return None
        spec.loader = ScoutLoader(spec.name, str(spec.origin))
        return spec


class Side:
    """One instance of the project: a tree, its modules, the right to be imported."""

    def __init__(self, name: str, root: str, probe: Probe | None = None) -> None:
        self.name = name
        self.root = os.path.realpath(root)
        self.probe = probe
        self.modules: dict[str, types.ModuleType] = {}
        self.by_path: dict[str, types.ModuleType] = {}

    def owns(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        if file is None:
            spots = getattr(module, "__path__", ())
            file = next((os.path.join(spot, "") for spot in spots), None)
        return file is not None and real_path(file).startswith(self.root + os.sep)

    @contextlib.contextmanager
    def active(self, *folders: str) -> Iterator[None]:
        """Let `import` see this side's modules and no other's."""
        path, folder = list(sys.path), os.getcwd()
        foreign = set(sys.modules)
        sys.modules.update(self.modules)
        sys.path[:0] = [*folders, self.root, os.path.join(self.root, "src")]
        finder = ScoutFinder(self.root)
        if self.probe is not None:
            sys.meta_path.insert(0, finder)
        os.chdir(self.root)
        try:
            yield
        finally:
            os.chdir(folder)
            sys.path[:] = path
            if self.probe is not None:
                sys.meta_path.remove(finder)
            for name in [n for n in sys.modules if n not in foreign]:
                if self.owns(sys.modules[name]):
                    self.modules[name] = sys.modules.pop(name)

    def load(self, path: str) -> types.ModuleType:
        """The module of a file of this tree, by its path relative to the root."""
        if path not in self.by_path:
            folder, name = module_name(self.root, path)
            self.forget_namesakes(folder)
            with self.active(folder):
                self.by_path[path] = self.import_file(path, name)
        return self.by_path[path]

    def forget_namesakes(self, folder: str) -> None:
        """Let the modules in `folder` be found that others of their name hide.

        Programs in folders side by side are each run from their own.
        """
        hidden = set()
        for name, module in self.modules.items():
            here = os.path.join(folder, name)
            own = (f"{here}.py", os.path.join(here, "__init__.py"))
            if any(os.path.exists(f) and not is_file_of(module, f) for f in own):
                hidden.add(name)
        for name in list(self.modules):
            if name.partition(".")[0] in hidden:
                del self.modules[name]

    def import_file(self, path: str, name: str) -> types.ModuleType:
        importlib.invalidate_caches()
        file = os.path.join(self.root, path)
        top = name.partition(".")[0]
        foreign = {
            key: module
            for key, module in list(sys.modules.items())
            if key.partition(".")[0] == top and not self.owns(module)
        }
        if "." in name or path.endswith("__init__.py"):
            for key in foreign:
                del sys.modules[key]
            return importlib.import_module(name)
        if top in foreign:
            name = f"_{name}"
        known = sys.modules.get(name)
        if known is not None and is_file_of(known, file):
            return known
        loader = ScoutLoader(name, file) if self.probe is not None else None
        spec = importlib.util.spec_from_file_location(name, file, loader=loader)
        if spec is None or spec.loader is None:
            raise ImportError(f"cannot import {path}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


def is_file_of(module: types.ModuleType, file: str) -> bool:
    known = getattr(module, "__file__", None)
    return known is not None and real_path(known) == real_path(file)


@functools.cache
def real_path(file: str) -> str:
    return os.path.realpath(file)


def module_name(root: str, path: str) -> tuple[str, str]:
    """The folder to put on `sys.path` and the dotted name of the file in it."""
    file = pathlib.Path(root, path)
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").exists() and str(folder) != root:
        parts.insert(0, folder.name)
        folder = folder.parent
    name = ".".join(parts) or file.parent.name
    if not all(part.isidentifier() for part in name.split(".")):
        name = re.sub(r"\W", "_", f"case_{name}")
    return str(folder), name


def is_tracer(value: Any) -> bool:
    return isinstance(value, jax.core.Tracer)


def concrete(value: Any) -> Any:
    """The value under an eager `vmap` or `grad` tracer; raises if it has none."""
    for _ in range(8):
        if not is_tracer(value):
            return value
        if hasattr(value, "primal"):
            value = value.primal
        elif hasattr(value, "batch_dim"):
            value, axis = value.val, value.batch_dim
            if isinstance(axis, int) and not is_tracer(value):
                value = value[(slice(None),) * axis + (0,)]
        else:
            break
    raise TypeError("a traced value has no concrete value")


def is_array(value: Any) -> bool:

    return isinstance(value, (jax.Array, np.ndarray, np.generic))


def is_key(value: Any) -> bool:

    return isinstance(value, jax.Array) and jnp.issubdtype(
        value.dtype, jax.dtypes.prng_key
    )


def is_number(value: Any) -> bool:
    """May the leaf be traced: an array or a Python number?"""
    if isinstance(value, (bool, int, float, complex)):
        return True
    return is_array(value) and (is_key(value) or value.dtype.kind in "biufcV")


def as_numpy(value: Any) -> Any:
    """The leaf as jit would return it, in NumPy: Python scalars get default dtypes."""
    if is_key(value):
        return np.asarray(jax.random.key_data(value))
    if isinstance(value, (bool, int, float, complex, np.ndarray, np.generic)):
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            return np.asarray(jnp.asarray(value))
    return np.asarray(value)


def snapshot(value: Any) -> Any:
    """A copy that later mutation of lists, dicts and NumPy arrays does not reach."""
    if is_tracer(value):
        value = concrete(value)
    if isinstance(value, (int, float, complex)) and hasattr(value, "dtype"):
        # jax's own scalars with a dtype, which appear under eager transforms.
        return value if is_array(value) else jnp.asarray(value, value.dtype)
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(snapshot, value))
    if type(value) in (list, tuple):
        return type(value)(map(snapshot, value))
    if type(value) is dict:
        return {key: snapshot(item) for key, item in value.items()}
    return value


class Translator:
    """Carries a value from one side to another: same data, that side's classes."""

    def __init__(self, source: Side, target: Side) -> None:
        self.source, self.target = source, target
        self.done: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:

        if isinstance(value, np.ndarray):
            return value.copy()
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self.type_of(type(value))(*map(self, value))
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(map(self, value))
        if isinstance(value, dict):
            items = {key: self(item) for key, item in value.items()}
            return items if type(value) is dict else type(value)(items)
        if isinstance(value, type):
            return self.type_of(value)
        if isinstance(value, types.ModuleType):
            return self.target.modules.get(value.__name__, value)
        if self.is_ours(value) and callable(value) and hasattr(value, "__qualname__"):
            return self.counterpart(value.__module__, value.__qualname__, value)
        if self.is_ours(type(value)):
            return self.instance(value)
        return value

    def is_ours(self, thing: Any) -> bool:
        return getattr(thing, "__module__", None) in self.source.modules

    def type_of(self, cls: type) -> Any:
        if not self.is_ours(cls):
            return cls
        return self.counterpart(cls.__module__, cls.__qualname__, cls)

    def counterpart(self, module: str, qualname: str, default: Any) -> Any:
        thing: Any = self.target.modules.get(module)
        if thing is None:
            return default
        for part in qualname.split("."):
            thing = getattr(thing, part, None)
            if thing is None:
                return default
        return thing

    def instance(self, value: Any) -> Any:
        if id(value) in self.done:
            return self.done[id(value)]
        cls = self.type_of(type(value))
        try:
            new = cls.__new__(cls)
        except TypeError:
            return value
        self.done[id(value)] = new
        for name, item in attributes(value).items():
            with contextlib.suppress(AttributeError):
                object.__setattr__(new, name, self(item))
        return new


def attributes(value: Any) -> dict[str, Any]:
    """Instance attributes, from `__dict__` and `__slots__`."""
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name) and not name.startswith("__"):
                found[name] = getattr(value, name)
    return found


def flat(value: Any) -> tuple[list[Any], str]:
    """Leaves and a spelling of the pytree's structure that both sides share."""
    leaves, tree = jax.tree_util.tree_flatten(value)
    spelling = re.sub(r" at 0x[0-9a-f]+", "", str(tree))
    out: list[Any] = []
    for leaf in leaves:
        out.append(leaf if is_number(leaf) else plain_object(leaf))
    return out, spelling


def plain_object(value: Any) -> Any:
    """An opaque leaf as something that can be compared."""
    if isinstance(value, (str, bytes, type(None))):
        return value
    if callable(value):
        return f"<{getattr(value, '__qualname__', type(value).__qualname__)}>"
    held = {key: str(flat(item)) for key, item in attributes(value).items()}
    return f"<{type(value).__qualname__} {held}>"


DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "c64": "complex64", "c128": "complex128", "bool": "bool", "key": "key",
}  # fmt: skip
AVAL = re.compile(
    r"(?P<dtype>\w+)\[(?P<shape>[\d,\s]*)\]"
    r"(?:\s+in\s+[\[(](?P<low>[^,]+),(?P<high>[^\])]+)[\])])?"
)


def from_aval(text: str, rng: Any) -> Any:
    """An array for `f32[8,3]` or `f32[8,3] in [0, 1]`; None if the text is no aval."""
    match = AVAL.fullmatch(text.strip())
    name = DTYPES.get(match["dtype"], match["dtype"]) if match else ""
    if match is None or (name not in DTYPES.values()):
        return None
    dims = tuple(int(part) for part in match["shape"].split(",") if part.strip())
    if name == "key":
        return jax.random.key(int(rng.integers(2**31)))
    if match["low"] is not None:
        values = rng.uniform(float(match["low"]), float(match["high"]), dims)
    elif name == "bool":
        values = rng.integers(0, 2, dims)
    elif name.startswith(("int", "uint")):
        values = rng.integers(0, 5, dims)
    else:
        values = rng.normal(size=dims)
    return jnp.asarray(values, dtype=name)


def decode(data: Any, side: Side, module: types.ModuleType, rng: Any) -> Any:
    """A value from the configuration or the file of recorded calls.

    Strings are avals (`f32[8,3]`) or `py: EXPRESSION`, evaluated where the function's
    module sees names; tagged objects are what `record` writes; the rest is itself.
    """

    if isinstance(data, str):
        if data.startswith("py:"):
            with side.active():
                return eval(data[3:].strip(), dict(vars(module)))
        array = from_aval(data, rng)
        return data if array is None else array
    if isinstance(data, list):
        return [decode(item, side, module, rng) for item in data]
    if not isinstance(data, dict):
        return data
    parts = data.get("of", ())
    match data.get("kind"):
        case "array":
            dtype = DTYPES.get(data["dtype"], data["dtype"])
            return jnp.asarray(data["values"], dtype=dtype).reshape(data["shape"])
        case "key":
            return jax.random.wrap_key_data(jnp.asarray(data["values"], "uint32"))
        case "tuple":
            return tuple(decode(item, side, module, rng) for item in parts)
        case "py":
            return ast.literal_eval(data["value"])
        case "dict":
            return {
                ast.literal_eval(key): decode(item, side, module, rng)
                for key, item in parts
            }
        case "function" | "class":
            return named(side, data["module"], data["name"])
        case "namedtuple":
            cls = named(side, data["module"], data["name"])
            return cls(*(decode(item, side, module, rng) for item in parts))
        case "object":
            cls = named(side, data["module"], data["name"])
            new = cls.__new__(cls)
            for name, item in parts:
                object.__setattr__(new, name, decode(item, side, module, rng))
            return new
    return {key: decode(item, side, module, rng) for key, item in data.items()}


def named(side: Side, module: str, qualname: str) -> Any:
    """A thing by the name, or the file in the project, of its module."""
    if module.endswith(".py"):
        thing: Any = side.load(module)
    else:
        with side.active():
            thing = importlib.import_module(module)
    for part in qualname.split("."):
        thing = getattr(thing, part)
    return thing


def source_of(value: Any) -> str | None:
    """A Python expression that gives the value, or None where there is none."""
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if is_key(value):
        return (
            f"jax.random.wrap_key_data(jnp.array({as_numpy(value).tolist()}, 'uint32'))"
        )
    if is_array(value):
        array = as_numpy(value)
        if array.size > 200:
            return None
        text = f"jnp.array({number_text(array.tolist())}, dtype='{array.dtype}')"
        return f"{text}.reshape({array.shape})" if array.size == 0 else text
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return call_text(f"module.{type(value).__qualname__}", list(value))
    if isinstance(value, (list, tuple)):
        parts = [source_of(item) for item in value]
        if any(part is None for part in parts):
            return None
        inner = ", ".join(part for part in parts if part is not None)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if type(value) is dict:
        pairs = [(repr(key), source_of(item)) for key, item in value.items()]
        if any(text is None for _, text in pairs):
            return None
        return "{" + ", ".join(f"{key}: {text}" for key, text in pairs) + "}"
    if isinstance(value, np.dtype):
        return f"jnp.dtype({value.name!r})"
    if inspect.isfunction(value) and "<" not in value.__qualname__:
        return f"module.{value.__qualname__}"
    return None


def call_text(name: str, values: list[Any]) -> str | None:
    parts = [source_of(value) for value in values]
    if any(part is None for part in parts):
        return None
    return f"{name}({', '.join(part for part in parts if part is not None)})"


def number_text(value: Any) -> str:
    text = repr(value)
    return re.sub(r"(?<!\w)(-?)(nan|inf)(?!\w)", r'float("\1\2")', text)


def short(value: Any, limit: int = 300) -> str:
    """A value for a report."""
    text = source_of(value)
    if text is None:
        leaves, tree = flat(value)
        text = f"{tree}: {[describe(leaf) for leaf in leaves]}"
    text = " ".join(text.replace("jnp.array", "").split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def describe(leaf: Any) -> str:
    if is_array(leaf):
        array = as_numpy(leaf)
        return f"{array.dtype}{list(array.shape)}"
    return repr(leaf)[:60]


@dataclasses.dataclass(frozen=True)
class Definition:
    """Where a function stands in its file."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    qualname: str

    @property
    def lines(self) -> range:
        first = min([self.node.lineno, *(d.lineno for d in self.node.decorator_list)])
        return range(first, self.node.lineno + 1)


def declared_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """What the decorators of a function name as static, if they say it literally."""
    names = [argument.arg for argument in parameters(node)]
    found: set[str] = set()
    for decorator in node.decorator_list:
        for keyword in getattr(decorator, "keywords", ()):
            if keyword.arg not in ("static_argnames", "static_argnums"):
                continue
            with contextlib.suppress(ValueError, IndexError, TypeError):
                given = ast.literal_eval(keyword.value)
                several = given if isinstance(given, (tuple, list)) else (given,)
                found.update(n if isinstance(n, str) else names[n] for n in several)
    return frozenset(found)


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[Definition]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Definition(node, prefix + node.name)
            yield from definitions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from definitions(node, f"{prefix}{node.name}.")
        else:
            yield from definitions(node, prefix)


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    arguments = node.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def raw_function(thing: Any) -> Any:
    """The Python function under jit, partial, wraps and bound methods."""
    for _ in range(16):
        if isinstance(thing, types.FunctionType) and not hasattr(thing, "__wrapped__"):
            return thing
        for name in ("__wrapped__", "func", "fget", "__func__", "fun"):
            inner = getattr(thing, name, None)
            if callable(inner):
                thing = inner
                break
        else:
            return thing
    return thing


def is_jitted(thing: Any) -> bool:
    return hasattr(thing, "lower") and hasattr(thing, "trace")


def host_copy(leaf: Any) -> Any:
    """A JAX array as a NumPy array that can be stored into."""
    if isinstance(leaf, jax.Array) and not is_key(leaf) and not is_tracer(leaf):
        return np.array(leaf)
    return leaf


class Function:
    """The target on one side: how to look it up and how to call it."""

    def __init__(self, side: Side, path: str, qualname: str) -> None:
        self.side, self.path, self.qualname = side, path, qualname
        self.module = side.load(path)
        thing: Any = self.module
        for part in qualname.split("."):
            thing = getattr(thing, part)
        if isinstance(thing, property):
            thing = thing.fget
        self.callable = thing
        self.raw = raw_function(thing)
        self.signature = inspect.signature(self.raw)
        self.jits: dict[str, Callable[..., Any]] = {}
        self.on_host = False  # it stores into its arguments: NumPy arrays are passed

    @property
    def names(self) -> list[str]:
        return list(self.signature.parameters)

    def arguments(self, call: Call) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        positional = True
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                args.extend(call.get(name, ()))
            elif parameter.kind is parameter.VAR_KEYWORD:
                kwargs.update(call.get(name, {}))
            elif name not in call:
                positional = False
            elif parameter.kind is parameter.KEYWORD_ONLY or not positional:
                kwargs[name] = call[name]
            else:
                args.append(call[name])
        return args, kwargs

    def __call__(self, call: Call) -> Any:
        args, kwargs = self.arguments(call)
        with self.side.active():
            return self.callable(*args, **kwargs)

    def eager(self, call: Call) -> Any:

        if self.on_host:
            call = jax.tree_util.tree_map(host_copy, call)
        with jax.disable_jit():
            return self(call)

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Call:
        return dict(self.signature.bind(*args, **kwargs).arguments)


class Recorder:
    """A trace function that notes the arguments of each call of one function."""

    def __init__(self, file: str, name: str, lines: range, limit: int = 40) -> None:
        self.file, self.name, self.lines, self.limit = file, name, lines, limit
        self.calls: list[Call] = []
        self.traced: set[str] = set()
        self.static: set[str] = set()
        self.entries = 0

    def __call__(self, frame: Any, event: str, _arg: Any) -> None:
        code = frame.f_code
        if code.co_name != self.name or code.co_firstlineno not in self.lines:
            return
        if os.path.realpath(code.co_filename) != self.file:
            return
        self.entries += 1
        local = frame.f_locals
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & inspect.CO_VARARGS)
        count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
        values = {
            name: local[name] for name in code.co_varnames[:count] if name in local
        }
        self.note(values)

    def note(self, values: Call) -> None:

        for name, value in values.items():
            leaves = jax.tree_util.tree_leaves(value)
            (self.traced if any(map(is_tracer, leaves)) else self.static).add(name)
        if len(self.calls) < self.limit:
            with contextlib.suppress(TypeError):
                self.calls.append({name: snapshot(v) for name, v in values.items()})

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        sys.settrace(self)
        try:
            yield
        finally:
            sys.settrace(None)


def recorder_for(side: Side, path: str, definition: Definition) -> Recorder:
    file = os.path.realpath(os.path.join(side.root, path))
    return Recorder(file, definition.node.name, definition.lines)


def zero_argument_callers(tree: ast.Module, wanted: str) -> list[str]:
    """Module-level functions that need no argument and reach `wanted`, `main` first."""
    functions = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    uses = {name: names_in(node) for name, node in functions.items()}
    outside: dict[str, set[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name in names_in(target):
                    outside[name] = names_in(node.value)
        elif isinstance(node, ast.ClassDef):
            outside[node.name] = names_in(node) | {node.name}
    uses = {**outside, **uses}

    def reaches(name: str, seen: set[str]) -> bool:
        if name in seen:
            return False
        seen.add(name)
        used = uses.get(name, set())
        return wanted in used or any(reaches(other, seen) for other in used & set(uses))

    found = [
        name
        for name, node in functions.items()
        if not needs_arguments(node) and not is_generator(node) and reaches(name, set())
    ]
    return sorted(found, key=lambda name: (name != "main", found.index(name)))[:4]


def needs_arguments(node: ast.FunctionDef) -> bool:
    arguments = node.args
    required = (
        len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    )
    return required > 0 or any(default is None for default in arguments.kw_defaults)


def is_generator(node: ast.FunctionDef) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node))


def names_in(node: ast.AST) -> set[str]:
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


class Inputs:
    """Finds calls for a target, from the best source that has any."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.rng = job.rng

    def find(self) -> tuple[str, list[Call]]:
        if not self.job.scout.signature.parameters:
            calls: list[Call] = [{}] if self.job.accepts({}, CALLER_S) else []
            return "no arguments", calls
        for source, look in (
            ("recorded calls", lambda: self.given("recorded")),
            ("[tool.jaxfix.inputs]", lambda: self.given("configured")),
            ("jaxtyping annotations", self.annotated),
            ("doctests", self.doctests),
            ("the project's tests", self.tests),
            ("examples", self.examples),
            ("the `__main__` block", self.main_block),
            ("callers in the module", self.callers),
            ("search", self.search),
        ):
            found = shapes_first(distinct(look()))
            calls = [call for call in found if self.job.accepts(call, CALLER_S)]
            if calls:
                return source, calls[:8]
        return "", []

    def given(self, key: str) -> list[Call]:
        scout = self.job.scout
        calls = []
        for entry in self.job.spec.get(key, ()):
            read = [
                decode(item, scout.side, scout.module, self.rng)
                for item in entry["args"]
            ]
            named_arguments = {
                name: decode(item, scout.side, scout.module, self.rng)
                for name, item in entry.get("kwargs", {}).items()
            }
            with contextlib.suppress(TypeError):
                calls.append(scout.bind(read, named_arguments))
        return calls

    def annotated(self) -> list[Call]:
        arguments = [a for a in parameters(self.job.definition.node) if a.arg != "self"]
        sizes: dict[str, int] = {}
        fresh = itertools.cycle((3, 4, 5, 2))
        values: Call = {}
        for argument in arguments:
            text = ast.unparse(argument.annotation) if argument.annotation else ""
            aval = jaxtyping_aval(text, sizes, fresh)
            if aval is not None:
                values[argument.arg] = aval
        if not values:
            return []
        calls = []
        for _ in range(3):
            call: Call = {}
            for argument in arguments:
                if argument.arg in values:
                    call[argument.arg] = from_aval(values[argument.arg], self.rng)
                elif not self.job.has_default(argument.arg):
                    options = self.job.candidates(argument)
                    call[argument.arg] = options[0] if options else 1.0
            calls.append(call)
        return calls

    def watch(self, run: Callable[[], Any]) -> list[Call]:
        """The target's calls while `run` runs eagerly on the scout."""
        recorder = self.job.recorder()
        side = self.job.scout.side
        with (
            contextlib.suppress(Exception, CallTimeout, SystemExit),
            captured(),
            side.active(),
            jax.disable_jit(),
            time_limit(CALLER_S),
            recorder.watching(),
        ):
            run()
        return recorder.calls

    def doctests(self) -> list[Call]:
        text = ast.get_docstring(self.job.definition.node) or ""
        examples = doctest.DocTestParser().get_examples(text)
        space = dict(vars(self.job.scout.module))

        def run() -> None:
            for example in examples:
                exec(compile(example.source, "<doctest>", "single"), space)

        return self.watch(run) if examples else []

    def files_naming(self, patterns: Iterable[str]) -> list[str]:
        """Files that speak of the target and of its module (or the package of it)."""
        root = pathlib.Path(self.job.scout.side.root)
        name = self.job.definition.node.name
        parts = self.job.scout.module.__name__.split(".")
        home = "|".join(parts[-2:])
        found = []
        for file in sorted({f for p in patterns for f in root.rglob(p)}):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                text = file.read_text()
                if re.search(rf"\b{name}\b", text) and re.search(
                    rf"\b({home})\b", text
                ):
                    found.append(str(file.relative_to(root)))
        return [path for path in found if path != self.job.path][:6]

    def tests(self) -> list[Call]:
        """Calls in the project's tests; those that name the target run first."""
        calls: list[Call] = []
        name = self.job.definition.node.name
        deadline = time.monotonic() + CALLER_S
        for path in self.files_naming(("test_*.py", "*_test.py")):
            with contextlib.suppress(Exception, CallTimeout, SystemExit), captured():
                with time_limit(CALLER_S):
                    module = self.job.scout.side.load(path)
                for test in sorted(
                    plain_tests(module), key=lambda t: not names(t, name)
                ):
                    if len(calls) >= 8 or time.monotonic() > deadline:
                        return calls
                    calls += self.watch(test)
        return calls

    def examples(self) -> list[Call]:
        calls: list[Call] = []
        for path in self.files_naming(("examples/*.py", "example*.py")):
            file = os.path.join(self.job.scout.side.root, path)

            def run(file: str = file) -> None:
                runpy.run_path(file, run_name="__main__")

            calls += self.watch(run)
        return calls

    def main_block(self) -> list[Call]:
        blocks = [
            node
            for node in self.job.tree.body
            if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        ]
        space = vars(self.job.scout.module)

        def run() -> None:
            for block in blocks:
                tree = ast.Module(block.body, [])
                exec(compile(tree, self.job.path, "exec"), space)

        return self.watch(run) if blocks else []

    def callers(self) -> list[Call]:
        calls: list[Call] = []
        for name in self.job.callers:
            calls += self.watch(getattr(self.job.scout.module, name))
        return calls

    def search(self) -> list[Call]:
        """Calls that the eager original accepts, over scalars, vectors and matrices."""
        node = self.job.definition.node
        arguments = [a for a in parameters(node) if not self.job.has_default(a.arg)]
        options = [self.job.candidates(argument) for argument in arguments]
        names = [argument.arg for argument in arguments]
        found: list[Call] = []
        shapes: set[str] = set()
        deadline = time.monotonic() + 10
        for values in itertools.islice(uniform_first(options), 240):
            if time.monotonic() > deadline or len(found) >= 4:
                break
            call = dict(zip(names, values, strict=False))
            key = call_shape(call)
            if key not in shapes and self.job.accepts(call):
                shapes.add(key)
                found.append(call)
        return found


def plain_tests(module: types.ModuleType) -> list[types.FunctionType]:
    """Test functions that need no fixture."""
    return [
        thing
        for name, thing in vars(module).items()
        if name.startswith("test")
        and inspect.isfunction(thing)
        and not inspect.signature(thing).parameters
    ]


def names(function: types.FunctionType, name: str) -> bool:
    """Does the code of a function speak of `name`?"""
    return name in function.__code__.co_names


JAXTYPING = re.compile(r"(?:\w+\.)*(\w+)\[\s*[\w.]+\s*,\s*['\"]([^'\"]*)['\"]\s*\]")
JAXTYPING_DTYPES = {
    "Float": "f32", "Inexact": "f32", "Num": "f32", "Real": "f32", "Shaped": "f32",
    "Int": "i32", "Integer": "i32", "UInt": "u32", "Bool": "bool", "Complex": "c64",
    "Key": "key", "PRNGKeyArray": "key",
    **{long.capitalize(): short for short, long in DTYPES.items()},
    **{f"UInt{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "BFloat16": "bf16",
}  # fmt: skip


def jaxtyping_aval(
    text: str, sizes: dict[str, int], fresh: Iterator[int]
) -> str | None:
    """`Float[Array, "n d"]` as `f32[3,4]`, with equal names bound to equal sizes."""
    match = JAXTYPING.search(text)
    dtype = JAXTYPING_DTYPES.get(match[1]) if match else None
    if match is None or dtype is None:
        return None
    dims: list[int] = []
    for word in match[2].split():
        name = word.lstrip("#*_?").partition("=")[2] or word.lstrip("#*_?")
        if word == "...":
            dims.append(2)
        elif name.isdigit():
            dims.append(int(name))
        elif name.isidentifier():
            if name not in sizes:
                sizes[name] = next(fresh)
            dims.append(sizes[name])
        else:
            space = dict(sizes)
            try:
                dims.append(int(eval(name, {"__builtins__": {}}, space)))
            except (NameError, SyntaxError, TypeError):
                dims.append(3)
    return f"{dtype}[{','.join(map(str, dims))}]"


def uniform_first(options: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """The product of the options, starting with those of one index everywhere."""
    longest = max(map(len, options), default=0)
    if not options:
        yield ()
    for index in range(longest):
        yield tuple(column[min(index, len(column) - 1)] for column in options)
    yield from itertools.product(*options)


def call_shape(call: Call) -> str:
    leaves, tree = flat(call)
    return (
        f"{tree} {[describe(x) if is_array(x) else type(x).__name__ for x in leaves]}"
    )


def distinct(calls: Iterable[Call]) -> list[Call]:
    seen: set[str] = set()
    out = []
    for call in calls:
        leaves, tree = flat(call)
        values = [as_numpy(x).tobytes() if is_array(x) else repr(x) for x in leaves]
        key = f"{tree}{call_shape(call)}{values}"
        if key not in seen:
            seen.add(key)
            out.append(call)
    return out


def shapes_first(calls: list[Call]) -> list[Call]:
    """One call of each shape first: each compiles anew and may take other paths."""
    first: dict[str, Call] = {}
    for call in calls:
        first.setdefault(call_shape(call), call)
    heads = list(first.values())
    return heads + [call for call in calls if all(call is not head for head in heads)]


def constants_of(node: ast.AST) -> list[Any]:
    """Numbers in the function, those that something is compared with first."""
    compared = [n for n in ast.walk(node) if isinstance(n, ast.Compare)]
    found: list[Any] = []
    for part in itertools.chain(*map(ast.walk, compared), ast.walk(node)):
        number: Any = part.value if isinstance(part, ast.Constant) else None
        if type(number) in (int, float):
            for value in (number, -number):
                if value not in found and abs(value) < 1e6:
                    found.append(value)
    return found[:10]


def leaf_variants(
    leaf: Any, constants: list[Any], rng: Any
) -> Iterator[tuple[str, Any]]:
    """Other values of the same type and shape, tagged by why they are interesting."""
    if isinstance(leaf, bool):
        yield "edge", not leaf
    elif isinstance(leaf, int):
        for value in [*(int(c) for c in constants), 0, 1, 2, 3, 5, -1]:
            yield "boundary", value
        yield "boundary", leaf + 1
    elif isinstance(leaf, float):
        for value in (*constants, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -30.0, 30.0):
            yield "boundary", float(value)
        for special in (math.inf, -math.inf, math.nan):
            yield "edge", special
        for scale in (0.5, 3.0, 30.0):
            yield "random", float(rng.normal() * scale)
    elif is_array(leaf) and not is_key(leaf):
        yield from array_variants(leaf, constants, rng)


def array_variants(
    leaf: Any, constants: list[Any], rng: Any
) -> Iterator[tuple[str, Any]]:
    array = as_numpy(leaf)
    dtype, dims = array.dtype, array.shape

    def make(values: Any) -> Any:
        made = jnp.asarray(values, dtype)
        return made if made.shape == dims else jnp.broadcast_to(made, dims)

    if dtype.kind == "b":
        yield "edge", make(True)
        yield "edge", make(False)
        yield "random", make(rng.integers(0, 2, dims))
        return
    if dtype.kind in "iu":
        for value in (*(int(c) for c in constants), 0, 1, 2, 3, 5):
            yield "boundary", make(max(value, 0) if dtype.kind == "u" else value)
        if dtype.kind == "i":
            yield "edge", make(-1)
        yield "random", make(rng.integers(0, 9, dims))
        limits = jnp.iinfo(dtype)
        yield "edge", make(limits.max)
        yield "edge", make(limits.min)
        return
    if dtype.kind in "fV" or dtype.name == "bfloat16":
        yield "random", make(rng.normal(size=dims))
        for value in (*constants, 0.0, -0.0, 1.0, -1.0):
            yield "boundary", make(value)
        for value in (*constants, 0.0, 30.0, -30.0):
            yield "boundary", make(value + 0.75)
        for scale in (0.1, 5.0, 40.0):
            yield "random", make(rng.normal(size=dims) * scale)
        yield "random", -leaf
        yield "random", jnp.abs(jnp.asarray(leaf))
        for special in (math.inf, -math.inf, math.nan):
            yield "edge", make(special)
        if array.size > 1:
            mixed = rng.normal(size=dims)
            mixed.flat[0] = math.nan
            yield "edge", make(mixed)
        return
    yield "random", make(rng.normal(size=dims) + 1j * rng.normal(size=dims))


def length_variants(call: Call) -> Iterator[tuple[str, Call]]:
    """The call with its leading axis of length 0, 1, 2 and longer, where it has one."""
    leaves, tree = jax.tree_util.tree_flatten(call)
    sizes = collections.Counter(
        as_numpy(x).shape[0] for x in leaves if is_array(x) and as_numpy(x).ndim
    )
    for size, _ in sizes.most_common(2):
        for length in (1, 2, size + 3, 0):
            changed = [
                np.resize(as_numpy(x), (length, *as_numpy(x).shape[1:]))
                if is_array(x) and not is_key(x) and as_numpy(x).shape[:1] == (size,)
                else x
                for x in leaves
            ]
            changed = [
                jax.numpy.asarray(new) if is_array(old) else new
                for new, old in zip(changed, leaves, strict=False)
            ]
            yield "length", jax.tree_util.tree_unflatten(tree, changed)


def variants(call: Call, constants: list[Any], rng: Any) -> Iterator[tuple[str, Call]]:
    """Calls near this one: each leaf varied alone, all at random, other lengths.

    The tag says why: a kind of `SPARE`, and the number of the leaf.
    """

    leaves, tree = jax.tree_util.tree_flatten(call)
    streams = [
        zip(itertools.repeat(i), leaf_variants(leaf, constants, rng))
        for i, leaf in enumerate(leaves)
    ]
    equal = (
        ("equal", jax.tree_util.tree_unflatten(tree, changed))
        for changed in equal_leaves(leaves)
    )
    more = itertools.chain(equal, length_variants(call))
    for batch in itertools.zip_longest(*streams):
        for item in batch:
            if item is not None:
                index, (tag, value) = item
                changed = [*leaves[:index], value, *leaves[index + 1 :]]
                yield f"{tag}:{index}", jax.tree_util.tree_unflatten(tree, changed)
        yield from itertools.islice(more, 2)
    for _ in range(60):
        changed = [random_leaf(leaf, constants, rng) for leaf in leaves]
        yield "mixed", jax.tree_util.tree_unflatten(tree, changed)


def equal_leaves(leaves: list[Any]) -> Iterator[list[Any]]:
    """One number set to another's value: the boundary of a comparison of the two."""
    numbers = [i for i, x in enumerate(leaves) if is_number(x) and not is_key(x)][:5]
    for i, j in itertools.permutations(numbers, 2):
        mine, other = leaves[i], leaves[j]
        if isinstance(mine, bool) or as_numpy(other).size == 0:
            continue
        value = as_numpy(other).flat[0]
        if isinstance(mine, (int, float)):
            new: Any = type(mine)(value) if math.isfinite(value) else mine
        else:
            array = as_numpy(mine)
            new = jnp.full(array.shape, value).astype(array.dtype)
        yield [*leaves[:i], new, *leaves[i + 1 :]]


def random_leaf(leaf: Any, constants: list[Any], rng: Any) -> Any:
    options = [v for tag, v in leaf_variants(leaf, constants, rng) if tag != "edge"]
    return options[int(rng.integers(len(options)))] if options else leaf


def is_finite(call: Call) -> bool:

    leaves, _ = flat(call)
    with np.errstate(all="ignore"):
        return all(
            bool(np.isfinite(as_numpy(x).astype("complex128")).all())
            for x in leaves
            if is_number(x) and not is_key(x)
        )


@dataclasses.dataclass
class Difference:
    """How two results differ; `promotion` if only by a dtype that JAX promoted."""

    text: str
    promotion: bool = False
    ulp: float = 0.0


def ulp_error(got: Any, want: Any, scale: float = 0.0) -> Any:
    """Distance of `got` from `want`, in units in the last place of `want`.

    Near zero the unit is that of the largest value of the array, divided by 16: a
    result that cancels to almost nothing has the rounding error of what it came from.

    Args:
      got: `float[*shape]`, values of the program after.
      want: `float[*shape]`, values of the program before; same dtype as `got`.
      scale: the size of what the values were computed from, where that is larger.

    Returns:
      `f64[*shape]`, error in ulp; 0 where both are the same infinity or NaN.

    Source:
      numpy.spacing; Goldberg, "What every computer scientist should know about
      floating-point arithmetic", 1991, section 1.2.
    """

    eps = float(jnp.finfo(want.dtype).eps)
    got64, want64 = got.astype("complex128"), want.astype("complex128")
    same = (got == want) | (np.isnan(got64) & np.isnan(want64))
    with np.errstate(all="ignore"):
        size = np.abs(want64)
        finite = size[np.isfinite(size)]
        largest = max(float(finite.max(initial=0.0)), scale)
        floor = max(largest / 16, float(jnp.finfo(want.dtype).tiny))
        error = np.abs(got64 - want64) / (eps * np.maximum(size, floor))
    error = np.where(np.isnan(error), np.inf, error)
    return np.where(same, 0.0, error)


def tolerance_of(dtype: Any) -> float:
    real = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
    return float(TOLERANCE_ULP.get(real, 0))


def compare(
    got: Any, want: Any, slack_ulp: Sequence[float] = (), scale: float = 0.0
) -> Difference | None:
    """The first difference between the result after and the result before."""
    got_leaves, got_tree = flat(got)
    want_leaves, want_tree = flat(want)
    if got_tree != want_tree:
        return Difference(f"pytree {got_tree} instead of {want_tree}")
    promotion: Difference | None = None
    for index, (g, w) in enumerate(zip(got_leaves, want_leaves, strict=False)):
        slack = slack_ulp[index] if index < len(slack_ulp) else 0.0
        difference = compare_leaf(g, w, slack, scale)
        if difference is None:
            continue
        if len(want_leaves) > 1:
            difference.text = f"result {index}: {difference.text}"
        if not difference.promotion:
            return difference
        promotion = promotion or difference
    return promotion


def compare_leaf(
    got: Any, want: Any, slack_ulp: float, scale: float
) -> Difference | None:
    if not (is_number(got) and is_number(want)):
        if is_number(got) == is_number(want) and got == want:
            return None
        return Difference(f"{got!r} instead of {want!r}"[:300])
    g, w = as_numpy(got), as_numpy(want)
    if g.shape != w.shape:
        return Difference(f"shape {g.shape} instead of {w.shape}")
    promotion = None
    if g.dtype != w.dtype:
        text = f"dtype {g.dtype} instead of {w.dtype}"
        weak = isinstance(want, (bool, int, float)) and g.dtype.kind in "fV"
        if not weak and not promotes(w.dtype, g.dtype):
            return Difference(text)
        promotion = Difference(text, promotion=True)
        w = w.astype(g.dtype)
    return compare_values(g, w, slack_ulp, scale) or promotion


def promotes(narrow: Any, wide: Any) -> bool:

    return bool(jnp.promote_types(narrow, wide) == wide)


def compare_values(g: Any, w: Any, slack_ulp: float, scale: float) -> Difference | None:

    if g.dtype.kind in "fcV" and g.dtype.itemsize:
        error = ulp_error(g, w, scale)
        worst = float(error.max(initial=0.0))
        if worst <= tolerance_of(g.dtype) + slack_ulp:
            return None
        at = np.unravel_index(int(error.argmax()), error.shape) if g.shape else ()
    else:
        wrong = g != w
        if not wrong.any():
            return None
        worst = math.inf
        at = np.unravel_index(int(wrong.argmax()), wrong.shape) if g.shape else ()
    place = f" at {[int(i) for i in at]}" if g.shape else ""
    return Difference(f"{g[at]} instead of {w[at]}{place}", ulp=worst)


NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)")


def same_text(got: str, want: str) -> bool:
    """Equal up to rounding of the numbers in it and to white space at line ends."""
    got_lines = [line.rstrip() for line in got.splitlines()]
    want_lines = [line.rstrip() for line in want.splitlines()]
    if got_lines == want_lines:
        return True
    if [NUMBER.sub("#", x) for x in got_lines] != [
        NUMBER.sub("#", x) for x in want_lines
    ]:
        return False
    pairs = zip(NUMBER.findall(got), NUMBER.findall(want), strict=False)
    return all(
        a == b or math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-6)
        for a, b in pairs
    )


@dataclasses.dataclass
class Outcome:
    """What one call did: a value or an exception, and what it printed."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""


def outcome(run: Callable[[], Any], limit_s: float = 0.0) -> Outcome:

    limit = time_limit(limit_s) if limit_s else contextlib.nullcontext()
    result = Outcome()
    with captured() as text, limit:
        try:
            result.value = run()
            jax.block_until_ready(
                [x for x in jax.tree_util.tree_leaves(result.value) if is_array(x)]
            )
        except (Exception, SystemExit) as error:
            result.error = error
    result.printed = text.text()
    return result


TRACER_ERRORS = frozenset(
    {
        "TracerBoolConversionError",
        "ConcretizationTypeError",
        "TracerArrayConversionError",
        "TracerIntegerConversionError",
        "NonConcreteBooleanIndexError",
        "UnexpectedTracerError",
    }
)


def is_tracer_error(error: BaseException | None) -> bool:
    return type(error).__name__ in TRACER_ERRORS


def error_text(error: BaseException) -> str:
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}"[:300]


class Compiled:
    """A target under `jax.jit`, as the module has it or wrapped by us.

    Leaves that are no numbers, and those of parameters that are known to be static, are
    closed over; the rest is traced. Closing over instead of `static_argnums` needs no
    hash and makes one compiled function per combination of static values.
    """

    def __init__(self, function: Function, static: frozenset[str]) -> None:
        self.function = function
        self.static = static
        self.own = is_jitted(function.callable)
        self.jits: dict[str, Callable[..., Any]] = {}

    def owners(self, call: Call) -> list[str]:
        """The parameter that each traced leaf belongs to."""
        return [
            name
            for name in sorted(call)
            for leaf in jax.tree_util.tree_leaves(call[name])
            if is_number(leaf) and name not in self.static
        ]

    def split(
        self, call: Call
    ) -> tuple[list[Any], Callable[[Sequence[Any]], Call], str]:
        """Traced leaves, how to put others in their place, and a key of the rest."""
        leaves, tree = jax.tree_util.tree_flatten(call)
        owners = [
            name for name in sorted(call) for _ in jax.tree_util.tree_leaves(call[name])
        ]
        places = [
            i
            for i, leaf in enumerate(leaves)
            if is_number(leaf) and owners[i] not in self.static
        ]
        fixed = {i: leaf for i, leaf in enumerate(leaves) if i not in set(places)}

        def rebuild(values: Sequence[Any]) -> Call:
            filled = list(leaves)
            for place, value in zip(places, values, strict=False):
                filled[place] = value
            rebuilt: Call = jax.tree_util.tree_unflatten(tree, filled)
            return rebuilt

        key = f"{tree}{[(i, repr(leaf)) for i, leaf in fixed.items()]}"
        return [leaves[i] for i in places], rebuild, key

    def __call__(self, call: Call) -> Any:
        if self.own:
            return self.function(call)
        values, _, _ = self.split(call)
        if not values:
            return self.function(call)  # nothing to trace: what it compiles is inside
        return self.jitted(call)(*values)

    def jitted(self, call: Call) -> Callable[..., Any]:

        _, rebuild, key = self.split(call)
        if key not in self.jits:
            self.jits[key] = jax.jit(lambda *leaves: self.function(rebuild(leaves)))
        return self.jits[key]


def static_choices(function: Function, call: Call) -> Iterator[frozenset[str]]:
    """Sets of parameters to hold static, the most likely first."""
    yield frozenset()
    ints = [name for name, value in call.items() if type(value) in (bool, int)]
    floats = [name for name, value in call.items() if type(value) is float]
    for count in range(1, len(ints) + 1):
        for names in itertools.combinations(ints, count):
            yield frozenset(names)
    if floats:
        yield frozenset(floats)
        yield frozenset([*ints, *floats])


class NotRun(Exception):
    """No verdict: the text says why, `helps` what would help."""

    def __init__(self, reason: str, helps: str) -> None:
        super().__init__(reason)
        self.helps = helps


class Job:
    """One target: its three instances, its inputs, what is known of its arguments."""

    def __init__(self, spec: dict[str, Any], trees: tuple[str, str], seed: int) -> None:

        self.spec = spec
        self.path: str = spec["path"]
        self.asked: str = spec["function"]
        self.rng = np.random.default_rng(seed)
        self.notes: list[str] = []
        self.probe = Probe()
        self.slow_calls = 0
        before_root, after_root = trees
        self.sides = (
            Side("scout", before_root, self.probe),
            Side("before", before_root),
            Side("after", after_root),
        )
        self.tree = ast.parse(pathlib.Path(before_root, self.path).read_bytes())
        self.after_tree = ast.parse(pathlib.Path(after_root, self.path).read_bytes())
        self.definition = self.outermost()
        # `__init__` is called by the name of its class.
        path = self.definition.qualname.removesuffix(".__init__")
        wanted = path.rpartition(".")[2]
        after_names = {d.qualname for d in definitions(self.after_tree)}
        names = zero_argument_callers(self.tree, wanted)
        self.callers = [name for name in names if name in after_names]
        self.load()

    def outermost(self) -> Definition:
        """The target's definition; of a nested function the one that can be named."""
        qualname = self.asked.partition(".<locals>")[0]
        if qualname != self.asked:
            self.notes.append(f"`{self.asked}` is tested through `{qualname}`")
        for definition in definitions(self.tree):
            if definition.qualname == qualname:
                return definition
        raise NotRun(f"`{qualname}` is not in the file before", "nothing: it is new")

    def load(self) -> None:

        install_probe(self.probe)
        scout, before, after = self.sides
        with captured():
            with jax.disable_jit():
                scout.load(self.path)
                before.load(self.path)
            after.load(self.path)
        qualname = self.definition.qualname
        self.functions: tuple[Function, ...] = ()
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            self.functions = tuple(
                Function(side, self.path, qualname) for side in self.sides
            )

    @property
    def scout(self) -> Function:
        return self.functions[0]

    @property
    def before(self) -> Function:
        return self.functions[1]

    @property
    def after(self) -> Function:
        return self.functions[2]

    def recorder(self) -> Recorder:
        return recorder_for(self.sides[0], self.path, self.definition)

    def has_default(self, name: str) -> bool:
        parameter = self.scout.signature.parameters.get(name)
        return parameter is None or parameter.default is not parameter.empty

    def accepts(self, call: Call, limit_s: float = EAGER_CALL_S) -> bool:
        """Does the eager original take this call?"""
        try:
            with captured(), time_limit(limit_s):
                self.scout.eager(snapshot(call))
        except CallTimeout:
            self.slow_calls += 1
            return False
        except (Exception, SystemExit) as error:
            return self.stores(error) and self.accepts(call, limit_s)
        finally:
            self.probe.flush()
        return True

    def stores(self, error: BaseException) -> bool:
        """Was a JAX array stored into? From now on the original gets NumPy arrays."""
        if self.scout.on_host or "JAX arrays are immutable" not in str(error):
            return False
        self.scout.on_host = self.before.on_host = True
        self.notes.append("the original stores into arrays: it was given NumPy arrays")
        return True

    def candidates(self, argument: ast.arg) -> list[Any]:
        """Values to try for a parameter that nothing is known of."""
        found = self.any_candidates(argument)
        if argument.arg not in self.static_after:
            return found
        return [v for v in found if isinstance(v, (int, float, str)) or callable(v)]

    @functools.cached_property
    def static_after(self) -> frozenset[str]:
        """The parameters that the decorators of the function after declare static."""
        for definition in definitions(self.after_tree):
            if definition.qualname == self.definition.qualname:
                return declared_static(definition.node)
        return frozenset()

    def any_candidates(self, argument: ast.arg) -> list[Any]:
        name = argument.arg
        if name in ("self", "cls"):
            return self.instances()
        text = ast.unparse(argument.annotation) if argument.annotation else ""
        simple: dict[str, list[Any]] = {
            "int": [3, 1],
            "float": [0.5],
            "bool": [True],
            "str": ["sum"],
        }
        if text in simple:
            return simple[text]
        if re.search(r"key|rng|seed", name):
            return [jax.random.key(0), 0]
        vector = jnp.array([0.5, -1.25, 2.0, 3.0])
        matrix = jnp.array([[2.0, 0.5, 0.1], [0.5, 3.0, -0.2], [0.1, -0.2, 1.5]])
        arrays: list[Any] = [
            jnp.float32(1.5), vector, matrix, jnp.int32(3),
            jnp.array([3, 1, 2, 0]), jnp.array([True, False, True, False]),
        ]  # fmt: skip
        if re.fullmatch(
            r"n|k|num_\w+|n_\w+|\w*steps|\w*iters?|size|length|count", name
        ):
            return [jnp.int32(3), 3, *arrays]
        return [*arrays, 3, jnp.sin, {"w": vector, "b": jnp.float32(0.5)}]

    def instances(self) -> list[Any]:
        """Objects of the method's class, made with the plainest arguments that work."""
        cls: Any = self.scout.module
        for part in self.definition.qualname.split(".")[:-1]:
            cls = getattr(cls, part)
        for values in (1.5, 3, 0.5):
            parameters_of = inspect.signature(cls).parameters.values()
            required = [p for p in parameters_of if p.default is p.empty]
            with contextlib.suppress(Exception):
                return [cls(*[values for _ in required])]
        return []

    def rewritten(self) -> dict[str, tuple[str, ...]]:
        """Conditions and loops that the rewrite took away: key to outcomes wanted."""
        kept: collections.Counter[str] = collections.Counter()
        for definition in definitions(self.after_tree):
            if definition.qualname == self.definition.qualname:
                for node in ast.walk(definition.node):
                    kept[branch_text(node)] += 1
        wanted: dict[str, tuple[str, ...]] = {}
        file = os.path.join(self.sides[0].root, self.path)
        for node in ast.walk(self.definition.node):
            text = branch_text(node)
            if not text:
                continue
            if kept[text]:
                kept[text] -= 1
                continue
            loop = isinstance(node, (ast.While, ast.For))
            outcomes = ("zero", "one", "several") if loop else ("true", "false")
            if isinstance(node, ast.While) and ast.unparse(node.test) in ("True", "1"):
                outcomes = ("one", "several")
            wanted[probe_key(file, node)] = outcomes
        return wanted


def branch_text(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.IfExp)):
        return f"if {ast.unparse(node.test)}"
    if isinstance(node, ast.While):
        return f"while {ast.unparse(node.test)}"
    if isinstance(node, ast.For):
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    return ""


def install_probe(probe: Probe) -> None:
    """The names that instrumented modules call: builtins, which need no import."""
    hooks = vars(builtins)
    hooks["__jaxfix_condition__"] = probe.condition
    hooks["__jaxfix_loop_test__"] = probe.loop_test
    hooks["__jaxfix_iterate__"] = probe.iterate


class Validation:
    """Checks one job and collects the verdict."""

    def __init__(
        self, job: Job, spec: dict[str, Any], stage: Callable[[str], None]
    ) -> None:
        self.job = job
        self.spec = spec
        self.stage = stage
        self.checks: dict[str, str] = {}
        self.promotion = ""
        self.source = ""
        self.calls: list[Call] = []
        self.given = 0
        self.covered = (0, 0)
        self.failure: dict[str, Any] | None = None
        self.refused = ""
        self.returns_more = False
        self.traced: frozenset[str] = frozenset()
        self.is_watched = False
        self.samples: list[dict[str, Any]] = []
        self.caller = ""
        self.compiled: Compiled | None = None
        self.shorter: list[str] = []  # what after raises for shorter inputs
        self.chaotic = 0
        self.dropped: list[Call] = []

    def run_callers(self) -> None:
        """Compare what the module's own callers return, before eager and after jit."""
        job = self.job
        for name in job.callers:
            self.stage(f"calling `{name}`")
            self.caller = name
            before_main = getattr(job.sides[1].load(job.path), name)
            after_main = getattr(job.sides[2].load(job.path), name)

            def eager(run: Callable[[], Any] = before_main) -> Any:
                with job.sides[1].active(), jax.disable_jit():
                    return run()

            recorder = recorder_for(job.sides[2], job.path, self.after_definition())

            def compiled(
                run: Callable[[], Any] = after_main, seen: Recorder = recorder
            ) -> Any:
                with job.sides[2].active(), seen.watching():
                    return run()

            def again(run: Callable[[], Any] = after_main) -> Any:
                with job.sides[2].active(), jax.disable_jit():
                    return run()

            try:
                want = outcome(eager, CALLER_S)
            except CallTimeout:
                job.notes.append(
                    f"`{name}()` takes over {CALLER_S:g} s eagerly: skipped"
                )
                continue
            if want.error is not None:
                job.notes.append(f"`{name}()` before fails: {error_text(want.error)}")
                continue
            got = outcome(compiled)
            self.traced |= frozenset(recorder.traced)
            self.is_watched |= bool(recorder.entries)
            if got.error is not None and self.fails_elsewhere(got.error, before_main):
                job.notes.append(
                    f"`{name}()` fails under jit in another function, before and "
                    f"after: {error_text(got.error)}"
                )
                continue
            self.judge(f"{name}()", got, want, None, again)
            if self.failure is None:
                self.checks[f"`{name}()`"] = "equal"
                self.keep_sample(name, None, want)

    def fails_elsewhere(self, error: BaseException, caller: Callable[[], Any]) -> bool:
        """Did a caller fail in another function, as it fails under jit before?"""
        if self.is_in_function(error):
            return False

        def unchanged() -> Any:
            with self.job.sides[1].active():
                return caller()

        with contextlib.suppress(CallTimeout):
            return type(outcome(unchanged, CALLER_S).error) is type(error)
        return False

    def is_in_function(self, error: BaseException) -> bool:
        """Was the function that is judged running when the error was raised?"""
        node = self.after_definition().node
        path = real_path(os.path.join(self.job.sides[2].root, self.job.path))
        return any(
            real_path(frame.f_code.co_filename) == path
            and node.lineno <= line <= (node.end_lineno or node.lineno)
            for frame, line in traceback.walk_tb(error.__traceback__)
        )

    def after_definition(self) -> Definition:
        for definition in definitions(self.job.after_tree):
            if definition.qualname == self.job.definition.qualname:
                return definition
        raise NotRun(
            f"`{self.job.definition.qualname}` is gone after the change",
            "compare the functions that call it",
        )

    def prepare(self) -> bool:
        """Find and extend the inputs; False if direct calls are impossible."""
        job = self.job
        if not job.functions:
            job.notes.append(
                f"`{job.definition.qualname}` cannot be called by its name"
            )
            return False
        if job.definition.qualname.endswith(".__init__"):
            job.notes.append("objects are made outside of jit: tested through callers")
            return False
        if missing := self.added_parameters():
            job.notes.append(f"new parameters {missing}: tested through callers")
            return False
        self.stage("looking for inputs")
        self.source, calls = Inputs(job).find()
        if not calls:
            return False
        self.given = len(calls)
        self.calls = self.extend(calls)
        return True

    def added_parameters(self) -> list[str]:
        """Parameters of after that neither before nor its globals can fill."""
        job = self.job
        return [
            name
            for name, parameter in job.after.signature.parameters.items()
            if name not in job.before.signature.parameters
            and parameter.default is parameter.empty
            and not hasattr(job.before.module, name)
        ]

    def extend(self, calls: list[Call]) -> list[Call]:
        """Add variants until the rewritten conditions and loops were all taken."""
        self.stage(SEARCH)
        job = self.job
        wanted = {(k, o) for k, outs in job.rewritten().items() for o in outs}
        job.probe.seen.clear()
        chosen = list(calls)
        spare: dict[str, list[Call]] = collections.defaultdict(list)
        start = time.monotonic()
        for call in calls:
            job.accepts(call, CALLER_S)
        tried = self.tried(calls, constants_of(job.definition.node))
        if SEARCH in self.spec.get("skip", ()):
            job.notes.append("invented inputs end the process: none were tried")
            tried = iter(())
        for tag, call in tried:
            missing = wanted - job.probe.seen
            enough = len(spare[tag]) >= SPARE[tag.partition(":")[0]]
            if (not missing and enough) or job.slow_calls >= SLOW_CALLS:
                continue
            if time.monotonic() - start > SEARCH_S or not job.accepts(call):
                continue
            if missing & job.probe.seen:
                chosen.append(call)
            else:
                spare[tag].append(call)
        self.covered = (len(wanted & job.probe.seen), len(wanted))
        missed = sorted(wanted - job.probe.seen)
        job.notes += [f"not taken: {where(key)} {what}" for key, what in missed[:4]]
        kept = [found[: SPARE[tag.partition(":")[0]]] for tag, found in spare.items()]
        in_turn = itertools.chain(*itertools.zip_longest(*kept))
        chosen += [call for call in in_turn if call is not None]
        return distinct(chosen)[: MAX_INPUTS + len(calls)]

    def tried(
        self, calls: list[Call], constants: list[Any]
    ) -> Iterator[tuple[str, Call]]:
        """Variants of a call of each of two shapes, taken in turn."""
        by_shape = {call_shape(call): call for call in reversed(calls)}
        bases = [call for call in calls if by_shape[call_shape(call)] is call][:2]
        streams = [variants(call, constants, self.job.rng) for call in bases]
        merged = (item for batch in itertools.zip_longest(*streams) for item in batch)
        return itertools.islice((item for item in merged if item is not None), 400)

    def run_direct(self) -> None:
        """Compare before eager with after jit on every input, on every device."""
        compiled = self.compile_after()
        if compiled is None:
            return
        self.compiled = compiled
        devices = jax.devices()
        for index, device in enumerate(devices):
            self.stage(f"values on {device.platform}:{device.id}")
            with jax.default_device(device):
                for call in self.calls if index == 0 else self.calls[: self.given]:
                    self.check_call(compiled, call, place_on(device, len(devices)))
                    if self.failure is not None or self.returns_more:
                        return
        self.calls = [call for call in self.calls if not self.is_dropped(call)]
        self.checks["values"] = f"equal on {len(self.calls)} inputs"
        self.checks["devices"] = ", ".join(f"{d.platform}:{d.id}" for d in devices)
        for label, check in (
            ("gradients", self.check_gradients),
            ("vmap", self.check_vmap),
            ("traces", self.check_traces),
        ):
            if label in self.spec.get("skip", ()):
                self.checks[label] = "no result in time"
                continue
            self.stage(label)
            self.checks[label] = check(compiled)
            if self.failure is not None:
                return

    def on_before(self, call: Call) -> Call:
        job = self.job
        translate = Translator(job.sides[0], job.sides[1])
        return {name: translate(value) for name, value in call.items()}

    def on_after(self, call: Call) -> Call:
        """The call with the after side's classes and the arguments it gained."""
        job = self.job
        translate = Translator(job.sides[0], job.sides[2])
        known = job.after.signature.parameters
        out = {n: translate(v) for n, v in call.items() if n in known}
        gained = Translator(job.sides[1], job.sides[2])
        for name, parameter in known.items():
            wanted = name not in out and parameter.default is parameter.empty
            if wanted and hasattr(job.before.module, name):
                out[name] = gained(getattr(job.before.module, name))
        return out

    def compile_after(self) -> Compiled | None:
        """The after function under jit, with the static arguments that let it trace."""
        job = self.job
        call = self.calls[0]
        observed = frozenset(n for n in call if n not in self.traced)
        choices: Iterable[frozenset[str]] = static_choices(job.after, call)
        # A function jitted where it is defined is entered with what it traces.
        if self.traced or (self.is_watched and is_jitted(job.after.callable)):
            choices = itertools.chain([observed], choices)
        last: BaseException | None = None
        for static in itertools.islice(choices, 12):
            compiled = Compiled(job.after, static)
            result = outcome(lambda c=compiled: c(self.on_after(call)))  # type: ignore[misc]
            if result.error is None or compiled.own:
                return compiled
            last = last or result.error
            if not is_tracer_error(result.error) and not self.reads_static(
                result.error
            ):
                return compiled
        if last is not None:
            self.refused = f"after cannot be traced: {error_text(last)}"
        return None

    def reads_static(self, error: BaseException) -> bool:
        """An error that a static argument may cure: shapes want Python values."""
        return isinstance(error, (TypeError, IndexError))

    def check_call(
        self, compiled: Compiled, call: Call, place: Callable[[Any], Any]
    ) -> None:

        before_call = self.on_before(call)
        try:
            want = outcome(lambda: self.job.before.eager(before_call), SCALED_CALL_S)
        except CallTimeout:
            return
        after_call = jax.tree_util.tree_map(place, self.on_after(call))
        got = outcome(lambda: compiled(after_call))
        if got.error is not None and want.error is None and self.is_shorter(call):
            self.shorter.append(error_text(got.error))
            self.dropped.append(call)
            return
        if want.value is None and want.error is None and got.value is not None:
            name = self.job.definition.qualname
            text = f"`{name}` now returns what it changed in place: tested in callers"
            self.job.notes.append(text)
            self.returns_more = bool(self.checks)
            if self.returns_more:
                return
        self.judge("values", got, want, call, lambda: self.job.after.eager(after_call))
        if self.failure is None and len(self.samples) < 6:
            self.keep_sample("", call, want)

    def is_shorter(self, call: Call) -> bool:
        """Has the call fewer elements than each of those that were not invented?"""
        given = self.calls[: self.given]
        return call_size(call)[0] < min(call_size(other)[0] for other in given)

    def judge(
        self,
        label: str,
        got: Outcome,
        want: Outcome,
        call: Call | None,
        again: Callable[[], Any],
    ) -> None:
        """Turn one pair of outcomes into a failure, a promotion, or nothing.

        `again` makes the same call on the after side, eagerly.
        """
        if want.error is not None or got.error is not None:
            self.judge_errors(got, want, call)
            return
        difference = self.differs(got.value, want.value, call, again)
        is_wrong = difference is not None and not difference.promotion
        if is_wrong and call is not None and self.is_chaotic(call, want.value):
            self.chaotic += 1
            self.dropped.append(call)
            return
        if difference is not None and difference.promotion:
            self.promotion = self.promotion or difference.text
        elif difference is not None:
            what = "values" if call is not None else f"`{label}`"
            self.fail(what, difference.text, call, short(want.value), short(got.value))
            return
        self.judge_printed(got, want, call, again)

    def differs(
        self, got: Any, want: Any, call: Call | None, again: Callable[[], Any]
    ) -> Difference | None:
        """How the results differ beyond rounding; `again` as in `judge`."""
        found = compare(got, want)
        if found is not None and not found.promotion and call is not None:
            found = compare(got, want, self.slack(call, want))
        if found is None or found.promotion:
            return found
        if self.is_fusion(got, want, call, again):
            return None
        if call is not None and self.is_narrowing(got, call):
            return None
        return found

    def judge_printed(
        self, got: Outcome, want: Outcome, call: Call | None, again: Callable[[], Any]
    ) -> None:
        """What was printed, in order.

        `jax.debug.print` without `ordered=True` promises no order under jit, so lines
        that come out of order there are judged in the order of the program: eagerly.
        """
        if not want.printed and not got.printed:
            return
        if same_text(got.printed, want.printed):
            self.checks.setdefault("stdout", "equal")
            return
        eager = outcome(again, CALLER_S)
        same_lines = same_text(
            in_sorted_lines(got.printed), in_sorted_lines(want.printed)
        )
        if same_lines and same_text(eager.printed, want.printed):
            self.checks["stdout"] = (
                "equal, but under jit in another order: jax.debug.print promises none "
                "without ordered=True"
            )
            return
        text = text_difference(got.printed, want.printed)
        if same_lines:
            text = text_difference(eager.printed, want.printed)
        self.fail("stdout", text, call, want.printed[:300], got.printed[:300])

    def judge_errors(self, got: Outcome, want: Outcome, call: Call | None) -> None:
        if type(got.error).__name__ == type(want.error).__name__:
            return
        before = error_text(want.error) if want.error else short(want.value)
        after = error_text(got.error) if got.error else short(got.value)
        if want.error is not None and got.error is not None:
            text = f"raises {after} instead of {before}"
        elif got.error is not None:
            text = f"raises {after}"
        else:
            text = f"does not raise {before}"
        self.fail("exceptions", text, call, before, after)

    def slack(self, call: Call, want: Any) -> list[float]:
        """Ulp per result that rounding of the inputs alone may cause, bounded.

        The original runs with its float inputs one ulp larger and one ulp smaller; the
        smaller of the two changes counts, so that a jump on one side gives no slack.
        """
        changes = self.moved(call, want, (1, -1))
        if len({len(change) for change in changes}) != 1:
            return []
        worst = [min(pair) for pair in zip(*changes, strict=False)]
        return [min(16 * change, ILL_CONDITIONED_ULP) for change in worst]

    def is_chaotic(self, call: Call, want: Any) -> bool:
        """An invented input from which rounding alone leads anywhere.

        Each of four changes of the inputs by an ulp or two changes a result by more
        than conditioning is allowed to. Inputs that were given are always compared.
        """
        if any(call is given for given in self.calls[: self.given]):
            return False
        changes = self.moved(call, want, (1, -1, 2, -2))
        if len({len(change) for change in changes}) != 1:
            return False
        least = [min(moves) for moves in zip(*changes, strict=False)]
        return max(least, default=0.0) > ILL_CONDITIONED_ULP

    def is_fusion(
        self, got: Any, want: Any, call: Call | None, again: Callable[[], Any]
    ) -> bool:
        """Is the difference that of one program compiled and run step by step?

        It is small beside what goes in and comes out, and without jit the program after
        gives what the one before gives: `x * x - x**2` is 0 in steps and not if fused.
        """
        scale = largest_float([call, want])
        if compare(got, want, scale=scale) is not None:
            return False
        with contextlib.suppress(CallTimeout):
            stepwise = outcome(again, SCALED_CALL_S)
            return stepwise.error is None and compare(stepwise.value, want) is None
        return False

    def is_narrowing(self, got: Any, call: Call) -> bool:
        """Is the difference that of Python's 64-bit floats to the arrays of jit?

        The original gets its floats as arrays, as jit passes them, and gives the same.
        """
        if not any(type(leaf) is float for leaf in jax.tree_util.tree_leaves(call)):
            return False
        narrow = jax.tree_util.tree_map(
            lambda leaf: jnp.asarray(leaf) if type(leaf) is float else leaf,
            self.on_before(call),
        )
        try:
            run = outcome(lambda: self.job.before.eager(narrow), SCALED_CALL_S)
        except CallTimeout:
            return False
        if run.error is not None:
            return False
        found = compare(got, run.value)
        if found is not None and not found.promotion:
            return False
        self.job.notes.append(NARROWING)
        return True

    def is_dropped(self, call: Call) -> bool:
        return any(call is other for other in self.dropped)

    def moved(self, call: Call, want: Any, ulps: Sequence[int]) -> list[list[float]]:
        """By how many ulp each result moves, for each move of the float inputs."""
        changes: list[list[float]] = []
        for ulp in ulps:

            def nudge(leaf: Any, ulp: int = ulp) -> Any:
                if isinstance(leaf, float):
                    return leaf * (1 + ulp * 2**-23)
                if is_array(leaf) and as_numpy(leaf).dtype.kind == "f":
                    array = as_numpy(leaf)
                    eps = np.finfo(array.dtype).eps
                    moved = (array * (1 + ulp * eps)).astype(array.dtype)
                    return jax.numpy.asarray(moved)
                return leaf

            moved = jax.tree_util.tree_map(nudge, self.on_before(call))
            try:
                run = outcome(lambda m=moved: self.job.before.eager(m), SCALED_CALL_S)  # type: ignore[misc]
            except CallTimeout:
                return []
            if run.error is not None:
                return []
            changes.append(leaf_changes(run.value, want))
        return changes

    def check_gradients(self, compiled: Compiled) -> str:
        """Reverse mode of a fixed weighted sum of the results, on finite inputs."""
        checked, forward = 0, False
        for call in self.of_few_shapes(8):
            try:
                pair = self.gradients_of(compiled, call, reverse_grad)
                if pair is not None and is_reverse_error(pair[0].error):
                    forward = True
                    pair = self.gradients_of(compiled, call, forward_grad)
            except CallTimeout:
                self.job.notes.append(
                    f"gradients take over {SCALED_CALL_S:g} s eagerly"
                )
                break
            if pair is None:
                continue
            self.judge_gradients(*pair, call)
            if self.failure is not None:
                return "differ"
            checked += 1
        if not checked:
            return "none to compare"
        if not forward:
            return f"equal on {checked} inputs"
        if self.before_has_reverse(compiled):
            self.fail("gradients", "reverse mode is lost", self.calls[0], "", "")
            return "differ"
        return f"equal on {checked} inputs, forward mode: a loop has no reverse mode"

    def gradients_of(
        self, compiled: Compiled, call: Call, gradient: Callable[..., Any]
    ) -> tuple[Outcome, Outcome] | None:
        """Gradients after and before; None where the original has none."""
        before = Compiled(self.job.before, compiled.static)
        before_call, after_call = self.on_before(call), self.on_after(call)
        names = set(before_call) & set(after_call)
        want_fn, values = differentiable(before, before_call, names, eager=True)
        got_fn, after_values = differentiable(compiled, after_call, names)
        if not values or len(values) != len(after_values):
            return None

        def eagerly() -> Any:
            with jax.disable_jit():
                return gradient(want_fn, values)

        want = outcome(eagerly, SCALED_CALL_S)
        if want.error is not None:
            return None
        return outcome(lambda: gradient(got_fn, after_values)), want

    def judge_gradients(self, got: Outcome, want: Outcome, call: Call) -> None:
        if got.error is not None:
            text = error_text(got.error)
            self.fail("gradients", text, call, short(want.value), text)
            return
        difference = compare(got.value, want.value)
        if difference is not None and not difference.promotion:
            slack = [ILL_CONDITIONED_ULP] * len(flat(want.value)[0])
            difference = compare(got.value, want.value, slack)
        if difference is not None and not difference.promotion:
            text = f"gradient {difference.text}"
            self.fail("gradients", text, call, short(want.value), short(got.value))

    def of_few_shapes(self, count: int) -> list[Call]:
        """Finite calls, the most common shape first: each shape compiles anew.

        Large ones come last, which take long without jit.
        """
        calls = [call for call in self.calls if is_finite(call)]
        common = collections.Counter(map(call_shape, calls))
        return sorted(calls, key=lambda c: (is_large(c), -common[call_shape(c)]))[
            :count
        ]

    def before_has_reverse(self, compiled: Compiled) -> bool:
        """Could the original be differentiated in reverse under jit?"""
        before = Compiled(self.job.before, compiled.static)
        call = self.on_before(next(c for c in self.calls if is_finite(c)))
        function, values = differentiable(before, call, set(call))
        numbers = tuple(range(len(values)))
        return outcome(lambda: jax.grad(function, numbers)(*values)).error is None

    def check_vmap(self, compiled: Compiled) -> str:
        """A batch of inputs at once, against the original one by one."""
        batch = self.batch(compiled)
        if len(batch) < 2:
            return "no two inputs of one shape"
        leaves = [compiled.split(self.on_after(call))[0] for call in batch]
        columns = [
            jnp.stack([jnp.asarray(v) for v in column])
            for column in zip(*leaves, strict=False)
        ]
        if not columns:
            return "no traced argument"
        _, rebuild, _ = compiled.split(self.on_after(batch[0]))
        function = self.job.after

        def one(*values: Any) -> Any:
            return function(rebuild(values))

        got = outcome(lambda: jax.jit(jax.vmap(one))(*columns))
        if got.error is not None:
            return self.vmap_refused(compiled, columns, batch, got.error)
        for index, call in enumerate(batch):
            before = Compiled(self.job.before, compiled.static)
            values, remake, _ = before.split(self.on_before(call))
            row_call = remake([jnp.asarray(value) for value in values])
            eagerly = functools.partial(self.job.before.eager, row_call)
            try:
                want = outcome(eagerly, SCALED_CALL_S)
            except CallTimeout:
                return f"equal on {index} rows; more take too long eagerly"
            if want.error is not None:
                continue
            row = jax.tree_util.tree_map(lambda x, i=index: x[i], got.value)
            stepwise = functools.partial(self.job.after.eager, self.on_after(call))
            difference = self.differs(row, want.value, call, stepwise)
            if difference is not None and not difference.promotion:
                text = f"under vmap {difference.text}"
                self.fail("vmap", text, call, short(want.value), short(row))
                return "differs"
        return f"equal on {len(batch)} rows"

    def vmap_refused(
        self,
        compiled: Compiled,
        columns: list[Any],
        batch: list[Call],
        error: BaseException,
    ) -> str:

        _, rebuild, _ = compiled.split(self.on_before(batch[0]))
        run = lambda *values: self.job.before(rebuild(values))  # noqa: E731
        if outcome(lambda: jax.jit(jax.vmap(run))(*columns)).error is None:
            self.fail("vmap", f"raises {error_text(error)}", batch[0], "", "")
            return "differs"
        return f"not possible: {error_text(error)}"

    def batch(self, compiled: Compiled) -> list[Call]:
        groups: dict[str, list[Call]] = collections.defaultdict(list)
        for call in self.calls:
            if is_finite(call):
                _, _, key = compiled.split(self.on_after(call))
                groups[f"{key}{call_shape(call)}"].append(call)
        small = [calls for calls in groups.values() if not is_large(calls[0])]
        few = max(small, key=len, default=[])[:6]
        return few if len(few) > 1 else max(groups.values(), key=len, default=[])[:6]

    def check_traces(self, compiled: Compiled) -> str:
        """How often the inputs make jit trace, and whether repeating does again."""
        first, second = (self.count_traces(compiled) for _ in range(2))
        if second == 0:
            return f"{first} more for {len(self.calls)} inputs, 0 when repeated"
        before = Compiled(self.job.before, compiled.static)
        with contextlib.suppress(CallTimeout):
            self.count_traces(before, on_after=False)
            again = self.count_traces(before, on_after=False)
            works = outcome(lambda: before(self.on_before(self.calls[0]))).error is None
            if works and again == 0:
                text = f"traces {second} times on repeated calls"
                self.fail("traces", text, self.calls[0], "0", str(second))
        return f"{second} on repeated calls"

    def count_traces(self, compiled: Compiled, on_after: bool = True) -> int:
        job = self.job
        side = job.sides[2] if on_after else job.sides[1]
        definition = self.after_definition() if on_after else job.definition
        recorder = recorder_for(side, job.path, definition)
        for call in self.calls[:8]:
            placed = self.on_after(call) if on_after else self.on_before(call)
            with recorder.watching():
                outcome(lambda p=placed: compiled(p))  # type: ignore[misc]
        return recorder.entries

    def fail(
        self, check: str, text: str, call: Call | None, before: str, after: str
    ) -> None:
        shown = {k: short(v) for k, v in call.items()} if call is not None else {}
        self.checks[check] = "differs"
        self.failure = {
            "check": check, "text": text, "before": before, "after": after,
            "arguments": shown, "snippet": self.snippet(call),
            "call": call,
        }  # fmt: skip

    def snippet(self, call: Call | None) -> str:
        """A script that shows the difference: run it before and after the change."""
        _, module = module_name(self.job.sides[0].root, self.job.path)
        lines = [
            "import jax",
            "import jax.numpy as jnp",
            f"import {module} as module",
            "",
        ]
        if call is None:
            return "\n".join([*lines, f"print(module.{self.caller}())"])
        text = self.call_source(call)
        if text is None:
            return ""
        eager = text
        if self.job.before.on_host:
            # As `source_of` spells arrays; the original stores into them.
            eager = text.replace("jnp.array(", "np.array(")
            lines.insert(2, "import numpy as np")
        lines += [
            "with jax.disable_jit():  # the original: run this before the change",
            f"    print({eager})",
            f"print({text})  # after the change, under jit",
        ]
        return "\n".join(lines)

    def keep_sample(self, caller: str, call: Call | None, want: Outcome) -> None:
        """An input and its result as source, for the tests that are written out."""
        if want.error is not None:
            return
        text: str | None = f"module.{caller}()"
        if call is not None:
            text = self.call_source(call)
        result = source_of(want.value)
        if result is not None and text is not None:
            self.samples.append({"call": text, "result": result})

    def call_source(self, call: Call) -> str | None:
        """The call of the after side as an expression, None if it has no spelling."""
        args, kwargs = self.job.after.arguments(self.on_after(call))
        parts = [source_of(value) for value in args]
        named_parts = [(name, source_of(value)) for name, value in kwargs.items()]
        texts = [*parts, *(text for _, text in named_parts)]
        if any(text is None for text in texts):
            return None
        spelled = [*map(str, parts), *(f"{name}={text}" for name, text in named_parts)]
        return f"module.{self.job.definition.qualname}({', '.join(spelled)})"

    def shrink(self) -> None:
        """Replace the counterexample by a smaller one that still differs."""
        failure, compiled = self.failure, self.compiled
        if failure is None or failure["call"] is None or compiled is None:
            return
        if failure["check"] not in ("values", "exceptions", "stdout"):
            return
        best = failure["call"]
        for call in itertools.islice(smaller(best), 30):
            if call_size(call) >= call_size(best) or not self.job.accepts(call):
                continue
            self.failure = None
            self.check_call(compiled, call, lambda leaf: leaf)
            if self.failure is not None:
                best, failure = call, self.failure
        self.failure = failure

    def verdict(self) -> dict[str, Any]:
        self.run_callers()
        direct = self.failure is None and self.prepare()
        if direct:
            self.run_direct()
            self.shrink()
        compared = any(value.startswith("equal") for value in self.checks.values())
        if self.failure is not None:
            kind, reason = "differs", f"{self.failure['check']}: {self.failure['text']}"
            self.failure.pop("call")
        elif not compared and any("before fails" in note for note in self.job.notes):
            note = next(n for n in self.job.notes if "before fails" in n)
            kind, reason = "before-fails-eagerly", note
        elif not compared:
            kind = "not-run"
            reason = self.refused or "no inputs that the original accepts were found"
        elif self.promotion:
            kind, reason = "equal-up-to-promotion", self.promotion
        else:
            kind, reason = "equal", ""
        return {
            "verdict": kind,
            "reason": reason,
            "helps": help_for(self.job) if kind == "not-run" else "",
            "source": self.source or ("callers in the module" if compared else ""),
            "inputs": len(self.calls),
            "covered": list(self.covered),
            "checks": self.checks,
            "counterexample": self.failure,
            "notes": self.notes(),
            "samples": self.samples,
        }

    def notes(self) -> list[str]:
        extra = [self.refused] if self.refused else []
        if self.shorter:
            count, first = len(self.shorter), self.shorter[0]
            extra.append(
                f"inputs shorter than any given ({count}): after raises {first}"
            )
        if self.chaotic:
            extra.append(
                f"invented inputs not compared ({self.chaotic}): rounding of the"
                " inputs alone changes the results as much"
            )
        return list(dict.fromkeys([*self.job.notes, *extra]))


def place_on(device: Any, count: int) -> Callable[[Any], Any]:
    """How to put a leaf on the device; with one device it is there already."""
    if count == 1:
        return lambda leaf: leaf
    return lambda leaf: jax.device_put(leaf, device) if is_array(leaf) else leaf


def place_all(place: Callable[[Any], Any], call: Call) -> Call:
    placed: Call = jax.tree_util.tree_map(place, call)
    return placed


def where(key: str) -> str:
    return f"line {key.rsplit(':', 2)[1]}"


def help_for(job: Job) -> str:
    name = f"{job.path}:{job.definition.qualname}"
    return (
        f'record calls (`jaxfix record -- COMMAND`), or give inputs for "{name}" in '
        "[tool.jaxfix.inputs]"
    )


def leaf_changes(value: Any, want: Any) -> list[float]:
    """Worst change of each result, in ulp; infinite where it is no rounding."""
    moved, tree = flat(value)
    wanted, want_tree = flat(want)
    if tree != want_tree:
        return []
    out = []
    for m, w in zip(moved, wanted, strict=False):
        if not (is_number(m) and is_number(w)):
            out.append(0.0)
            continue
        a, b = as_numpy(m), as_numpy(w)
        if a.dtype.kind not in "fc" or a.shape != b.shape or a.dtype != b.dtype:
            out.append(0.0)
            continue
        worst = float(ulp_error(a, b).max(initial=0.0))
        out.append(worst if math.isfinite(worst) else 0.0)
    return out


def largest_float(values: Any) -> float:
    """The largest finite magnitude of the float leaves."""
    leaves = [as_numpy(leaf) for leaf in flat(values)[0] if is_number(leaf)]
    sizes = [
        np.abs(leaf.astype("complex128")) for leaf in leaves if leaf.dtype.kind in "fV"
    ]
    return max((float(s[np.isfinite(s)].max(initial=0.0)) for s in sizes), default=0.0)


def differentiable(
    compiled: Compiled, call: Call, names: set[str], eager: bool = False
) -> tuple[Callable[..., Any], list[Any]]:
    """A scalar function of the float leaves of these arguments, and their values."""
    values, rebuild, _ = compiled.split(call)
    owners = compiled.owners(call)
    places = [
        i
        for i, value in enumerate(values)
        if owners[i] in names
        and not is_key(value)
        and as_numpy(value).dtype.kind in "fV"
    ]

    def weighted(*floats: Any) -> Any:
        filled = list(values)
        for place, value in zip(places, floats, strict=False):
            filled[place] = value
        rebuilt = rebuild(filled)
        result = (
            compiled.function(rebuilt) if eager or compiled.own else compiled(rebuilt)
        )
        total = jnp.float32(0)
        for index, leaf in enumerate(flat_arrays(result)):
            size = int(np.prod(jnp.shape(leaf)))
            weights = np.cos(np.arange(size) + 7 * index + 1).reshape(jnp.shape(leaf))
            total = total + jnp.sum(leaf * weights.astype(leaf.dtype)).astype("float32")
        return total

    return weighted, [jnp.asarray(values[i]) for i in places]


def flat_arrays(value: Any) -> list[Any]:
    """Its floating leaves; Python floats count, since jit returns them as arrays."""
    leaves = [
        jnp.asarray(x) if isinstance(x, float) else x
        for x in jax.tree_util.tree_leaves(value)
    ]
    arrays = [x for x in leaves if hasattr(x, "dtype")]
    return [x for x in arrays if jnp.issubdtype(x.dtype, jnp.floating)]


def reverse_grad(function: Callable[..., Any], values: list[Any]) -> Any:
    return jax.grad(function, tuple(range(len(values))))(*values)


def forward_grad(function: Callable[..., Any], values: list[Any]) -> Any:
    """The derivative along one fixed direction."""
    tangents = [jnp.full_like(v, 1.0 / (i + 1)) for i, v in enumerate(values)]
    return jax.jvp(function, tuple(values), tuple(tangents))[1]


def is_reverse_error(error: BaseException | None) -> bool:
    return isinstance(error, ValueError) and "everse-mode" in str(error)


def in_sorted_lines(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))


def text_difference(got: str, want: str) -> str:
    pairs = itertools.zip_longest(got.splitlines(), want.splitlines())
    for index, (a, b) in enumerate(pairs):
        if a is None or b is None or not same_text(a, b):
            return f"line {index + 1} printed is {a!r} instead of {b!r}"[:300]
    return "printed text differs"


def is_large(call: Call) -> bool:
    return call_size(call)[0] > LARGE_ELEMENTS


def call_size(call: Call) -> tuple[int, int]:
    leaves, _ = flat(call)
    elements = sum(as_numpy(x).size if is_number(x) else 1 for x in leaves)
    return elements, len(short(call, 10_000))


def smaller(call: Call) -> Iterator[Call]:
    """Simpler calls: shorter leading axes, rounded numbers, zeros and ones."""

    def on_floats(change: Callable[[Any], Any]) -> Call:
        def one(leaf: Any) -> Any:
            if isinstance(leaf, float):
                return float(change(leaf))
            if is_array(leaf) and as_numpy(leaf).dtype.kind == "f":
                return jnp.asarray(change(as_numpy(leaf)), as_numpy(leaf).dtype)
            return leaf

        changed: Call = jax.tree_util.tree_map(one, call)
        return changed

    rounded = [
        on_floats(lambda v: v * 0),
        on_floats(lambda v: v * 0 + 1.0),
        on_floats(lambda v: np.round(v)),
        on_floats(lambda v: np.round(v, 1)),
    ] if is_finite(call) else []  # fmt: skip
    for base in (call, *rounded):
        yield base
        for tag, shorter in length_variants(base):
            if tag == "length":
                yield shorter


OPCODE = re.compile(r"^\s*(?:ROOT )?%?[\w.\-]+ = .*? ([a-z][\w\-]*)\(", re.M)


class Bench:
    """Times one job, before and after, on one device."""

    def __init__(
        self, job: Job, spec: dict[str, Any], stage: Callable[[str], None]
    ) -> None:
        self.job, self.spec, self.stage = job, spec, stage
        self.rounds = int(spec.get("rounds", 15))

    def run(self) -> dict[str, Any]:

        validation = Validation(self.job, self.spec, self.stage)
        verdict = validation.verdict()
        rows: list[dict[str, Any]] = []
        if validation.compiled is not None and verdict["verdict"].startswith("equal"):
            call = validation.calls[0]
            after = self.with_statics(validation.compiled, validation.on_after(call))
            before = Compiled(self.job.before, after.static)
            for device in jax.devices():
                place = place_on(device, len(jax.devices()))
                with jax.default_device(device):
                    for size, scaled in self.sizes(call):
                        self.stage(f"timing on {device.platform}:{device.id}")
                        pair = (
                            (before, place_all(place, validation.on_before(scaled))),
                            (after, place_all(place, validation.on_after(scaled))),
                        )
                        row = self.time_pair(pair)
                        row["device"] = f"{device.platform}:{device.id}"
                        row["device_kind"] = device.device_kind
                        row["size"] = size
                        rows.append(row)
            self.count_compilations(rows, validation, before)
        verdict["bench"] = rows
        return verdict

    def with_statics(self, after: Compiled, call: Call) -> Compiled:
        """With what a function that jits itself declares static, to trace it anew."""
        if not after.own:
            return after
        choices = [after.static, *static_choices(self.job.after, call)]
        for static in choices[:12]:
            chosen = Compiled(self.job.after, static)
            values, _, _ = chosen.split(call)
            trial = outcome(lambda c=chosen, v=values: c.jitted(call)(*v))  # type: ignore[misc]
            if trial.error is None:
                return chosen
        return after

    def sizes(self, call: Call) -> Iterator[tuple[str, Call]]:
        """The call as found, and longer where the original takes that."""
        yield describe_call(call), call
        leaves, tree = jax.tree_util.tree_flatten(call)
        lengths = {
            as_numpy(x).shape[0] for x in leaves if is_array(x) and as_numpy(x).ndim
        }
        if len(lengths) != 1 or any(map(is_key, leaves)):
            return
        length = lengths.pop()
        for factor in (8, 32):
            if not length or length * factor > 1024:
                return
            longer = [
                jax.numpy.asarray(np.concatenate([as_numpy(x)] * factor))
                if is_array(x) and as_numpy(x).ndim
                else x
                for x in leaves
            ]
            scaled = jax.tree_util.tree_unflatten(tree, longer)
            if not self.job.accepts(scaled, SCALED_CALL_S):
                return
            yield describe_call(scaled), scaled

    def time_pair(self, pair: Any) -> dict[str, Any]:
        stages: list[dict[str, Any]] = []
        runs: list[Callable[[], Any]] = []
        for compiled, call in pair:
            stages.append(self.stages(compiled, call))
            runs.append(self.runner(compiled, call, jitted=stages[-1]["compiles"]))
        for entry, run in zip(stages, runs, strict=False):
            entry["first_call_s"] = self.first_call(run, entry["compiles"])
        for entry, times in zip(stages, self.steady(runs), strict=False):
            low, middle, high = statistics.quantiles(times, n=4)
            entry["median_s"], entry["spread_s"] = middle, high - low
            entry["times_s"] = times
        return {"before": stages[0], "after": stages[1]}

    def runner(self, compiled: Compiled, call: Call, jitted: bool) -> Callable[[], Any]:
        if not jitted:
            return eager_runner(compiled.function, call)
        if compiled.own:
            args, kwargs = compiled.function.arguments(call)
            return lambda: compiled.function.callable(*args, **kwargs)
        values, _, _ = compiled.split(call)
        function = compiled.jitted(call)
        return lambda: function(*values)

    def stages(self, compiled: Compiled, call: Call) -> dict[str, Any]:
        """Seconds to trace, lower, compile (medians of three); memory, operations."""
        times: list[tuple[float, float, float]] = []
        built: Any = None
        for _ in range(3):
            jax.clear_caches()
            values, rebuild, _ = compiled.split(call)
            fresh = jax.jit(lambda *v, r=rebuild: compiled.function(r(v)))
            try:
                with captured():
                    t0 = time.perf_counter()
                    if not hasattr(fresh, "trace"):
                        raise NotImplementedError("jax before 0.4.30 has no stages")
                    traced = fresh.trace(*values)
                    t1 = time.perf_counter()
                    lowered = traced.lower()
                    t2 = time.perf_counter()
                    built = lowered.compile()
                    t3 = time.perf_counter()
            except Exception as error:
                return {"compiles": False, "why_not": error_text(error)}
            times.append((t1 - t0, t2 - t1, t3 - t2))
            if t3 - t0 > SLOW_BUILD_S:
                break
        trace_s, lower_s, compile_s = (
            statistics.median(c) for c in zip(*times, strict=False)
        )
        return {
            "compiles": True, "trace_s": trace_s, "lower_s": lower_s,
            "compile_s": compile_s, **memory_of(built), "operations": operations(built),
        }  # fmt: skip

    def first_call(self, run: Callable[[], Any], jitted: bool) -> float:

        if jitted:
            jax.clear_caches()
        with captured():
            start = time.perf_counter()
            jax.block_until_ready(run())
            return time.perf_counter() - start

    def steady(self, runs: list[Callable[[], Any]]) -> list[list[float]]:
        """Seconds per call: warmed, interleaved, blocked on, long enough to measure."""
        with captured():
            repeats = []
            for run in runs:
                jax.block_until_ready(run())
                start = time.perf_counter()
                jax.block_until_ready(run())
                once = time.perf_counter() - start
                repeats.append(max(1, min(200, int(2e-3 / max(once, 1e-7)))))
            out: list[list[float]] = [[] for _ in runs]
            deadline = time.perf_counter() + float(self.spec.get("steady_s", 6.0))
            for done in range(self.rounds):
                if done >= 3 and time.perf_counter() > deadline:
                    break
                for times, run, repeat in zip(out, runs, repeats, strict=False):
                    start = time.perf_counter()
                    for _ in range(repeat):
                        jax.block_until_ready(run())
                    times.append((time.perf_counter() - start) / repeat)
        return out

    def count_compilations(
        self, rows: list[dict[str, Any]], validation: Validation, before: Compiled
    ) -> None:
        """Compilations over all inputs, each called twice."""
        calls = validation.calls[: validation.given] * 2
        after = validation.compiled
        for side, compiled, place in (
            ("before", before, validation.on_before),
            ("after", after, validation.on_after),
        ):
            if compiled is None or not rows or not rows[0][side]["compiles"]:
                continue
            with compile_counter() as count, captured():
                for call in calls:
                    with contextlib.suppress(Exception):
                        compiled(place(call))
            rows[0][side]["compilations"] = count[0]
            rows[0][side]["calls"] = len(calls)


def eager_runner(function: Function, call: Call) -> Callable[[], Any]:
    """The function as it runs without jit around it.

    jax.numpy's own compiled operations stay compiled, as in any eager program, unless
    the function calls others that are jitted and cannot be.
    """
    args, kwargs = function.arguments(call)

    def plain() -> Any:
        with function.side.active():
            return function.raw(*args, **kwargs)

    if outcome(plain).error is None:
        return plain
    return lambda: function.eager(call)


@contextlib.contextmanager
def compile_counter() -> Iterator[list[int]]:
    """Counts compilations of whole functions from empty caches, by JAX's own events."""
    count, on = [0], [True]

    def listen(event: str, duration_secs: float, **_kwargs: Any) -> None:
        if on[0] and event.endswith("backend_compile_duration"):
            count[0] += 1

    jax.clear_caches()
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield count
    finally:
        on[0] = False


def memory_of(built: Any) -> dict[str, int]:
    try:
        analysis = built.memory_analysis()
    except Exception:
        return {}
    if analysis is None:
        return {}
    names = {
        "temp_bytes": "temp_size_in_bytes",
        "argument_bytes": "argument_size_in_bytes",
        "output_bytes": "output_size_in_bytes",
    }
    return {
        key: int(getattr(analysis, name)) for key, name in names.items()
        if hasattr(analysis, name)
    }  # fmt: skip


def operations(built: Any) -> dict[str, int]:
    counts = collections.Counter(OPCODE.findall(built.as_text()))
    return dict(sorted(counts.items()))


def describe_call(call: Call) -> str:
    leaves, _ = flat(call)
    return ", ".join(describe(leaf) for leaf in leaves if is_array(leaf)) or "scalars"


def environment() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "python": sys.version.split()[0],
        "jax": jax.__version__,
        "jaxlib": jaxlib.version.__version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": processor(),
        "cores": os.cpu_count(),
        "devices": [f"{d.platform}:{d.id} {d.device_kind}" for d in jax.devices()],
        "x64": bool(jax.config.jax_enable_x64),  # type: ignore[attr-defined]
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
    }


def processor() -> str:

    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def run_job(
    spec: dict[str, Any], whole: dict[str, Any], stage: Callable[[str], None]
) -> dict[str, Any]:
    """One job's result; whatever the project does to this process becomes a verdict."""
    trees = (whole["before"], whole["after"])
    try:
        stage("importing")
        with time_limit(float(whole["timeout_s"])):
            job = Job(spec, trees, int(whole["seed"]))
        kind = Bench if spec.get("kind") == "bench" else Validation
        check: Any = kind(job, spec, stage)
        result: dict[str, Any] = check.run() if kind is Bench else check.verdict()
    except NotRun as error:
        return {"verdict": "not-run", "reason": str(error), "helps": error.helps}
    except CallTimeout as error:
        return {"verdict": "timed-out", "reason": str(error)}
    except MemoryError:
        return {"verdict": "crashed", "reason": "out of memory"}
    except OutputFlood as error:
        return {"verdict": "crashed", "reason": str(error)}
    except BaseException as error:
        return {"verdict": "crashed", "reason": error_text(error)}
    return result


def leave_with(parent: int) -> None:
    """End this process when its parent is gone, which can then no longer end it."""
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    os._exit(1)


def main(job_file: str, event_file: str) -> None:
    threading.Thread(target=leave_with, args=[os.getppid()], daemon=True).start()
    sys.dont_write_bytecode = True
    # The folder of this script: its other files must not shadow the project's modules.
    sys.path.pop(0)
    whole = json.loads(pathlib.Path(job_file).read_text())
    limit_memory(int(whole["memory_bytes"]))
    with open(event_file, "a", encoding="utf-8") as events:

        def emit(**event: Any) -> None:
            events.write(json.dumps(event) + "\n")
            events.flush()

        jax.devices()
        emit(event="ready", environment=environment())
        for spec in whole["jobs"]:
            number = spec["id"]
            emit(event="start", id=number)

            def stage(text: str, number: int = number) -> None:
                emit(event="stage", id=number, text=text)

            result = run_job(spec, whole, stage)
            emit(event="result", id=number, result=result)
        emit(event="end")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
