"""The lines around matches, each told once: what one match shows, its neighbour does not repeat."""

import json
from collections.abc import Sequence
from typing import Any

from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.document_formats.lines import readable_text, split_lines
from fieldguide.spine.answers.citations import cited, hash_of
from fieldguide.spine.answers.tokens import fits

Match = dict[str, Any]
LONGEST_AROUND = 200  # characters of a line around a match, where the answer would not fit otherwise


def told_once(matches: Sequence[Match]) -> list[Match]:
    """The matches, sorted by file and line, without lines that stand in another of them, in order.

    What is left of the lines before a match still ends right before it, and what is left of those after it still
    begins right after it.
    """
    told: list[Match] = []
    shown_until, file = 0, ""
    for number, match in enumerate(matches):
        line, around = match["line"], match["context"]
        shown_until = shown_until if match["file"] == file else 0
        file = match["file"]
        following = matches[number + 1] if number + 1 < len(matches) else None
        end = following["line"] if following is not None and following["file"] == file else None
        first = line - len(around["before"])
        before = around["before"][max(0, shown_until + 1 - first) :]
        after = around["after"] if end is None else around["after"][: max(0, end - line - 1)]
        shown_until = line + len(after)
        told.append({**match, "context": {"before": before, "after": after}})
    return told


def with_citations(matches: Sequence[Match], content: bytes) -> list[Match]:
    """The matches in one file, each with its citation.

    ripgrep's lines end with a line feed, ours (as an editor's) also with a lone carriage return.
    """
    lines = ByteLines(content)
    text = readable_text(content) if b"\r" in content else ""
    if text.count("\r") == text.count("\r\n"):
        return [{**match, "citation": _cited(match, lines, match["line"], match["line"])} for match in matches]
    split = split_lines(text)
    ends: list[int] = [0, *(number for number, line in enumerate(split, 1) if line.endswith("\n")), len(split)]
    told: list[Match] = []
    for match in matches:
        number = int(match["line"])
        place = (ends[number - 1] + 1, ends[number]) if number < len(ends) else (1, max(len(lines), 1))
        told.append({**match, "citation": _cited(match, lines, *place)})
    return told


def _cited(match: Match, lines: ByteLines, start_line: int, end_line: int) -> str:
    return cited(match["file"], start_line, end_line, hash_of(lines.between(start_line, end_line)))


def fitted_context(matches: list[Match], most: int) -> list[Match]:
    """The matches; where they would not fit, with the long lines around them cut."""
    if fits(json.dumps(matches, ensure_ascii=False, indent=2), most):
        return matches
    return [
        {**match, "context": {side: [_cut(line) for line in lines] for side, lines in match["context"].items()}}
        for match in matches
    ]


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_AROUND else f"{line[:LONGEST_AROUND]}…"
