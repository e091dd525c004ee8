"""What a strange repository may hold, and that none of it acts."""
