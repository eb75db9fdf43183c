"""Python in a process of its own, as the tests run it."""

import os
import subprocess
import sys

from conftest import ROOT

LIMIT = 900  # seconds: what hangs must not hang the tests


def run_python(
    *arguments,
    folder=ROOT,
    may_fail=False,
    python=sys.executable,
    prefix=(),
    **variables,
):
    """Run ``python *arguments`` with the packages of this checkout, and return its end.

    ``variables`` are set in its environment; None unsets one.  ``prefix`` are words
    that run a command in some other way.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run(
        [*prefix, str(python), *map(str, arguments)],
        cwd=folder,
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert may_fail or done.returncode == 0, done.stderr
    return done
