"""Walks from one thing to those that it leads to, the nearest first: a class, what it inherits from, and so on."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def nearest_first(start: Thing, beyond: Callable[[Thing], Iterable[Thing]], most: int) -> Iterator[Thing]:
    """A thing and those beyond it, each once; it ends where more than so many are known.

    What is beyond a thing is asked for only when the one who walks goes on.
    """
    pending, seen = deque((start,)), {start}
    while pending and len(seen) <= most:
        each = pending.popleft()
        yield each
        for other in beyond(each):
            if other not in seen:
                seen.add(other)
                pending.append(other)
