"""Identify which F1 a printed number is, from any source of counts."""
