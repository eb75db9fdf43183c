"""Ctrl-C is a KeyboardInterrupt, whatever moment it arrives at, and soon."""

from pathlib import Path

import numba
import numpy as np
import pytest
from processes import run_python

from cvscore.data.normalization import Region, region_of
from cvscore.numerics.random_numbers import shuffled

if numba.config.DISABLE_JIT:
    pytest.skip("there are no kernels without the JIT", allow_module_level=True)

# A timer stands for the user: its handler raises what that of Ctrl-C does.
INTERRUPTED = """
import collections, signal, sys, time
import numpy as np
import cvscore as cs

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
rng = np.random.default_rng(0)
K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 500.0], [0.0, 0.0, 1.0]])

def interrupted(call, seconds):
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while True:
            call()
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        return type(error).__name__

"""

IN_A_LOOP = (
    INTERRUPTED
    + """
x1 = rng.uniform(0, 1000, (80, 2))
x2 = 2 * x1 + [10, 20] + rng.normal(0, 0.5, (80, 2))
x2[:20] = rng.uniform(0, 2000, (20, 2))
calls = [
    lambda: cs.estimate_homography(x1, x2),
    lambda: cs.estimate_fundamental(x1, x2),
    lambda: cs.estimate_essential(x1, x2, K),
]
for call in calls:
    call()
ends = collections.Counter(
    interrupted(calls[k % 3], rng.uniform(0.001, 0.004)) for k in range(300)
)
print(dict(ends))
"""
)

IN_A_LONG_CALL = (
    INTERRUPTED
    + """
x1, x2 = rng.uniform(0, 1000, (2, 2000, 2))
long = cs.RansacOptions(max_iterations=200_000)
for estimate, more in (
    (cs.estimate_homography, ()),
    (cs.estimate_fundamental, ()),
    (cs.estimate_essential, (K,)),
):
    # Compiles all: a timer waits for the compiler, see test_interrupts.py.
    estimate(x1, x2, *more, options=cs.RansacOptions(max_iterations=2000))
    start = time.perf_counter()
    end = interrupted(lambda: estimate(x1, x2, *more, options=long), 0.2)
    late = time.perf_counter() - start - 0.2
    print(end, "in time" if late < 0.5 else f"{late:.2f} s late")
"""
)


def test_an_interrupt_in_a_loop_of_estimates_is_never_another_error():
    done = run_python("-c", IN_A_LOOP)
    assert done.stdout.split("\n")[0] == "{'KeyboardInterrupt': 300}"


def test_a_long_call_is_interrupted_within_half_a_second():
    done = run_python("-c", IN_A_LONG_CALL)
    assert done.stdout.splitlines() == ["KeyboardInterrupt in time"] * 3


def test_arrays_and_records_are_what_they_were():
    order = shuffled(np.zeros(1, dtype=np.uint64), 9)
    assert type(order) is np.ndarray
    assert sorted(order) == list(range(9))
    order[0] = 3  # its own memory, and writable
    region = region_of(np.arange(12.0).reshape(4, 3))
    assert type(region) is Region
    assert region.centre.tolist() == [1.0, 4.0, 7.0, 10.0]


def test_kernels_of_others_are_boxed_as_before(tmp_path: Path):
    script = tmp_path / "others.py"
    script.write_text(
        "from typing import NamedTuple\n"
        "import numba, numpy as np\n"
        "import cvscore\n"
        "class Pair(NamedTuple):\n"
        "    first: float\n"
        "    second: np.ndarray\n"
        "@numba.njit\n"
        "def pair(x):\n"
        "    return Pair(x, np.full(2, x))\n"
        "made = pair(3.0)\n"
        "print(type(made) is Pair, made.first, made.second.tolist())\n"
    )
    assert run_python(script).stdout == "True 3.0 [3.0, 3.0]\n"
