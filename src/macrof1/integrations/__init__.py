"""Both macro F1s in training and evaluation tools; some modules need an extra."""
