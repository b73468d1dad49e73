from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import ClassVar

from jaxfix.codemod import (
    Evidence,
    Facts,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Sites,
    hashing,
    static_options,
)


class UnhashableStaticArg(Rule):
    """Static argument without a hash, or with one that changes.

    Compiled programs are kept by the hash and the value of their static arguments. A
    list, a dict, an array or an instance of a dataclass that is not frozen has no hash,
    so the call fails; an object whose hash changes with its attributes gets the program
    of another object, or its own of earlier.

    ## Example

    ```python before
    @functools.partial(jax.jit, static_argnames=("sizes",))
    def blocks(x, sizes):
        return x.reshape(sizes)


    def both(x):
        return blocks(x, [3, 4]), blocks(x, [2, 6])
    ```

    ```python after
    @functools.partial(jax.jit, static_argnames=("sizes",))
    def blocks(x, sizes):
        return x.reshape(sizes)


    def both(x):
        return blocks(x, (3, 4)), blocks(x, (2, 6))
    ```

    ```python check
    both(jnp.arange(12.0))
    ```

    ## Safety

    Safe: the calls fail as they stand. A list becomes a tuple and a dict a tuple of its
    items, of which the function makes a dict again; an array whose values are not
    needed while tracing comes out of the declaration, and one of a single integer that
    is needed becomes an `int` where it is passed; a dataclass of which no field is
    assigned becomes frozen.

    ## Not fixed

    - An array of several values that are needed while tracing, a dict of arrays.
    - A dataclass whose fields are assigned somewhere, or have no hash themselves.
    - A class whose `__hash__` reads attributes that are assigned later: pass them as
      arguments, or make the class frozen.

    ## See

    - https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
    """

    visits: ClassVar = (ast.Call, ast.Attribute)

    def places(self, facts: Facts) -> Iterable[int]:
        return facts.roots_at

    def find(self, fn: Function, node: ast.expr) -> Problem | None:
        trouble = hashing.trouble_at(fn, node)
        if trouble is None:
            return None
        because = Evidence(fn.path, trouble.line, trouble.because)
        return Problem(trouble.message, (because,))

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        trouble = hashing.trouble_at(fn, node)
        assert trouble is not None, "it was found"
        mend = hashing.mend_of(fn.facts, trouble)
        static_options.check_declaration(trouble.root, mend.remove)
        return Sites(mend.title, key=mend.key)

    def fix(self, fn: Function, node: ast.expr, plan: Sites, write: Rewriter) -> None:
        trouble = hashing.trouble_at(fn, node)
        assert trouble is not None, "it was found"
        mend = hashing.mend_of(fn.facts, trouble)
        for caller, argument, kind in mend.arguments:
            static_options.convert(write, caller, argument, kind)
        if mend.remove:
            static_options.declare(write, mend.root, remove=mend.remove)
        if mend.restore is not None:
            function, name = mend.restore
            inner = fn.facts.function(function.node)
            assert inner is not None, "the plan looked into the function"
            static_options.restore_dict(write, inner, name)
        if mend.freeze is not None:
            static_options.freeze(write, mend.freeze)
        write.touch(fn)
