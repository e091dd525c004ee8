"""A pair: two texts that belong together, the kind of bond, and the source whose other pairs make hard negatives."""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from training.functions import Function, words_of

ARTICLES = {"a", "an", "the", "this", "that", "given", "of", "is", "are"}
QUESTIONS = ("how do i {}", "how to {}", "how can i {}", "what is {}", "where is {}", "{} example", "{}?")


class Pair(NamedTuple):
    """What somebody would ask, and what answers it."""

    kind: str
    source: str
    query: str
    text: str


def asked(words: str, chance: random.Random) -> str:
    """Now and then a heading is asked as a question: a model of single words has to learn how little these weigh."""
    return chance.choice(QUESTIONS).format(words) if chance.random() < 0.2 else words


def searched(description: str, language: str, chance: random.Random) -> str:
    """The first sentence of a description as somebody types it into a search box."""
    sentence = description.split(". ")[0].rstrip(".").lower()
    words = [word for word in sentence.split() if word not in ARTICLES]
    if words and words[0].endswith("s") and len(words[0]) > 4 and not words[0].endswith("ss"):
        words[0] = words[0][:-1]  # "returns" is typed as "return"
    query = " ".join(words[:12])
    wording = chance.random()
    if wording < 0.35:
        return f"{language} {query}"
    if wording < 0.5:
        return f"how to {query} in {language}"
    return query


def code_pairs(function: Function, source: str, language: str, chance: random.Random) -> Iterator[Pair]:
    """Description, search and name, each with the code that it belongs to."""
    kind = "python" if language == "python" else "code"
    yield Pair(f"{kind} description", source, function.description, function.code)
    whole = function.whole if chance.random() < 0.5 else function.code
    yield Pair(f"{kind} search", source, searched(function.description, language, chance), whole)
    name = words_of(function.name)
    if len(name.split()) > 1:
        nameless = function.code.replace(function.name, "f")
        yield Pair(f"{kind} name", source, f"{words_of(function.owner)} {name}".strip(), nameless)


def without_repeats(pairs: Iterator[Pair], is_barred: Callable[[str], bool]) -> Iterator[Pair]:
    """Each pair once, none whose text or query must not be seen."""
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        key = pair.query, pair.text
        if key not in seen and not is_barred(pair.query) and not is_barred(pair.text):
            seen.add(key)
            yield pair
