"""The contract as data: every line, and the open issue that will prove it where no test does yet.

`python -m tests.requirements` prints how far each section is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tests.requirement_lines import (
    architecture,
    beginning,
    branches,
    context,
    decisions,
    deployment,
    directive,
    documentation,
    documents,
    drift,
    guide,
    guide_governs,
    guide_open,
    guide_search,
    guide_symbol,
    hosting,
    identity,
    in_the_browser,
    installing,
    isolation,
    operation,
    packaging,
    page,
    page_views,
    panels,
    presupposed,
    replicas,
    scale,
    service_pages,
    staleness,
    symbols,
    symbols_in_packages,
    symbols_in_scripts,
    symbols_of_systems_languages,
    tasks,
    tracing,
    walls,
)

CHAPTERS = (
    architecture, tasks, documents, context, directive, presupposed, decisions, guide, guide_governs, guide_open,
    guide_search, branches, guide_symbol, drift, staleness, tracing, service_pages, symbols, symbols_in_packages,
    symbols_in_scripts, symbols_of_systems_languages, packaging, beginning, installing, isolation, documentation,
    identity, in_the_browser, page, page_views, panels, operation, hosting, deployment, walls, replicas, scale,
)  # fmt: skip

Sections = Mapping[str, tuple[tuple[str, int | None, str], ...]]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of the contract; `issue` is None when a test proves it."""

    id: str
    sentence: str
    section: str
    issue: int | None = None


def assemble(chapters: Iterable[Sections]) -> dict[str, Requirement]:
    """All lines by id, in the order of the chapters."""
    requirements: dict[str, Requirement] = {}
    for sections in chapters:
        for section, lines in sections.items():
            for line_id, issue, sentence in lines:
                if line_id in requirements:
                    raise ValueError(f"The requirement {line_id!r} is listed twice.")
                requirements[line_id] = Requirement(line_id, sentence, section, issue)
    return requirements


REQUIREMENTS: dict[str, Requirement] = assemble(chapter.SECTIONS for chapter in CHAPTERS)


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
