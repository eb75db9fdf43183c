"""A process is not forked while another of its threads compiles.

The child would have the compiler's locks, held by a thread that it does not have, and
wait for them at its first kernel.
"""

from __future__ import annotations

import os

from numba.core.compiler_lock import global_compiler_lock


def let_forks_wait() -> None:
    """Let every fork wait until nothing is compiled."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=global_compiler_lock.acquire,
            after_in_parent=global_compiler_lock.release,
            after_in_child=global_compiler_lock.release,
        )
