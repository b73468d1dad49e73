"""Everything that a rule file may import."""

from __future__ import annotations

from ._analysis import (
    arrays,
    booleans,
    build,
    declarations,
    definitions,
    demands,
    hashing,
    impure,
    keys,
    masks,
    origins,
    printing,
    static_uses,
    windows,
)
from ._analysis.call_sites import Parameter
from ._analysis.captures import Capture
from ._analysis.facts import Facts, Function
from ._analysis.finding import CannotFix, Evidence, Problem, Safety
from ._analysis.objects import ClassValue, FunctionValue
from ._analysis.plan import Expression, Plan, Region, Sites, Statement
from ._rewriting import static_options
from ._rewriting.capture_rule import CaptureRule
from ._rewriting.rewrite import Rewriter
from ._rewriting.rule import Rule
from ._rewriting.selections import mend_selection

__all__ = [
    "CannotFix",
    "Capture",
    "CaptureRule",
    "ClassValue",
    "Evidence",
    "Expression",
    "Facts",
    "Function",
    "FunctionValue",
    "Parameter",
    "Plan",
    "Problem",
    "Region",
    "Rewriter",
    "Rule",
    "Safety",
    "Sites",
    "Statement",
    "arrays",
    "booleans",
    "build",
    "declarations",
    "definitions",
    "demands",
    "hashing",
    "impure",
    "keys",
    "masks",
    "mend_selection",
    "origins",
    "printing",
    "static_options",
    "static_uses",
    "windows",
]
