"""`Rule`: how to find a problem, decide on a fix, and spell it."""

from __future__ import annotations

import ast
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from jaxfix._analysis.facts import Facts, Function
from jaxfix._analysis.finding import CannotFix, Problem, Safety
from jaxfix._planning.plan import Plan

if TYPE_CHECKING:
    from .rewrite import Rewriter


class Rule(ABC):
    """One problem. The class's docstring is its manual page.

    Attributes:
      visits: the node types that `find` is asked about.
      safety: the grade of its fixes in the table of rules; a plan may be stricter.
      precedence: of several rules that can mend one node, the highest has it.
      needs_known: its problem is that a value must be known while tracing. A loop that
        would make a tracer of it is left as it is.
      gives_tracer: its fix makes a tracer of a Python number, which is of no use where
        that must be known.
    """

    visits: ClassVar[tuple[type[ast.AST], ...]] = ()
    safety: ClassVar[Safety] = Safety.SAFE
    precedence: ClassVar[int] = 0
    needs_known: ClassVar[bool] = False
    gives_tracer: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """`TracedIf` → `traced-if`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def page(self) -> str:
        return f"# {self.name}\n\n{inspect.getdoc(type(self)) or ''}\n"

    @property
    def summary(self) -> str:
        return (inspect.getdoc(type(self)) or "").split("\n")[0]

    def places(self, facts: Facts) -> Iterable[int]:
        """Nodes that `find` is asked about besides those of `visits`, by identity.

        For a rule whose problems the analysis lists: few nodes of common types.
        """
        return ()

    @abstractmethod
    def find(self, fn: Function, node: Any) -> Problem | None:
        """Is this node a problem? The message and the reasons, or None."""

    def plan(self, fn: Function, node: Any) -> Plan:
        """What to do about it.

        Raises:
          CannotFix: no fix keeps the meaning, or we cannot see that one does.
        """
        raise CannotFix("no rewrite keeps the meaning; see the rule's page")

    def fix(self, fn: Function, node: Any, plan: Any, write: Rewriter) -> Any:
        """Carry out the plan: a new expression, new statements, or edits of sites."""
        raise NotImplementedError(f"{self.name} makes no such fix")
