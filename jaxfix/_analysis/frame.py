"""One call in progress: where the interpreter stands and what it has seen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .finding import Evidence
from .objects import (
    FunctionValue,
    Scope,
)
from .project import Module
from .values import (
    Array,
    Unknown,
    Value,
    Why,
    join,
)

if TYPE_CHECKING:
    from .interpret import Interpreter

State = dict[str, Value]

# How each kind of expression is evaluated; `expressions` fills it.
HANDLERS: dict[type[ast.expr], Callable[[Frame, Any], Value]] = {}


@dataclass(slots=True)
class Loop:
    """A loop in progress: the variables at each `break` and `continue`.

    `depth` is the number of enclosing choices; `traced_exit` the traced test under
    which the loop is left or cut short.
    """

    depth: int = 0
    traced_exit: Array | None = None
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a function (or a module body, a class body).

    `under`: some transform is at work, so values may be tracers. `staging`: the whole
    function is staged out (jit, scan, ...), so that every `jnp` call makes a tracer
    even of constants; under `vmap` alone it does not. `linear`: differentiation alone
    is at work, so tracers have values; nothing is stored outside of the function.
    """

    interp: Interpreter
    module: Module
    scope: Scope
    function: FunctionValue | None = None
    under: bool = False
    staging: bool = False
    stack: tuple[ast.AST, ...] = ()
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    choices: list[Array | None] = field(default_factory=list)  # tests of open branches
    traced_return: Array | None = None
    linear: bool = False
    trace: int = 0  # the number of the innermost trace, 0 for plain Python

    def note_exit(self, loop: Loop | None) -> None:
        """`break`/`continue` of `loop`, or `return` (None): under a traced test?"""
        for enclosing in reversed(self.loops):
            test = next((c for c in self.choices[enclosing.depth + 1 :] if c), None)
            enclosing.traced_exit = enclosing.traced_exit or test
            if enclosing is loop:
                return
        if loop is None and self.traced_return is None:
            self.traced_return = next((c for c in self.choices if c), None)

    def evaluate(self, node: ast.expr) -> Value:
        """The abstract value of an expression, which is also recorded."""
        handler = HANDLERS.get(type(node))
        value = handler(self, node) if handler is not None else Unknown()
        return self.interp.record(self, node, value)

    def execute(self, body: Sequence[ast.stmt]) -> bool:
        """Run statements; whether control falls through to the end."""
        return self.interp.execute(self, body)

    def call(
        self,
        function: Value,
        args: Sequence[Value],
        keywords: dict[str, Value] | None = None,
        node: ast.AST | None = None,
    ) -> Value:
        return self.interp.call(self, function, list(args), keywords or {}, node)

    def evidence(self, node: ast.AST, text: str) -> Evidence:
        return Evidence(self.module.path, getattr(node, "lineno", 1), text)

    def why(self, node: ast.AST, text: str, before: Why | None = None) -> Why:
        return Why(self.evidence(node, text), before)

    # --- variables

    def read(self, name: str) -> Value:
        scope = self.scope
        value = scope.vars.get(name)
        if (
            value is not None
            and name not in scope.global_names
            and name not in scope.nonlocal_names
        ):
            return value
        owner = scope.owner_of(name)
        if owner is not None:
            return owner.vars[name]
        return self.interp.global_value(self, self.module, name)

    def write(self, name: str, value: Value) -> None:
        scope = self.scope
        if name in scope.global_names:
            if not self.linear:
                self.interp.write_global(self.module, name, value)
            return
        if name in scope.nonlocal_names:
            owner = scope.owner_of(name)
            if owner is not None and not self.linear:
                owner.vars[name] = join(owner.vars[name], value)
            return
        # Of a module's own scope, these are the globals.
        scope.vars[name] = value

    def snapshot(self) -> State:
        return dict(self.scope.vars)

    def restore(self, state: State) -> None:
        # In place: the module's globals are the variables of its scope.
        self.scope.vars.clear()
        self.scope.vars.update(state)

    def both(self, first: Callable[[], bool], second: Callable[[], bool]) -> bool:
        """Run two alternatives from the same state and join what falls through."""
        before = self.snapshot()
        falls_first = first()
        after_first = self.snapshot()
        self.restore(before)
        falls_second = second()
        if falls_first and falls_second:
            self.restore(join_states(after_first, self.snapshot()))
        elif falls_first:
            self.restore(after_first)
        return falls_first or falls_second


def join_states(a: State, b: State) -> State:
    """Variables after a join. One that only one side binds is kept as it is there."""
    if a == b:
        return a
    out = dict(a)
    for name, value in b.items():
        out[name] = join(a[name], value) if name in a else value
    return out


def join_all(values: Sequence[Value]) -> Value:
    if not values:
        return Unknown()
    out = values[0]
    for value in values[1:]:
        out = join(out, value)
    return out


def inner_frame(frame: Frame, *, staging: bool) -> Frame:
    return Frame(
        frame.interp,
        frame.module,
        frame.scope,
        frame.function,
        True,
        staging or frame.staging,
        frame.stack,
        trace=frame.interp.new_trace(),
    )
