"""Runs `guide_brief`: plans what a task needs, and packs it into the token budget."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.code.symbols.lookup import Symbols
from fieldguide.git.history import load_history
from fieldguide.knowledge.findings.indexing import FINDING_SOURCES
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.search.engine import SearchQuestion
from fieldguide.search.ranking import DOCUMENT_FLOOR, MOST_UNSURE, NOTHING_FITS, FlooredSources, RecordJudge
from fieldguide.search.types import Scope
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services
from fieldguide.text.citation import hash_text
from fieldguide.text.errors import InvalidArguments, ToolNotFound
from fieldguide.text.tokenizer import count_exact_tokens
from fieldguide.toolsets.guide.brief_candidates import (
    CandidateFile,
    CandidateSearch,
    ChunkPlace,
    NamedUses,
    TaskText,
    find_named_uses,
    split_stems,
)
from fieldguide.toolsets.guide.brief_ranking import PlannedPlace, WorthOrder, classify_file, explain_place, rank_task
from fieldguide.toolsets.guide.items import (
    DECISION,
    DOCUMENT,
    FINDING,
    FINDINGS,
    PATTERN,
    TASK,
    TASKS,
    GuideItem,
    ProjectLines,
    ShownLines,
    find_largest,
    join_task_text,
    open_states,
    render_item,
    render_items,
)
from fieldguide.toolsets.guide.tools import BRIEF_BUDGET

if TYPE_CHECKING:
    from fieldguide.search.backlog import IndexProgress


class BriefStep(NamedTuple):
    """A place of a file that is cited, or lines of it that are shown; a brief takes as many steps as its budget allows.

    What is worth more for its tokens comes first, so a brief with a larger budget continues a smaller one.
    """

    path: str
    start: int
    end: int
    kind: str
    why: str
    symbol: str = ""
    is_shown: bool = False
    text: str = ""
    """The text of a finding or a task, which is in no file."""
    unsure: bool = False
    """Nothing fits the task well, and this is among the nearest."""


TOUCHING = 3  # windows this many lines apart are joined: the lines between cost less than another citation

Span = tuple[int, int]


class ConnectionLines(NamedTuple):
    """The lines that the connection of a call was shown before."""

    given: ShownLines
    call: Call

    def has_place(self, item: GuideItem) -> bool:
        """Whether this place was cited before and its lines are still the same."""
        return self.given.has_place(self.call, item)

    def new_lines(self, path: str, start: int, lines: Sequence[str]) -> list[int]:
        """The numbers of the lines that were not shown as they are now."""
        return self.given.new_lines(self.call, path, start, lines)


class BriefItems:
    """Makes the items of the first steps; the same steps give the same items."""

    def __init__(
        self, lines: ProjectLines, known: ConnectionLines | None = None, states: StaleStates | None = None
    ) -> None:
        self._lines = lines
        self._states = states
        self._known = known
        self._made: dict[tuple[BriefStep, Span], list[GuideItem]] = {}

    def items(self, steps: Sequence[BriefStep]) -> list[GuideItem]:
        """The items of some steps in their order; a file that is shown, or cited, is not cited again."""
        windows = _windows(steps)
        paths = {step.path for step in steps if step.is_shown}
        items: list[GuideItem] = []
        for place, step in enumerate(steps):
            if step.is_shown:
                for span in windows.get(place, ()):
                    items += self._items(step, span)
            elif step.path not in paths:
                paths.add(step.path)
                items += self._items(step, (step.start, step.end))
        return items

    def _items(self, step: BriefStep, span: Span) -> list[GuideItem]:
        made = self._made.get((step, span))
        if made is None:
            made = self._made[step, span] = [*self._make_items(step, span)]
        return made

    def _make_items(self, step: BriefStep, span: Span) -> Iterator[GuideItem]:
        if step.text:
            yield from self._shown(step, 1, step.text.split("\n"))
            return
        start = max(span[0], 1)
        end = min(span[1], self._lines.count(step.path))
        if end < start:
            return  # the file is not as long any more, or gone
        if step.is_shown:
            yield from self._shown(step, start, self._lines.shown(step.path, start, end))
            return
        item = self._item(step, start, end)
        if self._known is None or not self._known.has_place(item):
            yield item

    def _shown(self, step: BriefStep, start: int, lines: Sequence[str]) -> Iterator[GuideItem]:
        """Every run of lines that are new to the reader as an item."""
        numbers = [*range(start, start + len(lines))]
        if self._known is not None:
            numbers = self._known.new_lines(step.path, start, lines)
        for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
            run = [number for _, number in group]
            text = "\n".join(lines[run[0] - start : run[-1] - start + 1])
            if text.strip():
                yield self._item(step, run[0], run[-1])._replace(text=text)

    def _item(self, step: BriefStep, start: int, end: int) -> GuideItem:
        if step.text:
            hash_ = hash_text("\n".join(step.text.split("\n")[start - 1 : end]))
        else:
            hash_ = self._lines.hash(step.path, start, end)
        item = GuideItem(step.path, start, end, step.kind, step.why, step.symbol, hash_, unsure=step.unsure)
        if self._states is None:
            return item
        return item._replace(stale=self._states.told(step.path, start, end, step.text))


def _windows(steps: Sequence[BriefStep]) -> dict[int, list[Span]]:
    """The lines that are shown for each step, by its place; windows that touch are the first step's."""
    by_path: dict[str, list[tuple[int, int, int]]] = {}
    for place, step in enumerate(steps):
        if step.is_shown:
            by_path.setdefault(step.path, []).append((step.start, step.end, place))
    found: dict[int, list[Span]] = {}
    for spans in by_path.values():
        for start, end, place in _joined(sorted(spans)):
            found.setdefault(place, []).append((start, end))
    return found


