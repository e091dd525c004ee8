"""What a toolset is and is given, the dialect in which it tells errors, and which are served."""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.settings.access import ACTING
from fieldguide.settings.limits import Limits
from fieldguide.spine.prompts import Prompt
from fieldguide.spine.resources import ChangeBus, ResourceProvider
from fieldguide.spine.tool import Answer, Call, Tool, compact_json
from fieldguide.storage.database import Database, Schema
from fieldguide.text.cancellation import Stop
from fieldguide.text.errors import FieldguideError, InvalidArguments, Misconfiguration, ToolNotFound

if TYPE_CHECKING:
    from datetime import datetime  # fieldguide: ignore[no-heavy-import] only for types

    from fieldguide.search.backlog import IndexProgress
    from fieldguide.search.engine import SearchEngine

T = TypeVar("T")
Progress = Callable[[int, int, str], None]


class Fault(NamedTuple):
    """An error that goes out as one of JSON-RPC, not as a result that a model reads."""

    code: int
    message: str
    data: Mapping[str, Any] | None = None


class FailedCall(NamedTuple):
    """The call that an error ended: its tool, its arguments as they came, and the era it belongs to."""

    tool: Tool
    arguments: Mapping[str, Any]
    is_modern: bool


class Dialect(NamedTuple):
    """How errors are told.

    `tell` gives the answer, or the fault, for an error of a call. `tell_unknown` answers for a name that no tool has,
    where the toolset claims that name; without it the server answers for itself.
    """

    tell: Callable[[FieldguideError, FailedCall], Answer | Fault]
    tell_unknown: Callable[[ToolNotFound], Answer] | None = None


def tell_plainly(error: FieldguideError, failing: FailedCall) -> Answer:
    """JSON with the message, the details and the tool's name."""
    name = failing.tool.name
    if isinstance(error, InvalidArguments) and error.issues:
        return make_error_answer(compact_json({"error": "Invalid parameters", "details": error.issues, "tool": name}))
    return make_error_answer(compact_json({"error": error.message, **error.details, "tool": name}))


def make_error_answer(text: str) -> Answer:
    """A text that a model reads as an error."""
    return Answer(text=text, is_error=True)


PLAIN = Dialect(tell_plainly)


def refuse_tool(name: str) -> Tool:
    """What a toolset outside of an app finds: nothing."""
    raise ToolNotFound(name, [])


def report_nothing_missing(call: Call, question: str) -> tuple[None, str]:
    """What a toolset outside of an app waits for: nothing."""
    return None, ""


def report_nobody_at_work() -> bool:
    """Whether anything is kept up outside of an app: no."""
    return False


class Services(NamedTuple):
    """What a toolset is given: the project's files, its own settings, the bus for news of changes, and the database.

    `engine` gives the search engine (made when it is first asked for), `note` writes a line to the journal,
    `namespace` keeps this project apart from others in the same database, `find_tool` gives any tool that is served,
    whichever toolset it belongs to, and `user` is whom this server is bound to: what others read is not theirs to see.
    `ready` has what a call over everything asks for in the index first; it says how far that is, where it is not whole,
    and what it can't take in; `is_at_work` says whether what is made from the index may be behind it.
    `limits` says how much there may be of everything. The settings may come from the project, so they are data: a path
    in them stays inside, and nothing is fetched.
    """

    project: ConfinedFolder
    settings: Mapping[str, Any]
    changes: ChangeBus
    database: Database
    engine: "Callable[[], SearchEngine]"
    note: Callable[..., None]
    namespace: str = ""
    find_tool: Callable[[str], Tool] = refuse_tool
    user: str | None = None
    limits: Limits = Limits()
    ready: "Callable[[Call, str], tuple[IndexProgress | None, str]]" = report_nothing_missing
    is_at_work: Callable[[], bool] = report_nobody_at_work

    def reader(self) -> str | None:
        """Who is served on this thread now: the user of the request, else whom the server is bound to."""
        return ACTING.get().user or self.user


class Completer(Protocol):
    """Finishes what a person has begun to type into an argument of a prompt or a resource template."""

    def __call__(self, reference: Mapping[str, Any], argument: str, prefix: str) -> Sequence[str] | None:
        """The values that begin like `prefix`; None when this reference is not ours."""
        ...


class Upkeep(Protocol):
    """What a toolset keeps up to date beside its calls, such as an index of the project's files."""

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring it up to date once, now; what was done, for people and scripts."""
        ...

    def settle(self, progress: Progress) -> None:
        """Make what is derived, once every toolset is up to date."""
        ...

    def keep(self, stopped: Stop) -> None:
        """Keep it up to date for as long as the project is served; runs in a thread of its own."""
        ...


class Toolset(NamedTuple):
    """A whole capability: its tools, and whatever resources, prompts and methods go with them.

    `about` finishes the sentence "Fieldguide knows this project: …". `dialect` tells its errors, and
    `claims` is the prefix of the tool names that are its own even when no such tool exists; one without a prefix whose
    dialect tells of unknown names claims them all where it is served alone. `methods` maps JSON-RPC methods of its own
    to its tools. `schema` names what it keeps in the database, `upkeep` what it keeps up to date beside its calls.
    `front` names those of its tools that a lean list still has, and `routes` says of a tool when to use it, in a few
    words for the server's instructions. `shows` are functions for the page for people, by name: what no tool gives.
    """

    name: str
    tools: tuple[Tool, ...]
    dialect: Dialect = PLAIN
    claims: str | None = None
    methods: Mapping[str, str] = {}
    resources: tuple[ResourceProvider, ...] = ()
    prompts: Callable[[], Iterable[Prompt]] = tuple
    complete: Completer | None = None
    schema: Schema | None = None
    upkeep: Upkeep | None = None
    about: str = ""
    front: tuple[str, ...] = ()
    routes: Mapping[str, str] = {}
    shows: Mapping[str, Callable[..., Any]] = {}


Factory = Callable[[Services], Toolset]


def make_cached(make: Callable[[], T]) -> Callable[[], T]:
    """A function that makes something once, when it is first asked for, from whichever thread."""
    lock = threading.Lock()
    made: list[T] = []

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def choose_names(chosen: Collection[str] | None, suggested: Collection[str] | None, known: Collection[str]) -> set[str]:
    """The toolsets that the settings name; else those of them that the project suggests, else all."""
    if chosen is None:
        return {name for name in suggested or () if name in known} or {*known}
    for name in chosen:
        if name not in known:
            raise Misconfiguration(f"There is no toolset {name!r}; the toolsets are {', '.join(known)}.")
    return {*chosen}


class TaskCard(NamedTuple):
    """A task on the board."""

    id: int
    title: str
    description: str = ""
    is_completed: bool = False
    created_at: "datetime | None" = None
    is_started: bool = False
    priority: str = ""
    label: str = ""


def make_safe_name(name: str) -> str:
    """A tool's name in the spelling that every client takes: only letters, digits, `_` and `-`."""
    return name.replace("/", "_").replace(".", "_")
