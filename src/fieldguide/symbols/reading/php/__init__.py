"""Reads PHP: declarations and what they use."""
