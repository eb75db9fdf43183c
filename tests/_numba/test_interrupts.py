"""Ctrl-C while kernels are compiled: a KeyboardInterrupt, and the next call works."""

import faulthandler
import signal
import threading

import numba
import pytest
from processes import run_python

from cvscore._numba import interrupts
from cvscore._numba.interrupts import give_up_if_interrupted, uninterrupted

if numba.config.DISABLE_JIT:
    pytest.skip("nothing is compiled without the JIT", allow_module_level=True)

# The first kernel of a process also fills numba's tables: without the wait, nearly
# every run of this ends in a TypingError, and all later calls of the process do too.
WHILE_COMPILING = """
import os, signal, sys, threading, time
import numpy as np
from cvscore.data.normalization import region_of

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(int(sys.argv[1]))
points = np.arange(400.0).reshape(4, 100)
ends, num = {}, 0
while True:
    num += 1
    delay = rng.uniform(0.02, 0.1 + 0.1 * num)
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        region = region_of(points)
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # for one that came at the last moment
        break
    except BaseException as error:
        name = type(error).__name__
        ends[name] = ends.get(name, 0) + 1
        if name != "KeyboardInterrupt":
            raise
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(list(ends), region_of(points).centre.tolist())
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_an_interrupt_while_compiling_harms_neither_the_process_nor_the_cache(
    tmp_path, seed
):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = run_python("-c", WHILE_COMPILING, seed, **cache)
    centre = [49.0, 149.0, 249.0, 349.0]
    assert done.stdout == f"['KeyboardInterrupt'] {centre}\n"
    again = (
        "import numpy as np\n"
        "from cvscore.data.normalization import find_region\n"
        "from cvscore._numba.cache import ON_MACHINE\n"
        "print(find_region(np.arange(400.0).reshape(4, 100)).centre.tolist())\n"
        "print(set(find_region._cache.layers.values()) == {ON_MACHINE})\n"
    )
    assert run_python("-c", again, **cache).stdout == f"{centre}\nTrue\n"


@pytest.fixture
def handler():
    """The handler of a signal, and how to set it for a while."""
    numbers = signal.SIGINT, signal.SIGALRM
    before = [signal.getsignal(number) for number in numbers]
    yield signal.signal
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def interrupted(number=signal.SIGINT):
    signal.raise_signal(number)
    return "done"


def test_the_work_is_done_before_the_interrupt(handler):
    handler(signal.SIGINT, signal.default_int_handler)
    steps = []
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(lambda: steps.append(interrupted()))
    assert steps == ["done"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_error_does_not_lose_the_interrupt(handler):
    handler(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(lambda: interrupted() and 1 // 0)


def test_between_two_kernels_nothing_more_is_compiled(handler):
    handler(signal.SIGINT, signal.default_int_handler)
    steps = []
    with pytest.raises(KeyboardInterrupt) as error:
        uninterrupted(
            lambda: [interrupted(), give_up_if_interrupted(), steps.append("more")]
        )
    assert steps == []
    assert error.value.__context__ is None


def test_what_was_given_up_is_done_for_a_handler_that_returns(handler):
    seen, tries = [], []
    handler(signal.SIGINT, lambda number, frame: seen.append(number))

    def work():
        tries.append(1)
        if len(tries) == 1:
            interrupted()
        give_up_if_interrupted()
        return "result"

    assert uninterrupted(work) == "result"
    assert (seen, len(tries)) == ([signal.SIGINT], 2)


def test_other_signals_wait_to_the_end(handler):
    seen = []
    handler(signal.SIGALRM, lambda number, frame: seen.append(number))

    def work():
        interrupted(signal.SIGALRM)
        give_up_if_interrupted()
        return list(seen)

    assert uninterrupted(work) == []
    assert seen == [signal.SIGALRM]


@pytest.fixture
def foreign_handler(tmp_path):
    """Tells how often a handler that is not Python's was called."""
    if not interrupts._STATUS.exists():
        pytest.skip("the system does not tell of handlers that are not Python's")
    with (tmp_path / "calls").open("w+") as file:
        faulthandler.register(signal.SIGUSR1, file, all_threads=False)
        yield lambda: (tmp_path / "calls").read_text().count("most recent call first")
        faulthandler.unregister(signal.SIGUSR1)


def test_handlers_of_other_libraries_wait_for_the_next_kernel(foreign_handler):
    def work():
        interrupted(signal.SIGUSR1)
        while_compiling = foreign_handler()
        give_up_if_interrupted()
        between_kernels = foreign_handler()
        interrupted(signal.SIGUSR1)
        return while_compiling, between_kernels, foreign_handler()

    assert uninterrupted(work) == (0, 1, 1)
    assert foreign_handler() == 2
    interrupted(signal.SIGUSR1)
    assert foreign_handler() == 3


def test_a_handler_that_was_left_behind_calls_the_one_of_the_program(
    handler, monkeypatch
):
    handler(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setitem(interrupts._handlers, signal.SIGINT, signal.default_int_handler)
    handler(signal.SIGINT, interrupts._note)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(interrupted)


def test_other_threads_work_as_they_do():
    found = []
    thread = threading.Thread(
        target=lambda: found.append(uninterrupted(lambda: interrupts._state.copy()))
    )
    thread.start()
    thread.join()
    assert found == [{"is_waiting": False}]
