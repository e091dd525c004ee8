"""The steps of a brief: what fits a task, in the order of its worth."""

from collections.abc import Callable

from fieldguide.project_history.keeping import history_of
from fieldguide.spine.contract import Call
from fieldguide.symbols.asking import Symbols
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.brief.ranking.candidates import File, Looking, Place
from fieldguide.toolsets.guide.brief.ranking.files import kind_of
from fieldguide.toolsets.guide.brief.ranking.named_uses import NamedUses, uses_of_named
from fieldguide.toolsets.guide.brief.ranking.ranking import rank
from fieldguide.toolsets.guide.brief.ranking.reasons import why_of
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText
from fieldguide.toolsets.guide.brief.ranking.worth import Order, Told
from fieldguide.toolsets.guide.brief.steps import Step
from fieldguide.toolsets.guide.brief.unfiled_steps import finding_steps, task_steps
from fieldguide.toolsets.guide.items import DECISION, DOCUMENT, PATTERN

HISTORY_SECONDS = 2.0  # for the first brief of a process; it can do without
CATEGORIES = {"adr": DECISION, "patterns": PATTERN, "guidelines": PATTERN}
LONGEST_NAME = 60
UNFILED = 0.3  # the chance that a finding or a task that fits is needed: nobody has measured it


def steps_for(services: Services, symbols: Callable[[], Symbols], task: str, call: Call) -> list[Step]:
    """The steps for a task, those that are worth most first."""
    engine, text = services.engine(), TaskText(task)
    history = history_of(engine.database, services.namespace, services.project.root, wait_seconds=HISTORY_SECONDS)
    uses = uses_of_named(symbols(), text)
    with engine.database.reading(call.cancellation) as transaction:
        ranked = rank(Looking(engine, transaction, text), text, history, uses)
    order = Order(ranked)
    steps = [(told.worth, _step(told, text, uses)) for told in order.taken()]
    for step in (*finding_steps(services, text, call), *task_steps(services, text, call)):
        worth = order.worth_of(UNFILED, step.text)
        steps.insert(next((place for place, each in enumerate(steps) if each[0] < worth), len(steps)), (worth, step))
    return [step for _, step in steps]


def _step(told: Told, task: TaskText, uses: NamedUses) -> Step:
    file = told.file.file
    place = _best(file) if told.chunk is None else told.chunk.place
    start, end = (1, 1) if place is None else (place.passage.start_line, place.passage.end_line)
    if told.chunk is not None:
        start, end = start + told.start, start + told.end - 1
    return Step(
        file.path,
        start,
        end,
        CATEGORIES.get(file.category) or kind_of(file),
        _why(why_of(told.file, place, task, is_shown=told.chunk is not None), uses.names.get(file.path)),
        _symbol(file, place),
        is_shown=told.chunk is not None,
    )


def _why(said: str, named: str | None) -> str:
    return said if named is None else f"uses {named}; {said}"


def _best(file: File) -> Place | None:
    """The chunk of a file that fits best."""
    return max(file.places, key=lambda place: (place.scores.text, -place.number), default=None)


def _symbol(file: File, place: Place | None) -> str:
    """What encloses the lines: a definition with the one around it, or the heading of a section."""
    headings = place.passage.headings if place else ()
    told = headings[-1:] if kind_of(file) == DOCUMENT else headings[-2:]
    return ".".join(" ".join(heading.split())[:LONGEST_NAME] for heading in told)
