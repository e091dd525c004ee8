"""Finds what documents mention that is gone from the code, with a confidence for each."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import keeps_own_history
from fieldguide.files.kinds import BENCHMARKS, EXAMPLES, SUFFIXES, TESTS, find_role, is_test
from fieldguide.files.project_files import list_project_files
from fieldguide.git.diff import MOST_COMMITS, CommitLine, read_commit_seconds
from fieldguide.git.history import stamp_head
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.links.mentions import (
    BLOCK,
    DOOMED,
    HOSTED,
    LINK,
    NOW,
    PAST,
    PLAIN,
    ROLE,
    SPAN,
    TITLE,
    NameMention,
    is_distinct,
    is_past_place,
)
from fieldguide.knowledge.links.project_names import (
    FOUND,
    REMOVED,
    CachedPart,
    DatabaseDriftCache,
    DriftCache,
    KnownPaths,
    PresentWords,
    contains_word,
    is_folder,
    is_own,
    read_mentions,
    read_words,
    resolve_written_path,
)
from fieldguide.knowledge.links.removals import (
    BOUND,
    DEFINED,
    QUOTED,
    PresentNames,
    Removal,
    RemovedPath,
    find_removed_between,
    find_removed_until_now,
    find_successor_path,
)
from fieldguide.prose.discovery import get_known_text
from fieldguide.search.engine import SearchEngine
from fieldguide.storage.database import Database
from fieldguide.text.citation import GONE, MOVED, OPTION, PATH, StalePlace
from fieldguide.text.errors import Refusal, Unreadable
from fieldguide.text.windows import decode_readable, split_lines

SURE = 0.95
LIKELY = 0.85
HINT = 0.5
ALARM = 0.8
"""Drift with at least this confidence is reported; below it, only to those who ask for hints."""
TELLING_LENGTH = 4
OF_PACKAGES = 3  # parts of a name that has its package, its module and itself
SELF = ("self", "this", "cls", "app")
MOST_ASKED = 500
MOST_SEARCHES = 40
MOST_NAMES = 4  # that a document had
LARGEST_DOCUMENT_BYTES = 4 << 20
TEXTS = (*(f"*{suffix}" for suffix in SUFFIXES), "README*")
GIT_SECONDS = 120.0
NEWS_SECONDS = 90 * 86_400  # before HEAD: later removals are news
MOST_FIRST_FILES = 5_000  # with more, drift is found by a server or by `fieldguide stale`
DRIFT = "drift"
COMMITS_OF_A_PASS = 500  # 1 s of CPU on cometbft, whose 6,700 take 13 s
BESIDE = (TESTS, EXAMPLES, BENCHMARKS)
VERSION = "1"
LARGEST_BYTES = 1 << 20
MOST_TOLD = 200
SHORT_ID = 9
STAMPS: "WeakKeyDictionary[Database, dict[tuple[str, str], object]]" = WeakKeyDictionary()
LOCK = threading.Lock()


def rate_recent_removal(mention: NameMention, part: str, removal: Removal, is_placed: bool) -> float:
    """Rate the confidence that a mention is of what was removed recently."""
    if mention.form == PLAIN and removal.strength < DEFINED and not part.isupper():
        return HINT  # a word of a sentence that was never defined: any variable may be called so
    is_named = is_distinct(part) or mention.form == ROLE or is_placed
    if is_named and removal.strength != QUOTED:
        return SURE if mention.is_plain else LIKELY
    if mention.is_plain and (is_named or _is_telling(part, removal)):
        return LIKELY
    return HINT


def _is_telling(part: str, removal: Removal) -> bool:
    """Whether a word that is no plain name is hardly used by chance."""
    if removal.strength == QUOTED or len(part) < TELLING_LENGTH:
        return False
    return removal.strength == DEFINED or not part.islower()


def rate_old_removal(mention: NameMention, part: str, removal: Removal, is_placed: bool) -> float:
    """Rate the confidence that the name in the document is the one that was removed long ago.

    A word that is no plain name needs its kind, or its place in a module of the project (`is_placed`). A name that a
    library may have now, or that only a sentence or an example has, is a hint.
    """
    if removal.is_handed or mention.form in (PLAIN, TITLE, BLOCK):
        return HINT
    is_bound = removal.strength >= BOUND
    if is_distinct(part):
        if is_bound:
            return SURE if mention.is_plain else LIKELY
        return LIKELY if mention.is_plain else HINT
    if is_bound and (mention.form == ROLE or (is_placed and mention.is_plain)):
        return LIKELY
    return HINT


class Drift(NamedTuple):
    """A name in a document that is gone from the code: by which commit, its successor and the confidence.

    `source` is the file that had it; `allowed` the reason that a comment gives for naming it; `reason` says why the
    confidence is low.
    """

    document: str
    line: int
    name: str
    kind: str
    gone: str
    commit: CommitLine
    successor: str
    confidence: float
    source: str = ""
    allowed: str = ""
    reason: str = ""

    @property
    def is_alarm(self) -> bool:
        """Whether it is sure enough to be reported, and not allowed."""
        return self.confidence >= ALARM and not self.allowed


@dataclass(frozen=True, slots=True)
class DriftEvidence:
    """The words and paths of a project now, and what commits removed.

    `own_words` are those of the implementation alone. What was removed since `news_from` is news, and needs less
    evidence to be reported.
    """

    words: PresentWords
    own_words: PresentWords
    news_from: int
    file_words: Mapping[str, bytes]
    paths: KnownPaths
    names: Mapping[str, Removal]
    gone_paths: Mapping[str, RemovedPath]
    gone_places: KnownPaths

    def is_news(self, removal: Removal | RemovedPath) -> bool:
        """Whether a removal is recent."""
        return removal.commit.seconds >= self.news_from

    def holds(self, word: str, removal: Removal) -> bool:
        """Whether a word is there now: in the implementation for recent removals, anywhere in code for old ones."""
        return word.encode() in (self.own_words if self.is_news(removal) else self.words)


def judge_mentions(document: str, mentions: Iterable[NameMention], evidence: DriftEvidence) -> Iterator[Drift]:
    """Find the mentions of one document that are gone."""
    judges: dict[str, Callable[[str, NameMention, DriftEvidence], Drift | None]] = {PATH: _path, OPTION: _option}
    for mention in mentions:
        drift = judges.get(mention.kind, _name)(document, mention, evidence)
        if drift is None:
            continue
        if not _is_of_now(mention, drift, evidence):
            drift = drift._replace(confidence=min(drift.confidence, HINT))
        yield drift._replace(allowed=mention.allowed)


def _is_of_now(mention: NameMention, found: Drift, evidence: DriftEvidence) -> bool:
    """Whether a mention claims that the thing exists: a link does, and so does a deprecation note.

    A link to a host may lead to another project, and a path in an example to another folder, so these count only for
    recent removals.
    """
    is_news = found.commit.seconds >= evidence.news_from
    if mention.form == HOSTED or (mention.kind == PATH and mention.form == BLOCK):
        return is_news and mention.told != PAST
    return mention.form == LINK or mention.told == NOW or (mention.told == DOOMED and is_news)


def _path(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    paths = evidence.paths
    places = list(resolve_written_path(document, mention.name))
    if any(paths.holds(place) or paths.modules(place) for place in places):
        return None
    where, confidence = _gone_place(mention, places, evidence)
    removed = _removed(where, evidence) if where else None
    if removed is None:
        return None
    if mention.form != LINK and where not in evidence.gone_places.files and not evidence.is_news(removed):
        confidence = LIKELY if is_folder(mention.name) else HINT
    return _lost(document, mention, where, removed, confidence, evidence)


def _gone_place(mention: NameMention, places: Iterable[str], evidence: DriftEvidence) -> tuple[str, float]:
    """The removed file or folder that is meant, with a confidence: by its whole path, or else by the end of it."""
    gone = evidence.gone_places
    where = next(filter(gone.holds, places), "")
    if where or mention.form in (LINK, HOSTED, BLOCK) or evidence.paths.ending(mention.name.lstrip("./")):
        return where, SURE
    tail = gone.ending(mention.name.strip("./"))
    if not is_own(tail) or tail not in gone.files:
        tail = ""
    return tail, LIKELY


def _lost(
    document: str, mention: NameMention, where: str, removed: RemovedPath, confidence: float, evidence: DriftEvidence
) -> Drift:
    new = find_successor_path(where, evidence.gone_paths, evidence.paths.files)
    return Drift(document, mention.line, mention.name, mention.kind, where, removed.commit, new, confidence, where)


def _removed(where: str, evidence: DriftEvidence) -> RemovedPath | None:
    """The removal of a file, or the latest removal of a file in a folder."""
    removed = evidence.gone_paths.get(where)
    if removed:
        return removed
    inside = [each for path, each in evidence.gone_paths.items() if path.startswith(f"{where}/")]
    if not inside:
        return None
    return max(inside, key=lambda each: each.commit.seconds)._replace(renamed="")


def _option(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    bare = mention.name.lstrip("-")
    first, *rest = bare.split("-")
    camel_case = first + "".join(map(str.capitalize, rest))
    spelled = (bare, bare.replace("-", "_"), camel_case)
    removal = next(filter(None, map(evidence.names.get, spelled)), None)
    if removal is None or removal.strength < QUOTED:
        return None
    is_news = evidence.is_news(removal)
    words = [bare]
    if "-" not in bare or bare not in evidence.names or not is_news:
        positive = bare.removeprefix("no-")
        words = [*spelled, positive, positive.replace("-", "_")]
    for at, letter in enumerate(bare[:-1]):
        if letter == "-":  # the option may be put together from parts
            words.append(bare[: at + 1])
    if any(evidence.holds(each, removal) for each in words):
        return None
    is_example = mention.form == BLOCK and not is_news  # of any program
    is_sure = (mention.is_plain or "-" in bare) and not is_example
    return _drift(document, mention, bare, removal, LIKELY if is_sure else HINT)


def _name(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    parts = mention.parts
    module = _module(document, mention, evidence)
    if module is not None:
        return module
    for part in reversed(parts):
        removal = evidence.names.get(part)
        if removal is None:
            continue
        is_news = evidence.is_news(removal)
        if removal.strength < _least(mention, part, is_news) or evidence.holds(part, removal):
            continue
        is_placed = parts[0] in evidence.paths.words and part != parts[0]
        if not is_placed and _tells_package(parts):
            continue  # another package has it
        rate = rate_recent_removal if is_news else rate_old_removal
        return _drift(document, mention, part, removal, rate(mention, part, removal, is_placed))
    return None


def _least(mention: NameMention, part: str, is_news: bool) -> int:
    """The least strength of a removal for this part of a name: a part before a dot may be any variable."""
    if part == mention.parts[-1]:
        return QUOTED
    return BOUND if is_news and is_distinct(part) else DEFINED


def _tells_package(parts: list[str]) -> bool:
    """Whether a dotted name begins with a package, rather than with an object or a short variable."""
    first = parts[0]
    return len(parts) >= OF_PACKAGES and first.islower() and len(first) > 1 and first not in SELF


def _module(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    """Judge a dotted name that begins with a removed module."""
    parts = mention.parts
    paths = evidence.paths
    gone = evidence.gone_places
    for count in range(len(parts), 1, -1):
        written = "/".join(parts[:count])
        if paths.modules(written):
            return None
        where = next(filter(partial(_is_own, gone, written), gone.modules(written)), "")
        if not where:
            continue
        if _is_in_package(parts[:count], evidence):
            return None
        removed = _removed(where, evidence)
        if removed is not None:
            confidence = LIKELY if evidence.is_news(removed) or mention.form in (SPAN, ROLE) else HINT
            return _lost(document, mention, where, removed, confidence, evidence)
    return None


def _is_in_package(parts: list[str], evidence: DriftEvidence) -> bool:
    """Whether the package of a removed module still has something of its name."""
    for package in evidence.paths.modules("/".join(parts[:-1])):
        opened = f"{package}/__init__.py" if package in evidence.paths.folders else package
        if contains_word(evidence.file_words.get(opened, b""), parts[-1].encode()):
            return True
    return False


def _is_own(gone: KnownPaths, written: str, path: str) -> bool:
    """Whether a module was the project's own: at the root, or one folder below, as in `src`."""
    if "/" in path.partition(written)[0].strip("/"):
        return False
    return is_own(path if path in gone.files else f"{path}/__init__.py")


