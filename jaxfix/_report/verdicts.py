"""Verdicts for people (text, Markdown) and for programs (JSON)."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from jaxfix._validation.verdict import Counterexample, Kind, Proof, Verdict

MARK = {
    Kind.EQUAL: "=",
    Kind.PROMOTED: "~",
    Kind.DIFFERS: "!",
    Kind.NOT_RUN: "?",
    Kind.BEFORE_FAILS: "x",
    Kind.TIMED_OUT: "x",
    Kind.CRASHED: "x",
}


def render(proof: Proof, *, verbose: bool = False) -> str:
    """One block a verdict: what was compared, on what, and what came out."""
    blocks = [block(verdict, verbose) for verdict in proof.verdicts]
    counts = ", ".join(f"{n} {kind}" for kind, n in proof.counts.items())
    blocks.append(f"{counts or 'nothing to compare'} (seed {proof.seed})")
    return "\n".join(blocks) + "\n"


def block(verdict: Verdict, verbose: bool) -> str:
    reason = f": {verdict.reason}" if verdict.reason else ""
    where = f"{verdict.target} [{verdict.platform}]"
    lines = [f"{MARK[verdict.kind]} {where} {verdict.kind}{reason}"]
    if verdict.source:
        lines.append(f"    inputs: {inputs_text(verdict)}")
    if verdict.helps:
        lines.append(f"    would help: {verdict.helps}")
    if verbose or verdict.kind is Kind.DIFFERS:
        lines += [f"    {name}: {text}" for name, text in verdict.checks.items()]
    lines += [f"    note: {note}" for note in verdict.notes]
    if verdict.counterexample is not None:
        lines += counterexample_lines(verdict.counterexample)
    return "\n".join(lines)


def inputs_text(verdict: Verdict) -> str:
    """`12, from the project's tests; 5 of 6 outcomes taken`."""
    count = f"{verdict.inputs}, from " if verdict.inputs else ""
    taken, wanted = verdict.covered
    if not wanted:
        return f"{count}{verdict.source}"
    outcomes = f"{taken} of {wanted} outcomes of rewritten conditions and loops taken"
    return f"{count}{verdict.source}; {outcomes}"


def counterexample_lines(found: Counterexample) -> list[str]:
    lines = [f"    {name} = {text}" for name, text in found.arguments.items()]
    lines += [
        f"    before: {one_line(found.before)}",
        f"    after:  {one_line(found.after)}",
    ]
    if found.snippet:
        lines.append("    reproduce:")
        lines += [f"        {line}".rstrip() for line in found.snippet.splitlines()]
    return lines


def one_line(text: str) -> str:
    return text.rstrip("\n").replace("\n", "\\n")


def markdown(proof: Proof) -> str:
    """A table for a pull request."""
    lines = ["| function | platform | verdict | inputs |", "|---|---|---|---|"]
    for verdict in proof.verdicts:
        reason = f": {verdict.reason}" if verdict.reason else ""
        cells = (
            f"`{verdict.target}`",
            verdict.platform,
            f"{verdict.kind}{reason}",
            inputs_text(verdict) if verdict.source else "",
        )
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return "\n".join([*lines, "", f"Seed {proof.seed}.", ""])


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def json_text(proof: Proof) -> str:
    """One object: verdicts, environments, counts. Infinities and NaN are strings."""
    return json.dumps(data(proof), indent=1, allow_nan=False) + "\n"


def data(proof: Proof) -> dict[str, Any]:
    return {
        "version": 1,
        "seed": proof.seed,
        "environments": proof.environments,
        "verdicts": [verdict_data(verdict) for verdict in proof.verdicts],
        "summary": {"functions": len(proof.verdicts), **proof.counts},
    }


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    taken, wanted = verdict.covered
    found = verdict.counterexample
    return {
        "path": verdict.target.path,
        "function": verdict.target.function,
        "platform": verdict.platform,
        "verdict": str(verdict.kind),
        "reason": verdict.reason or None,
        "would_help": verdict.helps or None,
        "inputs": {"source": verdict.source or None, "count": verdict.inputs},
        "covered": {"taken": taken, "wanted": wanted},
        "checks": dict(verdict.checks),
        "notes": list(verdict.notes),
        "counterexample": dataclasses.asdict(found) if found else None,
    }
