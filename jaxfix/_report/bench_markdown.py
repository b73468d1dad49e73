"""The table of times before and after, for a terminal and for a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxfix._validation.verdict import Comparison, Proof, Timing, Verdict

HEADINGS = (
    "function", "device", "size", "build before", "build after", "call before",
    "call after", "speed-up", "ops before", "ops after", "temp before", "temp after",
)  # fmt: skip


def render(proof: Proof) -> str:
    """Markdown: the table, what could not be timed, and the machine."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|---|---|" + "--:|" * 9]
    for row in proof.comparisons:
        name, *rest = cells(row)
        lines.append("| " + " | ".join([f"`{name}`", *rest]) + " |")
    lines += ["", *footnotes(proof), *machine_lines(proof), ""]
    return "\n".join(lines)


def text(proof: Proof) -> str:
    """The same for a terminal, in aligned columns."""
    table = [HEADINGS, *(cells(row) for row in proof.comparisons)]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEADINGS))]
    lines = [
        "  ".join(
            value.ljust(width) if i < 3 else value.rjust(width)
            for i, (value, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return "\n".join([*lines, "", *footnotes(proof), *machine_lines(proof), ""])


def cells(row: Comparison) -> tuple[str, ...]:
    before, after = row.before, row.after
    return (
        str(row.target),
        row.device,
        row.size,
        build(before),
        build(after),
        call(before),
        call(after),
        ratio(row.speedup),
        operations(before),
        operations(after),
        memory(before),
        memory(after),
    )


def ratio(value: float) -> str:
    return f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"


def build(timing: Timing) -> str:
    return "not jittable" if timing.build_s is None else seconds(timing.build_s)


def call(timing: Timing) -> str:
    eager = "" if timing.compiles else " (eager)"
    return f"{seconds(timing.median_s)} ± {seconds(timing.spread_s / 2)}{eager}"


def operations(timing: Timing) -> str:
    return str(sum(timing.operations.values())) if timing.compiles else "-"


def memory(timing: Timing) -> str:
    return "-" if timing.temp_bytes is None else size(timing.temp_bytes)


def seconds(value: float) -> str:
    """A time with the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def size(count: int) -> str:
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} B"


def footnotes(proof: Proof) -> list[str]:
    """What the table does not say of itself."""
    lines = [
        f"- {verdict.target}: not timed, {verdict.kind}: {verdict.reason}"
        if verdict.reason
        else f"- {verdict.target}: not timed alone: {why_untimed(verdict)}"
        for verdict in proof.verdicts
        if not verdict.bench
    ]
    eager = sorted({str(r.target) for r in proof.comparisons if not r.before.compiles})
    if eager:
        lines.append(
            f"- cannot be jitted before, eager is its time: {', '.join(eager)}"
        )
    lines += recompilations(proof)
    return [*lines, ""] if lines else []


def why_untimed(verdict: Verdict) -> str:
    return "; ".join(verdict.notes) or "it was compared through its callers"


def recompilations(proof: Proof) -> list[str]:
    lines = []
    for row in proof.comparisons:
        before, after = row.before.compilations, row.after.compilations
        if before is not None and after is not None and before != after:
            calls = row.after.calls
            lines.append(
                f"- {row.target}: {calls} calls compiled {before} times before, "
                f"{after} after"
            )
    return lines


def machine_lines(proof: Proof) -> list[str]:
    return [machine(environment) for environment in proof.environments.values()]


def machine(environment: Mapping[str, Any]) -> str:
    devices = ", ".join(environment.get("devices", ()))
    return (
        f"{environment.get('processor', '')}, {environment.get('cores')} cores, "
        f"{environment.get('system', '')}; Python {environment.get('python')}, "
        f"jax {environment.get('jax')}, jaxlib {environment.get('jaxlib')}; "
        f"devices: {devices}"
    )
