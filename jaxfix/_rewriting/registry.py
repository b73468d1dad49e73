"""The rules that there are: packs found through the entry points `jaxfix.codemods`."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from importlib.metadata import entry_points

from .rule import Rule

GROUP = "jaxfix.codemods"


@functools.cache
def rules() -> dict[str, Rule]:
    """Every rule of every pack, by name, sorted.

    Raises:
      ValueError: two rules have one name.
    """
    found: dict[str, Rule] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        pack = importlib.import_module(point.value)
        for info in sorted(pkgutil.iter_modules(pack.__path__), key=lambda m: m.name):
            module = importlib.import_module(f"{pack.__name__}.{info.name}")
            for _, cls in inspect.getmembers(module, inspect.isclass):
                if not issubclass(cls, Rule) or inspect.isabstract(cls):
                    continue
                if cls.__module__ != module.__name__:
                    continue
                rule = cls()
                if rule.name in found and type(found[rule.name]) is not cls:
                    raise ValueError(f"two rules are named {rule.name}")
                found[rule.name] = rule
    return dict(sorted(found.items()))
