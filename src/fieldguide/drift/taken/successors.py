"""What stands where a name stood: the likely new name, told by the same commit at the same place."""

from collections.abc import Sequence

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
    for raw in added[:MOST_LINES]:
        text = raw.decode(errors="replace").rstrip()
        if not text.startswith(before):
            continue
        match = WORD.match(text[len(before) :])
        if match is None or match.group() == name:
            continue
        rest = text[len(before) + match.end() :]
        if rest == after:
            whole.add(match.group())
        elif before.strip() and rest[:1] == after[:1]:
            begun.add(match.group())
    for found in (whole, begun):
        if len(found) == 1:
            return found.pop()
    return ""
