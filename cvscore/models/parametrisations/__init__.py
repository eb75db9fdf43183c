"""Minimal parametrisations of the models, and Jacobians of their residuals in them.

They are for what is asked of an estimate afterwards, once: plain NumPy.
"""
