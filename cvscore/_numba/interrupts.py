"""Signals wait while a kernel is compiled.

A handler that raises, as that of Ctrl-C does, would leave numba's tables half filled
for the rest of the process: later calls end in errors about functions that it no longer
knows, or end the process.  So the handlers of Python are called when the compiler is
done, and for Ctrl-C, after which nobody wants the rest, before the next kernel.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

_handlers: dict[int, Any] = {}  # of the program, by signal
_arrived: list[int] = []
_state = {"is_waiting": False}


class GivenUp(BaseException):
    """The compiler stops here, for an interrupt; numba catches nothing of this kind."""


def give_up_if_interrupted() -> None:
    """End `uninterrupted` here if Ctrl-C is waiting, where an error would do no harm.

    Raises
    ------
    GivenUp
        To be caught there.
    """
    if _state["is_waiting"] and _is_main() and signal.SIGINT in _arrived:
        raise GivenUp


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


def _go_on() -> None:
    """Call what waits, with all handlers in their places.

    One that raises before all of them are leaves `_note`, which calls the others.
    """
    _state["is_waiting"] = False
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
