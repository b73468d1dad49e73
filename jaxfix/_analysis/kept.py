"""Arguments that a compiled program keeps: defaults, and what a partial has bound.

JAX traces what a call passes. A default that no call replaces, and an argument that
`functools.partial` bound before `jit`, are Python objects while tracing: constants of
the program, as they were then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .call_sites import Unclear, argument, call_sites, callers
from .definitions import resolved
from .finding import CannotFix
from .objects import (
    FunctionValue,
    PartialValue,
    TransformedValue,
    default_of,
    is_data,
)
from .project import Module
from .scopes import local_names, parameter_names

if TYPE_CHECKING:
    from .facts import Facts, Function


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The expression, in `module`, that gave the parameter `name` its object, and how.

    `function` has the parameter. `partial`: the call that bound it, under `root`; None
    if it is a default.
    """

    source: ast.expr
    module: Module
    name: str
    function: FunctionValue
    partial: ast.Call | None = None
    root: TransformedValue | None = None

    @property
    def words(self) -> str:
        if self.partial is not None:
            return f"`{self.name}` is bound by a partial before `jit`"
        return f"`{self.name}` has a default that no call replaces"


def kept(
    facts: Facts,
    value: FunctionValue,
    name: str,
    roots: Iterable[TransformedValue],
    depth: int = 3,
) -> Kept | None:
    """What a parameter of a compiled function is in all programs, if it is kept."""
    if not isinstance(value.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if name not in parameter_names(value.node):
        return None
    for root in roots:
        call = partial_under(facts, root, value)
        bound = dict(bound_by(call, value)).get(name) if call is not None else None
        if bound is not None:
            return Kept(bound, root.module, name, value, call, root)
    return from_calls(facts, value, name, roots, depth)


def from_calls(
    facts: Facts,
    value: FunctionValue,
    name: str,
    roots: Iterable[TransformedValue],
    depth: int,
) -> Kept | None:
    """The default of a parameter, or what a compiled caller keeps and hands on."""
    default = default_of(value.node, name)
    found: dict[int, Kept] = {}
    for site in call_sites(facts, value.node):
        try:
            given = argument(site, name)
        except Unclear:
            return None
        if given is None:
            if default is None or isinstance(default, ast.Constant):
                return None  # nothing changes a constant
            found[id(default)] = Kept(default, value.module, name, value)
            continue
        if not isinstance(given, ast.Name) or not depth:
            return None
        for caller in callers(facts, site):
            outer = caller.definition
            above = (
                kept(facts, outer, given.id, users(facts, outer), depth - 1)
                if outer is not None
                else None
            )
            if above is None:
                return None
            found[id(above.source)] = above
    return next(iter(found.values())) if len(found) == 1 else None


def users(facts: Facts, value: FunctionValue) -> list[TransformedValue]:
    return facts.interpreter.called.get(id(value.node), [])


def partial_under(
    facts: Facts, root: TransformedValue, value: FunctionValue
) -> ast.Call | None:
    """The call of `functools.partial` that a transform of `value` is applied to."""
    partial = root.function
    if not isinstance(partial, PartialValue) or partial.function != value:
        return None
    owner = code_around(facts, root)
    if owner is None or not isinstance(root.node, ast.Call) or not root.node.args:
        return None
    call = resolved(owner, root.node.args[0])
    if not isinstance(call, ast.Call) or len(call.args) != len(partial.args) + 1:
        return None
    return call


def bound_by(call: ast.Call, value: FunctionValue) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that a call of `functools.partial` binds, and to what."""
    yield from zip(parameter_names(value.node), call.args[1:], strict=False)
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def code_around(facts: Facts, root: TransformedValue) -> Function | None:
    """The function, or the module, in which a transform is applied."""
    for outer in root.module.ancestors(root.node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return facts.function(outer)
    return facts.module_code(root.module)


def calls_to_mend(facts: Facts, one: Kept) -> list[ast.Call]:
    """The calls that can hand over what they now leave to a default or a partial.

    Raises:
      CannotFix: it has no name that all of them can use, or is no pytree of numbers.
    """
    source = one.source
    if not isinstance(source, ast.Name):
        raise CannotFix(f"{one.words}: pass it at the calls")
    value = one.module.globals.get(source.id)
    if value is None or not is_data(value):
        raise CannotFix(f"{one.words}, and it is not made of numbers and arrays")
    if one.partial is not None:
        check_partial(one, one.partial)
    calls: list[ast.Call] = []
    for site in call_sites(facts, one.function.node):
        if one.root is not None and site.callee != one.root:
            continue
        place = f"line {getattr(site.call.node, 'lineno', 0)}"
        if site.node is None or site.call.module is not one.module:
            raise CannotFix(f"{one.words}, and a call is in another file ({place})")
        for caller in callers(facts, site):
            if caller.under:
                raise CannotFix(f"{one.words}, and compiled code calls it ({place})")
            if isinstance(caller.node, ast.Module):
                continue
            if source.id in local_names(caller.node):
                raise CannotFix(f"`{source.id}` means something else on {place}")
        calls.append(site.node)
    return calls


def check_partial(one: Kept, call: ast.Call) -> None:
    """Can the function be compiled without the partial?

    Raises:
      CannotFix: the partial binds more, or options of the transform count arguments.
    """
    if len(call.args) + len(call.keywords) != 2:
        raise CannotFix(f"{one.words}, with other arguments")
    if one.root is None or one.root.options or one.root.transform != "jax.jit":
        raise CannotFix(f"{one.words} with options: pass it at the calls")
    parent = one.module.parent(one.root.node)
    if not isinstance(parent, ast.Assign) or one.root.node not in (parent.value,):
        raise CannotFix(f"{one.words}, and not all of its calls are seen")
