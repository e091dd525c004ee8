"""A repository whose every file, name and title wants something from whoever looks at it."""

import json

from tests.architecture_projects import PATTERNS, REPOSITORY
from tests.browser.hostile_texts import DOCUMENTS, FILE_NAMES, MARKUP, TITLE
from tests.browser.sites import ServedSite
from tests.projects import Project

FOLDER = "docs/hostile"


def write_hostile_files(project: Project) -> None:
    """Documents, names, decisions, a pattern and settings, all of them written by somebody who wants in."""
    for name, text in DOCUMENTS.items():
        project.write(f"{FOLDER}/{name}.md", text if name == "tricks" else f"# The {name}\n\n{text}")
    for name in FILE_NAMES:
        project.write(f"docs/names/{name}", f"# {TITLE}\n\nA refund of apples.\n")
    for number, status in enumerate((f"accepted {MARKUP}", "superseded by 0003", "accepted"), 1):
        head = f"---\nstatus: {json.dumps(status)}\ndate: 2025-0{number}-01\n---\n\n"
        project.write(
            f"docs/decisions/000{number}-x.md", f"{head}# {TITLE}\n\n## Context\n\n{DOCUMENTS['mutations']}\n"
        )
    pattern = REPOSITORY.replace("A service imports no database driver.", json.dumps(TITLE))
    project.write(f"{PATTERNS}/<b>pattern.md", pattern.replace("# Repository Pattern", f"# {TITLE}"))
    project.write("src/code.py", f'"""{MARKUP}"""\n\n\ndef refund():\n    return "{MARKUP}"\n')
    project.write("fieldguide.toml", f"user = {json.dumps(TITLE)}\n")


def add_hostile_rows(site: ServedSite) -> None:
    """Tasks and findings of the same kind."""
    site.call("add_task", {"title": TITLE[:200], "description": DOCUMENTS["scripts"]})
    site.call("add_task", {"title": "w" * 200})
    for kind in ("rule", "issue"):
        site.call(
            "guide_record",
            {"type": kind, "content": f"{kind} {TITLE} {DOCUMENTS['handlers'][:1500]}", "module": MARKUP},
        )
