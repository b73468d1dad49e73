"""One HTML page with table and plots: no network, no script, readable on a phone."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

from jaxfix._validation.verdict import Comparison, Proof, Verdict

from . import bench_markdown, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from matplotlib.axes import Axes

    Draw: TypeAlias = Callable[[Axes, tuple[Comparison, ...]], None]

BEFORE, AFTER = "#8a8f98", "#1769aa"
LABEL_LENGTH = 56
STAGES = ("trace_s", "lower_s", "compile_s")
SHADES = {"before": ("#c9ccd1", "#a3a8b0", "#6d727b"),
          "after": ("#a9cdea", "#5a9fd4", "#1769aa")}  # fmt: skip
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 62rem;
       padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; white-space: nowrap; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
td:nth-child(1), td:nth-child(3) { white-space: normal; min-width: 10rem; }
code, pre { font: .85rem ui-monospace, monospace; }
pre { overflow-x: auto; background: #8882; padding: .6rem; }
figure { margin: 0; background: #fff; border-radius: .3rem; max-width: 40rem; }
figure svg { width: 100%; height: auto; display: block; }
summary { margin: .3rem 0; }
.bad { color: #c62828; } .good { color: #2e7d32; }
@media (prefers-color-scheme: dark) {
  .bad { color: #ef9a9a; } .good { color: #81c784; }
}
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
    ratio = bench_markdown.ratio(speed) if speed else ""
    faster = f" Median speed-up of a call: {ratio}." if speed else ""
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
    text = f"{row.target.function}, {row.size}, {row.device}"
    return text if len(text) <= LABEL_LENGTH else f"{text[: LABEL_LENGTH - 1]}…"


def svg(rows: tuple[Comparison, ...], draw: Draw) -> str:
    """One plot as SVG text, ready to stand in the page.

    Labels stand over the bars, not beside them: a phone has no width to spare.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    # Text stays text: smaller, searchable, and in the page's own font.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "jaxfix"}):
        size = (4.6, 1.1 + 0.62 * len(rows))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        draw(axes, rows)
        for place, row in enumerate(rows):
            across = axes.get_yaxis_transform()
            where = (0.0, place - 0.42)
            axes.text(*where, label(row), transform=across, fontsize=8, va="bottom")
        axes.set_yticks([])
        axes.set_ylim(len(rows) - 0.5, -0.8)
        axes.xaxis.set_major_formatter(EngFormatter(unit="s"))
        axes.tick_params(labelsize=8)
        axes.grid(axis="x", color="#ddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        figure.legend(fontsize=8, frameon=False, ncols=2, loc="outside upper left")
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    return text[text.index("<svg") :]


def draw_calls(axes: Axes, rows: tuple[Comparison, ...]) -> None:
    places = range(len(rows))
    for shift, side, color in ((-0.24, "before", BEFORE), (0.09, "after", AFTER)):
        timings = [getattr(row, side) for row in rows]
        axes.barh(
            [place + shift for place in places],
            [timing.median_s for timing in timings],
            height=0.3,
            color=color,
            label=side,
            xerr=[timing.spread_s / 2 for timing in timings],
            ecolor="#333",
        )
    axes.set_xscale("log")
    # A bar on a logarithmic axis has no natural foot: leave the shortest one a length.
    shortest = min(min(row.before.median_s, row.after.median_s) for row in rows)
    axes.set_xlim(left=shortest / 3)


def draw_builds(axes: Axes, rows: tuple[Comparison, ...]) -> None:
    for shift, side in ((-0.24, "before"), (0.09, "after")):
        places = [place + shift for place in range(len(rows))]
        left = [0.0] * len(rows)
        for stage, color in zip(STAGES, SHADES[side], strict=True):
            widths = [getattr(getattr(row, side), stage) or 0.0 for row in rows]
            name = f"{side}: {stage.removesuffix('_s')}"
            axes.barh(places, widths, height=0.3, left=left, color=color, label=name)
            left = [a + b for a, b in zip(left, widths, strict=True)]
    for place, row in enumerate(rows):
        if not row.before.compiles:
            axes.text(0, place - 0.24, " not jittable", fontsize=8, va="center")


def table(proof: Proof) -> str:
    head = "".join(f"<th>{html.escape(h)}</th>" for h in bench_markdown.HEADINGS)
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td>{breakable(c)}</td>" for c in bench_markdown.cells(row))
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


def breakable(text: str) -> str:
    """Escaped, and a long path may go on in the next line after a `/` or `:`."""
    return re.sub(r"([/:])(?=\w)", r"\1<wbr>", html.escape(text))


def verdict_list(proof: Proof) -> str:
    items = "\n".join(verdict_item(verdict) for verdict in proof.verdicts)
    return f"<h2>Verdicts</h2>{items}"


def verdict_item(verdict: Verdict) -> str:
    kind = "good" if verdict.kind.is_proof else "bad"
    lines = verdicts.block(verdict, verbose=True).splitlines()[1:]
    detail = html.escape("\n".join(line.removeprefix("    ") for line in lines))
    reason = html.escape(f": {verdict.reason}" if verdict.reason else "")
    return (
        f"<details><summary><code>{breakable(str(verdict.target))}</code> "
        f'<span class="{kind}">{verdict.kind}</span>{reason}</summary>'
        f"<pre>{detail}</pre></details>"
    )


def machines(proof: Proof) -> str:
    lines = "".join(
        f"<p>{html.escape(line)}</p>" for line in bench_markdown.machine_lines(proof)
    )
    return f"<h2>Machine</h2>{lines}"
