"""Stores what each document cites and keeps the list of stale places up to date.

A document is read again only when it was saved anew. Where nothing cites anything, git is not asked at all.

That reads a few files and no history. So no upkeep ever reads what belongs to one user alone.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import keeps_own_history
from fieldguide.git.history import History, load_history
from fieldguide.git.log import HistoryCommit
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.findings.finding import ARCHIVED, CONFIRMED, Finding, FindingRepository
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
from fieldguide.storage.database import Database, Transaction
from fieldguide.text.citation import FRESH, GONE, LINES, MOVED, StalePlace
from fieldguide.text.errors import FieldguideError, Refusal, Unreadable

BLAME_SECONDS = 10.0
MOST_BYTES = 16 << 20
BLAME = ("-c", "blame.ignoreRevsFile=", "blame", "-s", "--porcelain", "--no-textconv", "HEAD", "--")


class LineDates:
    """The commits that wrote the lines of documents; none where the history is not the project's own."""

    def __init__(self, root: str) -> None:
        self._git = GitProgram(root, BLAME_SECONDS) if keeps_own_history(root) else None

    def written(self, document: str) -> dict[str, str]:
        """The lines of a document as HEAD has it, each with the commit that wrote it last; the first of equal ones."""
        if self._git is None or "\n" in document or "\0" in document:
            return {}
        try:
            said = self._git.ask(*BLAME, document)
        except Unreadable:
            return {}
        return _lines(said.decode("utf-8", "replace")) if len(said) <= MOST_BYTES else {}

    def head_before(self, moment: str) -> str:
        """The commit of HEAD's first parents that was there at a moment; empty where there was none."""
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
            commit = word if len(word) == 40 and word.isalnum() else commit
    return found


MOST_NAMES = 20


class CitedPaths:
    """What became of paths, by what git told of names."""

    def __init__(self, history: History, tree: WorkTree) -> None:
        self._history = history
        self._tree = tree
        self._renamed: dict[str, tuple[str, HistoryCommit]] | None = None
        self._gone: dict[str, HistoryCommit] = {}

    def place(self, document: str, mention: CodeCitation) -> StalePlace | None:
        """The state of a path that a document names; None where it is none that the project ever had."""
        if self._tree.stamp(mention.path):
            return StalePlace(document, mention.line, mention.says, mention.kind, FRESH, mention.path)
        renamed = self._renamed_names()
        by = None
        path = mention.path
        for _ in range(MOST_NAMES):
            if path not in renamed:
                break
            path, by = renamed[path]
        if by is not None and self._tree.stamp(path):
            told = (document, mention.line, mention.says, mention.kind, MOVED, path)
            return StalePlace(*told, commit=by.id[:SHORT_ID])
        by = self._gone.get(path)
        if by is None:
            return None
        return StalePlace(document, mention.line, mention.says, mention.kind, GONE, commit=by.id[:SHORT_ID])

    def _renamed_names(self) -> dict[str, tuple[str, HistoryCommit]]:
        """The latest new name of each path that was renamed; those that were taken away are noted on the way."""
        if self._renamed is None:
            self._renamed = {}
            for change in reversed(self._history.changes):
                for old, new in change.renamed:
                    self._renamed[old] = (new, change)
                for path in change.gone:
                    self._gone[path] = change
        return self._renamed


MOST_STALE = 2000


class CitingDocument(NamedTuple):
    """A document: what tells whether it was written anew, and what it cites."""

    stamp: str
    mentions: Sequence[CodeCitation]


