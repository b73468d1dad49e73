"""Random programs about state and shapes, where the fault is not in the control flow.

Each kind is a pattern with parts drawn at random; some of the programs of a kind are
correct look-alikes (`clean`).
"""

from __future__ import annotations

import random
from collections.abc import Callable

HEADER = """\
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import jit, lax
"""

FORMULAS = (
    "x * {0}",
    "x + {0} * 2.0",
    "jnp.sum(x) * {0}",
    "jnp.maximum(x, {0})",
    "jnp.where(x > {0}, x, 0.5)",
    "jnp.clip(x, -{0}, {0})",
)
ARRAYS = ("[0.0, 1.0, -2.0, 3.0]", "[0.5, 0.5, 4.0, -1.0]", "[2.0, 1.0, 0.0, -1.0]")


def formula(rng: random.Random, name: str) -> str:
    return rng.choice(FORMULAS).format(name)


def compiled(rng: random.Random, name: str, signature: str, body: list[str]) -> str:
    """A definition of `name` and the jit around it; `NAME_fast` is what is called."""
    text = f"def {name}({signature}):\n" + "".join(f"    {line}\n" for line in body)
    match rng.randrange(4):
        case 0:
            return f"@jax.jit\n{text}\n\n{name}_fast = {name}\n"
        case 1:
            return f"@jit\n{text}\n\n{name}_fast = {name}\n"
        case 2:
            return f"@partial(jax.jit)\n{text}\n\n{name}_fast = {name}\n"
        case _:
            return f"{text}\n\n{name}_fast = jax.jit({name})\n"


def module(*parts: str) -> str:
    return "\n\n".join([HEADER, *parts])


def main_of(*lines: str) -> str:
    return "def main():\n" + "".join(f"    {line}\n" for line in lines)


def array(rng: random.Random) -> str:
    return f"jnp.array({rng.choice(ARRAYS)})"


def stale_global(rng: random.Random) -> tuple[str, bool]:
    clean = rng.random() < 0.3
    name = rng.choice(("rate", "gain", "decay", "alpha"))
    body = [f"return {formula(rng, name)}"]
    if rng.random() < 0.4:
        body = [f"y = {formula(rng, name)}", f"return y - {name}"]
    function = compiled(rng, "apply", "x", body)
    values = rng.sample(("0.5", "1.0", "2.0", "4.0"), 2)
    lines = [
        f"x = {array(rng)}",
        "first = apply_fast(x)",
        "return [first, apply_fast(x)]",
    ]
    if not clean:
        again = [f"{name} = {values[1]}", "second = apply_fast(x)"]
        if rng.random() < 0.3:
            again = [f"for {name} in ({values[1]}, 8.0):", "    second = apply_fast(x)"]
        lines = [
            f"global {name}",
            f"{name} = {values[0]}",
            f"x = {array(rng)}",
            "first = apply_fast(x)",
            *again,
            "return [first, second]",
        ]
    return module(f"{name} = {values[0]}", function, main_of(*lines)), clean


def stale_closure(rng: random.Random) -> tuple[str, bool]:
    clean = rng.random() < 0.3
    name = rng.choice(("factor", "shift", "limit"))
    values = rng.sample(("0.5", "1.0", "2.0", "4.0"), 2)
    define = ["@jax.jit", "def scale(x):", f"    return {formula(rng, name)}"]
    if rng.random() < 0.4:
        define = [f"scale = jax.jit(lambda x: {formula(rng, name)})"]
    lines = [f"{name} = {values[0]}", f"x = {array(rng)}", *define, "first = scale(x)"]
    if not clean:
        lines += [rng.choice((f"{name} = {values[1]}", f"{name} += {values[1]}"))]
    lines += ["return [first, scale(x)]"]
    return module(main_of(*lines)), clean


def stale_dict(rng: random.Random) -> tuple[str, bool]:
    clean = rng.random() < 0.3
    values = rng.sample(("0.5", "1.0", "2.0", "4.0"), 2)
    read = 'settings["gain"]'
    function = compiled(rng, "respond", "x", [f"return {formula(rng, read)}"])
    store = rng.choice(
        (
            f"settings['gain'] = {values[1]}",
            f'settings.update({{"gain": {values[1]}}})',
            f'settings["gain"] += {values[1]}',
        )
    )
    lines = [f"x = {array(rng)}"]
    if not clean:
        lines.append(f'settings["gain"] = {values[0]}')
    lines.append("first = respond_fast(x)")
    if not clean:
        lines.append(store)
    lines.append("return [first, respond_fast(x)]")
    head = f'settings = {{"gain": {values[0]}, "name": "base"}}'
    return module(head, function, main_of(*lines)), clean


