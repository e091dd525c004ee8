"""Recognizes which documents of a project are decision records, by weighed features of their text, name and neighbours.

A record may be called a decision, an RFC, a proposal, an enhancement or a design document. Each observation is a short
name; `recognition` weighs them. Only the first lines of a document are read, because every document of a project is
looked at.

The weights add up to a log-odds. They were learnt by leaving projects
out. A document first gets a score of its own. Then the documents that lie beside it and are named alike add to it or
take from it, because records lie together. Templates and indices are never records, whatever their score.
"""

import math
import os
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import MARKED_UP
from fieldguide.knowledge.decisions.record import (
    DECISION_WORDS,
    DESIGN_WORDS,
    FOLDER_FILES,
    NO_DECISIONS,
    PROPOSAL_WORDS,
    STANDINGS,
    classify_heading,
    is_dated,
    is_template,
    read_document,
    split_folder_and_name,
    split_name_words,
    strip_suffix,
)
from fieldguide.prose.discovery import FoundDocument, get_known_text
from fieldguide.prose.markdown import count_front_matter_lines
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal
from fieldguide.text.windows import split_lines

MOST_LINES = 400
LONGEST_LINE = 300
HEAD_LINES = 40
SHORT_LINES = 6
KEPT_HEADINGS = 4096

LETTERED = re.compile(r"(?i)^[a-z]{1,12}(?:[-_ ][a-z]{1,12}){0,3}[-_ .#]?\d{1,6}(?=[-_. ]|$)")
NUMBERED = re.compile(r"^\d{1,6}(?=[-_. ]|$)")
TITLE_CALL = re.compile(
    r"(?i)^\W*(?:\w+\W+){0,6}?(?:adr|rfc|pep|kep|tep|jep|otep|decision record|architecture decision|proposal|"
    r"design doc(?:ument)?|enhancement|one pager)(?:$|\W)"
)
INDEX_TITLE = re.compile(
    r"(?i)(?:^|\W)(?:adrs?|rfcs?|architectur(?:e|al) decisions?|decision records?|decisions|proposals"
    r"|enhancement proposal|designs|design (?:docs|documents)|enhancements|[a-z]{1,3}eps)(?:$|\W)"
)
TITLE_NUMBER = re.compile(r"^\W*(?:\d{1,4}[.:)]|\d{3,5})\s")
TITLE_LETTERED = re.compile(r"^\W*[A-Za-z]{2,8}(?:-[A-Za-z]{2,10}){0,2}[- #]?\d{1,5}\b")
BOLD = re.compile(r"\s*(?:\*\*|__)([^*_]{3,60})(?:\*\*|__)\s*:?\s*")
NUMBERING = re.compile(r"^\W*(?:\d{1,2}(?:\.\d{1,2})*[.):]?\s+|[ivx]{1,4}[.)]\s+)?")
LABEL = re.compile(
    r"[\s>*+|_:-]*(?:<[a-z]{1,6}>\s*)?([A-Za-z][A-Za-z' /&-]{1,40}?)\s*(?:\([^)]{0,20}\))?[*_`]{0,2}\s*"
    r"(?:[:|=]|</t[dh]>|\s{2})"
)
LABEL_MARKS = frozenset(":|=<")
WORD = re.compile(r"[^\W\d_]+")
TEXT_CALL = re.compile(
    r"(?i)\bthis (?:adr|rfc|proposal|enhancement|pep|kep|decision(?: record)?|design (?:doc|proposal|document)"
    r"|one.pager|(?:document|page|design) (?:proposes|aims to propose))\b"
    r"|\b(?:we|i)(?:'d like to| would like to)? propose\b"
    r"|\bit is proposed\b|\bproposed (?:solution|design|change|implementation|approach)\b"
)

STATUS_KEYS = frozenset(("status", "state", "stage", "implementation status", "adr status", "decision status"))

