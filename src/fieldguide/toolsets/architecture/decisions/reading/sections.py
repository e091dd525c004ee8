"""The sections of a record and what each is for, told by its heading in the words that projects use.

A line in bold that stands alone and says "Context" or "Decision" is a heading too: many records have no other. So is
"**Decision**: …" before the text itself, where no heading says "Decision".
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import Heading, ReadDocument
from fieldguide.document_formats.markdown import without_attributes
from fieldguide.toolsets.architecture.decisions.reading.record import Passage

Kind = Literal["status", "context", "decision", "proposal", "design", "consequences", "options", "discarded", "other"]

HEADINGS: dict[str, Kind] = {
    **dict.fromkeys(("status", "state", "adr status", "decision status"), "status"),
    **dict.fromkeys(
        (
            "context", "context and problem statement", "context & problem statement", "problem", "problem statement",
            "background", "motivation", "introduction", "issue", "the problem", "context and background",
            "problem context",
            "background and context", "the issue", "context and problem", "user needs", "why",
        ),
        "context",
    ),
    **dict.fromkeys(
        (
            "decision", "decisions", "the decision", "decision outcome", "decision made", "outcome",
            "the existing decision",
            "decision statement", "final decision", "chosen option", "chosen solution", "decision and rationale",
            "resolution",
            "decision taken", "architecture decision", "what we decided", "decision outcomes", "decision result",
        ),
        "decision",
    ),
    **dict.fromkeys(
        (
            "proposal", "what's proposed", "proposed solution", "proposed decision", "solution", "recommendation",
            "conclusion",
            "our proposal", "proposed", "the proposal", "proposed change", "proposed changes", "recommended decision",
            "approach",
            "summary", "tl;dr", "proposed approach", "suggested solution", "the solution", "conclusions",
        ),
        "proposal",
    ),
    **dict.fromkeys(
        ("detailed design", "design", "design details", "specification", "implementation", "implementation details"),
        "design"
    ),
    **dict.fromkeys(
        (
            "consequences", "consequence", "impact", "implications", "positive consequences", "negative consequences",
            "impacts",
            "results", "trade-offs", "tradeoffs", "risks", "drawbacks", "benefits", "consequences and impact",
        ),
        "consequences",
    ),
    **dict.fromkeys(
        (
            "considered options", "options", "options considered", "considered alternatives",
            "pros and cons of the options",
            "the options", "options analysis", "decision options", "possible solutions", "potential solutions",
            "considerations of options",
            "solutions considered", "considered solutions", "options evaluated", "evaluated options", "proxy options",
        ),
        "options",
    ),
    **dict.fromkeys(
        (
            "alternatives", "alternatives considered", "alternative approaches", "other options considered",
            "rejected options",
            "rejected alternatives", "other options", "discarded options", "discarded alternatives",
            "alternative options",
            "other alternatives", "rationale and alternatives", "alternative", "alternative solutions",
            "other approaches considered",
            "options not chosen", "options rejected", "other considered options", "alternatives rejected",
            "what we decided against", "rejected", "discarded", "turned down",
        ),
        "discarded",
    ),
}  # fmt: skip
COMMENT = re.compile(r"<!--.*?-->")
NUMBERING = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*[.):]?\s+|[IVX]{1,4}\.\s+)")
AROUND = re.compile(r"^[^\w(]+|[^\w)?!]+$")
BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_]{3,60}?)(?:\*\*|__)\s*:?")
BOLD_LABEL = re.compile(r"\s*(?:\*\*|__)([^*_:]{3,60}?)(?::\s*(?:\*\*|__)|(?:\*\*|__)\s*:)\s*(?=\S)")
LABELLED: tuple[Kind, ...] = ("context", "decision", "consequences", "options", "discarded")
PSEUDO_LEVEL = 6
LONGEST_HEADING = 60


class Chapter(NamedTuple):
    """The text below one heading, up to the next that is as high or that has a purpose of its own."""

    kind: Kind
    heading: Heading
    passage: Passage


def sections_of(document: ReadDocument, first: int) -> list[Chapter]:
    """The sections in their order; `first` is how many lines of front matter to pass over."""
    headings = _all_headings(document, first)
    kinds: list[Kind] = [kind_of(heading.text) for heading in headings]
    found: list[Chapter] = []
    labels = {heading.line for heading in headings if BOLD_LABEL.match(document.lines[heading.line - 1])}
    heights = {block.start + 1: block.end - block.start for block in document.blocks if block.heading is not None}
    for number, heading in enumerate(headings):
        start = heading.line + (0 if heading.line in labels else heights.get(heading.line, 1))
        passage = passage_of(document, start, _end(headings, kinds, number, len(document.lines)))
        if heading.line in labels:
            passage = passage._replace(text=BOLD_LABEL.sub("", passage.text, count=1))
        found.append(Chapter(kinds[number], heading, passage))
    return found


def passage_of(document: ReadDocument, start: int, end: int) -> Passage:
    """The lines from `start` (counted from 1) to before `end`, without blank ones around them."""
    while start < end and not document.lines[start - 1].strip():
        start += 1
    while end > start and not document.lines[end - 2].strip():
        end -= 1
    return Passage(document.text_of(start - 1, end - 1), start, max(start, end - 1))


def kind_of(heading: str) -> Kind:
    """What a section is for, by its heading; `Status: Accepted` is a status too."""
    plain = plain_heading(heading)
    return HEADINGS.get(plain) or HEADINGS.get(plain.partition(":")[0].strip()) or "other"


def plain_heading(heading: str) -> str:
    """A heading in lower case without numbers, pictures, comments and marks around it."""
    if len(heading) > LONGEST_HEADING:
        return heading.lower()
    text = NUMBERING.sub("", AROUND.sub("", COMMENT.sub("", without_attributes(heading)).strip()))
    return AROUND.sub("", text).replace("’", "'").lower()


def _all_headings(document: ReadDocument, first: int) -> Sequence[Heading]:
    given = [heading for heading in document.headings if heading.line > first]
    found = [*given, *_bold_headings(document)]
    if not any(kind_of(heading.text) == "decision" for heading in found):
        found += _bold_labels(document, first)
    return sorted(found, key=lambda heading: heading.line)


def _bold_labels(document: ReadDocument, first: int) -> Iterator[Heading]:
    """The lines that open with a purpose in bold and go on with the text; none unless one of them is the decision."""
    lines = enumerate(document.lines[first:], start=first + 1)
    found = [
        Heading(PSEUDO_LEVEL, match.group(1), number) for number, line in lines if (match := BOLD_LABEL.match(line))
    ]
    kinds = [kind_of(heading.text) for heading in found]
    if "decision" in kinds:
        yield from (heading for heading, kind in zip(found, kinds, strict=True) if kind in LABELLED)


def _bold_headings(document: ReadDocument) -> Iterator[Heading]:
    for block in document.blocks:
        if block.heading is not None or block.start >= len(document.lines):
            continue
        match = BOLD_LINE.fullmatch(document.lines[block.start].strip())
        if match and kind_of(match.group(1)) != "other":
            yield Heading(PSEUDO_LEVEL, match.group(1), block.start + 1)


def _end(headings: Sequence[Heading], kinds: Sequence[Kind], number: int, lines: int) -> int:
    """The line after a section; a heading with a purpose ends one with another, however deep it stands."""
    for later in range(number + 1, len(headings)):
        has_own_purpose = kinds[later] not in ("other", kinds[number]) and kinds[number] != "options"
        if headings[later].level <= headings[number].level or has_own_purpose:
            return headings[later].line
        if kinds[number] == "options" and kinds[later] in ("decision", "status"):
            return headings[later].line
    return lines + 1