def printing(rng: random.Random) -> tuple[str, bool]:
    call = rng.choice(
        (
            'print("x is", x)',
            'print(f"got {x} and {y}")',
            'print(f"{x:.2f}")',
            'print("{} then {}".format(x, y))',
            "print(x, y)",
            'print("x =", x, "y =", y)',
            'print("%s" % x)',
        )
    )
    clean = rng.random() < 0.2
    if clean:
        call = 'jax.debug.print("x = {x}", x=x)'
    body = ["y = x * 2.0", call, f"return {formula(rng, 'y')}"]
    if rng.random() < 0.3:
        body = ["y = x + 1.0", "if x > 1.0:", f"    {call}", "return y"]
        if clean:
            body = ["y = x + 1.0", call, "return y"]
    function = compiled(rng, "observe", "x", body)
    capture = main_of(
        "import contextlib",
        "import io",
        "",
        "shown = io.StringIO()",
        "with contextlib.redirect_stdout(shown):",
        "    results = [observe_fast(jnp.float32(v)) for v in (3.0, -1.5, 0.0)]",
        "    jax.effects_barrier()",
        "return [results, shown.getvalue()]",
    )
    return module(function, capture), clean


def stores(rng: random.Random) -> tuple[str, bool]:
    index = rng.choice(("0", "-1", "i", "i + 1", "1:3", "::2", "i % 2"))
    value = rng.choice(("2.0", "x[0]", "x[i] + 1.0", "jnp.max(x)"))
    operator = rng.choice(("=", "+=", "*=", "-="))
    line = f"x[{index}] {operator} {value}"
    clean = rng.random() < 0.2
    if clean:
        method = {"=": "set", "+=": "add", "*=": "multiply", "-=": "subtract"}[operator]
        line = f"x = x.at[{index}].{method}({value})"
    loop = rng.random() < 0.35 and not clean
    # Eagerly, a store wants a numpy array; under jit both kinds are traced.
    source = "jnp.array" if clean else "np.array"
    body = ["for k in range(2):", f"    {line}"] if loop else [line]
    # No `cumsum`: behind a store of what it reads, XLA's CPU backend (jax 0.10.2) gives
    # other numbers than the same operations one by one.
    body = [*body, rng.choice(("return x", "return jnp.sort(x)"))]
    function = compiled(rng, "put", "x, i", body)
    lines = [
        f"starts = [{source}({rng.choice(ARRAYS)}) for _ in range(3)]",
        "return [put_fast(x, i) for i, x in enumerate(starts)]",
    ]
    return module(function, main_of(*lines)), clean


def masks(rng: random.Random) -> tuple[str, bool]:
    test = rng.choice(
        ("x > 0.5", "x != 0.0", "jnp.abs(x) < 2.5", "(x > 0.0) & (x < 4.0)")
    )
    clean = rng.random() < 0.25
    reduce = rng.choice(
        (
            f"jnp.sum(x[{test}])",
            f"x[{test}].sum()",
            f"jnp.max(x[{test}])",
            f"x[{test}].mean()",
            f"len(x[{test}])",
            f"x[{test}].size",
            f"jnp.nonzero({test})[0].shape[0]",
            f"x[{test}]",
            f"jnp.any(x[{test}] > 1.0)",
        )
    )
    if clean:
        reduce = rng.choice(
            (
                f"jnp.sum(x, where={test})",
                f"jnp.where({test}, x, 0.0).sum()",
                f"jnp.nonzero({test}, size=4)[0]",
                f"jnp.count_nonzero({test})",
            )
        )
    body = [f"return {reduce}"]
    if rng.random() < 0.4 and not clean:
        body = [f"kept = {reduce}", "return kept * 2"]
    function = compiled(rng, "select", "x", body)
    calls = ", ".join(f"select_fast(jnp.array({values}))" for values in ARRAYS)
    return module(function, main_of(f"return [{calls}]")), clean


