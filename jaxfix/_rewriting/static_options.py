"""Editing which arguments a `jit` declares static: `static_argnames`, `static_argnums`.

Several fixes may want to change one declaration, so that they only note what they want;
the new options are written once, at the end.

Source: docs.jax.dev, jax.jit: with only one of the two options given, the other is
worked out from the signature; with both given, just what is listed counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from jaxfix._analysis.declarations import Closure
from jaxfix._analysis.facts import Function
from jaxfix._analysis.finding import CannotFix
from jaxfix._analysis.objects import ClassValue, TransformedValue
from jaxfix._analysis.transform_names import CHECKPOINT, JIT
from jaxfix._analysis.transformed import extra_name, positional_names, static_names

from .rewrite import Rewriter, Wanted

if TYPE_CHECKING:
    from .write import Writer

NAMES, NUMS = "static_argnames", "static_argnums"


def declare(
    write: Rewriter,
    root: TransformedValue,
    *,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
) -> None:
    """Declare parameters of a jitted function static, or no longer so."""
    check_declaration(root, remove)
    takes_options = write.facts.project_settings.jit_takes_options
    wanted = write.statics.setdefault(id(root.node), Wanted(takes_options))
    wanted.add += [n for n in add if n not in wanted.add]
    wanted.remove.update(remove)
    write.at_end(("static", id(root.node)), lambda: _write(write, root, wanted))


def carry_out(write: Rewriter, change: Closure) -> None:
    """Make parameters static: declarations, arguments of calls, calls of jax.numpy."""
    for declaration in change.declarations.values():
        declare(write, declaration.root, add=declaration.names)
    for caller, node, kind in change.conversions:
        convert(write, caller, node, kind)
    for cls in change.frozen.values():
        freeze(write, cls)
    for one in sorted(change.restores, key=lambda p: p.name):
        fn = write.facts.function(one.node)
        assert fn is not None, "the parameters of a closure are those of functions"
        restore_dict(write, fn, one.name)
    for fn, call in change.calls:
        call_numpy(write, fn, [call])


def call_numpy(write: Rewriter, fn: Function, calls: Iterable[ast.Call]) -> None:
    """Let NumPy do what `jax.numpy` does."""
    writer = write.writer(fn.module)
    for call in calls:
        name = fn.library(call)
        assert name is not None, "they are calls of library functions"
        writer.edit(call.func, writer.name(name.removeprefix("jax."), fn.node))
    write.touch(fn)


def restore_dict(write: Rewriter, fn: Function, name: str) -> None:
    """Make a dict of the items again, in the first statement of a function."""
    assert isinstance(fn.node, ast.FunctionDef), "the plan refuses lambdas"
    body = fn.node.body
    is_docstring = isinstance(body[0], ast.Expr) and isinstance(
        body[0].value, ast.Constant
    )
    first = body[1] if is_docstring and len(body) > 1 else body[0]
    writer = write.writer(fn.module)

    def insert() -> None:
        writer.insert_before(first, writer.parse(f"{name} = dict({name})"))

    write.at_end(("restored", id(fn.node), name), insert)
    write.touch(fn)


def convert(write: Rewriter, caller: Function, node: ast.expr, kind: str) -> None:
    """Make an argument hashable: `[1, 2]` becomes `(1, 2)`, `n` becomes `int(n)`.

    `kind` is the type to convert to, or "items" for the items of a dict.
    """
    writer = write.writer(caller.module)

    def converted() -> str:
        return _converted(writer, node, kind)

    write.at_end(("converted", id(node)), lambda: writer.edit(node, converted))
    write.touch(caller)


def _converted(writer: Writer, node: ast.expr, kind: str) -> str:
    match node:
        case ast.List(elts=items) if kind == "tuple":
            return tuple_text([writer.expr(i) for i in items])
        case ast.Dict(keys=keys, values=values) if kind == "items" and _plain_keys(
            keys
        ):
            pairs = [
                f"({writer.expr(key)}, {writer.expr(value)})"
                for key, value in zip(keys, values, strict=True)
                if key is not None
            ]
            return tuple_text(pairs)
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return f"{kind}()"
        case _ if kind == "items":
            return f"tuple({writer.expr(node)}.items())"
        case _:
            return f"{kind}({writer.expr(node)})"


def _plain_keys(keys: Sequence[ast.expr | None]) -> bool:
    return all(isinstance(k, ast.Constant) and isinstance(k.value, str) for k in keys)


def freeze(write: Rewriter, cls: ClassValue) -> None:
    """`@dataclass` becomes `@dataclass(frozen=True)`."""
    writer = write.writer(cls.module)

    def frozen() -> None:
        for decorator in cls.node.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(call).rpartition(".")[2] != "dataclass":
                continue
            if isinstance(decorator, ast.Call):
                writer.add_argument(decorator, "frozen=True")
            else:
                text = writer.expr(decorator)
                writer.replace_decorator(decorator, f"{text}(frozen=True)")

    write.at_end(("frozen", id(cls.node)), frozen)


def check_declaration(root: TransformedValue, remove: Iterable[str] = ()) -> None:
    """Can the declaration be edited?

    Raises:
      CannotFix: the options are not written where the transform is applied.
    """
    call = _call_of(root)
    if not isinstance(root.node, ast.expr):
        raise CannotFix("it is not seen where the transform is applied")
    if (name := extra_name(root)) is not None:
        raise CannotFix(f"it is not known how `{name}` declares static arguments")
    if not list(remove):
        return
    for name in (NAMES, NUMS):
        if root.option(name) is None:
            continue
        given = _keyword(call, name)
        if given is None or _items(given.value) is None:
            raise CannotFix(
                f"`{name}` is not written out where the transform is applied"
            )


def _call_of(root: TransformedValue) -> ast.Call | None:
    return root.node if isinstance(root.node, ast.Call) else None


def _keyword(call: ast.Call | None, name: str) -> ast.keyword | None:
    keywords = call.keywords if call is not None else []
    return next((k for k in keywords if k.arg == name), None)


def _items(node: ast.expr) -> list[ast.expr] | None:
    """The elements of an option: of a tuple or list, or the one that stands alone."""
    match node:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return list(elts)
        case ast.Constant() | ast.UnaryOp():
            return [node]
        case _:
            return None


def _write(write: Rewriter, root: TransformedValue, wanted: Wanted) -> None:
    writer = write.writer(root.module)
    call = _call_of(root)
    names, nums = _keyword(call, NAMES), _keyword(call, NUMS)
    places = positional_names(root.function)
    order = [*places, *wanted.add]
    adds = sorted((n for n in wanted.add if n not in wanted.remove), key=order.index)
    by_place = root.transform in CHECKPOINT or (nums is not None and names is None)
    if by_place and all(n in places for n in adds):
        _change(writer, root, NUMS, nums, adds, wanted, places)
        return
    known = _items(nums.value) if nums is not None else None
    if call is not None and nums is not None and names is None and known is not None:
        # What is to be a parameter has no number yet; one option for all is clear.
        kept = [n for i in known if (n := _named(i, places)) not in wanted.remove]
        if None not in kept:
            texts = [f'"{name}"' for name in [*kept, *adds]]
            writer.remove_argument(call, nums)
            writer.add_argument(call, f"{NAMES}={tuple_text(texts)}")
            return
    if nums is not None and names is None:
        # Both options will be there, so each must list everything.
        adds = [*(n for n in places if n in static_names(root)), *adds]
    if nums is not None:
        placed = [n for n in adds if n in places and n not in static_names(root)]
        _change(writer, root, NUMS, nums, placed, wanted, places)
    if names is not None or adds:
        _change(writer, root, NAMES, names, adds, wanted, places)


def _change(
    writer: Writer,
    root: TransformedValue,
    option: str,
    given: ast.keyword | None,
    adds: list[str],
    wanted: Wanted,
    places: list[str],
) -> None:
    """Rewrite one option of one transform."""

    def spelled(name: str) -> str:
        return str(places.index(name)) if option == NUMS else f'"{name}"'

    texts = [spelled(n) for n in adds]
    if given is None:
        if texts:
            text = f"{option}={tuple_text(texts)}"
            _add_option(writer, root, text, takes_options=wanted.takes_options)
        return
    items = _items(given.value)
    if items is None:
        text = f"(*{writer.expr(given.value)}, {', '.join(texts)})"
        writer.edit(given.value, text)
        return
    kept = [i for i in items if _named(i, places) not in wanted.remove]
    if not kept and not texts:
        _remove_option(writer, root, given)
        return
    all_texts = [*(writer.expr(i) for i in kept), *texts]
    if all_texts == [writer.expr(i) for i in items]:
        return
    alone = len(all_texts) == 1 and not isinstance(given.value, ast.Tuple | ast.List)
    if isinstance(given.value, ast.List):
        text = f"[{', '.join(all_texts)}]"
    else:
        text = all_texts[0] if alone else tuple_text(all_texts)
    writer.edit(given.value, text)


def _named(item: ast.expr, places: list[str]) -> str | None:
    """The parameter that an element of an option stands for."""
    try:
        value = ast.literal_eval(item)
    except ValueError:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int) and -len(places) <= value < len(places):
        return places[value]
    return None


def tuple_text(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _add_option(
    writer: Writer, root: TransformedValue, text: str, *, takes_options: bool
) -> None:
    node = root.node
    if isinstance(node, ast.Call):
        writer.add_argument(node, text)
        return
    assert isinstance(node, ast.expr), "checked by check_declaration"
    if takes_options and root.transform in JIT:
        writer.replace_decorator(node, lambda: f"{writer.expr(node)}({text})")
        return
    partial = writer.name("functools.partial")
    writer.replace_decorator(node, lambda: f"{partial}({writer.expr(node)}, {text})")


def _remove_option(writer: Writer, root: TransformedValue, given: ast.keyword) -> None:
    node = root.node
    assert isinstance(node, ast.Call), "an option is an argument of a call"
    is_partial = ast.unparse(node.func).rpartition(".")[2] == "partial"
    if is_partial and len(node.args) == 1 and len(node.keywords) == 1:
        writer.edit(node, lambda: writer.expr(node.args[0]))
    elif not node.args and len(node.keywords) == 1:
        writer.edit(node, lambda: writer.expr(node.func))
    else:
        writer.remove_argument(node, given)
