"""Fenced blocks that the site shows in its own way: sequence diagrams as tables, and no words for our tests."""

import re

FENCE = re.compile(r"^```mermaid\nsequenceDiagram\n((?:.*\n)*?)```$", re.MULTILINE)
PARTICIPANT = re.compile(r"\s*participant (\w+) as (.+)")
OPENING = re.compile(r"^(\s*```\w+) [\w ]+$", re.MULTILINE)
STEP = re.compile(r"\s*(\w+)-{1,2}>>(\w+): (.+)")
NOTE = re.compile(r"\s*Note over (\w+): (.+)")


def as_tables(text: str) -> str:
    """A page whose sequence diagrams are tables."""
    return FENCE.sub(lambda found: _table(found[1].splitlines()), text)


def plain_fences(text: str) -> str:
    """A page whose fences name their language alone; a second word such as `empty` is for the tests."""
    return OPENING.sub(r"\1", text)


def _table(lines: list[str]) -> str:
    names: dict[str, str] = {}
    rows = ["| from | to | what |", "| --- | --- | --- |"]
    for line in lines:
        if named := PARTICIPANT.fullmatch(line):
            names[named[1]] = named[2]
        elif step := STEP.fullmatch(line):
            rows.append(f"| {names[step[1]]} | {names[step[2]]} | {step[3]} |")
        elif note := NOTE.fullmatch(line):
            rows.append(f"| {names[note[1]]} | | {note[2].replace('<br/>', ' ')} |")
    return "\n".join(rows)
