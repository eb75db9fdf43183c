"""The one way in which a command fails."""

from __future__ import annotations


class Failure(Exception):
    """One line for the user; the command ends with a non-zero status."""
