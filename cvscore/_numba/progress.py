"""A progress bar for people who wait at a terminal; anywhere else it is silent.

>>> from cvscore._numba.progress import progress
>>> sum(progress(range(4), label="adding"))
6
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import TextIO, TypeVar

T = TypeVar("T")

# What takes less than this is not worth a bar that flashes by.
DELAY_SECONDS = 0.5
# Between two drawings: often enough to look alive, rarely enough to cost nothing.
INTERVAL_SECONDS = 0.1
BAR_WIDTH = 24
ERASE_LINE = "\r\x1b[K"


class ProgressBar:
    """A line on stderr with the share that is done, the rate and the time left.

    Use it as a context manager and call `advance` from one thread; `progress` does so
    for loops.  The line is erased at the end, so that results are all that stays.

    Parameters
    ----------
    total : int or None
        Steps to come; None where nobody knows, and then there is no time left to tell.
    label : str
        What is being done.
    enabled : bool
        False for no bar at all.
    stream : text stream, optional
        By default stderr; nothing is ever written to one that is not a terminal.
    """

    def __init__(
        self,
        total: int | None = None,
        label: str = "",
        *,
        enabled: bool = True,
        stream: TextIO | None = None,
    ) -> None:
        self.total = total
        self.label = label
        self.num_done = 0
        # None under pythonw and in some services: there is nobody to tell.
        self._stream = sys.stderr if stream is None else stream
        self._visible = enabled and self._stream is not None and self._stream.isatty()
        self._started = time.monotonic()
        self._next_drawing = self._started + DELAY_SECONDS
        self._drawn = False

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def advance(self, steps: int = 1) -> None:
        """Count ``steps`` as done and redraw the line where it is time to."""
        self.num_done += steps
        now = time.monotonic()
        if self._visible and now >= self._next_drawing:
            self._next_drawing = now + INTERVAL_SECONDS
            self._stream.write(ERASE_LINE + self.line(now - self._started))
            self._stream.flush()
            self._drawn = True

    def line(self, seconds: float) -> str:
        """Return what the bar shows ``seconds`` after its start."""
        rate = self.num_done / seconds if seconds > 0.0 else 0.0
        parts = [self.label] if self.label else []
        if self.total:
            share = min(self.num_done / self.total, 1.0)
            filled = int(share * BAR_WIDTH)
            bar = "#" * filled + "." * (BAR_WIDTH - filled)
            parts += [f"{100 * share:3.0f} % [{bar}] {self.num_done}/{self.total}"]
        else:
            parts += [str(self.num_done)]
        parts += [f"{rate:.3g}/s"]
        if self.total and rate > 0.0:
            left = max(self.total - self.num_done, 0) / rate
            parts += [f"{_clock(left)} left"]
        else:
            parts += [_clock(seconds)]
        return "  ".join(parts)

    def close(self) -> None:
        """Erase the line."""
        if self._drawn:
            self._stream.write(ERASE_LINE)
            self._stream.flush()
            self._drawn = False


def progress(
    iterable: Iterable[T],
    *,
    total: int | None = None,
    label: str = "",
    enabled: bool = True,
    stream: TextIO | None = None,
) -> Iterator[T]:
    """Yield what ``iterable`` yields, with a `ProgressBar` where it takes long.

    Parameters
    ----------
    iterable : iterable
        Its length is the total where it has one.
    total, label, enabled, stream
        As for `ProgressBar`.
    """
    if total is None and isinstance(iterable, Sized):
        total = len(iterable)
    with ProgressBar(total, label, enabled=enabled, stream=stream) as bar:
        for item in iterable:
            yield item
            bar.advance()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
