"""What `jaxfix why` prints."""

from __future__ import annotations

from collections.abc import Iterable

from jaxfix._analysis.finding import Evidence, Explained

from .result import place


def render(found: Iterable[Explained]) -> str:
    """A line for each expression, and an indented one for each step to it."""
    lines = []
    for one in found:
        lines.append(_line(one.what))
        lines += [f"    {_line(step)}" for step in one.because]
    return "".join(f"{line}\n" for line in lines)


def _line(step: Evidence) -> str:
    return f"{place(step.path, step.line, step.cell)}: {step.text}"
