"""From bytes to tables, matrices and reports: the only place that opens a user's file."""
