"""Conditions: what Python runs to learn whether an object is true."""

from __future__ import annotations

import ast

from .frame import Frame
from .objects import InstanceValue
from .values import Value, alternatives


def asked(frame: Frame, node: ast.expr) -> Value:
    """The value of a condition. The class of an instance may say how true it is."""
    value = frame.evaluate(node)
    for option in alternatives(value):
        if isinstance(option, InstanceValue):
            for name in ("__bool__", "__len__"):
                method = option.cls.lookup(name)
                if method is not None:
                    frame.call(method, [option])
                    break
    return value
