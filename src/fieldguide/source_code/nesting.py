"""Brackets that are nested deeper than anybody writes: measured, 100,000 of them overflow a parser's stack."""

from itertools import islice

from fieldguide import linear_regex as re
from fieldguide.source_code.syntax_problem import SyntaxProblem

MAX_NESTING = 2_000
OPENING, BRACKETS = b"([{", b"()[]{}"
OTHERS = bytes(set(range(256)) - set(BRACKETS))
_BRACKET = re.compile(r"[()\[\]{}]")


def refuse_deep_nesting(text: str) -> None:
    """Raise a SyntaxProblem for brackets so deep that the parser's stack would overflow; ask before every parse.

    Its process would end of them and the next text get another, but only this tells the line.
    """
    if sum(map(text.count, "([{")) <= MAX_NESTING:
        return
    depth = 0
    for number, bracket in enumerate(text.encode("ascii", "replace").translate(None, OTHERS)):
        depth = depth + 1 if bracket in OPENING else max(0, depth - 1)
        if depth > MAX_NESTING:
            found = next(islice(_BRACKET.finditer(text), number, None))
            raise SyntaxProblem(text.count("\n", 0, found.start()) + 1)
