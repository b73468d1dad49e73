from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Evidence,
    Facts,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Safety,
    Sites,
    check_local,
    factories,
    fresh,
    hoist_factory,
    hoist_local,
    hoisting_jit,
    local_jits,
    local_key,
    make_before,
    makers,
)

WHAT = {
    "lambda": "a lambda",
    "partial": "a partial",
    "method": "a bound method",
    "transform": "the result of a transform",
}


class JitPerCall(Rule):
    """`jax.jit` of a function that is made anew each time, and compiled anew.

    Compiled programs are kept by the identity of the function. A lambda, a
    `functools.partial`, a bound method, the result of `jax.grad`, and a function that
    is defined and jitted in the one that calls it, are new objects each time that they
    are evaluated: in a loop, or in a function that is called in one, each round
    compiles again.

    ## Example

    ```python before
    def decay(x, rate):
        return x * (1.0 - rate)


    def run(rates):
        return [jax.jit(lambda x: 2.0 * decay(x, rate))(3.0) for rate in rates]
    ```

    ```python after
    def decay(x, rate):
        return x * (1.0 - rate)


    compiled = jax.jit(lambda x, rate: 2.0 * decay(x, rate))


    def run(rates):
        return [compiled(3.0, rate) for rate in rates]
    ```

    ```python check
    run([1.0, 2.0])
    ```

    ## Safety

    Safe. The function is jitted once, in the module or in `__init__`; the variables
    that it captures become arguments, static ones if they are settings whose values
    are needed while tracing. A method is jitted once only if no attribute
    that it reads is assigned after `__init__`. Unsafe if such an attribute or the class
    is public: code outside of the project that assigns it would go unseen, and a
    subclass there with an `__init__` of its own would lack the compiled method.
    A call of a function that makes a compiled one goes before the loop, if it is given
    the same values in each round.

    ## Not fixed

    - A captured object that is no number, no array and no setting.
    - A method that reads attributes which are assigned later.
    - A module-level function (`jax.jit(f)` in a loop) is no problem: JAX keeps its
      program.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#jit-and-caching
    """

    visits: ClassVar = (ast.Call,)

    def places(self, facts: Facts) -> Iterable[int]:
        return facts.roots_at

    def find(self, fn: Function, node: ast.expr) -> Problem | None:
        if (one := factories.factory_at(fn, node)) is not None:
            text = (
                f"`{one.inner.name}` is compiled anew for each value that a loop gives"
                f" `{one.node.name}`"
            )
            line = getattr(one.site.call.node, "lineno", node.lineno)
            path = one.site.call.module.path
            return Problem(text, (Evidence(path, line, "it is called in a loop"),))
        if (local := local_jits.local_jit_at(fn, node)) is not None:
            text = (
                f"`{local.inner.name}` is compiled anew at each call of `{fn.qualname}`"
            )
            because = "programs are kept by the identity of the function, which is new"
            return Problem(text, (Evidence(fn.path, node.lineno, because),))
        if (maker := makers.maker_at(fn, node)) is not None:
            made = maker.made[0]
            text = f"`{maker.node.name}` makes a function that is compiled in a loop"
            because = "it is called for the same values in each round"
            path, line = made.caller.path, made.call.lineno
            return Problem(text, (Evidence(path, line, because),))
        if not isinstance(node, ast.Call):
            return None
        found = fresh.rejit_at(fn, node)
        if found is None:
            return None
        place = "in a loop" if found.loops else f"at each call of `{fn.qualname}`"
        text = f"`jit` of {WHAT[found.kind]}: it is compiled {place}"
        because = "programs are kept by the identity of the function, which is new"
        return Problem(text, (Evidence(fn.path, node.lineno, because),))

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        if (one := factories.factory_at(fn, node)) is not None:
            factories.check(fn, one)
            names = ", ".join(f"`{n}`" for n in one.captured)
            key = f"factory {fn.path}:{one.inner.lineno}"
            title = f"jitted once in the module, with {names} as arguments"
            return Sites(title, Safety.UNSAFE, key=key)
        if (local := local_jits.local_jit_at(fn, node)) is not None:
            check_local(fn, local)
            return Sites("jitted once in the module", key=local_key(fn, local))
        if (maker := makers.maker_at(fn, node)) is not None:
            makers.check(fn, maker)
            key = f"maker {fn.path}:{maker.node.lineno}"
            return Sites("made once, before the loop", key=key)
        assert isinstance(node, ast.Call), "only calls are found besides"
        found = fresh.rejit_at(fn, node)
        assert found is not None, "it was found"
        key = f"jit {fn.path}:{node.lineno}:{node.col_offset}"
        hoist = hoisting_jit.plan(fn, found)
        return Sites(hoist.title, hoist.safety, key=key)

    def fix(self, fn: Function, node: ast.expr, plan: Sites, write: Rewriter) -> None:
        if (one := factories.factory_at(fn, node)) is not None:
            hoist_factory(write, fn, one)
            return
        if (local := local_jits.local_jit_at(fn, node)) is not None:
            hoist_local(write, fn, local)
            write.touch(fn)
            return
        if (maker := makers.maker_at(fn, node)) is not None:
            make_before(write, fn, maker)
            return
        assert isinstance(node, ast.Call), "only calls are found besides"
        found = fresh.rejit_at(fn, node)
        if found is None:
            raise CannotFix("the call has changed")
        hoisting_jit.carry_out(write, fn, found)
        write.touch(fn)
