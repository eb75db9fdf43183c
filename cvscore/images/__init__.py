"""Matches from images and from files, and rendered views to try things on."""
