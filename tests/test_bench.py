"""Timing before against after, and the reports about it."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from jaxfix._report import bench_html, bench_json, bench_markdown, verdicts
from jaxfix._validation import harness
from jaxfix._validation.emit import emit_tests
from jaxfix._validation.trees import Trees, targets_from_trees
from jaxfix._validation.verdict import Kind, Proof, Target, Verdict

BEFORE = """
import jax
import jax.numpy as jnp

@jax.jit
def unrolled(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * x[i]
    return total

@jax.jit
def branchy(x):
    if x > 0:
        return x * 2
    return -x

def main():
    return unrolled(jnp.arange(16.0)), branchy(3.0), branchy(-3.0)
"""
AFTER = """
import jax
import jax.numpy as jnp

@jax.jit
def unrolled(x):
    return jax.lax.scan(
        lambda total, value: (total + value * value, None), jnp.zeros((), x.dtype), x
    )[0]

@jax.jit
def branchy(x):
    return jnp.where(x > 0, x * 2, -x)

def main():
    return unrolled(jnp.arange(16.0)), branchy(3.0), branchy(-3.0)
"""


@pytest.fixture(scope="session")
def proof(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    trees = Trees(folder / "before", folder / "after")
    for tree, text in ((trees.before, BEFORE), (trees.after, AFTER)):
        tree.mkdir()
        (tree / "model.py").write_text(text)
    targets = targets_from_trees(trees.before, trees.after)
    options = harness.Options(bench=True, jobs=2, timeout_s=600)
    return Proof(tuple(harness.run(trees, targets, options)), options.seed)


def row(proof, name):
    return next(r for r in proof.comparisons if r.target.function == name)


def test_both_sides_are_timed_in_all_stages(proof):
    found = row(proof, "unrolled")
    for side in (found.before, found.after):
        assert side.compiles
        assert side.build_s > 0
        assert side.median_s > 0
        assert side.first_call_s > 0
        assert len(side.times_s) >= 3
        assert side.operations
        assert side.temp_bytes is not None
    assert found.after.compilations is not None


def test_inputs_that_scale_are_timed_at_several_sizes(proof):
    sizes = [r.size for r in proof.comparisons if r.target.function == "unrolled"]
    assert sizes[:2] == ["float32[16]", "float32[128]"]


def test_rolling_a_loop_shows_in_the_operations_of_long_inputs(proof):
    found = next(r for r in proof.comparisons if r.size == "float32[128]")
    before, after = found.before.operations, found.after.operations
    assert sum(before.values()) > 2 * sum(after.values())


def test_what_cannot_be_jitted_is_timed_eagerly_and_the_reports_say_so(proof):
    found = row(proof, "branchy")
    assert not found.before.compiles
    assert "TracerBoolConversionError" in found.before.why_not
    for text in (bench_markdown.render(proof), bench_markdown.text(proof)):
        assert "not jittable" in text
        assert "eager is its time: model.py:branchy" in text


def test_reports_name_the_machine(proof):
    environment = proof.environments["cpu"]
    for text in (bench_markdown.render(proof), bench_html.render(proof)):
        assert f"jax {environment['jax']}" in text
        assert environment["system"] in text


class Page(HTMLParser):
    """Collects what a browser would load, and the tags that are open at the end."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input", "wbr"})

    def __init__(self):
        super().__init__()
        self.open, self.loads, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [v for k, v in attrs if k in ("src", "href", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_stands_alone(proof):
    text = bench_html.render(proof)
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.tags.count("svg") == 2
    assert "script" not in page.tags
    assert all(target.startswith("#") for target in page.loads)
    assert not re.search(r"url\((?!['\"]?#)", text)
    assert "width=device-width" in text


def test_the_page_without_timings_says_so():
    verdict = Verdict(Target("m.py", "f"), "cpu", Kind.NOT_RUN, "no <inputs>")
    text = bench_html.render(Proof((verdict,), 0))
    assert "Nothing was timed." in text
    assert "no &lt;inputs&gt;" in text
    assert "<code>m.py:<wbr>f</code>" in text


def test_json_has_every_time_and_the_environment(proof):
    data = json.loads(bench_json.render(proof))
    assert len(data["bench"]) == len(proof.comparisons)
    assert data["environments"]["cpu"]["jaxlib"]
    assert data["summary"]["functions"] == len(proof.verdicts)
    assert all(r["before"]["times_s"] for r in data["bench"])


def test_pytest_benchmark_reads_the_file(proof, tmp_path):
    file = tmp_path / "times.json"
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    file.write_text(bench_json.pytest_benchmark(proof, now=now))
    command = [sys.executable, "-m", "pytest_benchmark", "compare", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "branchy" in done.stdout
    assert "-before]" in done.stdout


def test_written_tests_pass_on_what_they_pin_and_fail_on_another_program(
    proof, tmp_path
):
    (tmp_path / "model.py").write_text(AFTER)
    (file,) = emit_tests(proof.verdicts, tmp_path / "pinned", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--benchmark-disable", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "model.py").write_text(AFTER.replace("x * 2", "x * 3"))
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "test_branchy" in done.stdout


def test_verdicts_as_text_markdown_and_json(proof):
    assert "= model.py:branchy [cpu] equal" in verdicts.render(proof)
    assert "| `model.py:branchy` | cpu | equal |" in verdicts.markdown(proof)
    data = json.loads(verdicts.json_text(proof))
    assert {v["verdict"] for v in data["verdicts"]} == {"equal"}


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.0, "2 s"), (0.0312, "31.2 ms"), (4.5e-6, "4.5 µs"), (3e-9, "3 ns")],
)
def test_times_have_the_unit_that_suits_them(value, text):
    assert bench_markdown.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5x"), (12.34, "12.3x"), (16000.0, "16,000x")]
)
def test_speed_ups_are_readable(value, text):
    assert bench_markdown.ratio(value) == text


def test_sizes_have_the_unit_that_suits_them():
    assert [bench_markdown.size(n) for n in (12, 2048, 3 * 2**20)] == [
        "12 B",
        "2 KiB",
        "3 MiB",
    ]
