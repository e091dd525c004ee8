"""Which words of a text are names, and which are so general that two texts share them by chance."""

from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.kinds import KIND_OF
from fieldguide.toolsets.architecture.adr.terms import WORD, stem, terms_of

GENERAL = frozenset(
    stem(word)
    for word in (
        "service", "application", "app", "system", "project", "main", "primary", "default", "general", "thing",
        "team", "product", "platform", "user", "need", "part", "way", "just", "let", "want", "put", "allow", "offer",
        "add", "use", "create", "set", "start", "run", "stop", "go", "back", "bring", "everything", "everyone",
        "nobody", "anything", "any", "whole", "few", "side", "together", "avoid", "against", "write", "store",
        "build", "send",
    )
)  # fmt: skip
ACRONYMS = frozenset(("api", "ci", "ui", "url", "http", "https", "id", "cpu", "os", "qa", "sql", "it", "ok", "adr"))
HEADLINE = 0.6


def names_in(text: str) -> Iterator[str]:
    """The names in a text, as terms: technologies that are known, and words that are written like names."""
    yield from (term for term in terms_of(text) if term in KIND_OF)
    words = WORD.findall(text)
    capitals = sum(word[:1].isupper() for word in words)
    is_headline = len(words) > 2 and capitals > HEADLINE * len(words)
    for at, word in enumerate(words):
        is_odd = any(letter.isupper() or letter.isdigit() for letter in word[1:])
        if is_odd or (word[:1].isupper() and at > 0 and not is_headline and not _opens(text, word)):
            yield from (term for term in terms_of(word) if term not in ACRONYMS)


def _opens(text: str, word: str) -> bool:
    return re.search(rf"[.:!?\"“'(]\s*{re.escape(word)}\b", text) is not None
