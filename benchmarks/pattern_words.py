"""The baseline of `benchmarks.patterns`: a search that looks for the words of each rule, wherever they stand."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from benchmarks.pattern_snippets import Mark, Snippet, document_text
from fieldguide.toolsets.architecture.rules.declared_rules import read_structure

EXPRESSIONS = ("regex", "forbid-text", "require-text")


def by_words(snippet: Snippet) -> set[Mark]:
    """What a search finds that looks for the words of each rule, wherever they stand."""
    found: set[Mark] = set()
    lines = snippet.code.splitlines()
    for rule in _worded_rules(snippet.document):
        if rule.languages and snippet.language not in rule.languages:
            continue
        places = {(rule.name, number) for number, line in enumerate(lines, start=1) if rule.is_in(line)}
        found |= (set() if places else {(rule.name, 1)}) if rule.is_required else places
    return found


class WordedRule(NamedTuple):
    """A rule as a search for words sees it."""

    name: str
    words: tuple[str, ...]
    expressions: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    is_required: bool = False

    def is_in(self, line: str) -> bool:
        return any(word in line for word in self.words) or any(re.search(each, line) for each in self.expressions)


@cache
def _worded_rules(document: str) -> list[WordedRule]:
    return list(_declared_words(document_text(document)))


def _declared_words(text: str) -> Iterator[WordedRule]:
    """The globs of each rule without their stars, its patterns without their variables, its regular expressions."""
    front = yaml.safe_load(text.split("---\n")[1])
    for rule in front["rules"]:
        check = next(key for key in rule if re.match(r"(forbid|require)-|naming$|structure$|ast-grep$", key))
        leaves = list(_leaves(_structured(rule[check]) if check == "structure" else rule[check], check))
        words = [_literal(value) for key, value in leaves if key not in (*EXPRESSIONS, "kind")]
        expressions = [_anywhere(value) for key, value in leaves if key in EXPRESSIONS]
        languages = tuple(rule.get("languages") or front.get("languages") or ())
        wanted = tuple(word for word in words if len(word) > 2)
        yield WordedRule(rule["id"], wanted, tuple(expressions), languages, check.startswith("require"))


def _structured(name: str) -> list[Any]:
    """What the rules of a structure say."""
    return [dict(each) for each in read_structure(name).check.by_language.values()]


def _anywhere(expression: str) -> str:
    """An expression for a piece of syntax, to be found anywhere in a line."""
    return re.sub(r"^(\(\?i\))?\^|(?<!\\)\$$", r"\1", expression)


def _leaves(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, key)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, name)


def _literal(glob: str) -> str:
    """The longest piece of a glob or a pattern that stands for itself."""
    return max(re.split(r"\*+|\$+[A-Z_]*|\[[^\]]*\]|\{[^}]*\}|[(),;]", glob), key=len).strip()
