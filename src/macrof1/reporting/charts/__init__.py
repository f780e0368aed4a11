"""All charts, in one look."""
