"""Reads patterns and checks code in a parser process, and converts both to plain data for the transfer.

What does the work runs in a parser process (`in_parser_process`, with `plain_data` for the way): documents and code are
foreign texts, and what is made of them can take any time.

- `reading` reads a document: what its front matter declares (`declared`), then what its `prose` says besides.
- `pattern` has the rules and the kinds of checks; `structures` names the well-known ones.
- `checking` checks code: it is parsed once (`code`), each check finds its places, and a report tells of them.
"""

import json
from collections.abc import Mapping
from typing import Any

from fieldguide.files.parser_process import run_in_child
from fieldguide.toolsets.architecture.rules import pattern
from fieldguide.toolsets.architecture.rules.pattern import Breach, CheckReport, PatternDocument, PatternProblem

KIND = "is"
PARTS = "of"
TUPLE = "tuple"
TABLE = "table"


def to_plain(value: Any) -> Any:
    """A value of a pattern or a report as what JSON has; which kind it is of stands beside its parts."""
    given: Any = value
    if isinstance(value, tuple):
        return {KIND: type(given).__name__, PARTS: [to_plain(each) for each in given]}
    if isinstance(value, Mapping):
        return {KIND: TABLE, PARTS: [[key, to_plain(each)] for key, each in given.items()]}
    return [to_plain(each) for each in given] if isinstance(value, list) else given


def from_plain(value: Any) -> Any:
    """The value again."""
    given: Any = value
    if isinstance(value, list):
        return [from_plain(each) for each in given]
    if not isinstance(value, dict):
        return given
    kind = given[KIND]
    parts = given[PARTS]
    if kind == TABLE:
        return {key: from_plain(each) for key, each in parts}
    made = [from_plain(each) for each in parts]
    return tuple(made) if kind == TUPLE else getattr(pattern, kind)(*made)


CHILD = "fieldguide.toolsets.architecture.rules.parser_process"
SYNTAX_RULE = "ast-grep"
SECONDS_PER_SYNTAX_RULE = 0.2  # five times what one without `languages` took, tried in eleven of them
MOST_MORE_SECONDS = 6.0


def read_pattern(name: str, text: str, *, tries_examples: bool = True) -> PatternDocument:
    """Read a pattern document; any text is one, and what is wrong with it is told in its problems.

    A declared rule that finds nothing in its own bad examples is left out, unless they are not to be tried.
    """
    more = min(text.count(SYNTAX_RULE) * SECONDS_PER_SYNTAX_RULE, MOST_MORE_SECONDS)
    tried = "tried" if tries_examples else None
    told = run_in_child(f"{CHILD}:told_pattern", _legible(name), _legible(text), tried, more_seconds=more)
    if told is None:
        problem = PatternProblem("Reading it took so long that it was given up: it is too far from a document.", 1)
        return PatternDocument(name, name, problems=(problem,))
    read: PatternDocument = from_plain(told)
    return read._replace(name=name)


def check_code(
    pattern: PatternDocument, code: str, language: str | None = None, path: str | None = None
) -> CheckReport:
    """Check a text against a pattern; whatever the text is, there is a report."""
    written = json.dumps(to_plain(pattern))
    told = run_in_child(f"{CHILD}:told_report", written, _legible(code), language, path)
    if told is None:
        said = "Checking it took so long that it was given up: it is too far from code."
        return CheckReport((Breach("parseable", said, "warning", line=1, document_line=1),), (), None, 0, (said,))
    report: CheckReport = from_plain(told)
    return report


def detect_language(code: str) -> str | None:
    """What a text is written in, by what it looks like; None when that is anybody's guess."""
    told: list[str | None] | None = run_in_child(f"{CHILD}:told_language", code)
    return told[0] if told else None


def _legible(text: str) -> str:
    """A text without lone surrogates, which are no characters."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
