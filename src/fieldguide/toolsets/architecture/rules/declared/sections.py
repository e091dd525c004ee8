"""The headings of a document, as rules point to them: by their text, their anchor or their line."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import Heading
from fieldguide.document_formats.markdown import without_attributes

NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
MARKUP = re.compile(r"[`*_\[\]]|\([^)\s]{0,300}\)")


class Outline(NamedTuple):
    """The headings in their order, and the number of lines."""

    headings: Sequence[Heading]
    lines: int

    def line_of(self, place: object) -> int | None:
        """The line of a heading, or that line itself; None when the document has no such place."""
        if isinstance(place, int):
            return place if 1 <= place <= max(1, self.lines) else None
        wanted = str(place).strip().lstrip("#").strip()
        for simplify in (_plain, anchor):
            for heading in self.headings:
                if simplify(heading.text) == simplify(wanted):
                    return heading.line
        return None

    def section_lines(self, line: int) -> range | None:
        """The lines of the section whose heading stands on a line: up to the next heading as high as it."""
        for number, heading in enumerate(self.headings):
            if heading.line == line:
                below = (each.line for each in self.headings[number + 1 :] if each.level <= heading.level)
                return range(line, next(below, self.lines + 1))
        return None


def anchor(heading: str) -> str:
    """The anchor that a heading has on most sites: `Keep SQL in one place` is `keep-sql-in-one-place`."""
    return NOT_IN_ANCHOR.sub("", _plain(heading)).strip().replace(" ", "-")


def _plain(heading: str) -> str:
    return " ".join(MARKUP.sub("", without_attributes(heading)).casefold().split())
