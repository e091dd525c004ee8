"""A pair: two texts that belong together, the kind of bond, and the source whose other pairs make hard negatives."""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from training.functions import Function, words_of
from training.snippets import Snippet
from training.wording import in_language, searched


class Pair(NamedTuple):
    """What somebody would ask, and what answers it."""

    kind: str
    source: str
    query: str
    text: str


def code_pairs(function: Function, source: str, language: str, chance: random.Random) -> Iterator[Pair]:
    """Description, two searches and name, each with the code that it belongs to."""
    kind = "python" if language == "python" else "code"
    yield Pair(f"{kind} description", source, function.description, function.code)
    yield Pair(f"{kind} search", source, searched(function.description, language, chance), function.code)
    whole = function.whole if chance.random() < 0.5 else function.code
    yield Pair(f"{kind} search", source, searched(function.description, language, chance), whole)
    name = words_of(function.name)
    if len(name.split()) > 1:
        nameless = function.code.replace(function.name, "f")
        yield Pair(f"{kind} name", source, f"{words_of(function.owner)} {name}".strip(), nameless)


def snippet_pairs(snippet: Snippet, source: str, chance: random.Random) -> Iterator[Pair]:
    """A comment with the lines below it, or a name with the function that has no other description."""
    if snippet.is_comment:
        query = searched(snippet.words, "python", chance) if chance.random() < 0.5 else snippet.words
        yield Pair("python comment", source, query, snippet.code)
    else:
        yield Pair("python name", source, in_language(snippet.words, "python", chance), snippet.code)


def without_repeats(pairs: Iterator[Pair], is_barred: Callable[[str], bool]) -> Iterator[Pair]:
    """Each pair once, none whose text or query must not be seen."""
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        key = pair.query, pair.text
        if key not in seen and not is_barred(pair.query) and not is_barred(pair.text):
            seen.add(key)
            yield pair
