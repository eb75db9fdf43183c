"""Attacks: random calls, and laws that every estimate obeys."""
