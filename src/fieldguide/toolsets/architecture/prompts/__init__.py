"""The prompts of the architecture toolset: the built-in ones, the project's own, and how they are filled in."""
