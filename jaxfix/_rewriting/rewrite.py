"""Claims become new source: one module at a time, innermost first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from jaxfix._analysis import build
from jaxfix._analysis.closures import shared_values
from jaxfix._analysis.facts import Facts, Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.flow import exits
from jaxfix._analysis.project import Module
from jaxfix._analysis.values import Value
from jaxfix._planning import booleans, guards
from jaxfix._planning.agree import Typed
from jaxfix._planning.blocks import Blocked, copy_with
from jaxfix._planning.context import Context
from jaxfix._planning.desugar import Desugar
from jaxfix._planning.functional import Functional
from jaxfix._planning.inlining import with_places
from jaxfix._planning.plan import Expression, ListRegion, Region, Sites, Statement
from jaxfix._planning.rolled import growing_lists
from jaxfix._planning.singular import After, Sink, sunk_value
from jaxfix._planning.tidy import without_result_names

from .claims import Claim
from .supers import spell_supers
from .twins import Twin, make_twin

if TYPE_CHECKING:
    from .write import Writer


@dataclass(slots=True)
class Wanted:
    """What is to be declared static, and no longer so, at one transform.

    `takes_options`: may it be written `@jax.jit(...)`?
    """

    takes_options: bool
    add: list[str] = field(default_factory=list)
    remove: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Rewriter:
    """Writes the fixes of a project: one `Writer` a module, made when first needed."""

    facts: Facts
    writers: dict[str, Writer] = field(default_factory=dict)
    touched: dict[str, list[str]] = field(default_factory=dict)
    endings: dict[object, Callable[[], None]] = field(default_factory=dict)
    statics: dict[int, Wanted] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)  # what computes with whole arrays
    masks: dict[tuple[int, str], tuple[ast.stmt, str]] = field(default_factory=dict)
    spans: list[dict[str, None]] = field(default_factory=list)  # files of one fix
    spanning: dict[str, None] | None = None

    def writer(self, module: Module) -> Writer:
        if self.spanning is not None:
            self.spanning.setdefault(module.path)
        if module.path not in self.writers:
            from .write import Writer  # libcst takes long to load: only to write

            self.writers[module.path] = Writer(module.text, module.tree)
        return self.writers[module.path]

    def spell(self, fn: Function) -> Callable[[str], str]:
        """How a dotted jax name is spelled in a function's file."""
        writer = self.writer(fn.module)
        return lambda dotted: writer.name(dotted, scope(fn))

    def fresh(self, fn: Function) -> Callable[[str], str]:
        writer = self.writer(fn.module)
        return lambda base: writer.fresh(base, scope(fn))

    def functional(self, fn: Function) -> Functional:
        """The machine that spells branches and loops, for a function's expressions."""
        return Functional(fn, self.spell(fn), self.fresh(fn))

    def choose(
        self, fn: Function, test: ast.expr, a: ast.expr, b: ast.expr
    ) -> ast.expr:
        """`a if test else b` on a traced test, as `jnp.where` or `lax.cond`."""
        if (parts := guards.choice(fn, test, a, b)) is not None:
            inner = self.select(fn, parts.traced, a, b, guards.without_none)
            values = (inner, b) if parts.is_and else (a, inner)
            return ast.IfExp(parts.known, *values)
        if name := guards.none_used(fn, [a, b], {}):
            raise CannotFix(f"`{name}` may be None where a value is computed with it")
        return self.select(fn, test, a, b)

    def select(
        self,
        fn: Function,
        test: ast.expr,
        a: ast.expr,
        b: ast.expr,
        known: Callable[[Value | None], Value | None] = lambda value: value,
    ) -> ast.expr:
        """`known` says what is known of a value where the choice stands."""
        first = Typed(self.sunk(fn, a, b), known(fn.value(a)))
        second = Typed(self.sunk(fn, b, a), known(fn.value(b)))
        functional = self.functional(fn)
        test = functional.test(test)
        value = functional.value(test, {})
        return functional.select(test, value, first, second, "the value")

    def sunk(self, fn: Function, mine: ast.expr, other: ast.expr) -> ast.expr:
        """A side of a choice with the singular definition that it alone needs."""
        writer = self.writer(fn.module)
        made, unread = sunk_value(fn, mine, other, writer.is_edited)
        for stmt in unread:
            if not writer.has_comment(stmt):
                writer.remove(stmt)
        return made

    def boolean(self, fn: Function, node: ast.expr) -> ast.expr:
        """`and`, `or`, `not`, chained comparisons and `in` as array operations."""
        functional = self.functional(fn)

        def typed(side: ast.expr) -> Typed:
            return Typed(side, guards.without_none(functional.value(side, {})))

        def choose(test: ast.expr, a: ast.expr, b: ast.expr) -> ast.expr:
            known = functional.value(test, {})
            return functional.select(test, known, typed(a), typed(b), "the value")

        return booleans.rewritten(fn, self.spell(fn), node, choose)

    def at_end(self, key: object, action: Callable[[], None]) -> None:
        """Do something once, when all fixes have said what they want to change."""
        self.endings.setdefault(key, action)

    def together(self, path: str) -> tuple[str, ...]:
        """The other files that fixes in this one also change."""
        group = {path}
        while True:
            more = {p for span in self.spans if group & span.keys() for p in span}
            if more <= group:
                return tuple(sorted(group - {path}))
            group |= more

    def touch(self, fn: Function) -> None:
        """Note that a function is changed."""
        names = self.touched.setdefault(fn.path, [])
        if fn.qualname not in names:
            names.append(fn.qualname)

    def code(self) -> dict[str, str]:
        """The new texts of the modules that changed."""
        texts = {path: writer.code() for path, writer in self.writers.items()}
        return {
            path: text
            for path, text in texts.items()
            if text != self.writers[path].text
        }