SECTION_WORDS = {
    "goals": "goals goal objective objectives aims",
    "non-goals": "non-goals nongoals non-goal out-of-scope",
    "questions": "unresolved-questions open-questions open-issues questions unknowns open-question"
    " outstanding-questions",
    "drawbacks": "drawbacks disadvantages downsides cons risks risks-and-mitigations trade-offs tradeoffs caveats"
    " concerns trade-offs-and-mitigations tradeoffs-and-mitigations risks-and-assumptions",
    "rationale": "rationale justification why reasoning argument rationale-and-alternatives drivers decision-drivers",
    "prior": "prior-art related-work prior-work prior-discussions prior-art-and-alternatives",
    "compatibility": "backwards-compatibility backward-compatibility compatibility abi-compatibility"
    " source-compatibility effect-on-api-resilience effect-on-abi-stability migration-plan migration"
    " upgrade-strategy rollout-plan rollout",
    "proposal": "proposal proposed-solution proposed-design proposed-changes proposed-change detailed-design"
    " design-details high-level-design proposed-approach technical-design the-proposal guide-level-explanation"
    " reference-level-explanation internal-details explanation what how-we-teach-this specification",
    "cases": "user-stories use-cases use-case user-story stories requirements user-experience",
    "history": "implementation-history revision-history changelog-of-this-proposal version-history document-history"
    " previous-revisions change-history",
    "alternatives": "rejected-ideas rejected-alternatives alternatives-considered considered-alternatives other-options"
    " pros-and-cons-of-the-options considered-options alternative-solutions other-alternatives-considered",
}
SECTIONS = {phrase: kind for kind, phrases in SECTION_WORDS.items() for phrase in phrases.split()}
KINDS = {
    "decision": "decision", "consequences": "consequences", "context": "context", "options": "alternatives",
    "discarded": "alternatives", "proposal": "summary", "design": "proposal", "status": "status",
}  # fmt: skip
OTHER_FOLDERS = frozenset((
    "blog", "blogs", "posts", "_posts", "news", "releases", "release-notes", "changelog", "changelogs", "meetings",
    "minutes", "meeting-notes", "guide", "guides", "user-guide", "userguide", "tutorial", "tutorials",
    "reference", "commands", "examples", "api", "howto", "how-to", "cookbook", "learn", "faq", "skills", "agents",
    "release", "getting-started", "concepts", "tasks", "runbooks", "playbooks", "recipes", "manual", "integrations",
))  # fmt: skip


STATUS_FOLDERS = frozenset((
    "accepted", "approved", "rejected", "proposed", "superseded", "withdrawn", "declined", "implemented", "provisional",
))  # fmt: skip
RECORD_WORDS = DECISION_WORDS | PROPOSAL_WORDS
INDEX = "index"
INDEX_OF_RECORDS = "index of records"


class DocumentScan(NamedTuple):
    """What one pass over a text gives: its title, its headings, whether it gives a status, and its body."""

    title: str
    headings: Sequence[str]
    has_status: bool
    body: str


def scan_document(path: str, text: str) -> DocumentScan:
    """Read the first lines of a text; any text can be read."""
    start = "".join(split_lines(text[: MOST_LINES * LONGEST_LINE])[:MOST_LINES])
    document = read_document(path, start)
    lines = [line[:LONGEST_LINE].rstrip() for line in document.searched_lines]
    front = count_front_matter_lines(lines) or _count_head_lines(lines)
    headings = [(each.line - 1, each.text) for each in document.headings]
    for at, line in enumerate(lines):
        bold = BOLD.fullmatch(line) if "**" in line or "__" in line else None
        if bold:
            headings.append((at, bold.group(1)))
    headings.sort()
    title = next((said for at, said in headings if at < front + HEAD_LINES), "")
    for line in lines[:front]:
        key, _, value = line.partition(":")
        if key.strip().lower() == "title":
            title = value.strip(" \"'") or title
    body = "\n".join(line for line in lines[front:] if line.strip())
    return DocumentScan(title, [heading for _, heading in headings], _has_status(lines, front, headings), body)


def _count_head_lines(lines: Sequence[str]) -> int:
    """How many lines keys take from the first line on, as PEPs have them."""
    taken = 0
    for line in lines[:HEAD_LINES]:
        if not (line[:1] in (" ", "\t") and taken) and not re.match(r"[A-Z][\w-]{1,30}:(?:\s|$)", line):
            break
        taken += 1
    return taken if taken > 2 else 0


