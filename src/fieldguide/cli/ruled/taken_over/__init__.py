"""Rules of other tools, carried over to pattern documents where they mean the same there; nothing is guessed."""
