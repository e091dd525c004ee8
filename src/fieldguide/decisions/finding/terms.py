"""The words of a text that tell what it is about, without the endings of English."""

from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.search.words import STOP_WORDS

WORD = re.compile(r"[^\W_]+(?:[.+#'’-]+[^\W_]+)*[+#]*")
PART = re.compile(r"[^\W_]+[+#]*")
LONGEST_WORD = 60
# Words that say that something is decided, but not what.
DECIDES = frozenset((
    "adopt", "adr", "choose", "chose", "chosen", "decide", "decision", "implement", "introduce", "keep", "longer",
    "must", "option", "record", "take", "used",
))  # fmt: skip
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
    if len(lowered) > LONGEST_WORD:
        return ()
    if lowered.startswith("non-"):  # the opposite of what follows, never the same
        return (stem(lowered.replace("-", "")),)
    parts = PART.findall(lowered)
    if len(parts) > 1:
        return tuple(term for part in parts for term in forms_of(part))
    bare = stem(lowered)
    is_light = bare in LIGHT or lowered in LIGHT or (len(lowered) == 1 and not lowered.isdigit())
    return () if is_light else (bare,)


def stem(word: str) -> str:
    """A word without the endings that do not change what it is about; made to be cheap, not learned."""
    if not (word.isascii() and word.isalpha()):
        return word
    ending, kept = next((pair for pair in ENDINGS if word[3:].endswith(pair[0])), ("", ""))
    bare = word.removesuffix(ending) + kept
    is_doubled = len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsez"
    return bare[:-1] if is_doubled or (len(bare) > 4 and bare.endswith("e")) else bare


LIGHT = STOP_WORDS | DECIDES | {stem(word) for word in DECIDES}
