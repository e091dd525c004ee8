"""Reads C and C++: declarations, what they use, and what the preprocessor leaves of them."""
