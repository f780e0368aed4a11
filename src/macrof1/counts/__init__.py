"""Labels become counts, once."""
