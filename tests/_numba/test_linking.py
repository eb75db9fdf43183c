"""Large kernels: called by their symbol, within a process and from files."""

import shutil

import numba
import pytest
from conftest import ROOT
from processes import run_python

from cvscore._numba import cache

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT"
)

# Long enough to be large: a sum of many terms, none of which follows from another.
LARGE = """
import math

from cvscore._numba.compile import kernel


@kernel
def large(x):
    total = FACTOR * x
    TERMS
    return total
"""
CALLER = """
from cvscore._numba.compile import kernel
from cvscore.numerics.probe_large import large


@kernel
def caller(x):
    return large(x) + 1.0
"""
# Prints the result, and for both kernels where their code came from.
CALL = """
from cvscore._numba import linking
from cvscore.numerics.probe_caller import caller
from cvscore.numerics.probe_large import large
result = caller(0.0)
names = [callee.name for callee in linking._callees.values()]
print(result, *caller._cache.layers.values(), *large._cache.layers.values(), names)
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with a large kernel and one that calls it."""
    ignored = shutil.ignore_patterns("__pycache__", "shipped_kernels")
    shutil.copytree(ROOT / "cvscore", tmp_path / "copy" / "cvscore", ignore=ignored)
    package = tmp_path / "copy" / "cvscore"
    write_large(package, factor=1.0)
    (package / "numerics/probe_caller.py").write_text(CALLER)
    return package


def write_large(package, factor):
    terms = "\n    ".join(f"total += math.erf(x * {i}.5)" for i in range(400))
    text = LARGE.replace("FACTOR", str(factor)).replace("TERMS", terms)
    (package / "numerics/probe_large.py").write_text(text)


def call(package):
    variables = {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": None}
    return run_python("-c", CALL, folder=package.parents[1], **variables).stdout


def test_a_large_kernel_is_called_and_not_copied(copy):
    assert call(copy) == "1.0 process process ['large']\n"
    # From files, in a process in which symbols have other numbers.
    assert call(copy) == "1.0 machine machine ['large']\n"


def test_a_caller_whose_callee_is_lost_gets_it_compiled(copy):
    call(copy)
    for path in copy.rglob(f"large-*{cache.ENDING}"):
        path.unlink()
    assert call(copy) == "1.0 machine process ['large']\n"


def test_an_edited_callee_is_never_called_by_old_code(copy):
    call(copy)
    write_large(copy, factor=2.0)
    assert call(copy) == "1.0 process process ['large']\n"


def test_the_kernels_of_the_package_find_each_other():
    """Some are large, and small ones are not."""
    import numpy as np

    import cvscore
    from cvscore._numba import linking

    rng = np.random.default_rng(0)
    x1, x2 = rng.uniform(0, 1000, (2, 50, 2))
    cvscore.estimate_homography(x1, x2)
    names = {callee.name for callee in linking._callees.values()}
    assert "best_prefix" in names
    assert "trials_needed" not in names
