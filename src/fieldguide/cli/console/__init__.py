"""What all commands share: flags, output for a terminal or a program, and tools called in this process."""
