"""How much of what a task says stands in a text: each stem counts, the rarer the more."""

from collections.abc import Mapping
from functools import cached_property

from fieldguide.search.words import plain_words
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText, word_stems

TELLING = 4  # stems: a text that says as much as the four rarest says all


class Weighed:
    """A task, and how much each of its stems says."""

    def __init__(self, task: TaskText, stems: Mapping[str, float]) -> None:
        self.task = task
        self.stems = stems

    @cached_property
    def most(self) -> float:
        """How much a text can say."""
        return sum(sorted(self.stems.values(), reverse=True)[:TELLING]) or 1.0

    def said(self, text: str) -> float:
        """How much a text says, 1 where it says as much as the rarest stems do."""
        told = {stem for word in set(plain_words(text)) for stem in word_stems(word)}
        return sum(self.stems[stem] for stem in self.stems if stem in told) / self.most

    def names_in(self, text: str) -> int:
        """How many of the task's names a text holds."""
        lowered = text.lower()
        return sum(name in lowered for name in self.task.lowered_names)