def static_args(rng: random.Random) -> tuple[str, bool]:
    use = rng.choice(
        (
            "jnp.zeros(size) + x[0]",
            "x.reshape(size, -1)",
            "x[:size]",
            "jnp.arange(size) * x[0]",
            "jnp.stack([x] * size)",
            "jnp.full((size, 2), x[1])",
            "jnp.linspace(0.0, 1.0, size) + x[0]",
            "jnp.tile(x, size)",
            "jnp.broadcast_to(x[0], (size,))",
        )
    )
    clean = rng.random() < 0.25
    mode = rng.random() < 0.5
    body = [f"y = {use}"]
    if mode:
        body += ['if mode == "sum":', "    return y.sum()"]
    body.append("return y * 2.0")
    signature = 'x, size, mode="full"' if mode else "x, size"
    if clean:
        names = '("size", "mode")' if mode else '("size",)'
        text = f"def shape({signature}):\n" + "".join(f"    {line}\n" for line in body)
        function = f"@partial(jax.jit, static_argnames={names})\n{text}"
        function += "\n\nshape_fast = shape\n"
    else:
        function = compiled(rng, "shape", signature, body)
    calls = [
        "shape_fast(x, 2)",
        rng.choice(("shape_fast(x, 4)", "shape_fast(x, size=4)")),
    ]
    if mode:
        calls.append('shape_fast(x, 2, mode="sum")')
    lines = [f"x = {array(rng)}", f"return [{', '.join(calls)}]"]
    return module(function, main_of(*lines)), clean


def numpy_calls(rng: random.Random) -> tuple[str, bool]:
    use = rng.choice(
        (
            "np.maximum(x, 0.5)",
            "np.sum(x) + x",
            "np.abs(x) * 2.0",
            "np.where(x > 0.5, x, 0.0)",
            "np.clip(x, -1.0, 1.0)",
            "np.stack([x, x * 2.0])",
            "np.concatenate([x, x])",
            "np.mean(x) - x",
            "np.dot(x, x)",
            "np.floor(x) + 1.0",
            "np.cumsum(x)",
            "np.asarray(x) + 1.0",
        )
    )
    clean = rng.random() < 0.3
    if clean:
        use = rng.choice(
            (
                "x * np.prod(x.shape)",
                "x + np.float32(2.0) * np.pi",
                "x * np.arange(4.0)",
                "x.reshape(np.array([2, 2]))",
                "jnp.where(x > 0.0, x, np.inf)",
            )
        )
    body = [f"y = {use}", f"return {rng.choice(('y', 'y * 2.0', 'jnp.sum(y)'))}"]
    function = compiled(rng, "compute", "x", body)
    calls = ", ".join(f"compute_fast(jnp.array({values}))" for values in ARRAYS)
    return module(function, main_of(f"return [{calls}]")), clean


def methods(rng: random.Random) -> tuple[str, bool]:
    """Methods under jit: the control flow of a small state machine."""
    clean = rng.random() < 0.25
    test = rng.choice(("x > self.limit", "jnp.sum(x) > 1.0", "x.max() > self.limit"))
    if "x > self" in test:
        test = f"jnp.all({test})"
    if clean:
        test = rng.choice(("self.limit > 0.5", "x.ndim == 1", "self.limit is None"))
    then, otherwise = rng.sample(("x * 0.5", "x + 1.0", "-x", "jnp.flip(x)"), 2)
    body = [f"if {test}:", f"    return {then}", f"return {otherwise}"]
    if rng.random() < 0.5:
        body = [f"y = {otherwise}", f"if {test}:", f"    y = {then}", "return y"]
    indented = "".join(f"        {line}\n" for line in body)
    way = rng.randrange(3)
    head = {
        0: "    @partial(jax.jit, static_argnums=0)\n    def move(self, x):\n",
        1: "    def move(self, x):\n",
        2: '    @partial(jax.jit, static_argnames=("self",))\n    def move(self, x):\n',
    }[way]
    cls = (
        "class Mover:\n    def __init__(self, limit):\n        self.limit = limit\n"
        + ("        self.fast = jax.jit(self.move)\n" if way == 1 else "")
        + "\n"
        + head
        + indented
    )
    call = "fast" if way == 1 else "move"
    calls = ", ".join(f"mover.{call}(jnp.array({values}))" for values in ARRAYS)
    return module(cls, main_of("mover = Mover(0.75)", f"return [{calls}]")), clean


