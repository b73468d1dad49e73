"""Stages 2 to 4 over parsed files: findings, and the changes that mend them."""

from __future__ import annotations

import ast
import gc
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ._analysis.arrays import ends
from ._analysis.columns import span_of
from ._analysis.components import File, components
from ._analysis.explain import explain
from ._analysis.facts import Facts
from ._analysis.finding import (
    Change,
    Explained,
    FileError,
    Finding,
    Fix,
    Safety,
)
from ._analysis.interpret import Interpreter, bug
from ._analysis.misfits import Misfit
from ._analysis.project import INTERESTING, Project
from ._analysis.scopes import names as names_in
from ._analysis.scopes import writes
from ._analysis.settings import DEFAULTS, Settings
from ._analysis.source import Source
from ._garbage import by_hand, settled
from ._planning.plan import Region, Sites
from ._processes import can_fork, fork_map
from ._rewriting.claims import Claim, Visitors, claims_of
from ._rewriting.registry import rules as all_rules
from ._rewriting.rule import Rule

MAX_ROUNDS = 5
TOO_MANY = "it takes more rounds of fixes than are made"
# Characters of source beside the largest group: a second or two of analysis.
WORTH_A_PROCESS = 150_000
# Characters of source whose analyses may wait in memory to be collected.
MUCH = 300_000


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What a run is told. `skip`: findings that are suppressed (shown, not fixed)."""

    rules: frozenset[str]
    settings: Settings = DEFAULTS
    roots: tuple[str, ...] = ()
    skip: Callable[[Finding], bool] = lambda finding: False
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found, and what it would write."""

    findings: tuple[Finding, ...]
    changes: tuple[Change, ...]
    fixed: tuple[Finding, ...]
    errors: tuple[FileError, ...]


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """One row of the table of rules."""

    name: str
    summary: str
    safety: Safety


@dataclass(slots=True)
class Analysis:
    """One analysis of one state of the project."""

    facts: Facts
    claims: list[Claim]
    errors: tuple[FileError, ...] = ()


def rule_names() -> tuple[str, ...]:
    return tuple(all_rules())


def rule_page(name: str) -> str:
    return all_rules()[name].page


def rule_table() -> tuple[RuleInfo, ...]:
    return tuple(RuleInfo(r.name, r.summary, r.safety) for r in all_rules().values())


def run(
    sources: Sequence[Source], options: EngineOptions, *, fix: Safety | None
) -> Outcome:
    """Check `sources`; with `fix`, also make the changes up to that grade."""
    files = [(s.path, s.text, s.tree) for s in sources]
    with by_hand(), settled():
        parts = run_apart(components(files), options, fix)
    order = {path: index for index, (path, _, _) in enumerate(files)}
    changes = [c for part in parts for c in part.changes]
    return Outcome(
        tuple(sorted((f for p in parts for f in p.findings), key=lambda f: f.sort_key)),
        tuple(sorted(changes, key=lambda c: order[c.path])),
        tuple(sorted((f for p in parts for f in p.fixed), key=lambda f: f.sort_key)),
        tuple(e for p in parts for e in p.errors),
    )


def run_apart(
    groups: Sequence[Sequence[File]], options: EngineOptions, fix: Safety | None
) -> list[Outcome]:
    """`run_together` of each group, in several processes where that pays."""

    done = 0

    def work(group: Sequence[File]) -> Outcome:
        nonlocal done
        if done > MUCH:  # what was known of other files is held in cycles
            gc.collect()
            done = 0
        done += size_of(group)
        return run_together(group, options, fix=fix)

    def guarded(group: Sequence[File]) -> Outcome:
        try:
            return work(group)
        except Exception as error:
            return failed(group, bug(error))

    sizes = [size_of(group) for group in groups]
    if (
        options.jobs < 2
        or sum(sizes) - max(sizes, default=0) < WORTH_A_PROCESS
        or not can_fork()
    ):
        return [work(group) for group in groups]
    all_rules()  # loaded once, here
    found = fork_map(guarded, groups, sizes, options.jobs)
    return [
        outcome if outcome is not None else failed(group, DIED)
        for outcome, group in zip(found, groups, strict=True)
    ]


def size_of(group: Sequence[File]) -> int:
    return sum(len(text) for _, text, _ in group)


def failed(group: Sequence[File], why: str) -> Outcome:
    """What is said of files that could not be analysed."""
    return Outcome((), (), (), tuple(FileError(path, 1, why) for path, _, _ in group))


