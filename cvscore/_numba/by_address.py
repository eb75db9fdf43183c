"""Calls of kernels through their addresses.

A kernel that took other kernels as arguments would be compiled anew for each of them
and never be found in the cache; numba's first-class functions are, but cost 70 us per
argument and call.  An address is an integer: one loop, compiled and cached once, serves
every model and every score, and knows neither.

Addresses travel in records, NamedTuples with a field for each function and one for what
its functions get last, so that nothing is found by its position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

_NUMBER = types.float64
_addresses: dict[Any, int] = {}


def array(ndim: int, dtype: Any = _NUMBER) -> Any:
    """Return the type of a C-contiguous array."""
    return types.Array(dtype, ndim, "C")


def address_of(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a kernel for a signature and return where it is.

    Without the JIT it is the function itself, which `method` calls as well.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined, unused-ignore]
        return function
    # By the function alone: it has one form, and to hash a signature takes 100 us.
    if function not in _addresses:
        _addresses[function] = _compile(function, signature)
    return _addresses[function]


def _compile(function: Any, signature: Any) -> int:
    function.compile(signature.args)
    compiled = function.overloads[signature.args]
    if compiled.signature.return_type != signature.return_type:
        raise TypeError(
            f"{function} returns {compiled.signature.return_type}, "
            f"not {signature.return_type}"
        )
    address: int = compiled.library.get_pointer_to_function(
        compiled.fndesc.llvm_func_name
    )
    return address


def method(name: str, signature: Any, last: str = "constants") -> Callable[..., Any]:
    """Return ``call(record, *arguments)`` for the function in a field of a record.

    Parameters
    ----------
    name : str
        The field.  Within a kernel it holds an address; in interpreted code, where the
        same source serves models and scores that are not compiled, anything callable.
    signature : numba signature
        Of the function.
    last : str
        The field that the function gets after the arguments.
    """

    def call(record: Any, *arguments: Any) -> Any:
        return getattr(record, name)(*arguments, getattr(record, last))

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def call_address(typing_context: Any, record: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            convention = context.call_conv
            given = signature.return_type, signature.args
            pointer_type = convention.get_function_type(*given).as_pointer()
            address, own = (
                builder.extract_value(values[0], record.fields.index(field))
                for field in (name, last)
            )
            pointer = builder.inttoptr(address, pointer_type)
            others = cgutils.unpack_tuple(builder, values[1])
            status, result = convention.call_function(
                builder, pointer, *given, [*others, own]
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        form = signature.return_type(record, types.Tuple(signature.args[:-1]))
        return form, generate

    @overload(call)  # type: ignore[untyped-decorator, unused-ignore]
    def call_compiled(record, *arguments):
        return lambda record, *arguments: call_address(record, arguments)  # type: ignore[call-arg, unused-ignore]

    return call
