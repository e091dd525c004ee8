"""Sentences about size: how many lines a function may have, how many parameters."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import SizeCheck

NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twenty": 20,
}
NUMBER = rf"(?P<number>\d{{1,4}}|{'|'.join(NUMBERS)})"
WHAT = re.compile(
    r"\b(?:(?P<constructor>constructors?)|(?P<function>functions?|methods?|procedures?)|(?P<class>class(?:es)?))\b",
    re.IGNORECASE,
)
MOST = re.compile(
    rf"\b(?:at most|no (?:longer|more) than|not (?:exceed|be longer than|have more than|take more than)|up to"
    rf"|a maximum of|max(?:imum)?(?: of)?|"
    rf"fewer than or equal to|(?P<under>under|below|fewer than|less than|shorter than)|more than|longer than"
    rf"|exceed)\s+{NUMBER}\s+(?P<unit>lines?|parameters?|arguments?|statements?)",
    re.IGNORECASE,
)


def size_check(sentence: str) -> SizeCheck | None:
    """The check of a sentence that limits a size; None for any other."""
    what, most = WHAT.search(sentence), MOST.search(sentence)
    if what is None or most is None:
        return None
    said = most.group("number").lower()
    limit = (NUMBERS.get(said) or int(said)) - (1 if most.group("under") else 0)
    kinds = ("class",) if what.lastgroup == "class" else ("function", "method", "constructor")
    if most.group("unit").lower().startswith(("param", "arg")):
        who = ("constructor",) if what.lastgroup == "constructor" else ("function", "method", "constructor")
        return SizeCheck(who, most_parameters=limit)
    return SizeCheck(kinds, most_lines=limit) if most.group("unit").lower().startswith("line") else None
