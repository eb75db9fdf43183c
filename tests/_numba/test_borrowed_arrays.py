"""References to arguments are not counted, and nothing is freed early or leaked."""

import numba
import pytest
from processes import run_python

from cvscore._numba.borrowed_arrays import without_counts

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled without the JIT"
)

HEAD = "define i32 @_ZN7cvscore3one(ptr %retptr, ptr %arg.x.0, ptr %arg.y.0) {"


def function(*lines):
    return "\n".join([HEAD, "entry:", *(f"  {line}" for line in lines), "}"])


def counts_of(*lines):
    """Return the counts that are left of a function of these lines."""
    left = without_counts(function(*lines)).split("\n")
    return [line.split("@NRT_")[1] for line in left if "@NRT_" in line]


def test_counts_of_an_argument_are_taken_out():
    lines = [
        "tail call void @NRT_incref(ptr %arg.x.0)",
        "%seen = icmp eq ptr %arg.x.0, null",
        "%status = call i32 @another(ptr %retptr, ptr %arg.x.0)",
        "tail call void @NRT_decref(ptr nonnull %arg.x.0)",
        "ret i32 0",
    ]
    expected = function(lines[1], lines[2], lines[4])
    assert without_counts(function(*lines)) == expected


def test_so_are_those_of_older_versions_of_llvm():
    assert counts_of("tail call void @NRT_incref(i8* %arg.x.0)") == []


def test_what_is_returned_or_stored_is_counted():
    counted = "tail call void @NRT_incref(ptr %arg.x.0)"
    for use in (
        "store ptr %arg.x.0, ptr %retptr, align 8",
        "%a = insertvalue { ptr } undef, ptr %arg.x.0, 0",
    ):
        assert counts_of(counted, use) == ["incref(ptr %arg.x.0)"]


def test_the_other_argument_does_not_matter():
    lines = [
        "tail call void @NRT_incref(ptr %arg.x.0)",
        "tail call void @NRT_incref(ptr %arg.y.0)",
        "store ptr %arg.y.0, ptr %retptr, align 8",
    ]
    assert counts_of(*lines) == ["incref(ptr %arg.y.0)"]


def test_a_choice_among_arguments_is_not_counted():
    lines = [
        "tail call void @NRT_incref(ptr %arg.x.0)",
        "%last = phi ptr [ %arg.x.0, %B1 ], [ null, %B2 ], [ %arg.y.0, %B3 ]",
        "tail call void @NRT_decref(ptr %last)",
    ]
    assert counts_of(*lines) == []


def test_a_choice_with_what_the_function_owns_keeps_all_counts():
    """Else the count that is shared would free the argument."""
    lines = [
        "%own = call ptr @NRT_MemInfo_alloc_aligned(i64 8, i32 32)",
        "tail call void @NRT_incref(ptr %arg.x.0)",
        "%last = phi ptr [ %arg.x.0, %B1 ], [ %own, %B2 ]",
        "tail call void @NRT_decref(ptr %last)",
    ]
    assert without_counts(function(*lines)) == function(*lines)


def test_a_choice_that_is_returned_keeps_all_counts():
    lines = [
        "tail call void @NRT_incref(ptr %arg.x.0)",
        "%last = phi ptr [ %arg.x.0, %B1 ], [ %arg.y.0, %B2 ]",
        "store ptr %last, ptr %retptr, align 8",
    ]
    assert without_counts(function(*lines)) == function(*lines)


OURS_AND_OTHERS = """
import inspect, numba, numpy as np
from cvscore.numerics import linalg

# The same functions as somebody else's.
others = {"__name__": "others", "numba": numba}
exec(inspect.getsource(linalg).replace("@kernel", "@numba.njit"), others)

def counts(function):
    (result,) = function.overloads.values()
    code = result.library.get_llvm_str()
    name = result.fndesc.llvm_func_name
    body = code[code.index(f"@{name}("):].split("\\n}")[0]
    return body.count("@NRT_incref(ptr %arg") + body.count("@NRT_incref(i8* %arg")

for null_spaces in (linalg.null_spaces, others["null_spaces"]):
    rows = np.random.default_rng(0).normal(size=(2, 3, 4))
    null_spaces(rows, np.empty((1, 3, 4)), np.empty(4))
    print(counts(null_spaces) > 0)
"""


def test_only_our_kernels_are_changed(tmp_path):
    done = run_python("-c", OURS_AND_OTHERS, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout.split() == ["False", "True"], done.stderr


BALANCE = """
import gc, sys
import numpy as np
from numba.core.runtime import rtsys
import cvscore

rng = np.random.default_rng(0)
x1 = rng.uniform(0, 1000, (300, 2))
x2 = x1 @ [[0.9, -0.2], [0.2, 1.1]] + rng.normal(0, 0.5, (300, 2))
x2[200:] = rng.uniform(0, 1000, (100, 2))
K = np.array([[800.0, 0, 500], [0, 800, 500], [0, 0, 1]])

def run():
    for call in (
        lambda: cvscore.estimate_homography(x1, x2),
        lambda: cvscore.estimate_fundamental(x1, x2),
        lambda: cvscore.estimate_essential(x1, x2, K),
        lambda: cvscore.estimate_affine(x1, x2, weights=np.arange(1.0, 301.0)),
    ):
        found = call()
        found.evidence, found.covariance, found.probabilities

run()
gc.collect()
before, references = rtsys.get_allocation_stats(), sys.getrefcount(x1)
run()
gc.collect()
after = rtsys.get_allocation_stats()
print(after.mi_alloc - before.mi_alloc > 1000)
# What the caches of a score keep is of the same size before and after.
print((after.mi_alloc - before.mi_alloc) - (after.mi_free - before.mi_free))
print(sys.getrefcount(x1) - references)
"""


def test_what_kernels_allocate_is_freed_once():
    # Freed memory is overwritten, so that a use of it shows.
    done = run_python("-c", BALANCE, NUMBA_NRT_STATS="1", MALLOC_PERTURB_="165")
    assert done.returncode == 0, done.stderr
    made_many, left, references = done.stdout.split()
    assert made_many == "True"
    assert int(left) == 0
    assert int(references) == 0
