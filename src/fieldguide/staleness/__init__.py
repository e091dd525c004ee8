"""Whether what was written about code still holds: cited lines followed through the history, then judged by content."""
