"""The note, executable."""
