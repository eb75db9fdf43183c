"""Scores: what makes one model better than another, seen from residuals alone."""
