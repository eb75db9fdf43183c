"""The command as the tests run it: in this process, or in one of its own."""

import os
import subprocess
import sys

import numpy as np
from conftest import ROOT

from cvscore.cli import main


def save_matches(path, x1, x2, **more):
    np.savez(path, x1=x1, x2=x2, **more)
    return str(path)


def run(capsys, *arguments):
    """Exit status, stdout and stderr of the command."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


def run_process(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(
        [sys.executable, "-m", "cvscore", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