DIED = "the process that analysed this file died; is there enough memory?"


def run_together(
    files: Sequence[tuple[str, str, ast.Module]],
    options: EngineOptions,
    *,
    fix: Safety | None,
) -> Outcome:
    """`run` of files that may matter to each other."""
    originals = {path: text for path, text, _ in files}
    first = analyse(files, options)
    settle(first)
    findings = {id(c): finding_of(c) for c in first.claims if shown(c)}
    ordered = tuple(sorted(findings.values(), key=lambda f: f.sort_key))
    if fix is None or not first.claims:
        return Outcome(ordered, (), (), first.errors + failures(ordered, ()))
    texts, withheld, touched, used, spans, late = mend(first, files, options, fix)
    findings |= {i: replace(findings[i], fix=f, not_fixed=None) for i, f in late}
    mended = {i for i, _ in late}
    changes = tuple(
        Change(
            path,
            before,
            texts[path],
            tuple(touched.get(path, ())),
            tuple(sorted(used.get(path, ()))),
            tuple(p for p in sorted(spans.get(path, ())) if texts[p] != originals[p]),
        )
        for path, before, _ in files
        if texts.get(path, before) != before
    )
    held = {id(c): why for c, why in withheld}
    done = [
        findings[id(c)]
        for c in first.claims
        if id(c) in findings
        and (accepted(c, fix, options) or id(c) in mended)
        and id(c) not in held
    ]
    final = [
        replace(findings[id(c)], fix=None, not_fixed=held[id(c)])
        if id(c) in held
        else findings[id(c)]
        for c in first.claims
        if id(c) in findings
    ]
    left = tuple(sorted(final, key=lambda f: f.sort_key))
    return Outcome(
        left,
        changes,
        tuple(sorted(done, key=lambda f: f.sort_key)),
        first.errors + failures(left, changes),
    )


def failures(
    findings: Sequence[Finding], changes: Sequence[Change]
) -> tuple[FileError, ...]:
    """The files that stay as they are since a fix failed for no fault of theirs."""
    from ._rewriting.rewrite import FAILED

    found: dict[str, FileError] = {}
    changed = {change.path for change in changes}
    for one in findings:
        if one.path not in changed and (one.not_fixed or "").startswith(FAILED):
            error = FileError(one.path, one.span.line, one.not_fixed or "")
            found.setdefault(one.path, error)
    return tuple(found.values())


# --- analysis


def analyse(
    files: Sequence[tuple[str, str, ast.Module]], options: EngineOptions
) -> Analysis:
    project = Project(files)
    interpreter = Interpreter(project, options.settings)
    interpreter.run()
    facts = Facts(project, interpreter)
    rules = [r for name, r in all_rules().items() if name in options.rules]
    visitors = Visitors(facts, rules)
    claims: list[Claim] = []
    errors = [FileError(path, 1, text) for path, text in interpreter.failures.items()]
    functions = interpreter.functions
    ran = {functions[key].module.path for key in interpreter.reached.keys() & functions}
    for module in project.in_scope():
        if INTERESTING.search(module.text.encode()) or module.path in ran:
            try:
                claims += claims_of(facts, module, visitors)
            except (
                Exception
            ) as error:  # a file that jaxfix fails on must not end the run
                errors.append(FileError(module.path, 1, bug(error)))
    return Analysis(facts, claims, tuple(errors))


def shown(one: Claim) -> bool:
    return one.inside is None


def settle(analysis: Analysis) -> None:
    """Find out which plans can be carried out together; close the others."""
    while any(c.is_open for c in analysis.claims):
        from ._rewriting import rewrite

        rewrite.settle(analysis.facts, analysis.claims)
        close_outer(analysis.claims)
        close_loops(analysis.claims)
        close_casts(analysis.claims)
        if not fall_back(analysis):
            break
    for one in analysis.claims:
        if one.inside is not None and not one.inside.is_open:
            one.not_fixed = one.not_fixed or one.inside.not_fixed


def close_outer(claims: Sequence[Claim]) -> None:
    """A claim of which a part cannot be carried out cannot be carried out itself."""
    for one in claims:
        outer = one.inside
        if outer is not None and not one.is_open and outer.is_open:
            outer.not_fixed, outer.depends = one.not_fixed, one.depends


