"""C before the grammar: what the preprocessor would take away is blanked, so that the tree holds.

Conditions go. Of branches that do not close the braces they open (`#if … if (a) { #else if (b) { #endif`), the first
stays. So does the text of all others: who asks who uses a name asks for every system. A word in capitals before a
declaration's type (`UV_EXTERN int f(void);`) goes as well.
"""

from collections.abc import Iterator
from itertools import pairwise

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import READ
from fieldguide.symbols.reading.walk import Walk

CONDITION = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(.*)")
MARK = re.compile(
    r"^(?:extern[ \t]+)?([A-Z][A-Z0-9_]{2,})(?:[ \t]*\([^()\n]*\))?[ \t]+(?:const[ \t]+|struct[ \t]+|unsigned[ \t]+)*"
    r"[a-zA-Z_][\w:]*[ \t*&]+[a-zA-Z_*]"
)
NAME = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
BRACKET = re.compile(r"[{}()]")
MOST_CONDITIONS = 20_000


def without_conditions(text: str) -> str:
    """The text as the grammar gets it, every character in its place."""
    lines = text.split("\n")
    drop = _dropped(lines) if "#" in text else set[int]()
    for number, line in enumerate(lines):
        if number in drop:
            lines[number] = " " * len(line)
        elif line[:1].isupper() or line.startswith("extern "):
            mark = MARK.match(line)
            if mark is not None:
                start, end = mark.start(1), mark.end(1)
                lines[number] = f"{line[:start]}{' ' * (end - start)}{line[end:]}"
    return "\n".join(lines)


def _dropped(lines: list[str]) -> set[int]:
    """The lines of conditions, and of branches that would leave the braces open."""
    drop: set[int] = set()
    groups: list[list[int]] = []
    depths = _depths(lines)
    unkept = [0] * (len(lines) + 1)
    for number, line in enumerate(lines):
        found = CONDITION.match(line) if "#" in line else None
        if found is None:
            continue
        drop.update(_with_continuations(lines, number))
        word = found.group(1)
        if word.startswith("if"):
            groups.append([number])
        elif groups:
            groups[-1].append(number)
            if word == "endif":
                _drop_unbalanced(groups.pop(), depths, unkept)
    depth = 0
    for number in range(len(lines)):
        depth += unkept[number]
        if depth:
            drop.add(number)
    return drop


def _with_continuations(lines: list[str], number: int) -> Iterator[int]:
    yield number
    while lines[number].endswith("\\") and number + 1 < len(lines):
        number += 1
        yield number


def _drop_unbalanced(marks: list[int], depths: list[int], unkept: list[int]) -> None:
    """All branches but the first, if one of them does not close what it opens."""
    branches = list(pairwise(marks))
    if len(branches) > 1 and any(depths[start + 1] != depths[end] for start, end in branches):
        unkept[marks[1]] += 1
        unkept[marks[-1]] -= 1


def _depths(lines: list[str]) -> list[int]:
    """How many brackets are open before each line."""
    found, depth = [0], 0
    for line in lines:
        if BRACKET.search(line) is not None:
            bare = QUOTED.sub("", line)
            depth += bare.count("{") - bare.count("}") + bare.count("(") - bare.count(")")
        found.append(depth)
    return found


def refer_to_conditions(walk: Walk) -> None:
    """The names in what was blanked are used too: by conditions, and as marks of declarations."""
    found = 0
    for number, line in enumerate(walk.text.split("\n"), 1):
        condition = CONDITION.match(line) if "#" in line else None
        if condition is not None and found < MOST_CONDITIONS:
            found += 1
            start = condition.start(2)
            for match in NAME.finditer(QUOTED.sub(_blank, condition.group(2))):
                if match.group() != "defined":
                    walk.refer_at(match.group(), number, start + match.start(), -1, READ)
        elif line[:1].isupper() or line.startswith("extern "):
            mark = MARK.match(line)
            if mark is not None:
                walk.refer_at(mark.group(1), number, mark.start(1), -1, READ)


def _blank(match: "re.Match[str]") -> str:
    return " " * len(match.group())
