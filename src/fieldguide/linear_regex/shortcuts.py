"""The functions of the module: one call with an expression, which is kept for the next call."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, AnyStr

from fieldguide.linear_regex.matches import Match
from fieldguide.linear_regex.pattern import Pattern

SPECIAL = {ord(each): f"\\{each}" for each in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


@lru_cache(maxsize=512)
def _kept(expression: AnyStr, flags: int) -> Pattern[AnyStr]:
    return Pattern(expression, flags)


def search(expression: AnyStr, text: AnyStr, flags: int = 0) -> Match[AnyStr] | None:
    """The first match in a text."""
    return _kept(expression, flags).search(text)


def match(expression: AnyStr, text: AnyStr, flags: int = 0) -> Match[AnyStr] | None:
    """The match at the beginning of a text."""
    return _kept(expression, flags).match(text)


def fullmatch(expression: AnyStr, text: AnyStr, flags: int = 0) -> Match[AnyStr] | None:
    """The match that is the whole text."""
    return _kept(expression, flags).fullmatch(text)


def findall(expression: str, text: str, flags: int = 0) -> list[Any]:
    """The texts of all matches, or of their groups."""
    return _kept(expression, flags).findall(text)


def split(expression: AnyStr, text: AnyStr, maxsplit: int = 0, flags: int = 0) -> list[AnyStr | Any]:
    """What lies between the matches, and the groups of each match."""
    return _kept(expression, flags).split(text, maxsplit)


def sub(
    expression: AnyStr,
    replacement: AnyStr | Callable[[Match[AnyStr]], AnyStr],
    text: AnyStr,
    count: int = 0,
    flags: int = 0,
) -> AnyStr:
    """A text with its matches replaced."""
    pattern: Pattern[AnyStr] = _kept(expression, flags)
    return pattern.sub(replacement, text, count)


def escape(text: str) -> str:
    """An expression that matches this text and no other."""
    return text.translate(SPECIAL)


def other_word(*words: str) -> str:
    """An expression for a run of letters and digits that is none of these words; what follows must be no letter."""
    return f"(?:{'|'.join(_differing([word for word in words if word]))})"


def _differing(words: list[str]) -> list[str]:
    """What differs from all these words in its first letter, or goes on like some of them and differs then."""
    firsts = sorted({word[0] for word in words})
    different = [rf"[^\W{escape(''.join(firsts))}]\w*"]
    for first in firsts:
        rests = [word[1:] for word in words if word[0] == first]
        behind = "|".join(_differing([rest for rest in rests if rest])) if any(rests) else r"\w+"
        different.append(f"{escape(first)}(?:{behind}){'' if '' in rests else '?'}")
    return different
