"""Least-squares refits of models to many weighted matches."""
