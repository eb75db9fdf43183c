"""Folders that nobody may write to, and processes that are held to it."""

import os
import shutil

import pytest

# Root is let through by two capabilities; without them it is like any other user.
CAPABILITIES = "-dac_override,-dac_read_search"


def held_to_permissions():
    """The words to put before a command, for a process that can't override them."""
    if not hasattr(os, "geteuid"):
        pytest.skip("permissions are those of POSIX")
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root takes setpriv to be held to permissions")
    return [
        "setpriv",
        f"--bounding-set={CAPABILITIES}",
        f"--inh-caps={CAPABILITIES}",
    ]


def forbid_writing(folder, *, forbid=True):
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o555 if forbid else 0o755)
