"""Which files a question is likely about, told before any of them is indexed: by their names, and by their words.

Every file is looked at once, for as long as there is time; nothing is kept.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from time import monotonic
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.syncing import Entry, newest_first
from fieldguide.search.words import query_terms

MOST_LIKELY = 40
MOST_WORDS = 12
SHORTEST_WORD = 2
IN_NAME = 1.5  # a word in a file's name counts for more than once in its text
ENDINGS = re.compile(r"^(.*?\w{3})(?:ations?|ating|ated|ate|ings?|ed|es|e|s|ly)$")


class Looked(NamedTuple):
    """A file, how often each of the words stands in it, which stand in its name, and how long it is."""

    entry: Entry
    counts: Sequence[int]
    named: Sequence[bool]
    size: int


def likely(entries: Sequence[Entry], question: str, until: float, most: int = MOST_LIKELY) -> list[Entry]:
    """The files that hold most of what a question asks for, best first; `until` is when to stop looking."""
    words = words_of(question)
    if not words or not entries:
        return []
    looked = [*_looked(entries, words, until)]
    weights = _weights(looked, len(words))
    usual = sum(each.size for each in looked) / max(len(looked), 1) or 1.0
    scored = [(_score(each, weights, usual), -place, each.entry) for place, each in enumerate(looked)]
    return [entry for score, _, entry in nlargest(most, scored) if score > 0]


def likely_names(names: Iterable[str], question: str) -> list[str]:
    """The names that hold a word of a question, those with most of them first."""
    words = words_of(question)
    scored = [(sum(word in name.lower() for word in words), name) for name in names]
    return [name for score, name in sorted(scored, key=lambda each: -each[0]) if score]


def words_of(question: str) -> list[str]:
    """What to look for in files: the beginnings of the question's words, whatever they end with."""
    words = (word for term in query_terms(question) for word in term.split() if len(word) >= SHORTEST_WORD)
    return [*dict.fromkeys(ENDINGS.sub(r"\1", word) for word in words)][:MOST_WORDS]


def _looked(entries: Sequence[Entry], words: Sequence[str], until: float) -> Iterator[Looked]:
    """The files with what is in them: those whose names tell first, then the newest, until the time is up."""
    named = {entry.name: [word in entry.name.lower() for word in words] for entry in entries}
    ordered = sorted(newest_first(entries), key=lambda entry: -sum(named[entry.name]))
    sought = [word.encode() for word in words]
    is_plain = all(map(str.isascii, words))
    for entry in ordered:
        is_late = monotonic() > until
        if is_late and not any(named[entry.name]):
            return
        content = None if is_late else entry.read()
        lowered = _lowered(content or b"", is_plain=is_plain)
        yield Looked(entry, [lowered.count(word) for word in sought], named[entry.name], len(lowered))


def _lowered(content: bytes, *, is_plain: bool) -> bytes:
    if is_plain:
        return content.lower()
    return content.decode("utf-8", errors="replace").lower().encode()


def _weights(looked: Sequence[Looked], words: int) -> list[float]:
    """How much each word tells: the fewer files hold it, the more."""
    holding = [sum(bool(each.counts[word]) for each in looked) for word in range(words)]
    return [math.log(1 + (len(looked) - held + 0.5) / (held + 0.5)) for held in holding]


def _score(looked: Looked, weights: Sequence[float], usual: float) -> float:
    room = 0.5 + 1.0 * looked.size / usual
    in_text = sum(weight * count / (count + room) for weight, count in zip(weights, looked.counts, strict=True))
    in_name = sum(weight for weight, is_named in zip(weights, looked.named, strict=True) if is_named)
    return in_text + IN_NAME * in_name
