"""Splits texts and questions into words, including parts of identifiers, and finds what the forms of a word share.

The keyword index's own tokenizer splits at everything that is no letter or digit and stems English. What it can't do is
done here, once for documents (`extract_hidden_words`) and in the same way for queries (`extract_query_terms`).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase, digits

from fieldguide.text import regex as re

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
_OTHER = bytes(code for code in range(256) if not bytes([code]).isalnum())
SHAPES = bytes.maketrans(  # capitals as A, small letters and digits as a
    f"{ascii_uppercase}{ascii_lowercase}{digits}".encode() + _OTHER, b"A" * 26 + b"a" * 36 + b" " * len(_OTHER)
)
UNSPACED = re.compile(f"[{SCRIPTS_WITHOUT_SPACES}]+")
MOST_TERMS = 48
OPTION = re.compile(rf"-{{1,2}}{WHOLE}(?:[.:/_-]+{WHOLE})*")
LEAST_PARTS = 3  # of a name whose parts are plain words or numbers: `read-only` and `3.11` are no names
LEAST_DIGITS = 5
REMEMBERED_WORDS = 30_000  # the words of a large project's code, a few megabytes
LONGEST_REMEMBERED = 60  # characters
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
    words = list(dict.fromkeys(_query_words(text)))
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
    parts: list[str] = []
    for word in split_plain_words(text):
        humps = _remembered_humps(word) if len(word) <= LONGEST_REMEMBERED else _humps(word)
        if humps:
            parts.append(humps)
    if not text.isascii():
        parts += [pair for run in UNSPACED.findall(text) for pair in _pairs(run)]
    return " ".join(parts)


def _humps(word: str) -> str:
    """The parts of an ASCII word that is several, in lower case; empty for a plain word."""
    return " ".join(PART.findall(word)).lower() if has_hump(word) else ""


_remembered_humps = lru_cache(maxsize=REMEMBERED_WORDS)(_humps)


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
    shape = word.encode().translate(SHAPES)
    at = shape.find(b"AAa")
    while at >= 0 and not word[at + 2].islower():
        at = shape.find(b"AAa", at + 1)
    return at >= 0 or b"aA" in shape


def _query_words(text: str) -> Iterator[str]:
    for joined in _find_joined(text):
        words = find_words(joined.replace("_", " "))
        if len(words) > 1:
            yield " ".join(words).lower()
    for found in find_words(text.replace("_", " ")):
        yield from _spaced(found)


def _find_joined(text: str) -> list[str]:
    """The words of a text, and what is joined of several."""
    is_plain = text.isascii() and JOINING.isdisjoint(text)
    return split_plain_words(text) if is_plain else JOINED.findall(text)


def _spaced(word: str) -> Iterator[str]:
    if not word.isascii() and UNSPACED.search(word):
        for run in UNSPACED.findall(word):
            yield from _pairs(run)
        for rest in UNSPACED.split(word):
            if rest:
                yield rest.lower()
        return
    yield word.lower()
    if word.isascii() and has_hump(word):
        yield from (part.lower() for part in PART.findall(word))


def _pairs(run: str) -> Iterator[str]:
    """Each two neighbours: most words of these scripts have two characters, and longer ones are several pairs."""
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second
