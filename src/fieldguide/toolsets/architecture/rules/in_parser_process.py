"""What a parser process does for the rules: patterns are read and code is checked there, with every tree it takes."""

import json
from functools import lru_cache
from typing import Any

from fieldguide.source_code.detection import detect_language
from fieldguide.toolsets.architecture.rules.checking.reporting import check_code
from fieldguide.toolsets.architecture.rules.pattern import Pattern
from fieldguide.toolsets.architecture.rules.plain_data import as_plain, from_plain
from fieldguide.toolsets.architecture.rules.reading import read_pattern

KEPT_PATTERNS = 100


def told_pattern(name: str, text: str) -> Any:
    """A pattern document, read, as plain data."""
    return as_plain(read_pattern(name, text))


def told_report(pattern: str, code: str, language: str | None, path: str | None) -> Any:
    """What a check against a pattern, given as JSON, finds, as plain data."""
    return as_plain(check_code(_pattern(pattern), code, language, path))


def told_language(code: str) -> list[str | None]:
    """What a text is written in."""
    return [detect_language(code)]


@lru_cache(maxsize=KEPT_PATTERNS)
def _pattern(text: str) -> Pattern:
    made: Pattern = from_plain(json.loads(text))
    return made
