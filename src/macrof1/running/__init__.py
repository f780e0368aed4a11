"""Run requests: one function per job, for Python and every front end."""
