"""The table of rules."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .result import RuleText


def text(rules: Sequence[RuleText]) -> str:
    """One line a rule: name, safety of its fix, summary."""
    name = max(len(rule.name) for rule in rules)
    safety = max(len(rule.safety) for rule in rules)
    return "".join(
        f"{rule.name:<{name}}  {rule.safety:<{safety}}  {rule.summary}\n"
        for rule in rules
    )


def markdown(rules: Sequence[RuleText]) -> str:
    """A table for the README."""
    rows = [f"| `{rule.name}` | {rule.summary} | {rule.safety} |" for rule in rules]
    return "\n".join(["| rule | finds | fix |", "|---|---|---|", *rows]) + "\n"


def json_text(rules: Sequence[RuleText]) -> str:
    """A JSON array with an object for each rule."""
    rows = [
        {
            "code": rule.name,
            "name": rule.name,
            "summary": rule.summary,
            "fix": str(rule.safety),
            "url": rule.url,
        }
        for rule in rules
    ]
    return json.dumps(rows, indent=2) + "\n"
