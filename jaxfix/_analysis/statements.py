"""Abstract execution of statements. Each returns whether control falls through."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import python_calls, special_methods, state
from .expressions import (
    attribute,
    item,
    library,
    make_function,
    merge_dicts,
    merge_traced,
    operate,
    quiet,
    refine,
    truth,
)
from .frame import Frame, Loop, State, join_all, join_states
from .indexing import STORING, out_of
from .objects import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    MethodValue,
    ModuleValue,
    PartialValue,
    Scope,
    TransformedValue,
)
from .patterns import elements, matched, under_key
from .project import absolute_import
from .truthiness import asked
from .values import (
    Array,
    Const,
    Dict,
    Lib,
    Seq,
    Static,
    Union,
    Unknown,
    Value,
    alternatives,
    element,
    holds_tracer,
    join,
    replace,
    tracer,
    type_name,
    with_why,
)

MAX_PASSES = 4


# --- simple statements


def _expr(frame: Frame, node: ast.Expr) -> bool:
    value = frame.evaluate(node.value)
    match node.value:
        case ast.Call(func=function) as call if (
            isinstance(found := quiet(frame, function), Lib)
            and (place := out_of(found.name, call)) is not None
        ):
            new = stored(quiet(frame, place), Unknown(), value)
            if new is not None:
                store(frame, place, new)
        case ast.Call(func=function, args=[place, *given]) if (
            isinstance(found := quiet(frame, function), Lib) and found.name in STORING
        ):
            filled(frame, place, given)
        case ast.Call(func=ast.Attribute(value=place, attr="fill"), args=given) if (
            isinstance(found := quiet(frame, place), Array) and found.host
        ):
            filled(frame, place, given)
    return True


def filled(frame: Frame, place: ast.expr, given: Sequence[ast.expr]) -> None:
    """The array at a place holds what a call is given to store there."""
    for value in [frame.evaluate(arg) for arg in given]:
        new = stored(quiet(frame, place), Unknown(), value)
        if new is not None:
            store(frame, place, new)


def _assign(frame: Frame, node: ast.Assign) -> bool:
    value = explained(frame, node, frame.evaluate(node.value), node.targets[0])
    for target in node.targets:
        assign(frame, target, value)
    return True


def explained(frame: Frame, node: ast.stmt, value: Value, target: ast.expr) -> Value:
    """The value, with "`y` is computed from ..." added to its reasons."""
    source = getattr(node, "value", None)
    if (
        frame.under
        and isinstance(value, Array)
        and value.traced
        and value.why is not None
        and isinstance(target, ast.Name)
        and isinstance(source, ast.expr)
        and not isinstance(source, ast.Name)
        and len(value.why.chain()) < 6
    ):
        text = f"`{target.id}` is computed from it"
        return with_why(value, frame.why(node, text, value.why))
    return value


def _annassign(frame: Frame, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        assign(frame, node.target, frame.evaluate(node.value))
    return True


def _augassign(frame: Frame, node: ast.AugAssign) -> bool:
    target = node.target
    old = frame.evaluate(target)
    right = frame.evaluate(node.value)
    if isinstance(old, Seq) and old.kind == "list" and isinstance(node.op, ast.Add):
        new: Value = extend(old, right, frame)
    else:
        own = special_methods.augmented(frame, type(node.op), old, right)
        new = own if own is not None else operate(frame, type(node.op), old, right)
    frame.interp.record(frame, node, new)
    assign(frame, target, explained(frame, node, new, target))
    return True


def extend(old: Seq, more: Value, frame: Frame) -> Seq:
    items = python_calls.known_items(more)
    if old.items is not None and items is not None:
        return Seq(old.kind, (*old.items, *items))
    inner = python_calls.iterate(frame, more)
    return Seq(old.kind, None, join(element(old), inner) if _has_items(old) else inner)


def _has_items(seq: Seq) -> bool:
    return seq.items is None or bool(seq.items)


def _return(frame: Frame, node: ast.Return) -> bool:
    value = frame.evaluate(node.value) if node.value is not None else Const(None)
    frame.interp.record(frame, node, value)
    frame.returns.append(value)
    frame.note_exit(None)
    return False


def _break(frame: Frame, node: ast.Break) -> bool:
    if frame.loops:
        frame.loops[-1].breaks.append(frame.snapshot())
        frame.note_exit(frame.loops[-1])
    return False


def _continue(frame: Frame, node: ast.Continue) -> bool:
    if frame.loops:
        frame.loops[-1].continues.append(frame.snapshot())
        frame.note_exit(frame.loops[-1])
    return False


def _raise(frame: Frame, node: ast.Raise) -> bool:
    for part in (node.exc, node.cause):
        if part is not None:
            frame.evaluate(part)
    return False


def _assert(frame: Frame, node: ast.Assert) -> bool:
    asked(frame, node.test)
    if node.msg is not None:
        frame.evaluate(node.msg)
    refine(frame, node.test, True)
    return True


def _delete(frame: Frame, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.scope.vars.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            base = frame.evaluate(target.value)
            index = frame.evaluate(target.slice)
            state.note_item(frame, target, base, [])
            if isinstance(base, Seq) and base.items is not None:
                match index:
                    case Const(value=int(i)) if -len(base.items) <= i < len(base.items):
                        items = list(base.items)
                        del items[i]
                        store(frame, target.value, replace(base, items=tuple(items)))
                    case _:
                        shrunk = replace(base, items=None, elem=element(base))
                        store(frame, target.value, shrunk)
            elif isinstance(base, Dict):
                store(frame, target.value, without_key(base, index))
    return True


def without_key(base: Dict, key: Value) -> Dict:
    if base.items is not None and isinstance(key, Const):
        return Dict(tuple((k, v) for k, v in base.items if k != key.value))
    return Dict(None, element(base), base.has_words)


def _global(frame: Frame, node: ast.Global) -> bool:
    frame.scope.global_names.update(node.names)
    return True


def _nonlocal(frame: Frame, node: ast.Nonlocal) -> bool:
    frame.scope.nonlocal_names.update(node.names)
    return True


# --- targets


def assign(frame: Frame, target: ast.expr, value: Value) -> None:
    """Bind or store `value`."""
    match target:
        case ast.Name():
            frame.interp.record(frame, target, value)
            state.note_name(frame, target, value)
            frame.write(target.id, value)
        case ast.Tuple() | ast.List():
            unpack(frame, target.elts, value)
        case ast.Starred():
            assign(frame, target.value, value)
        case ast.Attribute():
            base = frame.evaluate(target.value)
            frame.interp.record(frame, target, value)
            state.note_attribute(frame, target, base, value)
            for option in alternatives(base) if not frame.linear else ():
                if isinstance(option, InstanceValue):
                    fresh = not frame.choices and not frame.loops
                    frame.interp.set_attribute(option, target.attr, value, fresh=fresh)
                elif isinstance(option, ModuleValue):
                    frame.interp.write_global(option.module, target.attr, value)
        case ast.Subscript():
            base = frame.evaluate(target.value)
            index = frame.evaluate(target.slice)
            frame.interp.record(frame, target, value)
            state.note_item(frame, target, base, [value])
            new = stored(base, index, value)
            if new is not None:
                store(frame, target.value, new)


def stored(base: Value, index: Value, value: Value) -> Value | None:
    """The container after `base[index] = value`; None if nothing changes for us."""
    match base:
        case Dict():
            if isinstance(index, Const) and base.items is not None:
                return merge_dicts(base, Dict(((index.value, value),)))
            old = element(base) if base.items is None or base.items else value
            is_word = type_name(index) == "str"
            return Dict(None, join(old, value), is_word and base.has_words)
        case Seq(kind="list"):
            match index:
                case Const(value=int(i)) if base.items is not None and (
                    -len(base.items) <= i < len(base.items)
                ):
                    items = list(base.items)
                    items[i] = value
                    return replace(base, items=tuple(items))
                case _:
                    inner = value
                    is_slice = isinstance(index, Static | Const) and (
                        type_name(index) != "int"
                    )
                    if is_slice and isinstance(value, Seq):
                        inner = element(value)
                    return Seq("list", None, join(element(base), inner))
        case Array(traced=False):
            # A store of a tracer into a concrete array: once mended, it is traced.
            for part in (value, index):
                if (found := holds_tracer(part)) is not None:
                    return replace(base, traced=True, host=False, why=found.why)
            return None
        case _:
            return None


def store(frame: Frame, place: ast.expr, value: Value) -> None:
    """Put a changed container back where it came from."""
    if frame.linear and not isinstance(place, ast.Name | ast.Subscript):
        return
    match place:
        case ast.Name():
            owner = frame.scope.owner_of(place.id)
            if owner is frame.scope:
                owner.vars[place.id] = value
            elif owner is not None:
                owner.vars[place.id] = join(owner.vars[place.id], value)
            elif place.id in frame.module.globals and not frame.linear:
                frame.interp.write_global(frame.module, place.id, loosened(value))
        case ast.Attribute():
            base = quiet(frame, place.value)
            if isinstance(base, InstanceValue):
                frame.interp.set_attribute(base, place.attr, value)
        case ast.Subscript():
            base = frame.evaluate(place.value)
            index = frame.evaluate(place.slice)
            new = stored(base, index, value)
            if new is not None:
                store(frame, place.value, new)


def loosened(value: Value) -> Value:
    """A module-level container that functions change: its constants vary."""
    if isinstance(value, Dict) and value.items is not None:
        return Dict(tuple((k, _varying(v)) for k, v in value.items))
    if isinstance(value, Seq) and value.items is not None:
        return Seq(value.kind, tuple(_varying(v) for v in value.items))
    return value


def _varying(value: Value) -> Value:
    if isinstance(value, Const) and value.value is not None:
        return Static(type(value.value).__name__)
    return value


def unpack(frame: Frame, targets: Sequence[ast.expr], value: Value) -> None:
    star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    items = python_calls.known_items(value)
    count = len(targets)
    if items is not None and star is None and len(items) == count:
        parts: list[Value] = list(items)
    elif items is not None and star is not None and len(items) >= count - 1:
        tail = len(items) - (count - star - 1)
        middle = Seq("list", tuple(items[star:tail]))
        parts = [*items[:star], middle, *items[tail:]]
    else:
        parts = [unpacked(frame, value, i) for i in range(count)]
        if star is not None:
            parts[star] = Seq("list", None, python_calls.iterate(frame, value))
    for target, part in zip(targets, parts, strict=True):
        assign(frame, target, part)


def unpacked(frame: Frame, value: Value, index: int) -> Value:
    match value:
        case Union():
            options = [o for o in value.options if o != Const(None)]
            return join_all([unpacked(frame, o, index) for o in options])
        case Array():
            return item(frame, value, Const(index))
        case _:
            return python_calls.iterate(frame, value)


# --- branches


def _if(frame: Frame, node: ast.If) -> bool:
    test = asked(frame, node.test)
    return branches(frame, node, test)


def branches(frame: Frame, node: ast.If, test: Value) -> bool:
    known = truth(test)
    if known is not None:
        refine(frame, node.test, known)
        return frame.execute(node.body if known else node.orelse)
    found = tracer(test)
    choice = found if found is not None and not found.assumed else None
    before = frame.snapshot()
    note_entry(frame, node, before)

    def arm(body: list[ast.stmt], outcome: bool) -> tuple[bool, State]:
        frame.restore(before)
        refine(frame, node.test, outcome)
        frame.choices.append(choice)
        falls = frame.execute(body)
        frame.choices.pop()
        return falls, frame.snapshot()

    falls_true, after_true = arm(node.body, True)
    falls_false, after_false = arm(node.orelse, False)
    if falls_true and falls_false:
        frame.restore(merge_states(after_true, after_false, choice))
    elif falls_true:
        frame.restore(after_true)
    return falls_true or falls_false


def merge_states(a: State, b: State, test: Array | None) -> State:
    """Join two states; what differs is traced where a traced test chose."""
    if test is None:
        return join_states(a, b)
    out = dict(a)
    for name, value in b.items():
        if name not in a:
            out[name] = value
        elif a[name] != value or are_members(a[name], value):
            out[name] = merge_traced(a[name], value, test)
    return out


def note_entry(frame: Frame, node: ast.AST, state: State) -> None:
    if frame.under and not frame.linear:
        frame.interp.note_entry(node, state)


def are_members(a: Value, b: Value) -> bool:
    """Are they members of an enum of integers, of which one may be another one?"""
    return a is not b and all(
        isinstance(v, Static) and v.type == "intenum" for v in (a, b)
    )


# --- loops


def _for(frame: Frame, node: ast.For | ast.AsyncFor) -> bool:
    source = frame.evaluate(node.iter)
    inner = python_calls.iterate(frame, source)
    count = python_calls.loop_tracer(source)

    def start() -> bool:
        assign(frame, node.target, inner)
        return True

    items = python_calls.known_items(source)
    at_least_once = bool(items)
    if items is not None and not items:
        return frame.execute(node.orelse) if node.orelse else True
    return loop(frame, node, start, count, at_least_once=at_least_once, endless=False)


def _while(frame: Frame, node: ast.While) -> bool:
    seen: dict[str, Any] = {}

    def start() -> bool:
        test = asked(frame, node.test)
        found = tracer(test)
        seen["test"] = found if found is not None and not found.assumed else None
        if truth(test) is False:
            return False
        refine(frame, node.test, True)
        return True

    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    return loop(
        frame, node, start, None, at_least_once=endless, endless=endless, seen=seen
    )


def loop(
    frame: Frame,
    node: ast.For | ast.AsyncFor | ast.While,
    start: Callable[[], bool],
    traced: Array | None,
    *,
    at_least_once: bool,
    endless: bool,
    seen: dict[str, Any] | None = None,
) -> bool:
    """Run a loop to a fixed point of its variables.

    A condition may be traced from the second pass on only. What the first one has
    changed is carried all the same: the passes begin anew.
    """
    before = head = frame.snapshot()
    note_entry(frame, node, before)
    record = Loop(depth=len(frame.choices))
    after_pass: list[State] = []
    late: Array | None = None
    passes = 0
    while passes < MAX_PASSES:
        passes += 1
        frame.restore(dict(head))
        record = Loop(depth=len(frame.choices))
        frame.loops.append(record)
        frame.choices.append(traced or (seen or {}).get("test"))
        runs = start()
        test = traced or (seen or {}).get("test")
        frame.choices[-1] = test
        falls = runs and frame.execute(node.body)
        frame.choices.pop()
        frame.loops.pop()
        ends = list(record.continues)
        if falls:
            ends.append(frame.snapshot())
        why = test or record.traced_exit
        after_pass = ends
        if why is not None and late is None and passes > 1:
            late, head, passes = why, before, 0
            continue
        late = late or why
        new_head = dict(head)
        for end in ends:
            new_head = merge_states(new_head, end, late)
        if new_head == head:
            break
        head = new_head
    test = traced or (seen or {}).get("test")
    why = test or record.traced_exit
    if frame.under and not frame.linear:
        frame.interp.note_loop(node, head)
    states: list[State] = []
    if not endless:
        frame.restore(dict(head))
        if isinstance(node, ast.While):
            refine(frame, node.test, False)
        if at_least_once and after_pass:
            base = after_pass[0]
            for end in after_pass[1:]:
                base = merge_states(base, end, why)
            frame.restore(merge_states(frame.snapshot(), base, why))
        if frame.execute(node.orelse):
            states.append(frame.snapshot())
    states += record.breaks
    if not states:
        return False
    out = states[0]
    for other in states[1:]:
        out = merge_states(out, other, why)
    frame.restore(out)
    return True


# --- other compound statements


def _with(frame: Frame, node: ast.With | ast.AsyncWith) -> bool:
    under, staging = frame.under, frame.staging
    for with_item in node.items:
        value = frame.evaluate(with_item.context_expr)
        if with_item.optional_vars is not None:
            assign(frame, with_item.optional_vars, Unknown())
        if value == Lib("jax.ensure_compile_time_eval()"):
            frame.under = frame.staging = False
    falls = frame.execute(node.body)
    frame.under, frame.staging = under, staging
    return falls


def _try(frame: Frame, node: ast.Try) -> bool:
    before = frame.snapshot()
    falls = frame.execute(node.body)
    after_body = frame.snapshot()
    if falls and node.orelse:
        falls = frame.execute(node.orelse)
    ends: list[State] = [frame.snapshot()] if falls else []
    for handler in node.handlers:
        frame.restore(join_states(dict(before), after_body))
        if handler.type is not None:
            frame.evaluate(handler.type)
        if handler.name:
            frame.write(handler.name, Unknown())
        if frame.execute(handler.body):
            ends.append(frame.snapshot())
    if ends:
        state = ends[0]
        for other in ends[1:]:
            state = join_states(state, other)
        frame.restore(state)
    final = frame.execute(node.finalbody) if node.finalbody else True
    return bool(ends) and final


def _match(frame: Frame, node: ast.Match) -> bool:
    subject = frame.evaluate(node.subject)
    choice = matched(subject, node)
    before = frame.snapshot()
    ends: list[State] = []
    exhaustive = False
    for case in node.cases:
        frame.restore(dict(before))
        bind_pattern(frame, case.pattern, subject)
        frame.choices.append(choice)
        if case.guard is not None:
            asked = tracer(frame.evaluate(case.guard))
            if choice is None and asked is not None and not asked.assumed:
                choice = asked
        elif is_irrefutable(case.pattern):
            exhaustive = True
        if frame.execute(case.body):
            ends.append(frame.snapshot())
        frame.choices.pop()
    if not exhaustive:
        ends.append(dict(before))
    if not ends:
        return False
    state = ends[0]
    for other in ends[1:]:
        state = merge_states(state, other, choice)
    frame.restore(state)
    return True


def is_irrefutable(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def bind_pattern(frame: Frame, pattern: ast.pattern, subject: Value) -> None:
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                bind_pattern(frame, inner, subject)
            if name is not None:
                frame.write(name, subject)
        case ast.MatchOr(patterns=patterns):
            for one in patterns:
                bind_pattern(frame, one, subject)
        case ast.MatchSequence(patterns=patterns) if elements(subject, patterns):
            for one, value in zip(patterns, elements(subject, patterns), strict=True):
                bind_pattern(frame, one, value)
        case ast.MatchMapping(keys=keys, patterns=patterns, rest=None) if all(
            under_key(subject, key) is not None for key in keys
        ):
            for key, one in zip(keys, patterns, strict=True):
                bind_pattern(frame, one, under_key(subject, key) or Unknown())
        case _:
            for node in ast.walk(pattern):
                if isinstance(node, ast.MatchValue):
                    frame.evaluate(node.value)
                elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
                    frame.write(node.name, Unknown())
                elif isinstance(node, ast.MatchMapping) and node.rest:
                    frame.write(node.rest, Unknown())


# --- definitions and imports


def _function(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    value: Value = make_function(frame, node, node.name)
    for decorator in reversed(node.decorator_list):
        value = decorate(frame, decorator, value)
    frame.interp.record(frame, node, value)
    frame.write(node.name, value)
    return True


def decorate(frame: Frame, decorator: ast.expr, value: Value) -> Value:
    function = frame.evaluate(decorator)
    match function:
        case Lib(name="property" | "functools.cached_property"):
            return MethodValue(value, "property")
        case Lib(name="staticmethod"):
            return MethodValue(value, "staticmethod")
        case Lib(name="classmethod"):
            return MethodValue(value, "classmethod")
        case Lib() | PartialValue() | TransformedValue():
            result = frame.call(function, [value], {}, decorator)
            return value if isinstance(result, Unknown) else result
        case FunctionValue() | MethodValue(name="defjvp"):
            result = frame.call(function, [value], {}, decorator)
            return value if isinstance(result, Unknown) else result
        case _:
            return value


def _class(frame: Frame, node: ast.ClassDef) -> bool:
    bases = tuple(frame.evaluate(b) for b in node.bases)
    keywords = {k.arg: k.value for k in node.keywords if k.arg}
    scope = Scope(frame.module, node, frame.scope, is_class=True, trace=frame.trace)
    decorators = tuple(ast.unparse(d) for d in node.decorator_list)
    kind, frozen = class_kind(frame, node, bases)
    fields, static = class_fields(node, kind)
    cls = ClassValue(
        node,
        frame.module,
        scope,
        bases,
        kind,
        frozen or "frozen" in keywords,
        fields,
        static,
        decorators,
    )
    frame.interp.begin_class(scope, cls)
    inner = Frame(
        frame.interp,
        frame.module,
        scope,
        frame.function,
        frame.under,
        frame.staging,
        frame.stack,
        trace=frame.trace,
    )
    inner.execute(node.body)
    frame.interp.define_class(node, cls)
    for decorator in node.decorator_list:
        made = frame.evaluate(decorator)
        if isinstance(made, PartialValue) and made.function == REGISTER:
            frame.call(made, [cls])
    frame.interp.record(frame, node, cls)
    frame.write(node.name, cls)
    return True


REGISTER = Lib("jax.tree_util.register_dataclass")
MODULE_BASES = (
    "equinox.Module",
    "flax.linen.Module",
    "flax.nnx.Module",
    "flax.struct.PyTreeNode",
    "haiku.Module",
)


def class_kind(
    frame: Frame, node: ast.ClassDef, bases: tuple[Value, ...]
) -> tuple[str, bool]:
    frozen = False
    for base in bases:
        match base:
            case Lib(name="typing.NamedTuple"):
                return "namedtuple", True
            case Lib(name=name) if name.startswith("enum."):
                return "enum", True
            case Lib(name=name) if name in MODULE_BASES:
                return "module", True
            case ClassValue() if base.kind != "plain":
                return base.kind, base.frozen
    for decorator in node.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        value = quiet(frame, call)
        name = value.name if isinstance(value, Lib) else ast.unparse(call)
        if name.rpartition(".")[2] in ("dataclass", "pytree_dataclass"):
            if isinstance(decorator, ast.Call):
                for keyword in decorator.keywords:
                    if keyword.arg == "frozen" and isinstance(
                        keyword.value, ast.Constant
                    ):
                        frozen = bool(keyword.value.value)
            return "dataclass", frozen or not name.startswith("dataclasses.")
    return "plain", False


def class_fields(
    node: ast.ClassDef, kind: str
) -> tuple[tuple[str, ...], frozenset[str]]:
    if kind not in ("namedtuple", "dataclass", "module"):
        return (), frozenset()
    fields: list[str] = []
    static: set[str] = set()
    for stmt in node.body:
        if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
            if "ClassVar" in ast.unparse(stmt.annotation):
                continue
            fields.append(stmt.target.id)
            if (
                stmt.value is not None
                and is_static_field(stmt.value)
                or kind == "module"
                and ast.unparse(stmt.annotation)
                in (
                    "int",
                    "bool",
                    "str",
                    "Callable",
                    "float",
                )
            ):
                static.add(stmt.target.id)
    return tuple(fields), frozenset(static)


def is_static_field(value: ast.expr) -> bool:
    """`field(static=True)`, `field(metadata={"static": True})`, `pytree_node=False`."""
    for node in ast.walk(value):
        if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
            if node.arg == "static" and node.value.value is True:
                return True
            if node.arg == "pytree_node" and node.value.value is False:
                return True
        if isinstance(node, ast.Dict):
            for key, entry in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "static":
                    return isinstance(entry, ast.Constant) and entry.value is True
    return False


def _import(frame: Frame, node: ast.Import) -> bool:
    for alias in node.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        frame.write(alias.asname or name, imported_module(frame, name))
        if not alias.asname:
            imported_module(frame, alias.name)
    return True


def imported_module(frame: Frame, name: str) -> Value:
    module = frame.interp.project.find(name, frame.module)
    if module is not None:
        frame.interp.load(module)
        return ModuleValue(module)
    return Lib(canonical(name))


def canonical(name: str) -> str:
    return name.removeprefix("builtins.")


def _import_from(frame: Frame, node: ast.ImportFrom) -> bool:
    source = absolute_import(frame.module, node)
    module = frame.interp.project.find(source, frame.module)
    if module is not None and module is not frame.module:
        frame.interp.load(module)
    for alias in node.names:
        if alias.name == "*":
            if module is not None:
                for name, value in list(module.globals.items()):
                    if not name.startswith("_"):
                        frame.write(name, value)
            continue
        name = alias.asname or alias.name
        if module is not None:
            value = attribute(frame, ModuleValue(module), alias.name)
        elif node.level:
            value = Unknown()
        else:
            value = library(f"{source}.{alias.name}")
        frame.write(name, value)
    return True


HANDLERS: dict[type[ast.stmt], Callable[[Frame, Any], bool]] = {
    ast.Expr: _expr,
    ast.Assign: _assign,
    ast.AnnAssign: _annassign,
    ast.AugAssign: _augassign,
    ast.Return: _return,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
