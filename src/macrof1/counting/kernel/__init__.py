"""Counting integers: compiled, or with NumPy, with equal results."""