def scope(
    fn: Function,
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module:
    return fn.node


def apply(facts: Facts, claims: Sequence[Claim]) -> Rewriter:
    """Carry out all open claims.

    A claim that cannot be carried out, and those that stand or fall with it, are closed
    with the reason, and the rest is done again from the start.
    """
    while True:
        rewriter = Rewriter(facts)
        failed = attempt(rewriter, claims)
        if failed is None:
            return rewriter
        close(claims, *failed)


def settle(facts: Facts, claims: Sequence[Claim]) -> None:
    """Close the claims that cannot be carried out.

    First file by file, so that a claim that fails has only its own file done again;
    then all together, since the fixes of some rules span files.
    """
    files: dict[str, list[Claim]] = {}
    for one in claims:
        if not isinstance(one.plan, Sites):
            files.setdefault(one.fn.path, []).append(one)
    if len(files) > 1:
        for local in files.values():
            if any(c.is_open for c in local):
                apply(facts, local)
    apply(facts, claims)


def attempt(
    rewriter: Rewriter, claims: Sequence[Claim]
) -> tuple[Claim, ast.AST, str] | None:
    """One try: None, or the claim that failed, where, and why."""
    todo = [c for c in claims if c.is_open]
    done: set[str] = set()
    for one in todo:
        try:
            carry_out(rewriter, one, done)
        except Exception as error:  # a bug in one fix must not take the others along
            return one, getattr(error, "node", None) or one.node, reason_of(error)
    for action in rewriter.endings.values():
        action()
    for fn, mine in by_function(todo).items():
        regions = [c for c in mine if isinstance(c.plan, Region)]
        statements = [c for c in mine if isinstance(c.plan, Statement)]
        if not regions and not statements:
            continue
        try:
            rewrite_body(rewriter, fn, regions, statements)
        except Exception as error:  # as above
            rewritten = [*regions, *statements]
            node = getattr(error, "node", None) or rewritten[0].node
            return nearest(rewritten, node), node, reason_of(error)
        for c in mine:
            rewriter.touch(c.fn)
    try:
        for path in list(rewriter.writers):
            rewriter.writers[path].code()
    except Exception as error:  # as above
        node = getattr(error, "node", None)
        one = nearest(todo, node) if node is not None else todo[0]
        return one, node or one.node, reason_of(error)
    return None


# How a reason begins where the fault is ours, or that of our tools.
FAILED = "jaxfix failed on it"


def reason_of(error: Exception) -> str:
    if isinstance(error, CannotFix):
        return str(error)
    from libcst import ParserSyntaxError

    if isinstance(error, RecursionError):
        return f"{FAILED}: it is nested too deeply to be rewritten"
    if isinstance(error, ParserSyntaxError):
        words = " ".join(error.message.split())
        return f"{FAILED}: libcst, which rewrites, cannot parse the file ({words})"
    words = " ".join(str(error).split())  # a reason is one line
    return f"{FAILED} ({type(error).__name__}: {words}): a bug in jaxfix"


def carry_out(rewriter: Rewriter, one: Claim, done: set[str]) -> None:
    match one.plan:
        case Expression():
            new = one.rule.fix(one.fn, one.node, one.plan, rewriter)
            replace_expression(rewriter, one, new)
            rewriter.touch(one.fn)
        case Twin(key=key):
            if key not in done:
                done.add(key)
                make_twin(rewriter, one.fn)
        case Sites(key=key):
            if key not in done:
                done.add(key)
                rewriter.spanning = {}
                rewriter.spans.append(rewriter.spanning)
                one.rule.fix(one.fn, one.node, one.plan, rewriter)
                rewriter.spanning = None
            rewriter.touch(one.fn)


def replace_expression(rewriter: Rewriter, one: Claim, new: ast.expr) -> None:
    """Rendered late, when all edits of its parts are registered."""
    writer = rewriter.writer(one.fn.module)
    spell_supers(writer, one.fn, [new])
    writer.edit(one.node, lambda: writer.expr(new))


def by_function(claims: Sequence[Claim]) -> dict[Function, list[Claim]]:
    found: dict[Function, list[Claim]] = {}
    for one in claims:
        found.setdefault(one.fn, []).append(one)
    return found


# How deep statements may be nested: each `elif` is one level, and Python's stack ends.
DEEPEST = 250


def nesting(node: ast.AST) -> int:
    """How many levels of statements are in a function."""
    deepest, todo = 0, [(node, 0)]
    while todo:
        outer, depth = todo.pop()
        deepest = max(deepest, depth)
        if not isinstance(outer, ast.expr):
            inner = depth + isinstance(outer, ast.stmt)
            todo += [(child, inner) for child in ast.iter_child_nodes(outer)]
    return deepest


def rewrite_body(
    rewriter: Rewriter,
    fn: Function,
    regions: Sequence[Claim],
    statements: Sequence[Claim],
) -> None:
    """New statements for the body of a function."""
    if nesting(fn.node) > DEEPEST:
        raise RecursionError
    writer = rewriter.writer(fn.module)
    node = fn.node
    claimed = {id(c.node) for c in regions}
    replaced = {id(c.node): c for c in statements}

    def is_traced(stmt: ast.AST) -> bool:
        if getattr(stmt, "traced", False):
            return True
        source = build.source_of(stmt)
        return id(source) in claimed or is_elif_of(fn, source, claimed)

    def make(one: Claim) -> list[ast.stmt]:
        made: list[ast.stmt] = one.rule.fix(one.fn, one.node, one.plan, rewriter)
        return made

    if isinstance(node, ast.Lambda):
        raise Blocked(node, "a lambda has no statements")
    gone = take_lists(writer, fn, regions)
    body = substitute([s for s in node.body if id(s) not in gone], replaced, make)
    if regions:
        fresh = rewriter.fresh(fn)
        desugar = Desugar(fn, is_traced, fresh, writer.edit)
        desugared = desugar.whole_body(body)
        desugared = Sink(fn, writer.is_edited).block(desugared, After(frozenset()), {})
        functional = rewriter.functional(fn)
        context = initial_context(fn)
        body = functional.block(desugared, frozenset(), context)
        if "fall" in exits(body) and "fall" not in exits(node.body):
            # A mistake of ours: never write a function that lost its result.
            raise Blocked(regions[0].node, "the new code would end without a result")
        body = without_result_names(fn, without_last_return(body, node.body))
        body = with_places(body, desugar.named, writer.take_back)
        number_functions(body)
        spell_supers(writer, fn, body)
    if isinstance(node, ast.Module):
        for one in statements:
            writer.replace_statement(
                one.node,  # type: ignore[arg-type]
                lambda one=one: writer.statements(make(one)),  # type: ignore[misc]
            )
        return
    writer.replace_statement(
        node, lambda: writer.compound(node, {"body": writer.statements(body)})
    )


def number_functions(body: Sequence[ast.stmt]) -> None:
    """Names of the functions that were made, numbered in the order of the source."""
    made = [n for s in body for n in in_order(s) if is_made(n)]
    counts: dict[str, int] = {}
    renamed: dict[str, str] = {}
    taken = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
    names = {f.name for f in made}
    for one in made:
        base = re.sub(r"_\d+$", "", one.name)
        while True:
            count = counts.get(base, 0)
            counts[base] = count + 1
            name = f"{base}_{count}" if count else base
            if name in names or name not in taken:
                break
        renamed[one.name] = name
    if len(renamed) != len(made):
        return
    for one in made:
        one.name = renamed[one.name]
    # A node may stand in several places, and is renamed once.
    nodes = {id(node): node for stmt in body for node in ast.walk(stmt)}
    for node in nodes.values():
        if isinstance(node, ast.Name) and build.is_new(node) and node.id in renamed:
            node.id = renamed[node.id]


def is_made(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and build.is_new(node)


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, outer before inner, first before last."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from in_order(child)


def take_lists(writer: Writer, fn: Function, regions: Sequence[Claim]) -> set[int]:
    """Lists that become outputs of a scan: their first binding goes, `jnp.stack(xs)`
    is `xs`. Returns the statements that go."""
    gone: set[int] = set()
    for one in regions:
        if not isinstance(one.plan, ListRegion) or not isinstance(one.node, ast.For):
            continue
        lists = growing_lists(fn, one.node)
        one.node.growing = lists  # type: ignore[attr-defined]
        for grown in lists:
            gone.add(id(grown.start))
            for call in grown.stacked:
                writer.edit(call, grown.name)
    return gone


def is_elif_of(fn: Function, node: ast.AST, claimed: set[int]) -> bool:
    """An `elif` on a traced value belongs to its `if`."""
    if not isinstance(node, ast.If):
        return False
    parent = fn.module.parent(node)
    if not (isinstance(parent, ast.If) and parent.orelse == [node]):
        return False
    if not fn.traced(node.test):
        return False
    return id(parent) in claimed or is_elif_of(fn, parent, claimed)


def initial_context(fn: Function) -> Context:
    from jaxfix._analysis.interpret import parameters

    types = {}
    assert not isinstance(fn.node, ast.Module), "a module has no parameters"
    for arg in parameters(fn.node):
        value = fn.value(arg)
        if value is not None:
            types[arg.arg] = value
    bound = {a.arg for a in parameters(fn.node)}
    for name, known in shared_values(fn).items():
        types[name] = known
        bound.add(name)
    return Context(types, frozenset(bound))


def without_last_return(
    body: list[ast.stmt], before: Sequence[ast.stmt]
) -> list[ast.stmt]:
    """The `return None` that ends a body that falls off its end is not written."""
    if (
        body
        and isinstance(body[-1], ast.Return)
        and build.is_new(body[-1])
        and body[-1].value is None
    ):
        return body[:-1]
    return body


def substitute(
    body: Sequence[ast.stmt],
    replaced: dict[int, Claim],
    make: Callable[[Claim], list[ast.stmt]],
) -> list[ast.stmt]:
    """The statements with those of `replaced` exchanged, in nested blocks too."""

    out: list[ast.stmt] = []
    for stmt in body:
        if id(stmt) in replaced:
            out += make(replaced[id(stmt)])
            continue
        inner = {id(n) for n in ast.walk(stmt)} & replaced.keys()
        if not inner or isinstance(stmt, ast.FunctionDef | ast.ClassDef):
            out.append(stmt)
            continue
        blocks = {
            name: substitute(part, replaced, make)
            for name in ("body", "orelse", "finalbody")
            if (part := getattr(stmt, name, None))
        }
        out.append(copy_with(stmt, **blocks))
    return out


def nearest(claims: Sequence[Claim], node: ast.AST) -> Claim:
    """The claim on `node`, or on the smallest node around it; else the first."""
    for one in claims:
        if one.node is node:
            return one
    around = [c for c in claims if any(n is node for n in ast.walk(c.node))]
    if around:
        return min(around, key=lambda c: sum(1 for _ in ast.walk(c.node)))
    inside = [c for c in claims if any(n is c.node for n in ast.walk(node))]
    return inside[0] if inside else claims[0]


def close(claims: Sequence[Claim], failed: Claim, node: ast.AST, reason: str) -> None:
    """Close a claim, and those in the same outermost statement of its function.

    Where a loop around it was to be rolled only to be faster, that alone is given up.
    """
    slow = [c for c in claims if c.is_open and is_spared(c, failed, node)]
    for one in slow:
        one.not_fixed = reason
    if slow:
        return
    failed.not_fixed = reason
    region = outermost_statement(failed)
    line = getattr(failed.node, "lineno", 0)
    for one in claims:
        if not one.is_open:
            continue
        if isinstance(one.plan, Sites) or isinstance(failed.plan, Sites):
            if same_sites(one, failed):
                one.not_fixed = reason
        elif (
            one.fn.module is failed.fn.module
            and region is not None
            and stands_in(one, region)
        ):
            one.not_fixed = f"it depends on line {line}, where {reason}"
            one.depends = True


def is_spared(one: Claim, failed: Claim, node: ast.AST) -> bool:
    """Is it a loop that may stay as it is, and may be why another fix failed in it?"""
    if not isinstance(one.plan, Region) or one.plan.needed:
        return False
    return one is failed or any(
        inner is node or inner is failed.node for inner in ast.walk(one.node)
    )


def same_sites(a: Claim, b: Claim) -> bool:
    """Are the two mended by one fix?"""
    return (
        isinstance(a.plan, Sites)
        and isinstance(b.plan, Sites)
        and a.plan.key == b.plan.key
    )


def outermost_statement(one: Claim) -> ast.AST | None:
    """The statement of the function's own body that the claim stands in."""
    if isinstance(one.fn.node, ast.Lambda | ast.Module):
        return one.node
    for stmt in one.fn.node.body:
        if any(n is one.node for n in ast.walk(stmt)):
            return stmt
    return None


def stands_in(one: Claim, region: ast.AST) -> bool:
    return any(n is one.node for n in ast.walk(region))
