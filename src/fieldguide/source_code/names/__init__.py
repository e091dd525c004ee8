"""The names in a piece of code, by its tree: what it calls, defines and imports, and how it knows what it imports."""
