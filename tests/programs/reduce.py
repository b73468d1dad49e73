"""Make a failing program small: delta debugging over its statements.

All ways to take one step are tried together, since jaxfix judges many files about as
fast as one.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .run import TOOL, Judged, judge
from .worker import Runner


def reduced(
    failing: Judged,
    runner: Runner,
    *,
    tool: Sequence[str] = TOOL,
    limit_s: float = 300.0,
) -> Judged:
    """Return the smallest program found that still earns the verdict of `failing`.

    After `limit_s` seconds no further step is begun.
    """
    best = failing
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        candidates = [
            replace(best.program, index=index, source=source)
            for index, source in enumerate(smaller(best.program.source))
        ]
        verdicts = judge(candidates, runner, tool=tool)
        kept = next((j for j in verdicts if j.verdict is failing.verdict), None)
        if kept is None:
            break
        best = kept
    return replace(best, program=replace(best.program, index=failing.program.index))


def smaller(source: str) -> list[str]:
    """Every program that lacks one statement, or has a block for its statement.

    The smallest come first.
    """
    tree = ast.parse(source)
    results = []
    for position, (_, _, index) in enumerate(blocks(tree)):
        for step in (dropped, unwrapped):
            smaller_tree = copy.deepcopy(tree)
            owner, name, _ = list(blocks(smaller_tree))[position]
            if step(getattr(owner, name), index):
                text = ast.unparse(ast.fix_missing_locations(smaller_tree)) + "\n"
                results.append(text)
    return sorted(set(results) - {source}, key=lambda text: (len(text), text))


def blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int]]:
    """Each statement as (owner, field, index), outermost first."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield from ((node, name, index) for index in range(len(block)))


def dropped(block: list[ast.stmt], index: int) -> bool:
    if isinstance(block[index], ast.Pass):
        return False
    del block[index]
    if not block:
        block.append(ast.Pass())
    return True


def unwrapped(block: list[ast.stmt], index: int) -> bool:
    """Put the body of an `if` or a loop in the place of the statement."""
    match block[index]:
        case ast.If(body=body, orelse=orelse):
            block[index : index + 1] = [*body, *orelse]
            return True
        case ast.For(body=body) | ast.While(body=body):
            block[index : index + 1] = body
            return True
    return False