def _has_status(lines: Sequence[str], front: int, headings: Sequence[tuple[int, str]]) -> bool:
    """Whether a label before the second heading, a section or a badge gives a status."""
    if any("badge/status-" in line.lower() for line in lines[:HEAD_LINES]):
        return True
    end = next((at for at, _ in headings[1:] if at > front + 1), front + HEAD_LINES)
    for line in lines[: min(end, front + HEAD_LINES)]:
        found = LABEL.match(line) if "  " in line or not LABEL_MARKS.isdisjoint(line) else None
        if found and found.group(1).strip().lower() in STATUS_KEYS and _is_status(line[found.end() :]):
            return True
    for number, (at, said) in enumerate(headings):
        below = headings[number + 1][0] if number + 1 < len(headings) else len(lines)
        section = lines[at + 1 : min(at + SHORT_LINES, below)]
        if said.lower().startswith("status") and _is_status(" ".join([said[6:], *section])):
            return True
    return False


def _is_status(said: str) -> bool:
    return not STANDINGS.keys().isdisjoint(word.lower() for word in WORD.findall(said))


def normalize_phrase(heading: str) -> str:
    """A heading as a phrase: in small letters, without its number and what stands behind a colon."""
    plain = NUMBERING.sub("", heading.lower().partition("(")[0], count=1)
    return "-".join(re.findall(r"[a-z]+", plain))


@lru_cache(maxsize=KEPT_HEADINGS)
def _section(heading: str) -> str:
    phrase = normalize_phrase(heading)
    return SECTIONS.get(phrase) or KINDS.get(classify_heading(heading), "")


def observe_document(path: str, text: str) -> frozenset[str]:
    """All observations of a document."""
    read = scan_document(path, text)
    seen = {*_of_path(path), *_of_text(read)}
    if is_index(path):
        seen.add(INDEX_OF_RECORDS if INDEX_TITLE.search(read.title) else INDEX)
    return frozenset(seen)


def is_index(path: str) -> bool:
    """Whether a file is what a folder shows first."""
    return path.rpartition("/")[2].lower().startswith(("readme.", "index.", "_index."))


def read_name_shape(name: str) -> str:
    """How a name begins, as far as names of records do; records that lie together have one shape."""
    if is_dated(name):
        return "date"
    if NUMBERED.match(name):
        return "number" if name[:3].isdecimal() or name.isdecimal() else "short number"
    return "letters and number" if LETTERED.match(name) else ""


def _of_path(path: str) -> Iterator[str]:
    folder, name = split_folder_and_name(path)
    parts = [split_name_words(part) for part in folder.split("/")]
    tokens = {token for part in parts for token in part}
    if tokens & DECISION_WORDS:
        yield "folder: decisions"
    if tokens & PROPOSAL_WORDS:
        yield "folder: proposals"
    if tokens & DESIGN_WORDS:
        yield "folder: design"
    with_status = [{*part} for part in parts if not STATUS_FOLDERS.isdisjoint(part)]  # as `proposals-rejected`
    if any(RECORD_WORDS.issuperset(words - STATUS_FOLDERS) for words in with_status):
        yield "folder: status"
    if any(part.lower() in OTHER_FOLDERS for part in folder.split("/")):
        yield "folder: other"
    words = split_name_words(name)
    shape = read_name_shape(name)
    if shape:
        yield f"name: {shape}"
    if RECORD_WORDS.intersection(words):
        yield "name: called"
        if shape == "letters and number":
            yield "name: called and numbered"
    if is_index(path):
        yield "name: own folder"


def _of_text(read: DocumentScan) -> Iterator[str]:
    if TITLE_CALL.match(read.title):
        yield "title: called"
    if TITLE_NUMBER.match(read.title):
        yield "title: number"
    elif TITLE_LETTERED.match(read.title):
        yield "title: letters and number"
    if read.has_status:
        yield "status"
    sections = {*map(_section, read.headings)} - {""}
    for each in sorted(sections):
        yield f"section: {each}"
    count = len(sections - {"status"})
    for least in (1, 2, 3, 4, 6):
        if count >= least:
            yield f"sections: {least}"
    lowered = read.body.lower()
    if "decision" in sections and sections & {"context", "consequences", "alternatives"}:
        yield "sections: a decision and its reasons"
    if any(map(lowered.__contains__, ("this ", "propose"))) and TEXT_CALL.search(lowered):
        yield "text: proposes"


