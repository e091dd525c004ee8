"""Items as a text that a model reads from the top: a heading for each kind, what is shown before what is only cited."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, FINDING, PATTERN, SPEC, TASK, TEST, Item

HEADINGS = {
    CODE: "Code",
    TEST: "Tests",
    DOCUMENT: "Documents",
    DECISION: "Decisions",
    PATTERN: "Rules",
    SPEC: "Specs",
    FINDING: "Findings",
    TASK: "Tasks",
}


def written(items: Sequence[Item], *notes: str) -> str:
    """The text of some items, grouped by kind, in the order of an answer; the notes come last."""
    parts: list[str] = []
    for kind, heading in HEADINGS.items():
        of_kind = [item for item in items if item.kind == kind]
        if of_kind:
            parts += [f"# {heading}", *map(shown, (item for item in of_kind if item.text))]
            parts += _cited(item for item in of_kind if not item.text)
    return "\n".join([*parts, *filter(None, notes)])


def shown(item: Item) -> str:
    """An item with its lines."""
    return f"{named(item)}: {item.why}\n{item.text}\n"


def named(item: Item) -> str:
    """The citation of an item, and the name of what it is a part of."""
    return f"{item.citation} {item.symbol}" if item.symbol else item.citation


def _cited(items: Iterable[Item]) -> list[str]:
    """Items without their lines: those that are told for the same reason stand below it."""
    parts: list[str] = []
    for why, group in groupby(items, key=lambda item: item.why):
        together = [named(item) for item in group]
        parts += [f"{why}:", *together] if together[1:] else [f"{together[0]}: {why}"]
    return parts
