"""What records say outside of sections: in a table that has a header, and in plain paragraphs."""

from collections.abc import Sequence

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.reading.record import Passage

RULE = re.compile(r"\s*\|?\s*:?-{2,}[\s:|-]*")
DECIDES = re.compile(
    r"\b(?:we (?:have |therefore |thus |now )?(?:decided|decide|agreed|chose|choose|will|shall)|it was decided"
    r"|decision:)",
    re.IGNORECASE,
)


def cell_below(lines: Sequence[str], number: int, name: str) -> str:
    """What stands below the column `name` of the table whose header is line `number`, counted from 1.

    A table of two columns is one of keys and values, whatever its first row is.
    """
    if "|" not in lines[number - 1] or number + 1 >= len(lines) or not RULE.fullmatch(lines[number]):
        return ""
    header, row = _cells(lines[number - 1]), _cells(lines[number + 1])
    names = [cell.strip("*_ ").lower() for cell in header]
    at = names.index(name) if name in names else -1
    is_keyed = len(names) == 2 and names[0] == name
    return row[at] if 0 <= at < len(row) and not is_keyed else ""


def from_decision(whole: Passage) -> Passage:
    """A text without sections, from the paragraph on that decides; all of it where none does."""
    lines = whole.text.splitlines()
    for at, line in enumerate(lines):
        if DECIDES.search(line) and (at == 0 or not lines[at - 1].strip()):
            return Passage("\n".join(lines[at:]), whole.first_line + at, whole.last_line)
    return whole


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
