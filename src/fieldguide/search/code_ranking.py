"""Ranks code chunks by the probability that they answer a question, from its names and the kind of file.

The weights are few and round; they were chosen leaving one repository out at a time (docs/decisions/0058).

Words and vectors alone prefer what is short: constructors, one-line declarations and the comment above a class repeat
a name and say little else. So the size of a chunk and what it is count too. The weights are learnt from questions in
plain words (docs/decisions/0058); those that are set by hand say so.
"""

import math
from collections.abc import Container, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeVar

from fieldguide.files.kinds import (
    IMPLEMENTATION,
    TEXT_KINDS,
    find_asked_roles,
    find_asked_text_kinds,
    is_about_code,
    match_roles,
    match_text_kinds,
)
from fieldguide.search.ranking import QueryTerms
from fieldguide.search.types import ChunkPassage
from fieldguide.text import regex as re
from fieldguide.text.words import PART, STOP_WORDS, has_hump

NAMED = 1.0  # the question names what a chunk defines
NAMED_ALIKE = 0.5  # but for capitals
NAMED_IN_WORDS = 0.1  # it does so in plain words that follow each other
NAMED_AROUND = 0.2  # it names what is around the chunk
MOST_NAMES = 5
NAMELESS = 0.1  # outside every definition: imports, licences
MOST_BETWEEN = 2
COMPARED = 10  # of the best, to tell whether a text stands out
BESIDE = "beside"
SPOKEN_OF = "spoken of"
# shares of a question's terms, by their weights
NEARLY_ALL = 0.8
MUCH_MORE = 0.2
WORD = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
APART = re.compile(r"[.:#]+")
# fmt: off
MAKING = frozenset((
    "construct", "constructed", "constructor", "constructors", "create", "created", "creates", "initialise",
    "initialised", "initialize", "initialized", "initializer", "instance", "instances", "instantiate", "instantiated",
    "init", "new",
))
PROSE = frozenset((
    "changelog", "configure", "configured", "decided", "decision", "decisions", "docs", "document", "documentation",
    "documented", "documents", "explain", "explained", "guide", "guidelines", "install", "installation", "installed",
    "manual", "policy", "proposal", "rationale", "readme", "recommended", "roadmap", "supported", "tutorial", "upgrade",
    "upgrading", "why",
))
OPENINGS = (
    "how do i", "how do we", "how to", "how can i", "how can we", "how should", "can i", "should i", "should we",
)
DEFINING = frozenset((
    "class", "classes", "code", "constant", "declaration", "declared", "defined", "definition", "enum", "find",
    "function", "implementation", "implemented", "interface", "located", "method", "module", "show", "source", "struct",
    "trait", "type",
))
# fmt: on
AROUND_TOKENS = "`'\"()[]{}<>,;:?!."

Item = TypeVar("Item")


class QuestionNames:
    """What a question names: identifiers as they are written, words that may be the parts of one, and roles."""

    def __init__(self, query: str) -> None:
        found = WORD.findall(query)
        self.words = [part.lower() for word in found for part in _parts(word)]
        self._written = _written_names([word for word in found if word.lower() not in STOP_WORDS])
        self.names = tuple(sorted(self._written))[:MOST_NAMES]
        self._lowered = {name.lower() for name in self._written}
        self._spoken = f" {' '.join(self.words)} "
        self._word_set = frozenset(self.words)
        self.is_about_making = not MAKING.isdisjoint(self.words)
        others = {word.lower() for word in found if word not in self._written} - STOP_WORDS - DEFINING
        self.is_bare = bool(self._written) and not others  # it asks for what it names, and for nothing else
        self.is_about_prose = not PROSE.isdisjoint(self.words) or " ".join(self.words).startswith(OPENINGS)
        self.allowed = match_roles(self.words) | match_text_kinds(self.words)
        self.roles = find_asked_roles(self.words) | find_asked_text_kinds(self.words)
        self._is_about_code = is_about_code(self.words)
        self._tokens = frozenset(
            token.lstrip(AROUND_TOKENS[:-1]).rstrip(AROUND_TOKENS).lower() for token in query.split()
        )

    def is_beside(self, role: str, path: str = "") -> bool:
        """Whether a file of this role lies beside what is asked for.

        Text that is no code comes after code, unless the question has a word of its kind, or names the file.
        """
        if role == IMPLEMENTATION or role in self.allowed:
            return False
        return role not in TEXT_KINDS or not self.names_file(path)

    def is_meant(self, role: str, path: str) -> bool:
        """Whether text of this kind is the subject of the question, and not only spoken of."""
        return role in self.roles or (self.names_file(path) and not self._is_about_code)

    def place_of_text(self, role: str, path: str) -> str:
        """Where text of a kind belongs: behind all code, in turns with it, or nowhere special if it is asked for."""
        if self.is_beside(role, path):
            return BESIDE
        return "" if self.is_meant(role, path) else SPOKEN_OF

    def names_file(self, path: str) -> bool:
        """Whether the question names a file, by itself or with folders before it."""
        lowered = path.lower()
        folder, _, name = lowered.rpartition("/")
        if name in self._tokens:
            return True
        return bool(folder) and any("/" in token and f"/{lowered}".endswith(f"/{token}") for token in self._tokens)

    def weight_of(self, names: Sequence[str]) -> float:
        """How much it counts that the question names a definition, or what is around it."""
        if not names:
            return -NAMELESS
        last = names[-1]
        is_around = any(name in self._written for name in names[:-1])
        if last in self._written:
            return NAMED + (NAMED_AROUND if is_around else 0.0)
        if is_around and last.lower() in self.words:
            return NAMED + NAMED_AROUND
        if last.lower() in self._lowered:
            return NAMED_ALIKE
        if self._is_spoken(last):
            return NAMED_IN_WORDS
        return NAMED_AROUND if is_around else 0.0

    def _is_spoken(self, name: str) -> bool:
        """Whether the question has all parts of a name, in any order: "open it in an editor" has `openInEditor`."""
        parts = [part.lower() for part in _parts(name)]
        telling = [part for part in parts if part not in STOP_WORDS]
        if len(telling) > 1:
            return self._word_set.issuperset(telling)
        return len(parts) > 1 and f" {' '.join(parts)} " in self._spoken


