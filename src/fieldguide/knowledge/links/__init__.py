"""Links between texts and code: citations and whether they are stale."""