def _drift(document: str, mention: NameMention, gone: str, removal: Removal, confidence: float) -> Drift:
    place = (document, mention.line, mention.name, mention.kind)
    return Drift(*place, gone, removal.commit, removal.successor, confidence, removal.path)


def confirm_drift(git: GitProgram, drifts: Sequence[Drift], removed: Mapping[str, RemovedPath]) -> Iterator[Drift]:
    """Lower drift to a hint if no document named it as of the commit that removed it."""
    asked = [each for each in drifts if each.confidence >= ALARM][:MOST_ASKED]
    former: dict[str, list[str]] = {}
    for old, each in removed.items():
        if each.renamed:
            former.setdefault(each.renamed, []).append(old)
    named = _named_before(git, asked, former)
    searched: dict[tuple[str, str], bool] = {}
    for drift in drifts:
        if drift.confidence < ALARM or drift in named or _named_anywhere(git, drift, searched):
            yield drift
        else:
            yield drift._replace(confidence=HINT, reason="it was written after the removal")


def _named_before(git: GitProgram, drifts: Sequence[Drift], former: Mapping[str, list[str]]) -> set[Drift]:
    """The drifts whose document, under its name or a former one, named the thing as of the commit."""
    places: list[tuple[str, Drift]] = []
    for each in drifts:
        names = [each.document, *former.get(each.document, [])]
        for name in names[1:]:
            names += former.get(name, [])
        places += [(f"{each.commit.id}:./{name}", each) for name in names[:MOST_NAMES] if "\n" not in name]
    contents = _contents(git, dict.fromkeys(place for place, _ in places))
    return {each for place, each in places if _word(each) in contents.get(place, b"")}


