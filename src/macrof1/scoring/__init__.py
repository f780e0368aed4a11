"""From counts to scores."""
