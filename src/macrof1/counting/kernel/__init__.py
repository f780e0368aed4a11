"""Counting integers: compiled, or by NumPy, with equal results."""
