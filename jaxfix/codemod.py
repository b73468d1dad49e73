"""Everything that a rule file may import."""

from __future__ import annotations

from ._analysis import (
    booleans,
    build,
    declarations,
    demands,
    impure,
    keys,
    origins,
    printing,
    static_uses,
)
from ._analysis.call_sites import Parameter
from ._analysis.facts import Facts, Function
from ._analysis.finding import CannotFix, Evidence, Problem, Safety
from ._analysis.plan import Expression, Plan, Region, Sites, Statement
from ._rewriting import static_options
from ._rewriting.rewrite import Rewriter
from ._rewriting.rule import Rule

__all__ = [
    "CannotFix",
    "Evidence",
    "Expression",
    "Facts",
    "Function",
    "Parameter",
    "Plan",
    "Problem",
    "Region",
    "Rewriter",
    "Rule",
    "Safety",
    "Sites",
    "Statement",
    "booleans",
    "build",
    "declarations",
    "demands",
    "impure",
    "keys",
    "origins",
    "printing",
    "static_options",
    "static_uses",
]
