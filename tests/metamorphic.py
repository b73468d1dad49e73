"""Variants of a module that mean the same, so that jaxfix must judge them the same.

Each transformation takes the source of a module with a `main()` and returns the files
of the variant, or None where it does not apply. `python -m tests.metamorphic FOLDER`
compares every variant of every file of a folder with the original.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import copy
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.programs.run import ToolReport, ask_jaxfix, difference
from tests.programs.worker import Outcome, Runner

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Variant:
    """A transformed module; `moved` is the second file of those that need one."""

    original: str
    change: str
    source: str
    moved: str = ""

    @property
    def name(self) -> str:
        return f"{self.original}__{self.change}".replace("-", "_")

    def files(self) -> dict[str, str]:
        """Source by module name; the other module has a name of its own."""
        if not self.moved:
            return {self.name: self.source}
        other = f"{self.name}_moved"
        source = self.source.replace(OTHER_MODULE, other)
        return {self.name: source, other: self.moved}


OTHER_MODULE = "other_module_of_this_variant"


# Names


class Renamed(ast.NodeTransformer):
    """Replaces names, wherever they are read, bound or declared."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node


def rename_names(tree: ast.Module) -> ast.Module | None:
    """Rename functions, parameters and locals that no string or keyword spells."""
    names = bound_in_functions(tree) | module_functions(tree)
    names -= fixed_names(tree) | set(dir(builtins))
    chosen = {name: f"{name}_renamed" for name in sorted(names)}
    Renamed(chosen).visit(tree)
    return tree if chosen else None


def bound_in_functions(tree: ast.Module) -> set[str]:
    names = set()
    for function in functions(tree):
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def module_functions(tree: ast.Module) -> set[str]:
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name != "main"
    }


def fixed_names(tree: ast.Module) -> set[str]:
    """Names spelled elsewhere too: in keywords, strings, modules and classes."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(name)):
                names.add(name)
            case ast.Constant(value=str(text)):
                names.update(text.replace(",", " ").split())
            case ast.Global(names=listed):
                names.update(listed)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return names.union(stored_at_top(tree), *map(stored_at_top, classes))


def stored_at_top(block: ast.Module | ast.ClassDef) -> set[str]:
    names = {"self", "cls"}
    for statement in block.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            if isinstance(block, ast.ClassDef):
                names.add(statement.name)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names


# Imports


def alias_jax(tree: ast.Module) -> ast.Module | None:
    """`import jax` becomes `import jax as j`, and `jnp` becomes `jn`."""
    if not imports(tree, "jax", None) or not imports(tree, "jax.numpy", "jnp"):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            match node.name, node.asname:
                case "jax", None:
                    node.asname = "j"
                case "jax.numpy", "jnp":
                    node.asname = "jn"
    Renamed({"jax": "j", "jnp": "jn"}).visit(tree)
    return tree


def numpy_from_jax(tree: ast.Module) -> ast.Module | None:
    """`import jax.numpy as jnp` becomes `from jax import numpy as jnp`."""
    for index, node in enumerate(tree.body):
        match node:
            case ast.Import(names=[ast.alias(name="jax.numpy", asname="jnp")]):
                names = [ast.alias("numpy", "jnp")]
                tree.body[index] = ast.ImportFrom("jax", names, 0)
                return tree
    return None


class JitByName(ast.NodeTransformer):
    """`jax.jit` becomes `J`."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id="jax"), attr="jit"):
                return ast.Name("J", ast.Load())
        return self.generic_visit(node)


def jit_by_name(tree: ast.Module) -> ast.Module | None:
    """`jax.jit` is imported by name, under another name."""
    if not any(is_jit(node) for node in ast.walk(tree)):
        return None
    JitByName().visit(tree)
    add_after_imports(tree, [ast.ImportFrom("jax", [ast.alias("jit", "J")], 0)])
    return tree


def imports(tree: ast.Module, name: str, asname: str | None) -> bool:
    aliases = [node for node in ast.walk(tree) if isinstance(node, ast.alias)]
    return any((alias.name, alias.asname) == (name, asname) for alias in aliases)


def add_after_imports(tree: ast.Module, statements: Sequence[ast.stmt]) -> None:
    last = max(
        index
        for index, node in enumerate(tree.body)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    tree.body[last + 1 : last + 1] = statements


# Where jit stands


def is_jit(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="jax"), attr="jit"):
            return True
    return False


def decorated(tree: ast.Module) -> list[int]:
    """Positions of the module functions whose one decorator is `@jax.jit`."""
    return [
        index
        for index, node in enumerate(tree.body)
        if isinstance(node, ast.FunctionDef)
        and len(node.decorator_list) == 1
        and is_jit(node.decorator_list[0])
    ]


