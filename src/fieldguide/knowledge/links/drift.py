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
from fieldguide.files.kinds import BENCHMARKS, EXAMPLES, TESTS, find_role, is_test
from fieldguide.files.project_files import list_project_files
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
    CachedPart,
    DatabaseDriftCache,
    DriftCache,
    KnownPaths,
    MemoryDriftCache,
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
    CommitLine,
    PresentNames,
    Removal,
    RemovedPath,
    find_removed_between,
    find_removed_until_now,
    find_successor_path,
    read_commit_seconds,
    resolve_commit,
)
from fieldguide.prose.discovery import FoundText, get_known_text
from fieldguide.storage.database import Database
from fieldguide.text.citation import GONE, MOVED, OPTION, PATH, StalePlace
from fieldguide.text.errors import Refusal, Unreadable
from fieldguide.text.windows import decode_readable, split_lines

SURE = 0.95
LIKELY = 0.85
HINT = 0.5
TELLING_LENGTH = 4


def rate_recent_removal(mention: NameMention, part: str, removal: Removal, is_placed: bool) -> float:
    """How sure it is of what was removed just now."""
    if _may_be_variable(mention, part, removal):
        return HINT
    is_named = is_distinct(part) or mention.form == ROLE or is_placed
    if is_named and removal.strength != QUOTED:
        return SURE if mention.is_plain else LIKELY
    is_told = is_named or _is_telling(part, removal)
    return LIKELY if mention.is_plain and is_told else HINT


def _may_be_variable(mention: NameMention, part: str, removal: Removal) -> bool:
    """Whether a word of a sentence is none that was defined: any variable may be called so."""
    return mention.form == PLAIN and removal.strength < DEFINED and not part.isupper()


def _is_telling(part: str, removal: Removal) -> bool:
    """Whether a word that is no plain name is one that hardly anybody uses by chance."""
    if removal.strength == QUOTED or len(part) < TELLING_LENGTH:
        return False
    return removal.strength == DEFINED or not part.islower()


def rate_old_removal(mention: NameMention, part: str, removal: Removal, is_placed: bool) -> float:
    """How sure it is that the name in the document is the one that was removed long ago.

    A word that is no plain name must say what it is, or where it is (`is_placed`: in a module of the project). What a
    library may have now, what a sentence only speaks of and what an example has is a hint.
    """
    if removal.is_handed or mention.form in (PLAIN, TITLE, BLOCK):
        return HINT
    is_bound = removal.strength >= BOUND
    if is_distinct(part):
        sure, less = (SURE, LIKELY) if is_bound else (LIKELY, HINT)
        return sure if mention.is_plain else less
    is_told = mention.form == ROLE or (is_placed and mention.is_plain)
    return LIKELY if is_bound and is_told else HINT


OF_PACKAGES = 3  # parts of a name that tells its package, its module and itself
SELF = ("self", "this", "cls", "app")
ALARM = 0.8
"""From this confidence on, something is told as gone; below it, only to those who ask for hints."""


class Drift(NamedTuple):
    """Something that a document names and that is gone, by which commit, what stands there now, and how sure it is.

    `source` is the file that had it; `allowed` the reason that a comment gives for naming it; `reason` says why it is
    less sure than it looks.
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
        """Whether it is sure enough to be told, and nobody has allowed it."""
        return self.confidence >= ALARM and not self.allowed


@dataclass(frozen=True, slots=True)
class DriftEvidence:
    """What is known of a project: its words and paths now, and what commits took away.

    `own_words` are those of the implementation alone. What went since `news_from` is news: the change that did it is
    at hand, so less is needed to tell it.
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
        """Whether a word is there now, in the implementation; of what went long ago, anywhere in code."""
        return word.encode() in (self.own_words if self.is_news(removal) else self.words)


def judge_mentions(document: str, mentions: Iterable[NameMention], evidence: DriftEvidence) -> Iterator[Drift]:
    """What of the mentions of one document is gone."""
    judges: dict[str, Callable[[str, NameMention, DriftEvidence], Drift | None]] = {PATH: _path, OPTION: _option}
    for mention in mentions:
        found = judges.get(mention.kind, _name)(document, mention, evidence)
        if found is not None:
            is_sure = _is_of_now(mention, found, evidence)
            confidence = found.confidence if is_sure else min(found.confidence, HINT)
            yield found._replace(confidence=confidence, allowed=mention.allowed)


