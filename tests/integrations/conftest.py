"""What lies in programs/ is run by the tests in processes of its own: importing it would change this one."""

collect_ignore = ["programs"]
