"""Decides which paths and identifiers of a project may be put before a model that did not ask for them.

Both are an untrusted author's text. A short name of the usual characters carries no message; one that is long, has odd
characters or reads like a sentence to the reader is left out.
"""

from collections.abc import Iterable, Iterator, Sequence

from fieldguide.text import regex as re

LONGEST_PATH = 160
LONGEST_NAME = 80
MOST_WORDS = 8  # of one part of a path, or of one name
MOST_WORDS_OF_PATH = 30
# ASCII only: a sentence in a script without blanks would count as one word.
PATH = re.compile(r"[A-Za-z0-9_.@+~=,()\[\]{}$-]+(?:/[A-Za-z0-9_.@+~=,()\[\]{}$-]+)*")
NAME = re.compile(r"[A-Za-z0-9_$]+(?:(?:\.|::|#|->)~?[A-Za-z0-9_$]+)*[?!]?")
OWNER = re.compile(r"@?[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)?")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ADDRESSING = _words("""
    above always anything assistant bypass claude curl disregard exfiltrate forget gpt ignore immediately important
    instruction instructions jailbreak must never obey please previous prior reveal rm sudo urgent wget you your
""")
MOST_ADDRESSING = 1
MOST_ADDRESSING_OF_LINES = 4


def keep_path(path: str) -> str:
    """The path where it may be told, else nothing."""
    if len(path) > LONGEST_PATH or PATH.fullmatch(path) is None:
        return ""
    parts = [WORD.findall(part) for part in path.split("/")]
    words = [word for part in parts for word in part]
    is_long = len(words) > MOST_WORDS_OF_PATH or any(len(part) > MOST_WORDS for part in parts)
    return "" if is_long or addresses_reader(words) else path


def keep_name(name: str) -> str:
    """The identifier where it may be told, else nothing."""
    words = WORD.findall(name[: LONGEST_NAME + 1])
    if len(name) > LONGEST_NAME or NAME.fullmatch(name) is None or len(words) > MOST_WORDS:
        return ""
    return "" if addresses_reader(words) else name


def keep_owner(owner: str) -> str:
    """An owner of files as CODEOWNERS writes one (`@team/core`), where it may be told, else nothing."""
    if OWNER.fullmatch(owner) is None:
        return ""
    return owner if keep_name(owner.strip("@").replace("/", ".").replace("-", "_")) else ""


def addresses_reader(words: Sequence[str]) -> bool:
    """Whether words speak to whoever reads them: more than one of those that commands are made of."""
    return len({word.lower() for word in words} & ADDRESSING) > MOST_ADDRESSING


def keep_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines that may be told together: many names, with one word of a command each, could make a sentence."""
    seen: set[str] = set()
    for line in lines:
        found = seen | ({word.lower() for word in WORD.findall(line)} & ADDRESSING)
        if found == seen or len(found) <= MOST_ADDRESSING_OF_LINES:
            seen = found
            yield line
