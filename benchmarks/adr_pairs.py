"""Real decision records, the pairs that their authors marked, and records as they were before their successor came."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from fieldguide.knowledge.decisions.lineage import RecordFinder, link_records
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.recognition import is_record
from fieldguide.knowledge.decisions.record import DecisionRecord, RecordReference

DESCRIPTION_CHARACTERS = 5000
CONTEXT_CHARACTERS = 2000
STATUS_KEY = re.compile(r"^(\W*(?:\w+ )?status\W*?[:=|]\s*).*", re.IGNORECASE)
LINK = re.compile(r"\[[^\]]*\]\([^)]*\)")
MOST_ROUNDS = 40
REPLACED = ("superseded_by", "amended_by")


class Pair(NamedTuple):
    """Two records of a project, by their paths: `newer` is proposed, `older` should be found."""

    project: str
    newer: str
    older: str


class Proposal(NamedTuple):
    """What a client would send: title and decision, and the context."""

    description: str
    context: str


class Project:
    """The records of one project; templates, indexes and readmes are none."""

    def __init__(self, name: str, texts: Mapping[str, str]) -> None:
        self.name = name
        self.texts = dict(texts)

    @cached_property
    def records(self) -> Mapping[str, DecisionRecord]:
        return {path: read_record(path, text) for path, text in self.texts.items()}

    def before(self, pair: Pair) -> list[DecisionRecord]:
        """The records without the newer one, the older as it was before anybody replaced it.

        Whatever else has replaced it since is left out too: with that there, it would be retired still.
        """
        older = self.restored(pair)
        kept = [older if path == pair.older else self.records[path] for path in self.records if path != pair.newer]
        later = link_records(kept).ties[pair.older].superseded_by
        return [record for record in kept if record.path not in later]

    def restored(self, pair: Pair) -> DecisionRecord:
        """The older record, in force again, without a word of its successor; judged by reading it."""
        text, finder = self.texts[pair.older], RecordFinder(self.records.values())
        for _ in range(MOST_ROUNDS):
            record = read_record(pair.older, text)
            told = [each for each in record.references if self._tells(each, finder, pair)]
            if not told and record.standing == "in force" and "superseded" not in record.status:
                return record
            text = _scrubbed(text, record, {each.line: each.tie in REPLACED for each in told})
        raise AssertionError(f"{pair.older} of {pair.project} could not be put back to what it was.")

    @staticmethod
    def _tells(reference: RecordReference, finder: RecordFinder, pair: Pair) -> bool:
        meant = finder.find(reference, pair.older)
        return reference.tie in REPLACED or (meant is not None and meant.path == pair.newer)


def read_projects(data: Path) -> dict[str, Project]:
    return {
        folder.name: Project(folder.name, dict(_texts(folder))) for folder in sorted(data.iterdir()) if folder.is_dir()
    }


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.md")):
        name, text = path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8", errors="replace")
        if is_record(name, text):
            yield name, text


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of `supersedes.tsv` or `references.tsv`."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [Pair(row["project"], row.get("newer") or row["from"], row.get("older") or row["to"]) for row in rows]


def linked_pairs(*lists: Sequence[Pair]) -> set[Pair]:
    """All pairs that anybody linked, in both directions: no other pair may be called unrelated."""
    both = (pair for pairs in lists for pair in pairs)
    return {each for pair in both for each in (pair, Pair(pair.project, pair.older, pair.newer))}


def propose(record: DecisionRecord) -> Proposal:
    """A record as a proposal."""
    decision = "\n\n".join(passage.text for passage in record.decision)
    context = "\n\n".join(passage.text for passage in record.context)
    return Proposal(f"{record.title}\n\n{decision}"[:DESCRIPTION_CHARACTERS], context[:CONTEXT_CHARACTERS])


def _scrubbed(text: str, record: DecisionRecord, told: Mapping[int, bool]) -> str:
    """A text whose status is accepted, without the lines that tell of a successor; a mere mention loses its link."""
    lines = text.splitlines()
    passage = record.status_text
    status = range(passage.first_line, passage.last_line + 1) if passage else range(0)
    wanted = told or {number: True for number in status if number <= len(lines) and lines[number - 1].strip()}
    for number in sorted(wanted):
        lines[number - 1] = _line(lines[number - 1], is_status=number in status, is_told=wanted[number])
    return "\n".join(lines) + "\n"


def _line(line: str, *, is_status: bool, is_told: bool) -> str:
    if STATUS_KEY.match(line):
        return STATUS_KEY.sub(r"\1accepted", line)
    if is_status:
        return "Accepted"
    bare = "" if is_told else LINK.sub("", line)
    return bare if bare != line else ""
