"""The documentation, and the program that writes its reference pages from the code."""