def close_loops(claims: Sequence[Claim]) -> None:
    """A loop gains nothing if it makes a tracer of what its body must know."""
    from ._rewriting import rewrite

    for one in claims:
        if one.is_open or one.depends or not one.rule.needs_known:
            continue
        read = set(names_in(one.node))
        for loop in claims:
            if (
                loop.is_open
                and isinstance(loop.plan, Region)
                and isinstance(loop.node, ast.For | ast.While)
                and read & set(writes(loop.node))
                and any(node is one.node for node in ast.walk(loop.node))
            ):
                line = getattr(one.node, "lineno", 0)
                why = f"it depends on line {line}, where {one.not_fixed}"
                rewrite.close(claims, loop, loop.node, why)


def close_casts(claims: Sequence[Claim]) -> None:
    """A number that must be known is not given as a tracer: it stays as it is."""
    from ._rewriting import rewrite

    known = [
        c for c in claims if c.rule.needs_known and not c.is_open and not c.depends
    ]
    for cast in claims:
        if not cast.is_open or not cast.rule.gives_tracer or not known:
            continue
        assert isinstance(cast.node, ast.expr), "it has a value"
        users = {id(parent) for _, parent in ends(cast.fn, cast.node)}
        for one in known:
            if any(id(node) in users for node in ast.walk(one.node)):
                line = getattr(one.node, "lineno", 0)
                why = f"it depends on line {line}, where {one.not_fixed}"
                rewrite.close(claims, cast, cast.node, why)
                break


def fall_back(analysis: Analysis) -> bool:
    """Put the fallbacks of claims that failed in their places; whether there were any.

    What the fallback mends it mends everywhere: the claims that have the same one go.
    """
    failed = [c for c in analysis.claims if not c.is_open and not c.depends]
    keys = {
        c.fallback.plan.key
        for c in failed
        if c.fallback is not None
        and c.fallback.is_open
        and isinstance(c.fallback.plan, Sites)
    }
    if not keys:
        return False
    replaced: dict[int, Claim] = {}
    for one in analysis.claims:
        other = one.fallback
        if other is None or not other.is_open or not isinstance(other.plan, Sites):
            continue
        if other.plan.key in keys:
            replaced[id(one)] = other
    for one in analysis.claims:
        if one.inside is not None:
            one.inside = replaced.get(id(one.inside), one.inside)
        if one.depends:
            one.not_fixed, one.depends = None, False
    analysis.claims = [replaced.get(id(c), c) for c in analysis.claims]
    return True


def finding_of(one: Claim) -> Finding:
    module = one.fn.module
    fix = None
    if one.is_open and one.plan is not None:
        fix = Fix(one.plan.title, one.plan.safety)
    return Finding(
        path=module.path,
        span=span_of(module.text, one.node),
        rule=one.rule.name,
        message=one.problem.message,
        because=one.problem.because,
        fix=fix,
        not_fixed=one.not_fixed if fix is None else None,
        function=one.fn.qualname,
    )


def accepted(one: Claim, fix: Safety, options: EngineOptions) -> bool:
    """Is the fix of this claim wanted in this run?"""
    if not one.is_open or one.plan is None:
        return False
    outer = one.inside
    if outer is not None:
        return accepted(outer, fix, options)
    if one.plan.safety is Safety.UNSAFE and fix is not Safety.UNSAFE:
        return False
    return not options.skip(finding_of(one))


# --- fixing


Texts = dict[str, str]
Held = list[tuple[Claim, str]]
Late = list[tuple[int, Fix]]