def _is_of_now(mention: NameMention, found: Drift, evidence: DriftEvidence) -> bool:
    """Whether a mention tells of what is there: a link always does, and what is deprecated has to be there as well.

    A link to a host may lead to another project, and a path in an example to another folder, so they tell only news.
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
    """What is meant of that which is gone, and how surely: as it is written, or else by the end of its path."""
    gone = evidence.gone_places
    where = next((place for place in places if gone.holds(place)), "")
    if where or mention.form in (LINK, HOSTED, BLOCK) or evidence.paths.ending(mention.name.lstrip("./")):
        return where, SURE
    tail = gone.ending(mention.name.strip("./"))
    return tail if is_own(tail) and tail in gone.files else "", LIKELY


def _lost(
    document: str, mention: NameMention, where: str, removed: RemovedPath, confidence: float, evidence: DriftEvidence
) -> Drift:
    new = find_successor_path(where, evidence.gone_paths, evidence.paths.files)
    return Drift(document, mention.line, mention.name, mention.kind, where, removed.commit, new, confidence, where)


def _removed(where: str, evidence: DriftEvidence) -> RemovedPath | None:
    """How a file or a folder went."""
    return evidence.gone_paths.get(where) or _below(where, evidence)


def _below(folder: str, evidence: DriftEvidence) -> RemovedPath | None:
    """The latest removal of a file in a folder that is gone."""
    inside = f"{folder}/"
    found = [each for path, each in evidence.gone_paths.items() if path.startswith(inside)]
    return max(found, key=lambda each: each.commit.seconds)._replace(renamed="") if found else None


def _option(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    bare = mention.name.lstrip("-")
    spelled = (bare, bare.replace("-", "_"), _humped(bare))
    removal = next((evidence.names[each] for each in spelled if each in evidence.names), None)
    if removal is None or removal.strength < QUOTED:
        return None
    is_exact = "-" in bare and bare in evidence.names and evidence.is_news(removal)
    looked_for = (bare,) if is_exact else (*spelled, *_positive(bare))
    if any(evidence.holds(each, removal) for each in (*looked_for, *_beginnings(bare))):
        return None
    return _drift(document, mention, bare, removal, _option_confidence(mention, removal, evidence))


def _option_confidence(mention: NameMention, removal: Removal, evidence: DriftEvidence) -> float:
    is_sure = mention.is_plain or "-" in mention.name.lstrip("-")
    is_example = mention.form == BLOCK and not evidence.is_news(removal)  # of any program
    return LIKELY if is_sure and not is_example else HINT


def _positive(option: str) -> tuple[str, str]:
    """What an option that begins with `no-` takes back, in either spelling."""
    positive = option.removeprefix("no-")
    return positive, positive.replace("-", "_")


def _beginnings(option: str) -> list[str]:
    """What an option may begin with that is put together of parts."""
    return [option[: at + 1] for at, letter in enumerate(option[:-1]) if letter == "-"]


def _name(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    parts = mention.parts
    module = _module(document, mention, evidence)
    if module is not None:
        return module
    for part in reversed(parts):
        removal = evidence.names.get(part)
        if removal is None or not _is_gone(mention, part, removal, evidence):
            continue
        is_placed = parts[0] in evidence.paths.words and part != parts[0]
        if not is_placed and _tells_package(parts):
            continue  # another one has it
        judge = rate_recent_removal if evidence.is_news(removal) else rate_old_removal
        return _drift(document, mention, part, removal, judge(mention, part, removal, is_placed))
    return None


def _is_gone(mention: NameMention, part: str, removal: Removal, evidence: DriftEvidence) -> bool:
    """Whether a name was surely enough the project's own, and is not there now."""
    least = _least(mention, part, evidence.is_news(removal))
    return removal.strength >= least and not evidence.holds(part, removal)


def _least(mention: NameMention, part: str, is_news: bool) -> int:
    """How surely a name has to have been the project's own: what stands before a dot may be any variable."""
    if part == mention.parts[-1]:
        return QUOTED
    return BOUND if is_news and is_distinct(part) else DEFINED


def _tells_package(parts: list[str]) -> bool:
    """Whether a name begins with a package, and not with the thing itself or a letter that stands for it."""
    first = parts[0]
    return len(parts) >= OF_PACKAGES and first.islower() and len(first) > 1 and first not in SELF


