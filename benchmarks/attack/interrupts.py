"""Ctrl-C at a random moment of a call.

It ends in the interrupt or in its answer, and the same call afterwards has the bits
that it had before: nothing was left half done.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import cvscore
from benchmarks.attack.checks import Call
from benchmarks.attack.containers import Rng
from benchmarks.attack.points import matched_sets
from cvscore.estimators.registry import ESTIMATORS
from cvscore.types import Estimate

K = np.array([[800.0, 0.0, 500.0], [0.0, 800.0, 500.0], [0.0, 0.0, 1.0]])
NUM_POINTS = 40
# Threads may finish what they were doing.
MAX_SECONDS_LEFT = 2.0


def draw_interrupted(rng: Rng) -> Call:
    """Return a call that is interrupted, made between two that are not."""
    name = str(rng.choice(sorted(ESTIMATORS)))
    known = ESTIMATORS[name]
    sets = matched_sets(rng, NUM_POINTS, known.data.dims)
    options = cvscore.RansacOptions(max_iterations=int(rng.integers(1, 300)))
    num_workers = int(rng.integers(0, 3))
    moment = rng.uniform(0.0, 1.1)

    def alone() -> list[Estimate]:
        return [known.run(*sets, cameras=(K, K), options=options)]

    def many() -> list[Estimate]:
        cameras = (K,) * known.data.dims.count(2) if known.needs_cameras else ()
        found = cvscore.estimate_many(
            [(*sets, *cameras)] * 3,
            name,
            options=options,
            num_workers=num_workers,
            progress=False,
        )
        return list(found)

    call = many if num_workers else alone

    def run() -> None:
        start = time.perf_counter()
        before = call()
        seconds = time.perf_counter() - start
        _interrupt(call, moment * seconds)
        for one, other in zip(before, call(), strict=True):
            assert _bits(one) == _bits(other), "another answer after an interrupt"

    return Call("interrupted", run, list(sets))


def _interrupt(call: Callable[[], Any], seconds: float) -> None:
    threads = threading.active_count()
    with contextlib.suppress(KeyboardInterrupt), _alarm(seconds):
        call()
    end = time.monotonic() + MAX_SECONDS_LEFT
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(1e-3)
    assert threading.active_count() <= threads, "threads are left"


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise a KeyboardInterrupt after a time, where the system has such alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _bits(found: Estimate) -> tuple[bytes, ...]:
    model = b"" if found.model is None else found.model.tobytes()
    return model, found.inliers.tobytes(), found.residuals.tobytes()
