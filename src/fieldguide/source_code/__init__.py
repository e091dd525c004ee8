"""What every toolset may know of source code: its language, what it imports, and what a parser can be given."""
