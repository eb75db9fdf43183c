"""Geometric models: minimal solvers, Sampson residuals and refits, one file each."""
