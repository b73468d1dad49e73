from __future__ import annotations

import ast
import functools
from typing import ClassVar

from jaxfix.codemod import (
    CannotFix,
    Function,
    Plan,
    Problem,
    Rewriter,
    Rule,
    Safety,
    Sites,
    build,
    first_found,
    folds,
    found_loops,
    found_places,
    mend_places,
    named_places,
    sizes,
)


class DataDependentSize(Rule):
    """Result whose size depends on traced values: `nonzero`, `unique`, a filtered list.

    Shapes must be known when JAX compiles. Where one index or a count is all that is
    wanted, `jnp.argmax` and `jnp.count_nonzero` give it, as they do for the first
    element that `next((x for x in xs if test), default)` finds. Places into which
    `.at[...]` stores one number are a mask for `jnp.where`, and those that pick
    elements to be reduced are one for `where=`; a loop over the places becomes one over
    all, with a test. Otherwise `size=` says how many results there may be.

    ## Example

    ```python before
    @jax.jit
    def span(trace, threshold):
        first = jnp.where(trace > threshold)[0][0]
        count = len(jnp.flatnonzero(trace > threshold))
        return first, count, sum(t for t in trace if t > threshold)
    ```

    ```python after
    @jax.jit
    def span(trace, threshold):
        first = jnp.where(trace > threshold, size=1)[0][0]
        count = jnp.count_nonzero(trace > threshold)
        return first, count, jnp.sum(trace, where=trace > threshold)
    ```

    ```python check
    span(jnp.array([0.0, 0.2, 0.9, 0.1, 0.8, 0.3]), 0.15)
    span(jnp.array([0.0, 0.2, 0.9, 0.1, 0.8, 0.3]), 0.85)
    ```

    ## Safety

    Safe. Where nothing is found, Python raises IndexError and JAX gives index 0 (for
    the last one, the highest index).

    ## Not fixed

    - The result itself is used. Give the largest number of results with `size=` (and
      `fill_value=`), `length=` for `bincount`, `total_repeat_length=` for `repeat`.
    - A list filtered by a traced test: keep all elements, with `jnp.where`.

    ## See

    - https://docs.jax.dev/en/latest/_autosummary/jax.numpy.nonzero.html
    """

    visits: ClassVar = (
        ast.Call,
        ast.ListComp,
        ast.SetComp,
        ast.GeneratorExp,
        ast.DictComp,
    )

    def find(self, fn: Function, node: ast.expr) -> Problem | None:
        if isinstance(node, ast.Call):
            found = sizes.sized(fn, node)
            if found is None:
                return None
            text = ast.unparse(node.func)
            return Problem(
                f"the size of `{text}(...)` depends on the data", found.because
            )
        assert isinstance(node, sizes.Comprehension), "the rule visits no others"
        because = sizes.filtered(fn, node)
        if not because or sizes.is_folded(fn, node):
            return None
        return Problem("which elements are kept depends on a traced test", because)

    def plan(self, fn: Function, node: ast.expr) -> Plan:
        key = f"{fn.path}:{node.lineno}:{node.col_offset}"
        if not isinstance(node, ast.Call):
            assert isinstance(node, sizes.Comprehension), "the rule visits no others"
            if first_found.is_asked(fn, node):
                first_found.first_found(fn, node)
                return Sites("the first place where it holds", Safety.SAFE, key)
            sizes.summed(fn, node)
            return Sites("a masked sum", Safety.SAFE, key)
        found = sizes.sized(fn, node)
        assert found is not None, "it was found to be such a call"
        use = sizes.use_of(fn, found)
        if use is not None:
            sizes.at_once(fn, found, use, lambda name: name)
            return Sites("the one number that is wanted", Safety.SAFE, key)
        if sizes.first_by_name(fn, found) is not None:
            return Sites("`size=1`", Safety.SAFE, key)
        if (stored := named_places.named_places(fn, node)) is not None:
            named_places.check(fn, stored)
            return Sites("jnp.where", Safety.SAFE, key)
        if found_loops.found_loop(fn, node) is not None:
            return Sites("a loop over all places, with a test", Safety.SAFE, key)
        if (places := found_places.found_places(fn, node)) is not None:
            return Sites("a reduction with `where=`", places.safety, key)
        raise CannotFix(
            f"give the largest number of results: `{found.keyword}=...`, "
            "a static number"
        )

    def fix(self, fn: Function, node: ast.expr, plan: Plan, write: Rewriter) -> None:
        writer = write.writer(fn.module)
        spell = write.spell(fn)
        if not isinstance(node, ast.Call):
            assert isinstance(node, sizes.Comprehension), "the rule visits no others"
            if first_found.is_asked(fn, node):
                first = first_found.first_found(fn, node)
                for name, new in first_found.replacements(first, spell):
                    writer.edit(name, functools.partial(writer.expr, new))
                chosen = first_found.chosen(first, spell)
                writer.edit(first.call, lambda: writer.expr(chosen))
                return
            one = sizes.summed(fn, node)
            total = sizes.total(fn, one, spell)
            source = one.source
            if source is not None:
                for part in (one.test, one.element):
                    for name in folds.names_of_target(one.node, part):
                        writer.edit(name, lambda: writer.expr(source))
            writer.edit(one.call, lambda: writer.expr(total))
            return
        found = sizes.sized(fn, node)
        assert found is not None, "the plan was made for such a call"
        use = sizes.use_of(fn, found)
        if (stored := named_places.named_places(fn, node)) is not None:
            named_places.mend(write, fn, stored)
            return
        if use is None and (loop := found_loops.found_loop(fn, node)) is not None:
            self.test_all(fn, loop, write)
            return
        if use is None and sizes.first_by_name(fn, found) is None:
            places = found_places.found_places(fn, node)
            assert places is not None, "the plan was made for such places"
            mend_places(write, fn, places)
            return
        if use is None:
            size = build.const(1)
            writer.add_argument(node, f"size={writer.expr(size)}")
            return
        new = sizes.at_once(fn, found, use, spell)
        writer.edit(use.node, lambda: writer.expr(new))

    def test_all(
        self, fn: Function, one: found_loops.FoundLoop, write: Rewriter
    ) -> None:
        writer = write.writer(fn.module)
        made: list[ast.stmt] = []
        if found_loops.is_kept(one):
            name = ast.unparse(one.mask)
        else:
            name = write.fresh(fn)("mask")
            made = [build.assign(name, one.mask)]
        loop = found_loops.tested(one, name)
        if one.stmt is None:
            writer.replace_statement(one.loop, lambda: writer.statements([*made, loop]))
            return
        writer.replace_statement(one.stmt, lambda: writer.statements(made))
        writer.replace_statement(one.loop, lambda: writer.statements([loop]))
