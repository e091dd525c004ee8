"""What a decision record says, in values: its standing, its decision, its options and its ties to other records."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Standing = Literal["in force", "proposed", "rejected", "retired"]
Tie = Literal["supersedes", "superseded_by", "amends", "amended_by", "mentions"]

UNKNOWN = "unknown"


class Passage(NamedTuple):
    """A piece of a record as it stands there, with its first and last line, counted from 1."""

    text: str
    first_line: int
    last_line: int


class Option(NamedTuple):
    """Something that was considered: its words, its line, and why it was turned down where the record says so."""

    text: str
    line: int
    reason: str = ""


class Reference(NamedTuple):
    """What a record says about another: by number, by file, or both; `text` is the line that says so."""

    tie: Tie
    number: int | None
    path: str
    line: int
    text: str
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One decision record.

    `status` is the word that the record uses, in lower case, `standing` what it means; `title` is shown, `name` is the
    title without its number. A record whose status is unknown counts as in force.
    """

    path: str
    adr_id: str
    number: int | None
    title: str
    title_line: int
    name: str
    status: str
    standing: Standing
    status_text: Passage | None
    date: str
    context: tuple[Passage, ...]
    decision: tuple[Passage, ...]
    consequences: tuple[Passage, ...]
    chosen: tuple[Option, ...]
    considered: tuple[Option, ...]
    rejected: tuple[Option, ...]
    references: tuple[Reference, ...]
    body: Passage
    question: Passage | None = None
    answer: Passage | None = None
