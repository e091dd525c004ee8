"""The rules of pattern documents: read, checked against code, explained and tested."""
