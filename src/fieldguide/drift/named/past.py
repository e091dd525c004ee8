"""Which lines of a document tell of the past on purpose: release notes, changes, what was removed, old versions."""

import posixpath
from collections.abc import Iterator, Sequence

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import Heading, ReadDocument

VERSION = re.compile(
    r"(?i)^\W*(?:[\w .-]{0,30}\s)?(?:v|version |release |rel-?)?\d+\.(?:\d+|x)(?:[.\w+-]*)\W*(?:$|[\s(\-–—:])"
)
DATE = re.compile(
    r"(?i)\b(?:19|20)\d\d[-./](?:0?[1-9]|1[0-2])(?:[-./]\d{1,2})?\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?:\d{1,2},? )?(?:19|20)\d\d\b"
)
UNRELEASED = re.compile(r"(?i)^\W*(?:unreleased|next release|upcoming|in development)\b")
CHANGES = re.compile(
    r"(?i)(?:^|[-_.])(?:change-?_?logs?|changes|histor(?:y|ical)|news|releases?|release-?_?notes?|relnotes|what-?s-?_?new|whatsnew"
    r"|migrat(?:e|ion|ing)(?:[-_]guide)?|upgrad(?:e|ing)(?:[-_]guide)?|updating|porting|breaking(?:-?_?changes)?"
    r"|deprecat(?:ed|ions?)|removed|removals?|announce(?:ments?)?|proposals?|blog|archived?|attic|obsolete|old|legacy|versioned_docs)"
    r"(?:$|[-_.])"
)
OF_VERSION = re.compile(
    r"(?i)^(?:v|version[-_]?|release[-_]?|to[-_]?|from[-_]?)?\d+(?:[._]\d+)+(?:[._-]?\w{1,8})?$"
    r"|^(?:v|version[-_]?)\d+(?:\.x)?$|[-_]v\d+(?:[._]\d+)*$"
)
DATED_NAME = re.compile(r"^(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])?(?:[-_.]|$)")
SERIAL_NAME = re.compile(r"^(?:[A-Za-z]{1,8}[-_]?)?\d{3,}(?:[-_.]|$)")  # a proposal or a decision, one of a series
SUPERSEDED = re.compile(
    r"(?i)^[\s*_#>-]*status[*_\s:]+.*\b(?:superseded|deprecated|rejected|replaced|withdrawn|obsolete|abandoned)\b"
)
NOW, DOOMED, PAST = range(3)
"""How a line tells of what it names: as what is, as what is going to go, or as what was."""
DOOMS = re.compile(r"(?i)\bdeprecat(?:e|ed|es|ion)\b")
TELLS = re.compile(
    r"(?i)\b(?:removed|renamed|replaced (?:by|with)|superseded|formerly|previously|no longer"
    r"|any ?more|used to be|legacy|obsolete|dropped|was called|prior to|(?:before|until|since) (?:version )?v?\d"
    r"|versions? (?:before|below|lower|<)|historically|moved to|discontinued|in favou?r of"
    r"|old (?:name|version|way|api))\b"
)
TITLED = re.compile(
    r"(?i)\b(?:previous|old|older|former|before|earlier|legacy|past|removals?|removing|migrat\w+|upgrad\w+)\b"
)
OF_CHANGE = re.compile(
    r"^(\s*)\.\. (?:versionchanged|versionadded|versionremoved|deprecated|deprecated-removed|change)::"
)
NEAR = 3  # lines of a paragraph before and after one that tells of removal
MOST_STATUS_LINES = 40
SHARE_OF_VERSIONS = 0.5
LONGEST_LINE = 2_000


def told_lines(path: str, document: ReadDocument) -> Sequence[int]:
    """For each line how it tells of what it names: what was may be gone on purpose."""
    count = len(document.lines)
    if is_past_place(path) or _is_superseded(document.lines) or _is_by_version(document.headings):
        return [PAST] * count
    found = [NOW] * (count + 1)
    lines = document.searched_lines
    for told, pattern in ((DOOMED, DOOMS), (PAST, TELLS)):
        for at, line in enumerate(lines):
            if found[at] < told and "fieldguide:" not in line and pattern.search(line[:LONGEST_LINE]):
                first, last = _paragraph(lines, at)
                found[first:last] = [told] * (last - first)
    for start, end in (*_past_sections(document, count), *_directives(lines)):
        found[start:end] = [PAST] * (end - start)
    return found


def _paragraph(lines: Sequence[str], at: int) -> tuple[int, int]:
    """The lines around one up to blank ones, so many at most."""
    first = last = at
    while first > max(at - NEAR, 0) and lines[first - 1].strip():
        first -= 1
    while last + 1 < min(at + NEAR + 1, len(lines)) and lines[last + 1].strip():
        last += 1
    return first, last + 1


def _directives(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """What is indented below `.. versionchanged::` and its like."""
    at, count = 0, len(lines)
    while at < count:
        match = OF_CHANGE.match(lines[at][:LONGEST_LINE])
        if match is None:
            at += 1
            continue
        start, indent = at, len(match.group(1))
        at += 1
        while at < count and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
            at += 1
        yield start, at


def is_past_place(path: str) -> bool:
    """Whether a path says that what lies there is of one time: notes of a release, a dated post, an old version."""
    *folders, name = path.split("/")
    stem = posixpath.splitext(name)[0]
    parts = [*folders, stem]
    return any(CHANGES.search(each) or OF_VERSION.search(each) for each in parts) or bool(
        DATED_NAME.match(stem) or SERIAL_NAME.match(stem)
    )


def _is_superseded(lines: Sequence[str]) -> bool:
    return any(SUPERSEDED.search(line[:LONGEST_LINE]) for line in lines[:MOST_STATUS_LINES])


def _is_by_version(headings: Sequence[Heading]) -> bool:
    """Whether the headings of one level are mostly versions or dates."""
    for level in (1, 2, 3):
        of_level = [each for each in headings if each.level == level]
        told = sum(_is_of_past(each.text) for each in of_level)
        if told > 1 and told >= SHARE_OF_VERSIONS * len(of_level):
            return True
    return False


def _is_of_past(title: str) -> bool:
    return bool(
        VERSION.match(title) or DATE.search(title) or UNRELEASED.match(title) or CHANGES.search(title.replace(" ", "-"))
    )


def _past_sections(document: ReadDocument, count: int) -> Iterator[tuple[int, int]]:
    """The lines of each section whose heading is a version, a date, or says that it tells of removals."""
    headings = document.headings
    open_until: list[tuple[int, int]] = []
    for place, heading in enumerate(headings):
        if not (
            _is_of_past(heading.text)
            or DOOMS.search(heading.text)
            or TELLS.search(heading.text)
            or TITLED.search(heading.text)
        ):
            continue
        end = next((each.line - 1 for each in headings[place + 1 : place + 200] if each.level <= heading.level), count)
        if not open_until or heading.line - 1 >= open_until[-1][1]:
            open_until.append((heading.line - 1, end))
    yield from open_until
