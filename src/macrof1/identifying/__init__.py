"""Which F1 is this: a printed number, identified on everything that counts come from."""
