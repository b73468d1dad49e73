"""Work in several processes, tested in a process that has not loaded jax.

JAX has threads, and a process with threads must not be forked: `forked_processes.py` is
therefore run by a pytest of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).with_name("forked_processes.py")


def test_in_a_process_without_jax() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", FILE]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout
