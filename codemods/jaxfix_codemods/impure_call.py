from __future__ import annotations

import ast
from typing import ClassVar

from jaxfix.codemod import CannotFix, Function, Plan, Problem, Rule, Safety, impure

Read = ast.Call | ast.Subscript | ast.Compare


class ImpureCall(Rule):
    """Call in compiled code that reads the clock, a file or random numbers.

    It runs while JAX traces, once. What it gave then is a constant of the compiled
    program: the same time, the same "random" numbers at every call.

    ## Example

    ```python before
    @jax.jit
    def jitter(x):
        return x + np.random.normal()
    ```

    ## Safety

    Reported only: what is read must become an argument, and only the caller knows how.

    ```python
    @jax.jit
    def jitter(x, key):
        return x + jax.random.normal(key)
    ```

    ## Not fixed

    - Always.
    - No finding for logging and warnings of static values, which tell of the trace; for
      generators with a constant seed that are made in the function; for an iterator
      that is made in the same trace.

    ## See

    - https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#pure-functions
    """

    visits: ClassVar = (ast.Call, ast.Subscript, ast.Compare)
    safety: ClassVar = Safety.REPORT

    def find(self, fn: Function, node: Read) -> Problem | None:
        found = impure.impurity(fn, node)
        return Problem(found.message, fn.why_under()) if found is not None else None

    def plan(self, fn: Function, node: Read) -> Plan:
        found = impure.impurity(fn, node)
        assert found is not None, "a plan is made for what was found"
        raise CannotFix(impure.ADVICE[found.what])
