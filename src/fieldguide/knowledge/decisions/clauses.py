"""Reads what a record or a proposal adopts and rejects, clause by clause.

Only sentences of a plain form are read. Each negation inverts what stands before it, so that "do not replace A with B"
takes A and drops B. A clause that only states the past, a reason or a condition takes nothing and drops nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.knowledge.decisions.lineage import NamedRecords
from fieldguide.knowledge.decisions.ranking import (
    DECIDES,
    FEW,
    RecordOutline,
    extract_terms,
    extract_word_forms,
    make_outline,
)
from fieldguide.knowledge.decisions.record import (
    DecisionRecord,
    RecordOption,
    RecordPassage,
    RecordSentence,
    plain_text,
    read_sentences,
)
from fieldguide.text import regex as re

Terms = frozenset[str]

TOKEN = re.compile(r"@\d+|[^\W_]+(?:[.+#'’-]+[^\W_]+)*[+#]*|[,;:–—?]")
ASIDE = re.compile(r"\([^()]*\)|, (?:which|whose) [^,]*,")  # what is said on the way is not read
# Words of grammar.
NOT = frozenset(("not", "never", "no", "without", "cannot", "neither"))
BE = frozenset(("is", "are", "be", "been", "being", "was", "were", "gets", "get", "got", "becomes", "become"))
OPENS = DECIDES | {"we", "it", "this", "they", "will", "let", "use", "move", "instead"}
ENDS = frozenset((";", ":", "–", "—", "but"))
JOINS = frozenset((",", "and", "or", "then"))
REASONS = frozenset(("because", "since", "although", "while", "if", "when"))
CONTRASTS = frozenset((("instead", "of"), ("rather", "than"), ("compared", "to"), ("place", "of"), ("lieu", "of")))
PLACES = frozenset(("for", "in", "on", "as", "at"))  # what follows them is said of both sides of a contrast
# Words that were picked.
TURNS = re.compile(
    r"(?:stop|drop|remov|replac|abandon|abolish|retir|deprecat|discontinu|avoid|forbid|supersed|reject|disabl|revert"
    r"|decommission|sunset|eliminat|uninstall|scrap|ditch|discard)"
    r"(?:e|p?e?s|p?e?d|[pt]?ing|den)?"
)
TURNING_PAIRS = (("rid", "of"), ("phase", "out"), ("phasing", "out"), ("phased", "out"), ("phases", "out"))
LEAVES = re.compile(r"(?:mov|migrat|switch)\w*")
PREFERS = re.compile(r"(?:prefer|favou?r|chose|choos)\w*")
MUTES = REASONS | {"currently", "previously", "today", "formerly", "considered"}


class ClauseTerms(NamedTuple):
    """What one piece of a sentence takes or drops: its phrases in order, each the terms that stand together."""

    phrases: tuple[frozenset[str], ...]
    sentence: RecordSentence
    is_taken: bool
    is_option: bool = False

    @property
    def terms(self) -> frozenset[str]:
        """The terms of all phrases."""
        return frozenset[str]().union(*self.phrases)


def merge_terms(said: Sequence[ClauseTerms]) -> frozenset[str]:
    """The terms of several pieces."""
    return frozenset[str]().union(*(each.terms for each in said))


def select_taken(said: Sequence[ClauseTerms]) -> tuple[ClauseTerms, ...]:
    """The pieces that take something."""
    return tuple(each for each in said if each.is_taken)


def select_dropped(said: Sequence[ClauseTerms]) -> tuple[ClauseTerms, ...]:
    """The pieces that drop something."""
    return tuple(each for each in said if not each.is_taken)


class _Piece:
    """A run of words with one sign."""

    def __init__(self, *, is_taken: bool = True, is_muted: bool = False, is_option: bool = False) -> None:
        self.phrases: list[set[str]] = [set()]
        self.is_taken = is_taken
        self.is_muted = is_muted
        self.is_option = is_option

    def add(self, word: str) -> None:
        """Add a word; one that tells nothing ends a phrase."""
        terms = () if word.startswith("@") else extract_word_forms(word)
        self.phrases[-1].update(terms)
        if not terms and self.phrases[-1]:
            self.phrases.append(set())

    def said(self, sentence: RecordSentence) -> Iterator[ClauseTerms]:
        """What it says, if anything."""
        if self.phrases[0] and not self.is_muted:
            phrases = tuple(map(frozenset, filter(None, self.phrases)))
            yield ClauseTerms(phrases, sentence, self.is_taken, self.is_option)


def read_clauses(sentences: Sequence[RecordSentence]) -> list[ClauseTerms]:
    """All that some sentences take and drop, in their order; a question says neither."""
    clauses: list[ClauseTerms] = []
    for sentence in sentences:
        if not sentence.text.endswith("?"):
            for piece in _Reading(sentence.text).pieces():
                clauses += piece.said(sentence)
    return clauses


def read_clause_options(options: Sequence[RecordSentence], *, is_taken: bool) -> list[ClauseTerms]:
    """Options as they are listed: all of one is taken, or all of it dropped."""
    found: list[ClauseTerms] = []
    for option in options:
        piece = _Piece(is_taken=is_taken, is_option=True)
        for word in TOKEN.findall(option.text):
            piece.add(word)
        found += piece.said(option)
    return found


class _Reading:
    """One sentence while it is read, word by word."""

    def __init__(self, text: str) -> None:
        self._words = TOKEN.findall(ASIDE.sub(" ", text))
        self._lowered = [word.lower() for word in self._words]
        self._pieces = [_Piece()]
        self._clause = 0  # the first piece of this clause
        self._back: tuple[str, ...] = ()  # the words that turn back

    def pieces(self) -> list[_Piece]:
        """The pieces of the sentence."""
        for at, word in enumerate(self._lowered):
            if not (self._parts(at, word) or self._turns(at, word)):
                self._pieces[-1].add(self._words[at])
        return self._pieces

    def _start(self, *, is_taken: bool, is_muted: bool = False) -> None:
        self._pieces.append(_Piece(is_taken=is_taken, is_muted=is_muted))

    def _next(self, at: int) -> str:
        return self._lowered[at + 1] if at + 1 < len(self._lowered) else ""

    def _parts(self, at: int, word: str) -> bool:
        """Whether a word or a mark parts two pieces; a list of things goes on with what it began."""
        if word not in MUTES and word not in ENDS and not (word in JOINS and self._opens(at)):
            return word == ","
        self._start(is_taken=True, is_muted=word in MUTES)
        self._clause = len(self._pieces) - 1
        self._back = ()
        return True

    def _opens(self, at: int) -> bool:
        """Whether a clause of its own follows a comma or an "and"."""
        following = self._next(at)
        if self._lowered[at] == "," and following in ("which", "will", "such"):
            return False
        return following in OPENS or following in NOT or TURNS.fullmatch(following) is not None

    def _turns(self, at: int, word: str) -> bool:
        """Whether a word turns what follows, and what stands before it too where it is said of that."""
        before = self._lowered[max(0, at - 2) : at]
        if word in self._back and (word not in PLACES or self._pieces[-1].phrases[0]):
            self._turn()
            self._back = ()
        elif word == "nor":
            self._start(is_taken=False)
        elif word in NOT or word.endswith(("n't", "n’t")) or (at == 0 and word == "against"):
            self._turn(is_of_subject=not BE.isdisjoint((self._next(at), *before[-1:])), goes_on=True)
        elif TURNS.fullmatch(word) or (word, self._next(at)) in TURNING_PAIRS:
            self._turn(is_of_subject=word.endswith("ed") and not BE.isdisjoint(before))
            self._back = ("with", "by", "favour", "favor", "to")
        else:
            return self._contrasts(at, word, self._next(at))
        return True

    def _contrasts(self, at: int, word: str, following: str) -> bool:
        """Whether a word sets what follows against what stands before it."""
        if (word, following) in CONTRASTS:
            self._back = tuple(PLACES)
        elif word == "from" and (self._lowered[at - 1 : at] == ["away"] or self._had(LEAVES, at)):
            self._back = ("to",)
        elif not (word == "over" and self._had(PREFERS, at)):
            return False
        self._turn()
        self._pieces[-1].is_option = True  # what is set against something else was an option beside it
        return True

    def _had(self, pattern: "re.Pattern[str]", at: int) -> bool:
        return any(pattern.fullmatch(word) for word in self._lowered[:at])

    def _turn(self, *, is_of_subject: bool = False, goes_on: bool = False) -> None:
        last = self._pieces[-1]
        if is_of_subject:
            for piece in self._pieces[self._clause :]:
                piece.is_taken = not piece.is_taken
        if not (is_of_subject and goes_on):
            self._start(is_taken=last.is_taken == is_of_subject, is_muted=last.is_muted)


MOST_SENTENCES = 80
BODY_CHARACTERS = 12_000
NAME = re.compile(r"@\d+")
LONGEST_TITLE = 160


class RecordStand(NamedTuple):
    """Where a record stands; `answers` are the sentences that say what it chose, the best first."""

    subject: frozenset[str]
    chosen: tuple[ClauseTerms, ...]
    taken: tuple[ClauseTerms, ...]
    refused: tuple[ClauseTerms, ...]
    words: frozenset[str]
    answers: tuple[RecordSentence, ...]
    sentences: frozenset[str]
    title: frozenset[str]


class Proposal(NamedTuple):
    """A proposal that was read; records that it names and replaces, by their number in the collection."""

    outline: RecordOutline
    taken: tuple[ClauseTerms, ...]
    dropped: tuple[ClauseTerms, ...]
    sentences: tuple[RecordSentence, ...]
    has_title: bool
    named: Mapping[int, str]
    replaced: Mapping[int, str]

    @property
    def is_short(self) -> bool:
        """Whether it is a sentence or two, where every word is meant."""
        return len(self.sentences) - self.has_title <= FEW


def read_stand(record: DecisionRecord) -> RecordStand:
    """Where a record stands: by its options where it lists any, else by its answer and its title; by its decision."""
    title = RecordSentence(record.name, record.title_line)
    decision = [each for passage in record.decision for each in read_sentences(passage)][:MOST_SENTENCES]
    answer = read_sentences(record.answer) if record.answer else decision[:1]
    options = _sentences(record.chosen)
    told = read_clauses([*dict.fromkeys((title, *answer, *decision))])
    taken = select_taken(told)
    leading = tuple(each for each in taken if each.sentence in (title, *answer))
    chosen = tuple(read_clause_options(options, is_taken=True)) or leading
    question = record.question.text if record.question else ""
    subject = frozenset(extract_terms(" ".join((record.name, question, *(each.text for each in options)))))
    return RecordStand(
        subject=subject,
        chosen=chosen,
        taken=taken,
        refused=(*_rejected(record, (*chosen, *leading)), *select_dropped(told)),
        words=frozenset(extract_terms(plain_text(record.body.text[:BODY_CHARACTERS]))) | subject,
        answers=(*options, *answer, title),
        sentences=frozenset(each.text for each in (title, *decision, *answer, *options)),
        title=frozenset(extract_terms(record.name)),
    )


def _sentences(options: Sequence[RecordOption]) -> list[RecordSentence]:
    return [RecordSentence(each.text, each.line) for each in options]


def _rejected(record: DecisionRecord, chosen: Sequence[ClauseTerms]) -> list[ClauseTerms]:
    """The options that were turned down; where the record does not say which, those that are not in its choice."""
    settled = merge_terms(chosen)
    options = read_clause_options(_sentences(record.rejected or record.considered), is_taken=False)
    if record.rejected:
        return [each for each in options if not each.terms <= settled]
    return [each for each in options if 2 * len(each.terms & settled) < len(each.terms)]


def read_proposal(described: NamedRecords, context: NamedRecords) -> Proposal:
    """Take a proposal apart; its first line, or its first sentence, is its title."""
    description = described.text
    sentences = read_sentences(RecordPassage(description, 1, description.count("\n") + 1))[:MOST_SENTENCES]
    title = sentences[0].text[:LONGEST_TITLE] if sentences else ""
    rest = " ".join(each.text for each in sentences[1:])
    said = read_clauses(sentences)
    return Proposal(
        outline=make_outline(_nameless(title), "", _nameless(rest), _nameless(plain_text(context.text))),
        taken=select_taken(said),
        dropped=select_dropped(said),
        sentences=tuple(sentences),
        has_title="\n" in description.strip(),
        named={**context.names, **described.names},
        replaced={**context.replaced, **described.replaced},
    )


def _nameless(text: str) -> str:
    return NAME.sub("", text)
