"""Expressions of facts, cut into a beginning and steps."""

from functools import lru_cache
from typing import NamedTuple

from fieldguide.symbols.resolving.script.type_text import closing

MOST_STEPS = 40


class Step(NamedTuple):
    """One step: `.` a member, `(` a call, `[` an element, `~` a parameter, `<` type arguments, `+` a list."""

    sign: str
    text: str = ""


@lru_cache(maxsize=20_000)
def cut(expression: str) -> tuple[str, tuple[Step, ...]]:
    """The beginning of an expression and its steps."""
    if expression.startswith("(:"):
        end = closing(expression)
        head, rest = expression[: end + 1], expression[end + 1 :]
    elif expression.startswith("super()"):
        head, rest = "super()", expression[len("super()") :]
    else:
        end = _name_end(expression, 0)
        head, rest = expression[:end], expression[end:]
    steps: list[Step] = []
    while rest and len(steps) < MOST_STEPS:
        step, rest = _step(rest)
        steps.append(step)
    return head, tuple(steps)


def _step(rest: str) -> tuple[Step, str]:
    sign = rest[0]
    if sign == ".":
        end = _name_end(rest, 1)
        return Step(".", rest[1:end]), rest[end:]
    if sign in "([<":
        end = closing(rest)
        return Step(sign, rest[1:end]), rest[end + 1 :]
    if sign == "~":
        end = 1
        while end < len(rest) and rest[end].isdigit():
            end += 1
        return Step("~", rest[1:end]), rest[end:]
    return Step(sign), rest[1:]


def _name_end(text: str, start: int) -> int:
    position = start
    while position < len(text) and text[position] not in ".()[]<>~+":
        position += 1
    return position
