"""Answers before an index is whole: what is asked for is indexed first, and how much is still missing is said."""
