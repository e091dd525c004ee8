"""Infers links between decisions and code from what they share, with a confidence and a reason.

A commit counts by how few files it changes, and more if the decision also names the file. The weights were chosen on
four repositories and evaluated on two others (docs/decisions/0040).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from math import exp, log
from typing import NamedTuple

from fieldguide.files.kinds import GENERATED, VENDORED, find_role, is_code, is_test
from fieldguide.git.history import History
from fieldguide.knowledge.links.project_names import DecisionNames, Definers
from fieldguide.knowledge.links.trace_index import DecisionRow, TraceStore
from fieldguide.knowledge.links.trace_reading import CODE, COMMIT_TEXT, MINED, TraceLink
from fieldguide.text.citation import SYMBOL
from fieldguide.text.words import PART, make_singular

LARGEST_COMMIT = 30  # files: a larger one says nothing of one of them
FEW_FILES = 6
MOST_COUNTED = 3
MOST_TOLD = 3
BIAS = -1.0
STRONG = 1.7
NEXT_STRONG = 0.8
TIMES = 0.3  # for each time more that the decision names the symbol that it names most
WEAK = 0.9
NEXT_WEAK = 0.5
LIKENESS = 1.0
SAID = 2.2
SAID_BELOW = 0.6
BORN = 0.8
AGAIN = 0.4
LARGER = 0.5  # so much less counts what a commit of more files says
LEAST_TOLD_LIKENESS = 0.5


class LinkEvidence(NamedTuple):
    """Symbols of a decision that only the file defines, and what commits tell.

    `said` and `born` are the code files of the smallest commit that names the decision, or began it; 0 for none.
    """

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    times: int = 0
    said: int = 0
    is_in_subject: bool = False
    commit: str = ""
    born: int = 0
    together: int = 0
    likeness: float = 0.0


def compute_confidence(evidence: LinkEvidence) -> float:
    """How likely a link is, from 0 to 1."""
    score = BIAS + LIKENESS * evidence.likeness
    score += _counted(evidence.strong, STRONG, NEXT_STRONG) + _counted(evidence.weak, WEAK, NEXT_WEAK)
    score += TIMES * min(max(evidence.times - 1, 0), MOST_COUNTED)
    if evidence.said:
        weight = SAID if evidence.is_in_subject else SAID_BELOW
        score += weight if evidence.said <= FEW_FILES else weight * LARGER
    elif evidence.born:  # the commit that begins a decision mostly names it: that counts once
        score += BORN if evidence.born <= FEW_FILES else BORN * LARGER
    score += AGAIN * min(max(evidence.together - 1, 0), MOST_COUNTED)
    return 1.0 / (1.0 + exp(-score))


def _counted(names: Sequence[str], first: float, following: float) -> float:
    if not names:
        return 0.0
    return first + following * min(len(names) - 1, MOST_COUNTED)


def describe_reason(evidence: LinkEvidence) -> str:
    """Why a link is likely, in words."""
    parts: list[str] = []
    names = (*evidence.strong, *evidence.weak)
    if names:
        quoted = ", ".join(f"`{name}`" for name in names[:MOST_TOLD])
        more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
        parts.append(f"it names {quoted}{more}, which only this file defines")
    if evidence.said:
        parts.append(f"changed by commit {evidence.commit[:8]}, whose message names it")
    if evidence.born:
        parts.append("changed by the commit that began it")
    if evidence.together > 1:
        parts.append(f"changed with it {evidence.together} times")
    if evidence.likeness >= LEAST_TOLD_LIKENESS:
        parts.append("called like its title")
    return "; ".join(parts)


LEAST_WORD = 3
MOST_SHARE = 0.05  # of the paths: a word that more have is one of the project's own subject


class Likeness:
    """Weighs words by how few of a project's paths have them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(word for path in self._paths for word in set(split_path_words(path)))

    def of(self, title: str, path: str) -> float:
        """From 0 to 1: the weight of the title's words that are in the path, relative to its rarest word."""
        wanted = {word: self._weight(word) for word in set(split_path_words(title))}
        there = set(split_path_words(path.rpartition(".")[0]))
        most = max(wanted.values(), default=0.0)
        shared = sum(weight for word, weight in wanted.items() if word in there)
        if not most:
            return 0.0
        return min(1.0, shared / most)

    def _weight(self, word: str) -> float:
        """More for a rarer word; nothing for one that no path or too many paths have."""
        count = self._counts[word]
        share = count / max(len(self._paths), 1)
        if not count or share > MOST_SHARE:
            return 0.0
        return log(1.0 / share)


