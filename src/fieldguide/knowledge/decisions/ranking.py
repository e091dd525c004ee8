"""Ranks decision records by their similarity to a proposal, by keywords and vectors."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fieldguide.knowledge.decisions.record import DecisionRecord, RecordPassage, plain_text
from fieldguide.search.embedding import Embedder
from fieldguide.text import regex as re
from fieldguide.text.words import STOP_WORDS, stem

WORD = re.compile(r"[^\W_]+(?:[.+#'’-]+[^\W_]+)*[+#]*")
PART = re.compile(r"[^\W_]+[+#]*")
LONGEST_WORD = 60
# Words that say that something is decided, but not what.
DECIDES = frozenset((
    "adopt", "adr", "choose", "chose", "chosen", "decide", "decision", "implement", "introduce", "keep", "longer",
    "must", "option", "record", "take", "used",
))  # fmt: skip


def extract_terms(text: str) -> list[str]:
    """The terms of a text in its order, repetitions included."""
    return [term for word in WORD.findall(text) for term in extract_word_forms(word)]


@lru_cache(maxsize=50_000)
def extract_word_forms(word: str) -> tuple[str, ...]:
    """The terms that a word stands for: none for a light one, one for each part of one that is put together."""
    lowered = re.sub(r"['’][a-z]+$", "", word.lower())
    if len(lowered) > LONGEST_WORD:
        return ()
    if lowered.startswith("non-"):  # the opposite of what follows, never the same
        return (stem(lowered.replace("-", "")),)
    parts = PART.findall(lowered)
    if len(parts) > 1:
        return tuple(term for part in parts for term in extract_word_forms(part))
    bare = stem(lowered)
    is_light = bare in LIGHT or lowered in LIGHT or (len(lowered) == 1 and not lowered.isdigit())
    return () if is_light else (bare,)


LIGHT = STOP_WORDS | DECIDES | {stem(word) for word in DECIDES}


TITLE_WEIGHT = 4.0  # a title names the question; 8 and 2 put fewer superseded records first, on PEPs and ADRs alike
FIELD_CHARACTERS = 6000
VECTOR_CHARACTERS = 2500


class RecordOutline(NamedTuple):
    """How strongly a text speaks of each term, the terms of its title, and the two texts that vectors are made from."""

    strengths: Mapping[str, float]
    subject: frozenset[str]
    title: str
    whole: str


def outline_record(record: DecisionRecord) -> RecordOutline:
    """What ranks a record: its title and question, what it decides, and why."""
    options = " ".join(option.text for option in (*record.chosen, *record.considered))
    question = record.question.text if record.question else ""
    return make_outline(record.name, question, f"{options} {_joined(record.decision)}", _joined(record.context))


def make_outline(title: str, question: str, decision: str, context: str) -> RecordOutline:
    """What ranks a text of these four fields."""
    subject = extract_terms(f"{title} {question}")
    strengths = Counter(extract_terms(f"{decision} {context}"))
    weighed = {term: float(times) for term, times in strengths.items()}
    for term in subject:
        weighed[term] = weighed.get(term, 0.0) + TITLE_WEIGHT
    return RecordOutline(weighed, frozenset(subject), title, f"{title}. {decision} {context}"[:VECTOR_CHARACTERS])


def _joined(passages: Sequence[RecordPassage]) -> str:
    return plain_text("\n".join(passage.text for passage in passages)[:FIELD_CHARACTERS])


# the usual ones of BM25
SATURATION = 1.2
LENGTH_SHARE = 0.75
FEW = 3  # records that may share a word which still tells them from the others; sentences of a short proposal
BACKGROUND_RECORDS = 20  # so that in a folder of two records a word of one is not taken for a rare word


class Keywords:
    """BM25 over the weighed terms of records, and how much a term tells: the rarer among them, the more."""

    def __init__(self, outlines: Sequence[RecordOutline]) -> None:
        self._postings: dict[str, list[tuple[int, float]]] = {}
        self.count = len(outlines)
        lengths = [math.fsum(each.strengths.values()) for each in outlines]
        mean = math.fsum(lengths) / max(len(lengths), 1) or 1.0
        for number, (outline, length) in enumerate(zip(outlines, lengths, strict=True)):
            norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / mean)
            for term, strength in outline.strengths.items():
                self._postings.setdefault(term, []).append((number, strength / (strength + norm)))

    def held_by(self, term: str) -> int:
        """How many records speak of a term."""
        return len(self._postings.get(term, ()))

    def are_rare(self, terms: frozenset[str]) -> bool:
        """Whether one of some terms is rare: no more than a few records speak of it."""
        return any(self.held_by(term) <= FEW for term in terms)

    def weight(self, term: str) -> float:
        """How much a term tells."""
        held = self.held_by(term) + 0.5
        return math.log(1 + (self.count + BACKGROUND_RECORDS - held + 0.5) / (held + 0.5))

    def total(self, terms: frozenset[str]) -> float:
        """The weight of several terms together."""
        return math.fsum(map(self.weight, terms))

    def contained(self, part: frozenset[str], whole: frozenset[str]) -> float:
        """How much of one set of terms is in another, 0 to 1."""
        return self.total(part & whole) / self.total(part) if part else 0.0

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """How much two sets of terms have in common, 0 to 1."""
        return self.total(one & other) / (self.total(one | other) or 1.0)

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """How well each record answers the terms of a proposal."""
        scores = [0.0] * self.count
        for term, strength in sorted(query.items()):
            weight = strength * self.weight(term)
            for record, saturation in self._postings.get(term, ()):
                scores[record] += weight * saturation
        return scores


class Ranking:
    """Ranks records that do not change; what is known of an unchanged one is taken over from `earlier`."""

    def __init__(
        self, outlines: Sequence[RecordOutline], embedder: Embedder | None, earlier: "Ranking | None" = None
    ) -> None:
        self.keywords = Keywords(outlines)
        self._embedder = embedder
        self._identity: str = embedder.identity if embedder else ""
        texts = [text or " " for each in outlines for text in (each.title, each.whole)] if embedder else []
        known = earlier._vectors if earlier and earlier._identity == self._identity else {}
        self._vectors: dict[str, bytes] = _made(texts, embedder, known)
        titles = texts[::2]
        wholes = texts[1::2]
        self._tables = tuple(b"".join(map(self._vectors.__getitem__, each)) for each in (titles, wholes))

    def scores(self, proposal: RecordOutline) -> list[float]:
        """For each record how far it stands out from the others, by words and by vectors."""
        words = _standardised(self.keywords.scores(proposal.strengths))
        if self._embedder is None or not words:
            return words
        near = [0.0] * len(words)
        for text, table in zip((proposal.title, proposal.whole), self._tables, strict=True):
            vector = self._embedder.embed_query(text)
            if any(vector):
                near = [total - distance for total, distance in zip(near, _distances(vector, table), strict=True)]
        return [word + share for word, share in zip(words, _standardised(near), strict=True)]


def _made(texts: Sequence[str], embedder: Embedder | None, known: Mapping[str, bytes]) -> dict[str, bytes]:
    """The vectors of some texts, made where they are not known."""
    new = [text for text in dict.fromkeys(texts) if text not in known]
    made = dict(zip(new, embedder.embed_documents(new), strict=True)) if embedder and new else {}
    return {text: made.get(text) or known[text] for text in texts}


def _standardised(scores: Sequence[float]) -> list[float]:
    """Each score in deviations from the mean; scores that are all the same tell nothing."""
    mean = math.fsum(scores) / max(len(scores), 1)
    deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / max(len(scores), 1))
    return [(score - mean) / deviation if deviation else 0.0 for score in scores]


def _distances(vector: bytes, rows: bytes) -> list[float]:
    import simsimd

    size = len(vector)
    query = memoryview(vector).cast("b", (1, size))
    table = memoryview(rows).cast("b", (len(rows) // size, size))
    found: Any = simsimd.cdist(query, table, "cosine")
    return [float(distance) for distance in memoryview(found).cast("B").cast("d")]
