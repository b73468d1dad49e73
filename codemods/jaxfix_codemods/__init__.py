"""The rules that come with jaxfix, one a file."""

from __future__ import annotations
