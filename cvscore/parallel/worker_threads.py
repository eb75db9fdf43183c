"""Threads that do tasks, whose caller may be interrupted at any moment.

An interrupt that comes while Python's own futures take their lock leaves it taken, and
the thread that is to hand over its result waits for ever (CPython issue 74174).  The
queues here are written in C: an interrupt comes before or after their lock is held.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Task(Generic[Result]):
    """Work that is done in some thread, or in that of the caller.

    It has what is used here of `concurrent.futures.Future`.
    """

    def __init__(
        self, work: Callable[[], Result], finished: SimpleQueue[None] | None = None
    ) -> None:
        self._work: Callable[[], Result] | None = work
        self._finished = finished
        self._is_done = False
        self._result: Result
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do it, unless it was cancelled; what it raises is raised by `result`."""
        work, self._work = self._work, None
        try:
            if work is not None:
                self._result = work()
        except Exception as error:
            self._error = error
        self._is_done = True

    def done(self) -> bool:
        """Whether it is done."""
        return self._is_done

    def result(self) -> Result:
        """Wait until it is done, and return what it gave, or raise what it raised."""
        while not self._is_done:
            assert self._finished is not None
            self._finished.get()  # some task is done; this one, or another
        if self._error is not None:
            raise self._error
        return self._result

    def cancel(self) -> None:
        """Let it not begin any more."""
        self._work = None


class WorkerThreads:
    """Up to some threads, which are there while this is a context."""

    def __init__(self, num_threads: int) -> None:
        self._num_threads = num_threads
        self._num_started = 0
        self._tasks: SimpleQueue[Task[Any] | None] = SimpleQueue()
        self._finished: SimpleQueue[None] = SimpleQueue()
        self._ended: SimpleQueue[None] = SimpleQueue()

    def submit(self, work: Callable[[], Result]) -> Task[Result]:
        """Hand over some work; another thread is started while there may be more."""
        while not self._finished.empty():  # of tasks that nobody had to wait for
            self._finished.get()
        task = Task(work, self._finished)
        self._tasks.put(task)
        if self._num_started < self._num_threads:
            _thread.start_new_thread(self._do_tasks, ())
            self._num_started += 1  # after it: nobody waits for one that is not there
        return task

    def _do_tasks(self) -> None:
        while (task := self._tasks.get()) is not None:
            task.run()
            self._finished.put(None)
        self._ended.put(None)

    def __enter__(self) -> WorkerThreads:
        return self

    def __exit__(self, *error: object) -> None:
        for _ in range(self._num_threads):  # one more may have started
            self._tasks.put(None)
        for _ in range(self._num_started):
            self._ended.get()
