"""Two projects of one service, and the words by which a leak shows: in their contents, and in no question."""

import subprocess
from pathlib import Path

HIDDEN = "plumquartz"
"""In everything that the project `alpha` holds, and in no name, path or question."""
PRIVATE = "velvetanchor"
"""In what one user of `alpha` keeps for herself."""
NAMED, ABSENT = "vault", "vaulx"
"""What the things of `alpha` are called, and what nothing is called."""


def write_project(root: Path, secret: str, named: str) -> None:
    """A project with something of every kind: documents, decisions, patterns, directives, code, history."""
    files = {
        "README.md": f"# The {named} of {secret}\n\nHow the {named} is opened: {secret} first.\n",
        f"docs/{named}.md": f"# Guide to the {named} of {secret}\n\n## Opening\n\nTurn the {secret} twice.\n",
        f"docs/decisions/0001-{named}.md": (
            f"# 1. Keep keys in the {named} of {secret}\n\n## Status\n\nAccepted\n\n## Context\n\nKeys lie about.\n\n"
            f"## Decision\n\nWe keep every key in the {named}, below {secret}.\n\n## Consequences\n\nOne place.\n"
        ),
        f"mcp/resources/guidelines/{named}.md": f"# Guidelines of the {named} of {secret}\n\nName the {secret}.\n",
        f"mcp/resources/patterns/{named}.md": (
            f"# Pattern: {named} of {secret}\n\nClasses end in {secret}.\n\n```python\nclass Door: ...\n```\n"
        ),
        f"directive/reference/{named}.md": f"# Directive {named}\n\nAsk about {secret}.\n",
        "directive/agent_operating_procedure.md": f"# How we work\n\nSay {secret}.\n",
        "directive/agent_context.md": f"# What we know\n\nThe {secret}.\n",
        **{
            f"directive/reference/templates/{name}_template.md": f"# Template\n\nMind the {secret}.\n"
            for name in ("spec", "impact", "tdr")
        },
        f"src/{named}.py": f'"""Opens the {named}."""\n\n\ndef open_{named}() -> str:\n    return "{secret}"\n',
        f"tests/test_{named}.py": (
            f"from src.{named} import open_{named}\n\n\ndef test_it():\n    assert open_{named}() == '{secret}'\n"
        ),
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", f"Build the {named} with {secret}"]):
        identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        subprocess.run(["git", "-C", str(root), *identity, *command], check=True)
