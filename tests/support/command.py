"""The command as the tests run it: in this process, or in one of its own."""

import numpy as np
from processes import run_python

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


def run_process(*arguments):
    """Run the command in a process of its own."""
    return run_python("-m", "cvscore", *arguments, may_fail=True)
