"""What a sentence takes and what it drops, read from its structure: negations and contrasts turn what they bind to.

Each turning word turns what stands before it once more, so that "do not replace A with B" takes A and drops B. A clause
that only tells the past, a reason or a condition takes nothing and drops nothing.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.finding.terms import forms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

TOKEN = re.compile(r"@\d+|[^\W_]+(?:[.+#'’-]+[^\W_]+)*[+#]*|[,;:()–—?]")
NOT = frozenset("not never no without cannot against neither".split())
DROPS = re.compile(
    r"(?:stop|drop|remov|replac|abandon|abolish|retir|deprecat|discontinu|avoid|forbid|ban|eliminat|supersed|reject"
    r"|delet|disabl|revert|undo)(?:p?e?s|p?e?d|p?ing|e|ne|n?ed|den|)?"
)
REPLACES = re.compile(r"(?:super[cs]e|overr|amend|obsolete|revis|revers|deviat)\w*")  # what is done to a record, by its name
BE = frozenset("is are be been being was were".split())
OPENS = frozenset("we it this they will let use keep move go choose adopt take introduce".split())
MUTES = frozenset("because since although while if when currently previously today formerly considered as".split())
RELATES = frozenset("which whose so".split())  # what is said on the way drops nothing
MOVES = re.compile(r"(?:mov|migrat|switch|chang)\w*")
LONGEST_ITEM = 3
PARTS = frozenset(",;:()")
PLACES = ("for", "in", "on", "as", "at")
PREFERS = re.compile(r"(?:prefer|favou?r|chose|choos|select)\w*")


class Said(NamedTuple):
    """What one piece of a sentence takes or drops: its phrases in order, each the terms that stand together."""

    phrases: tuple[frozenset[str], ...]
    sentence: Sentence
    is_taken: bool
    is_option: bool = False

    @property
    def terms(self) -> frozenset[str]:
        """The terms of all phrases."""
        return frozenset[str]().union(*self.phrases)


def phrases_of(text: str) -> tuple[frozenset[str], ...]:
    """The phrases of a text, parted by the words that tell nothing."""
    phrases: list[set[str]] = [set()]
    for word in TOKEN.findall(text):
        terms = forms_of(word)
        phrases[-1].update(terms)
        if not terms and phrases[-1]:
            phrases.append(set())
    return tuple(frozenset(each) for each in phrases if each)


def clauses_of(sentences: Sequence[Sentence]) -> list[Said]:
    """All that some sentences take and drop, in their order; a question says neither."""
    return [said for each in sentences if not each.text.endswith("?") for said in _Reading(each).pieces()]


class _Piece:
    """A run of words with one sign."""

    def __init__(self, *, is_taken: bool, is_muted: bool) -> None:
        self.phrases: list[set[str]] = [set()]
        self.is_taken = is_taken
        self.is_muted = is_muted

    def add(self, terms: Sequence[str]) -> None:
        """Add a word; one that tells nothing ends a phrase."""
        self.phrases[-1].update(terms)
        if not terms and self.phrases[-1]:
            self.phrases.append(set())


class _Reading:
    """One sentence while it is read, word by word."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self._words = TOKEN.findall(sentence.text)
        self._lowered = [word.lower() for word in self._words]
        self._pieces: list[_Piece] = []
        self._clause = 0  # the first piece of this clause
        self._main = 0  # and of the one that it stands in
        self._closers: tuple[str, ...] = ()  # the words that turn back
        self._ends: tuple[str, ...] = ()  # the words that end what is contrasted
        self._outside: list[bool] = []
        self._is_aside = False
        self._start(is_taken=True)

    def pieces(self) -> Iterator[Said]:
        """What the sentence takes and drops."""
        for at, word in enumerate(self._lowered):
            if not (self._is_border(at, word) or self._turns(at, word)):
                self._pieces[-1].add([word] if word.startswith("@") else forms_of(self._words[at]))
        for piece in self._pieces:
            if piece.phrases[0] and not piece.is_muted:
                phrases = tuple(frozenset(each) for each in piece.phrases if each)
                yield Said(phrases, self._sentence, piece.is_taken)

    def _start(self, *, is_taken: bool, is_muted: bool = False) -> None:
        self._pieces.append(_Piece(is_taken=is_taken, is_muted=is_muted or (self._is_aside and not is_taken)))

    def _next(self, at: int) -> str:
        return self._lowered[at + 1] if at + 1 < len(self._lowered) else ""

    def _is_border(self, at: int, word: str) -> bool:
        """Whether a word or a mark parts two clauses; a list of things goes on with what it began."""
        last = self._pieces[-1]
        if word == "(":
            self._outside.append(last.is_taken)
        elif word == ")":
            self._start(is_taken=self._outside.pop() if self._outside else True, is_muted=last.is_muted)
        elif word in RELATES or (word in MUTES and (word != "as" or self._next(at) in ("it", "we", "this", "they"))):
            self._is_aside = True
            self._start(is_taken=True, is_muted=word in MUTES)
            self._clause = len(self._pieces) - 1
        elif word in (";", ":", "but", "–", "—") or (word in (",", "and", "or", "then") and self._opens(at)):
            self._start(is_taken=True)
            self._main = self._clause = len(self._pieces) - 1
            self._closers, self._is_aside = (), False
        elif word == ",":
            self._start(is_taken=self._pieces[max(self._clause - 1, 0)].is_taken if self._is_aside else last.is_taken)
            self._clause, self._is_aside = self._main, False
        elif word in self._ends and last.phrases[0]:
            self._start(is_taken=not last.is_taken, is_muted=last.is_muted)
            self._ends = ()
        else:
            return False
        return True

    def _opens(self, at: int) -> bool:
        following = self._next(at)
        if self._lowered[at] == "," and following != "which" and not self._is_aside:
            item = self._lowered[at + 1 : at + 2 + LONGEST_ITEM]
            if len(item) > LONGEST_ITEM and not PARTS.intersection(item):
                return True
        if following == "will" and self._lowered[at] == ",":
            return False
        return following in OPENS or following in NOT or bool(DROPS.fullmatch(following)) or following == "instead"

    def _turns(self, at: int, word: str) -> bool:
        """Whether a word turns what follows, and what stands before it too where it is said of that."""
        following, before = self._next(at), self._lowered[max(0, at - 2) : at]
        if word == "nor":
            self._start(is_taken=False)
        elif word in NOT or word.endswith(("n't", "n’t")):
            self._turn(is_of_subject=bool(BE & {following, *before[-1:]}), goes_on=True)
        elif DROPS.fullmatch(word) or (REPLACES.fullmatch(word) and self._names()):
            self._turn(is_of_subject=word.endswith("ed") and bool(BE & {*before}))
            self._closers = ("with", "by", "favour", "favor", "to")
        elif (word, following) in (("instead", "of"), ("rather", "than"), ("away", "from")):
            self._turn()
            self._closers = ("to",) if word == "away" else ()
            self._ends = PLACES if word != "away" else ()
        elif word == "from" and before[-1:] != ["away"] and any(MOVES.fullmatch(each) for each in self._lowered[:at]):
            self._turn()
            self._closers = ("to",)
        elif word == "over" and any(PREFERS.fullmatch(each) for each in self._lowered[:at]):
            self._turn()
        elif word in self._closers:
            self._turn()
            self._closers = ()
        else:
            return False
        return True

    def _names(self) -> bool:
        return any(word.startswith("@") for word in self._lowered)

    def _turn(self, *, is_of_subject: bool = False, goes_on: bool = False) -> None:
        last = self._pieces[-1]
        if not is_of_subject:
            self._start(is_taken=not last.is_taken, is_muted=last.is_muted)
            return
        for piece in self._pieces[self._clause :]:
            piece.is_taken = not piece.is_taken
        if not goes_on:
            self._start(is_taken=last.is_taken, is_muted=last.is_muted)
