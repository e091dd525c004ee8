"""Code as agents hand it over: in a fence, indented, without its opening tag; made readable with its lines kept."""

from textwrap import dedent
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.lines import split_lines

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\r\n`]*")
BYTE_ORDER_MARK = "\ufeff"
HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*|@@(?: .*)?")
DIFF_HEADER = re.compile(
    r"(?:diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ |new file mode |deleted file mode |@@|\\ No newline)"
)
WORDS = re.compile(r"[A-Z][\w'’,/-]*(?: [\w'’,/`.()-]+){1,30}[.:!]?")
MOST_INTRODUCTION = 5


class Snippet(NamedTuple):
    """The code itself, and the language that its fence names."""

    text: str
    language: str | None = None


def unwrap(code: str) -> Snippet:
    """A text with a fence behind a few words is what stands in its fences, a diff what it leaves.

    Every line keeps its number.
    """
    lines = split_lines(code.removeprefix(BYTE_ORDER_MARK))
    opening = _opening(lines)
    language = opening.group(2) if opening else None
    kept = _inside_fences(lines, opening.group(1)) if opening else lines
    if language == "diff" or any(HUNK.fullmatch(line.rstrip()) for line in kept):
        return Snippet("".join(map(_left_by_diff, kept)), None if language == "diff" else language or None)
    return Snippet("".join(kept), language or None)


def _opening(lines: list[str]) -> re.Match[str] | None:
    """The first fence, when nothing but a few sentences stands before it."""
    said = [line.strip() for line in lines if line.strip()][: MOST_INTRODUCTION + 1]
    for line in said:
        opening = FENCE.fullmatch(line)
        if opening or not WORDS.fullmatch(line):
            return opening
    return None


def _left_by_diff(line: str) -> str:
    """A line as a diff leaves it: what it takes away, and what it says of itself, is empty."""
    end = line[len(line.rstrip("\r\n")) :]
    if line.startswith("-") or DIFF_HEADER.match(line):
        return end
    return f" {line[1:]}" if line.startswith("+") else line


def prepared(text: str, language: str | None) -> str:
    """A text as its parser wants it."""
    if language == "php" and "<?" not in text:
        return f"<?php {text}"
    first = next((line for line in split_lines(text) if line.strip()), "")
    return dedent(text) if language == "python" and first[:1] in " \t" else text


def _inside_fences(lines: list[str], fence: str) -> list[str]:
    kept: list[str] = []
    is_inside = False
    for line in lines:
        if line.strip().startswith(fence) and (not is_inside or not line.strip().strip(fence[0])):
            is_inside = not is_inside
            kept.append(line[len(line.rstrip("\r\n")) :] or "\n")
        else:
            kept.append(line if is_inside else line[len(line.rstrip("\r\n")) :])
    return kept
