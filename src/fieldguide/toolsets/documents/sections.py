"""Sections of a document: found by their heading, or by the path of headings when one repeats."""

from collections.abc import Sequence
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines, without_end

Outline = Sequence[tuple[int, str, int]]
PATH_MARK = " > "
MOST_SUGGESTED = 3
SHORTLIST = 50
ALIKE = 0.5
LONGEST_HEADING = 300  # characters, as the path of every section below a heading has it
OWN_ANCHOR = re.compile(r"\{#([^}\s]+)[^}]*\}\s*")
NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


class Section(NamedTuple):
    """A section: its heading, and its lines counted from 1, the last one included."""

    heading: str
    level: int
    content: str
    start_line: int
    end_line: int


def find_section(text: str, outline: Outline, wanted: str, *, include_subsections: bool) -> Section | None:
    """The first section whose heading holds the wanted text, in any case; None when none does.

    Where a heading repeats, `Install > Linux` means the `Linux` that stands below an `Install`, and `#linux-1` the
    second of that name, as in a link.
    """
    number = _find(outline, wanted)
    if number is None:
        return None
    level, heading, line = outline[number]
    lines = split_lines(text)
    deepest = level if include_subsections else 6
    following = (at for depth, _, at in outline[number + 1 :] if depth <= deepest)
    end = max(next(following, len(lines) + 1) - 1, line)  # two headings may share a line, as in a page of one line
    return Section(heading, level, without_end("".join(lines[line - 1 : end])), line, end)


def heading_paths(outline: Outline) -> list[str]:
    """The path of headings that leads to each section."""
    paths: list[str] = []
    above: dict[int, str] = {}
    for level, text, _ in outline:
        above = {depth: each for depth, each in above.items() if depth < level} | {level: text[:LONGEST_HEADING]}
        paths.append(PATH_MARK.join(above.values()))
    return paths


def _find(outline: Outline, wanted: str) -> int | None:
    folded = wanted.casefold()
    for number, (_, text, _) in enumerate(outline):
        if folded in text.casefold():
            return number
    return anchors(outline).get(folded[1:]) if wanted.startswith("#") else _find_below(outline, wanted)


def anchors(outline: Outline) -> dict[str, int]:
    """The number of each section by the anchor that links use: its own `{#name}`, or its words joined by hyphens."""
    found: dict[str, int] = {}
    times: dict[str, int] = {}
    for number, (_, text, _) in enumerate(outline):
        own = OWN_ANCHOR.fullmatch(text[max(text.rfind("{#"), 0) :])
        slug = own.group(1).casefold() if own else NOT_IN_ANCHOR.sub("", text.casefold()).strip().replace(" ", "-")
        name = slug
        while name in found:
            times[slug] = times.get(slug, 0) + 1
            name = f"{slug}-{times[slug]}"
        found[name] = number
    return found


def _find_below(outline: Outline, wanted: str) -> int | None:
    parts = [part.strip().casefold() for part in wanted.split(PATH_MARK.strip())]
    if len(parts) < 2 or not all(parts):
        return None
    above: dict[int, str] = {}
    for number, (level, text, _) in enumerate(outline):
        above = {depth: each for depth, each in above.items() if depth < level}
        if parts[-1] in text.casefold() and _are_in_order(parts[:-1], list(above.values())):
            return number
        above[level] = text.casefold()
    return None


def _are_in_order(parts: Sequence[str], headings: Sequence[str]) -> bool:
    remaining = iter(headings)
    return all(any(part in heading for heading in remaining) for part in parts)


def alike_names(wanted: str, names: Sequence[str]) -> list[str]:
    """The names that look most like the wanted one; those that hold it first."""
    folded = wanted.casefold()
    holding = [name for name in names if folded and folded in name.casefold()]
    lowered = {name.casefold(): name for name in names}
    pairs = set(pairwise(folded))  # comparing whole took most of a second for 2,500 paths, so few are compared so
    likely = nlargest(SHORTLIST, lowered, key=lambda name: len(pairs.intersection(pairwise(name))))
    close = [lowered[each] for each in get_close_matches(folded, likely, n=MOST_SUGGESTED, cutoff=ALIKE)]
    return list(dict.fromkeys([*holding[:MOST_SUGGESTED], *close]))[:MOST_SUGGESTED]
