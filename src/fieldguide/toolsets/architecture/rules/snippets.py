"""Code as agents hand it over: in a fence, indented, without its opening tag; made readable with its lines kept."""

import re
from textwrap import dedent
from typing import NamedTuple

from fieldguide.search.lines import split_lines

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\r\n`]*")
BYTE_ORDER_MARK = "\ufeff"


class Snippet(NamedTuple):
    """The code itself, and the language that its fence names."""

    text: str
    language: str | None = None


def unwrap(code: str) -> Snippet:
    """A text that begins with a fence is what stands in its fences; every line keeps its number."""
    lines = split_lines(code.removeprefix(BYTE_ORDER_MARK))
    first = next((line for line in lines if line.strip()), "")
    opening = FENCE.fullmatch(first.rstrip())
    if opening is None:
        return Snippet("".join(lines))
    return Snippet("".join(_inside_fences(lines, opening.group(1))), opening.group(2) or None)


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
