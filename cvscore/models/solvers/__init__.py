"""Minimal solvers: models from as few matches as determine them."""
