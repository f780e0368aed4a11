"""Both macro F1s in training and evaluation tools; each module needs its own extra."""
