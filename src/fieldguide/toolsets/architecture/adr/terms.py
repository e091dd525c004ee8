"""The words of a text that count when two decisions are compared: without endings, with one name for one thing."""

from collections.abc import Sequence
from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.search.words import PART, STOP_WORDS, has_hump
from fieldguide.toolsets.architecture.adr.aliases import ALIASES
from fieldguide.toolsets.architecture.adr.kinds import KIND_OF

WORD = re.compile(
    r"(?:c|f)#|c\+\+|\.net(?a:\b)|[a-z]{2}-[a-z]+-\d(?a:\b)|\d+\.\d+|[^\W_]+(?:['’][a-z]+)?", re.IGNORECASE
)
OPENING_MARKS, CLOSING_MARKS = "(\"'*`[_", ')"*`],.;:!?_'  # none that a word such as `.net` or `c#` has at its end
LONGEST_WORD = 60
# fmt: off
# Words that say that something is decided, or how, but not what.
LIGHT_WORDS = STOP_WORDS | frozenset((
    "accept", "adopt", "adr", "all", "also", "always", "another", "approach", "architecture", "available", "based",
    "because", "become",
    "being", "better", "both", "case", "change", "choice", "choose", "chose", "chosen", "consider", "current",
    "currently", "decide", "decided",
    "decision", "different", "each", "either", "employ", "ensure", "etc", "every", "example", "existing", "first",
    "following", "future",
    "given", "go", "going", "good", "however", "i.e", "implement", "implementation", "instead", "introduce", "keep",
    "leverage", "longer",
    "made", "make", "many", "may", "might", "more", "most", "move", "much", "must", "never", "new", "now", "one",
    "only", "option", "other",
    "over", "own", "per", "possible", "prefer", "propose", "proposed", "provide", "rather", "record", "replace",
    "require", "required", "same", "see",
    "select", "shall", "since", "solution", "still", "such", "support", "switch", "take", "therefore", "though",
    "through", "thus", "time", "two", "up",
    "used", "useful", "utilise", "utilize", "various", "very", "via", "well", "whether", "without", "work", "yes",
    "yet",
))
# fmt: on


def terms_of(text: str) -> list[str]:
    """The terms of a text in its order, repetitions included."""
    found: list[str] = []
    words = _words(text)
    following = 0
    for at, word in enumerate(words):
        if at < following:
            continue
        opens, forms = (False, ("golang",)) if word == "Go" and at else _known(word)
        if opens:
            name, taken = _phrase(words, at)
            forms = (name,) if name else forms
            following = at + taken
        found += forms
    return found


def _words(text: str) -> list[str]:
    """The words of a text; most stand between spaces and plain marks, and are told without a search."""
    found: list[str] = []
    for piece in text.split():
        word = piece.lstrip(OPENING_MARKS).rstrip(CLOSING_MARKS)
        if word.isalnum():
            found.append(word)
        else:
            found += WORD.findall(word)
    return found


@lru_cache(maxsize=50_000)
def _known(word: str) -> tuple[bool, tuple[str, ...]]:
    """Whether a name of several words may begin with a word, and its terms: asked for each word of each record."""
    return word.lower() in OPENINGS, term_forms(word)


def _phrase(words: Sequence[str], at: int) -> tuple[str, int]:
    """A name of several words that begins here, and how many; "Next.js" and "server-side rendering" are such."""
    longest = OPENINGS[words[at].lower()]
    following = tuple(map(str.lower, words[at : at + longest]))
    for taken in range(longest, 1, -1):
        name = PHRASES.get(following[:taken])
        if name:
            return name, taken
    return "", 1


def term_forms(word: str) -> tuple[str, ...]:
    """The terms that a word stands for: none for a light word, several for an identifier that is put together."""
    if len(word) > LONGEST_WORD:
        return ()
    lowered = re.sub(r"['’][a-z]+$", "", word.lower())
    if lowered in LIGHT_WORDS or (len(lowered) < 3 and (len(lowered) == 1 or lowered.isdigit())):
        return ()
    whole = ALIASES.get(lowered) or (lowered if lowered in KIND_OF else stem(lowered))
    if whole in LIGHT_WORDS:
        return ()
    if whole not in KIND_OF and lowered not in ALIASES and word.isascii() and has_hump(word):
        parts = (stem(part.lower()) for part in PART.findall(word))
        return (whole, *(part for part in parts if part not in LIGHT_WORDS and len(part) > 1))
    return (whole,)


def stem(word: str) -> str:
    """A word without the endings of English that do not change what it is about; made to be cheap, not learned."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, kept in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + kept
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsez":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


PHRASES = {tuple(WORD.findall(alias)): name for alias, name in ALIASES.items() if len(WORD.findall(alias)) > 1}
OPENINGS = {words[0]: len(words) for words in sorted(PHRASES, key=len)}  # how many words the longest such name has
ENDINGS = (
    ("isations", "iz"), ("izations", "iz"), ("isation", "iz"), ("ization", "iz"), ("ations", "at"), ("ation", "at"),
    ("ising", "iz"), ("izing", "iz"),
    ("ised", "iz"), ("ized", "iz"), ("ises", "is"), ("ise", "iz"), ("ize", "iz"), ("ments", "ment"), ("ities", "ity"),
    ("sses", "ss"), ("ies", "y"),
    ("ically", "ic"), ("ally", "al"), ("ly", ""), ("ings", ""), ("ing", ""), ("edly", ""), ("ied", "y"), ("ed", ""),
    ("ches", "ch"), ("shes", "sh"),
    ("xes", "x"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""),
)  # fmt: skip
