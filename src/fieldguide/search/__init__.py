"""Text in, ranked chunks out: one engine for every toolset."""
