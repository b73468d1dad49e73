"""The project as the analysis sees it: modules by dotted name, read when needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .scopes import FunctionNode, children
from .values import Value

# Names that apply a transform, or whose misuse a rule looks for. A function whose
# source mentions none of them, nor the name of a transformed function, is not
# interpreted on its own (it is when traced code calls it).
WORDS = frozenset(
    [
        "jit",
        "pjit",
        "filter_jit",
        "vmap",
        "filter_vmap",
        "pmap",
        "shard_map",
        "grad",
        "value_and_grad",
        "filter_grad",
        "filter_value_and_grad",
        "jacfwd",
        "jacrev",
        "jacobian",
        "hessian",
        "jvp",
        "vjp",
        "linearize",
        "checkpoint",
        "remat",
        "custom_jvp",
        "custom_vjp",
        "eval_shape",
        "make_jaxpr",
        "scan",
        "cond",
        "switch",
        "while_loop",
        "fori_loop",
        "associative_scan",
        "vectorize",
        "piecewise",
        "pallas_call",
        "custom_root",
        "custom_linear_solve",
        "PRNGKey",
        "random",
        "transform",
    ]
)
INTERESTING = re.compile(rb"\b(?:%s)\b" % b"|".join(w.encode() for w in sorted(WORDS)))
FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclass(slots=True, eq=False)
class Module:
    """One file of the project."""

    name: str
    path: str
    text: str
    tree: ast.Module
    is_package: bool = False
    in_scope: bool = True
    globals: dict[str, Value] = field(default_factory=dict)
    state: str = "new"  # "new" | "running" | "done"
    rebound: frozenset[str] = frozenset()
    _nodes: list[ast.AST] = field(default_factory=list)
    _parents: dict[int, ast.AST] = field(default_factory=dict)
    _functions: list[FunctionNode] = field(default_factory=list)
    _stores: list[ast.Attribute] | None = None
    words: list[frozenset[str]] = field(default_factory=list)  # by line

    def __post_init__(self) -> None:
        if "global" in self.text:
            self.rebound = rebound_globals(self.nodes)

    @property
    def nodes(self) -> list[ast.AST]:
        """Every node, as `ast.walk` orders them."""
        if not self._nodes:
            self._index()
        return self._nodes

    @property
    def functions(self) -> list[FunctionNode]:
        """Every function and lambda, as `ast.walk` orders them."""
        if not self._nodes:
            self._index()
        return self._functions

    def _index(self) -> None:
        self._nodes.append(self.tree)
        for outer in self._nodes:  # which grows
            for inner in children(outer):
                self._parents[id(inner)] = outer
                self._nodes.append(inner)
        self._functions = [n for n in self._nodes if isinstance(n, FUNCTION_NODES)]

    def mentions(self, node: ast.stmt, words: frozenset[str]) -> bool:
        """Does the source of a statement, its decorators too, have one of the words?"""
        if not self.words:
            lines = self.text.split("\n")
            self.words = [frozenset(_IDENTIFIER.findall(line)) for line in lines]
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        start = min([node.lineno, *(d.lineno for d in decorators)]) - 1
        return not all(
            words.isdisjoint(found) for found in self.words[start : node.end_lineno]
        )

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The syntactic parent of a node of this module."""
        if not self._nodes:
            self._index()
        return self._parents.get(id(node))

    @property
    def attribute_stores(self) -> list[ast.Attribute]:
        """All targets of the form `x.name`, in assignments and deletions."""
        if self._stores is None:
            self._stores = [
                node
                for node in self.nodes
                if isinstance(node, ast.Attribute)
                and not isinstance(node.ctx, ast.Load)
            ]
        return self._stores

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        up = self.parent(node)
        parents = self._parents
        while up is not None:
            yield up
            up = parents.get(id(up))


def rebound_globals(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Module variables that some function of the module declares `global`."""
    return frozenset(
        name for node in nodes if isinstance(node, ast.Global) for name in node.names
    )


def module_name(path: Path) -> tuple[str, Path]:
    """The dotted name of a file and the folder that it is imported from."""
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        if folder.parent == folder:
            break
        folder = folder.parent
    return ".".join(parts) or path.stem, folder


class Project:
    """All modules that are in scope, and those of the same roots that they import."""

    def __init__(self, files: Iterable[tuple[str, str, ast.Module]]) -> None:
        """`files`: (path, text, tree) of each file in scope."""
        self.modules: dict[str, Module] = {}
        self.by_path: dict[str, Module] = {}
        self.roots: dict[Path, None] = {}
        self._missing: set[str] = set()
        self._files: dict[Path, Module] = {}
        for path, text, tree in files:
            name, root = module_name(Path(path).absolute())
            self.roots.setdefault(root)
            is_package = Path(path).stem == "__init__"
            module = Module(name, path, text, tree, is_package)
            self.by_path[path] = module
            self._files[Path(path).absolute()] = module
            # Two scripts of one name in unrelated folders: the first keeps the name.
            self.modules.setdefault(name, module)

    def in_scope(self) -> list[Module]:
        return [m for m in self.by_path.values() if m.in_scope]

    def find(self, name: str, near: Module | None = None) -> Module | None:
        """The module of this dotted name, read from the project's roots if need be."""
        if near is not None and "." not in near.name and "." not in name:
            sibling = str(Path(near.path).parent / f"{name}.py")
            for candidate in (sibling, sibling.removeprefix("./")):
                if candidate in self.by_path:
                    return self.by_path[candidate]
        if name in self.modules:
            return self.modules[name]
        if name in self._missing:
            return None
        for root in self.roots:
            base = root.joinpath(*name.split("."))
            for path in (base / "__init__.py", base.with_name(base.name + ".py")):
                module = self._files.get(path)
                if module is None and path.is_file():
                    module = self._read(name, path)
                if module is not None:
                    # A file in a folder without `__init__.py` has a name of its own.
                    self.modules[name] = module
                    return module
        self._missing.add(name)
        return None

    def _read(self, name: str, path: Path) -> Module | None:
        try:
            data = path.read_bytes()
            tree = ast.parse(data)
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None
        text = data.decode("utf-8", "replace")
        module = Module(name, str(path), text, tree, path.stem == "__init__", False)
        self.by_path[str(path)] = self._files[path] = module
        return module


def absolute_import(module: Module, node: ast.ImportFrom) -> str:
    """The dotted name that `from ... import` names, relative dots resolved."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    if not module.is_package:
        parts = parts[:-1]
    if node.level > 1:
        parts = parts[: len(parts) - (node.level - 1)]
    return ".".join([*parts, *([node.module] if node.module else [])])
