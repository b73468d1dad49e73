"""Plans: what a rule has decided to do about a finding. Plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass

from jaxfix._analysis.finding import Safety


@dataclass(frozen=True, slots=True)
class Plan:
    """`title` completes "fix: ..."; `safety` is how far the fix may be trusted."""

    title: str
    safety: Safety = Safety.SAFE


@dataclass(frozen=True, slots=True)
class Region(Plan):
    """The statement is rewritten together with all that it encloses and that depends on
    how it ends; the engine does that for the whole function at once.

    What is only slow is not `needed`: it stays as it is if that lets the rest be fixed.
    """

    needed: bool = True


@dataclass(frozen=True, slots=True)
class ListRegion(Region):
    """A loop that is rewritten, whose lists become stacked outputs."""


@dataclass(frozen=True, slots=True)
class Expression(Plan):
    """One expression is replaced: `Rule.fix` gives the new one."""


@dataclass(frozen=True, slots=True)
class Statement(Plan):
    """One simple statement is replaced: `Rule.fix` gives the new ones."""


@dataclass(frozen=True, slots=True)
class Sites(Plan):
    """Several places are edited, in any files: `Rule.fix` edits them all.

    `key` names the change: findings with one key are mended by one fix. `first`: it
    changes what is traced, so that the others are planned anew after it.
    """

    key: str = ""
    first: bool = False
