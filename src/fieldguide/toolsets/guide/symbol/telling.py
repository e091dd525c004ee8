"""A symbol as an answer: its definition, then its uses by group and file, as many as the budget allows."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.tokenizer import count
from fieldguide.spine.contract import Answer, compact_json
from fieldguide.spine.foreign_text.hidden_text import hidden_text_warnings
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.layout import in_one_line, named, shown
from fieldguide.toolsets.guide.symbol.uses import HEADINGS, IMPORTS, Use, in_turn

BODY_SHARE = 3  # the lines of a definition take up to this part of a budget
PERCENT = 100


class Told(NamedTuple):
    """Everything that is known of a name: its definitions, their uses, and what else is to be said."""

    definitions: Sequence[Item]
    uses: Sequence[Use]
    notes: Sequence[str] = ()


def packed(found: Told, budget: int) -> Answer:
    """The answer with as many uses as fit; the text and the value by themselves have at most so many tokens."""
    pack = Pack(found._replace(definitions=[*_afforded(found.definitions, budget // BODY_SHARE)]))
    if pack.size(0) > budget:
        pack = Pack(found._replace(definitions=[*_cited_within(found.definitions, budget)], notes=found.notes[:1]))
    low, high = 0, len(found.uses)
    while low < high:
        middle = (low + high + 1) // 2
        if pack.size(middle) <= budget:
            low = middle
        else:
            high = middle - 1
    return pack.answer(low)


class Pack:
    """Answers with more or fewer of the uses."""

    def __init__(self, found: Told) -> None:
        self._found = found
        self._order = in_turn(found.uses)

    def size(self, number: int) -> int:
        """How many tokens an answer with so many uses has, as text or as a value, whichever is more."""
        answer = self.answer(number)
        return max(count(answer.text), count(compact_json(answer.value)))

    def answer(self, number: int) -> Answer:
        """The answer with the first so many uses."""
        kept, found = self._order[:number], self._found
        parts = ["# Definition" if len(found.definitions) == 1 else "# Definitions", *map(_defined, found.definitions)]
        parts += self._written(kept)
        notes = [*found.notes, *self._left_out(number)]
        warnings = hidden_text_warnings([item.text for item in found.definitions] + [use.text for use in kept])
        value: dict[str, Any] = {"items": [item.told() for item in found.definitions], "uses": [*_values(kept)]}
        value |= {"notes": notes} if notes else {}
        return Answer(without_secret_values("\n".join([*parts, *warnings, *map(in_one_line, notes)])), value)

    def _written(self, kept: Sequence[Use]) -> Iterator[str]:
        for group, heading in HEADINGS.items():
            told = sorted((use for use in kept if use.group == group), key=lambda use: (use.path, use.line))
            if told:
                total = sum(use.group == group for use in self._found.uses)
                yield f"# {heading} ({total})" if total == len(told) else f"# {heading} ({len(told)} of {total})"
                yield from _lines(told)

    def _left_out(self, number: int) -> list[str]:
        left = len(self._order) - number
        return [f"{left} more uses fit a larger budget."] if left else []


def _lines(uses: Sequence[Use]) -> Iterator[str]:
    """Uses by their files: several of one file below its path."""
    for path, group in groupby(uses, key=lambda use: use.path):
        told = [_line(use) for use in group]
        yield f"{in_one_line(path)} {told[0]}" if len(told) == 1 else in_one_line(path)
        if len(told) > 1:
            yield from (f"  {line}" for line in told)


def _line(use: Use) -> str:
    text = "" if use.group == IMPORTS else in_one_line(use.text)
    within = f" {in_one_line(use.within)}{':' if text else ''}" if use.within else ""
    unsure = "" if use.confidence >= 1.0 else f" ({round(use.confidence * PERCENT)} %)"
    return f"L{use.line}{within}{f' {text}' if text else ''}{unsure}"


def _values(uses: Sequence[Use]) -> Iterator[dict[str, Any]]:
    order = {group: place for place, group in enumerate(HEADINGS)}
    ordered = sorted(uses, key=lambda use: (order[use.group], use.path, use.line))
    for (group, path), some in groupby(ordered, key=lambda use: (use.group, use.path)):
        yield {"group": group, "path": path, "lines": [use.told() for use in some]}


def _defined(item: Item) -> str:
    return shown(item).rstrip("\n") if item.text else f"{named(item)}: {in_one_line(item.why)}"


def _afforded(items: Sequence[Item], room: int) -> Iterator[Item]:
    """The definitions, each with as many of its first lines as it may take."""
    each_room = room // max(1, len(items))
    for item in items:
        lines = item.text.split("\n")
        while lines and count("\n".join(lines)) > each_room:
            lines = lines[: len(lines) // 2]
        yield item._replace(text="\n".join(lines))


def _cited_within(items: Sequence[Item], budget: int) -> Iterator[Item]:
    """As many definitions as can be cited."""
    left = budget * 3 // 4
    for item in items:
        bare = item._replace(text="", why=item.why[:100])
        left -= count(compact_json(bare.told()))
        if left < 0:
            return
        yield bare
