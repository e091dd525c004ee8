"""Splits texts and questions into words, including parts of identifiers, and finds what the forms of a word share.

The keyword index's own tokenizer splits at everything that is no letter or digit and stems English. What it can't do is
done here, once for documents (`extract_hidden_words`) and in the same way for queries (`extract_query_terms`).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TypeVar

from fieldguide.text import regex as re

K = TypeVar("K")
V = TypeVar("V")

SCRIPTS_WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
MARKS = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"  # in a word, but no letters to `\w`
WHOLE = rf"[\w{MARKS}{SCRIPTS_WITHOUT_SPACES}]+"
WORD = re.compile(WHOLE)
JOINED = re.compile(rf"{WHOLE}(?:[.:/_-]+{WHOLE})*")
JOINING = frozenset(".:/_-")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
BETWEEN_PLAIN_WORDS = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))
LETTERS_AND_DIGITS = bytes.maketrans(  # capitals as A, small letters as a, digits as 0
    f"{ascii_uppercase}{ascii_lowercase}{digits}".encode(), b"A" * 26 + b"a" * 26 + b"0" * 10
)
APART_IN_HUMPS = ((b"AAa", b"A Aa"), (b"aA", b"a A"), (b"0A", b"0 A"), (b"0a", b"0 a"))
EVERY_PART = (*APART_IN_HUMPS, (b"A0", b"A 0"), (b"a0", b"a 0"))
UNSPACED = re.compile(f"[{SCRIPTS_WITHOUT_SPACES}]+")
MOST_TERMS = 48
OPTION = re.compile(rf"-{{1,2}}{WHOLE}(?:[.:/_-]+{WHOLE})*")
LEAST_PARTS = 3  # of a name whose parts are plain words or numbers: `read-only` and `3.11` are no names
LEAST_DIGITS = 5
REMEMBERED_WORDS = 30_000  # the words of a large project's code, a few megabytes
MOST_IDENTIFIERS = 12
# fmt: off
STOP_WORDS = frozenset((
    "a", "about", "am", "an", "and", "any", "anyone", "anything", "are", "as", "at", "be", "been", "but", "by", "can",
    "cannot", "could", "did", "do", "does", "doing", "don", "for", "from", "get", "had", "has", "have", "having",
    "hello", "help", "hi", "how", "i", "if", "in", "into", "is", "it", "its", "just", "like", "me", "my", "need", "no",
    "not", "of", "on", "or", "our", "please", "s", "should", "so", "some", "t", "tell", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "tried", "trying", "us", "use", "using", "want",
    "was", "way", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with",
    "within", "would", "you", "your",
))
# fmt: on
ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ies", "ed", "er", "es", "s", "e", "y")
STEM_ENDINGS = (
    ("isation", "iz"), ("ization", "iz"), ("ation", "at"), ("ising", "iz"), ("ised", "iz"), ("ise", "iz"),
    ("ize", "iz"), ("ies", "y"), ("ied", "y"), ("ly", ""), ("ing", ""), ("ed", ""), ("ss", "ss"), ("us", "us"),
    ("is", "is"), ("s", ""),
)  # fmt: skip
SEPARATORS_AS_SPACE = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))


def stem(word: str) -> str:
    """What the forms of a word have in common, to be compared with that of another word.

    It cuts off less than `strip_ending`, which for decisions is a little worse: 15 instead of 13 wrong conflicts in
    two times 19,984 pairs (`benchmarks.adr`), 105 instead of 106 of 176 proposals right (`benchmarks.adr_proposals`).
    """
    if not (word.isascii() and word.isalpha()):
        return word
    ending, kept = next((pair for pair in STEM_ENDINGS if word[3:].endswith(pair[0])), ("", ""))
    bare = word.removesuffix(ending) + kept
    is_doubled = len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsez"
    return bare[:-1] if is_doubled or (len(bare) > 4 and bare.endswith("e")) else bare


def make_singular(word: str) -> str:
    """A noun in the singular; other words as they are."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "xes", "tches", "nches", "rches")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def strip_ending(word: str, endings: Sequence[str] = ENDINGS, least: int = 3) -> str:
    """The beginning that a word shares with its other forms: without the first ending that leaves so many letters."""
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


def extract_query_terms(text: str) -> list[str]:
    """What to look for: each word once, in the order of the text; words that say nothing only where there is no other.

    A term is one word, or several that must stand in this order (the parts of an identifier).
    """
    words: list[str] = []
    for joined in _find_joined(text):
        parts = find_words(joined.replace("_", " "))
        if len(parts) > 1:
            words.append(" ".join(parts).lower())
    for word in find_words(text.replace("_", " ")):
        if not word.isascii() and UNSPACED.search(word):
            for run in UNSPACED.findall(word):
                words += _pairs(run)
            words += [rest.lower() for rest in UNSPACED.split(word) if rest]
            continue
        words.append(word.lower())
        if word.isascii() and has_hump(word):
            words += [part.lower() for part in PART.findall(word)]
    words = list(dict.fromkeys(words))
    telling = [word for word in words if word not in STOP_WORDS]
    return (telling or words)[:MOST_TERMS]


