"""The explorer: an interactive page about the gap. It shows what the library computes."""
