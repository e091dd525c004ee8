"""Keeps from the parsers what would keep them busy for seconds, take all memory or overflow their stack.

Some nonsense costs them the square of its length: measured, 12,000 characters of `x=>` take Java's parser 10 seconds
and 4.6 GB, 50,000 of `->` Go's more than 4 seconds. A small piece of such a text is slow already, so a text is parsed
piece by piece first; that costs as much again as parsing it. How fast is usual is measured too: machines differ.
"""

import time
from itertools import islice

from fieldguide.source_code.syntax_problem import SyntaxProblem

MAX_NESTING = 2_000
PIECE = 800
SMALL = 2 * PIECE
MEASURE = "def total(lines):\n    return sum(line.price * line.count for line in lines if line.count > 0)\n\n\n" * 8
ALLOWANCE_PIECES = 60
SLOWEST = 5
MOST_OPEN_ANGLES = 500
MOST_ANGLES = 2_000
_BRACKETS = b"()[]{}"
_OTHERS = bytes(code for code in range(256) if code not in _BRACKETS)


def is_safe_to_parse(text: str, grammar: str) -> bool:
    """Whether a text is nested as code is, and its pieces are parsed about as fast as code is."""
    try:
        refuse_deep_nesting(text)
    except SyntaxProblem:
        return False
    if len(text) <= SMALL:
        return True
    if text.count("<") - text.count(">") > MOST_OPEN_ANGLES:
        return False
    if grammar == "typescript" and text.count("<") > MOST_ANGLES:  # a chain of `<a>` is a nest of type assertions
        return False
    usual = min(_seconds(MEASURE, "python") for _ in range(3))
    spent = 0.0
    for number, start in enumerate(range(0, len(text), PIECE)):
        spent += _seconds(text[start : start + PIECE], grammar)
        if spent > usual * (ALLOWANCE_PIECES + number * SLOWEST):
            return False
    return True


def refuse_deep_nesting(text: str) -> None:
    """Raise a SyntaxProblem for brackets so deep that the parser's stack would overflow; ask before every parse."""
    if sum(map(text.count, "([{")) <= MAX_NESTING:
        return
    depth = 0
    for number, bracket in enumerate(text.encode("ascii", "replace").translate(None, _OTHERS)):
        depth = depth + 1 if bracket in b"([{" else max(0, depth - 1)
        if depth > MAX_NESTING:
            places = (at for at, character in enumerate(text) if character in "()[]{}")
            raise SyntaxProblem(text.count("\n", 0, next(islice(places, number, None))) + 1)


def _seconds(text: str, grammar: str) -> float:
    from ast_grep_py import SgRoot

    started = time.thread_time()
    SgRoot(text, grammar).root()
    return time.thread_time() - started
