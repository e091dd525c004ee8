"""Regular expressions of a document, run by Rust's engine: linear in time whatever the expression and the text."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

LONGEST_EXPRESSION = 2_000
SIZE_LIMIT = 1_000_000
MOST_LINES_JOINED = 3  # a statement that is broken over lines seldom takes more, and each line is searched this often


class InvalidExpression(ValueError):
    """An expression that the engine does not take: look-around and back-references are among them."""


class LineSearch:
    """An expression that is looked for in each line, and over a few lines if it asks for white space."""

    def __init__(self, expression: str) -> None:
        import jsonschema_rs

        if not expression or len(expression) > LONGEST_EXPRESSION:
            raise InvalidExpression(f"a regular expression has 1 to {LONGEST_EXPRESSION} characters")
        options = jsonschema_rs.RegexOptions(size_limit=SIZE_LIMIT)
        self._spans_lines = "\\s" in expression or "\\n" in expression
        schema = {"items": {"not": {"pattern": expression}}}
        try:
            self._validator: Any = jsonschema_rs.validator_for(schema, pattern_options=options)
        except ValueError as error:
            raise InvalidExpression(f"`{expression}` is no regular expression that Rust's engine takes") from error

    def lines_with(self, lines: Sequence[str]) -> list[int]:
        """The numbers, from 1, of the lines that the expression begins in."""
        found = self._indexes(lines)
        if self._spans_lines and len(lines) > 1:
            left = ["" if number in found else line for number, line in enumerate(lines)]
            joined = ["\n".join(left[number : number + MOST_LINES_JOINED]) for number in range(len(left))]
            below = ["\n".join(left[number + 1 : number + MOST_LINES_JOINED]) for number in range(len(left))]
            found |= self._indexes(joined) - self._indexes(below)
        return sorted(number + 1 for number in found)

    def _indexes(self, texts: Sequence[str]) -> set[int]:
        return {int(error.instance_path[0]) for error in self._validator.iter_errors(list(texts))}


@lru_cache(maxsize=500)
def line_search(expression: str) -> LineSearch:
    """The search for an expression, compiled once; raises InvalidExpression."""
    return LineSearch(expression)
