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


def _is_open(name: str) -> bool:
    """Whether a rule pack may import it."""
    return name.startswith(("jaxfix.codemod.", "jaxfix_codemods"))
