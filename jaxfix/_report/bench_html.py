"""One HTML page with table and plots: no network, no script, readable on a phone."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

from jaxfix._validation.verdict import Comparison, Proof, Verdict

from . import bench_markdown, verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEFORE, AFTER = "#8a8f98", "#1769aa"
STAGES = ("trace_s", "lower_s", "compile_s")
SHADES = {"before": ("#c9ccd1", "#a3a8b0", "#6d727b"),
          "after": ("#a9cdea", "#5a9fd4", "#1769aa")}  # fmt: skip
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 62rem;
       padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; white-space: nowrap; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
code, pre { font: .85rem ui-monospace, monospace; }
pre { overflow-x: auto; background: #8882; padding: .6rem; }
figure { margin: 0; background: #fff; border-radius: .3rem; }
figure svg { width: 100%; height: auto; display: block; }
.bad { color: #c62828; } .good { color: #2e7d32; }
"""


def render(proof: Proof) -> str:
    """The page."""
    body = "\n".join(
        [
            "<h1>jaxfix: before and after</h1>",
            summary(proof),
            plots(proof),
            table(proof),
            verdict_list(proof),
            machines(proof),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>jaxfix: before and after</title><style>{STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def summary(proof: Proof) -> str:
    counts = ", ".join(f"{n} {kind}" for kind, n in proof.counts.items())
    speed = proof.median_speedup
    faster = f" Median speed-up of a call: {speed:.3g}x." if speed else ""
    return f"<p>{html.escape(counts)}.{faster} Seed {proof.seed}.</p>"


def plots(proof: Proof) -> str:
    if not proof.comparisons:
        return "<p>Nothing was timed.</p>"
    return (
        "<h2>Time of a call</h2><p>Median of interleaved calls, with the quartiles; "
        "logarithmic.</p>"
        f"<figure>{svg(proof.comparisons, draw_calls)}</figure>"
        "<h2>Time to build</h2><p>Trace, lower and compile, light to dark.</p>"
        f"<figure>{svg(proof.comparisons, draw_builds)}</figure>"
    )


def label(row: Comparison) -> str:
    size = row.size if len(row.size) <= 28 else f"{row.size[:27]}…"
    return f"{row.target.function}\n{size} {row.device}"


def svg(rows: tuple[Comparison, ...], draw: object) -> str:
    """One plot as SVG text, ready to stand in the page."""
    import matplotlib
    from matplotlib.figure import Figure

    assert callable(draw), "a function that draws"
    # Text stays text: smaller, searchable, and in the page's own font.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "jaxfix"}):
        figure = Figure(figsize=(7.0, 1.2 + 0.55 * len(rows)), layout="constrained")
        axes = figure.subplots()
        draw(axes, rows)
        axes.set_yticks(range(len(rows)), [label(row) for row in rows], fontsize=8)
        axes.invert_yaxis()
        axes.grid(axis="x", color="#ddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    return text[text.index("<svg") :]


def draw_calls(axes: Axes, rows: tuple[Comparison, ...]) -> None:
    places = range(len(rows))
    for shift, side, color in ((-0.19, "before", BEFORE), (0.19, "after", AFTER)):
        timings = [getattr(row, side) for row in rows]
        axes.barh(
            [place + shift for place in places],
            [timing.median_s * 1e3 for timing in timings],
            height=0.36,
            color=color,
            label=side,
            xerr=[timing.spread_s * 5e2 for timing in timings],
            ecolor="#333",
        )
    axes.set_xscale("log")
    axes.set_xlabel("ms a call")
    axes.legend(fontsize=8, frameon=False, loc="best")


def draw_builds(axes: Axes, rows: tuple[Comparison, ...]) -> None:
    for shift, side in ((-0.19, "before"), (0.19, "after")):
        places = [place + shift for place in range(len(rows))]
        left = [0.0] * len(rows)
        for stage, color in zip(STAGES, SHADES[side], strict=True):
            widths = [(getattr(getattr(row, side), stage) or 0.0) * 1e3 for row in rows]
            name = f"{side}: {stage.removesuffix('_s')}"
            axes.barh(places, widths, height=0.36, left=left, color=color, label=name)
            left = [a + b for a, b in zip(left, widths, strict=True)]
    for place, row in enumerate(rows):
        if not row.before.compiles:
            axes.text(0, place - 0.19, " not jittable", fontsize=7, va="center")
    axes.set_xlabel("ms")
    axes.legend(fontsize=7, frameon=False, ncols=2, loc="best")


def table(proof: Proof) -> str:
    head = "".join(f"<th>{html.escape(h)}</th>" for h in bench_markdown.HEADINGS)
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td>{html.escape(c)}</td>" for c in bench_markdown.cells(row))
        + "</tr>"
        for row in proof.comparisons
    )
    notes = "".join(
        f"<p>{html.escape(line.removeprefix('- '))}</p>"
        for line in bench_markdown.footnotes(proof)
        if line
    )
    return (
        f'<h2>Numbers</h2><div class="wide"><table><tr>{head}</tr>{rows}</table></div>'
        f"{notes}"
    )


def verdict_list(proof: Proof) -> str:
    items = "\n".join(verdict_item(verdict) for verdict in proof.verdicts)
    return f"<h2>Verdicts</h2>{items}"


def verdict_item(verdict: Verdict) -> str:
    kind = "good" if verdict.kind.is_proof else "bad"
    lines = verdicts.block(verdict, verbose=True).splitlines()[1:]
    detail = html.escape("\n".join(line.removeprefix("    ") for line in lines))
    reason = html.escape(f": {verdict.reason}" if verdict.reason else "")
    return (
        f"<details><summary><code>{html.escape(str(verdict.target))}</code> "
        f'<span class="{kind}">{verdict.kind}</span>{reason}</summary>'
        f"<pre>{detail}</pre></details>"
    )


def machines(proof: Proof) -> str:
    lines = "".join(
        f"<p>{html.escape(line)}</p>" for line in bench_markdown.machine_lines(proof)
    )
    return f"<h2>Machine</h2>{lines}"
