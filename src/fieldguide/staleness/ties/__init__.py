"""Ties from documents, decisions, specs and findings to the code that they cite, with their state, in the index."""
