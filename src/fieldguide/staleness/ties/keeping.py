"""Keeps ties up to date: reads what was written anew, follows what is cited, and keeps what is stale.

A document is read again only when it was saved anew. Where nothing cites anything, git is not asked at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.project_history.history import History
from fieldguide.spine.answers.stale_places import FRESH, LINES, MOVED, StalePlace
from fieldguide.staleness.followed import Followed, Judgement, read_followed
from fieldguide.staleness.following import follow
from fieldguide.staleness.notes import Note
from fieldguide.staleness.ties.dating import Dating
from fieldguide.staleness.ties.mentions import Mention, mentions_in, placed
from fieldguide.staleness.ties.paths import Paths
from fieldguide.staleness.ties.store import Tied, TieStore, kept_key
from fieldguide.staleness.work_tree import WorkTree
from fieldguide.storage.port import Database

ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt")
LARGEST_BYTES = 1 << 20
MOST_DOCUMENTS = 50_000
MOST_NOTES = 20_000
SHORT_ID = 10
HINT = 0.5  # a link to one commit shows what it showed; that the code is another now may not matter


class Unfiled(NamedTuple):
    """A text that lies in no file: how it is addressed, what it says, and when it was written (ISO 8601)."""

    address: str
    text: str
    moment: str
    commit: str = ""


def is_document(path: str) -> bool:
    """Whether a file is one that people write for people."""
    return path.lower().endswith(ENDINGS)


class TieKeeper:
    """Brings the ties of one project up to date."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder) -> None:
        self._database = database
        self._namespace = namespace
        self._project = project

    def bring_up(self, paths: Iterable[str], unfiled: Sequence[Unfiled], history: History) -> int:
        """Look at everything that may have changed; how many places are stale."""
        with self._database.reading() as transaction:
            store = TieStore(transaction, self._namespace)
            before, stale_before, kept = store.documents(), store.stale(), store.notes()
        tree = WorkTree(self._project)
        now = self._documents(paths, unfiled, before, tree)
        judged, followed = self._judged(now, kept)
        stale = _stale_places(now, judged, Paths(history, tree))
        self._keep(before, now, _differing(stale_before, stale), followed)
        return sum(map(len, stale.values()))

    def _documents(
        self, paths: Iterable[str], unfiled: Sequence[Unfiled], before: Mapping[str, Tied], tree: WorkTree
    ) -> dict[str, Tied]:
        """What every document cites; those that are as they were are not read."""
        found: dict[str, Tied] = {}
        dating = Dating(self._project.real_path())
        for path in [each for each in paths if is_document(each) and _can_be_kept(each)][:MOST_DOCUMENTS]:
            stamp = tree.stamp(path)
            known = before.get(path)
            found[path] = known if known and known.stamp == stamp else Tied(stamp, self._read(path, dating, tree))
        for each in unfiled:
            stamp = f"{each.moment} {len(each.text)}"
            known = before.get(each.address)
            found[each.address] = known if known and known.stamp == stamp else Tied(stamp, _cited(each, dating))
        return found

    def _read(self, path: str, dating: Dating, tree: WorkTree) -> Sequence[Mention]:
        try:
            text = self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8", "replace")
        except Refusal:
            return ()
        written_as = mentions_in(text.replace("\r\n", "\n"))
        found = [one for each in written_as if (one := placed(each, path, lambda name: bool(tree.stamp(name))))]
        if all(each.hash or each.commit for each in found):
            return found
        lines, written = text.replace("\r\n", "\n").split("\n"), dating.written(path)
        return [_dated(each, written.get(lines[each.line - 1], "")) for each in found]

    def _judged(
        self, documents: Mapping[str, Tied], kept: Mapping[str, object]
    ) -> tuple[dict[str, Judgement], list[Followed]]:
        """What became of the lines that documents cite, by the keys of their notes."""
        mentions = [each for tied in documents.values() for each in tied.mentions if _is_note(each)]
        notes = [*{note.key: note for note in map(_note, mentions)}.values()][:MOST_NOTES]
        if not notes:
            return {}, []
        known = {note.key: read_followed(note, kept.get(kept_key(note.key))) for note in notes}
        results = follow(self._project, notes, {key: each for key, each in known.items() if each is not None})
        return dict(zip((note.key for note in notes), results.judgements, strict=True)), results.followed

    def _keep(
        self,
        before: Mapping[str, Tied],
        now: Mapping[str, Tied],
        stale: Mapping[str, Sequence[StalePlace]],
        followed: Sequence[Followed],
    ) -> None:
        """Keep what is not as it was."""
        changed = {document: tied for document, tied in now.items() if before.get(document) != tied}
        gone = [document for document in before if document not in now]
        if not (changed or stale or gone or followed):
            return
        with self._database.writing() as transaction:
            store = TieStore(transaction, self._namespace)
            store.put(changed)
            store.forget(gone)
            store.keep_stale(stale)
            store.keep_notes(followed)


def _stale_places(
    documents: Mapping[str, Tied], judged: Mapping[str, Judgement], paths: Paths
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


def _cited(each: Unfiled, dating: Dating) -> Sequence[Mention]:
    found = mentions_in(each.text, paths=True)
    if all(one.hash or one.commit or one.kind != LINES for one in found):
        return found
    commit = each.commit or dating.head_before(each.moment)
    return [_dated(one, commit) if one.kind == LINES else one for one in found]


def _dated(mention: Mention, commit: str) -> Mention:
    return mention if mention.hash or mention.commit else mention._replace(commit=commit)


def _is_note(mention: Mention) -> bool:
    return mention.kind == LINES and bool(mention.hash or mention.commit)


def _note(mention: Mention) -> Note:
    return Note("", mention.path, mention.start, mention.end, mention.hash, mention.commit)


def _place(document: str, mention: Mention, judged: Mapping[str, Judgement], paths: Paths) -> StalePlace | None:
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
