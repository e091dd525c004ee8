"""`guide_brief`: what a task needs, from everything that the project knows, within a budget of tokens."""
