"""A random generator for kernels: the same bits on every machine.

A Weyl sequence whose bits are mixed (splitmix64; Steele, Lea, Flood 2014).  numba's own
generator takes two seconds to compile and a third of one to load in every process.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cvscore._numba.compile import kernel

INCREMENT = np.uint64(0x9E3779B97F4A7C15)
MIXER1, MIXER2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT30, SHIFT27, SHIFT31 = np.uint64(30), np.uint64(27), np.uint64(31)
SHIFT11 = np.uint64(11)  # leaves the 53 bits of a float


def generator(seed: int) -> NDArray[np.uint64]:
    """Return the state of a random generator, (1,)."""
    return np.array([seed % 2**64], dtype=np.uint64)


@kernel
def random_number(generator):
    """Return the next number, uniform in [0, 1)."""
    generator[0] += INCREMENT
    bits = generator[0]
    bits = (bits ^ (bits >> SHIFT30)) * MIXER1
    bits = (bits ^ (bits >> SHIFT27)) * MIXER2
    bits = bits ^ (bits >> SHIFT31)
    return float(bits >> SHIFT11) * 2.0**-53


@kernel
def write_distinct(generator, pool, indices):
    """Fill ``indices`` with distinct numbers below ``pool``, every set as likely.

    A number that has been drawn before is drawn anew.
    """
    for j in range(indices.shape[0]):
        is_new = False
        while not is_new:
            indices[j] = np.int64(random_number(generator) * pool)
            is_new = True
            for i in range(j):
                is_new &= indices[i] != indices[j]


@kernel
def shuffled(generator, num):
    """Return the numbers below ``num`` in random order, (num,)."""
    order = np.arange(num)
    for i in range(num - 1, 0, -1):
        j = np.int64(random_number(generator) * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order
