"""Whether what was written about code still holds: cited lines are followed through the history."""
