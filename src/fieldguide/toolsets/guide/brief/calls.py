"""What `guide_brief` does when it is called."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.errors import InvalidArguments
from fieldguide.spine.contract import Answer, Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.brief.gathering import Gathering
from fieldguide.toolsets.guide.brief.packing import Packer
from fieldguide.toolsets.guide.brief.planning import steps_for
from fieldguide.toolsets.guide.brief.tool import USUAL_BUDGET
from fieldguide.toolsets.guide.given import Given
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.project_lines import ProjectLines
from fieldguide.toolsets.guide.states import states_of

if TYPE_CHECKING:
    from fieldguide.search.early.standing import Standing

APART = "."
TASK_DIGITS = 6
LONGEST_LOOKED_FOR = 500  # characters of a task that say which files to index first
LONGEST_LACK = 200
NOTHING = "Nothing in this project fits the task; try other words, or guide_search for a single thing."


def brief(services: Services, memory: Callable[[], Given], call: Call) -> Answer:
    """What a task needs, as much of it as the budget allows."""
    task, budget = call.arguments["task"], call.arguments.get("budget", USUAL_BUDGET)
    mark = sha256(task.encode(errors="surrogatepass")).hexdigest()[:TASK_DIGITS]
    begin = _place(call.arguments.get("cursor"), mark)
    standing, lacks = services.ready(call, task[:LONGEST_LOOKED_FOR])
    steps = steps_for(services, task, call)
    given = memory()
    known = KnownTo(given, call) if call.arguments.get("new_only") else None
    gathering = Gathering(ProjectLines(services.project), known, states_of(services))
    cursor = partial(_cursor, mark, len(steps))
    aside = Aside(cursor, standing, lacks, is_empty=not steps)
    packed = Packer(gathering, steps, budget, aside).pack(begin)
    given.note(call, packed.items)
    return Answer(packed.text, packed.value)


class KnownTo(NamedTuple):
    """What the connection of a call was given already."""

    given: Given
    call: Call

    def has_place(self, item: Item) -> bool:
        """Whether a place was told of, and its lines are the same still."""
        return self.given.has_place(self.call, item)

    def new_lines(self, path: str, start: int, lines: Sequence[str]) -> list[int]:
        """The numbers of the lines that were not shown as they are now."""
        return self.given.new_lines(self.call, path, start, lines)


def _place(cursor: str | None, mark: str) -> int:
    if cursor is None:
        return 0
    of_task, _, place = cursor.partition(APART)
    if of_task != mark or not place.isdecimal() or len(place) > 6:
        raise InvalidArguments("The cursor is of another task; leave it out to begin.", cursor=cursor[:40])
    return int(place)


def _cursor(mark: str, steps: int, taken: int) -> str | None:
    return f"{mark}{APART}{taken}" if taken < steps else None


class Aside(NamedTuple):
    """What is said beside the items: how to go on, that the index is not whole, that nothing was found."""

    cursor: Callable[[int], str | None]
    standing: "Standing | None"
    lacks: str
    is_empty: bool

    def sentences(self, taken: int) -> list[str]:
        """For a model."""
        following = self.cursor(taken)
        return [
            *([NOTHING] if self.is_empty else []),
            *([f"({self.standing.sentence()})"] if self.standing else []),
            *([f"(The index lacks: {self.lacks[:LONGEST_LACK]})"] if self.lacks else []),
            *([f'More with cursor "{following}".'] if following else []),
        ]

    def fields(self, taken: int) -> dict[str, Any]:
        """For programs."""
        following = self.cursor(taken)
        return {
            **({"cursor": following} if following else {}),
            **(self.standing.told() if self.standing else {}),
            **({"lacks": self.lacks[:LONGEST_LACK]} if self.lacks else {}),
            **({"hint": NOTHING} if self.is_empty else {}),
        }
