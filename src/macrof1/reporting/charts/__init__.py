"""All charts, in one style."""
