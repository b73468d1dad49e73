"""What `jaxfix check` costs: CPU time, memory, growth with size.

Not collected by default (the files are named `bench_*.py`). Run with

    pytest tests/benchmarks/bench_check.py

over a synthetic tree, and with JAXFIX_BENCH_CORPUS=FOLDER over real packages too. No
figure fails a test: they are printed, and kept in pytest-benchmark's `extra_info`.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.programs.generate import KINDS, generate

CORPUS_VARIABLE = "JAXFIX_BENCH_CORPUS"
TOOL = (sys.executable, "-m", "jaxfix")
FILES = 60
PLAIN_MODULE = Path(textwrap.__file__)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one command used, with its child processes."""

    cpu_s: float
    wall_s: float
    peak_bytes: int
    exit_code: int


def spent(command: Sequence[str], cwd: Path) -> Cost:
    """Run `command` and return what it cost; its output is not kept."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=complaints
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        complaints.seek(0)
        # A crash ends with 1, as a check with findings does.
        assert b"Traceback" not in complaints.read(), command
    # Linux counts `ru_maxrss` in KiB, macOS in bytes (getrusage(2) of each).
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(
        usage.ru_utime + usage.ru_stime,
        time.perf_counter() - started,
        usage.ru_maxrss * unit,
        process.returncode,
    )


def parse_cpu_s(folder: Path) -> float:
    """CPU seconds of bare `ast.parse` over the Python files of `folder`."""
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    started = time.process_time()
    for source in sources:
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            continue
    return time.process_time() - started


def line_count(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


def write_tree(folder: Path, files: int) -> Path:
    """A project of which each third file is compiled code, and the others are plain."""
    folder.mkdir()
    plain = PLAIN_MODULE.read_text()
    for number in range(files):
        package = folder / f"package{number // 20}"
        package.mkdir(exist_ok=True)
        (package / "__init__.py").touch()
        kind = KINDS[number % len(KINDS)]
        source = generate(kind, 3, number).source if number % 3 == 0 else plain
        (package / f"module{number}.py").write_text(f"# {number}\n{source}")
    return folder


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Path]]:
    """Synthetic trees by their number of files: a quarter, a half, and all."""
    root = tmp_path_factory.mktemp("trees")
    yield {n: write_tree(root / str(n), n) for n in (FILES // 4, FILES // 2, FILES)}
    shutil.rmtree(root)


@pytest.fixture(scope="session", autouse=True)
def start_cpu_s(tmp_path_factory: pytest.TempPathFactory) -> float:
    """CPU seconds of a bare start; a jaxfix that does not start has no figures."""
    cost = spent([*TOOL, "--help"], tmp_path_factory.mktemp("start"))
    assert cost.exit_code == 0, cost
    return cost.cpu_s


@pytest.fixture(params=["synthetic", "corpus"])
def project(request: pytest.FixtureRequest, trees: dict[int, Path]) -> Path:
    if request.param == "synthetic":
        return trees[FILES]
    if CORPUS_VARIABLE not in os.environ:
        pytest.skip(f"{CORPUS_VARIABLE} names no folder")
    return Path(os.environ[CORPUS_VARIABLE]).resolve()


def measured(benchmark: BenchmarkFixture, run: Callable[[], Cost], rounds: int) -> Cost:
    """Time `run` with pytest-benchmark; return the cheapest of the rounds."""
    costs: list[Cost] = []
    benchmark.pedantic(lambda: costs.append(run()), rounds=rounds, iterations=1)
    assert all(cost.exit_code in (0, 1, 3) for cost in costs), costs
    best = min(costs, key=lambda cost: cost.cpu_s)
    benchmark.extra_info |= {
        "cpu_s": round(best.cpu_s, 3),
        "peak_mib": round(best.peak_bytes / 2**20, 1),
    }
    return best


@pytest.mark.parametrize("jobs", [1, 2])
def test_check(benchmark: BenchmarkFixture, project: Path, jobs: int) -> None:
    """Cold, without a cache: CPU time as a multiple of bare `ast.parse`."""
    command = [*TOOL, "check", "--no-cache", "--jobs", str(jobs), "--quiet", "."]
    cost = measured(benchmark, lambda: spent(command, project), rounds=2)
    parse_s = min(parse_cpu_s(project) for _ in range(3))
    lines = line_count(project)
    benchmark.extra_info |= {
        "lines": lines,
        "parse_cpu_s": round(parse_s, 3),
        "times_parse": round(cost.cpu_s / parse_s, 2),
        "lines_per_s": round(lines / cost.wall_s),
    }
    print(f"\n{project.name}, {jobs} jobs: {benchmark.extra_info}")


def test_growth(
    benchmark: BenchmarkFixture, trees: dict[int, Path], start_cpu_s: float
) -> None:
    """Seconds a thousand lines at three sizes, less the start: flat if linear."""
    rates: dict[int, float] = {}

    def run() -> None:
        for files, folder in trees.items():
            cost = spent([*TOOL, "check", "--no-cache", "--quiet", "."], folder)
            assert cost.exit_code in (0, 1, 3), cost
            rates[files] = round(
                (cost.cpu_s - start_cpu_s) / line_count(folder) * 1000, 5
            )

    benchmark.pedantic(run, rounds=1, iterations=1)
    benchmark.extra_info["cpu_s_per_1000_lines"] = rates
    print(f"\nCPU seconds a thousand lines, by number of files: {rates}")


def test_help(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """What every start costs, against that of Python itself."""
    cost = measured(benchmark, lambda: spent([*TOOL, "--help"], tmp_path), rounds=5)
    bare = min(spent([sys.executable, "-c", ""], tmp_path).cpu_s for _ in range(5))
    benchmark.extra_info["bare_python_cpu_s"] = round(bare, 3)
    print(f"\n--help: {cost.cpu_s:.3f} s CPU; bare python: {bare:.3f} s")
