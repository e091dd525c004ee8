"""How much one fetch of one collection may take: bytes, files and time, as a person's limits say."""

from collections.abc import Callable
from time import monotonic
from typing import NoReturn

from fieldguide.errors import Unreadable
from fieldguide.limits import Limits

MEGABYTE = 1 << 20


class Budget:
    """What is left to a fetch; whoever takes more is refused, with the limit and how it is raised."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.fetch_seconds
        self._received = 0
        self._held = 0

    @property
    def most_bytes(self) -> int:
        """How many bytes may come, and how many documents may be made of."""
        return self._limits.fetched_megabytes * MEGABYTE

    def receive(self, size_bytes: int) -> None:
        """Count what came over a connection."""
        self._received += size_bytes
        self.check_size(self._received)

    def hold(self, size_bytes: int) -> None:
        """Count what a document has, unpacked."""
        self._held += size_bytes
        self.check_size(self._held)

    def check_size(self, size_bytes: int) -> None:
        """Refuse what is more than may be fetched as a whole."""
        if size_bytes > self.most_bytes:
            self._refuse("fetched_megabytes", f"has more than {self._limits.fetched_megabytes} megabytes")

    def check_files(self, number: int) -> None:
        """Refuse a collection of more files than there may be."""
        if number > self._limits.fetched_files:
            self._refuse("fetched_files", f"has more than {self._limits.fetched_files} files")

    def seconds_left(self) -> float:
        """How long the fetch may still take; refused when that is over."""
        left = self._until - self._clock()
        if left <= 0:
            self._refuse("fetch_seconds", f"takes longer than {self._limits.fetch_seconds} seconds")
        return left

    def _refuse(self, limit: str, what: str) -> NoReturn:
        raise Unreadable(
            f"What is fetched {what}. You raise that limit with FIELDGUIDE_LIMIT_{limit.upper()}, or with {limit} "
            "under [limits] in your own settings.",
            limit=limit,
        )
