"""Calls of kernels through their addresses.

A kernel that took other kernels as arguments would be compiled anew for each of them
and never be found in the cache; numba's first-class functions are, but cost 70 us per
argument and call.  An address is an integer: one loop, compiled and cached once, serves
every model and every score, and knows neither.
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

    Without the JIT it is the function itself, which `caller` calls as well.
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


def caller(signature: Any, position: int | None = None) -> Callable[..., Any]:
    """Return ``call(function, arguments)`` for kernels of one signature.

    Within a kernel ``function`` is an address; in interpreted code, where the same
    source serves models and scores that are not compiled, it is anything callable.
    With a position it is a tuple of such, in which that is the place of the function.
    """

    def call(function: Any, arguments: tuple[Any, ...]) -> Any:
        chosen = function if position is None else function[position]
        return chosen(*arguments)

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def call_address(typing_context: Any, address: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            convention = context.call_conv
            function_type = convention.get_function_type(
                signature.return_type, signature.args
            )
            pointer = builder.inttoptr(values[0], function_type.as_pointer())
            given = cgutils.unpack_tuple(builder, values[1])
            _, result = convention.call_function(
                builder, pointer, signature.return_type, signature.args, given
            )
            return result  # kernels never raise, so the status says nothing

        return signature.return_type(types.int64, types.Tuple(signature.args)), generate

    @overload(call)  # type: ignore[untyped-decorator, unused-ignore]
    def call_compiled(function, arguments):
        if position is None:
            return lambda function, arguments: call_address(function, arguments)  # type: ignore[call-arg, unused-ignore]
        return lambda function, arguments: call_address(function[position], arguments)  # type: ignore[call-arg, unused-ignore]

    return call