RECORD_FOLDERS = DECISION_WORDS | PROPOSAL_WORDS | DESIGN_WORDS
SERIES_FOLDERS = RECORD_FOLDERS | STATUS_FOLDERS
SECTIONS_OF_RECORDS = frozenset(("sections: 3", "sections: a decision and its reasons"))
KNOWN_FOLDER = 3.0  # added in a folder that is known for records, as `docs/adr`, where neighbours are not looked at
HALF_SHARE = 0.5
FEW_SHARE = 0.25
LEAST_NEIGHBOURS = 2


class Weights(NamedTuple):
    """The log-odds that observations add: those of the document itself, and those of what lies around it."""

    own: Mapping[str, float]
    near: Mapping[str, float]
    base: float


WEIGHTS = Weights(
    own={
        "folder: status": 3.4,
        "sections: a decision and its reasons": 3.0,
        "name: number": 1.9,
        "text: proposes": 1.8,
        "folder: design": 1.8,
        "folder: decisions": 1.7,
        "status": 1.6,
        "section: decision": 1.6,
        "name: called and numbered": 1.5,
        "sections: 1": 1.4,
        "sections: 2": 1.3,
        "folder: proposals": 1.1,
        "sections: 3": 1.0,
        "title: letters and number": 1.0,
        "name: called": 0.8,
        "section: context": 0.7,
        "section: proposal": 0.6,
        "section: alternatives": 0.6,
        "section: consequences": 0.5,
        "title: called": 0.5,
        "name: own folder": 0.5,
        "title: number": 0.4,
        "sections: 4": 0.2,
        "folder: other": -1.7,
    },
    near={
        "neighbours: most": 4.5,
        "index": 1.3,
        "neighbours: too few": -1.3,
        "neighbours: few": -1.6,
    },
    base=-6.7,
)


def recognize_records(observed: Mapping[str, Set[str]]) -> set[str]:
    """The paths of a project's records, given what was observed of each of its documents."""
    candidates = [path for path, seen in observed.items() if not is_never_record(path, seen)]
    scores = {path: score_document(observed[path]) for path in candidates}
    near = dict(observe_neighbours(scores, find_indexes(observed)))
    records: set[str] = set()
    for path, score in scores.items():
        if score + math.fsum(WEIGHTS.near.get(each, 0.0) for each in near[path]) > 0:
            records.add(path)
    return records


def score_document(seen: Set[str]) -> float:
    """The log-odds of a document by itself."""
    return WEIGHTS.base + math.fsum(WEIGHTS.own.get(each, 0.0) for each in sorted(seen))


def is_record(path: str, text: str) -> bool:
    """Whether a file of a folder that is known for records is one."""
    if not text.strip():
        return False
    seen = observe_document(path, text)
    if is_never_record(path, seen):
        return False
    has_shape = read_name_shape(split_folder_and_name(path)[1]) != ""
    return has_shape or score_document(seen) + KNOWN_FOLDER > 0


def is_named_record(path: str, text: str) -> bool:
    """Whether a file of a folder that somebody named as the folder of records is one: all but templates and indices.

    `path` is relative to that folder.
    """
    return bool(text.strip()) and not is_never_record(path, observe_document(path, text))


def is_never_record(path: str, seen: Set[str]) -> bool:
    """Whether a document is a template, an index or another page about records.

    A README or index is a record where its folder is named as one, or where it has the sections of one and is not what
    a folder of records shows first.
    """
    stem = strip_suffix(path.rpartition("/")[2]).lower()
    if is_template(stem):
        return True
    if stem not in NO_DECISIONS:
        return False
    if stem not in FOLDER_FILES or "/" not in path:
        return True
    name = split_folder_and_name(path)[1]
    if is_template(name):
        return True
    if read_name_shape(name):
        return False
    is_of_folder = INDEX_OF_RECORDS in seen or not RECORD_FOLDERS.isdisjoint(split_name_words(name))
    return is_of_folder or SECTIONS_OF_RECORDS.isdisjoint(seen)


def read_name_family(path: str) -> tuple[str, str]:
    """The documents that one is compared with: the nearest folder that is named for records, and the shape of names."""
    folder, name = split_folder_and_name(path)
    parts = folder.split("/")
    for end in range(len(parts), 0, -1):
        if not SERIES_FOLDERS.isdisjoint(split_name_words(parts[end - 1])):
            return "/".join(parts[:end]), read_name_shape(name)
    shape = read_name_shape(name)
    is_area = shape == "number" and len(parts) > 1  # a series may have a folder for each area
    return "/".join(parts[:-1]) if is_area else folder, shape


