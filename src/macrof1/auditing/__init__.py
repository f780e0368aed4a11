"""Published figures: what they prove."""
