"""Text from anywhere: errors, regular expressions, globs, data formats, secrets, tokens, citations and safe display."""
