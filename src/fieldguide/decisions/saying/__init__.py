"""Saying what was found: with the record's own words, their line, and what to do about it."""
