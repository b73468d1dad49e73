"""Random keys: which calls consume a key, and which are consumed twice on one path.

The statements of a function are walked in the order in which they run, with the keys
that have been consumed so far. Loops are walked twice, so that what the first iteration
leaves meets the second. After a branch that may not have been taken, only a use that
follows in any case counts: two branches on one condition exclude each other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .definitions import statement_of
from .facts import Facts, Function
from .flow import exits
from .kept_keys import is_fed_back, is_kept
from .objects import (
    BoundValue,
    FunctionNode,
    FunctionValue,
    PartialValue,
    TransformedValue,
)
from .scopes import (
    children,
    local_names,
    parameter_names,
    reads,
    scope_body,
    walk,
    writes,
)
from .values import Array, Lib, Value, is_static

RANDOM = "jax.random."
MAKES_KEY = frozenset({"jax.random.key", "jax.random.PRNGKey"})
NOT_CONSUMING = MAKES_KEY | {
    "jax.random.fold_in",
    "jax.random.key_data",
    "jax.random.wrap_key_data",
    "jax.random.key_impl",
    "jax.random.clone",
}
LOOP_BODIES = {
    "jax.lax.scan": (0,),
    "jax.lax.fori_loop": (2,),
    "jax.lax.while_loop": (1,),
    "jax.lax.map": (0,),
}
# Where the functions stand of which one is called, and where their arguments begin.
CHOICES = {"jax.lax.cond": (1, 2, 3), "jax.lax.switch": (1, 2)}
# Transforms that call their function once for a call, with the keys that it is given.
CALLS_ONCE = frozenset({"jit", "filter_jit", "pjit", "vmap", "filter_vmap"})
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Use:
    """A call that consumed a key; `certain` on every path that comes here."""

    node: ast.Call
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Reuse:
    """A second use of the key `name`; `first` is the call that used it before."""

    node: ast.Call
    name: str
    first: ast.Call


State = dict[str, Use]


@dataclass(slots=True)
class Walk:
    """One walk over the body of a function."""

    fn: Function
    depth: int = MAX_DEPTH
    found: dict[int, Reuse] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # consumed for certain, before a rebind
    rebound: set[str] = field(default_factory=set)
    alias: dict[str, str] = field(default_factory=dict)
    conditional: int = 0  # how many choices surround the statement
    may_have_left: bool = False

    def block(self, stmts: Sequence[ast.stmt], state: State) -> bool:
        """Walk statements; whether control falls through."""
        return all(self.statement(stmt, state) for stmt in stmts)

    def statement(self, stmt: ast.stmt, state: State) -> bool:
        match stmt:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return True
            case ast.If():
                self.expression(stmt.test, state)
                return self.branches([stmt.body, stmt.orelse], state)
            case ast.Match():
                self.expression(stmt.subject, state)
                bodies = [case.body for case in stmt.cases]
                return self.branches([*bodies, []], state)
            case ast.For() | ast.AsyncFor():
                self.expression(stmt.iter, state)
                self.loop(stmt, state)
                return True
            case ast.While():
                self.loop(stmt, state)
                return True
            case ast.Try() | ast.TryStar():
                bodies = [[*stmt.body, *stmt.orelse], *(h.body for h in stmt.handlers)]
                falls = self.branches(bodies, state)
                return self.block(stmt.finalbody, state) and falls
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    self.expression(item.context_expr, state)
                return self.block(stmt.body, state)
            case ast.Return() | ast.Raise():
                self.expression(stmt, state)
                return False
            case ast.Break() | ast.Continue():
                return False
            case _:
                self.expression(stmt, state)
                self.bind(stmt, state)
                return True

    def branches(self, bodies: Sequence[Sequence[ast.stmt]], state: State) -> bool:
        self.conditional += 1
        ends: list[State] = []
        for body in bodies:
            inner = {k: u for k, u in state.items() if u.certain}
            before = dict(self.alias)
            if self.block(body, inner):
                ends.append(inner)
            self.alias = before
            for name in writes(list(body)):
                self.forget(name, {})
        self.conditional -= 1
        uncertain = {k: u for k, u in state.items() if not u.certain}
        rebound = {n for body in bodies for n in writes(list(body))}
        state.clear()
        for end in ends:
            for name, use in end.items():
                everywhere = all(name in other for other in ends)
                state[name] = use if everywhere else Use(use.node, certain=False)
        for name, use in uncertain.items():
            if root(name) not in rebound:
                state.setdefault(name, use)
        self.may_have_left = self.may_have_left or len(ends) < len(bodies)
        return bool(ends)

    def loop(self, stmt: ast.For | ast.AsyncFor | ast.While, state: State) -> None:
        once = exits(stmt.body) <= {"return", "break", "raise"}
        self.conditional += 1
        for _ in range(1 if once else 2):
            if isinstance(stmt, ast.While):
                self.expression(stmt.test, state)
            else:
                self.unbind(writes([stmt.target]), state)
            if not self.block(stmt.body, state):
                break
        self.block(stmt.orelse, state)
        self.conditional -= 1

    # --- names

    def bind(self, stmt: ast.stmt, state: State) -> None:
        self.unbind(changed(stmt), state)
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if isinstance(value, ast.Name):
                    self.alias[name] = self.canonical(value.id)
                elif self.is_constant_key(value):
                    self.alias[name] = f"{name}@{id(value)}"

    def unbind(self, names: Sequence[str], state: State) -> None:
        for name in names:
            self.forget(name, state)
            self.rebound.add(name)

    def forget(self, name: str, state: State) -> None:
        self.alias.pop(name, None)
        for key in [k for k in state if is_part(k, name) and not is_constant(k)]:
            del state[key]

    def forget_attributes(self, call: ast.Call, state: State) -> None:
        """A function of the project may give new keys to the objects that it gets."""
        if self.fn.library(call) is not None:
            return
        given = arguments(call)
        if isinstance(call.func, ast.Attribute):
            given.append(call.func.value)
        for value in given:
            base = path_of(value)
            for key in [k for k in state if base and is_part(k, base) and k != base]:
                del state[key]

    def canonical(self, name: str) -> str:
        return self.alias.get(name, name)

    def is_constant_key(self, node: ast.expr) -> bool:
        """`jax.random.key(0)`"""
        return (
            isinstance(node, ast.Call)
            and self.fn.library(node) in MAKES_KEY
            and bool(node.args)
            and isinstance(node.args[0], ast.Constant)
        )

    # --- calls

    def expression(self, node: ast.AST, state: State) -> None:
        for call in calls_in_order(node):
            if isinstance(call, ast.IfExp):
                self.branches([[ast.Expr(call.body)], [ast.Expr(call.orelse)]], state)
                continue
            if isinstance(call, ast.BoolOp):
                rest = [ast.Expr(v) for v in call.values[1:]]
                self.branches([rest, []], state)
                continue
            if not isinstance(call, ast.Call):
                self.comprehension(call, state)
                continue
            if self.fn.library(call) in CHOICES:
                self.choice(call, state)
                continue
            for key in consumed(self.fn, call, self.depth):
                self.consume(call, key, state)
            self.forget_attributes(call, state)

    def choice(self, call: ast.Call, state: State) -> None:
        """`lax.cond`: each branch meets what was consumed before; one of them runs."""
        ends: list[State] = []
        self.conditional += 1
        for keys in consumed_by_branches(self.fn, call, self.depth):
            inner = {k: u for k, u in state.items() if u.certain}
            for key in keys:
                self.consume(call, key, inner)
            ends.append(inner)
        self.conditional -= 1
        for end in ends:
            for name in end.keys() - state.keys():
                state[name] = Use(call, certain=all(name in e for e in ends))

    def comprehension(self, node: ast.AST, state: State) -> None:
        generators: list[ast.comprehension] = getattr(node, "generators", [])
        own = set(writes([g.target for g in generators]))
        parts = [getattr(node, n) for n in ("elt", "key", "value") if hasattr(node, n)]
        for _ in range(2):
            for name in own:
                self.forget(name, state)
            for part in parts:
                self.expression(part, state)

    def consume(self, call: ast.Call, key: ast.expr, state: State) -> None:
        text = path_of(key)
        if text is not None:
            name = self.canonical(text)
        elif self.is_constant_key(key):
            text = ast.unparse(key)
            name = f"{text}@{id(key)}"
        else:
            return
        first = state.get(name)
        if first is not None:
            if is_meant(self.fn, first.node, call):
                return
            if self.is_demonstration(name, first.node, call):
                return
            self.found.setdefault(id(call), Reuse(call, text, first.node))
            return
        state[name] = Use(call)
        always = not self.conditional and not self.may_have_left
        if always and name not in self.rebound:
            self.used.add(name)

    def is_demonstration(self, name: str, first: ast.Call, second: ast.Call) -> bool:
        """Does a driver try functions out, with a key made of a constant?"""
        if is_constant(name) and first is second and self.fn.library(first):
            assigned = set(writes(scope_body(self.fn.node)))
            others = arguments(second)[1:]
            return any(n in assigned for a in others for n in reads(a))
        own = self.fn.node
        local = () if isinstance(own, ast.Module) else local_names(own)
        if is_constant(name) or root(name) not in local:
            return None in (self.fn.library(first), self.fn.library(second))
        return False


def is_constant(name: str) -> bool:
    return "@" in name


def changed(stmt: ast.stmt) -> list[str]:
    """The names and attributes that a statement binds."""
    names = list(writes([stmt]))
    for node in walk(stmt):
        if not isinstance(node, ast.Attribute | ast.Subscript):
            continue
        if not isinstance(node.ctx, ast.Load) and (path := path_of(node)):
            names.append(path)
    return names


def own_calls(fn: Function) -> Iterator[ast.Call]:
    """The calls of a function, without those of nested functions, in any order."""
    return (n for n in fn.walk() if isinstance(n, ast.Call))


def calls_in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Calls, choices and comprehensions, arguments before their call."""
    if isinstance(node, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef):
        return
    if isinstance(node, ast.IfExp):
        yield from calls_in_order(node.test)
        yield node
        return
    if isinstance(node, ast.BoolOp):
        yield from calls_in_order(node.values[0])
        yield node
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        yield from calls_in_order(node.generators[0].iter)
        yield node
        return
    for child in children(node):
        yield from calls_in_order(child)
    if isinstance(node, ast.Call):
        yield node


