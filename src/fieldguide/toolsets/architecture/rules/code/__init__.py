"""A text as code: what it is written in, and what it imports, calls and defines, each found once."""
