"""The modules of a project, by name and by file."""

from __future__ import annotations

import ast
from pathlib import Path

from jaxfix._analysis.project import Project


def project_of(*paths: Path) -> Project:
    return Project((str(p), p.read_text(), ast.parse(p.read_text())) for p in paths)


def test_a_file_in_a_folder_without_init_is_one_module_under_both_names(tmp_path):
    inner = tmp_path / "pkg" / "inner"
    inner.mkdir(parents=True)
    init, low = tmp_path / "pkg" / "__init__.py", inner / "low.py"
    init.touch()
    low.write_text("x = 1\n")
    project = project_of(init, low)
    found = project.find("pkg.inner.low")
    assert found is project.by_path[str(low)]
    assert found.in_scope
    assert project.find("low") is found


def test_a_file_out_of_scope_is_read_when_it_is_imported(tmp_path):
    folder = tmp_path / "pkg"
    folder.mkdir()
    init, other = folder / "__init__.py", folder / "other.py"
    init.touch()
    other.write_text("x = 1\n")
    project = project_of(init)
    found = project.find("pkg.other")
    assert found is not None
    assert not found.in_scope
    assert project.find("pkg.other") is found
    assert project.find("pkg.absent") is None
