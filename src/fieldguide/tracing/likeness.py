"""How much the path of a file is called like a title: words that many paths have tell nothing."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import log

from fieldguide import linear_regex as re

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
LEAST_WORD = 3
MOST_SHARE = 0.05  # of the paths: a word that more have is one of the project's own subject


class Likeness:
    """Weighs words by how few of a project's paths have them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(word for path in self._paths for word in set(words_of(path)))

    def of(self, title: str, path: str) -> float:
        """From 0 to 1: how much of the rarest word of a title and of what else it tells is in a path."""
        wanted = {word: self._weight(word) for word in set(words_of(title))}
        there = set(words_of(path.rpartition(".")[0]))
        most = max(wanted.values(), default=0.0)
        shared = sum(weight for word, weight in wanted.items() if word in there)
        return min(1.0, shared / most) if most else 0.0

    def _weight(self, word: str) -> float:
        """More for a rarer word; nothing for one that no path or every other path has."""
        count = self._counts[word]
        share = count / max(len(self._paths), 1)
        return log(1.0 / share) if count and share <= MOST_SHARE else 0.0


def words_of(text: str) -> Iterable[str]:
    """The words of a path or a title, without their plural."""
    found = (word.lower() for word in WORD.findall(text))
    return [word.removesuffix("s") for word in found if len(word) >= LEAST_WORD]
