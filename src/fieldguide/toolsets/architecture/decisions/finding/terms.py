"""The words of a text that tell what it is about, without the endings of English."""

from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.search.words import STOP_WORDS

WORD = re.compile(r"[^\W_]+(?:[.+#'’-]+[^\W_]+)*[+#]*")
PART = re.compile(r"[^\W_]+[+#]*")
LONGEST_WORD = 60
# Words that say that something is decided, but not what.
LIGHT = STOP_WORDS | frozenset(
    "adopt adr all also both choose chose chosen decide decided decision each every implement instead introduce keep "
    "longer must new now only option other record same take used".split()
)
ENDINGS = (
    ("isation", "iz"), ("ization", "iz"), ("ation", "at"), ("ising", "iz"), ("ised", "iz"), ("ise", "iz"),
    ("ize", "iz"), ("ies", "y"), ("ied", "y"), ("ly", ""), ("ing", ""), ("ed", ""), ("ss", "ss"), ("us", "us"),
    ("is", "is"), ("s", ""),
)  # fmt: skip


def terms_of(text: str) -> list[str]:
    """The terms of a text in its order, repetitions included."""
    return [term for word in WORD.findall(text) for term in forms_of(word)]


@lru_cache(maxsize=50_000)
def forms_of(word: str) -> tuple[str, ...]:
    """The terms that a word stands for: none for a light one, one for each part of one that is put together."""
    lowered = re.sub(r"['’][a-z]+$", "", word.lower())
    if lowered in LIGHT or len(lowered) > LONGEST_WORD:
        return ()
    if lowered.startswith(("non-", "un-")):  # the opposite of what follows, never the same
        return (stem(lowered.replace("-", "")),)
    parts = PART.findall(lowered)
    if len(parts) > 1:
        return tuple(term for part in parts for term in forms_of(part))
    bare = stem(lowered)
    return (bare,) if bare not in LIGHT_STEMS and (len(lowered) > 1 or lowered.isdigit()) else ()


def stem(word: str) -> str:
    """A word without the endings that do not change what it is about; made to be cheap, not learned."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, kept in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + kept
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsez":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


LIGHT_STEMS = frozenset(stem(word) for word in LIGHT)