def split_path_words(text: str) -> Iterable[str]:
    """The words of a path or a title in lower case, without their plural."""
    parts = (part for part in PART.findall(text) if len(part) >= LEAST_WORD and not part.isdigit())
    return [make_singular(part.lower()) for part in parts]


MOST_COMMITS = 40
LEAST = 0.7
LEAST_STRONG = 8
MOST_NAMING = 2  # decisions


class Miner:
    """Weighs the links of one project."""

    def __init__(self, store: TraceStore, history: History, decisions: DecisionNames, definers: Definers) -> None:
        self._store = store
        self._history = history
        self._decisions = decisions
        self._definers = definers
        self._symbols: dict[str, dict[str, tuple[list[str], list[str]]]] = {}
        self._times: dict[str, dict[str, int]] = {}
        self._said: dict[str, dict[str, int]] = {}

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self._store.paths())

    def code_of(self, row: DecisionRow) -> list[TraceLink]:
        """The code that a decision most likely is about, surest first."""
        links = filter(None, [self.link(row, path) for path in self.candidates(row)])
        return sorted(links, key=lambda each: (-each.confidence, each.path))

    def decisions_of(self, path: str, names: Iterable[str]) -> list[tuple[DecisionRow, TraceLink]]:
        """The decisions that code most likely follows; `names` are symbols that it may define."""
        rows = self._naming(path, names)
        for change in self._history.commits_of(path, MOST_COMMITS):
            for mark in self._store.marks_of(f"{COMMIT_TEXT}:{change.id}"):
                if mark.family:
                    rows.append(self._decisions.called(mark.name))
            together = self._history.files_of(change.id)[:LARGEST_COMMIT]
            rows += map(self._decisions.by_path.get, together)
        found: list[tuple[DecisionRow, TraceLink]] = []
        for row in {row.path: row for row in rows if row is not None}.values():
            link = self.link(row, path)
            if link is not None:
                found.append((row, link))
        return sorted(found, key=lambda each: (-each[1].confidence, each[0].path))

    def _naming(self, path: str, names: Iterable[str]) -> list[DecisionRow | None]:
        """The decisions that name a symbol which only this file defines."""
        found: list[DecisionRow | None] = []
        for name in names:
            placed = [each.path for each in self._store.named(name) if each.mark.role == SYMBOL]
            rows = [self._decisions.by_path[each] for each in placed if each in self._decisions.by_path]
            defined = self._definers.only(name) if rows else None
            if defined is not None and defined.path == path:
                found += rows
        return found

    def candidates(self, row: DecisionRow) -> list[str]:
        """Code with any evidence for a link."""
        found = dict.fromkeys(self._named_by(row))
        for identity in (*self._saying(row), *self._beginning(row)):
            found |= dict.fromkeys(self._history.files_of(identity))
        return [path for path in found if is_own_code(path)]

    def link(self, row: DecisionRow, path: str) -> TraceLink | None:
        """The link between a decision and code, if it is likely enough."""
        evidence = self.evidence(row, path)
        confidence = compute_confidence(evidence)
        if confidence < LEAST:
            return None
        line = 1
        for name in (*evidence.strong, *evidence.weak)[:1]:
            defined = self._definers.only(name)
            line = defined.line if defined else 1
        return TraceLink(CODE, path, line, describe_reason(evidence), MINED, round(confidence, 2))

    def evidence(self, row: DecisionRow, path: str) -> LinkEvidence:
        """Collect the evidence for a link."""
        strong, weak = self._named_by(row).get(path, ([], []))
        files_of = self._history.files_of
        said = [
            (line > 1, self._size(each), each) for each, line in self._saying(row).items() if path in files_of(each)
        ]
        in_body, size, commit = min(said, default=(False, 0, ""))
        born = [self._size(each) for each in self._beginning(row) if path in files_of(each)]
        together, _ = self._history.support(row.path, path)
        return LinkEvidence(
            strong=tuple(strong),
            weak=tuple(weak),
            times=max((self._times[row.path][name] for name in strong), default=0),
            said=size,
            is_in_subject=bool(commit) and not in_body,
            commit=commit,
            born=min(born, default=0),
            together=together,
            likeness=self._likeness.of(f"{row.title} {row.path.rpartition('/')[2]}", path),
        )

    def _named_by(self, row: DecisionRow) -> dict[str, tuple[list[str], list[str]]]:
        """The files that alone define symbols which a decision names: the distinctive names, and the others.

        The name of a method is distinctive only if the decision also names its class.
        """
        if row.path not in self._symbols:
            times = {mark.name: int(mark.said or 1) for mark in self._store.marks_of(row.path) if mark.role == SYMBOL}
            self._symbols[row.path] = self._defining(times)
            self._times[row.path] = times
        return self._symbols[row.path]

    def _defining(self, names: Collection[str]) -> dict[str, tuple[list[str], list[str]]]:
        found: dict[str, tuple[list[str], list[str]]] = {}
        for name in names:
            defined = self._definers.only(name)
            if defined is not None and is_own_code(defined.path):
                strong, weak = found.setdefault(defined.path, ([], []))
                if (not defined.owner or defined.owner in names) and self._is_strong(name):
                    strong.append(name)
                else:
                    weak.append(name)
        return found

    def _is_strong(self, name: str) -> bool:
        """Whether a name is a long one of a type or an export, and few decisions name it."""
        if len(name) < LEAST_STRONG or not name[:1].isupper():
            return False
        naming = (each for each in self._store.named(name) if each.mark.role == SYMBOL)
        return sum(each.path in self._decisions.by_path for each in naming) <= MOST_NAMING

    def _saying(self, row: DecisionRow) -> dict[str, int]:
        """The commits, except large ones, whose messages name a decision, and the line that does."""
        if row.path not in self._said:
            named = find_commits_naming(self._store, self._decisions, row)
            self._said[row.path] = {each: line for each, line in named.items() if self._is_small(each)}
        return self._said[row.path]

    def _beginning(self, row: DecisionRow) -> list[str]:
        """The commit that began a decision."""
        commits = self._history.commits_of(row.path, 1_000)
        return [each.id for each in commits[-1:] if self._is_small(each.id)]

    def _is_small(self, commit: str) -> bool:
        return len(self._history.files_of(commit)) <= LARGEST_COMMIT

    def _size(self, commit: str) -> int:
        """How many files of code a commit changed."""
        return sum(map(is_own_code, self._history.files_of(commit)))


def find_commits_naming(store: TraceStore, decisions: DecisionNames, row: DecisionRow) -> dict[str, int]:
    """The commits whose messages name a decision, and in which line."""
    prefix = f"{COMMIT_TEXT}:"
    found: dict[str, int] = {}
    for key in decisions.keys(row):
        if decisions.called(key.name) is row:
            for each in store.named(key.name):
                if each.path.startswith(prefix) and len(found) < MOST_COMMITS:
                    found.setdefault(each.path.removeprefix(prefix), each.mark.line)
    return found


def is_own_code(path: str) -> bool:
    """Whether a file is code that a decision can be about: no test, no settings, no generated code."""
    return is_code(path) and not is_test(path) and find_role(path) not in (GENERATED, VENDORED)
