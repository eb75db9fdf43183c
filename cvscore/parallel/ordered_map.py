"""A function applied to any number of items at once: results in order, few in memory.

Items go to threads, the caller's among them, or to an executor, some at a time as a
task.  They are read when there is room for another task, in the caller's thread.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from typing import TypeAlias, TypeVar

from cvscore.parallel.worker_threads import Task, WorkerThreads
from cvscore.types import shown, whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")

# Items of a task: milliseconds of work, beside which handing it over is little; few,
# because they are read before the first has its result, and because at the end some
# workers wait while others finish their last task.
ITEMS_PER_TASK = 4
# Tasks that wait or run, per worker of an executor and per other thread: enough that
# none is idle while results are used and while the caller's thread does a task.
TASKS_PER_WORKER = 4
TASKS_PER_THREAD = 2
# Tasks per thread that are done and wait for a slow one before them.
MAX_WAITING = 8
MOST_WORKERS = 4096  # for each of them items are read ahead


def map_in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    num_workers: int | None = None,
    executor: Executor | None = None,
) -> Generator[tuple[Item, Result], None, None]:
    """Yield each item with what the function makes of it, in the order of the items.

    Whenever the generator ends, be it by an error, by an interrupt or by its ``close``,
    no thread is left, and an executor has no task of it that waits.

    Parameters
    ----------
    function : callable
        ``function(item)``; for other processes, it and the items can be pickled.  What
        it raises, the generator raises.
    items : iterable
        Read as workers get to them.
    num_workers : int, optional
        Threads, the caller's among them; see `worker_count`.  With an executor: how
        many workers it has, to each of which a few tasks are handed.
    executor : concurrent.futures.Executor, optional
        Where to run instead.  It is not shut down.

    """
    workers = worker_count(num_workers)
    tasks = _tasks_of(items)
    if executor is not None:
        if not hasattr(executor, "submit"):
            raise TypeError(f"executor must be an Executor, got {shown(executor)}")
        return _in_executor(function, tasks, executor, TASKS_PER_WORKER * workers)
    return _in_threads(function, tasks, workers - 1)


def worker_count(given: int | None) -> int:
    """Return a number of workers: by default that of cores this process may use."""
    if given is not None:
        return whole_number(given, "num_workers", 1, MOST_WORKERS)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tasks_of(items: Iterable[Item]) -> Iterator[list[Item]]:
    task = []
    for item in items:
        task.append(item)
        if len(task) == ITEMS_PER_TASK:
            yield task
            task = []
    if task:
        yield task


def _do(function: Callable[[Item], Result], task: list[Item]) -> list[Result]:
    return [function(item) for item in task]


Results = Generator[tuple[Item, Result], None, None]
Pending: TypeAlias = Future[list[Result]] | Task[list[Result]]


def _in_executor(
    function: Callable[[Item], Result],
    tasks: Iterable[list[Item]],
    executor: Executor,
    num_ahead: int,
) -> Results[Item, Result]:
    def start(task: list[Item], num_pending: int) -> Future[list[Result]]:
        return executor.submit(_do, function, task)

    yield from _in_order(tasks, start, num_ahead)


def _in_threads(
    function: Callable[[Item], Result], tasks: Iterable[list[Item]], num_others: int
) -> Results[Item, Result]:
    """Work here and in other threads: a thread that only waited would be in the way.

    One that reads, uses results and waits beside as many busy ones as there are cores
    takes turns with them at the interpreter's lock.
    """
    num_ahead = TASKS_PER_THREAD * num_others

    def start(items: list[Item], num_pending: int) -> Task[list[Result]]:
        work = partial(_do, function, items)
        if num_pending < num_ahead:
            return threads.submit(work)
        here = Task(work)
        here.run()  # what it raises comes in its turn, after the results before it
        return here

    with WorkerThreads(num_others) as threads:
        yield from _in_order(tasks, start, num_ahead + MAX_WAITING * num_others)


def _in_order(
    tasks: Iterable[list[Item]],
    start: Callable[[list[Item], int], Pending[Result]],
    num_ahead: int,
) -> Results[Item, Result]:
    """Start tasks, at most ``num_ahead`` of them beyond the one whose turn it is.

    ``start(task, num_pending)`` is told how many are under way.
    """
    waiting: deque[tuple[list[Item], Pending[Result]]] = deque()
    try:
        for task in tasks:
            num_pending = sum(not future.done() for _, future in waiting)
            waiting.append((task, start(task, num_pending)))
            while waiting and (waiting[0][1].done() or len(waiting) > num_ahead):
                yield from _next_of(waiting)
        while waiting:
            yield from _next_of(waiting)
    finally:
        for _, future in waiting:
            future.cancel()


def _next_of(
    waiting: deque[tuple[list[Item], Pending[Result]]],
) -> Iterator[tuple[Item, Result]]:
    task, future = waiting[0]
    results = future.result()  # where an interrupt comes, it is still to be cancelled
    waiting.popleft()
    yield from zip(task, results, strict=True)