def path_of(node: ast.expr) -> str | None:
    """`key`, `self.key`, `keys[0]`: an expression that stands for one object."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            base = path_of(value)
            return f"{base}.{attr}" if base is not None else None
        case ast.Subscript(
            value=value, slice=ast.Constant(value=int() | str() as index)
        ):
            base = path_of(value)
            return f"{base}[{index!r}]" if base is not None else None
        case _:
            return None


def is_part(path: str, base: str) -> bool:
    """Is `path` the object `base`, or an attribute or item of it?"""
    return path == base or path.startswith((f"{base}.", f"{base}["))


def root(path: str) -> str:
    return path.partition("@")[0].partition(".")[0].partition("[")[0]


# --- who consumes


def consumed(fn: Function, call: ast.Call, depth: int) -> list[ast.expr]:
    """The arguments of a call that are keys and that it consumes for certain."""
    callees = list(fn.callees(call))
    if len(callees) != 1:
        return []
    match callees[0]:
        case Lib(name=name):
            if not name.startswith(RANDOM) or name in NOT_CONSUMING:
                return []
            named = {k.arg: k.value for k in call.keywords}
            key = call.args[0] if call.args else named.get("key")
            return [key] if key is not None else []
        case callee if depth > 0:
            return _consumed_by(fn, call, callee, depth)
        case _:
            return []


def consumed_by_branches(
    fn: Function, call: ast.Call, depth: int
) -> Iterator[list[ast.expr]]:
    """The keys that each branch of a `lax.cond` or `lax.switch` consumes for certain.

    As the operands that it is given, or as variables of the function around it.
    """
    *places, start = CHOICES[fn.library(call) or ""]
    if depth <= 0 or any(isinstance(a, ast.Starred) for a in call.args):
        return
    branches = [call.args[i] for i in places if i < len(call.args)]
    if len(places) == 1 and branches and isinstance(branches[0], ast.Tuple | ast.List):
        branches = branches[0].elts
    for branch in branches:
        value = fn.value(branch)
        inner = (
            fn.facts.function(value.node) if isinstance(value, FunctionValue) else None
        )
        if inner is None or isinstance(inner.node, ast.Module):
            continue
        used = walked(inner, depth - 1).used
        names = parameter_names(inner.node)
        given = dict(zip(names, call.args[start:], strict=False))
        local = {*local_names(inner.node), *names}
        yield [
            *(key for name, key in given.items() if name in used),
            *(
                ast.parse(u, mode="eval").body
                for u in sorted(used)
                if is_outer(u, local)
            ),
        ]


def is_outer(path: str, local: set[str]) -> bool:
    """Does a consumed key belong to the code around a function?"""
    return not is_constant(path) and root(path) not in local


def _consumed_by(
    fn: Function, call: ast.Call, callee: Value, depth: int
) -> list[ast.expr]:
    skip = 0
    while not isinstance(callee, FunctionValue):
        match callee:
            case BoundValue():
                skip += 1
                callee = callee.function
            case TransformedValue() if is_inner(fn, callee):
                callee = callee.function
            case PartialValue(args=()):
                callee = callee.function
            case _:
                return []
    if callee.is_generator or any(isinstance(a, ast.Starred) for a in call.args):
        return []
    names = consumed_parameters(fn.facts, callee.node, depth - 1)
    if not names:
        return []
    spec = callee.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)][skip:]
    pairs = [*zip(positional, call.args, strict=False)]
    pairs += [(k.arg, k.value) for k in call.keywords if k.arg is not None]
    return [value for name, value in pairs if name in names]


def is_inner(fn: Function, callee: TransformedValue) -> bool:
    """A compiled function called from compiled code; drivers call as they like."""
    return fn.under and callee.transform.rpartition(".")[2] in CALLS_ONCE


def consumed_parameters(
    facts: Facts, node: FunctionNode, depth: int = MAX_DEPTH
) -> frozenset[str]:
    """The parameters that every call of the function consumes as keys."""
    fn = facts.function(node)
    if fn is None:
        return frozenset()
    known = facts.consumed_keys.get(id(node))
    if known is not None:
        return known
    facts.consumed_keys[id(node)] = frozenset()
    walk = walked(fn, depth)
    found = frozenset(walk.used) & frozenset(parameter_names(node))
    facts.consumed_keys[id(node)] = found
    return found


def walked(fn: Function, depth: int = MAX_DEPTH) -> Walk:
    walk = Walk(fn, depth)
    if not any(consumed(fn, call, depth) for call in own_calls(fn)):
        return walk
    if isinstance(fn.node, ast.Lambda):
        walk.expression(fn.node.body, {})
    else:
        walk.block(fn.node.body, {})
    return walk


# --- uses of one key that are meant

SHUFFLES = frozenset({"jax.random.permutation", "jax.random.shuffle"})


def is_meant(fn: Function, first: ast.Call, second: ast.Call) -> bool:
    """Are two uses of one key a known way to get the same numbers twice?

    Several arrays are shuffled alike; a function is evaluated on two inputs with the
    same noise; of several draws, masks leave one.
    """
    names = {fn.library(first), fn.library(second)}
    if names <= SHUFFLES:
        return True
    if names == {None} and same_callee(fn, first, second):
        return on_other_data(fn, first, second) and not is_chained(fn, first, second)
    return are_twins(fn, first, second) or masks_exclude(fn, first, second)


def is_chained(fn: Function, first: ast.Call, second: ast.Call) -> bool:
    """Does compiled code give the second call what became of the first one's result?

    A driver may well apply one step again and again, to measure it.
    """
    if not fn.under:
        return False
    if any(node is first for a in arguments(second) for node in ast.walk(a)):
        return True
    start = statement_of(fn, first)
    end = statement_of(fn, second)
    if start is None or end is None:
        return False
    derived = set(writes([start]))
    for stmt in (n for n in fn.walk() if isinstance(n, ast.Assign | ast.AugAssign)):
        if start.lineno < stmt.lineno < end.lineno and derived & {*reads(stmt)}:
            derived |= {*writes([stmt])}
    return any(derived & {*reads(a)} for a in arguments(second))


def are_twins(fn: Function, first: ast.Call, second: ast.Call) -> bool:
    """Do two functions get the same several keys, to make the same thing two ways?"""
    mine, other = (
        [ast.unparse(key) for key in consumed(fn, call, MAX_DEPTH)]
        for call in (first, second)
    )
    return len(mine) > 1 and mine == other


def same_callee(fn: Function, first: ast.Call, second: ast.Call) -> bool:
    return list(fn.callees(first)) == list(fn.callees(second))


def on_other_data(fn: Function, first: ast.Call, second: ast.Call) -> bool:
    """Do the calls differ in an argument that is not known while tracing?"""
    for call, other in ((first, second), (second, first)):
        given = (
            {ast.unparse(a) for a in arguments(other)} if other is not call else set()
        )
        for argument in arguments(call):
            value = fn.value(argument) or fn.host_value(argument)
            if value is not None and is_static(value) and not isinstance(value, Array):
                continue
            if ast.unparse(argument) not in given:
                return True
    return False


def arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def masks_exclude(fn: Function, first: ast.Call, second: ast.Call) -> bool:
    """`draw * (kind == 0)` and `draw * (kind == 1)`."""
    mine, other = masks(fn, first), masks(fn, second)
    return any(mine[name] != other[name] for name in mine.keys() & other.keys())


def masks(fn: Function, call: ast.Call) -> dict[str, str]:
    """`{"kind": "0"}` of a draw that is multiplied by `kind == 0`."""
    top: ast.AST = call
    while isinstance(up := fn.module.parent(top), ast.BinOp) and isinstance(
        up.op, ast.Mult
    ):
        top = up
    return {
        ast.unparse(node.left): ast.unparse(node.comparators[0])
        for node in ast.walk(top)
        if isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Eq)
        and isinstance(node.comparators[0], ast.Constant)
    }


# --- what a rule asks


def reuses(fn: Function) -> dict[int, Reuse]:
    """The calls of a function that consume a key again, by the identity of the call."""
    known = fn.facts.key_reuses.get(id(fn.node))
    if known is None:
        walk = walked(fn)
        known = dict(walk.found)
        if not isinstance(fn.node, ast.Module) and is_loop_body(fn):
            known |= captured(fn, walk)
        known |= carried_on(fn, walk)
        fn.facts.key_reuses[id(fn.node)] = known
    return known


def captured(fn: Function, walk: Walk) -> dict[int, Reuse]:
    """Keys from outside that the body of a compiled loop consumes in each iteration."""
    assert not isinstance(fn.node, ast.Module), "a module is no body of a loop"
    local = set(local_names(fn.node))
    found: dict[int, Reuse] = {}
    for call in own_calls(fn) if walk.used else ():
        for key in consumed(fn, call, MAX_DEPTH):
            text = path_of(key)
            if text in walk.used and root(text) not in local:
                found[id(call)] = Reuse(call, text, call)
    return found


def carried_on(fn: Function, walk: Walk) -> dict[int, Reuse]:
    """Keys in a state that comes back with the same key, for the next round."""
    found: dict[int, Reuse] = {}
    changed_too = {root(name) for name in walk.rebound}
    kept = {p for p in walk.used if root(p) not in changed_too and is_kept(fn, p)}
    for call in own_calls(fn) if kept else ():
        for key in consumed(fn, call, MAX_DEPTH):
            text = path_of(key)
            if text in kept and (is_loop_body(fn) or is_fed_back(fn, root(text))):
                found[id(call)] = Reuse(call, text, call)
    return found


def is_loop_body(fn: Function) -> bool:
    """Is the function the body of `lax.scan`, `fori_loop`, `while_loop` or `map`?"""
    bodies = fn.facts.loop_bodies
    if bodies is None:
        bodies = set()
        for call in fn.facts.interpreter.calls.values():
            for callee in call.callees:
                places = (
                    LOOP_BODIES.get(callee.name, ()) if isinstance(callee, Lib) else ()
                )
                for args, keywords in call.args:
                    given = [args[i] for i in places if i < len(args)]
                    given += [
                        v for k, v in keywords if k in ("f", "body_fun") and places
                    ]
                    bodies |= {
                        id(v.node) for v in given if isinstance(v, FunctionValue)
                    }
        fn.facts.loop_bodies = bodies
    return id(fn.node) in bodies


__all__ = ["Reuse", "consumed_parameters", "reuses"]


def in_test(fn: Function) -> bool:
    """A test draws twice from one key on purpose: to compare what it gets."""
    return any(
        part.removeprefix("_").startswith(("test", "Test"))
        for part in fn.qualname.split(".")
    )
