"""Phrases as regular expressions: whole words, anywhere or at the beginning, and what takes them back."""

from collections.abc import Callable
from typing import NamedTuple

from fieldguide import linear_regex as re

Match = re.Match[str]


class Unless(NamedTuple):
    """Phrases that do not count where what stands around them takes them back."""

    pattern: re.Pattern[str]
    is_taken_back: Callable[[Match], bool]

    def search(self, text: str) -> Match | None:
        """The first phrase that counts."""
        return next((found for found in self.pattern.finditer(text) if not self.is_taken_back(found)), None)


Pattern = re.Pattern[str] | Unless


def any_of(*phrases: str) -> re.Pattern[str]:
    """Any of these phrases, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def begins_with(*phrases: str) -> re.Pattern[str]:
    """Any of these phrases, as whole words, at the beginning."""
    return re.compile(rf"^(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def before(found: Match) -> str:
    """What stands before a phrase, in lower case."""
    return found.string[: found.start()].lower()


def behind(found: Match) -> str:
    """What stands behind a phrase."""
    return found.string[found.end() :]
