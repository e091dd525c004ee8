"""Stores what each document cites and keeps the list of stale places up to date.

A document is read again only if it was saved since. If nothing cites anything, git is not run at all.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import keeps_own_history
from fieldguide.files.kinds import is_plain_document
from fieldguide.git.history import History, load_history
from fieldguide.git.log import HistoryCommit
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.findings.finding import Finding, FindingRepository
from fieldguide.knowledge.links.citations import (
    CitationVerdict,
    CodeCitation,
    LineCitation,
    TrackedCitation,
    WorkTree,
    find_citations,
    is_commit,
    judge_by_content,
    read_tracked,
    resolve_citation,
)
from fieldguide.knowledge.links.tracking import track_citations
from fieldguide.search.derived import DerivedRows
from fieldguide.storage.database import Database
from fieldguide.text.citation import FRESH, GONE, LINES, MOVED, StalePlace
from fieldguide.text.errors import FieldguideError, Refusal, Unreadable
from fieldguide.text.windows import cut_text

BLAME_SECONDS = 10.0
MOST_BYTES = 16 << 20
BLAME = ("-c", "blame.ignoreRevsFile=", "blame", "-s", "--porcelain", "--no-textconv", "HEAD", "--")
FINDING = "finding://"
TASK = "task://"
"""The prefixes of the addresses of findings and tasks."""
MOST_FILES = 20
MOST_NAMES = 20
MOST_STALE = 2000
LARGEST_BYTES = 1 << 20
MOST_DOCUMENTS = 50_000
MOST_NOTES = 20_000
MOST_JUDGED = 5
MOST_TOLD = 2
LONGEST_TOLD = 239
SHORT_ID = 10


class LineDates:
    """Finds the commits that wrote the lines of documents, if the history is the project's own."""

    def __init__(self, root: str) -> None:
        self._git = GitProgram(root, BLAME_SECONDS) if keeps_own_history(root) else None

    def written(self, document: str) -> dict[str, str]:
        """Map the lines of a document at HEAD to the commits that wrote them last; the first of equal lines counts."""
        if self._git is None or "\n" in document or "\0" in document:
            return {}
        try:
            said = self._git.ask(*BLAME, document)
        except Unreadable:
            return {}
        if len(said) > MOST_BYTES:
            return {}
        return _lines(said.decode("utf-8", "replace"))

    def head_before(self, moment: str) -> str:
        """The latest of HEAD's first parents at a moment; empty if there was none."""
        if self._git is None:
            return ""
        try:
            return self._git.ask("rev-list", "-1", "--first-parent", f"--before={moment}", "HEAD").decode().strip()
        except (Unreadable, UnicodeDecodeError):
            return ""


def _lines(said: str) -> dict[str, str]:
    found: dict[str, str] = {}
    commit = ""
    for line in said.split("\n"):
        if line.startswith("\t"):
            found.setdefault(line[1:].removesuffix("\r"), commit)
        else:
            word = line.partition(" ")[0]
            if len(word) == 40 and word.isalnum():
                commit = word
    return found


class CitedPaths:
    """Finds what became of paths, by the renames and removals in the history."""

    def __init__(self, history: History, tree: WorkTree) -> None:
        self._history = history
        self._tree = tree

    def place(self, document: str, mention: CodeCitation) -> StalePlace | None:
        """The state of a path that a document names; None if the project never had it."""
        place = StalePlace(document, mention.line, mention.says, mention.kind, FRESH, mention.path)
        if self._tree.stamp(mention.path):
            return place
        renamed, gone = self._changes
        by = None
        path = mention.path
        for _ in range(MOST_NAMES):
            if path not in renamed:
                break
            path, by = renamed[path]
        if by is not None and self._tree.stamp(path):
            return place._replace(state=MOVED, path=path, commit=by.id[:SHORT_ID])
        if path not in gone:
            return None
        return place._replace(state=GONE, path="", commit=gone[path].id[:SHORT_ID])

    @cached_property
    def _changes(self) -> tuple[dict[str, tuple[str, HistoryCommit]], dict[str, HistoryCommit]]:
        """The latest new name of each renamed path, and the commit that removed each removed one."""
        renamed: dict[str, tuple[str, HistoryCommit]] = {}
        gone: dict[str, HistoryCommit] = {}
        for change in reversed(self._history.changes):
            for old, new in change.renamed:
                renamed[old] = (new, change)
            for path in change.gone:
                gone[path] = change
        return renamed, gone


