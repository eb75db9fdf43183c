"""Calls through addresses: by the name of a field, and with their exceptions."""

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from cvscore._numba.by_address import address_of, array, method

_values = array(1)
SHIFT = _values(_values, numba.float64, _values)
TOTAL = numba.float64(_values, _values)

call_shift = method("shift", SHIFT)
call_total = method("total", TOTAL, last="weights")

jit = numba.njit(error_model="numpy", nogil=True)


class Record(NamedTuple):
    shift: Any
    total: Any
    constants: np.ndarray
    weights: np.ndarray


class Reordered(NamedTuple):
    """The same fields in another order, and one that nobody calls."""

    weights: np.ndarray
    total: Any
    unused: int
    constants: np.ndarray
    shift: Any


@jit
def shifted(values, by, constants):
    return values + by * constants


@jit
def weighted_total(values, weights):
    return (values * weights).sum()


@jit
def refuses_negative(values, by, constants):
    if by < 0.0:
        raise ValueError("shift must not be negative")
    return values + by * constants


@jit
def looks_too_far(values, by, constants):
    if by > values.shape[0]:
        raise IndexError("beyond the last value")
    return values


@jit
def shift_and_total(record, values, by):
    return call_total(record, call_shift(record, values, by))


@jit
def outer(record, values, by):
    return 2.0 * shift_and_total(record, values, by)


CONSTANTS, WEIGHTS = np.array([1.0, 10.0, 100.0]), np.array([1.0, 2.0, 3.0])
VALUES = np.array([0.5, 0.25, 0.125])


def record_of(kind, shift=shifted):
    return kind(
        **{
            field: value
            for field, value in {
                "shift": address_of(shift, SHIFT),
                "total": address_of(weighted_total, TOTAL),
                "constants": CONSTANTS,
                "weights": WEIGHTS,
                "unused": 7,
            }.items()
            if field in kind._fields
        }
    )


@pytest.mark.parametrize("kind", [Record, Reordered])
def test_fields_are_found_by_name_whatever_their_order(kind):
    expected = ((VALUES + 3.0 * CONSTANTS) * WEIGHTS).sum()
    record = record_of(kind)
    assert shift_and_total(record, VALUES, 3.0) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("kind", [Record, Reordered])
def test_interpreted_records_of_functions_do_the_same(kind):
    record = record_of(kind)._replace(
        shift=lambda values, by, constants: values + by * constants,
        total=lambda values, weights: float((values * weights).sum()),
    )
    source = getattr(shift_and_total, "py_func", shift_and_total)
    expected = ((VALUES + 3.0 * CONSTANTS) * WEIGHTS).sum()
    assert source(record, VALUES, 3.0) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("kind", [Record, Reordered])
@pytest.mark.parametrize("caller", [shift_and_total, outer])
def test_an_exception_of_the_kernel_reaches_the_caller(kind, caller):
    record = record_of(kind, refuses_negative)
    expected = ((VALUES + CONSTANTS) * WEIGHTS).sum()
    factor = 2.0 if caller is outer else 1.0
    with pytest.raises(ValueError, match="shift must not be negative"):
        caller(record, VALUES, -1.0)
    # And what comes after it is as if nothing had been.
    assert caller(record, VALUES, 1.0) == pytest.approx(factor * expected, rel=1e-15)


def test_the_exception_is_the_one_that_was_raised():
    with pytest.raises(IndexError, match="beyond the last value"):
        outer(record_of(Record, looks_too_far), VALUES, 9.0)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there are no addresses")
def test_an_address_is_a_number_and_the_same_each_time():
    address = address_of(shifted, SHIFT)
    assert isinstance(address, int)
    assert address_of(shifted, SHIFT) == address
    assert address_of(refuses_negative, SHIFT) != address


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_kernel_that_returns_another_type_is_refused():
    @jit
    def counts(values, weights):
        return values.shape[0]

    with pytest.raises(TypeError, match="returns int64, not float64"):
        address_of(counts, TOTAL)
