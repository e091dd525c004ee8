"""The first decision record of a project that has none, and the template for those that follow."""

from collections.abc import Collection
from datetime import UTC, datetime

FOLDERS = ("docs", "doc")
RECORD = "0001-record-architecture-decisions.md"
TEMPLATE = "template.md"

FIRST = """\
---
status: proposed
date: {date}
---
# 0001. Record architecture decisions

## Context and problem statement

Whoever changes this project, a person or an agent, should find out why it is as it is, and what was turned down.
How do we keep the reasons for decisions that are hard to change later?

## Considered options

- One short Markdown file for each decision, in the repository
- Pages in a wiki
- Nothing but commit messages

## Decision

We keep one short Markdown file for each such decision in `{folder}/`, numbered, with a status.
A decision that no longer holds stays: its status names the one that replaces it.

## Consequences

- Reasons are reviewed together with the code, and can be searched and cited.
- A change that goes against a decision needs a new record first.
"""

BLANK = """\
---
status: proposed
date: YYYY-MM-DD
---
# NNNN. What is decided, in a few words

## Context and problem statement

What is the problem, and what makes it hard? End with the question that is to be answered.

## Considered options

- The first option
- Another option

## Decision

We take the first option, because …

## Consequences

- What becomes easier.
- What becomes harder.
"""


def decision_folder(documented: Collection[str]) -> str:
    """Where decisions go: beside the documents that there are."""
    return f"{next((name for name in FOLDERS if name in documented), FOLDERS[0])}/decisions"


def first_decision(folder: str) -> dict[str, str]:
    """The files of a folder for decisions by their paths."""
    today = datetime.now(UTC).date().isoformat()
    return {f"{folder}/{RECORD}": FIRST.format(date=today, folder=folder), f"{folder}/{TEMPLATE}": BLANK}
