from __future__ import annotations

import ast
from collections.abc import Iterable

from jaxfix.codemod import (
    CannotFix,
    Evidence,
    Facts,
    Function,
    Parameter,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Sites,
    TransformedValue,
    static_options,
    static_uses,
)


class OverdeclaredStaticArg(Rule):
    """Static argument that varies from call to call, and need not be static.

    Each value of a static argument compiles a program of its own. The index of a step
    or a learning rate that the function only computes with belongs among the traced
    arguments: one program serves all values.

    ## Example

    ```python before
    @functools.partial(jax.jit, static_argnames=("step", "times"))
    def decayed(x, step, times):
        return jnp.tile(x, times) * 0.5 / (step + 1)


    def run(x):
        for step in range(20):
            x = decayed(x, step, 1)
        return x
    ```

    ```python after
    @functools.partial(jax.jit, static_argnames=("times",))
    def decayed(x, step, times):
        return jnp.tile(x, times) * 0.5 / (step + 1)


    def run(x):
        for step in range(20):
            x = decayed(x, step, 1)
        return x
    ```

    ```python check
    run(jnp.arange(3.0))
    ```

    ## Safety

    Safe: a Python number and the tracer that stands for it have the same dtype in
    arithmetic. What is computed from the argument alone is now computed in 32 bits.

    ## Not fixed

    - An argument whose value is used while tracing: as a shape, in a condition, as an
      exponent, or passed to code that is not seen. `varying-static-arg` reports these.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
    """

    def places(self, facts: Facts) -> Iterable[int]:
        return facts.roots_at

    def find(self, fn: Function, node: ast.expr) -> Problem | None:
        for root in fn.facts.roots_at.get(id(node), ()):
            found = overdeclared(fn, root)
            if found:
                names = ", ".join(f"`{n}`" for n in found)
                text = f"{names}: static, and a program is compiled for each value"
                because = tuple(found.values())
                return Problem(text, because)
        return None

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        key = []
        names: list[str] = []
        for root in fn.facts.roots_at[id(node)]:
            found = overdeclared(fn, root)
            static_options.check_declaration(root, found)
            for name in found:
                for caller, _, given in static_uses.static_arguments(
                    fn.facts, root, name
                ):
                    if not static_uses.is_number(caller, given):
                        text = ast.unparse(given)
                        raise CannotFix(f"`{text}` (line {given.lineno}) is no number")
            names += found
            key.append(f"{root.module.path}:{node.lineno}")
        title = ", ".join(f"`{n}`" for n in names) + " traced, not static"
        return Sites(title, key=" ".join(["overdeclared", *key]))

    def fix(self, fn: Function, node: ast.expr, plan: Sites, write: Rewriter) -> None:
        for root in fn.facts.roots_at[id(node)]:
            static_options.declare(write, root, remove=overdeclared(fn, root))
        write.touch(fn)


def overdeclared(fn: Function, root: TransformedValue) -> dict[str, Evidence]:
    """The static parameters that vary and need not be static, and where they vary."""
    found: dict[str, Evidence] = {}
    for name, parameter in static_uses.static_parameters(root):
        varying = static_uses.varying_argument(fn.facts, root, name, at_least=2)
        if varying is not None and not needs_value(fn, parameter):
            caller, given, _ = varying
            text = f"`{ast.unparse(given)}`, passed as `{name}`, changes in a loop"
            found[name] = Evidence(caller.path, given.lineno, text)
    return found


def needs_value(fn: Function, parameter: Parameter) -> bool:
    return parameter in fn.facts.used_as_static
