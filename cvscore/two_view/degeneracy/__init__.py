"""Scenes that leave a model open or favour a wrong one, and the ways out."""
