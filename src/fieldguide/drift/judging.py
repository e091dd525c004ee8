"""Whether what a document names is gone: it was the project's own, and nothing of the project has it now."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from fieldguide.drift.confidence import HINT, LIKELY, SURE, news_confidence, old_confidence
from fieldguide.drift.named.mentions import Mention, is_distinct
from fieldguide.drift.named.past import DOOMED, NOW, PAST
from fieldguide.drift.named.spans import BLOCK, HOSTED, LINK, ROLE, SPAN
from fieldguide.drift.places import KnownPaths, is_folder, written_places
from fieldguide.drift.sources import is_own
from fieldguide.drift.taken.removal import BOUND, DEFINED, QUOTED, CommitLine, Removal
from fieldguide.drift.taken.removed_paths import RemovedPath, successor_path
from fieldguide.drift.words import PresentWords, holds
from fieldguide.spine.answers.stale_places import OPTION, PATH

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
class Evidence:
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


def judged(document: str, mentions: Iterable[Mention], evidence: Evidence) -> Iterator[Drift]:
    """What of the mentions of one document is gone."""
    judges: dict[str, Callable[[str, Mention, Evidence], Drift | None]] = {PATH: _path, OPTION: _option}
    for mention in mentions:
        found = judges.get(mention.kind, _name)(document, mention, evidence)
        if found is not None:
            is_sure = _is_of_now(mention, found, evidence)
            confidence = found.confidence if is_sure else min(found.confidence, HINT)
            yield found._replace(confidence=confidence, allowed=mention.allowed)


def _is_of_now(mention: Mention, found: Drift, evidence: Evidence) -> bool:
    """Whether a mention tells of what is there: a link always does, and what is deprecated has to be there as well.

    A link to a host may lead to another project, and a path in an example to another folder, so they tell only news.
    """
    is_news = found.commit.seconds >= evidence.news_from
    if mention.form == HOSTED or (mention.kind == PATH and mention.form == BLOCK):
        return is_news and mention.told != PAST
    return mention.form == LINK or mention.told == NOW or (mention.told == DOOMED and is_news)


def _path(document: str, mention: Mention, evidence: Evidence) -> Drift | None:
    paths = evidence.paths
    places = list(written_places(document, mention.name))
    if any(paths.holds(place) or paths.modules(place) for place in places):
        return None
    where, confidence = _gone_place(mention, places, evidence)
    removed = _removed(where, evidence) if where else None
    if removed is None:
        return None
    if mention.form != LINK and where not in evidence.gone_places.files and not evidence.is_news(removed):
        confidence = LIKELY if is_folder(mention.name) else HINT
    return _lost(document, mention, where, removed, confidence, evidence)


def _gone_place(mention: Mention, places: Iterable[str], evidence: Evidence) -> tuple[str, float]:
    """What is meant of that which is gone, and how surely: as it is written, or else by the end of its path."""
    gone = evidence.gone_places
    where = next((place for place in places if gone.holds(place)), "")
    if where or mention.form in (LINK, HOSTED, BLOCK) or evidence.paths.ending(mention.name.lstrip("./")):
        return where, SURE
    tail = gone.ending(mention.name.strip("./"))
    return tail if is_own(tail) and tail in gone.files else "", LIKELY


def _lost(
    document: str, mention: Mention, where: str, removed: RemovedPath, confidence: float, evidence: Evidence
) -> Drift:
    new = successor_path(where, evidence.gone_paths, evidence.paths.files)
    return Drift(document, mention.line, mention.name, mention.kind, where, removed.commit, new, confidence, where)


def _removed(where: str, evidence: Evidence) -> RemovedPath | None:
    """How a file or a folder went."""
    return evidence.gone_paths.get(where) or _below(where, evidence)


def _below(folder: str, evidence: Evidence) -> RemovedPath | None:
    """The latest removal of a file in a folder that is gone."""
    inside = f"{folder}/"
    found = [each for path, each in evidence.gone_paths.items() if path.startswith(inside)]
    return max(found, key=lambda each: each.commit.seconds)._replace(renamed="") if found else None


def _option(document: str, mention: Mention, evidence: Evidence) -> Drift | None:
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


def _option_confidence(mention: Mention, removal: Removal, evidence: Evidence) -> float:
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


def _name(document: str, mention: Mention, evidence: Evidence) -> Drift | None:
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
        judge = news_confidence if evidence.is_news(removal) else old_confidence
        return _drift(document, mention, part, removal, judge(mention, part, removal, is_placed))
    return None


def _is_gone(mention: Mention, part: str, removal: Removal, evidence: Evidence) -> bool:
    """Whether a name was surely enough the project's own, and is not there now."""
    least = _least(mention, part, evidence.is_news(removal))
    return removal.strength >= least and not evidence.holds(part, removal)


def _least(mention: Mention, part: str, is_news: bool) -> int:
    """How surely a name has to have been the project's own: what stands before a dot may be any variable."""
    if part == mention.parts[-1]:
        return QUOTED
    return BOUND if is_news and is_distinct(part) else DEFINED


def _tells_package(parts: list[str]) -> bool:
    """Whether a name begins with a package, and not with the thing itself or a letter that stands for it."""
    first = parts[0]
    return len(parts) >= OF_PACKAGES and first.islower() and len(first) > 1 and first not in SELF


def _module(document: str, mention: Mention, evidence: Evidence) -> Drift | None:
    """A dotted name that begins with a module which was taken away."""
    parts, paths, gone = mention.parts, evidence.paths, evidence.gone_places
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


def _is_in_package(parts: list[str], evidence: Evidence) -> bool:
    """Whether the package that a module lay in has something of its name."""
    for package in evidence.paths.modules("/".join(parts[:-1])):
        opened = f"{package}/__init__.py" if package in evidence.paths.folders else package
        if holds(evidence.file_words.get(opened, b""), parts[-1].encode()):
            return True
    return False


def _is_own(gone: KnownPaths, written: str, path: str) -> bool:
    """Whether a module was the project's own: it lay at the root, or one folder below, as in `src`."""
    before = path.partition(written)[0].strip("/")
    return "/" not in before and is_own(path if path in gone.files else f"{path}/__init__.py")


def _drift(document: str, mention: Mention, gone: str, removal: Removal, confidence: float) -> Drift:
    kind = mention.kind
    return Drift(
        document, mention.line, mention.name, kind, gone, removal.commit, removal.successor, confidence, removal.path
    )


def _humped(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(each.capitalize() for each in rest)
