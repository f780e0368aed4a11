"""Several systems: rankings, flips and tests."""
