"""The abstract interpreter: what every expression may be while JAX traces it.

It runs the project's code on abstract values: module bodies, then the functions in
which a transform is applied, then every transformed function with traced arguments,
following calls into other functions, methods and files. What it saw is kept in two
tables, `traced` (evaluated under a transform) and `host` (evaluated in plain Python),
from an expression's identity to the join of its values.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from . import (
    expressions,
    iterators,
    namespaces,
    operator_calls,
    python_calls,
    roots,
    state,
    statements,
    transforms,
)
from .arguments import bind
from .frame import Frame, join_all
from .misfits import Misfit
from .objects import (
    BoundValue,
    ClassValue,
    FunctionNode,
    FunctionValue,
    InstanceValue,
    MethodValue,
    PartialValue,
    Scope,
    TransformedValue,
)
from .project import INTERESTING, WORDS, Module, Project
from .results import result_of
from .scopes import walk
from .seen import Seen
from .settings import DEFAULTS, Settings
from .sweeps import Given, outermost, users_of
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
    Why,
    holds_tracer,
    join,
    type_name,
    with_why,
)

MAX_DEPTH = 24
MAX_CALLS = 60_000
MAX_CONTEXTS = 24  # ways in which one function is run before we stop looking
MOST_NOTED = 12  # runs of one call whose arguments are kept

python_calls.SPECIAL.update(iterators.HANDLERS | operator_calls.HANDLERS)


@dataclass(slots=True, eq=False)
class Call:
    """What is known of one call expression: whom it may reach, and with what."""

    node: ast.AST
    module: Module
    callees: list[Value] = field(default_factory=list)
    args: list[tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]] = field(
        default_factory=list
    )
    functions: list[ast.AST | None] = field(default_factory=list)
    under: bool = False


class Interpreter:
    """Runs a project once; the tables it leaves behind answer every later question."""

    def __init__(
        self,
        project: Project,
        settings: Settings = DEFAULTS,
    ) -> None:
        self.project = project
        self.settings = settings
        self.traced = Seen()
        self.host = Seen()
        self.linear = Seen()  # under differentiation alone
        self.calls: dict[int, Call] = {}
        self.transformed: dict[tuple[int, int], TransformedValue] = {}
        self.functions: dict[int, FunctionValue] = {}
        self.reached: dict[int, Why | None] = {}  # functions run under a transform
        self.on_host: set[int] = set()  # functions run in plain Python
        self.executed: set[int] = set()  # statements that were reached
        self.called: dict[int, list[TransformedValue]] = {}
        self.ran: set[tuple[int, int]] = set()
        self.derivatives: dict[tuple[int, int], tuple[str, tuple[Value, ...]]] = {}
        self.staged: set[int] = set()
        self.differentiated: set[int] = set()  # functions under reverse-mode grad
        self.batched: set[int] = set()
        self.contexts: dict[int, int] = {}
        self.results: dict[int, Value] = {}  # of functions under a transform
        self.transforming: set[int] = set()  # functions in which a transform is applied
        self._given = Given(self)
        self.failures: dict[str, str] = {}
        self.loop_heads: dict[int, dict[str, Value]] = {}
        self.entries: dict[int, dict[str, Value]] = {}  # objects that a region finds
        self.misfits: dict[int, Misfit] = {}  # calls of cond that JAX refuses
        self.state_writes: dict[int, state.StateWrite] = {}
        self.advanced: dict[int, str] = {}  # calls that advance an outer iterator
        self.born: dict[int, tuple[dict[str, Value], int]] = {}  # instances, by trace
        self.bindings: dict[int, dict[str, list[ast.AST]]] = {}
        self.traces = 0
        self.heap = 0
        self.spent = 0
        self.grad_depth = 0
        self._memo: dict[object, tuple[Value, int]] = {}
        self._scopes: dict[int, Scope] = {}
        self._free: dict[int, tuple[str, ...]] = {}
        self._classes: dict[int, ClassValue] = {}
        self._in_progress: dict[int, ClassValue] = {}

    # --- the whole project

    def run(self) -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 12_000))
        try:
            for module in self.project.in_scope():
                with self._surviving(module):
                    self.load(module)
            for module in self.project.in_scope():
                with self._surviving(module):
                    self._sweep(module)
            self._run_roots()
        finally:
            sys.setrecursionlimit(limit)

    @contextlib.contextmanager
    def _surviving(self, module: Module) -> Iterator[None]:
        """A file that the interpreter fails on must not end the run."""
        try:
            yield
        except Exception as error:
            self.failures.setdefault(module.path, bug(error))
            self.grad_depth = 0

    def module_scope(self, module: Module) -> Scope:
        scope = self._scopes.get(id(module))
        if scope is None:
            scope = Scope(module, module.tree, None, module.globals)
            self._scopes[id(module)] = scope
        return scope

    def load(self, module: Module) -> None:
        """Run a module's body, once."""
        if module.state != "new":
            return
        module.state = "running"
        frame = Frame(self, module, self.module_scope(module))
        frame.execute(module.tree.body)
        module.state = "done"

    def _sweep(self, module: Module) -> None:
        """Run the functions in which a transform is applied and which nobody called.

        Then those that use what these gave, which is known only now. Functions that no
        other code names go first: their calls say what the others are given.
        """
        own = WORDS if INTERESTING.search(module.text.encode()) else frozenset()
        known: frozenset[str] = frozenset()
        for _ in range(3):
            words = own | self._given.names(module)
            if words == known:
                break
            known = words
            self._sweep_body(module, outermost(module), users_of(module, words))
            self._sweep_body(module, module.tree.body, words)

    def _sweep_body(
        self,
        module: Module,
        body: Sequence[ast.stmt],
        words: frozenset[str],
    ) -> None:
        for stmt in body:
            if isinstance(stmt, ast.ClassDef):
                cls = self._classes.get(id(stmt))
                if cls is not None:
                    self._sweep_class(module, cls, words)
            elif isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
                if self._has_run(stmt):
                    continue
                if module.mentions(stmt, words):
                    fn = self.functions.get(id(stmt))
                    if fn is not None:
                        frame = Frame(self, module, self.module_scope(module))
                        self.run_function(frame, fn, self.unknown_args(fn), None)
            elif isinstance(stmt, ast.If | ast.Try | ast.With | ast.For | ast.While):
                for part in ("body", "orelse", "finalbody"):
                    self._sweep_body(module, getattr(stmt, part, []), words)

    def _sweep_class(
        self, module: Module, cls: ClassValue, words: frozenset[str]
    ) -> None:
        if not module.mentions(cls.node, words):
            return
        frame = Frame(self, module, self.module_scope(module))
        instance: Value | None = None
        for stmt in cls.node.body:
            if not isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if self._has_run(stmt):
                continue
            if not module.mentions(stmt, words):
                continue
            instance = instance or self.example_instance(frame, cls)
            member = cls.scope.vars.get(stmt.name)
            fn = self.functions.get(id(stmt))
            if fn is None or isinstance(member, TransformedValue):
                continue
            args = self.unknown_args(fn)
            names = [a.arg for a in (*fn.node.args.posonlyargs, *fn.node.args.args)]
            if names and not isinstance(member, BoundValue):
                decorated = {ast.unparse(d) for d in stmt.decorator_list}
                if "staticmethod" not in decorated:
                    args[names[0]] = instance
            self.run_function(frame, fn, args, None)

    def _has_run(self, node: ast.AST) -> bool:
        """Did a call run the function, or will it run as the root that it is?"""
        key = id(node)
        return key in self.on_host or key in self.reached or key in self.called

    def example_instance(self, frame: Frame, cls: ClassValue) -> InstanceValue:
        """An instance of `cls` about whose constructor's arguments nothing is known."""
        made = self.instantiate(frame, cls, None, {}, cls.node)
        assert isinstance(made, InstanceValue), (
            "a class of the project gives an instance"
        )
        return made

    def unknown_args(self, fn: FunctionValue) -> dict[str, Value]:
        args = fn.node.args
        values: dict[str, Value] = {}
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            values[arg.arg] = self.by_annotation(fn, arg) or Unknown()
        if args.vararg:
            values[args.vararg.arg] = Seq("tuple", None, Unknown())
        if args.kwarg:
            values[args.kwarg.arg] = Dict(None, Unknown())
        return values

    def by_annotation(self, fn: FunctionValue, arg: ast.arg) -> Value | None:
        """An instance, where the annotation names a class of the project."""
        if not isinstance(arg.annotation, ast.Name | ast.Attribute | ast.Constant):
            return None
        node: ast.expr = arg.annotation
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, str) or not node.value.isidentifier():
                return None
            node = ast.Name(node.value, ast.Load())
        frame = Frame(self, fn.module, fn.scope)
        cls = expressions.quiet(frame, node)
        if isinstance(cls, ClassValue) and cls.kind != "enum":
            return self.instantiate(frame, cls, None, {}, cls.node)
        return None

    def _run_roots(self) -> None:
        """Run every transformed function that no visible call has run."""
        done: set[tuple[int, int]] = set()
        while True:
            waiting = [k for k in self.transformed if k not in done]
            if not waiting:
                break
            # `jit(vmap(f))` hands `vmap(f)` what it takes: alone it is no root.
            made = [t.function for t in self.transformed.values()]
            inner = {
                (id(f.node), hash(f.function))
                for f in made
                if isinstance(f, TransformedValue)
            }
            for key in sorted(waiting, key=lambda key: key in inner):
                done.add(key)
                root = self.transformed[key]
                if key not in self.ran:
                    frame = Frame(self, root.module, self.module_scope(root.module))
                    with self._surviving(root.module):
                        roots.run_root(frame, root)
        for fn in list(self.functions.values()):
            patterns = self.settings.entry_points
            if patterns and roots.is_entry_point(fn, patterns):
                frame = Frame(self, fn.module, self.module_scope(fn.module))
                with self._surviving(fn.module):
                    roots.run_entry_point(frame, fn)

    # --- facts

    def new_trace(self) -> int:
        self.traces += 1
        return self.traces

    def record(self, frame: Frame, node: ast.AST, value: Value) -> Value:
        table = self.traced if frame.under else self.host
        if frame.linear:
            table = self.linear
        table.note(id(node), value)
        return value

    def seen(self, node: ast.AST) -> list[Value]:
        """What an expression was, under a transform and in plain Python."""
        found = [table.get(id(node)) for table in (self.traced, self.host)]
        return [value for value in found if value is not None]

    def note_call(
        self,
        frame: Frame,
        node: ast.AST,
        callee: Value,
        args: Sequence[Value],
        keywords: Mapping[str, Value],
    ) -> None:
        if frame.linear:
            return
        call = self.calls.get(id(node))
        if call is None:
            call = self.calls[id(node)] = Call(node, frame.module)
        if callee not in call.callees:
            call.callees.append(callee)
        if len(call.args) < MOST_NOTED:
            call.args.append((tuple(args), tuple(keywords.items())))
        call.under = call.under or frame.under
        owner = frame.function.node if frame.function else None
        if owner not in call.functions:
            call.functions.append(owner)

    def note_loop(self, node: ast.AST, head: Mapping[str, Value]) -> None:
        """The variables at the head of a loop, whatever the iteration."""
        known = self.loop_heads.setdefault(id(node), {})
        for name, value in head.items():
            known[name] = join(known[name], value) if name in known else value

    def note_entry(self, node: ast.AST, state: Mapping[str, Value]) -> None:
        """What the objects with a name hold before a branch or a loop changes them."""
        known = self.entries.setdefault(id(node), {})
        for name, value in state.items():
            if isinstance(value, Seq | Dict | InstanceValue):
                known[name] = join(known[name], value) if name in known else value

    # --- variables of modules

    def global_value(self, frame: Frame, module: Module, name: str) -> Value:
        if name in module.globals:
            value = module.globals[name]
            if name in module.rebound and isinstance(value, Const):
                if value.value is None:
                    return Unknown()  # a function gives it another value than that
                return Static(type_name(value), why=value.why)
            return value
        if name in python_calls.BUILTINS:
            return Lib(name)
        return Unknown()

    def write_global(self, module: Module, name: str, value: Value) -> None:
        old = module.globals.get(name)
        module.globals[name] = value if old is None else join(old, value)

    # --- running code

    def execute(self, frame: Frame, body: Sequence[ast.stmt]) -> bool:
        handlers = statements.HANDLERS
        for stmt in body:
            self.executed.add(id(stmt))
            handler = handlers.get(type(stmt))
            if handler is not None and not handler(frame, stmt):
                return False
        return True

    def call(
        self,
        frame: Frame,
        function: Value,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST | None,
    ) -> Value:
        if self.settings.name_calls and (name := dotted_name(function)) is not None:
            if name in self.settings.extra_transforms:
                return transforms.wrap_extra(frame, name, args, keywords, node)
            if self.settings.is_static_call(name):
                return Static("")
        match function:
            case Lib():
                return self._call_library(frame, function.name, args, keywords, node)
            case FunctionValue():
                bound = bind(function, args, keywords)
                return self.run_function(frame, function, bound, node)
            case BoundValue():
                return self.call(
                    frame, function.function, [function.receiver, *args], keywords, node
                )
            case PartialValue():
                merged = {**dict(function.keywords), **keywords}
                return self.call(
                    frame, function.function, [*function.args, *args], merged, node
                )
            case TransformedValue():
                return transforms.call(frame, function, args, keywords, node)
            case ClassValue():
                return self.instantiate(frame, function, args, keywords, node)
            case InstanceValue():
                method = function.cls.lookup("__call__")
                if method is None:
                    return Unknown()
                return self.call(frame, method, [function, *args], keywords, node)
            case MethodValue():
                return python_calls.call_method(frame, function, args, keywords, node)
            case Union():
                options = [o for o in function.options if o != Const(None)]
                return join_all(
                    [
                        self.call(frame, o, list(args), dict(keywords), node)
                        for o in options
                    ]
                )
            case _:
                return Unknown()

    def _call_library(
        self,
        frame: Frame,
        name: str,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST | None,
    ) -> Value:
        if name == "next" or name.startswith(state.STATEFUL):
            state.note_advance(frame, name, node)
        if name in ("setattr", "object.__setattr__"):
            state.note_setattr(frame, node, args)
        for special in (
            transforms.call_library,
            namespaces.call,
            python_calls.call_builtin,
        ):
            value = special(frame, name, args, keywords, node)
            if value is not None:
                return value
        return result_of(name, args, keywords, tracing=frame.staging)

    def run_function(
        self,
        frame: Frame,
        fn: FunctionValue,
        bound: dict[str, Value],
        node: ast.AST | None,
        *,
        because: Why | None = None,
    ) -> Value:
        """Run a project function on bound parameters; remembers what it has run."""
        self.spent += 1
        on_stack = frame.stack.count(fn.node)
        if on_stack >= 2 or len(frame.stack) >= MAX_DEPTH or self.spent > MAX_CALLS:
            return Unknown()
        if frame.linear:
            self.differentiated.add(id(fn.node))
        elif frame.under:
            if id(fn.node) not in self.reached:
                self.reached[id(fn.node)] = because or first_why(bound)
            if frame.staging:
                self.staged.add(id(fn.node))
        else:
            self.on_host.add(id(fn.node))
        if self.grad_depth:
            self.differentiated.add(id(fn.node))
        is_entry = frame.trace != frame.scope.trace
        arguments: dict[str, tuple[Scope, ast.expr]] = {}
        if frame.under and not is_entry:
            arguments = state.passed_arguments(frame, fn, node, bound)
        key: tuple[object, ...] = (
            state.origins(frame, arguments),
            id(fn.node),
            fn.scope.number,
            frame.under,
            frame.staging,
            frame.linear,
            bool(self.grad_depth),
            self.heap,
            tuple(bound.items()),
            self._seen_from(fn),
        )
        try:
            remembered = self._memo.get(key)
        except TypeError:  # an unhashable constant
            remembered, key = None, ()
        if remembered is not None:
            return remembered[0]
        count = self.contexts.get(id(fn.node), 0) + 1
        self.contexts[id(fn.node)] = count
        if count > MAX_CONTEXTS:
            return Unknown()
        passed = bound
        if node is not None and frame.under:
            passed = {
                name: self._passed(frame, fn, name, value, node)
                for name, value in bound.items()
            }
        scope = Scope(
            fn.module,
            fn.node,
            fn.scope,
            dict(passed),
            trace=frame.trace,
            is_entry=is_entry,
            arguments=arguments,
        )
        inner = Frame(
            self,
            fn.module,
            scope,
            fn,
            frame.under,
            frame.staging,
            (*frame.stack, fn.node),
            linear=frame.linear,
            trace=frame.trace,
        )
        for arg in parameters(fn.node):
            if arg.arg in passed:
                self.record(inner, arg, passed[arg.arg])
        heap = self.heap
        result = self._run_body(inner, fn)
        if frame.under:
            old = self.results.get(id(fn.node))
            self.results[id(fn.node)] = result if old is None else join(old, result)
        if key and self.heap == heap:
            self._memo[key] = (result, heap)
        return result

    def _run_body(self, inner: Frame, fn: FunctionValue) -> Value:
        if isinstance(fn.node, ast.Lambda):
            return inner.evaluate(fn.node.body)
        if inner.execute(fn.node.body) and not fn.is_generator:
            inner.returns.append(Const(None))
        if fn.is_generator:
            return Seq("iter", None, join_all(inner.yields))
        result = join_all(inner.returns)
        test = inner.traced_return
        if test is not None:
            for value in inner.returns:
                result = expressions.merge_traced(result, value, test)
        return result

    def _passed(
        self,
        frame: Frame,
        fn: FunctionValue,
        name: str,
        value: Value,
        node: ast.AST,
    ) -> Value:
        if value.why is None or holds_tracer(value) is None:
            return value
        text = f"it is passed to `{fn.name}` as `{name}`"
        return with_why(value, frame.why(node, text, value.why))

    def _free_names(self, fn: FunctionValue) -> tuple[str, ...]:
        """Names that the function reads from enclosing functions (module ones change
        only with the heap)."""
        if fn.scope.parent is None and not fn.scope.is_class:
            return ()
        names = self._free.get(id(fn.node))
        if names is None:
            names = tuple(
                sorted({n.id for n in walk(fn.node) if isinstance(n, ast.Name)})
            )
            self._free[id(fn.node)] = names
        return names

    def _seen_from(self, fn: FunctionValue) -> tuple[tuple[str, Value | None], ...]:
        """The variables of enclosing functions that the function may read, now."""
        found: list[tuple[str, Value | None]] = []
        scope = fn.scope
        for name in self._free_names(fn):
            owner = scope.owner_of(name)
            value = owner.vars[name] if owner is not None and owner.parent else None
            found.append((name, value))
        return tuple(found)

    # --- classes

    def begin_class(self, scope: Scope, cls: ClassValue) -> None:
        self._in_progress[id(scope)] = cls

    def class_in_progress(self, scope: Scope) -> ClassValue | None:
        """The class whose body runs in `scope`."""
        return self._in_progress.get(id(scope))

    def define_class(self, node: ast.ClassDef, cls: ClassValue) -> None:
        self._classes[id(node)] = cls

    def class_of(self, key: int) -> ClassValue | None:
        """The class whose definition has this identity."""
        return self._classes.get(key)

    def instantiate(
        self,
        frame: Frame,
        cls: ClassValue,
        args: list[Value] | None,
        keywords: dict[str, Value],
        node: ast.AST | None,
    ) -> Value:
        """Make an instance. `args` None: nothing is known of the arguments."""
        cells = frame.scope.instances
        key = id(node) if node is not None else id(cls.node)
        old = cells.get(key)
        if old is not None and args is None:
            return old
        if old is None or old.cls != cls or old.by_value:
            old = InstanceValue(
                cls,
                {},
                complete=cls.kind != "plain" or not cls.bases,
                by_value=cls.is_immutable,
            )
            cells[key] = old
            self.born[id(old.attrs)] = (old.attrs, frame.trace)
        instance = old
        init = cls.lookup("__init__")
        if isinstance(init, FunctionValue):
            if args is None:
                bound = self.unknown_args(init)
                names = [
                    a.arg for a in (*init.node.args.posonlyargs, *init.node.args.args)
                ]
                if names:
                    bound[names[0]] = instance
                self.run_function(frame, init, bound, None)
            else:
                self.call(frame, init, [instance, *args], keywords, node)
            return instance
        fields = cls.all_fields()
        given = dict(zip(fields, args or [], strict=False)) | {
            k: v for k, v in keywords.items() if k in fields
        }
        for name in fields:
            value = given.get(name)
            if value is None:
                default = cls.lookup(name)
                if args is None or default is None:
                    default = field_value(cls, name)
                value = default
            self.set_attribute(instance, name, value, fresh=args is not None)
        post = cls.lookup("__post_init__")
        if isinstance(post, FunctionValue):
            self.call(frame, post, [instance], {}, node)
        return instance

    def set_attribute(
        self, instance: InstanceValue, name: str, value: Value, *, fresh: bool = False
    ) -> None:
        old = instance.attrs.get(name)
        new = value if old is None or fresh else join(old, value)
        if old is None or new != old:
            instance.attrs[name] = new
            # A first value is no change to what anybody has read.
            self.heap += old is not None


