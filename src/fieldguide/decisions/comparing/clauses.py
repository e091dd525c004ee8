"""What a sentence takes and what it drops, read from its structure: negations and contrasts turn what they bind to.

Each turning word turns what stands before it once more, so that "do not replace A with B" takes A and drops B. A clause
that only tells the past, a reason or a condition takes nothing and drops nothing.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.finding.terms import DECIDES, forms_of
from fieldguide.decisions.reading.prose import Sentence

TOKEN = re.compile(r"@\d+|[^\W_]+(?:[.+#'’-]+[^\W_]+)*[+#]*|[,;:()–—?]")
# Words of grammar.
NOT = frozenset(("not", "never", "no", "without", "cannot", "neither"))
BE = frozenset(("is", "are", "be", "been", "being", "was", "were"))
OPENS = DECIDES | {"we", "it", "this", "they", "will", "let", "use", "move", "instead"}
ENDS = frozenset((";", ":", "–", "—", "but"))
JOINS = frozenset((",", "and", "or", "then"))
REASONS = frozenset(("because", "since", "although", "while", "if", "when"))
RELATES = frozenset(("which", "whose", "so"))  # what is said on the way drops nothing
AS_REASON = frozenset(("it", "we", "this", "they"))
CONTRASTS = frozenset((("instead", "of"), ("rather", "than"), ("compared", "to")))
PLACES = frozenset(("for", "in", "on", "as", "at"))  # what follows them is said of both sides of a contrast
# Words that were picked.
TURNS = re.compile(
    r"(?:stop|drop|remov|replac|abandon|abolish|retir|deprecat|discontinu|avoid|forbid|supersed|reject|disabl|revert)"
    r"(?:e|p?e?s|p?e?d|p?ing|den)?"
)
REPLACES = re.compile(r"(?:overrid|overrul|amend|obsolet|revis|revers|deviat)\w*")  # what is done to a record by name
LEAVES = re.compile(r"(?:mov|migrat|switch)\w*")
PREFERS = re.compile(r"(?:prefer|favou?r|chose|choos)\w*")
MUTES = REASONS | {"currently", "previously", "today", "formerly", "considered"}
LONGEST_ITEM = 3  # words: what stands between commas and is longer is a clause of its own, not one thing of a list


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


def terms_in(said: Sequence[Said]) -> frozenset[str]:
    """The terms of several pieces."""
    return frozenset[str]().union(*(each.terms for each in said))


def taken_of(said: Sequence[Said]) -> tuple[Said, ...]:
    """The pieces that take something."""
    return tuple(each for each in said if each.is_taken)


def dropped_of(said: Sequence[Said]) -> tuple[Said, ...]:
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
        terms = (word,) if word.startswith("@") else forms_of(word)
        self.phrases[-1].update(terms)
        if not terms and self.phrases[-1]:
            self.phrases.append(set())

    def said(self, sentence: Sentence) -> Iterator[Said]:
        """What it says, if anything."""
        if self.phrases[0] and not self.is_muted:
            yield Said(tuple(map(frozenset, filter(None, self.phrases))), sentence, self.is_taken, self.is_option)


def clauses_of(sentences: Sequence[Sentence]) -> list[Said]:
    """All that some sentences take and drop, in their order; a question says neither."""
    asked = (each for each in sentences if not each.text.endswith("?"))
    return [said for each in asked for piece in _Reading(each.text).pieces() for said in piece.said(each)]


def options_of(options: Sequence[Sentence], *, is_taken: bool) -> list[Said]:
    """Options as they are listed: all of one is taken, or all of it dropped."""
    found: list[Said] = []
    for option in options:
        piece = _Piece(is_taken=is_taken, is_option=True)
        for word in TOKEN.findall(option.text):
            piece.add(word)
        found += piece.said(option)
    return found


class _Reading:
    """One sentence while it is read, word by word."""

    def __init__(self, text: str) -> None:
        self._words = TOKEN.findall(text)
        self._lowered = [word.lower() for word in self._words]
        self._names_record = any(word.startswith("@") for word in self._words)
        self._pieces = [_Piece()]
        self._clause = self._main = 0  # the first piece of this clause, and of the one that it stands in
        self._is_aside = False
        self._back: tuple[str, ...] = ()  # the words that turn back
        self._outside: list[bool] = []

    def pieces(self) -> list[_Piece]:
        """The pieces of the sentence."""
        for at, word in enumerate(self._lowered):
            if not (self._parts(at, word) or self._turns(at, word)):
                self._pieces[-1].add(self._words[at])
        return self._pieces

    def _start(self, *, is_taken: bool, is_muted: bool = False) -> None:
        self._pieces.append(_Piece(is_taken=is_taken, is_muted=is_muted or (self._is_aside and not is_taken)))

    def _next(self, at: int) -> str:
        return self._lowered[at + 1] if at + 1 < len(self._lowered) else ""

    def _parts(self, at: int, word: str) -> bool:
        """Whether a word or a mark parts two pieces; a list of things goes on with what it began."""
        is_mute = word in MUTES or (word == "as" and self._next(at) in AS_REASON)
        if word in "()":
            self._bracket(word)
        elif is_mute or word in RELATES:
            self._is_aside = True
            self._start(is_taken=True, is_muted=is_mute)
            self._clause = len(self._pieces) - 1
        elif word in ENDS or (word in JOINS and self._opens(at)):
            self._is_aside, self._back = False, ()
            self._start(is_taken=True)
            self._main = self._clause = len(self._pieces) - 1
        elif word == ",":
            self._go_on()
        else:
            return False
        return True

    def _go_on(self) -> None:
        """Go on behind a comma as before it, or as before what was said on the way."""
        before = self._pieces[max(self._clause - 1, 0)] if self._is_aside else self._pieces[-1]
        self._is_aside, self._clause = False, self._main
        self._start(is_taken=before.is_taken)
        self._pieces[-1].is_option = before.is_option

    def _bracket(self, word: str) -> None:
        last = self._pieces[-1]
        if word == "(":
            self._outside.append(last.is_taken)
        else:
            self._start(is_taken=self._outside.pop() if self._outside else True, is_muted=last.is_muted)

    def _opens(self, at: int) -> bool:
        """Whether a clause of its own follows a comma or an "and"."""
        following = self._next(at)
        if self._lowered[at] == "," and (following in RELATES or following in ("will", "such")):
            return False
        is_verb = following in OPENS or following in NOT or TURNS.fullmatch(following) is not None
        return is_verb or (self._lowered[at] == "," and not self._is_aside and self._is_long(at + 1))

    def _is_long(self, at: int) -> bool:
        """Whether more words follow than one thing of a list has."""
        item = self._lowered[at : at + LONGEST_ITEM + 1]
        return len(item) > LONGEST_ITEM and all(word[0].isalnum() for word in item)

    def _turns(self, at: int, word: str) -> bool:
        """Whether a word turns what follows, and what stands before it too where it is said of that."""
        before = self._lowered[max(0, at - 2) : at]
        if self._turns_back(word):
            self._turn()
            self._back = ()
        elif word == "nor":
            self._start(is_taken=False)
        elif word in NOT or word.endswith(("n't", "n’t")) or (at == 0 and word == "against"):
            self._turn(is_of_subject=not BE.isdisjoint((self._next(at), *before[-1:])), goes_on=True)
        elif self._is_act(word):
            self._turn(is_of_subject=word.endswith("ed") and not BE.isdisjoint(before))
            self._back = ("with", "by", "favour", "favor", "to")
        else:
            return self._contrasts(at, word, self._next(at))
        return True

    def _turns_back(self, word: str) -> bool:
        return word in self._back and (word not in PLACES or bool(self._pieces[-1].phrases[0]))

    def _is_act(self, word: str) -> bool:
        is_done_to_name = self._names_record and REPLACES.fullmatch(word) is not None
        return is_done_to_name or TURNS.fullmatch(word) is not None

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
