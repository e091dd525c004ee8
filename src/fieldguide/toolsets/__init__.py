"""The six toolsets that a server offers, and the upkeep of what they index."""
