"""What kernels return becomes Python objects without a line of Python.

numba finds the class of every array and record that it returns by a function in Python,
calls the class of a record, and looks at neither result.  A signal is handled in the
next line of Python, so Ctrl-C arrived there in nine cases of ten, and was seen as
SystemError ("returned a result with an exception set") or ended the process.  Here the
classes are constants of the kernel and C makes the objects: the signal waits until the
interpreter has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import boxing, pythonapi, types

Boxer = Callable[[Any, Any, Any], Any]


class ConstantsAPI(pythonapi.PythonAPI):  # type: ignore[misc, unused-ignore]
    """numba's calls of C, with objects that are constants and not unpickled."""

    def __init__(self, context: Any) -> None:
        super().__init__(context.context, context.builder)
        self._constants = context.env_manager

    def serialize_object(self, obj: Any) -> Any:
        """Return the number of a constant."""
        return self._constants.add_const(obj)

    def unserialize(self, number: Any) -> Any:
        """Return the constant, a borrowed reference."""
        return self._constants.read_const(number)

    def constant(self, value: Any) -> Any:
        """Return a borrowed reference to an object of the interpreter."""
        return self.unserialize(self.serialize_object(value))


def box_array(kind: Any, value: Any, context: Any) -> Any:
    """Return the array that a kernel returns."""
    return boxing.box_array(kind, value, context._replace(pyapi=ConstantsAPI(context)))


def box_record(kind: Any, value: Any, context: Any) -> Any:
    """Return the NamedTuple that a kernel returns."""
    python = ConstantsAPI(context)
    make, cls = (python.constant(v) for v in (tuple.__new__, kind.instance_class))
    fields = boxing.box_tuple(kind, value, context)
    made = python.call_function_objargs(make, (cls, fields))
    python.decref(fields)
    return made


def box_in_c() -> None:
    """Let numba return the values of our kernels so, and those of others as before."""
    # Its decorator `box` refuses what it knows already.
    known = pythonapi._boxers.functions
    for kind, ours in (
        (types.Array, box_array),
        (types.NamedTuple, box_record),
        (types.NamedUniTuple, box_record),
    ):
        known[kind] = _of_our_kernels(ours, known[kind])


def _of_our_kernels(ours: Boxer, others: Boxer) -> Boxer:
    def box(kind: Any, value: Any, context: Any) -> Any:
        kernel = context.env_manager and context.env_manager.env
        module = kernel and kernel.globals.get("__name__")  # none, if made by `exec`
        is_ours = module and module.startswith("cvscore.")
        return (ours if is_ours else others)(kind, value, context)

    return box
