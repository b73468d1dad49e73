"""A compiled function leaves its factory: one program for all values."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from jaxfix._analysis.factories import Factory, check
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix

from .rewrite import Rewriter

if TYPE_CHECKING:
    from .write import Writer


def hoist(write: Rewriter, fn: Function, one: Factory) -> None:
    """The inner function before the factory, which returns a partial of it.

    Raises:
      CannotFix: it depends on more than the factory's parameters.
    """
    check(fn, one)
    writer = write.writer(fn.module)
    last = one.node.body[-1]
    if writer.has_comment(last) or commented(writer, one):
        raise CannotFix("comments stand between the parts of the factory")
    name = writer.fresh(f"_{one.inner.name.lstrip('_')}", fn.module.tree)
    partial = writer.name("functools.partial", one.node)
    given = ", ".join(one.captured)
    text = with_parameters(source_of(fn, one), one.inner.name, name, given)
    writer.insert_before(one.node, writer.parse(text))
    writer.replace_statement(
        one.inner, writer.parse(f"return {partial}({name}, {given})\n")
    )
    writer.remove(last)
    write.touch(fn)


def commented(writer: Writer, one: Factory) -> bool:
    return any(line.comment is not None for line in writer.leading(one.inner))


def source_of(fn: Function, one: Factory) -> str:
    first = min(d.lineno for d in one.inner.decorator_list)
    lines = fn.module.text.splitlines()[first - 1 : one.inner.end_lineno]
    return textwrap.dedent("\n".join(lines)) + "\n"


def with_parameters(text: str, old: str, new: str, given: str) -> str:
    """`def step(x):` as `def _step(rate, x):`."""
    head = re.search(rf"\bdef\s+{re.escape(old)}\s*\(\s*", text)
    assert head is not None, "the text of a function has its head"
    rest = text[head.end() :]
    between = "" if rest.startswith(")") else ", "
    return f"{text[: head.start()]}def {new}({given}{between}{rest}"
