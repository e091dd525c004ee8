"""Edits the marked section about Fieldguide in the files that agents read first."""

import os
from collections.abc import Sequence
from contextlib import suppress

from fieldguide.cli.clients.settings_files import SettingsFile, append_lines, find_newline, remove_lines
from fieldguide.text.errors import Refusal

BEGIN = "<!-- fieldguide:begin -->"
END = "<!-- fieldguide:end -->"
RULE = ".cursor/rules/fieldguide.mdc"
FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", RULE)
TO_BEGIN_WITH = "AGENTS.md"
HEAD_OF_RULE = "---\ndescription: How to use this project's field guide\nalwaysApply: true\n---\n"
PARAGRAPH = (
    "This project has a field guide: the MCP server `fieldguide`. Ask it before you guess. Begin a task with",
    "`guide_brief`; look things up with `guide_search`, and open what an answer cites with `guide_open`; ask",
    "`guide_governs` before you change a file, and `guide_symbol` where a name is defined and used; keep what you",
    "found out with `guide_record`. Cite what it tells you.",
)
SECTION = (BEGIN, *PARAGRAPH, END)


def choose_section_files(project: str, wanted: Sequence[str]) -> list[str]:
    """The files to write to: those that are named, else those that are there, else the one that most agents read."""
    if wanted:
        return [*dict.fromkeys(wanted)]
    there = [name for name in FILES if name != RULE and os.path.lexists(os.path.join(project, name))]
    if TO_BEGIN_WITH in there:
        there = [name for name in there if not _includes(project, name)]
    if os.path.isdir(os.path.join(project, os.path.dirname(RULE))):
        there.append(RULE)
    return there or [TO_BEGIN_WITH]


def _includes(project: str, name: str) -> bool:
    """Whether a file takes in all of the one that most agents read, as Claude Code lets files do."""
    with suppress(Refusal):
        content = SettingsFile(os.path.join(project, name), project, project).read() or b""
        return f"@{TO_BEGIN_WITH}".encode() in content.split()
    return False


def find_section(text: str) -> str | None:
    """The section as it stands in a text; None where there is none."""
    span = _span(text)
    return None if span is None else text[span[0] : span[1]].strip("\r\n").replace("\r\n", "\n")


def add_section(text: str, name: str) -> str:
    """The text with the section below it, or in the place of an older one."""
    span = _span(text)
    if span is None:
        return append_lines(HEAD_OF_RULE if name == RULE and not text else text, [*SECTION])
    start, end = span
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    return text[:start] + find_newline(text).join(SECTION) + ending + text[end:]


def remove_section(text: str) -> str:
    """The text without the section; of our own rule's file nothing is left."""
    span = _span(text)
    if span is None:
        return text
    left = remove_lines(text, *span)
    return "" if left == HEAD_OF_RULE else left


def _span(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    if start < 0:
        return None
    end = text.find(END, start)
    if end < 0 or text.find(BEGIN, start + 1) >= 0:
        raise Refusal(f"has {BEGIN} without its end, or twice; put it right by hand.")
    line_end = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if line_end < 0 else line_end + 1
