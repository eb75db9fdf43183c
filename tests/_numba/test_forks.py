"""Processes that are forked, or killed, while kernels are compiled."""

import os
import signal
import subprocess
import sys
import time

import numba
import pytest
from conftest import ROOT
from processes import run_python

if numba.config.DISABLE_JIT:
    pytest.skip("nothing is compiled without the JIT", allow_module_level=True)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX forks")

COMPILE = """
import numpy as np
from cvscore.data.normalization import find_region

def region():
    return find_region(np.arange(400.0).reshape(4, 100)).centre.tolist()
"""
FORK_WHILE_COMPILING = (
    COMPILE
    + """
import os, signal, threading, time
from numba.core import event

class Begun(event.Listener):
    def on_start(self, event): begun.set()
    def on_end(self, event): pass

begun = threading.Event()
event.register("numba:compile", Begun())
thread = threading.Thread(target=region)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if region() == [49.0, 149.0, 249.0, 349.0] else 1)
_, status = os.waitpid(child, 0)
thread.join()
print(status, region())
"""
)
CENTRE = "[49.0, 149.0, 249.0, 349.0]"


@pytest.mark.filterwarnings("ignore")
def test_a_child_of_a_process_that_compiles_can_compile(tmp_path):
    done = run_python("-c", FORK_WHILE_COMPILING, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == f"0 {CENTRE}\n"


def test_processes_killed_while_they_compile_leave_a_cache_that_serves(tmp_path):
    script = COMPILE + "print('ready', flush=True)\nregion()\n"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    for delay in (0.2, 0.5, 0.9, 1.4):
        with subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            process.stdout.readline()
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
    for _ in range(2):
        done = run_python("-c", COMPILE + "print(region())", **{
            "NUMBA_CACHE_DIR": str(tmp_path)
        })  # fmt: skip
        assert done.stdout == f"{CENTRE}\n"
    for kernel in tmp_path.rglob("*.kernel"):  # cut short, as a crashed disk has them
        kernel.write_bytes(kernel.read_bytes()[:-100])
    done = run_python("-c", COMPILE + "print(region())", NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == f"{CENTRE}\n"
