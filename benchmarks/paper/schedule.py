"""Who computes the records: this machine's cores, or a Dask cluster.

Workers read pairs and send back the bytes of records; this process alone writes them.
Only the dataset has to be where the workers are.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context

from benchmarks.paper.datasets.pairs import DataError, Dataset, PairKey
from benchmarks.paper.evaluation import evaluate
from benchmarks.paper.grid import Grid
from benchmarks.paper.record import Settings, to_bytes
from benchmarks.paper.record_files import RecordFiles

# Pairs of one task: enough to hide its overhead, few enough to lose little in a kill.
BATCH = 8
GIVEN_UP = (
    "workers died (out of memory?); the records made so far are kept, and the same "
    "command goes on from them"
)
# Between two lines of progress where nobody watches a terminal, seconds.
QUIET_INTERVAL = 60.0
TERMINAL_INTERVAL = 0.5


@dataclass(frozen=True)
class Work:
    """What every task needs to know."""

    dataset: Dataset
    settings: Settings
    grids: dict[str, Grid]
    stamp: str


Results = list[tuple[PairKey, bytes]]


def run_batch(work: Work, keys: list[PairKey]) -> Results:
    """Evaluate some pairs; runs on a worker."""
    return [
        (
            key,
            to_bytes(
                evaluate(work.dataset, key, work.settings, work.grids, work.stamp)
            ),
        )
        for key in keys
    ]


def complete(
    files: RecordFiles,
    work: Work,
    keys: list[PairKey],
    *,
    workers: int = 0,
    scheduler: str | None = None,
    label: str = "pairs",
) -> float:
    """Make every record that is not there yet; return pairs per second.

    Parameters
    ----------
    files : RecordFiles
        Where records are.
    work : Work
        What to do.
    keys : list of PairKey
        All pairs of the run.
    workers : int
        Processes on this machine; 0 for one per core, 1 for this process itself.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers are used instead.
    label : str
        What the line of progress calls them.
    """
    todo = files.missing(keys)
    if not todo:
        return 0.0
    batches = [todo[i : i + BATCH] for i in range(0, len(todo), BATCH)]
    count = workers or os.cpu_count() or 1
    if scheduler is not None:
        results = _on_cluster(work, batches, scheduler)
    elif count == 1:
        results = (run_batch(work, [key]) for key in todo)
    else:
        results = _on_this_machine(work, batches, min(count, len(batches)))
    writer = files.writer()
    progress = Progress(len(todo), len(keys) - len(todo), label)
    for records in results:
        for key, data in records:
            writer.append(key, data)
        progress.advance(len(records))
    return progress.close()


def _on_this_machine(
    work: Work, batches: list[list[PairKey]], count: int
) -> Iterator[Results]:
    # A fresh interpreter each: a fork of a process with threads may hang.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(run_batch, work, keys) for keys in batches]
        try:
            for future in as_completed(futures):
                yield future.result()
        except DataError:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        except BrokenProcessPool as error:
            raise RuntimeError(GIVEN_UP) from error


def _on_cluster(
    work: Work, batches: list[list[PairKey]], address: str
) -> Iterator[Results]:
    try:
        import distributed
    except ImportError as error:
        raise ImportError('Dask is missing: pip install ".[bench]"') from error
    with distributed.Client(address, set_as_default=False) as client:
        # To all of them: what one alone held would be lost with it.
        shared = client.scatter(work, broadcast=True, hash=False)
        futures = client.map(run_batch, [shared] * len(batches), batches, pure=False)
        done = distributed.as_completed(futures, loop=client.loop, with_results=True)
        try:
            # The scheduler gives the tasks of a dead worker to the others by itself.
            for future, records in done:
                yield records
                future.release()  # or the cluster would keep the bytes to the end
        except distributed.KilledWorker as error:
            raise RuntimeError(f"{GIVEN_UP}: {error}") from error


class Progress:
    """A line with pairs done, pairs per second and the time left, on stderr."""

    def __init__(self, total: int, already: int, label: str) -> None:
        self._total, self._label = total, label
        self._done = 0
        self._start = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._interval = TERMINAL_INTERVAL if self._is_terminal else QUIET_INTERVAL
        self._next = self._start + self._interval
        if already:
            print(f"{label}: {already} kept, {total} to do", file=sys.stderr)

    def advance(self, count: int) -> None:
        """Count some pairs as done, and say so now and then."""
        self._done += count
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self._interval
            start, end = ("\r\x1b[K", "") if self._is_terminal else ("", "\n")
            line = self.line(now - self._start)
            print(start + line, end=end, file=sys.stderr, flush=True)

    def line(self, seconds: float) -> str:
        """Return what is shown ``seconds`` after the start."""
        rate = self._done / seconds if seconds > 0 else 0.0
        left = (self._total - self._done) / rate if rate > 0 else 0.0
        hours, rest = divmod(round(left), 3600)
        return (
            f"{self._label}: {self._done}/{self._total}, {rate:.2f} pairs/s, "
            f"{hours}:{rest // 60:02d}:{rest % 60:02d} left"
        )

    def close(self) -> float:
        """Say how it went; return pairs per second."""
        seconds = max(time.monotonic() - self._start, 1e-9)
        start = "\r\x1b[K" if self._is_terminal else ""
        rate = self._done / seconds
        line = f"{self._label}: {self._done} in {seconds:.0f} s, {rate:.2f} pairs/s"
        print(start + line, file=sys.stderr)
        return rate
