"""Numerical tools that know nothing of geometry or robust estimation."""
