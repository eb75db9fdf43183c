"""The random generator of the kernels."""

import numpy as np
from scipy import stats

from cvscore.numerics.random_numbers import generator, random_number


def test_random_numbers_are_uniform_and_independent():
    state = generator(7)
    with np.errstate(over="ignore"):
        numbers = np.array([random_number(state) for _ in range(20_000)])
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert stats.kstest(numbers, "uniform").pvalue > 1e-6
    cells = np.floor(8 * numbers.reshape(-1, 2)).astype(int)
    counts = np.bincount(8 * cells[:, 0] + cells[:, 1], minlength=64)
    assert stats.chisquare(counts).pvalue > 1e-6
