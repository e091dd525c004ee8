"""Words without one of which a text can't break a rule: what most files are told to be clean by."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, ImportCheck, Rule, SyntaxCheck

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NOT_LITERAL = re.compile(r"\${1,3}[A-Z_][A-Z0-9_]*|\${3}")
OPEN = re.compile(r"[\[\]{}?]")


def needed_words(rule: Rule) -> frozenset[str] | None:
    """Words of which a text has at least one where it breaks the rule; None where that can't be said."""
    if getattr(rule.check, "is_required", False):
        return None
    return _of_check(rule.check)


def _of_check(check: Check) -> frozenset[str] | None:
    if isinstance(check, CallCheck | ImportCheck):
        return _one_of([_of_glob(glob) for glob in check.globs])
    if isinstance(check, SyntaxCheck):
        return _one_of([_of_syntax(each.get("rule")) for each in check.by_language.values()])
    return None


def _one_of(each: list[frozenset[str] | None]) -> frozenset[str] | None:
    """Of several ways to break a rule, the words of all; None where one of them needs no word."""
    known = [words for words in each if words]
    return frozenset(chain.from_iterable(known)) if known and len(known) == len(each) else None


def _of_glob(glob: str) -> frozenset[str] | None:
    """The longest word of a glob that has nothing beside it which could be part of a longer one."""
    if OPEN.search(glob):
        return None
    words = [each for each in WORD.findall(glob) if each != "new"]
    return frozenset((max(words, key=len),)) if words else None


def _of_syntax(rule: object) -> frozenset[str] | None:
    """The words of an ast-grep rule: of its pattern, of one of its `all`, or of every one of its `any`."""
    if not isinstance(rule, Mapping):
        return None
    given = cast("Mapping[str, Any]", rule)
    pattern = given.get("pattern")
    if isinstance(pattern, str) and (words := WORD.findall(NOT_LITERAL.sub(" ", pattern))):
        return frozenset((max(words, key=len),))
    for part in _listed(given.get("all")):
        if needed := _of_syntax(part):
            return needed
    ways = _listed(given.get("any"))
    return _one_of([_of_syntax(each) for each in ways]) if ways else None


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
