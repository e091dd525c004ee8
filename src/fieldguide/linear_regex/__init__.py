"""Regular expressions that take time in step with the text, whatever the text: what `re` offers, matched by RE2.

Every expression of ours meets texts that strangers wrote, and `re` can be kept busy for hours by one line of spaces.
RE2 can't: it never goes back ([decision 0019](../docs/decisions/0019-linear-time-matching.md)). Modules write
`from fieldguide import linear_regex as re`. What is different:

- Making a pattern costs nothing. RE2 is loaded, and the pattern read, when the first text comes.
- No back-references, no possessive repeats; a look-behind (of one character) only at the beginning of a pattern or of
  one of its outer alternatives, a look-ahead only at the end of one. `translation.py` tells how they are matched.
- `\\w`, `\\W`, `\\s` and `\\b` know all scripts, as in `re`; `\\d` is 0 to 9.
"""

from fieldguide.linear_regex.matches import Match
from fieldguide.linear_regex.pattern import Pattern, compile  # noqa: A004 -- the names are those of `re`
from fieldguide.linear_regex.shortcuts import escape, findall, fullmatch, match, other_word, search, split, sub
from fieldguide.linear_regex.syntax import DOTALL, IGNORECASE, MULTILINE, VERBOSE, NotLinear

__all__ = [
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "Match",
    "NotLinear",
    "Pattern",
    "compile",
    "escape",
    "findall",
    "fullmatch",
    "match",
    "other_word",
    "search",
    "split",
    "sub",
]
