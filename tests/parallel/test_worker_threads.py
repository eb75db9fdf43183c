"""Tasks in threads: results, errors, and interrupts at any moment."""

import threading

import pytest
from processes import run_python

from cvscore.parallel.worker_threads import Task, WorkerThreads


def test_results_and_errors_come_from_any_thread():
    with WorkerThreads(3) as threads:
        tasks = [threads.submit(lambda n=n: 12 // n) for n in range(5)]
        with pytest.raises(ZeroDivisionError):
            tasks[0].result()
        assert [task.result() for task in tasks[1:]] == [12, 6, 4, 3]
        assert all(task.done() for task in tasks)


def test_no_more_threads_are_started_than_there_may_be():
    seen, all_here = set(), threading.Barrier(2)

    def note():
        seen.add(threading.get_ident())
        all_here.wait(10)

    with WorkerThreads(2) as threads:
        for task in [threads.submit(note) for _ in range(6)]:
            task.result()
    assert len(seen) == 2


def test_what_is_cancelled_does_not_begin():
    begun = []
    task = Task(lambda: begun.append(1))
    task.cancel()
    task.run()
    assert task.done()
    assert begun == []


INTERRUPTED = """
import random, signal, time
from cvscore.parallel.ordered_map import map_in_order

signal.signal(signal.SIGALRM, signal.default_int_handler)
rng, end, num_interrupts = random.Random(1), time.monotonic() + 4.0, 0
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-5, 1.2e-3))
        for item, number in map_in_order(str, range(40), num_workers=rng.randint(2, 4)):
            assert number == str(item)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        num_interrupts += 1
print(num_interrupts)
"""


def test_no_interrupt_leaves_a_thread_waiting():
    """With Python's own futures one of some thousand did, and all waited for ever."""
    done = run_python("-c", INTERRUPTED)
    assert int(done.stdout) > 300, done.stderr
