"""What real systems call macro F1, as data with a source for every row."""
