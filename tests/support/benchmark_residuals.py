"""Residuals of a benchmark's pair under its own model."""

import numpy as np

from benchmarks.methods import oracle


def residuals(pair, rows):
    """Sampson residuals in pixels of some rows under the true model, (M, d)."""
    x1, x2 = pair.x1[rows], pair.x2[rows]
    if pair.problem == "H":
        return oracle.transfer_residuals(pair.model, x1, x2)
    F = pair.model
    if pair.problem == "E":
        F = np.linalg.inv(pair.K2).T @ pair.model @ np.linalg.inv(pair.K1)
    return oracle.epipolar_residuals(F, x1, x2)[:, None]
