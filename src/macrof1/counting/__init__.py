"""From labels to counts, once."""
