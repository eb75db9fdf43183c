"""The first call: one line on stderr, and a cache that serves the next."""

import gc
import threading

import numba
import numpy as np
import pytest
from numba.core import event
from processes import run_python

from cvscore._numba.compile import kernel
from cvscore._numba.dispatcher import has_wrapper

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
    first = run(tmp_path, CVSCORE_PREBUILT="0")
    assert first.count("\n") == 1
    assert "compiling kernels" in first
    assert run(tmp_path) == ""


@kernel
def inner(values):
    return values.sum()


@kernel
def outer(values):
    return inner(values) + 1.0


def test_only_what_the_interpreter_calls_has_a_wrapper(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    values = np.ones(3)
    assert outer(values) == 4.0
    (code,) = inner.overloads.values()
    assert not has_wrapper(code)
    assert has_wrapper(*outer.overloads.values())
    # When it is called after all, it gets one, and callers go on as before.
    assert inner(values) == 3.0
    assert has_wrapper(*inner.overloads.values())
    assert outer(values) == 4.0


def test_what_the_interpreter_calls_is_found_by_other_kernels(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    called_first = kernel(inner.py_func)
    assert called_first(np.ones(2)) == 2.0
    loaded = kernel(inner.py_func)
    loaded.compile((numba.typeof(np.ones(2)),))
    assert set(loaded._cache.layers.values()) == {"machine"}


def test_a_kernel_entered_by_address_has_one(tmp_path, monkeypatch):
    from cvscore._numba.by_address import address_of, array

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    signature = numba.types.float64(array(1))
    assert address_of(kernel(inner.py_func), signature) != 0
    assert address_of(kernel(inner.py_func), signature) != 0  # this one from the cache


# The collector of garbage rests while kernels are compiled.


class CollectorSeen(event.Listener):
    """Notes at the end of every compilation whether the collector was on."""

    def __init__(self):
        self.was_on = []

    def on_start(self, event):
        pass

    def on_end(self, event):
        self.was_on.append(gc.isenabled())


@pytest.fixture(params=[True, False], ids=["on", "off"])
def collector(request):
    """Whether the user has the collector on."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_the_collector_rests_and_is_left_as_it_was(collector, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    copies = [kernel(inner.py_func) for _ in range(4)]
    # As many threads as kernels, and one for a kernel that cannot be compiled.
    start, failures = threading.Barrier(len(copies) + 1), []

    def call(compiled, argument):
        start.wait()
        try:
            compiled(argument)
        except numba.TypingError as error:
            failures.append(error)

    given = [*((copy, np.ones(k)) for k, copy in enumerate(copies)), (copies[0], "x")]
    threads = [threading.Thread(target=call, args=pair) for pair in given]
    seen = CollectorSeen()
    with event.install_listener("numba:compile", seen):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(failures) == 1
    assert seen.was_on
    assert not any(seen.was_on)
    assert gc.isenabled() == collector


def test_functions_without_a_module_are_compiled_as_before():
    """Code made by `exec` has no module, and is none of ours."""
    made: dict = {}
    exec("def doubled(values):\n    return 2.0 * values, values", {}, made)
    results = numba.njit(made["doubled"])(np.arange(3.0))
    np.testing.assert_array_equal(results, [[0.0, 2.0, 4.0], [0.0, 1.0, 2.0]])
