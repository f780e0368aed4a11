"""Counts become numbers."""
