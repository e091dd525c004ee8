"""What stands where a name stood: the likely new name, told by the same commit at the same place."""

from collections.abc import Iterator, Sequence

from fieldguide import linear_regex as re

MOST_LINES = 200
WORD = re.compile(r"[A-Za-z_$][\w$-]*")


def successor_of(name: str, line: str, added: Sequence[bytes]) -> str:
    """The name in an added line that is else the same, or begins so; empty where none is, or several are."""
    before, _, after = line.rstrip().partition(name)
    if not before.strip() and not after.strip():
        return ""
    whole: set[str] = set()
    begun: set[str] = set()
    for word, rest in _words_behind(before, added):
        if word == name:
            continue
        if rest == after:
            whole.add(word)
        elif before.strip() and rest[:1] == after[:1]:
            begun.add(word)
    return _only(whole) or _only(begun)


def _only(words: set[str]) -> str:
    return next(iter(words)) if len(words) == 1 else ""


def _words_behind(before: str, lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """The words that stand in lines behind a beginning, each with the rest of its line."""
    for raw in lines[:MOST_LINES]:
        text = raw.decode(errors="replace").rstrip()
        match = WORD.match(text[len(before) :]) if text.startswith(before) else None
        if match is not None:
            yield match.group(), text[len(before) + match.end() :]
