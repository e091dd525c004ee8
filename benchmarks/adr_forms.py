"""The forms in which authors write that a record replaces another, each put into a proposal that does not say so.

The proposal is a real record without its own words about the older one. Every form is a claim that a reader of the
proposal cannot miss; mere references are the counterpart, where nothing of the kind is said.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from benchmarks.adr_pairs import DESCRIPTION_CHARACTERS, Proposal
from fieldguide.knowledge.decisions.record import DecisionRecord, read_own_name

LETTERS = re.compile(r"([A-Za-z]{2,12})[-_ ]?\d")
Form = Callable[[DecisionRecord], str]


def _letters(older: DecisionRecord) -> str:
    """The letters before the number in the name of the file, as "DR" of `DR002-no-charges`; most have none."""
    return (LETTERS.match(read_own_name(older.path)) or ["", "ADR"])[1].upper()


def _name(older: DecisionRecord) -> str:
    """How an author would name a record: by its number, or by its file where it has none."""
    return f"{_letters(older)} {older.number}" if older.number is not None else read_own_name(older.path)


def _id(older: DecisionRecord) -> str:
    return f"{_letters(older)}-{older.number:04}" if older.number is not None else read_own_name(older.path)


def _bare(older: DecisionRecord) -> str:
    return f"{older.number:04}" if older.number is not None else read_own_name(older.path)


def _file(older: DecisionRecord) -> str:
    """The file, with its folder where each record has one."""
    path = PurePosixPath(older.path)
    return f"{path.parent.name}/{path.name}" if read_own_name(older.path) != path.stem else path.name


def _link(older: DecisionRecord) -> str:
    return f"[{older.title}]({_file(older)})"


BELOW_TITLE: Mapping[str, Form] = {
    "Supersedes [T](file)": lambda older: f"Supersedes {_link(older)}",
    "Supersedes: [T](file)": lambda older: f"Supersedes: {_link(older)}",
    "Replaces: [id](path)": lambda older: f"Replaces: [{_id(older)}](../adr/{_file(older)})",
    "Amends: id": lambda older: f"Amends: {_id(older)}",
    "**Supersedes**: id": lambda older: f"**Supersedes**: {_id(older)}",
    "- **Obsoletes:** id": lambda older: f"- Date: 2026-01-05\n- **Obsoletes:** {_id(older)}",
    "a heading and a list": lambda older: f"## Supersedes\n\n- {_link(older)}\n\n## Decision",
    "a label and a list": lambda older: f"Replaces:\n\n* {_id(older)}\n* none of the others",
    "a row": lambda older: f"| Status | Proposed |\n| --- | --- |\n| Supersedes | {_id(older)} |",
    "This supersedes N.": lambda older: f"This supersedes {_name(older)}.",
    "This obsoletes N, since": lambda older: f"This obsoletes {_name(older)}, since much has changed (see below).",
    "We deprecate N.": lambda older: f"With this we deprecate {_name(older)}.",
    "We revoke N.": lambda older: f"We revoke {_name(older)}.",
    "in place of N": lambda older: f"We decide what follows in place of {_name(older)}.",
    "instead of N": lambda older: f"This holds instead of the decision made in {_name(older)}, which did not work out.",
    "N is superseded by this": lambda older: f"{_id(older)} is superseded by this.",
    "N no longer applies": lambda older: f"{_name(older)} no longer applies.",
}
FRONT_MATTER: Mapping[str, Form] = {
    "supersedes: id": lambda older: f"supersedes: {_id(older)}",
    "supersedes: path": lambda older: f"supersedes: docs/adr/{_file(older)}",
    'supersedes: ["id"]': lambda older: f'supersedes: ["{_bare(older)}"]',
    "supersedes, a list of ids": lambda older: f"supersedes:\n  - {_id(older)}",
    "replaces, a list of files": lambda older: f"replaces:\n- {_file(older)}",
}
MENTIONS: Mapping[str, Form] = {
    "see N": lambda older: f"For the background see {_name(older)}.",
    "according to N": lambda older: f"According to {_name(older)}, this is ours to decide.",
    "as described in N": lambda older: f"The old text is removed from the page, as described in {_name(older)}.",
    "not replaced": lambda older: f"This does not supersede {_name(older)}.",
    "N replaced": lambda older: f"{_name(older)} replaced an agreement that nobody had written down.",
}


def with_form(proposal: Proposal, name: str, older: DecisionRecord) -> Proposal:
    """A proposal that says in one form that it replaces a record, or only mentions it."""
    title, _, rest = proposal.description.partition("\n")
    if name in FRONT_MATTER:
        text = f"---\nstatus: proposed\n{FRONT_MATTER[name](older)}\n---\n# {title}\n{rest}"
    else:
        form = BELOW_TITLE.get(name) or MENTIONS[name]
        text = f"{title}\n\n{form(older)}\n{rest}"
    return proposal._replace(description=text[:DESCRIPTION_CHARACTERS])
