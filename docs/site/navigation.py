"""The navigation of the site, read from the index page: who adds a page adds its line there, and nowhere else."""

import re
from pathlib import PurePosixPath

SECTION = re.compile(r"^## +(.+)$")
ENTRY = re.compile(r"^(?:- |\| )\[([^\]]+)\]\(([^)#\s]+\.md)\)")

Entry = dict[str, object]


def navigation(index: str, decisions: str) -> list[Entry]:
    """The sections of the index with their pages, the decisions under their own, and the pages from outside last."""
    found: list[Entry] = [{"Overview": "README.md"}]
    for title, pages in sections(index).items():
        found.append({title: [{name: target} for name, target in pages]})
    found.append({"Decisions": [{"All decisions": "decisions/README.md"},
                                {"One by one": decision_pages(decisions)}]})  # fmt: skip
    return found


def sections(index: str) -> dict[str, list[tuple[str, str]]]:
    """The pages under each second heading, in their order: the words of the link, and where it leads."""
    found: dict[str, list[tuple[str, str]]] = {}
    title = ""
    for line in index.splitlines():
        if heading := SECTION.match(line):
            title = heading[1]
        elif (entry := ENTRY.match(line)) and title:
            found.setdefault(title, []).append((entry[1], entry[2]))
    return found


def decision_pages(index: str) -> list[dict[str, str]]:
    """Each decision of the table by its number and what its file is called."""
    return [{f"{entry[1]} {_words(entry[2])}": f"decisions/{entry[2]}"}
            for line in index.splitlines() if line.startswith("|") and (entry := ENTRY.match(line))]  # fmt: skip


def _words(name: str) -> str:
    return PurePosixPath(name).stem.partition("-")[2].replace("-", " ").capitalize()
