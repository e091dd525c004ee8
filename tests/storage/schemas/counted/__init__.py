"""A toolset whose migration writes a trigger, and takes its time."""
