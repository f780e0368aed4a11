"""What real systems call macro F1, as a table with a source for every row."""
