"""The files of the project: found by ripgrep, listed once, kept until something changes."""