class CitationStore:
    """The ties of one project, in one transaction of the index's database."""

    def __init__(self, transaction: Transaction, namespace: str) -> None:
        self._transaction = transaction
        self._namespace = namespace

    def documents(self) -> dict[str, CitingDocument]:
        """Every document that was looked at."""
        rows = self._fetch("SELECT document, stamp, mentions FROM tied_document WHERE namespace = :namespace")
        return {
            str(row["document"]): CitingDocument(str(row["stamp"]), _mentions(str(row["mentions"]))) for row in rows
        }

    def put(self, documents: Mapping[str, CitingDocument]) -> None:
        """Keep what some documents cite, in place of what they cited."""
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

    def forget(self, documents: Iterable[str]) -> None:
        """Forget documents that are gone."""
        self._transaction.execute_many(
            "DELETE FROM tied_document WHERE namespace = :namespace AND document = :document",
            [{"namespace": self._namespace, "document": each} for each in documents],
        )

    def stale(self) -> dict[str, list[StalePlace]]:
        """What is stale, by document: one query, for there is never much of it."""
        sql = "SELECT document, stale FROM tied_document WHERE namespace = :namespace AND stale <> '' LIMIT :most"
        rows = self._fetch(sql, most=MOST_STALE)
        return {str(row["document"]): _places(str(row["document"]), str(row["stale"])) for row in rows}

    def keep_stale(self, stale: Mapping[str, Sequence[StalePlace]]) -> None:
        """Keep what is stale of some documents; nothing where all is fresh."""
        self._transaction.execute_many(
            "UPDATE tied_document SET stale = :stale WHERE namespace = :namespace AND document = :document",
            [
                {"namespace": self._namespace, "document": document, "stale": _written(places)}
                for document, places in stale.items()
            ],
        )

    def notes(self) -> dict[str, Any]:
        """How far each note was followed, by its key."""
        rows = self._fetch("SELECT note, followed FROM tied_note WHERE namespace = :namespace")
        return {str(row["note"]): json.loads(str(row["followed"])) for row in rows}

    def keep_notes(self, followed: Iterable[TrackedCitation]) -> None:
        """Keep how far notes were followed, in place of all that was kept."""
        self._transaction.execute("DELETE FROM tied_note WHERE namespace = :namespace", {"namespace": self._namespace})
        self._transaction.execute_many(
            "INSERT INTO tied_note (namespace, note, followed) VALUES (:namespace, :note, :followed)",
            [
                {
                    "namespace": self._namespace,
                    "note": to_stored_key(each.note.key),
                    "followed": json.dumps(each.kept()),
                }
                for each in followed
            ],
        )

    def _fetch(self, sql: str, **given: Any) -> Sequence[Mapping[str, Any]]:
        return self._transaction.fetch_all(sql, {"namespace": self._namespace, **given})


def to_stored_key(key: str) -> str:
    """The key of a note as it is kept: PostgreSQL takes no NUL."""
    return key.replace("\0", "\n")


def _mentions(text: str) -> list[CodeCitation]:
    return [CodeCitation(*row) for row in cast("list[list[Any]]", json.loads(text))]


def _text(tied: CitingDocument) -> str:
    return json.dumps([[*each] for each in tied.mentions], ensure_ascii=True)


def _written(places: Sequence[StalePlace]) -> str:
    return json.dumps([[*each[1:]] for each in places], ensure_ascii=True) if places else ""


def _places(document: str, text: str) -> list[StalePlace]:
    return [StalePlace(document, *row) for row in cast("list[list[Any]]", json.loads(text))]


ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt")
LARGEST_BYTES = 1 << 20
MOST_DOCUMENTS = 50_000
MOST_NOTES = 20_000
SHORT_ID = 10
HINT = 0.5  # a link to one commit shows what it showed; that the code is another now may not matter


class UnfiledText(NamedTuple):
    """A text that lies in no file: how it is addressed, what it says, and when it was written (ISO 8601)."""

    address: str
    text: str
    moment: str
    commit: str = ""


def is_document(path: str) -> bool:
    """Whether a file is one that people write for people."""
    return path.lower().endswith(ENDINGS)