def host_code(rng: random.Random) -> tuple[str, bool]:
    """Correct: Python control flow on values, on the host around compiled code."""
    test = rng.choice(
        ("size > 1.0", "float(size) > 1.0", "bool(size > 0.5)", "size.item() < 2.0")
    )
    function = compiled(rng, "shrink", "x", [f"return {formula(rng, '0.5')} * 0.5"])
    helper = (
        "def decide(x, rounds):\n"
        "    size = jnp.max(jnp.abs(x))\n"
        f"    if {test} and rounds < 4:\n"
        f"        return {rng.choice(('True', 'size > 0.25'))}\n"
        "    return False\n"
    )
    loop = rng.choice(
        (
            ["while decide(x, rounds):", "    x = shrink_fast(x)", "    rounds += 1"],
            [
                "for value in np.asarray(x).ravel():",
                "    if value > 0.0:",
                "        x = shrink_fast(x)",
                "        break",
            ],
            [
                "history = []",
                "for _ in range(3):",
                "    x = shrink_fast(x)",
                "    history.append(float(jnp.sum(x)))",
                "    if history[-1] < 0.0 or not decide(x, rounds):",
                "        continue",
                "    rounds += 1",
            ],
            [
                "buffer = np.zeros(3)",
                "for i in range(int(jnp.argmax(x)) % 3):",
                "    buffer[i] = float(np.sum(x)) if decide(x, i) else 0.0",
                "rounds = buffer.sum()",
            ],
        )
    )
    lines = [f"x, rounds = {array(rng)}, 0", *loop, "return [x, rounds]"]
    return module(function, helper, main_of(*lines)), True


def singular(rng: random.Random) -> tuple[str, bool]:
    """A value whose derivative is infinite somewhere, before a branch that may skip it.

    Python's gradient there is that of the branch that is taken.
    """
    root = rng.choice(
        ("jnp.sqrt(x)", "1.0 / x", "y / x", "x ** 0.5", "jnp.log(x)", "x * jnp.log(x)")
    )
    body = [f"d = {root}"]
    name = "d"
    if rng.random() < 0.4:
        body.append(f"e = {rng.choice(('d * 2.0', 'd + y', 'y - d'))}")
        name = "e"
    use = rng.choice(("{0} * 3.0", "{0} + x", "{0} * {0}", "y - {0}", "{0}"))
    then = use.format(name)
    otherwise = rng.choice(("0.0", "x", "y * 2.0", "x * y"))
    test = rng.choice(("x > 0", "x != 0.0", "x > 0.5", "abs(x) > 0.25 and y > 0"))
    if rng.random() < 0.4:
        body = [f"{body[0]}", "z = x + y", *body[1:]]
        otherwise = rng.choice((otherwise, "z"))
    match rng.randrange(6):
        case 0:
            body += [f"if {test}:", f"    return {then}", f"return {otherwise}"]
        case 1:
            body += [f"r = {otherwise}", f"if {test}:", f"    r = {then}", "return r"]
        case 2:
            body += [f"return {then} if {test} else {otherwise}"]
        case 3:
            body += [f"if not ({test}):", f"    {name} = {otherwise}"]
            body += [f"return {name} * 2.0"]
        case 4:
            body += ["total = y", "for _ in range(3):", f"    if {test}:"]
            body += [f"        total = total + {then}", "return total"]
        case _:
            body += ["if y > 1.0:", "    r = y", f"elif {test}:", f"    r = {then}"]
            body += ["else:", f"    r = {otherwise}", "return r"]
    points = [(x, y) for x in (0.0, 0.5, 4.0) for y in (-1.0, 2.0)]
    calls = [
        f"{function}(jnp.float32({x}), jnp.float32({y}))"
        for x, y in points
        for function in ("measure_fast", "jax.grad(measure_fast, argnums=(0, 1))")
    ]
    lines = ["return [", *(f"    {call}," for call in calls), "]"]
    return module(compiled(rng, "measure", "x, y", body), main_of(*lines)), False


TEMPLATES: dict[str, Callable[[random.Random], tuple[str, bool]]] = {
    "globals": stale_global,
    "closures": stale_closure,
    "dicts": stale_dict,
    "prints": printing,
    "stores": stores,
    "masks": masks,
    "static-args": static_args,
    "numpy-calls": numpy_calls,
    "methods": methods,
    "host": host_code,
    "singular": singular,
}