def undecorate(tree: ast.Module) -> ast.Module | None:
    """`@jax.jit` on `f` becomes `f = jax.jit(plain_f)`."""
    positions = decorated(tree)
    for index in reversed(positions):
        function = tree.body[index]
        assert isinstance(function, ast.FunctionDef), "`decorated` gives functions"
        name, jit = function.name, function.decorator_list.pop()
        function.name = f"plain_{name}"
        call = ast.Call(jit, [ast.Name(function.name, ast.Load())], [])
        assign = ast.Assign([ast.Name(name, ast.Store())], call)
        tree.body.insert(index + 1, assign)
    return tree if positions else None


def decorate(tree: ast.Module) -> ast.Module | None:
    """`fast = jax.jit(f)` becomes a decorator on `f`, and `fast = f`."""
    defined = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    changed = False
    for node in tree.body:
        match node:
            case ast.Assign(value=ast.Call(func, [ast.Name(id=name) as f], [])) if (
                is_jit(func) and name in defined and not defined[name].decorator_list
            ):
                defined[name].decorator_list.append(func)
                node.value = f
                changed = True
    return tree if changed else None


def call_from_new_function(tree: ast.Module) -> ast.Module | None:
    """The body of a compiled function moves into a helper that it calls."""
    positions = [i for i in decorated(tree) if is_plain(tree.body[i])]
    for index in reversed(positions):
        helper = tree.body[index]
        assert isinstance(helper, ast.FunctionDef), "`decorated` gives functions"
        outer = copy.deepcopy(helper)
        helper.name, helper.decorator_list = f"{helper.name}_body", []
        names = [ast.Name(a.arg, ast.Load()) for a in helper.args.args]
        call = ast.Call(ast.Name(helper.name, ast.Load()), list(names), [])
        outer.body = [ast.Return(call)]
        tree.body.insert(index + 1, outer)
    return tree if positions else None


def is_plain(function: ast.stmt) -> bool:
    """Whether all parameters can be handed on by position."""
    assert isinstance(function, ast.FunctionDef), "`decorated` gives functions"
    arguments = function.args
    return not (
        arguments.vararg
        or arguments.kwarg
        or arguments.kwonlyargs
        or arguments.posonlyargs
    )


class Qualified(ast.NodeTransformer):
    """`name` becomes `owner.name` where it is read."""

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        self.owner = owner

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != self.name or not isinstance(node.ctx, ast.Load):
            return node
        return ast.Attribute(ast.Name(self.owner, ast.Load()), node.id, ast.Load())


def as_static_method(tree: ast.Module) -> ast.Module | None:
    """The first compiled function becomes a static method of a class."""
    positions = decorated(tree)
    if not positions:
        return None
    function = tree.body[positions[0]]
    assert isinstance(function, ast.FunctionDef), "`decorated` gives functions"
    if bound_in_functions(tree) & {function.name}:
        return None
    Qualified(function.name, "Kernels").visit(tree)
    function.decorator_list.insert(0, ast.Name("staticmethod", ast.Load()))
    tree.body[positions[0]] = ast.ClassDef(
        name="Kernels", bases=[], keywords=[], body=[function], decorator_list=[]
    )
    return tree


# Layout


def add_docstrings(tree: ast.Module) -> ast.Module | None:
    """Every function gets a docstring, unless it has one."""
    changed = False
    for function in functions(tree):
        if isinstance(function, ast.Lambda) or ast.get_docstring(function):
            continue
        function.body.insert(0, ast.Expr(ast.Constant("What this does.")))
        changed = True
    return tree if changed else None


UNRELATED = """
class Settings:
    \"\"\"Nothing that the compiled code reads.\"\"\"

    verbose = False

    def describe(self):
        if self.verbose:
            return "loud"
        return "quiet"


def count_words(text):
    seen = {}
    for word in text.split():
        if word not in seen:
            seen[word] = 0
        seen[word] += 1
    while len(seen) > 3:
        seen.popitem()
    return seen
"""


def add_unrelated_code(tree: ast.Module) -> ast.Module | None:
    add_after_imports(tree, ast.parse(UNRELATED).body)
    return tree


def add_comments(source: str) -> str | None:
    """A comment and blank lines before each statement of each function body."""
    tree = ast.parse(source)
    starts = {
        statement.lineno: statement.col_offset
        for function in functions(tree)
        if not isinstance(function, ast.Lambda)
        for statement in ast.walk(function)
        if isinstance(statement, ast.stmt) and statement is not function
    }
    lines = []
    for number, line in enumerate(source.split("\n"), start=1):
        indent = len(line) - len(line.lstrip())
        is_elif = line.lstrip().startswith("elif ")
        if starts.get(number) == indent and not is_elif:
            lines += ["", " " * indent + "# a remark"]
        lines.append(line)
    return "\n".join(lines)


