"""Real decision records, the pairs that their authors marked, and records as they were before their successor came."""

import csv
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from fieldguide.toolsets.architecture.decisions import Record, is_record, read_record

DESCRIPTION_CHARACTERS = 5000
CONTEXT_CHARACTERS = 2000
TOLD = re.compile(r"super[sc]ee?d|replaced|amended|overridden|deprecated", re.IGNORECASE)
ONLY_STATUS = re.compile(r"^\W*(?:partly |partially )?(?:super[sc]ee?ded|deprecated|implemented)\b", re.IGNORECASE)
STATUS_KEY = re.compile(r"^(\W*status\W*?[:=]\s*).*", re.IGNORECASE)


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

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        found = {
            path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(folder.rglob("*.md"))
        }
        self.texts = {path: text for path, text in found.items() if is_record(path, text)}

    @cached_property
    def records(self) -> Mapping[str, Record]:
        return {path: read_record(path, text) for path, text in self.texts.items()}

    def before(self, pair: Pair) -> list[Record]:
        """The records without the newer one, the older as it was before anybody knew of it."""
        older = read_record(pair.older, without_successor(self.texts[pair.older], pair.newer))
        return [older if path == pair.older else self.records[path] for path in self.records if path != pair.newer]


def read_projects(data: Path) -> dict[str, Project]:
    return {folder.name: Project(folder) for folder in sorted(data.iterdir()) if folder.is_dir()}


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of `supersedes.tsv` or `references.tsv`."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [Pair(row["project"], row.get("newer") or row["from"], row.get("older") or row["to"]) for row in rows]


def linked_pairs(*lists: Sequence[Pair]) -> set[Pair]:
    """All pairs that anybody linked, in both directions: no other pair may be called unrelated."""
    both = (pair for pairs in lists for pair in pairs)
    return {each for pair in both for each in (pair, Pair(pair.project, pair.older, pair.newer))}


def propose(record: Record) -> Proposal:
    """A record as a proposal."""
    decision = "\n\n".join(passage.text for passage in record.decision)
    context = "\n\n".join(passage.text for passage in record.context)
    return Proposal(f"{record.title}\n\n{decision}"[:DESCRIPTION_CHARACTERS], context[:CONTEXT_CHARACTERS])


def without_successor(text: str, newer: str) -> str:
    """A record without what it says of its successor: its status is accepted again, and links are gone."""
    path = PurePosixPath(newer)
    name = path.parent.name if path.stem in ("index", "README") else path.stem
    number = re.match(r"(?:adr-)?0*(\d{1,5})-", name)
    mention = re.escape(name) + (rf"|\bADRs?[-\s#]*0*{number[1]}\b|/adr/0*{number[1]}\b" if number else "")
    mentions = re.compile(mention, re.IGNORECASE)
    return "".join(_scrubbed(line, mentions) for line in text.splitlines(keepends=True))


def _scrubbed(line: str, mentions: re.Pattern[str]) -> str:
    end = line[len(line.rstrip("\r\n")) :]
    if not mentions.search(line):
        return f"Accepted{end}" if ONLY_STATUS.match(line) and len(line.split()) <= 2 else line
    if STATUS_KEY.match(line):
        return STATUS_KEY.sub(r"\1accepted", line.rstrip()) + end
    if TOLD.search(line):
        return f"Accepted{end}" if ONLY_STATUS.match(line) else end
    return re.sub(rf"\[[^\]]*\]\([^)]*(?:{mentions.pattern})[^)]*\)", "", line, flags=re.IGNORECASE)
