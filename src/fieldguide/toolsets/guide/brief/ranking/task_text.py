"""A task as it is looked for: its first line says most, and what it writes as code writes names is meant."""

from collections.abc import Iterable
from functools import cached_property, lru_cache

from fieldguide import linear_regex as re
from fieldguide.search.words import PART, STOP_WORDS, has_hump, plain_words

LONGEST_SUBJECT = 300
LONGEST_TASK = 4_000
NAME = re.compile(r"[A-Za-z_$][\w$]*")
WRITTEN = re.compile(r"`([^`\s]+)`|([\w$]*[a-z][A-Z][\w$]*|\w+_\w+|[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+|\w+\(\))")
LEAST_NAME = 3
LEAST_STEM = 4
ENDINGS = ("ing", "ies", "ed", "es", "s")
# fmt: off
EVERYDAY = STOP_WORDS | frozenset((
    "add", "added", "adding", "adds", "also", "change", "changed", "changes", "chore", "feat", "fix", "fixed", "fixes",
    "fixing", "make", "makes", "new", "now", "only", "refactor", "remove", "removed", "removes", "see", "update",
    "updated", "updates", "used", "uses",
))
# fmt: on


class TaskText:
    """What a task says, taken apart once."""

    def __init__(self, task: str) -> None:
        self.whole = task[:LONGEST_TASK].strip()
        self.subject = self.whole.partition("\n")[0][:LONGEST_SUBJECT]

    @cached_property
    def names(self) -> frozenset[str]:
        """The identifiers that the task writes, without the dots and colons between them."""
        written = (first or second for first, second in WRITTEN.findall(self.whole))
        return frozenset(name for each in written for name in NAME.findall(each) if len(name) >= LEAST_NAME)

    @cached_property
    def lowered_names(self) -> frozenset[str]:
        """The identifiers, whatever their capitals."""
        return frozenset(name.lower() for name in self.names)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that say something, lower case."""
        return frozenset(word.lower() for word in plain_words(self.whole)) - EVERYDAY

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all that say something."""
        return stems_of(self.whole)

    @cached_property
    def subject_stems(self) -> frozenset[str]:
        """The stems of the first line."""
        return stems_of(self.subject)


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words, identifiers taken apart, without those of everyday words."""
    return _told(plain_words(text))


def _told(words: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for word in words:
        found.update(word_stems(word))
    return frozenset(found)


@lru_cache(maxsize=50_000)
def word_stems(word: str) -> tuple[str, ...]:
    """The stems of the parts of a word; none where it says nothing."""
    parts = PART.findall(word) if has_hump(word) else [word]
    lowered = [part.lower() for part in parts if len(part) > 1]
    return tuple(stem(part) for part in lowered if part not in EVERYDAY)


def stem(word: str) -> str:
    """The beginning of a word that its other forms share."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word[: -len(ending)]
    return word
