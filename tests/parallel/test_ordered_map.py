"""Any number of workers gives the same in order, with little in memory."""

import os
import signal
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import count, islice

import pytest

from cvscore.parallel import ordered_map
from cvscore.parallel.ordered_map import ITEMS_PER_TASK, map_in_order, worker_count


def square(number):
    return number**2


def slower_when_even(number):
    time.sleep(0.002 * (number % 2 == 0))
    return number**2


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


class Reader:
    """An endless source that knows how many were read."""

    def __init__(self):
        self.num_read = 0

    def __iter__(self):
        for number in count():
            self.num_read += 1
            yield number


@pytest.mark.parametrize("num_workers", [None, 1, 2, 5])
@pytest.mark.parametrize("num_items", [0, 1, 3, 4, 50])
def test_results_come_in_the_order_of_items(num_workers, num_items):
    results = map_in_order(
        slower_when_even, iter(range(num_items)), num_workers=num_workers
    )
    assert list(results) == [(i, i**2) for i in range(num_items)]


def test_one_worker_is_the_caller_and_reads_no_further_than_its_task():
    reader, threads = Reader(), set()

    def observed(number):
        threads.add(threading.current_thread())
        return number

    for number, _ in islice(map_in_order(observed, reader, num_workers=1), 30):
        assert number < reader.num_read <= number + ITEMS_PER_TASK
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("num_workers", [2, 4])
def test_few_are_read_ahead_however_slow_the_first_is(num_workers):
    reader, is_free = Reader(), threading.Event()
    num_others = num_workers - 1
    most = num_others * (ordered_map.TASKS_PER_THREAD + ordered_map.MAX_WAITING) + 1

    def stuck(number):
        # The first is freed when the caller, with nothing left to do, waits for it.
        if number == 0:
            assert is_free.wait(30)
        elif reader.num_read >= most * ITEMS_PER_TASK:
            is_free.set()
        return number

    results = map_in_order(stuck, reader, num_workers=num_workers)
    assert next(results) == (0, 0)
    assert reader.num_read == most * ITEMS_PER_TASK
    results.close()


def test_nothing_is_read_before_a_result_is_asked_for():
    reader = Reader()
    results = map_in_order(square, reader, num_workers=3)
    assert reader.num_read == 0
    results.close()
    assert reader.num_read == 0


class Lazy(Executor):
    """Does a task when its result is asked for, and remembers what became of it."""

    def __init__(self):
        self.futures = []

    def submit(self, function, /, *arguments):
        class Deferred(Future):
            def result(self, timeout=None):
                if not super().done():
                    self.set_result(function(*arguments))
                return super().result(timeout)

        self.futures.append(Deferred())
        return self.futures[-1]


def test_an_executor_has_a_few_tasks_for_each_worker():
    reader, executor = Reader(), Lazy()
    results = map_in_order(square, reader, num_workers=3, executor=executor)
    assert next(results) == (0, 0)
    num_tasks = 3 * ordered_map.TASKS_PER_WORKER + 1
    assert len(executor.futures) == num_tasks
    assert reader.num_read == num_tasks * ITEMS_PER_TASK
    results.close()
    done, *waiting = executor.futures
    assert not done.cancelled()
    assert all(future.cancelled() for future in waiting)


def test_an_executor_is_not_shut_down():
    with ThreadPoolExecutor(1) as executor:
        for _ in range(2):
            results = map_in_order(square, range(9), executor=executor)
            assert list(results) == [(i, i**2) for i in range(9)]


@pytest.mark.parametrize("num_workers", [1, 3])
def test_an_error_comes_in_its_turn(num_workers):
    def broken(number):
        if number == 20:
            raise MemoryError("no memory left")
        return number

    results = map_in_order(broken, range(100), num_workers=num_workers)
    assert list(islice(results, 20)) == [(i, i) for i in range(20)]
    with pytest.raises(MemoryError, match="no memory left"):
        next(results)


def test_an_error_of_the_source_is_the_callers():
    def source():
        yield from range(6)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(map_in_order(square, source(), num_workers=3))


def test_a_generator_that_is_dropped_leaves_no_thread():
    results = map_in_order(slower_when_even, count(), num_workers=4)
    assert next(results) == (0, 0)
    del results


@pytest.fixture
def interruptible():
    """Ctrl-C is KeyboardInterrupt, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("num_workers", [1, 3])
def test_an_interrupt_ends_all(num_workers):
    num_done = 0

    def interrupting(number):
        nonlocal num_done
        time.sleep(0.002)
        if number == 30:
            os.kill(os.getpid(), signal.SIGINT)
        num_done += 1
        return number

    with pytest.raises(KeyboardInterrupt):
        for _ in map_in_order(interrupting, count(), num_workers=num_workers):
            pass
    num_then = num_done
    time.sleep(0.05)
    assert num_done == num_then


def test_the_number_of_workers_is_checked_at_once():
    assert worker_count(None) == worker_count(len(os.sched_getaffinity(0)))
    assert worker_count(3.0) == 3
    for wrong, kind in ((0, ValueError), (-1, ValueError), (1.5, ValueError)):
        with pytest.raises(kind, match="num_workers must be"):
            map_in_order(square, [], num_workers=wrong)
    with pytest.raises(TypeError, match="num_workers must be a whole number"):
        map_in_order(square, [], num_workers="all")