def stands_out(terms: QueryTerms, text: Sequence[str], others: Iterable[Sequence[str]]) -> bool:
    """Whether a text holds nearly all that a question says, and the best of the others hold much less of it.

    Texts are given by their parts: path, headings, content.
    """
    held = terms.share(text)
    return held >= NEARLY_ALL and held >= MUCH_MORE + max(map(terms.share, others), default=0.0)


def interleave(first: Sequence[tuple[float, Item]], others: Sequence[tuple[float, Item]]) -> list[tuple[float, Item]]:
    """Both lists by their scores, best first, but each of the others behind at least one more of the first.

    Only the best few of the others are: the rest comes last. Scores never rise along the list.
    """
    merged: list[tuple[float, Item]] = []
    taken = 0
    for score, item in first:
        is_turn = taken < min(len(merged) - taken, len(others), MOST_BETWEEN)
        if is_turn and others[taken][0] > score:
            merged.append(others[taken])
            taken += 1
        merged.append((score, item))
    merged += others[taken:]
    scores = accumulate((score for score, _ in merged), min)
    return [(score, item) for score, (_, item) in zip(scores, merged, strict=True)]


def _written_names(telling: Sequence[str]) -> set[str]:
    """The words that are written as names are: as code writes them, or with a capital within the question."""
    names = {name for word in telling if _is_name(word, len(telling)) for name in APART.split(word)}
    return names | {word for word in telling[1:] if word[:1].isupper() and word.isalnum()}


def _is_name(word: str, words: int) -> bool:
    """Whether a word is written as code writes names; a question of a single word is one."""
    return words == 1 or "_" in word.strip("_") or word.startswith("_") or has_hump(word) or not word.isalnum()


def _parts(word: str) -> list[str]:
    """The parts of an identifier: `get_HTTPServer` as get, HTTP and Server."""
    return PART.findall(word) if word.isascii() else [word]


COMMENTS = ("//", "#", "*", "/*", "--", '"""', "'''", "<!--", ";")
CONSTRUCTORS = frozenset(("__init__", "__construct", "constructor", "initialize", "init", "new", "New"))
TEST_NAMES = frozenset(("test", "tests"))
NEXT_BEST = 3
MOST_LINES = 60  # what is longer is no more likely
USUAL_LINES = 12.0  # of what is no code
SMALL_FILE = 0.3  # a file of text that has no other chunks counts as if they fitted so much less


class CodeChunk(NamedTuple):
    """A chunk to be scored: how well it fits beside the others (0 to 1), and how alike it truly is.

    `role` is what its file is for, nothing for the implementation; `is_code` is false for what stands among code, such
    as a finding; `held` is the share of the question's terms that it holds, by their weight.
    """

    path: str
    passage: ChunkPassage
    role: str
    fused: float
    likeness: float
    is_exact: bool = False
    is_code: bool = True
    held: float = 0.0


