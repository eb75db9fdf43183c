"""Kernels compile after `import pycolmap`, and stop when they are told to."""

import importlib.util
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
if importlib.util.find_spec("pycolmap") is None:
    pytest.skip("pycolmap is not installed", allow_module_level=True)

COMPILE = """
{first}
import numpy as np
from cvscore.data.normalization import find_region
print(find_region(np.arange(400.0).reshape(4, 100)).centre.tolist())
print(set(find_region._cache.layers.values()))
"""
CENTRE = "[49.0, 149.0, 249.0, 349.0]"


def test_kernels_compile_after_pycolmap_and_serve_all(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    for first, layer in (
        ("import pycolmap", "process"),
        ("", "machine"),
        ("import pycolmap", "machine"),
    ):
        done = run_python("-c", COMPILE.format(first=first), **cache)
        assert done.stdout == f"{CENTRE}\n{{'{layer}'}}\n"


def test_compiling_after_pycolmap_can_be_interrupted(tmp_path):
    script = (
        "import pycolmap, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import numpy as np, cvscore\n"
        "print('ready', flush=True)\n"
        "x = np.arange(200.0).reshape(100, 2) ** 1.5\n"
        "cvscore.estimate_homography(x, x)\n"
        "print('done')\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert out == ""
    assert "KeyboardInterrupt" in err