def _joined(spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    start, end, place = spans[0]
    for next_start, next_end, next_place in spans[1:]:
        if next_start <= end + TOUCHING:
            end = max(end, next_end)
            place = min(place, next_place)
        else:
            yield start, end, place
            start = next_start
            end = next_end
            place = next_place
    yield start, end, place


NOTE_TOKENS = 60  # for what is said beside the items
SPARE_TOKENS = 24  # what is less is not worth another try
MOST_TRIES = 6
ABOUT_ITEM = 60


APART = "."
TASK_DIGITS = 6
LONGEST_LOOKED_FOR = 500  # characters of a task that say which files to index first
LONGEST_LACK = 200
UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other words, or guide_search for one thing."
NOTHING = "Nothing in this project fits the task; try other words, or guide_search for a single thing."


class BriefRemarks(NamedTuple):
    """What is said beside the items: how to go on, that the index is not whole, that nothing fits."""

    mark: str
    steps: int
    standing: "IndexProgress | None"
    lacks: str
    hint: str

    def cursor(self, taken: int) -> str:
        """The cursor to go on with after so many steps; empty where there are no more."""
        if taken >= self.steps:
            return ""
        return f"{self.mark}{APART}{taken}"

    def sentences(self, taken: int) -> list[str]:
        """For a model, below the items."""
        sentences = [self.hint] if self.hint else []
        if self.standing:
            sentences.append(f"({self.standing.sentence()})")
        if self.lacks:
            sentences.append(f"(The index lacks: {self.lacks[:LONGEST_LACK]})")
        if cursor := self.cursor(taken):
            sentences.append(f'More with cursor "{cursor}".')
        return sentences

    def fields(self, taken: int) -> dict[str, Any]:
        """For programs."""
        fields: dict[str, Any] = {}
        if cursor := self.cursor(taken):
            fields["cursor"] = cursor
        if self.standing:
            fields |= self.standing.told()
        if self.lacks:
            fields["lacks"] = self.lacks[:LONGEST_LACK]
        if self.hint:
            fields["hint"] = self.hint
        if self.hint == UNSURE:
            fields["fit"] = NOTHING_FITS
        return fields


class PackedBrief(NamedTuple):
    """The items of a brief, its text, its value for programs, and how many steps it took."""

    items: list[GuideItem]
    text: str
    value: dict[str, Any]
    taken: int


class BriefPacker:
    """Packs the steps of one task."""

    def __init__(self, gathering: BriefItems, steps: Sequence[BriefStep], budget: int, said: BriefRemarks) -> None:
        self._gathering = gathering
        self._steps = steps
        self._budget = budget
        self._said = said
        self._sizes: dict[GuideItem, tuple[int, int]] = {}

    def pack(self, begin: int) -> PackedBrief:
        """The steps from one on, as many as fit: about so many by their own sizes, then exactly by the whole text."""
        room = self._budget - NOTE_TOKENS
        best, spare = self._fitting(begin, self._about(begin, room))
        for _ in range(MOST_TRIES):
            if best.taken >= len(self._steps) or spare < SPARE_TOKENS:
                break
            more, left = self._fitting(begin, max(self._about(begin, self._size(best.items) + spare), best.taken + 1))
            if more.taken <= best.taken:
                break
            best = more
            spare = left
        return best

    def _about(self, begin: int, room: int) -> int:
        """The largest number of steps whose items add up to no more than this."""
        return find_largest(begin, len(self._steps), lambda end: self._size(self._items(begin, end)) <= room)

    def _fitting(self, begin: int, end: int) -> tuple[PackedBrief, int]:
        """The brief with so many steps, or with fewer, until it fits; and how many tokens it has to spare."""
        while True:
            items = self._items(begin, end)
            text = render_items(items, *self._said.sentences(end))
            value = self._value(items, end)
            over = max(count_exact_tokens(text), count_exact_tokens(compact_json(value))) - self._budget
            if over <= 0 or end <= begin:
                return PackedBrief(items, text, value, end), -over
            end -= min(end - begin, 1 + over // ABOUT_ITEM)

    def _value(self, items: Sequence[GuideItem], end: int) -> dict[str, Any]:
        """The value for programs; without the symbols, which the text has too, where there is no room for them."""
        value = {"items": [item.told() for item in items], **self._said.fields(end)}
        if count_exact_tokens(compact_json(value)) > self._budget:
            value["items"] = [item._replace(symbol="").told() for item in items]
        return value

    def _items(self, begin: int, end: int) -> list[GuideItem]:
        """The items of some steps, without those that would fill the brief by themselves."""
        most = self._budget - NOTE_TOKENS
        return [item for item in self._gathering.items(self._steps[begin:end]) if max(self._size_of(item)) <= most]

    def _size(self, items: Sequence[GuideItem]) -> int:
        """How many tokens these items have, each by itself: as text or as values, whichever is more."""
        sizes = [self._size_of(item) for item in items]
        return max(sum(text for text, _ in sizes), sum(value for _, value in sizes))

    def _size_of(self, item: GuideItem) -> tuple[int, int]:
        sizes = self._sizes.get(item)
        if sizes is None:
            sizes = self._sizes[item] = (
                count_exact_tokens(render_item(item)),
                count_exact_tokens(compact_json(item._replace(symbol="").told())) + 1,
            )
        return sizes


MOST_FINDINGS = 4
MOST_TASKS = 4
MOST_TASKS_READ = 500
NEAR = 0.75  # of the score of the best: what fits worse is left to guide_search
LEAST_COMMON = 2
LEAST_SHARE = 0.5
LIST_TASKS = "list_tasks"


def find_finding_steps(services: Services, task: TaskText, call: Call) -> list[BriefStep]:
    """The findings that fit a task, best first."""
    engine = services.engine()
    sources = tuple(source.id for source in engine.sources(FINDING_SOURCES) if source.documents)
    if not sources:
        return []
    floored = (FlooredSources(frozenset(sources), DOCUMENT_FLOOR),)
    hits = engine.search(SearchQuestion(task.whole, Scope(sources), MOST_FINDINGS, floored=floored), call.cancellation)
    judge = RecordJudge(task.whole)
    hits = [hit for hit in hits if judge.answers(1.0 - hit.distance, hit.title, hit.passage.text)]
    steps: list[BriefStep] = []
    for hit in hits:
        if not hit.unsure and hit.score >= NEAR * hits[0].score:
            path = f"{FINDINGS}{hit.document}"
            steps.append(_make_unfiled_step(path, FINDING, "found out before", hit.passage.text))
    return steps


def find_task_steps(services: Services, task: TaskText, call: Call) -> list[BriefStep]:
    """The caller's open tasks that share words with the task; none where the caller is unknown."""
    user = call.user or services.user
    if user is None:
        return []
    try:
        tool = services.find_tool(LIST_TASKS)
    except ToolNotFound:
        return []
    arguments = {"user_id": user, "status": "pending"}
    rows: Sequence[dict[str, Any]] = tool.run(call._replace(tool=LIST_TASKS, arguments=arguments))
    steps: list[BriefStep] = []
    for row in rows[:MOST_TASKS_READ]:
        text = join_task_text(row)
        stems = split_stems(text)
        common = len(stems & task.stems)
        if common >= max(LEAST_COMMON, LEAST_SHARE * len(stems)):
            steps.append(_make_unfiled_step(f"{TASKS}{row['id']}", TASK, "open, of the same", text))
    return steps[:MOST_TASKS]


def _make_unfiled_step(path: str, kind: str, why: str, text: str) -> BriefStep:
    return BriefStep(path, 1, text.count("\n") + 1, kind, why, is_shown=True, text=text)


HISTORY_SECONDS = 2.0  # for the first brief of a process; it can do without
CATEGORIES = {"adr": DECISION, "patterns": PATTERN, "guidelines": PATTERN}
LONGEST_NAME = 60
UNSURE_REASON = "unsure: among the nearest"
UNFILED = 0.3  # the chance that a finding or a task that fits is needed: nobody has measured it


def plan_steps(services: Services, symbols: Callable[[], Symbols], task: str, call: Call) -> list[BriefStep]:
    """The steps for a task, those that are worth most first."""
    engine = services.engine()
    text = TaskText(task)
    history = load_history(engine.database, services.namespace, services.project.root, wait_seconds=HISTORY_SECONDS)
    uses = find_named_uses(symbols(), text)
    nearest: list[CandidateFile] = []
    with engine.database.reading(call.cancellation) as transaction:
        search = CandidateSearch(engine, transaction, text)
        ranked = rank_task(search, text, history, uses)
        if not ranked.files:
            nearest = search.nearest(MOST_UNSURE)
    order = WorthOrder(ranked)
    steps = [(planned.worth, _make_step(planned, text, uses)) for planned in order.taken()]
    for step in (*find_finding_steps(services, text, call), *find_task_steps(services, text, call)):
        worth = order.worth_of(UNFILED, step.text)
        place = next((place for place, each in enumerate(steps) if each[0] < worth), len(steps))
        steps.insert(place, (worth, step))
    return [step for _, step in steps] or [_make_nearest_step(file) for file in nearest]


def _make_step(planned: PlannedPlace, task: TaskText, uses: NamedUses) -> BriefStep:
    file = planned.file.file
    is_shown = planned.chunk is not None
    if planned.chunk is not None:
        place: ChunkPlace | None = planned.chunk.place
    else:
        place = max(file.places, key=lambda place: (place.scores.text, -place.number), default=None)
    start = place.passage.start_line if place else 1
    end = place.passage.end_line if place else 1
    if is_shown:
        end = start + planned.end - 1
        start += planned.start
    why = explain_place(planned.file, place, task, is_shown=is_shown)
    if file.path in uses.names:
        why = f"uses {uses.names[file.path]}; {why}"
    kind = CATEGORIES.get(file.category) or classify_file(file)
    return BriefStep(file.path, start, end, kind, why, _symbol(file, place), is_shown=is_shown)


def _make_nearest_step(file: CandidateFile) -> BriefStep:
    place = file.places[0].passage
    kind = CATEGORIES.get(file.category) or classify_file(file)
    symbol = _symbol(file, file.places[0])
    return BriefStep(file.path, place.start_line, place.end_line, kind, UNSURE_REASON, symbol, unsure=True)


def _symbol(file: CandidateFile, place: ChunkPlace | None) -> str:
    """What encloses the lines: a definition with the one around it, or the heading of a section."""
    headings = place.passage.headings if place else ()
    depth = 1 if classify_file(file) == DOCUMENT else 2
    return ".".join(" ".join(heading.split())[:LONGEST_NAME] for heading in headings[-depth:])


def brief(services: Services, memory: Callable[[], ShownLines], symbols: "Callable[[], Symbols]", call: Call) -> Answer:
    """What a task needs, as much of it as the budget allows."""
    task = call.arguments["task"]
    budget = call.arguments.get("budget", BRIEF_BUDGET)
    mark = sha256(task.encode(errors="surrogatepass")).hexdigest()[:TASK_DIGITS]
    begin = _place(call.arguments.get("cursor"), mark)
    standing, lacks = services.ready(call, task[:LONGEST_LOOKED_FOR])
    steps = plan_steps(services, symbols, task, call)
    shown = memory()
    known = ConnectionLines(shown, call) if call.arguments.get("new_only") else None
    items = BriefItems(ProjectLines(services.project), known, open_states(services))
    hint = ""
    if not steps:
        hint = NOTHING
    elif all(step.unsure for step in steps):
        hint = UNSURE
    remarks = BriefRemarks(mark, len(steps), standing, lacks, hint)
    packed = BriefPacker(items, steps, budget, remarks).pack(begin)
    shown.note(call, packed.items)
    return Answer(packed.text, packed.value)


def _place(cursor: str | None, mark: str) -> int:
    if cursor is None:
        return 0
    of_task, _, place = cursor.partition(APART)
    if of_task != mark or not place.isdecimal() or len(place) > 6:
        raise InvalidArguments("The cursor is of another task; leave it out to begin.", cursor=cursor[:40])
    return int(place)