class CitingDocument(NamedTuple):
    """What a document cites, with a stamp that changes whenever it is saved."""

    stamp: str
    mentions: Sequence[CodeCitation]


def is_storable(name: str) -> bool:
    """Whether a database can store a file's name: one with undecodable bytes it can't."""
    return name.isascii() or not any("\ud800" <= each <= "\udfff" for each in name)


class CitationStore(DerivedRows):
    """The stored citations of one project, in one transaction of the index's database."""

    def documents(self, only: Iterable[str] | None = None) -> dict[str, CitingDocument]:
        """Every document that was read, by path; with `only`, these, the findings, and those that cite anything."""
        sql = "SELECT document, stamp, mentions FROM tied_document WHERE namespace = :namespace"
        if only is None:
            rows = list(self._fetch(sql))
        else:
            rows = list(self._fetch(f"{sql} AND (mentions <> '[]' OR document LIKE :findings)", findings=f"{FINDING}%"))
            rows += [row for path in only for row in self._fetch(f"{sql} AND document = :path", path=path)]
        return {
            str(row["document"]): CitingDocument(str(row["stamp"]), _mentions(str(row["mentions"]))) for row in rows
        }

    def put(self, documents: Mapping[str, CitingDocument]) -> None:
        """Store what some documents cite."""
        self._transaction.execute_many(
            """
            INSERT INTO tied_document (namespace, document, stamp, mentions, stale)
            VALUES (:namespace, :document, :stamp, :mentions, '')
            ON CONFLICT (namespace, document) DO UPDATE
            SET stamp = excluded.stamp, mentions = excluded.mentions
            """,
            [
                {"namespace": self._namespace, "document": document, "stamp": tied.stamp, "mentions": _text(tied)}
                for document, tied in documents.items()
            ],
        )

    def forget(self, paths: Iterable[str]) -> None:
        """Forget documents that are gone."""
        self._transaction.execute_many(
            "DELETE FROM tied_document WHERE namespace = :namespace AND document = :document",
            [{"namespace": self._namespace, "document": path} for path in paths],
        )

    def stale(self) -> dict[str, list[StalePlace]]:
        """What is stale, by document."""
        sql = "SELECT document, stale FROM tied_document WHERE namespace = :namespace AND stale <> '' LIMIT :most"
        rows = self._fetch(sql, most=MOST_STALE)
        return {str(row["document"]): _places(str(row["document"]), str(row["stale"])) for row in rows}

    def keep_stale(self, stale: Mapping[str, Sequence[StalePlace]]) -> None:
        """Store what is stale of some documents."""
        self._transaction.execute_many(
            "UPDATE tied_document SET stale = :stale WHERE namespace = :namespace AND document = :document",
            [
                {"namespace": self._namespace, "document": document, "stale": _written(places)}
                for document, places in stale.items()
            ],
        )

    def notes(self) -> dict[str, Any]:
        """How far each citation was followed, by its key."""
        rows = self._fetch("SELECT note, followed FROM tied_note WHERE namespace = :namespace")
        return {str(row["note"]): json.loads(str(row["followed"])) for row in rows}

    def keep_notes(self, followed: Iterable[TrackedCitation]) -> None:
        """Store how far citations were followed, in place of all that was stored."""
        self._transaction.execute("DELETE FROM tied_note WHERE namespace = :namespace", {"namespace": self._namespace})
        rows = [
            {"namespace": self._namespace, "note": each.note.key, "followed": json.dumps(each.kept())}
            for each in followed
        ]
        sql = "INSERT INTO tied_note (namespace, note, followed) VALUES (:namespace, :note, :followed)"
        self._transaction.execute_many(sql, rows)


def _mentions(text: str) -> list[CodeCitation]:
    if text == "[]":  # as of most documents
        return []
    return [CodeCitation(*row) for row in cast("list[list[Any]]", json.loads(text))]


def _text(tied: CitingDocument) -> str:
    return json.dumps([[*each] for each in tied.mentions], ensure_ascii=True)


def _written(places: Sequence[StalePlace]) -> str:
    if not places:
        return ""
    return json.dumps([[*each[1:]] for each in places], ensure_ascii=True)


def _places(document: str, text: str) -> list[StalePlace]:
    return [StalePlace(document, *row) for row in cast("list[list[Any]]", json.loads(text))]


class UnfiledText(NamedTuple):
    """A text without a file, such as a finding: its address, its words, and when it was written (ISO 8601)."""

    address: str
    text: str
    moment: str
    commit: str = ""