def mend(
    first: Analysis,
    files: Sequence[tuple[str, str, ast.Module]],
    options: EngineOptions,
    fix: Safety,
) -> tuple[
    Texts, Held, dict[str, list[str]], dict[str, set[str]], dict[str, set[str]], Late
]:
    """Apply the accepted fixes until nothing is left to fix; check what comes out."""
    texts = {path: text for path, text, _ in files}
    touched: dict[str, list[str]] = {}
    used: dict[str, set[str]] = {}
    spans: dict[str, set[str]] = {}
    withheld: Held = []
    later: dict[tuple[str, str, str], Fix] = {}
    analysis, trees = first, list(files)
    waiting: list[Claim] = []
    reasons: dict[tuple[str, str, str, str], str] = {}
    for round_ in range(MAX_ROUNDS):
        result = one_round(analysis, trees, options, fix)
        reasons |= {problem(c): why for c, why in result.withheld}
        if round_ == 0:
            withheld = result.withheld
            tried = {id(c) for c in (*result.kept, *(c for c, _ in withheld))}
            waiting = [
                c
                for c in first.claims
                if accepted(c, fix, options) and id(c) not in tried
            ]
        if not result.texts:
            break
        if round_ > 0:
            later |= {key(c): f for c in result.kept if (f := finding_of(c).fix)}
        texts |= result.texts
        for path, names in result.touched.items():
            known = touched.setdefault(path, [])
            known += [n for n in names if n not in known]
        for path, others in result.spans.items():
            spans.setdefault(path, set()).update(others)
        for path, names_ in result.used.items():
            used.setdefault(path, set()).update(names_)
        trees = [
            (p, texts[p], t if texts[p] == s else ast.parse(texts[p]))
            for p, s, t in trees
        ]
        analysis = result.after
        if size_of(trees) > MUCH // MAX_ROUNDS:
            gc.collect()
    # What waited for others, and was withheld in its turn.
    remaining = {problem(c): c for c in analysis.claims}
    for one in waiting:
        if (still := remaining.get(problem(one))) is not None:
            why = reasons.get(problem(one)) or still.not_fixed or TOO_MANY
            withheld.append((one, why))
    # What a later round mended, or had no more to mend, is not left.
    left = Counter(key(c) for c in analysis.claims)
    withheld = [(c, why) for c, why in withheld if left[key(c)]]
    late = [
        (id(c), later[key(c)])
        for c in first.claims
        if shown(c) and not c.is_open and key(c) in later and not left[key(c)]
    ]
    return texts, withheld, touched, used, spans, late


@dataclass(slots=True)
class Round:
    texts: Texts
    after: Analysis
    withheld: Held
    touched: dict[str, list[str]]
    used: dict[str, set[str]]
    spans: dict[str, set[str]] = field(default_factory=dict)
    kept: list[Claim] = field(default_factory=list)


def one_round(
    analysis: Analysis,
    files: Sequence[tuple[str, str, ast.Module]],
    options: EngineOptions,
    fix: Safety,
) -> Round:
    """One application of all accepted claims, less those whose result is wrong.

    What changes what is traced goes first and alone: the rest is planned after it.
    """
    chosen = [c for c in analysis.claims if accepted(c, fix, options)]
    first = [c for c in chosen if goes_first(c)]
    withheld: Held = []
    if first:
        result = one_attempt(analysis, first, files, options)
        if result.texts:
            return result
        withheld = result.withheld
        chosen = [c for c in chosen if not goes_first(c)]
    result = one_attempt(analysis, chosen, files, options)
    result.withheld = withheld + result.withheld
    return result


def one_attempt(
    analysis: Analysis,
    chosen: list[Claim],
    files: Sequence[tuple[str, str, ast.Module]],
    options: EngineOptions,
) -> Round:
    """One application of these claims, less those whose result is wrong."""
    from ._rewriting.rewrite import apply

    withheld: Held = []
    while chosen:
        trial = [copy_claim(c) for c in chosen]
        rewriter = apply(analysis.facts, trial)
        kept = [c for c, t in zip(chosen, trial, strict=True) if t.is_open]
        for c, t in zip(chosen, trial, strict=True):
            if not t.is_open:
                withheld.append((c, t.not_fixed or ""))
        texts = rewriter.code()
        if not texts:
            break
        bad, after = verify(analysis, kept, files, texts, options)
        if not bad:
            used: dict[str, set[str]] = {}
            for c in kept:
                used.setdefault(c.fn.path, set()).add(c.rule.name)
            spans = {path: set(rewriter.together(path)) for path in texts}
            return Round(texts, after, withheld, rewriter.touched, used, spans, kept)
        withheld += [(c, why) for c, why in bad]
        refused = {id(c) for c, _ in bad}
        chosen = [c for c in kept if id(c) not in refused]
    return Round({}, analysis, withheld, {}, {})


def goes_first(one: Claim) -> bool:
    """Does the fix change what is traced?"""
    return isinstance(one.plan, Sites) and one.plan.first


def copy_claim(one: Claim) -> Claim:
    return Claim(one.rule, one.fn, one.node, one.problem, one.plan, None, one.inside)