def _word(drift: Drift) -> bytes:
    """The word that a document must hold to have named it."""
    if drift.kind == "path":
        return drift.name.encode()
    return drift.gone.rpartition("/")[2].partition(".")[0].encode()


def _contents(git: GitProgram, places: Iterable[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with suppress(Unreadable, BrokenPipeError), git.started("cat-file", "--batch") as running:
        for place in places:
            content = running.read_object(place)
            if content is not None and len(content) < LARGEST_DOCUMENT_BYTES:
                found[place] = content
    return found


def _named_anywhere(git: GitProgram, drift: Drift, searched: dict[tuple[str, str], bool]) -> bool:
    """Whether any document had the name as of the commit, since texts are split and joined."""
    key = (drift.commit.id, _word(drift).decode(errors="replace"))
    if key not in searched and len(searched) < MOST_SEARCHES:
        searched[key] = False
        with suppress(Unreadable):
            asked = ("grep", "-l", "-I", "-w", "-F", "--max-count=1", "-e", key[1], key[0], "--", *TEXTS)
            listed = git.ask(*asked).decode(errors="replace").splitlines()
            searched[key] = any(not is_past_place(each.partition(":")[2]) for each in listed)
    return searched.get(key, False)


def find_drift(
    project: ConfinedFolder,
    kept: DriftCache | None = None,
    *,
    since: str | None = None,
    leave_out: Sequence[str] = (),
    most_commits: int = MOST_COMMITS,
) -> list[Drift]:
    """Find what documents name that is gone, sure or not; with `since`, only what later commits removed.

    At most `most_commits` are read that were not read before, the newest first.
    Raises Unreadable if git does not know the commit; finds nothing if the project has no history of its own.
    """
    if not keeps_own_history(project.root):
        return []
    git = GitProgram(project.root, GIT_SECONDS)
    oldest = git.resolve(since) if since is not None else None
    kept = kept or DriftCache()
    text = get_known_text(project.root).now(project, leave_out=leave_out)
    paths = list_project_files(project).paths
    file_words = read_words(project, paths, text, kept)
    known = KnownPaths(paths)
    head = git.resolve("HEAD")
    own = (words for path, words in file_words.items() if not is_test(path) and find_role(path) not in BESIDE)
    now = PresentNames(PresentWords(file_words.values()), PresentWords(own), 0)
    if oldest is None:
        now = now._replace(news_from=read_commit_seconds(git, head) - NEWS_SECONDS)
        removed = find_removed_until_now(git, now, known, kept, most_commits)
    else:
        removed = find_removed_between(git, now, known, newest=head, oldest=oldest)
    gone = {path: each for path, each in removed.paths.items() if path not in known.files}
    evidence = DriftEvidence(*now, file_words, known, removed.names, gone, KnownPaths(gone))
    drifts: list[Drift] = []
    for path, mentions in read_mentions(project, text, kept).items():
        drifts += judge_mentions(path, mentions, evidence)
    return list(confirm_drift(git, drifts, removed.paths))


def select_alarms(drifts: Iterable[Drift]) -> list[Drift]:
    """Select those that are sure enough to be reported."""
    return [each for each in drifts if each.is_alarm]


def update_drift(database: Database, namespace: str, project: ConfinedFolder, *, is_whole: bool) -> None:
    """Find drift again if `is_whole`, or if another commit is checked out since the last time.

    Each time reads a part of the history; `fieldguide stale` reads all that is left.
    """
    key = (namespace, project.root)
    stamp = stamp_head(project.root)
    if stamp is None:
        return
    with LOCK:
        known = STAMPS.setdefault(database, {})
        if not is_whole and known.get(key) == stamp:
            return
        known[key] = stamp
    kept = DatabaseDriftCache(database, namespace)
    store_drift(kept, select_alarms(find_drift(project, kept, most_commits=COMMITS_OF_A_PASS)))


def find_first_drift(engine: SearchEngine, namespace: str, project: ConfinedFolder) -> None:
    """Find drift if that was not done for the commit that is checked out; not for a project of very many files."""
    stamp = stamp_head(project.root)
    if stamp is None or STAMPS.get(engine.database, {}).get((namespace, project.root)) == stamp:
        return
    head = GitProgram(project.root, GIT_SECONDS).resolve("HEAD")
    last = DatabaseDriftCache(engine.database, namespace).read(REMOVED).get("")
    if last is not None and last.stamp.endswith(f" {head}"):
        return
    if len(list_project_files(project).paths) <= MOST_FIRST_FILES:
        with engine.turn(DRIFT):
            update_drift(engine.database, namespace, project, is_whole=False)


def store_drift(kept: DatabaseDriftCache, found: Sequence[Drift]) -> None:
    """Store drift by document, in place of what was stored."""
    by_document: dict[str, list[Drift]] = {}
    for each in found:
        by_document.setdefault(each.document, []).append(each)
    before = kept.read(FOUND)
    rows: dict[str, CachedPart] = {}
    for path, drifts in by_document.items():
        text = json.dumps(drifts, ensure_ascii=False)
        rows[path] = CachedPart(VERSION, text.encode("utf-8", "surrogatepass"))
    kept.put(FOUND, {path: row for path, row in rows.items() if before.get(path) != row})
    kept.forget(FOUND, [path for path in before if path not in rows])


def read_stored_drift(database: Database, namespace: str, project: ConfinedFolder) -> list[Drift]:
    """Read the drift found last whose line in the document still has the name; no history is read."""
    found: list[Drift] = []
    for path, part in DatabaseDriftCache(database, namespace).read(FOUND).items():
        if part.stamp == VERSION and len(found) < MOST_TOLD:
            found += _standing(project, path, _read(part.content))
    return found


def _standing(project: ConfinedFolder, path: str, drifts: Sequence[Drift]) -> Iterator[Drift]:
    try:
        lines = split_lines(decode_readable(project.read(path, limit_bytes=LARGEST_BYTES)))
    except Refusal:
        return
    for each in drifts:
        if 0 < each.line <= len(lines) and each.name.lstrip("-./") in lines[each.line - 1]:
            yield each


def _read(content: bytes) -> list[Drift]:
    try:
        rows = json.loads(content)
        return [Drift(*row)._replace(commit=CommitLine(*row[5])) for row in rows]
    except (ValueError, TypeError, IndexError):
        return []


def to_stale_place(drift: Drift) -> StalePlace:
    """Convert drift to the form that `fieldguide stale` reports."""
    is_moved = drift.kind == PATH and bool(drift.successor)
    hint = f"perhaps `{drift.successor}` now" if drift.successor and drift.kind != PATH else ""
    return StalePlace(
        drift.document,
        drift.line,
        drift.name,
        drift.kind,
        MOVED if is_moved else GONE,
        path=drift.successor if is_moved else "",
        difference="; ".join(filter(None, (hint, drift.reason))),
        commit=format_commit(drift.commit),
        confidence=drift.confidence,
    )


def format_commit(commit: CommitLine) -> str:
    """A commit in one line: its short id, its day and its subject."""
    try:
        day = datetime.fromtimestamp(commit.seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        day = ""
    return " ".join(filter(None, (commit.id[:SHORT_ID], f"({day})" if day else "", commit.subject)))
