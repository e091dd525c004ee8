"""Pattern documents become rules that a machine can check: read a pattern, then check code against it.

What does the work runs in a parser process (`in_parser_process`, with `plain_data` for the way): documents and code are
foreign texts, and what is made of them can take any time.

- `reading` reads a document: what its front matter declares (`declared`), then what its `prose` says besides.
- `pattern` has the rules and the kinds of checks; `structures` names the well-known ones.
- `checking` checks code: it is parsed once (`code`), each check finds its places, and a report tells of them.
"""

import json

from fieldguide.source_code.parser_process import in_child
from fieldguide.toolsets.architecture.rules.pattern import Advice, Breach, Pattern, Problem, Report, Rule
from fieldguide.toolsets.architecture.rules.plain_data import as_plain, from_plain

CHILD = "fieldguide.toolsets.architecture.rules.in_parser_process"

__all__ = [
    "Advice",
    "Breach",
    "Pattern",
    "Problem",
    "Report",
    "Rule",
    "check_code",
    "detect_language",
    "read_pattern",
]


def read_pattern(name: str, text: str) -> Pattern:
    """Read a pattern document; any text is one, and what is wrong with it is told in its problems."""
    told = in_child(f"{CHILD}:told_pattern", _legible(name), _legible(text))
    if told is None:
        problem = Problem("Reading it took so long that it was given up: it is too far from a document.", 1)
        return Pattern(name, name, problems=(problem,))
    read: Pattern = from_plain(told)
    return read._replace(name=name)


def check_code(pattern: Pattern, code: str, language: str | None = None, path: str | None = None) -> Report:
    """Check a text against a pattern; whatever the text is, there is a report."""
    written = json.dumps(as_plain(pattern))
    told = in_child(f"{CHILD}:told_report", written, _legible(code), language, path)
    if told is None:
        said = "Checking it took so long that it was given up: it is too far from code."
        return Report((Breach("parseable", said, "warning", line=1, document_line=1),), (), None, 0, (said,))
    report: Report = from_plain(told)
    return report


def detect_language(code: str) -> str | None:
    """What a text is written in, by what it looks like; None when that is anybody's guess."""
    told: list[str | None] | None = in_child(f"{CHILD}:told_language", code)
    return told[0] if told else None


def _legible(text: str) -> str:
    """A text without lone surrogates, which are no characters."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