def verify(
    before: Analysis,
    kept: Sequence[Claim],
    files: Sequence[tuple[str, str, ast.Module]],
    texts: Texts,
    options: EngineOptions,
) -> tuple[Held, Analysis]:
    """Read the new texts as if they were the project: they parse, and what was mended
    is gone. Returns the claims whose fix fails that, and the new analysis."""
    trees: list[tuple[str, str, ast.Module]] = []
    bad: Held = []
    for path, text, tree in files:
        if path in texts:
            try:
                tree = parsed(texts[path], text)
            except SyntaxError as error:
                why = (
                    f"the result does not parse (line {error.lineno}): a bug in jaxfix"
                )
                bad += [(c, why) for c in kept if c.fn.path == path]
                continue
            text = texts[path]
        trees.append((path, text, tree))
    if bad:
        return bad, before
    after = analyse(trees, options)
    settle(after)
    mended = Counter(problem(c) for c in kept)
    old = Counter(problem(c) for c in before.claims)
    new = Counter(problem(c) for c in after.claims)
    for what, count in mended.items():
        if new[what] > old[what] - count:
            why = "the result has the same problem again: the fix was withheld"
            bad += [(c, why) for c in kept if problem(c) == what]
    if not bad:
        bad = new_problems(kept, before, after) or new_misfits(kept, before, after)
    return bad, after


def parsed(text: str, before: str) -> ast.Module:
    """The tree of a result.

    Raises:
      SyntaxError: it does not parse, or does not compile as the text before it did: two
        parameters of one name are no fault of the tree.
    """
    tree = ast.parse(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(before, "before", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return tree
        compile(text, "after", "exec", dont_inherit=True)
    return tree


def new_misfits(kept: Sequence[Claim], before: Analysis, after: Analysis) -> Held:
    """The claims behind branches, or a carry, that have no one type."""
    old = Counter((m.path, outer_name(m.function)) for m in misfits_of(before))
    for one in misfits_of(after):
        where = (one.path, outer_name(one.function))
        old[where] -= 1
        if old[where] >= 0:
            continue
        same_file = [c for c in kept if c.fn.path == one.path]
        culprits = [c for c in same_file if key(c)[2] == where[1]] or same_file or kept
        why = (
            f"{one.what} would have different types, on line {one.line} of the"
            f" result: {one.text}"
        )
        return [(c, why) for c in culprits]
    return []


def misfits_of(analysis: Analysis) -> list[Misfit]:
    found = analysis.facts.interpreter.misfits.values()
    return sorted(found, key=lambda m: (m.path, m.line))


def outer_name(qualname: str) -> str:
    return qualname.split(".<locals>")[0]


def new_problems(kept: Sequence[Claim], before: Analysis, after: Analysis) -> Held:
    """The claims behind a problem that was not there and that nothing can mend.

    What is mended makes no room for another one. A write into an argument that nobody
    looks at after the call is none.
    """
    old = Counter(key(c) for c in before.claims)
    old.subtract(key(c) for c in kept)
    found = [c for c in after.claims if not after.facts.is_unseen(c.node)]
    new = Counter(key(c) for c in found)
    for one in found:
        where = key(one)
        if one.is_open or not shown(one) or new[where] <= old[where]:
            continue
        same_file = [c for c in kept if c.fn.path == one.fn.path]
        culprits = [c for c in same_file if key(c)[2] == where[2]] or same_file or kept
        line = getattr(one.node, "lineno", 0)
        why = (
            f"the result would have a new problem on line {line} ({one.rule.name}):"
            f" {one.problem.message}"
        )
        return [(c, why) for c in culprits]
    return []


def key(one: Claim) -> tuple[str, str, str]:
    return (one.fn.path, one.rule.name, outer_name(one.fn.qualname))


def problem(one: Claim) -> tuple[str, str, str, str]:
    return (*key(one), one.problem.message)


# --- why


def why(
    sources: Sequence[Source],
    path: str,
    line: int,
    name: str | None,
    options: EngineOptions,
) -> tuple[Explained, ...]:
    """What is known of the expressions on a line: the chain from a transform."""
    files = [(s.path, s.text, s.tree) for s in sources]
    groups = components(files)
    mine = [group for group in groups if any(p == path for p, _, _ in group)]
    analysis = analyse(mine[0] if mine else files, options)
    return explain(analysis.facts, path, line, name)


__all__ = [
    "EngineOptions",
    "Outcome",
    "Rule",
    "RuleInfo",
    "rule_names",
    "rule_page",
    "rule_table",
    "run",
    "why",
]
