"""The explorer: a page where the gap can be seen and played with. It shows what the library computes."""
