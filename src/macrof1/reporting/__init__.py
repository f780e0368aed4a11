"""Print results as text, JSON, CSV, Markdown, LaTeX and HTML."""