def field_value(cls: ClassValue, name: str) -> Value:
    """A field of which only the annotation is known."""
    for stmt in cls.node.body:
        if (
            isinstance(stmt, ast.AnnAssign)
            and isinstance(stmt.target, ast.Name)
            and stmt.target.id == name
        ):
            kind = roots.annotation_kind(stmt.annotation)
            if kind == "array":
                return Array(False)
            if kind in ("float", "int", "bool", "str"):
                return Static(kind)
    return Unknown()


def parameters(node: FunctionNode) -> list[ast.arg]:
    spec = node.args
    extra = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *extra]


def bug(error: Exception) -> str:
    """One line about an exception that is our own mistake, or our limit."""
    if isinstance(error, RecursionError):
        return "jaxfix failed on this file: it is nested too deeply"
    return (
        f"jaxfix failed on this file ({type(error).__name__}: {error}): a bug in jaxfix"
    )


def first_why(bound: Mapping[str, Value]) -> Why | None:
    for value in bound.values():
        if (found := holds_tracer(value)) is not None and found.why is not None:
            return found.why
    return None


def dotted_name(function: Value) -> str | None:
    """What the settings call a function."""
    match function:
        case Lib(name=name):
            return name
        case FunctionValue():
            return f"{function.module.name}.{function.qualname}"
        case BoundValue():
            return dotted_name(function.function)
        case _:
            return None
