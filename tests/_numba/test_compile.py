"""The first call: one line on stderr, and a cache that serves the next."""

import numba
import pytest
from processes import run_python

from cvscore.cli import compile_ahead as _compile_ahead

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT"
)

SCRIPT = """
import numpy as np
from cvscore.data.deduplication import first_occurrences
first_occurrences(np.zeros((4, 3)))
"""


def run(cache, **more):
    return run_python("-c", SCRIPT, NUMBA_CACHE_DIR=str(cache), **more).stderr


def test_the_first_call_says_that_it_compiles_and_later_ones_do_not(tmp_path):
    first = run(tmp_path, CVSCORE_COMPILES_AHEAD="1")
    assert first.count("\n") == 1
    assert "compiling kernels" in first
    assert run(tmp_path) == ""


def test_compiling_ahead_compiles_what_an_estimate_calls():
    from cvscore.models.refiners.fundamental import refit_from_rank_two
    from cvscore.models.refiners.homography import refit_from_visible
    from cvscore.ransac.objective import best_of, climb
    from cvscore.scores.marginal_kernels import assess, evaluate
    from cvscore.two_view.spatial_prosac import draw_coherently

    _compile_ahead.main()
    kernels = (refit_from_rank_two, refit_from_visible, assess, evaluate)
    for kernel in (*kernels, best_of, climb, draw_coherently):
        assert len(kernel.signatures) == 1