def _module(document: str, mention: NameMention, evidence: DriftEvidence) -> Drift | None:
    """A dotted name that begins with a module which was taken away."""
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
    """Whether the package that a module lay in has something of its name."""
    for package in evidence.paths.modules("/".join(parts[:-1])):
        opened = f"{package}/__init__.py" if package in evidence.paths.folders else package
        if contains_word(evidence.file_words.get(opened, b""), parts[-1].encode()):
            return True
    return False


def _is_own(gone: KnownPaths, written: str, path: str) -> bool:
    """Whether a module was the project's own: it lay at the root, or one folder below, as in `src`."""
    before = path.partition(written)[0].strip("/")
    return "/" not in before and is_own(path if path in gone.files else f"{path}/__init__.py")


def _drift(document: str, mention: NameMention, gone: str, removal: Removal, confidence: float) -> Drift:
    kind = mention.kind
    return Drift(
        document, mention.line, mention.name, kind, gone, removal.commit, removal.successor, confidence, removal.path
    )


def _humped(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(each.capitalize() for each in rest)


MOST_ASKED = 500
MOST_SEARCHES = 40
MOST_NAMES = 4  # that a document had
LARGEST_DOCUMENT_BYTES = 4 << 20
TEXTS = ("*.md", "*.mdx", "*.rst", "*.adoc", "*.asciidoc", "*.txt", "*.html", "*.[1-9]", "README*")


def confirm_drift(git: GitProgram, drifts: Sequence[Drift], removed: Mapping[str, RemovedPath]) -> Iterator[Drift]:
    """The same; those that no document named as of the commit are hints only."""
    asked = [each for each in drifts if each.confidence >= ALARM][:MOST_ASKED]
    told = _named_before(git, asked, _former_names(removed))
    searched: dict[tuple[str, str], bool] = {}
    for each in drifts:
        if each.confidence < ALARM:
            yield each
            continue
        is_told = each in told or _named_anywhere(git, each, searched)
        yield each if is_told else each._replace(confidence=HINT, reason="it was written after the removal")


def _former_names(removed: Mapping[str, RemovedPath]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for old, each in removed.items():
        if each.renamed:
            found.setdefault(each.renamed, []).append(old)
    return found


def _named_before(git: GitProgram, drifts: Sequence[Drift], former: Mapping[str, list[str]]) -> set[Drift]:
    """Those whose document, under its name or one that it had, named the thing as of the commit."""
    places: list[tuple[str, Drift]] = []
    for each in drifts:
        names = [each.document, *former.get(each.document, [])]
        names += [older for name in names[1:] for older in former.get(name, [])]
        places += [(f"{each.commit.id}:./{name}", each) for name in names[:MOST_NAMES] if "\n" not in name]
    contents = _contents(git, dict.fromkeys(place for place, _ in places))
    return {each for place, each in places if _word(each) in contents.get(place, b"")}


def _word(drift: Drift) -> bytes:
    """What a document has to hold to have named it."""
    return drift.name.encode() if drift.kind == "path" else drift.gone.rpartition("/")[2].partition(".")[0].encode()


def _contents(git: GitProgram, places: Iterable[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with suppress(Unreadable), git.started("cat-file", "--batch") as running:
        asked = running.process.stdin
        answers = running.process.stdout
        if asked is None or answers is None:
            return found
        for place in places:
            try:
                asked.write(f"{place}\n".encode())
                asked.flush()
            except BrokenPipeError:
                break
            words = answers.readline().split()
            if len(words) == 3 and words[2].isdigit():
                content = answers.read(int(words[2]) + 1)
                found[place] = content if len(content) < LARGEST_DOCUMENT_BYTES and words[1] == b"blob" else b""
    return found


def _named_anywhere(git: GitProgram, drift: Drift, searched: dict[tuple[str, str], bool]) -> bool:
    """Whether any document had the name as of the commit: texts are split and joined."""
    key = (drift.commit.id, _word(drift).decode(errors="replace"))
    if key not in searched and len(searched) < MOST_SEARCHES:
        searched[key] = False
        with suppress(Unreadable):
            asked = ("grep", "-l", "-I", "-w", "-F", "--max-count=1", "-e", key[1], key[0], "--", *TEXTS)
            listed = git.ask(*asked).decode(errors="replace").splitlines()
            searched[key] = any(not is_past_place(each.partition(":")[2]) for each in listed)
    return searched.get(key, False)


GIT_SECONDS = 120.0
NEWS_SECONDS = 90 * 86_400  # before HEAD: what went since is still in somebody's mind
BESIDE = (TESTS, EXAMPLES, BENCHMARKS)


def find_drift(
    project: ConfinedFolder,
    kept: DriftCache | None = None,
    *,
    since: str | None = None,
    leave_out: Sequence[str] = (),
) -> list[Drift]:
    """What documents name that is gone, sure or not; with `since`, only what commits after that one took away.

    Unreadable where git does not know the commit; nothing where the project has no history of its own.
    """
    if not keeps_own_history(project.root):
        return []
    git = GitProgram(project.root, GIT_SECONDS)
    oldest = resolve_commit(git, since) if since is not None else None
    kept = kept or MemoryDriftCache()
    text = get_known_text(project.root).now(project, leave_out=leave_out)
    paths = list_project_files(project).paths
    file_words = read_words(project, paths, text, kept)
    known = KnownPaths(paths)
    head = resolve_commit(git, "HEAD")
    now = _now(file_words, 0 if oldest is not None else read_commit_seconds(git, head) - NEWS_SECONDS)
    if oldest is None:
        removed = find_removed_until_now(git, now, known, kept)
    else:
        removed = find_removed_between(git, now, known, newest=head, oldest=oldest)
    gone = {path: each for path, each in removed.paths.items() if path not in known.files}
    evidence = DriftEvidence(*now, file_words, known, removed.names, gone, KnownPaths(gone))
    return list(confirm_drift(git, _judged(project, text, evidence, kept), removed.paths))


def _now(file_words: Mapping[str, bytes], news_from: int) -> PresentNames:
    own = (words for path, words in file_words.items() if not is_test(path) and find_role(path) not in BESIDE)
    return PresentNames(PresentWords(file_words.values()), PresentWords(own), news_from)


def _judged(project: ConfinedFolder, text: FoundText, evidence: DriftEvidence, kept: DriftCache) -> list[Drift]:
    mentions = read_mentions(project, text, kept)
    return [drift for path, each in mentions.items() for drift in judge_mentions(path, each, evidence)]


def select_alarms(drifts: Iterable[Drift]) -> list[Drift]:
    """Those that are sure enough to be told."""
    return [each for each in drifts if each.is_alarm]


VERSION = "1"
LARGEST_BYTES = 1 << 20
MOST_TOLD = 200
STAMPS: "WeakKeyDictionary[Database, dict[tuple[str, str], object]]" = WeakKeyDictionary()
LOCK = threading.Lock()


def update_drift(database: Database, namespace: str, project: ConfinedFolder, *, is_whole: bool) -> None:
    """Look again where everything is looked at, or where another commit is checked out since the last time."""
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
    store_drift(kept, select_alarms(find_drift(project, kept)))


def store_drift(kept: DatabaseDriftCache, found: Sequence[Drift]) -> None:
    """Keep what was found, by document, in place of what was kept."""
    by_document: dict[str, list[Drift]] = {}
    for each in found:
        by_document.setdefault(each.document, []).append(each)
    before = kept.read(FOUND)
    rows = {path: CachedPart(VERSION, _written(each)) for path, each in by_document.items()}
    kept.put(FOUND, {path: row for path, row in rows.items() if before.get(path) != row})
    kept.forget(FOUND, [path for path in before if path not in rows])


def read_stored_drift(database: Database, namespace: str, project: ConfinedFolder) -> list[Drift]:
    """What was found last and still stands in its document: the line is read, history is not."""
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


def _written(drifts: Sequence[Drift]) -> bytes:
    return json.dumps(drifts, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read(content: bytes) -> list[Drift]:
    try:
        rows = json.loads(content)
        return [Drift(*row)._replace(commit=CommitLine(*row[5])) for row in rows]
    except (ValueError, TypeError, IndexError):
        return []


SHORT_ID = 9


def to_stale_place(drift: Drift) -> StalePlace:
    """A finding as `fieldguide stale` tells it."""
    is_moved = drift.kind == PATH and bool(drift.successor)
    told = f"perhaps `{drift.successor}` now" if drift.successor and drift.kind != PATH else ""
    if drift.reason:
        told = f"{told}; {drift.reason}" if told else drift.reason
    return StalePlace(
        drift.document,
        drift.line,
        drift.name,
        drift.kind,
        MOVED if is_moved else GONE,
        path=drift.successor if is_moved else "",
        difference=told,
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
