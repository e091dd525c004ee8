"""The way of a call: tool, registry, executor, limits, journal, prompts and resources."""
