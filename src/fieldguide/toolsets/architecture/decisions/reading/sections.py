"""The sections of a record and what each is for, told by its heading or by where it stands.

A line in bold that stands alone is a heading too, if it says what one says; many records have no other. So are
"**Decision**: …", "Decision: …" and a row `| Decision | … |`, where no heading says "Decision".
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import Heading, ReadDocument
from fieldguide.toolsets.architecture.decisions.reading.record import Passage
from fieldguide.toolsets.architecture.decisions.reading.vocabulary import Kind, kind_of

BOLD_LINE = re.compile(r"\s*(?:\*\*|__)([^*_]{3,60}?)(?:\*\*|__)\s*:?\s*")
LABEL = re.compile(r"[\s|*_+-]*([A-Za-z][A-Za-z &/-]{2,40}?)[*_]{0,2}\s*[:|][*_]{0,2}(?:\s+|$)")
LABELLED: tuple[Kind, ...] = ("context", "decision", "consequences", "options", "discarded")
PSEUDO_LEVEL = 6


class Chapter(NamedTuple):
    """The text below one heading, up to the next that is as high or that has a purpose of its own."""

    kind: Kind
    heading: Heading
    passage: Passage


def sections_of(document: ReadDocument, lines: Sequence[str], first: int) -> list[Chapter]:
    """The sections in their order; `lines` is what is seen of them, `first` the lines of front matter to pass over."""
    headings, labels = _all_headings(document, lines, first)
    kinds = _with_guess(headings, [kind_of(heading.text) for heading in headings])
    heights = {block.start + 1: block.end - block.start for block in document.blocks if block.heading is not None}
    found: list[Chapter] = []
    for number, heading in enumerate(headings):
        start = heading.line + (0 if heading.line in labels else heights.get(heading.line, 1))
        passage = passage_of(lines, start, _end(headings, kinds, number, len(lines)))
        if heading.line in labels:
            passage = passage._replace(text=LABEL.sub("", passage.text, count=1).rstrip(" |"))
        found.append(Chapter(kinds[number], heading, passage))
    return found


def passage_of(lines: Sequence[str], start: int, end: int) -> Passage:
    """The lines from `start` (counted from 1) to before `end`, without blank ones around them."""
    while start < end and not lines[start - 1].strip():
        start += 1
    while end > start and not lines[end - 2].strip():
        end -= 1
    return Passage("\n".join(lines[start - 1 : end - 1]), start, max(start, end - 1))


def _all_headings(document: ReadDocument, lines: Sequence[str], first: int) -> tuple[list[Heading], set[int]]:
    """Every heading in its order, and the lines of those that are only labels before the text itself."""
    found = [heading for heading in document.headings if heading.line > first]
    known = {heading.line for heading in found}
    found += [heading for heading in _bold_headings(lines, first) if heading.line not in known]
    labels: list[Heading] = []
    if not any(kind_of(heading.text) == "decision" for heading in found):
        known = {heading.line for heading in found}
        labels = [heading for heading in _labels(lines, first) if heading.line not in known]
    return sorted([*found, *labels], key=lambda heading: heading.line), {heading.line for heading in labels}


def _bold_headings(lines: Sequence[str], first: int) -> Iterator[Heading]:
    for number, line in enumerate(lines[first:], start=first + 1):
        match = BOLD_LINE.fullmatch(line) if "**" in line or "__" in line else None
        if match and kind_of(match.group(1)) != "other":
            yield Heading(PSEUDO_LEVEL, match.group(1), number)


def _labels(lines: Sequence[str], first: int) -> list[Heading]:
    """The lines that open with a purpose and go on with the text; none unless one of them is the decision."""
    found = [
        (kind, Heading(PSEUDO_LEVEL, match.group(1), number))
        for number, line in enumerate(lines[first:], start=first + 1)
        if (match := LABEL.match(line)) and (kind := kind_of(match.group(1))) in LABELLED
    ]
    return [heading for _, heading in found] if any(kind == "decision" for kind, _ in found) else []


def _with_guess(headings: Sequence[Heading], kinds: list[Kind]) -> list[Kind]:
    """The kinds; where none is the decision, the one section between context and consequences is."""
    if "decision" in kinds or "context" not in kinds or "consequences" not in kinds:
        return kinds
    start = kinds.index("context")
    end = next((n for n in range(start, len(kinds)) if kinds[n] == "consequences"), start)
    level = headings[start].level
    between = [n for n in range(start + 1, end) if headings[n].level == level and kinds[n] in ("other", "proposal")]
    return [("decision" if between == [n] else kind) for n, kind in enumerate(kinds)]


def _end(headings: Sequence[Heading], kinds: Sequence[Kind], number: int, lines: int) -> int:
    """The line after a section; a heading with a purpose ends one with another, however deep it stands."""
    own = kinds[number]
    ending = ("decision", "status") if own == "options" else [kind for kind in PURPOSES if kind != own]
    for later in range(number + 1, len(headings)):
        if headings[later].level <= headings[number].level or kinds[later] in ending:
            return headings[later].line
    return lines + 1


PURPOSES: tuple[Kind, ...] = (
    "status", "context", "decision", "proposal", "design", "consequences", "options", "discarded",
)  # fmt: skip
