"""What a proposal does to one record, told only where the two texts show it."""
