"""Everything that a rule file may import."""

from __future__ import annotations

from ._analysis import (
    arrays,
    build,
    caching,
    constants,
    declarations,
    definitions,
    demands,
    factories,
    fresh,
    hashing,
    hoisting,
    keys,
    local_jits,
    origins,
    polynomials,
    shapes_in_loops,
    static_uses,
    type_tests,
)
from ._analysis.call_sites import Parameter
from ._analysis.captures import Capture
from ._analysis.facts import Facts, Function
from ._analysis.finding import CannotFix, Evidence, Problem, Safety
from ._analysis.objects import ClassValue, FunctionValue, TransformedValue
from ._planning import (
    bindings,
    booleans,
    callees,
    casts,
    constant_masks,
    folds,
    impure,
    masks,
    mutators,
    numpy_calls,
    printing,
    rolled,
    sizes,
    store_calls,
    stores,
    tables,
    windows,
)
from ._planning.plan import Expression, ListRegion, Plan, Region, Sites, Statement
from ._rewriting import hoisting_jit, static_options, updates
from ._rewriting.capture_rule import CaptureRule, Hoisted
from ._rewriting.factories import hoist as hoist_factory
from ._rewriting.local_jits import check_local, hoist_local
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
    "Hoisted",
    "ListRegion",
    "Parameter",
    "Plan",
    "Problem",
    "Region",
    "Rewriter",
    "Rule",
    "Safety",
    "Sites",
    "Statement",
    "TransformedValue",
    "arrays",
    "bindings",
    "booleans",
    "build",
    "caching",
    "callees",
    "casts",
    "constant_masks",
    "constants",
    "declarations",
    "definitions",
    "demands",
    "folds",
    "factories",
    "fresh",
    "hashing",
    "hoisting",
    "check_local",
    "hoist_factory",
    "hoist_local",
    "local_jits",
    "hoisting_jit",
    "impure",
    "keys",
    "masks",
    "mend_selection",
    "mutators",
    "numpy_calls",
    "origins",
    "polynomials",
    "printing",
    "rolled",
    "shapes_in_loops",
    "static_options",
    "static_uses",
    "sizes",
    "store_calls",
    "stores",
    "tables",
    "type_tests",
    "updates",
    "windows",
]
