"""The values of expressions, the steps of an expression, and the bounds of a search for them."""

from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from fieldguide.text import regex as re

Thing = TypeVar("Thing", bound=Hashable)


def walk_nearest_first(start: Thing, beyond: Callable[[Thing], Iterable[Thing]], most: int) -> Iterator[Thing]:
    """A thing and those beyond it, each once; it ends where more than so many are known.

    What is beyond a thing is asked for only when the one who walks goes on.
    """
    pending = deque((start,))
    seen = {start}
    while pending and len(seen) <= most:
        each = pending.popleft()
        yield each
        for other in beyond(each):
            if other not in seen:
                seen.add(other)
                pending.append(other)


Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
Method = Callable[Concatenate[Any, Asked], Answer]


def remember(nothing: Any, *, is_bounded: bool = False) -> Callable[[Method[Asked, Answer]], Method[Asked, Answer]]:
    """Keeps the answers of a method as long as its object lives; what leads to itself gives nothing.

    So does what goes too deep or takes too long, where the object bounds that.
    """

    def decorate(method: Method[Asked, Answer]) -> Method[Asked, Answer]:
        name = f"_{method.__name__}_answers"

        @wraps(method)
        def answer(self: Any, /, *asked: Asked.args, **more: Asked.kwargs) -> Answer:
            known = self.__dict__.setdefault(name, {})
            if asked not in known and is_bounded and not self.may_go_on():
                return cast("Answer", nothing)
            if asked not in known:
                known[asked] = nothing
                try:
                    with self.deeper() if is_bounded else nullcontext():
                        known[asked] = method(self, *asked, **more)
                except BaseException:  # what was broken off says nothing
                    del known[asked]
                    raise
            return cast("Answer", known[asked])

        return answer

    return decorate


REMEMBERED = 20_000
MOST_VALUES = 8
STEP = re.compile(r"\([^()]*\)|\[\]|\{\}|\.|[^.()\[\]{}]+")


class DefinitionPlace(NamedTuple):
    """A definition by its place: the file, and the place in the file's list; -1 for the file itself."""

    path: str
    place: int = -1


class ResolvedValue(NamedTuple):
    """What an expression stands for."""

    at: DefinitionPlace | None
    """Nothing where it is something of others: then nothing of it is the project's either."""
    is_object: bool = False
    """Whether it is an object of the class at that place, and not the class itself."""
    arguments: tuple[tuple["ResolvedValue", ...], ...] = ()
    """Of a type that takes types: `list[Foo]`."""
    owner: DefinitionPlace | None = None
    """The class of the object that a method was taken out of."""
    name: str = ""
    """Of something of others, its name."""


FOREIGN = ResolvedValue(None)


def as_objects(values: Iterable[ResolvedValue]) -> list[ResolvedValue]:
    """Objects of classes; what is of others stays as it is."""
    return [each if each.at is None else each._replace(is_object=True) for each in values]


@lru_cache(maxsize=REMEMBERED)
def split_alternatives(expression: str) -> tuple[str, ...]:
    """The alternatives of an expression: `A|B<C|D>` has two."""
    found = list[str]()
    depth = 0
    start = 0
    for at, character in enumerate(expression):
        depth += (character == "<") - (character == ">")
        if character == "|" and not depth:
            found.append(expression[start:at])
            start = at + 1
    found.append(expression[start:])
    return tuple(each for each in found if each)


@lru_cache(maxsize=REMEMBERED)
def split_expression_steps(expression: str) -> tuple[str, ...]:
    """The steps of an expression without alternatives: names, and what is done with them, `(Foo)`, `[]`, `{}`."""
    head, bracket, _ = expression.partition("<")
    steps: list[str] = [step for step in STEP.findall(head) if step != "."]
    return (*steps, expression[len(head) :]) if bracket else tuple(steps)


@lru_cache(maxsize=REMEMBERED)
def split_arguments(step: str) -> tuple[str, ...]:
    """The parts of `<A,B<C,D>>`."""
    found = list[str]()
    depth = 0
    start = 1
    for at, character in enumerate(step):
        depth += (character == "<") - (character == ">")
        if (character == "," and depth == 1) or (character == ">" and depth == 0):
            found.append(step[start:at])
            start = at + 1
    return tuple(found)


def deduplicate(values: Iterable[ResolvedValue], most: int = MOST_VALUES) -> Sequence[ResolvedValue]:
    """Values without those that come again; the first few."""
    found: dict[ResolvedValue, None] = {}
    for value in values:
        found[value] = None
        if len(found) >= most:
            break
    return list(found)


class BoundedSearch:
    """Counts the steps of a question, and how deep its answers are nested in each other."""

    deepest = 24
    most_steps = 200_000
    _depth = 0
    _steps = 0

    def may_go_on(self) -> bool:
        """Count a step, and tell whether the question has neither gone too deep nor taken too long."""
        self._steps += 1
        return self._depth < self.deepest and self._steps < self.most_steps

    def has_run_out(self) -> bool:
        """Whether so many steps were taken that later answers lack something."""
        return self._steps >= self.most_steps

    @contextmanager
    def deeper(self) -> Generator[None]:
        """Be one level deeper for a while."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
