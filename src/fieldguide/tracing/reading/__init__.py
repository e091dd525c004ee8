"""Reads the marks of one text: a document, a test, code, or the message of a commit; no text is read twice."""
