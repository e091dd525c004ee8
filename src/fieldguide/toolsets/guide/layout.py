"""Items as a text that a model reads from the top: a heading for each kind, what is shown before what is only cited."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from fieldguide.spine.foreign_text import visible_text
from fieldguide.spine.foreign_text.hidden_text import hidden_text_warnings
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
    warnings = hidden_text_warnings(item.text for item in items)
    return "\n".join([*parts, *warnings, *filter(None, notes)])


def shown(item: Item) -> str:
    """An item with its lines."""
    return f"{named(item)}: {in_one_line(item.why)}\n{item.text}\n"


def named(item: Item) -> str:
    """The citation of an item, the name of what it is a part of, and what in it is stale."""
    stale = f"[stale: {item.stale}]" if item.stale else ""
    return in_one_line(" ".join(filter(None, (item.citation, item.symbol, stale))))


def in_one_line(text: str) -> str:
    """Foreign words on a line of ours: a file may be called so that its name reads like our own headings."""
    return text if text.isprintable() else visible_text.shown(text)


def _cited(items: Iterable[Item]) -> list[str]:
    """Items without their lines: those that are told for the same reason stand below it."""
    parts: list[str] = []
    for why, group in groupby(items, key=lambda item: item.why):
        together = [named(item) for item in group]
        told = in_one_line(why)
        parts += [f"{told}:", *together] if together[1:] else [f"{together[0]}: {told}"]
    return parts