class CitationKeeper:
    """Brings the ties of one project up to date."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder) -> None:
        self._database = database
        self._namespace = namespace
        self._project = project

    def bring_up(self, paths: Iterable[str], unfiled: Sequence[UnfiledText], history: History) -> int:
        """Look at everything that may have changed; how many places are stale."""
        with self._database.reading() as transaction:
            store = CitationStore(transaction, self._namespace)
            before = store.documents()
            stale_before = store.stale()
            kept = store.notes()
        tree = WorkTree(self._project)
        now = self._documents(paths, unfiled, before, tree)
        judged, followed = self._judged(now, kept)
        stale = _stale_places(now, judged, CitedPaths(history, tree))
        self._keep(before, now, _differing(stale_before, stale), followed)
        return sum(map(len, stale.values()))

    def _documents(
        self, paths: Iterable[str], unfiled: Sequence[UnfiledText], before: Mapping[str, CitingDocument], tree: WorkTree
    ) -> dict[str, CitingDocument]:
        """What every document cites; those that are as they were are not read."""
        found: dict[str, CitingDocument] = {}
        dating = LineDates(self._project.real_path())
        for path in [each for each in paths if is_document(each) and _can_be_kept(each)][:MOST_DOCUMENTS]:
            stamp = tree.stamp(path)
            known = before.get(path)
            found[path] = (
                known if known and known.stamp == stamp else CitingDocument(stamp, self._read(path, dating, tree))
            )
        for each in unfiled:
            stamp = f"{each.moment} {len(each.text)}"
            known = before.get(each.address)
            found[each.address] = (
                known if known and known.stamp == stamp else CitingDocument(stamp, _cited(each, dating))
            )
        return found

    def _read(self, path: str, dating: LineDates, tree: WorkTree) -> Sequence[CodeCitation]:
        try:
            text = self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ()
        written_as = find_citations(text.replace("\r\n", "\n"))
        found = [
            one for each in written_as if (one := resolve_citation(each, path, lambda name: bool(tree.stamp(name))))
        ]
        if all(each.hash or each.commit for each in found):
            return found
        lines = text.replace("\r\n", "\n").split("\n")
        written = dating.written(path)
        return [_dated(each, written.get(lines[each.line - 1], "")) for each in found]

    def _judged(
        self, documents: Mapping[str, CitingDocument], kept: Mapping[str, object]
    ) -> tuple[dict[str, CitationVerdict], list[TrackedCitation]]:
        """What became of the lines that documents cite, by the keys of their notes."""
        mentions = [each for tied in documents.values() for each in tied.mentions if _is_note(each)]
        notes = [*{note.key: note for note in map(_note, mentions)}.values()][:MOST_NOTES]
        if not notes:
            return {}, []
        known = {note.key: read_tracked(note, kept.get(to_stored_key(note.key))) for note in notes}
        results = track_citations(self._project, notes, {key: each for key, each in known.items() if each is not None})
        return dict(zip((note.key for note in notes), results.judgements, strict=True)), results.followed

    def _keep(
        self,
        before: Mapping[str, CitingDocument],
        now: Mapping[str, CitingDocument],
        stale: Mapping[str, Sequence[StalePlace]],
        followed: Sequence[TrackedCitation],
    ) -> None:
        """Keep what is not as it was."""
        changed = {document: tied for document, tied in now.items() if before.get(document) != tied}
        gone = [document for document in before if document not in now]
        if not (changed or stale or gone or followed):
            return
        with self._database.writing() as transaction:
            store = CitationStore(transaction, self._namespace)
            store.put(changed)
            store.forget(gone)
            store.keep_stale(stale)
            store.keep_notes(followed)


def _stale_places(
    documents: Mapping[str, CitingDocument], judged: Mapping[str, CitationVerdict], paths: CitedPaths
) -> dict[str, list[StalePlace]]:
    """What is stale of each document that cites anything stale."""
    stale: dict[str, list[StalePlace]] = {}
    for document, tied in documents.items():
        found = [_place(document, each, judged, paths) for each in tied.mentions]
        if told := [each for each in found if each is not None and each.state != FRESH]:
            stale[document] = told
    return stale


def _differing(
    before: Mapping[str, list[StalePlace]], now: Mapping[str, list[StalePlace]]
) -> dict[str, list[StalePlace]]:
    """What is stale now of the documents of which something else was."""
    return {each: now.get(each, []) for each in {*before, *now} if before.get(each) != now.get(each)}


def _can_be_kept(path: str) -> bool:
    """Whether a name is text: one with bytes that are none can be in no database."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _cited(each: UnfiledText, dating: LineDates) -> Sequence[CodeCitation]:
    found = find_citations(each.text, paths=True)
    if all(one.hash or one.commit or one.kind != LINES for one in found):
        return found
    commit = each.commit or dating.head_before(each.moment)
    return [_dated(one, commit) if one.kind == LINES else one for one in found]


def _dated(mention: CodeCitation, commit: str) -> CodeCitation:
    return mention if mention.hash or mention.commit else mention._replace(commit=commit)


def _is_note(mention: CodeCitation) -> bool:
    return mention.kind == LINES and bool(mention.hash or mention.commit)


