"""What the projects of the service hold: each has words that stand in no other, so that a leak and a loss both show."""

import json
import subprocess
from pathlib import Path

MARKERS = {"alpha": "quillfern", "beta": "marblewren", "gamma": "cobaltyew", "delta": "saffronelk"}
"""A word of each project that stands in everything it holds."""
USERS = tuple(f"user{number:02}" for number in range(16))
PAGES = 20


def word_of(project: str, number: int) -> str:
    """A word that stands in one page only."""
    return f"{MARKERS[project]}{'abcdefghijklmnopqrstuvwxyz'[number]}page"


def private_word(user: str) -> str:
    """A word that stands in one user's tasks only."""
    return f"{user}onlyword"


def page_text(project: str, number: int) -> str:
    marker, word = MARKERS[project], word_of(project, number)
    return f"# Page {number} of {project}\n\nThe {marker} tells of {word}.\n\n## Details\n\nMore about {word}.\n"


def write_project(root: Path, project: str) -> None:
    """A project with something of every kind, in git."""
    marker = MARKERS[project]
    files = {
        **{f"docs/page-{number}.md": page_text(project, number) for number in range(PAGES)},
        "mcp/resources/adr/0001-queues.md": (
            f"# 1. Use queues\n\n## Status\n\nAccepted\n\n## Context\n\nThe {marker} is slow.\n\n"
            f"## Decision\n\nWe use queues for the {marker}.\n\n## Consequences\n\nWork waits.\n"
        ),
        "mcp/resources/patterns/repository.md": f"# Pattern: repository\n\nRepositories of the {marker} hide SQL.\n",
        "mcp/resources/guidelines/errors.md": f"# Guidelines for errors\n\nThe {marker} names its errors.\n",
        "mcp/prompts/explain.json": json.dumps(
            {
                "name": f"explain-{project}",
                "description": f"Explain the {marker}",
                "arguments": [{"name": "part", "description": "Which part", "required": True}],
                "messages": [
                    {"role": "user", "content": {"type": "text", "text": f"Explain {{{{part}}}} of {marker}."}}
                ],
            }
        ),
        "directive/agent_operating_procedure.md": f"# How\n\nThe {marker} comes first.\n",
        "directive/agent_context.md": f"# Context of {marker}\n",
        "directive/templates/spec_template.md": f"# Spec of {marker}\n",
        "directive/templates/impact_template.md": f"# Impact of {marker}\n",
        "directive/templates/tdr_template.md": f"# TDR of {marker}\n",
        "src/zoo.py": f'"""The zoo of {marker}."""\n\n\ndef feed_{marker}(animal):\n    return animal + "{marker}"\n',
        "tests/test_zoo.py": f"from src.zoo import feed_{marker}\n\n\ndef test_it():\n    assert feed_{marker}('x')\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", f"Begin the {marker}"]):
        subprocess.run(["git", "-C", str(root), *who, *command], check=True)


def strangers_in(text: str, project: str, user: str) -> list[str]:
    """The words in an answer that its caller must never see."""
    foreign = [marker for name, marker in MARKERS.items() if name != project]
    others = [private_word(each) for each in USERS if each != user]
    return [word for word in (*foreign, *others) if word in text]
