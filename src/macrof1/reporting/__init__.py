"""Results become text, JSON, CSV, Markdown and LaTeX."""
