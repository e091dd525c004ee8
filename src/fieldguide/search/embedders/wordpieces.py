"""Text into rows of the model's table: words as code writes them, cut into the pieces that the vocabulary knows."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from fieldguide import linear_regex as re
from fieldguide.search.words import plain_words

CONTINUED = "##"  # opens a piece that only stands inside a word, as in the vocabulary of the teacher
LONGEST_WORD = 64  # characters; what is longer is a key or a picture, and no word
CACHED_WORDS = 50_000  # a few megabytes; the documentation of a large project has about as many

# Chinese characters and kana stand alone, as no space parts the words that they make.
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
HUMP = re.compile(r"[A-Z]+[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+[0-9]*|[0-9]+")
ASCII_AS_SPACE = bytes(32 if code < 128 else code for code in range(256))
REMEMBERED_CHARACTERS = 4_096


class WordPieces:
    """The words of a text as row numbers: `ConfigMap` counts as config, as map and, if it has a row, as configmap.

    A character that no piece covers is passed over, so that any text in any script gives an answer.
    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows
        self._longest = max(map(len, rows), default=0)
        self._cache: dict[str, tuple[int, ...]] = {}

    def count(self, text: str) -> dict[int, int]:
        """How often each row stands in the text."""
        if not text.isascii():
            text = _without_accents(text)
        counts: dict[int, int] = {}
        for word, times in Counter(words_of(text)).items():
            rows = self._cache.get(word)
            for row in self._remember(word) if rows is None else rows:
                counts[row] = counts.get(row, 0) + times
        return counts

    def known_share(self, text: str) -> float:
        """The share of a text's letters that stand in known pieces of more than one letter."""
        words = words_of(_without_accents(text))
        letters = sum(map(len, words))
        known = sum(self._known_letters(word) for word in words)
        return known / letters if letters else 0.0

    def _known_letters(self, word: str) -> int:
        if len(word) > LONGEST_WORD:
            return 0
        if word.isascii() or word.lower() in self._rows:
            return len(word) if len(word) > 1 or word.isascii() else 0
        return sum(size for size in self._piece_sizes(word.lower()) if size > 1)

    def _piece_sizes(self, word: str) -> Iterator[int]:
        """How many letters each known piece of a word has."""
        start = 0
        while start < len(word):
            prefix = CONTINUED if start else ""
            ends = range(min(len(word), start + self._longest), start, -1)
            end = next((each for each in ends if prefix + word[start:each] in self._rows), None)
            if end is not None:
                yield end - start
            start = end or start + 1

    def _remember(self, word: str) -> tuple[int, ...]:
        """The rows of a word met for the first time; a full cache starts again, which needs no lock."""
        if len(self._cache) >= CACHED_WORDS:
            self._cache.clear()
        rows = self._cache[word] = tuple(self._cut(word))
        return rows

    def _cut(self, word: str) -> Iterator[int]:
        if len(word) > LONGEST_WORD:
            return
        whole = self._rows.get(word.lower())
        humps = _humps(word)
        if whole is not None:
            yield whole
            if len(humps) == 1:
                return
        for hump in humps:
            yield from self._pieces(hump.lower())

    def _pieces(self, word: str) -> Iterator[int]:
        """The longest known piece from the left, again and again."""
        start = 0
        while start < len(word):
            prefix = CONTINUED if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                row = self._rows.get(prefix + word[start:end])
                if row is not None:
                    yield row
                    break
            else:
                end = start + 1
            start = end


def words_of(text: str) -> list[str]:
    """The words of a text, those of ASCII letters and digits first; a letter of another script ends them, and is cut by
    `_other_words`. Tables do the work, as every text of an index goes through here.
    """
    words = plain_words(text)
    if not text.isascii():
        rest = text.encode(errors="replace").translate(ASCII_AS_SPACE).decode()
        words += [word for run in rest.split() for word in _other_words(run)]
    return words


def _other_words(run: str) -> list[str]:
    """The words in a run of characters beyond ASCII; an ideograph is a word of its own."""
    return run.translate(_APART).split()


def lowered_parts(word: str) -> set[str]:
    """The forms under which a vocabulary may list a word: whole, and each of its humps."""
    return {word.lower(), *(hump.lower() for hump in _humps(word))}


def _humps(word: str) -> list[str]:
    """`getHTTPServer` as get, HTTP and Server; `k8s`, `K8s` and `UTF8` stay in one."""
    if word[1:].islower() or word.isupper() or not word.isascii():
        return [word]
    return HUMP.findall(word)


def _without_accents(text: str) -> str:
    return text.translate(_BASES)


class _Remembered(dict[int, str]):
    """What each character becomes; those met first are remembered."""

    def __init__(self, made: Callable[[str], str]) -> None:
        self._made = made

    def __missing__(self, code: int) -> str:
        made = self._made(chr(code))
        if len(self) < REMEMBERED_CHARACTERS:
            self[code] = made
        return made


def _base(character: str) -> str:
    """A letter without its accents; one by one, as a long run of accents takes `normalize` quadratic time."""
    return "".join(each for each in unicodedata.normalize("NFD", character) if not unicodedata.combining(each))


def _apart(character: str) -> str:
    if not character.isalnum():
        return " "
    return f" {character} " if IDEOGRAPH.match(character) else character


_BASES = _Remembered(_base)
_APART = _Remembered(_apart)
