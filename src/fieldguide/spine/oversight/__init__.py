"""What a server for many looks after in each call: how much runs at once and in a day, and who did what."""
