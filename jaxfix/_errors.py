"""Exceptions that a user may see, each with the exit code it ends with."""

from __future__ import annotations


class JaxfixError(Exception):
    """An error with a message for the user."""

    exit_code = 3


class UsageError(JaxfixError):
    """The command line or the configuration is wrong."""

    exit_code = 2
