"""Documents as HTML: what they say, and nothing that a browser would obey."""
