"""The contract: every line of `tests/requirement_lines/`, and the open issue that will prove it where no test does yet.

A line there is `- S4-1: What is promised.`, and `- S4-1 (#3): What is promised.` while it waits for issue 3.
`python -m tests.requirements` prints how far each section is.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

CHAPTERS = sorted((Path(__file__).parent / "requirement_lines").glob("*.md"))
LINE = re.compile(r"- ([A-Z][0-9]?-[0-9]+)(?: \(#([0-9]+)\))?: (.+)")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of the contract; `issue` is None when a test proves it."""

    id: str
    sentence: str
    section: str
    issue: int | None = None


def assemble(chapters: Iterable[str]) -> dict[str, Requirement]:
    """All lines by id, in the order of the chapters."""
    requirements: dict[str, Requirement] = {}
    section = ""
    for line in "\n".join(chapters).splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("- "):
            found = LINE.fullmatch(line)
            if found is None:
                raise ValueError(f"This is no requirement: {line}")
            line_id, issue, sentence = found.groups()
            if line_id in requirements:
                raise ValueError(f"The requirement {line_id!r} is listed twice.")
            requirements[line_id] = Requirement(line_id, sentence, section, int(issue) if issue else None)
    return requirements


REQUIREMENTS: dict[str, Requirement] = assemble(chapter.read_text("utf-8") for chapter in CHAPTERS)


def table(requirements: Mapping[str, Requirement] = REQUIREMENTS) -> str:
    """A Markdown table: per section the number of lines, of proved lines, and of lines that wait for an issue.

    A line that waits for no issue counts as proved: `tests/test_requirements.py` fails while it is not.
    """
    sections: dict[str, list[Requirement]] = {}
    for requirement in requirements.values():
        sections.setdefault(requirement.section, []).append(requirement)
    rows = [table_row(section, lines) for section, lines in sections.items()]
    total = table_row("all", list(requirements.values()))
    return "\n".join(["| Section | Lines | Proved | Waiting |", "| --- | ---: | ---: | --- |", *rows, total])


def table_row(name: str, lines: list[Requirement]) -> str:
    issues = [line.issue for line in lines if line.issue is not None]
    waiting = ", ".join(f"{issues.count(issue)} for #{issue}" for issue in sorted(set(issues)))
    return f"| {name} | {len(lines)} | {len(lines) - len(issues)} | {waiting or '-'} |"


if __name__ == "__main__":
    print(table())
