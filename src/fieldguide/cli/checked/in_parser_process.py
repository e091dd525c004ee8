"""What a parser process does for a check of files: many files in one request, each with the comments that suppress.

A rule that can't be broken without a certain word is not run on a text that lacks it: looking for a word takes a
thousandth of what it takes to find every call and import.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from fieldguide.cli.checked.needed_words import needed_words
from fieldguide.cli.checked.suppressions import read_suppressions
from fieldguide.source_code.parsing import HAS_TREES
from fieldguide.toolsets.architecture.rules.checking.applicability import applicable_rules
from fieldguide.toolsets.architecture.rules.checking.hits import InvalidSyntaxRule
from fieldguide.toolsets.architecture.rules.checking.reporting import find_breaches, find_unparsed
from fieldguide.toolsets.architecture.rules.code.source import SourceCode
from fieldguide.toolsets.architecture.rules.pattern import Breach, Pattern, Rule
from fieldguide.toolsets.architecture.rules.plain_data import from_plain

KEPT_PATTERNS = 10

Needs = tuple[tuple[Rule, frozenset[str] | None], ...]


def told_files(pattern: str, files: str) -> Any:
    """For each file, given as `[path, language, text]`, what it breaks and its comments; all as JSON.

    None where no text may be parsed: some text of these was too much for a parser, and each is asked about alone.
    """
    given: list[tuple[str, str | None, str]] = json.loads(files)
    if len(given) > 1 and not HAS_TREES.get():
        return None
    whole, needs = _read(pattern)
    return [_told(whole, needs, *each) for each in given]


def _told(whole: Pattern, needs: Needs, path: str, language: str | None, text: str) -> Any:
    source = SourceCode(text, language, path)
    pattern = whole._replace(rules=tuple(_possible(needs, text)))
    found = {*find_unparsed(source), *_breaches(pattern, source)}
    ordered = sorted(found, key=lambda each: (each.line, each.rule))
    return [[list(each) for each in ordered], [list(each) for each in read_suppressions(source)]]


def _breaches(pattern: Pattern, source: SourceCode) -> Iterator[Breach]:
    """What a file breaks; `check_code` is for texts that may be snippets or diffs, and a file is what it is."""
    for rule in applicable_rules(pattern, source)[0]:
        with suppress(InvalidSyntaxRule):
            yield from (breach for breach, _ in find_breaches(rule, source))


def _possible(needs: Needs, text: str) -> Iterable[Rule]:
    """The rules that a text may break, by its words."""
    return (rule for rule, words in needs if words is None or any(word in text for word in words))


@lru_cache(maxsize=KEPT_PATTERNS)
def _read(text: str) -> tuple[Pattern, Needs]:
    pattern: Pattern = from_plain(json.loads(text))
    return pattern, tuple((rule, needed_words(rule)) for rule in pattern.rules)