# A second file


def move_to_other_module(source: str) -> tuple[str, str] | None:
    """All but `main` and the imports moves to another file, and is imported from it."""
    tree = ast.parse(source)
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        return None
    is_import = (ast.Import, ast.ImportFrom)
    heads = [node for node in tree.body if isinstance(node, is_import)]
    mains = [
        n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "main"
    ]
    rest = [node for node in tree.body if node not in [*heads, *mains]]
    read = {n.id for m in mains for n in ast.walk(m) if isinstance(n, ast.Name)}
    names = sorted(read & defined_names(rest))
    if not names:
        return None
    link = ast.ImportFrom(OTHER_MODULE, [ast.alias(name) for name in names], 0)
    main = ast.Module([*heads, link, *mains], [])
    return unparsed(main), unparsed(ast.Module([*heads, *rest], []))


def defined_names(statements: Iterable[ast.stmt]) -> set[str]:
    names = set()
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names


# All of them

ON_TREES: tuple[Callable[[ast.Module], ast.Module | None], ...] = (
    rename_names,
    alias_jax,
    numpy_from_jax,
    jit_by_name,
    undecorate,
    decorate,
    call_from_new_function,
    as_static_method,
    add_docstrings,
    add_unrelated_code,
)


def unparsed(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def variants(name: str, source: str) -> list[Variant]:
    """Every variant that applies to the module `source`."""
    results = []
    for transform in ON_TREES:
        if (tree := transform(ast.parse(source))) is not None:
            results.append(Variant(name, transform.__name__, unparsed(tree)))
    if (text := add_comments(source)) is not None:
        results.append(Variant(name, "add_comments", text))
    if (pair := move_to_other_module(source)) is not None:
        results.append(Variant(name, "move_to_other_module", *pair))
    return results


@dataclass(frozen=True, slots=True)
class Answer:
    """What jaxfix said of a module, apart from places and names."""

    rules: tuple[tuple[str, int], ...]
    fixed: int
    changed: bool


def answer_of(reports: Iterable[ToolReport], sources: Iterable[str]) -> Answer:
    reports = list(reports)
    findings: list[dict[str, Any]] = [f for r in reports for f in r.findings]
    return Answer(
        tuple(sorted(collections.Counter(f["code"] for f in findings).items())),
        sum(finding["not_fixed"] is None for finding in findings),
        any(r.after != s for r, s in zip(reports, sources, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """A variant, jaxfix's answers on it and on the original, and where both are run."""

    variant: Variant
    want: Answer
    got: Answer
    errors: tuple[str, ...]
    folder: Path

    def values(self, runner: Runner) -> str:
        """Run the fixed variant; return how it differs from the fixed original."""
        want = self.run_original(runner)
        got = runner.run(self.folder / "after" / f"{self.variant.name}.py", eager=False)
        if not want.ok or not got.ok:
            same = want.error == got.error
            return (
                "" if same else f"{got.error or 'ok'} instead of {want.error or 'ok'}"
            )
        return difference(got, want)

    def run_original(self, runner: Runner) -> Outcome:
        path = self.folder / "after" / f"{self.variant.original}.py"
        return runner.run(path, eager=False)


def compare(modules: dict[str, str], folder: Path) -> list[Compared]:
    """Ask jaxfix about all modules and all their variants, in one run in `folder`."""
    made = [v for name, source in modules.items() for v in variants(name, source)]
    sources = dict(modules)
    for variant in made:
        sources |= variant.files()
    reports = ask_jaxfix(sources, folder)
    results = []
    for variant in made:
        files = variant.files()
        own = [reports[name] for name in files]
        original = modules[variant.original]
        results.append(
            Compared(
                variant,
                answer_of([reports[variant.original]], [original]),
                answer_of(own, files.values()),
                tuple(error for report in own for error in report.errors),
                folder,
            )
        )
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.metamorphic")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--values", action="store_true", help="run the variants too")
    options = parser.parse_args(arguments)
    paths = [p for folder in options.folders for p in sorted(folder.glob("*.py"))]
    modules = {p.stem.replace("-", "_"): p.read_text() for p in paths}
    bad = 0
    with tempfile.TemporaryDirectory() as scratch, Runner() as runner:
        compared = compare(modules, Path(scratch))
        for pair in compared:
            complaint = "" if pair.got == pair.want else f"{pair.got}, was {pair.want}"
            complaint = "; ".join(pair.errors) or complaint
            if options.values and not complaint:
                complaint = pair.values(runner)
            if complaint:
                bad += 1
                print(f"{pair.variant.name}: {complaint}", flush=True)
    print(f"{len(compared) - bad} of {len(compared)} variants judged as the original")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
