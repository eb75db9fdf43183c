"""Whether `cvscore warmup` left nothing to compile to what the tests call.

With CVSCORE_TEST_AFTER_WARMUP in the environment, as in .ci/run after the command, a
kernel that the package itself calls and that has to be compiled fails the session.
Kernels that only a test calls do not count.
"""

import os
import sys
from pathlib import Path

import numba
from numba.core import event

VARIABLE = "CVSCORE_TEST_AFTER_WARMUP"
NUMBA = Path(numba.__file__).parent


def is_asked_for():
    return os.environ.get(VARIABLE, "0") != "0"


class Listener(event.Listener):
    """Notes kernels that were compiled because the package called them."""

    def __init__(self, package):
        self._package = package
        self._depth = 0
        self.found = []

    def on_start(self, event):
        self._depth += 1
        function = event.data["dispatcher"].py_func
        module = function.__module__ or ""  # none, if made by `exec`
        if self._depth == 1 and module.startswith("cvscore."):
            caller = self._caller()
            if caller.is_relative_to(self._package):
                types = ", ".join(map(str, event.data["args"]))
                name = f"{module}.{function.__qualname__}({types})"
                test = os.environ.get("PYTEST_CURRENT_TEST")
                self.found.append(f"{name}, called in {caller.name} by {test}")

    def on_end(self, event):
        self._depth -= 1

    def _caller(self):
        """The file that called the kernel."""
        frame = sys._getframe()
        skipped = (NUMBA, self._package / "_numba", Path(__file__))
        while frame is not None:
            file = Path(frame.f_code.co_filename)
            between = "<" in file.name or file.name in ("contextlib.py", "functools.py")
            if not between and not any(file.is_relative_to(path) for path in skipped):
                return file
            frame = frame.f_back
        return Path()
