"""What an expression stands for: something that the project defines, an object of it, or something of others."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldguide import linear_regex as re

REMEMBERED = 20_000
MOST_VALUES = 8
STEP = re.compile(r"\([^()]*\)|\[\]|\{\}|\.|[^.()\[\]{}]+")


class At(NamedTuple):
    """A definition by its place: the file, and the place in the file's list; -1 for the file itself."""

    path: str
    place: int = -1


class Value(NamedTuple):
    """What an expression stands for."""

    at: At | None
    """Nothing where it is something of others: then nothing of it is the project's either."""
    is_object: bool = False
    """Whether it is an object of the class at that place, and not the class itself."""
    arguments: tuple[tuple["Value", ...], ...] = ()
    """Of a type that takes types: `list[Foo]`."""
    owner: At | None = None
    """The class of the object that a method was taken out of."""
    name: str = ""
    """Of something of others, its name."""


FOREIGN = Value(None)


def as_objects(values: Iterable[Value]) -> list[Value]:
    """Objects of classes; what is of others stays as it is."""
    return [each if each.at is None else each._replace(is_object=True) for each in values]


@lru_cache(maxsize=REMEMBERED)
def alternatives_of(expression: str) -> tuple[str, ...]:
    """The alternatives of an expression: `A|B<C|D>` has two."""
    found, depth, start = list[str](), 0, 0
    for at, character in enumerate(expression):
        depth += (character == "<") - (character == ">")
        if character == "|" and not depth:
            found.append(expression[start:at])
            start = at + 1
    found.append(expression[start:])
    return tuple(each for each in found if each)


@lru_cache(maxsize=REMEMBERED)
def steps_of(expression: str) -> tuple[str, ...]:
    """The steps of an expression without alternatives: names, and what is done with them, `(Foo)`, `[]`, `{}`."""
    head, bracket, _ = expression.partition("<")
    steps: list[str] = [step for step in STEP.findall(head) if step != "."]
    return (*steps, expression[len(head) :]) if bracket else tuple(steps)


@lru_cache(maxsize=REMEMBERED)
def arguments_of(step: str) -> tuple[str, ...]:
    """The parts of `<A,B<C,D>>`."""
    found, depth, start = list[str](), 0, 1
    for at, character in enumerate(step):
        depth += (character == "<") - (character == ">")
        if (character == "," and depth == 1) or (character == ">" and depth == 0):
            found.append(step[start:at])
            start = at + 1
    return tuple(found)


def each_once(values: Iterable[Value], most: int = MOST_VALUES) -> Sequence[Value]:
    """Values without those that come again; the first few."""
    found: dict[Value, None] = {}
    for value in values:
        found[value] = None
        if len(found) >= most:
            break
    return list(found)