class CitationKeeper:
    """Keeps the stored citations of one project up to date."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder) -> None:
        self._database = database
        self._namespace = namespace
        self._project = project

    def bring_up(
        self,
        paths: Iterable[str],
        unfiled: Sequence[UnfiledText],
        history: History,
        only: Collection[str] | None = None,
    ) -> int:
        """Read everything that may have changed, or only some files; return how many places are stale."""
        with self._database.reading() as transaction:
            store = CitationStore(transaction, self._namespace)
            before = store.documents(only)
            stale_before = store.stale()
            kept = store.notes()
        tree = WorkTree(self._project)
        now = self._documents(paths, unfiled, before, tree, only)
        judged, followed = self._judged(now, kept)
        cited_paths = CitedPaths(history, tree)
        stale: dict[str, list[StalePlace]] = {}
        for document, tied in now.items():
            places = [_place(document, each, judged, cited_paths) for each in tied.mentions]
            stale_places = [each for each in places if each is not None and each.state != FRESH]
            if stale_places:
                stale[document] = stale_places
        differing = [each for each in {*stale_before, *stale} if stale_before.get(each) != stale.get(each)]
        self._keep(before, now, {each: stale.get(each, []) for each in differing}, followed)
        return sum(map(len, stale.values()))

    def _documents(
        self,
        paths: Iterable[str],
        unfiled: Sequence[UnfiledText],
        before: Mapping[str, CitingDocument],
        tree: WorkTree,
        only: Collection[str] | None,
    ) -> dict[str, CitingDocument]:
        """What every document cites; unchanged ones are not read, and known ones outside of `only` not looked at."""
        documents: dict[str, CitingDocument] = {}
        if only is not None:
            documents = {path: known for path, known in before.items() if not path.startswith(FINDING)}
            for path in only:
                documents.pop(path, None)
            paths = frozenset(only).intersection(paths)
        dating = LineDates(self._project.real_path())
        for path in [each for each in paths if is_plain_document(each) and is_storable(each)][:MOST_DOCUMENTS]:
            known = before.get(path)
            stamp = tree.stamp(path)
            if known is None or known.stamp != stamp:
                known = CitingDocument(stamp, self._read(path, dating, tree))
            documents[path] = known
        for each in unfiled:
            stamp = f"{each.moment} {len(each.text)}"
            known = before.get(each.address)
            if known is None or known.stamp != stamp:
                known = CitingDocument(stamp, _cited(each, dating))
            documents[each.address] = known
        return documents

    def _read(self, path: str, dating: LineDates, tree: WorkTree) -> Sequence[CodeCitation]:
        try:
            text = self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ()
        text = text.replace("\r\n", "\n")
        resolved = [resolve_citation(each, path, lambda name: bool(tree.stamp(name))) for each in find_citations(text)]
        citations = [each for each in resolved if each is not None]
        if not any(_lacks_date(each) for each in citations):  # blame takes long; paths need no date
            return citations
        lines = text.split("\n")
        written = dating.written(path)
        return [_dated(each, written.get(lines[each.line - 1], "")) for each in citations]

    def _judged(
        self, documents: Mapping[str, CitingDocument], kept: Mapping[str, object]
    ) -> tuple[dict[str, CitationVerdict], list[TrackedCitation]]:
        """The verdicts on the lines that documents cite, by the keys of the citations."""
        mentions = [each for tied in documents.values() for each in tied.mentions if _is_note(each)]
        notes = [*{note.key: note for note in map(_note, mentions)}.values()][:MOST_NOTES]
        if not notes:
            return {}, []
        known: dict[str, TrackedCitation] = {}
        for note in notes:
            tracked = read_tracked(note, kept.get(note.key))
            if tracked is not None:
                known[note.key] = tracked
        results = track_citations(self._project, notes, known)
        verdicts = dict(zip((note.key for note in notes), results.judgements, strict=True))
        return verdicts, results.followed if results.is_new or len(kept) != len(results.followed) else []

    def _keep(
        self,
        before: Mapping[str, CitingDocument],
        now: Mapping[str, CitingDocument],
        stale: Mapping[str, Sequence[StalePlace]],
        followed: Sequence[TrackedCitation],
    ) -> None:
        """Store what changed."""
        changed = {document: tied for document, tied in now.items() if before.get(document) != tied}
        gone = [document for document in before if document not in now]
        if not (changed or stale or gone or followed):
            return
        with self._database.writing() as transaction:
            store = CitationStore(transaction, self._namespace)
            store.put(changed)
            store.forget(gone)
            store.keep_stale(stale)
            if followed:
                store.keep_notes(followed)


def _cited(each: UnfiledText, dating: LineDates) -> Sequence[CodeCitation]:
    citations = find_citations(each.text, paths=True)
    if all(one.hash or one.commit or one.kind != LINES for one in citations):
        return citations
    commit = each.commit or dating.head_before(each.moment)
    return [_dated(one, commit) for one in citations]


def _lacks_date(mention: CodeCitation) -> bool:
    return mention.kind == LINES and not mention.hash and not mention.commit


def _dated(mention: CodeCitation, commit: str) -> CodeCitation:
    return mention._replace(commit=commit) if _lacks_date(mention) else mention


def _is_note(mention: CodeCitation) -> bool:
    return mention.kind == LINES and bool(mention.hash or mention.commit)


def _note(mention: CodeCitation) -> LineCitation:
    return LineCitation("", mention.path, mention.start, mention.end, mention.hash, mention.commit)


def _place(
    document: str, mention: CodeCitation, judged: Mapping[str, CitationVerdict], paths: CitedPaths
) -> StalePlace | None:
    """The state of a citation; None if it is not certain."""
    if mention.kind != LINES:
        return paths.place(document, mention)
    judgement = judged.get(_note(mention).key) if _is_note(mention) else None
    if judgement is None or judgement.confidence < 1:
        return None
    shortened = judgement._replace(commit=judgement.commit[:SHORT_ID])
    return StalePlace(document, mention.line, mention.says, mention.kind, *shortened)


def find_stale_places(project: ConfinedFolder, document: str, text: str) -> Iterator[StalePlace]:
    """Find what a text cites with a hash that is no longer there."""
    tree = WorkTree(project)
    for each in [mention for mention in find_citations(text) if mention.hash][:MOST_JUDGED]:
        judgement = judge_by_content(LineCitation("", each.path, each.start, each.end, each.hash), tree)
        if judgement.state != FRESH:
            yield StalePlace(document, each.line, each.says, LINES, *judgement)


class StaleStates:
    """The stale places of a project as of its last upkeep; with its files, tasks are judged by content."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder | None = None) -> None:
        self._project = project
        self._found: dict[str, list[StalePlace]] = {}
        with suppress(FieldguideError), database.reading() as transaction:
            self._found = CitationStore(transaction, namespace).stale()

    def of(self, document: str, start: int = 0, end: int = 0) -> Sequence[StalePlace]:
        """What is stale of a document, or of some of its lines."""
        return [each for each in self._found.get(document, ()) if not start or start <= each.line <= end]

    def told(self, document: str, start: int = 0, end: int = 0, text: str = "") -> str:
        """The same in one short line; empty if all is fresh. A task needs its text."""
        places = self.of(document, start, end)
        if self._project is not None and document.startswith(TASK) and text:
            places = [*find_stale_places(self._project, document, text)]
        parts = [each.told() for each in places[:MOST_TOLD]]
        if len(places) > MOST_TOLD:
            parts.append(f"and {len(places) - MOST_TOLD} more")
        return cut_text(" | ".join(parts), LONGEST_TOLD)

    def all(self) -> list[StalePlace]:
        """All of it, by document and line."""
        return [place for document in sorted(self._found) for place in self._found[document]]


def update_citations(
    index: Database,
    stored: Database,
    namespace: str,
    project: ConfinedFolder,
    paths: Iterable[str],
    only: Collection[str] | None = None,
) -> int:
    """Bring the citations of a project up to date; return how many places are stale. `stored` has the findings.

    Where no files but some have changed since all were looked at, `only` names them.
    """
    found: list[Finding] = []
    with suppress(FieldguideError), stored.reading() as transaction:
        found = FindingRepository(transaction, namespace).all()
    history = load_history(index, namespace, project.root)
    keeper = CitationKeeper(index, namespace, project)
    return keeper.bring_up(paths, [*map(to_unfiled_text, found)], history, only)


def to_unfiled_text(discovery: Finding) -> UnfiledText:
    """Convert a finding to a text: its words, and below them the files of its evidence."""
    quoted = [each if "#L" in each or ":" in each else f"`{each}`" for each in discovery.files[:MOST_FILES]]
    text = "\n".join([discovery.content, *quoted])
    commit: Any = discovery.evidence.get("commit")
    return UnfiledText(f"{FINDING}{discovery.id}", text, discovery.date, commit if is_commit(commit) else "")
