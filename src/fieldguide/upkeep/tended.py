"""What a toolset brings to be kept up to date: its places, its passes over them, and what a pass did."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fieldguide.toolset import Progress

if TYPE_CHECKING:  # a start lists tools: nothing is watched on the way there
    from fieldguide.search.early.backlog import Backlog
    from fieldguide.watching import Place, Seen


class Passed(NamedTuple):
    """What a pass did: what the journal tells of it, whether it must be tried again, or when to look again.

    `is_whole` where it looked at everything, so that other places may be to be watched now. `lack` says what could not
    be taken into the index, such as what it has no room for. `afterwards` makes what is derived from the index, which
    is up to date already and may be asked.
    """

    news: Mapping[str, Any] = {}
    is_whole: bool = False
    has_failed: bool = False
    look_again_seconds: float | None = None
    lack: str = ""
    afterwards: Callable[[], None] | None = None


class Tended(Protocol):
    """What a toolset brings: the places that its index is made from, and the passes over them."""

    title: str

    def places(self) -> "Sequence[Place]":
        """What is to be watched now, in an order that stays."""
        ...

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, because a person asks for it; what was done."""
        ...

    def follow(self, seen: "Seen | None") -> Passed:
        """Make a pass over what was seen to change; None: over everything, since more may have changed."""
        ...

    def watching(self, *, is_whole: bool) -> None:
        """From now on every change is seen, or some are not."""
        ...

    def is_whole(self) -> bool:
        """Whether everything was once indexed to its end."""
        ...

    def backlog(self) -> "Backlog":
        """What is not in the index as it is now."""
        ...

    def leave(self) -> None:
        """The project is not served any more."""
        ...
