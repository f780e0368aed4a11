"""What a score could be: closed forms, witnesses, largest gaps."""
