"""Signals wait while a kernel is compiled.

A handler that raises, as that of Ctrl-C does, would leave numba's tables half filled
for the rest of the process: later calls end in errors about functions that it no longer
knows, or end the process.  So the handlers of Python are called when the compiler is
done, and for Ctrl-C, after which nobody wants the rest, before the next kernel.

Handlers of other libraries (pycolmap has one for SIGTERM, which prints where it was)
run at once, and wait for ever where they need a lock of the memory that the compiler
holds.  Signals that have one are let through between kernels.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")

_handlers: dict[int, Any] = {}  # of the program, by signal
_arrived: list[int] = []
_held_back: set[int] = set()  # signals with handlers that are not Python's
_state = {"is_waiting": False}

# What comes from elsewhere, by name as not every system has all: faults of the program
# itself, at the instruction that went wrong, can't wait.
_FROM_ELSEWHERE = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM")
_STATUS = Path("/proc/self/status")


class GivenUp(BaseException):
    """The compiler stops here, for an interrupt; numba catches nothing of this kind."""


def give_up_if_interrupted() -> None:
    """End `uninterrupted` here if Ctrl-C is waiting, where an error would do no harm.

    Raises
    ------
    GivenUp
        To be caught there.
    """
    if not (_state["is_waiting"] and _is_main()):
        return
    if signal.SIGINT in _arrived:
        raise GivenUp
    if _held_back:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _held_back)
        signal.pthread_sigmask(signal.SIG_BLOCK, _held_back)


def uninterrupted(work: Callable[[], Result]) -> Result:
    """Do some work, after which the handlers of signals that arrived are called.

    It is done anew where it was given up for an interrupt whose handler returned.
    Threads but the first do it as it is: no handler runs in them.
    """
    if _state["is_waiting"] or not _is_main():
        return work()
    while True:
        try:
            _wait()
            return work()
        except GivenUp:
            pass
        finally:
            _go_on()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _wait() -> None:
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if callable(handler) and handler is not _note:
            _handlers[number] = handler
            try:
                signal.signal(number, _note)
            except ValueError:  # an interpreter within another, which gets no signals
                return
    _state["is_waiting"] = True
    _held_back.update(_handled_elsewhere())
    if _held_back:
        signal.pthread_sigmask(signal.SIG_BLOCK, _held_back)


def _handled_elsewhere() -> set[int]:
    """Return the signals from elsewhere that have a handler which is not Python's.

    None where the system does not say which signals have any.
    """
    try:
        _, _, found = _STATUS.read_bytes().partition(b"SigCgt:")
        caught = int(found.split(maxsplit=1)[0], 16)  # a bit for each signal
    except (OSError, ValueError, IndexError):
        return set()
    numbers = (getattr(signal, name) for name in _FROM_ELSEWHERE)
    return {
        number
        for number in numbers
        if caught >> (number - 1) & 1 and not callable(signal.getsignal(number))
    }


def _go_on() -> None:
    """Call what waits, with all handlers in their places.

    One that raises before all of them are leaves `_note`, which calls the others.
    """
    _state["is_waiting"] = False
    if _held_back:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _held_back)
        _held_back.clear()
    for number, handler in _handlers.items():
        if signal.getsignal(number) is _note:
            signal.signal(number, handler)
    while _arrived:
        number = _arrived.pop(0)
        _handlers[number](number, sys._getframe())


def _note(number: int, frame: Any) -> None:
    if _state["is_waiting"]:
        _arrived.append(number)
    else:
        _handlers[number](number, frame)
