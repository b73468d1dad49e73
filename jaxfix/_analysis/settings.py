"""What a project says about itself: data of `[tool.jaxfix]` that the analysis uses."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

# What `prefer` may say, with the default first.
CHOICES: Mapping[str, tuple[str, ...]] = {"traced-range": ("dynamic", "static")}


@dataclass(frozen=True, slots=True)
class Aval:
    """What an argument is: a NumPy dtype, and a shape if it is always the same."""

    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Settings:
    """Attributes:
    entry_points: patterns of functions whose users jit them.
    extra_transforms: dotted names of jit-like decorators, each with the parameters
      that it traces (none: all of them).
    static_calls: patterns of functions whose results are static, whatever goes in.
    prefer: choices between fixes, see `CHOICES`.
    jax_version: the oldest that generated code must run on, (major, minor); None: the
      oldest that we write for.
    avals: types of arguments that inputs have shown, by function and by the name or the
      place of the parameter.
    """

    entry_points: tuple[str, ...] = ()
    extra_transforms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    static_calls: tuple[str, ...] = ()
    prefer: Mapping[str, str] = field(default_factory=dict)
    jax_version: tuple[int, int] | None = None
    avals: Mapping[str, Mapping[str, Aval]] = field(default_factory=dict)

    def aval(self, where: tuple[str, str, str], name: str, place: int) -> Aval | None:
        """What inputs have shown of a parameter.

        Args:
          where: the path and the name of the module, the function's name in it.
          name: the parameter's name.
          place: its place among the positional ones, -1 for others.
        """
        if not self.avals:
            return None
        path, module, function = where
        keys = (f"{os.path.realpath(path)}:{function}", f"{module}.{function}")
        known = next((self.avals[k] for k in keys if k in self.avals), {})
        return known.get(name) or known.get(str(place))

    @property
    def name_calls(self) -> bool:
        """Does the name of what is called matter?"""
        return bool(self.extra_transforms or self.static_calls)

    def is_static_call(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, p) for p in self.static_calls)

    @property
    def jit_takes_options(self) -> bool:
        """May it be `@jax.jit(static_argnames=...)`? From 0.8.1 on."""
        return self.jax_version is not None and self.jax_version >= (0, 9)

    @property
    def static_trip_counts(self) -> bool:
        """Shall the number of steps of a loop become static, where it can?"""
        return self.prefer.get("traced-range") == "static"


DEFAULTS = Settings()
