"""The index in each database: words and vectors, written and read in one transaction."""