def find_indexes(observed: Mapping[str, Set[str]]) -> dict[str, bool]:
    """The folders with a README or an index, and whether it says that it is about records."""
    found: dict[str, bool] = {}
    for path, seen in observed.items():
        if is_index(path) and (INDEX in seen or INDEX_OF_RECORDS in seen):
            folder = path.rpartition("/")[0]
            found[folder] = found.get(folder, False) or INDEX_OF_RECORDS in seen
    return found


def observe_neighbours(
    scores: Mapping[str, float], indices: Mapping[str, bool]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is observed around each document: how many of its family look like records, and what the index says."""
    chances = {path: 1 / (1 + math.exp(-max(-30.0, min(score, 30.0)))) for path, score in scores.items()}
    families = {path: read_name_family(path) for path in scores}
    totals: dict[tuple[str, str], float] = defaultdict(float)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for path, family in families.items():
        totals[family] += chances[path]
        counts[family] += 1
    for path, family in families.items():
        others = counts[family] - 1
        share = (totals[family] - chances[path]) / others if others else 0.0
        index = ("index",) if _has_index_of_records(path, indices) else ()
        yield path, (*_neighbours(others, share), *index)


def _neighbours(others: int, share: float) -> Iterator[str]:
    if others < LEAST_NEIGHBOURS:
        yield "neighbours: too few"
        return
    if share >= HALF_SHARE:
        yield "neighbours: most"
    if share < FEW_SHARE:
        yield "neighbours: few"


def _has_index_of_records(path: str, indices: Mapping[str, bool]) -> bool:
    """What the nearest README or index above a document says."""
    folder = split_folder_and_name(path)[0]
    while folder not in indices and folder:
        folder = folder.rpartition("/")[0]
    return indices.get(folder, False)


LARGEST_BYTES = 1 << 20
MOST_READ = 20_000

Observed = tuple[tuple[int, int], frozenset[str]]


class FoundDecisions:
    """The decisions among a project's documents; a document is read again when it has changed."""

    def __init__(self, project: ConfinedFolder, *, beside: Sequence[str] = (), is_wanted: bool = True) -> None:
        """`beside` are the folders that are looked through anyway."""
        self._project = project
        self._beside = tuple(f"{folder}/" for folder in beside) or ("//",)
        self._is_wanted = is_wanted
        self._lock = threading.Lock()
        self._known: dict[str, Observed] = {}
        self._looked: tuple[object, dict[str, os.stat_result]] | None = None

    def paths(self) -> Mapping[str, os.stat_result]:
        """Every decision with its status then, except in the folders that are looked through anyway."""
        if not self._is_wanted:
            return {}
        text = get_known_text(self._project.root).now(self._project)
        with self._lock:
            if self._looked is None or self._looked[0] is not text:
                wanted = [each.path for each in text.documents if may_be_record(each)]
                others = [path for path in wanted if not path.startswith(self._beside)]
                self._looked = (text, self._found(others[:MOST_READ]))
            return self._looked[1]

    def folders(self) -> list[str]:
        """The folders that they lie in."""
        return sorted({path.rpartition("/")[0] for path in self.paths()})

    def look_again(self) -> None:
        """Some document may have changed: read those that have when somebody asks."""
        with self._lock:
            self._looked = None

    def _found(self, paths: Sequence[str]) -> dict[str, os.stat_result]:
        statuses: dict[str, os.stat_result] = {}
        for path in paths:
            status = self._project.entry(path)
            if status is not None:
                statuses[path] = status
        self._known = {path: self._observed(path, status) for path, status in statuses.items()}
        records = recognize_records({path: seen for path, (_, seen) in self._known.items()})
        return {path: statuses[path] for path in sorted(records)}

    def _observed(self, path: str, status: os.stat_result) -> Observed:
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known
        try:
            text = self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", errors="replace")
        except Refusal:
            return stamp, frozenset()
        return stamp, observe_document(path, text)


def may_be_record(document: FoundDocument) -> bool:
    """Whether a document may be a decision, before it is read: no URI may hold some names."""
    is_addressed = not any(mark in f"/{document.path}" for mark in ("..", "\\", "/."))
    return is_addressed and document.form in MARKED_UP and not document.language
