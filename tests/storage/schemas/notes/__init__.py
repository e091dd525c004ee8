"""Notes and a counter, in two steps."""
