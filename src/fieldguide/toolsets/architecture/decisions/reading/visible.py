"""What a person sees of a document's lines: no comments and no code, neither of which decides anything.

Each line keeps its place, so that what is found in it can be cited.
"""

from collections.abc import Iterable, Iterator

from fieldguide.document_formats.document import ReadDocument

FENCES = ("```", "~~~", "////")  # the last hides a comment of AsciiDoc
COMMENT_START, COMMENT_END = "<!--", "-->"


def visible_document(document: ReadDocument) -> list[str]:
    """The lines of a document without their ends; those of code and comments are empty, headings as in Markdown."""
    lines = [""] * len(document.lines)
    for block in document.blocks:
        if not block.is_code and block.heading is None:
            lines[block.start : block.end] = visible_lines(document.searched_lines[block.start : block.end])
    for heading in document.headings:
        lines[heading.line - 1] = f"{'#' * heading.level} {heading.text}"
    return lines


def visible_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines without their ends, those of fenced code and of comments empty."""
    fence = ""
    is_comment = False
    for line in lines:
        stripped = line.strip(" \t\r\n-*+>")
        if fence:
            fence = "" if stripped.startswith(fence) and not stripped.strip(fence[0]) else fence
            yield ""
        elif not is_comment and stripped.startswith(FENCES):
            fence = stripped[: len(stripped) - len(stripped.lstrip(stripped[0]))]
            yield ""
        else:
            seen, is_comment = _without_comments(line.rstrip(), is_comment=is_comment)
            yield seen


def _without_comments(line: str, *, is_comment: bool) -> tuple[str, bool]:
    """A line without what is hidden in it, and whether a comment is still open behind it; none begins in code."""
    if not is_comment and COMMENT_START not in line:
        return line, False
    seen: list[str] = []
    at = ticks = 0
    while at < len(line):
        if is_comment:
            end = line.find(COMMENT_END, at)
            is_comment, at = end < 0, len(line) if end < 0 else end + len(COMMENT_END)
            continue
        start = line.find(COMMENT_START, at)
        ticks += line.count("`", at, max(start, at))
        start = len(line) if start < 0 or ticks % 2 else start
        seen.append(line[at:start])
        is_comment, at = start < len(line), start + len(COMMENT_START)
    return "".join(seen).rstrip(), is_comment
