"""The first decision record of a project that has none, and the template for those that follow."""

FOLDER = "docs/decisions"
RECORD = f"{FOLDER}/0001-record-architecture-decisions.md"
TEMPLATE = f"{FOLDER}/template.md"

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

We keep one short Markdown file for each such decision in `docs/decisions/`, numbered, with a status. A decision that no
longer holds stays: its status names the one that replaces it.

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
