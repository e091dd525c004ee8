"""What a question names: identifiers as they are written, words that may be the parts of one, and what files are for.

The weights are few and round; they were chosen leaving one repository out at a time (docs/decisions/0031).
"""

from collections.abc import Sequence

from fieldguide import linear_regex as re
from fieldguide.search.words import PART, STOP_WORDS, has_hump
from fieldguide.source_code.roles import IMPLEMENTATION, allowed_by, asked_for

NAMED = 1.0  # the question names what a chunk defines
NAMED_ALIKE = 0.5  # but for capitals
NAMED_IN_WORDS = 0.1  # it does so in plain words that follow each other
NAMED_AROUND = 0.2  # it names what is around the chunk
MOST_NAMES = 5
NAMELESS = 0.1  # outside every definition: imports, licences
WORD = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
APART = re.compile(r"[.:#]+")


class Asked:
    """What a question names: identifiers as they are written, words that may be the parts of one, and roles."""

    def __init__(self, query: str) -> None:
        found = WORD.findall(query)
        self.words = [part.lower() for word in found for part in _parts(word)]
        self._written = _written_names([word for word in found if word.lower() not in STOP_WORDS])
        self.names = tuple(sorted(self._written))[:MOST_NAMES]
        self._lowered = {name.lower() for name in self._written}
        self._spoken = f" {' '.join(self.words)} "
        self._run_together = "".join(self.words)
        self.allowed = allowed_by(self.words)
        self.roles = asked_for(self.words)

    def is_beside(self, role: str) -> bool:
        """Whether a file of this role lies beside what is asked for."""
        return role != IMPLEMENTATION and role not in self.allowed

    def weight_of(self, names: Sequence[str]) -> float:
        """How much it counts that the question names a definition, or what is around it."""
        if not names:
            return -NAMELESS
        last = names[-1]
        is_around = any(name in self._written for name in names[:-1])
        if last in self._written:
            return NAMED + (NAMED_AROUND if is_around else 0.0)
        if is_around and last.lower() in self.words:
            return NAMED + NAMED_AROUND
        if last.lower() in self._lowered:
            return NAMED_ALIKE
        if self._is_spoken(last):
            return NAMED_IN_WORDS
        return NAMED_AROUND if is_around else 0.0

    def _is_spoken(self, name: str) -> bool:
        """Whether the parts of a name follow each other in the question; most names are told by the first look."""
        if name.replace("_", "").lower() not in self._run_together:
            return False
        parts = _parts(name)
        return len(parts) > 1 and f" {' '.join(parts).lower()} " in self._spoken


def _written_names(telling: Sequence[str]) -> set[str]:
    """The words that are written as names are: as code writes them, or with a capital within the question."""
    names = {name for word in telling if _is_name(word, len(telling)) for name in APART.split(word)}
    return names | {word for word in telling[1:] if word[:1].isupper() and word.isalnum()}


def _is_name(word: str, words: int) -> bool:
    """Whether a word is written as code writes names; a question of a single word is one."""
    return words == 1 or "_" in word.strip("_") or word.startswith("_") or has_hump(word) or not word.isalnum()


def _parts(word: str) -> list[str]:
    """The parts of an identifier: `get_HTTPServer` as get, HTTP and Server."""
    return PART.findall(word) if word.isascii() else [word]
