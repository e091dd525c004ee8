"""What commits took away: names that the implementation had, and files."""