def _note(mention: CodeCitation) -> LineCitation:
    return LineCitation("", mention.path, mention.start, mention.end, mention.hash, mention.commit)


def _place(
    document: str, mention: CodeCitation, judged: Mapping[str, CitationVerdict], paths: CitedPaths
) -> StalePlace | None:
    """The state of a mention; None where nothing can be said of it for sure."""
    if mention.kind != LINES:
        return paths.place(document, mention)
    judgement = judged.get(_note(mention).key) if _is_note(mention) else None
    if judgement is None or judgement.confidence < 1:
        return None
    if mention.is_pinned and judgement.state == MOVED:
        return None
    confidence = HINT if mention.is_pinned else judgement.confidence
    told = judgement._replace(commit=judgement.commit[:SHORT_ID], confidence=confidence)
    return StalePlace(document, mention.line, mention.says, mention.kind, *told)


MOST_JUDGED = 5


def find_stale_places(project: ConfinedFolder, document: str, text: str) -> Iterator[StalePlace]:
    """What a text cites by a hash, and does not stand there any more."""
    tree = WorkTree(project)
    for each in [mention for mention in find_citations(text) if mention.hash][:MOST_JUDGED]:
        judgement = judge_by_content(LineCitation("", each.path, each.start, each.end, each.hash), tree)
        if judgement.state != FRESH:
            yield StalePlace(document, each.line, each.says, LINES, *judgement)


FINDING = "finding://"
TASK = "task://"
"""What the addresses of findings and tasks begin with."""
MOST_TOLD = 2
LONGEST_TOLD = 240


class StaleStates:
    """The stale places of a project as of its last upkeep; with its files, tasks are judged by content."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder | None = None) -> None:
        self._project = project
        self._found: dict[str, list[StalePlace]] = {}
        with suppress(FieldguideError), database.reading() as transaction:
            self._found = CitationStore(transaction, namespace).stale()

    def of(self, document: str, start: int = 0, end: int = 0) -> Sequence[StalePlace]:
        """What is stale of a document, or of some of its lines."""
        found = self._found.get(document, ())
        return [each for each in found if not start or start <= each.line <= end] if found else ()

    def told(self, document: str, start: int = 0, end: int = 0, text: str = "") -> str:
        """The same in one short line; empty where all is fresh. Of a task the text must be given."""
        found = self.of(document, start, end)
        if self._project is not None and document.startswith(TASK) and text:
            found = [*find_stale_places(self._project, document, text)]
        more = [f"and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
        said = " | ".join([*(each.told() for each in found[:MOST_TOLD]), *more])
        return said if len(said) <= LONGEST_TOLD else f"{said[: LONGEST_TOLD - 1]}…"

    def all(self) -> list[StalePlace]:
        """All of it, by document and line."""
        return [place for document in sorted(self._found) for place in self._found[document]]


MOST_FILES = 20


def update_citations(
    index: Database, stored: Database, namespace: str, project: ConfinedFolder, paths: Iterable[str]
) -> int:
    """Bring the ties of a project up to date; how many places are stale. `stored` is where findings are kept."""
    found: list[Finding] = []
    with suppress(FieldguideError), stored.reading() as transaction:
        found = [each for each in FindingRepository(transaction, namespace).all() if each.review != ARCHIVED]
    history = load_history(index, namespace, project.root)
    return CitationKeeper(index, namespace, project).bring_up(paths, [*map(to_unfiled_text, found)], history)


def to_unfiled_text(discovery: Finding) -> UnfiledText:
    """A finding as a text: its words, and below them the files that it rests on."""
    files: Any = discovery.evidence.get("files") or ()
    listed: list[Any] = cast("Any", files) if isinstance(files, list) else []
    named = [each for each in listed if isinstance(each, str)]
    quoted = [each if "#L" in each or ":" in each else f"`{each}`" for each in named[:MOST_FILES]]
    text = "\n".join([discovery.content, *quoted])
    if discovery.review == CONFIRMED:  # it held then, whatever was there before
        return UnfiledText(f"{FINDING}{discovery.id}", text, discovery.reviewed_at)
    commit: Any = discovery.evidence.get("commit")
    return UnfiledText(f"{FINDING}{discovery.id}", text, discovery.date, commit if is_commit(commit) else "")
