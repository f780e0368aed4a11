"""Both macro F1s inside the tools that people train and evaluate with; each module needs its own extra."""
