"""Indexes texts and returns ranked chunks for a question."""
