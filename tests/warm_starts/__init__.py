"""Quick starts of our program: a process that has imported it forks itself for each command that a test gives."""