def extract_identifiers(text: str, weigh: Callable[[str], float | None] = lambda word: None) -> list[str]:
    """The names in a text that are written as no plain word is: options, error codes, host names, hashes, symbols.

    `weigh` gives a weight to a lower-case word that is an ordinary one, as "github" is, however it is written.
    """
    words = [word.strip("()[]{}<>'\"`,;.:!?") for word in text.split()]
    options = [word for word in words if word.startswith("-") and OPTION.fullmatch(word)]
    names = [name for name in _find_joined(text) if _is_identifier(name, weigh)]
    return list(dict.fromkeys([*options, *names]))[:MOST_IDENTIFIERS]


def make_search_term(identifier: str) -> str:
    """What to look for in the index to find an identifier: its words, in their order."""
    return " ".join(WORD.findall(identifier.replace("_", " "))).lower()


def _is_identifier(name: str, weigh: Callable[[str], float | None]) -> bool:
    """Whether a run of letters, digits and what joins them is a name and no plain word or number."""
    name = name.strip("_")
    has_digit = any(map(str.isdigit, name))
    has_letter = any(map(str.isalpha, name))
    if not name.isascii() or weigh(name.lower()) is not None:
        return False
    if has_digit and has_letter:
        return len(name) >= LEAST_PARTS  # "v2" is everywhere
    parts = find_words(name.replace("_", " "))
    if name.isdigit():
        return len(name) >= LEAST_DIGITS  # a ticket or an error; shorter ones are years and counts
    if len(parts) == 1:
        return has_letter and (has_hump(name) or (name.isupper() and len(name) > LEAST_PARTS))
    if "_" in name or "::" in name or len(parts) >= LEAST_PARTS:
        return True
    return has_letter and "." in name and not all(len(part) == 1 for part in parts)  # as in "e.g"


def extract_hidden_words(text: str) -> str:
    """The words that the index's tokenizer would not find in a text: parts of camelCase, pairs of characters."""
    parts = [*filter(None, map(_REMEMBERED_HUMPS.__getitem__, split_plain_words(text)))]
    if not text.isascii():
        parts += [pair for run in UNSPACED.findall(text) for pair in _pairs(run)]
    return " ".join(parts)


class Remembered(dict[K, V]):
    """What a function makes of each key, found again by a plain look-up; what was not asked for lately is made anew."""

    def __init__(self, make: Callable[[K], V], most: int) -> None:
        self._make = make
        self._half = max(most // 2, 1)
        self._older: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        older = self._older
        made = older[key] if key in older else self._make(key)
        if len(self) >= self._half:
            self._older = dict(self)
            self.clear()
        self[key] = made
        return made


def _humps(word: str) -> str:
    """The parts of an ASCII word that is several, in lower case; empty for a plain word."""
    return " ".join(split_humps(word, EVERY_PART)).lower() if has_hump(word) else ""


_REMEMBERED_HUMPS = Remembered(_humps, REMEMBERED_WORDS)


def split_humps(word: str, apart: Sequence[tuple[bytes, bytes]] = APART_IN_HUMPS) -> list[str]:
    """The parts of a word of ASCII letters and digits: `getHTTPServer2` as get, HTTP and Server2.

    Each place where a part ends is found by its shape; a pattern that looks ahead takes ten times as long.
    """
    shape = word.encode().translate(LETTERS_AND_DIGITS)
    for joined, parted in apart:
        shape = shape.replace(joined, parted)
    return [word[start:end] for start, end in pairwise((0, *accumulate(map(len, shape.split()))))]


def find_words(text: str) -> list[str]:
    """The words of a text, with `_` among their letters; those of plain text by a table, which is quicker."""
    is_plain = text.isascii() and "_" not in text
    return split_plain_words(text) if is_plain else WORD.findall(text)


def split_plain_words(text: str) -> list[str]:
    """The runs of ASCII letters and digits; by a table, as every text of an index goes through here."""
    return text.encode("ascii", "replace").translate(BETWEEN_PLAIN_WORDS).decode().split()


def pad_words(text: str) -> str:
    """A text in lower case, with spaces for separators and around it; by a table, as many texts go through here."""
    spaced = text.lower().encode(errors="surrogatepass").translate(SEPARATORS_AS_SPACE)
    return f" {spaced.decode(errors='surrogatepass')} "


def has_hump(word: str) -> bool:
    """Whether an ASCII word is several, as in `camelCase` or `HTTPServer`; most are lower case, and told first."""
    if word[1:].islower():
        return False
    shape = word.encode().translate(LETTERS_AND_DIGITS)
    return b"aA" in shape or b"AAa" in shape or b"0A" in shape


def _find_joined(text: str) -> list[str]:
    """The words of a text, and what is joined of several."""
    is_plain = text.isascii() and JOINING.isdisjoint(text)
    return split_plain_words(text) if is_plain else JOINED.findall(text)


def _pairs(run: str) -> Iterator[str]:
    """Each two neighbours: most words of these scripts have two characters, and longer ones are several pairs."""
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second