class CodeFeatures(NamedTuple):
    """What tells whether a chunk does what is asked for.

    `file` is how well the next best chunks of its file fit; `size` grows with the lines of code; `nameless` is outside
    every definition; `inner_test` lies within a module of tests in a file of code; `beside` is no implementation, and
    `asked_role` is what the question asks for instead; `exact` holds a name of the question; `named` defines it,
    `spoken` in plain words. A class that is named counts for its members (`inside`), and no more for its head or its
    constructor: the work is done by a member. `quoted` holds nearly all that the question
    says: its words may have been pasted.
    """

    fused: float
    likeness: float
    file: float
    size: float
    nameless: float
    constructor: float
    inner_test: float
    beside: float
    asked_role: float
    exact: float
    named: float
    spoken: float
    inside: float
    quoted: float


WEIGHTS = CodeFeatures(
    fused=6.7,
    likeness=14.7,
    file=2.0,
    size=1.3,
    nameless=-1.6,
    constructor=-2.3,
    inner_test=-1.4,
    beside=-6.0,
    asked_role=3.0,
    exact=6.0,
    named=6.0,
    spoken=1.5,
    inside=3.0,
    quoted=4.0,  # by hand: comments pasted as questions, in projects of other people
)
# from the sum to the logarithm of the odds
SLOPE = 0.25
BIAS = -5.8


def compute_code_odds(chunks: Sequence[CodeChunk], asked: QuestionNames) -> list[float]:
    """The logarithm of the odds that each chunk answers the question."""
    return [BIAS + SLOPE * _weighed(features) for features in compute_code_features(chunks, asked)]


def odds_to_probability(odds: float) -> float:
    """The logarithm of odds as a probability."""
    return 1 / (1 + math.exp(-odds))


def compute_code_features(chunks: Sequence[CodeChunk], asked: QuestionNames) -> list[CodeFeatures]:
    """What is known of each chunk; what is no code counts as code of usual size that is not named."""
    holders = {name for chunk in chunks if chunk.is_code for name in chunk.passage.headings[:-1]}
    files = _file_scores(chunks)
    nothing = CodeFeatures(*[0.0] * len(CodeFeatures._fields))
    size = math.log1p(USUAL_LINES)
    features: list[CodeFeatures] = []
    for chunk in chunks:
        if chunk.is_code:
            features.append(_features(chunk, asked, holders, files[chunk.path]))
        else:
            exact = float(chunk.is_exact)
            features.append(nothing._replace(fused=chunk.fused, likeness=chunk.likeness, size=size, exact=exact))
    return features


def _features(chunk: CodeChunk, asked: QuestionNames, holders: Container[str], file: float) -> CodeFeatures:
    names = chunk.passage.headings
    weight = asked.weight_of(names)
    is_named = weight >= NAMED_ALIKE
    is_inside = weight == NAMED_AROUND
    is_constructor = _is_constructor(names) and not asked.is_about_making
    if is_named and not asked.is_bare and (is_constructor or names[-1] in holders):
        is_named = False
        is_inside = True
    lines = [line.lstrip() for line in chunk.passage.text.split("\n")]
    code_lines = sum(bool(line) and not line.startswith(COMMENTS) for line in lines)
    is_text = chunk.role in TEXT_KINDS
    if is_text:  # small files of one chunk, outside every definition, are usual among them
        file = max(file, chunk.fused - SMALL_FILE)
        if asked.names_file(chunk.path) and asked.is_meant(chunk.role, chunk.path):
            is_named = True
            weight = 1.0
    return CodeFeatures(
        fused=chunk.fused,
        likeness=chunk.likeness,
        file=file,
        size=math.log1p(min(code_lines, MOST_LINES)),
        nameless=float(not names and not is_text),
        constructor=float(is_constructor),
        inner_test=float(not chunk.role and any(name.lower() in TEST_NAMES for name in names)),
        beside=float(asked.is_beside(chunk.role, chunk.path)),
        asked_role=float(chunk.role in asked.roles),
        exact=float(chunk.is_exact),
        named=min(weight, 1.0) if is_named else 0.0,
        spoken=float(weight == NAMED_IN_WORDS),
        inside=float(is_inside),
        quoted=max(0.0, 2 * chunk.held - 1),  # half of the terms is usual among near chunks
    )


def _file_scores(chunks: Sequence[CodeChunk]) -> dict[str, float]:
    """For each file, the mean of its next best chunks; those that it has not count as nothing."""
    by_file: dict[str, list[float]] = {}
    for chunk in chunks:
        by_file.setdefault(chunk.path, []).append(chunk.fused)
    return {path: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for path, each in by_file.items()}


def _weighed(features: CodeFeatures) -> float:
    return sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))


def _is_constructor(names: Sequence[str]) -> bool:
    """Whether the last of these names is that of a constructor: by its word, or as the class itself is called."""
    return bool(names) and (names[-1] in CONSTRUCTORS or (len(names) > 1 and names[-1] == names[-2]))
