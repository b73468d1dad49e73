"""Who may import whom, read with `ast`, so that a wrong import is one line of text."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(
    [*(ROOT / "jaxfix").rglob("*.py"), *(ROOT / "codemods").rglob("*.py")],
    key=str,
)

# The first pattern that matches says which packages beside the standard library.
PACKAGES = {
    "jaxfix/_validation/worker.py": {"jax", "jaxlib", "numpy", "ml_dtypes"},
    "jaxfix/_validation/recorder.py": {"jax", "numpy"},
    "jaxfix/_validation/cluster.py": {"joblib", "ray", "jaxfix"},
    "jaxfix/_validation/*.py": {"matplotlib", "jaxfix"},
    "jaxfix/_rewriting/*.py": {"libcst", "jaxfix"},
    "jaxfix/_analysis/*.py": {"jaxfix"},
    "jaxfix/_planning/*.py": {"jaxfix"},
    "jaxfix/_report/bench_html.py": {"matplotlib", "jaxfix"},
    "jaxfix/_report/*.py": {"jaxfix"},
    "jaxfix/_cli*.py": {"typer", "jaxfix", "rich"},
    "jaxfix/_options.py": {"typer", "jaxfix"},
    "jaxfix/_case_worker.py": {"jax", "numpy"},
    "jaxfix/codemod.py": {"libcst", "jaxfix"},
    "jaxfix/testing.py": {"libcst", "jaxfix"},
    "jaxfix/_engine.py": {"libcst", "jaxfix"},
    "jaxfix/*.py": {"jaxfix"},
    "codemods/*/*.py": {"libcst", "jaxfix"},
}

# Plain data, that the reports may see too.
DATA = "jaxfix._validation.verdict."

# What the modules that match must not see of ours.
FORBIDDEN = {
    "jaxfix/_analysis/*.py": (
        "jaxfix._planning",
        "jaxfix._rewriting",
        "jaxfix._validation",
        "jaxfix._report",
        "jaxfix._engine",
        "jaxfix._api",
        "jaxfix._config",
        "jaxfix._cli",
        "jaxfix._options",
        "jaxfix.codemod",
    ),
    "jaxfix/_planning/*.py": (
        "jaxfix._rewriting",
        "jaxfix._validation",
        "jaxfix._report",
        "jaxfix._engine",
        "jaxfix._api",
        "jaxfix._config",
        "jaxfix._cli",
        "jaxfix._options",
        "jaxfix.codemod",
    ),
    "jaxfix/_report/*.py": (
        "jaxfix._analysis.source",
        "jaxfix._analysis.suppress",
        "jaxfix._planning",
        "jaxfix._rewriting",
        "jaxfix._validation",
        "jaxfix._engine",
        "jaxfix._api",
        "jaxfix._config",
        "jaxfix._cli",
        "jaxfix._options",
    ),
    "jaxfix/_rewriting/*.py": (
        "jaxfix._validation",
        "jaxfix._report",
        "jaxfix._api",
        "jaxfix._config",
        "jaxfix._cli",
        "jaxfix._options",
    ),
    "jaxfix/_engine.py": (
        "jaxfix._validation",
        "jaxfix._report",
        "jaxfix._api",
        "jaxfix._config",
        "jaxfix._cli",
        "jaxfix._options",
    ),
    "jaxfix/_config.py": ("jaxfix._api", "jaxfix._cli", "jaxfix._options"),
    "jaxfix/_api.py": ("jaxfix._cli", "jaxfix._options"),
}

# The order inside a room, from the bottom: a module sees its own layer and those
# before it. The last one are the helpers of the rules.
LAYERS = {
    "jaxfix/_analysis": {
        "data": "finding columns",
        "a file": "notebook settings source suppress",
        "syntax": "scopes build flow jax_tables jax_api transform_names",
        "values": "values objects project components shapes patterns",
        "interpreter": "definitions frame special_methods truthiness state operands "
        "arguments derivatives indexing elementwise operators layout library results "
        "python_calls iterators expressions operator_calls transformed misfits "
        "primitives transforms roots statements namespaces seen sweeps interpret",
        "calls": "call_sites handed texts polynomials demands origins declarations "
        "setting_uses static_uses hashing",
        "facts": "facts",
        "helpers": "arrays caching captures changes closures compiled_results "
        "constants dict_order "
        "effects explain factories fresh fresh_arguments given hoisting kept keys "
        "kept_keys local_jits makers order overrides receivers recursion "
        "shapes_in_loops type_tests uses",
    },
    "jaxfix/_planning": {
        "data": "plan context blocks",
        "conditions and types": "sequences booleans bindings agree guards lengths "
        "merged nonzero",
        "objects": "apart views aliases kept_arrays taken stores shared_names "
        "ownership places",
        "exits": "matching loop_exits rollable endless one_call desugar",
        "expressions": "tidy assignments choices retyping",
        "regions": "conds placeholders branches carries iterations masked while_loops "
        "for_loops rolled functional",
        "derivatives": "singular",
        "names": "inlining",
        "helpers": "callees casts comparing constant_masks first_found folds "
        "found_loops found_places hand_counted impure formats list_operands "
        "list_sorts masks "
        "masked_gradients mutators numpy_calls joiners printing signs sizes "
        "store_calls tables truth_numbers windows",
    },
    "jaxfix/_rewriting": {
        "parts": "rule registry lines spelling blocks imports",
        "text": "edits cut originals comments unused",
        "claims": "claims supers twins write",
        "rewriting": "rewrite",
        "helpers": "capture_rule factories hoist hoisting_jit local_jits "
        "makers named_functions named_places selections static_options updates",
    },
}
# Facts give the captures, which are made of facts: imported when asked for.
LATE = {("facts", "captures")}


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """The line and full name of everything that a file imports."""
    inside = file.relative_to(ROOT).with_suffix("")
    package = list(inside.parts[:-1])
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_packages(file):
    allowed = next(
        names
        for pattern, names in PACKAGES.items()
        if Path(name_of(file)).match(pattern)
    )
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for line, name in imports(file)
        if (top := name.split(".")[0]) not in sys.stdlib_module_names
        and top not in allowed
    ]
    assert not wrong


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_layers(file):
    forbidden = tuple(
        name
        for pattern, names in FORBIDDEN.items()
        if Path(name_of(file)).match(pattern)
        for name in names
    )
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for line, name in imports(file)
        if any(name == f or name.startswith(f"{f}.") for f in forbidden)
        and not name.startswith(DATA)
    ]
    assert not wrong


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_rule_packs_come_in_by_the_entry_point_alone(file):
    ours = name_of(file).startswith("jaxfix/")
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for line, name in imports(file)
        if (ours and name.startswith("jaxfix_codemods"))
        or (not ours and name.startswith("jaxfix") and not _is_open(name))
    ]
    assert not wrong


def room(folder: str) -> dict[str, int]:
    """The layer of each module of a room, counted from the bottom."""
    groups = LAYERS[folder].values()
    return {name: i for i, names in enumerate(groups) for name in names.split()}


def inner_imports(file: Path) -> set[tuple[int, str]]:
    """The modules of its own room that a file imports, types for the checker aside."""
    tree = ast.parse(file.read_bytes())
    only_types = {
        inner.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in node.body
    }
    prefix = ".".join(file.parent.relative_to(ROOT).parts)
    return {
        (line, name.removeprefix(f"{prefix}.").split(".")[0])
        for line, name in imports(file)
        if name.startswith(f"{prefix}.") and line not in only_types
    }


@pytest.mark.parametrize("folder", LAYERS)
def test_every_module_of_a_room_has_its_layer(folder):
    files = {file.stem for file in (ROOT / folder).glob("*.py")} - {"__init__"}
    assert files == set(room(folder))


@pytest.mark.parametrize("folder", LAYERS)
def test_a_module_sees_its_layer_and_what_is_below(folder):
    layer = room(folder)
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for file in sorted((ROOT / folder).glob("*.py"))
        for line, name in inner_imports(file)
        if layer.get(name, -1) > layer.get(file.stem, len(layer))
        and (file.stem, name) not in LATE
    ]
    assert not wrong


def _is_open(name: str) -> bool:
    """Whether a rule pack may import it."""
    return name.startswith(("jaxfix.codemod.", "jaxfix_codemods"))
