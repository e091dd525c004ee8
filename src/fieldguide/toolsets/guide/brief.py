"""Runs `guide_brief`: plans the map of a task, and packs it with the text of definitions into the token budget."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from types import MappingProxyType
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
from fieldguide.text.errors import InvalidArguments, ToolNotFound, warn_of_hidden_text
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.brief_candidates import (
    CandidateFile,
    CandidateSearch,
    TaskText,
    find_named_uses,
    split_definitions,
    split_stems,
)
from fieldguide.toolsets.guide.brief_map import (
    IMPORTED,
    LEAST_LIKELY,
    MOST_MAPPED,
    BriefPlan,
    BriefStep,
    Occurrences,
    add_occurrences,
    describe_companions,
    describe_occurrences,
    describe_recent,
    find_occurrences,
    list_companions,
    make_step,
    name_search_words,
    plan_map,
)
from fieldguide.toolsets.guide.brief_ranking import rank_task
from fieldguide.toolsets.guide.items import (
    FINDING,
    FINDINGS,
    TASK,
    TASKS,
    GuideItem,
    ProjectLines,
    ShownLines,
    join_task_text,
    open_states,
    render_citation,
    render_item,
    render_items,
    to_one_line,
)
from fieldguide.toolsets.guide.tools import BRIEF_BUDGET

if TYPE_CHECKING:
    from fieldguide.search.backlog import IndexProgress

TOUCHING = 3  # texts this many lines apart are joined: the lines between cost less than another citation

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
    """Makes the items of steps; what the connection was given before is left out."""

    def __init__(
        self, lines: ProjectLines, known: ConnectionLines | None = None, states: StaleStates | None = None
    ) -> None:
        self.lines = lines
        self._states = states
        self._known = known
        self._made: dict[BriefStep, list[GuideItem]] = {}

    def items(self, step: BriefStep) -> list[GuideItem]:
        """The items of one step: none where its file is gone, several where only some lines are new."""
        made = self._made.get(step)
        if made is None:
            made = self._made[step] = [*self._make_items(step)]
        return made

    def joined(self, steps: Sequence[BriefStep]) -> list[GuideItem]:
        """The items of steps in the order of their files; texts that touch become one."""
        items: list[GuideItem] = []
        for step in _join_texts(steps):
            items += self.items(step)
        return items

    def _make_items(self, step: BriefStep) -> Iterator[GuideItem]:
        if step.text:
            yield from self._shown(step, 1, step.text.split("\n"))
            return
        start = max(step.start, 1)
        end = min(step.end, self.lines.count(step.path))
        if end < start:
            return  # the file is not as long any more, or gone
        if step.is_shown:
            yield from self._shown(step, start, self.lines.shown(step.path, start, end))
            return
        item = self._item(step, start, end)._replace(is_named=True)
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
            hash_ = self.lines.hash(step.path, start, end)
        item = GuideItem(step.path, start, end, step.kind, step.why, step.symbol, hash_, unsure=step.unsure)
        if self._states is None:
            return item
        return item._replace(stale=self._states.told(step.path, start, end, step.text))


def _join_texts(steps: Sequence[BriefStep]) -> Iterator[BriefStep]:
    """Steps whose text is shown, by file in the order of their first, those that touch as one."""
    by_path: dict[str, list[BriefStep]] = {}
    for step in steps:
        by_path.setdefault(step.path, []).append(step)
    for of_path in by_path.values():
        of_path.sort(key=lambda step: (step.start, step.end))
        one = of_path[0]
        for step in of_path[1:]:
            if step.start <= one.end + TOUCHING:
                symbols = dict.fromkeys(filter(None, (*one.symbol.split(", "), step.symbol)))
                one = one._replace(end=max(one.end, step.end), symbol=", ".join(symbols))
            else:
                yield one
                one = step
        yield one


HEADER = "Files by their chance to change; below each its best definitions. Open one with guide_open as path#L3-L9."
ODDS = "Of files called likely 6 in 10 change, of possible ones 1 in 4, of weak ones 1 in 40."
LESS_LIKELY = "Less likely:"
RULES = "Decisions and rules:"
NEAREST = "The nearest:"
TEXTS = "# Text"
LONGEST_LINE = 100  # characters of a telling line
LONGEST_LABEL = 40  # of the first line, which stands for the name of what has none
LEAST_DETAILED = 800  # tokens: with fewer, a map is better without tests and telling lines


class MapText:
    """Writes the map: a line for each file, below it one for each definition."""

    def __init__(self, plan: BriefPlan, lines: ProjectLines, *, has_details: bool) -> None:
        self._plan = plan
        self._lines = lines
        self._has_details = has_details

    def file_line(self, path: str) -> str:
        """A file with its number, how likely it changes, why it is here and its test."""
        file = self._plan.files[path]
        said = [file.why]
        if file.test and self._has_details:
            at = self._plan.files.get(file.test)
            said.append(f"test {file.test}" if at is None or at.number > MOST_MAPPED else f"test in {at.number}")
        return to_one_line(f"{file.number}. {path}: {'; '.join(said)}")

    def definition_lines(self, item: GuideItem, *, is_shown: bool = False) -> list[str]:
        """A definition, and the lines of it that say most where its text is not shown."""
        span = f"{item.start}-{item.end}" if item.end > item.start else str(item.start)
        stale = f"[stale: {item.stale}]" if item.stale else ""
        label = item.symbol or "".join(self._lines.shown(item.path, item.start, item.start))[:LONGEST_LABEL]
        if not label[:1].isalpha():  # a line inside of something says less than it costs
            label = item.symbol
        lines = [to_one_line("   " + " ".join(filter(None, (span, label, stale))))]
        if self._has_details and not is_shown:
            for number in self._plan.telling.get((item.path, item.start), ()):
                shown = "".join(self._lines.shown(item.path, number, number)).strip()
                lines.append(to_one_line(f"     {number}: {shown[:LONGEST_LINE]}"))
        return lines

    def is_mapped(self, path: str) -> bool:
        """Whether a file is among those of the map."""
        file = self._plan.files.get(path)
        return file is not None and file.number <= MOST_MAPPED

    def _sort_key(self, item: GuideItem) -> tuple[int, bool, int]:
        return self._plan.files[item.path].number, item.symbol == IMPORTED, item.start

    def render(self, named: Sequence[GuideItem], shown: Sequence[GuideItem]) -> list[str]:
        """The files of the map in their order, then what is less likely and what governs."""
        lines: list[str] = []
        mapped = [item for item in named if self.is_mapped(item.path)]
        mapped.sort(key=self._sort_key)
        for path, group in groupby(mapped, key=lambda item: item.path):
            lines.append(self.file_line(path))
            for item in group:
                if item.end > 1:
                    lines += self.definition_lines(item, is_shown=_is_covered(item, shown))
        others = [item for item in named if not self.is_mapped(item.path)]
        less = [item for item in others if item.path in self._plan.files]
        rules = [item for item in others if item.path not in self._plan.files]
        if rules:
            lines += [NEAREST if rules[0].unsure else RULES, *map(render_citation, rules)]
        if less:
            lines += [LESS_LIKELY, *map(render_place, less)]
        header = f"{HEADER} {ODDS}" if self._has_details else HEADER
        return [header, *lines] if mapped else lines


def render_place(item: GuideItem) -> str:
    """A place as `guide_open` takes it, without the hash of its lines."""
    return to_one_line(f"{item.path}#L{item.start}-L{item.end} {item.symbol}".rstrip())


def render_texts(texts: Sequence[GuideItem]) -> list[str]:
    """The text of definitions, each below its citation."""
    if not texts:
        return []
    parts = [TEXTS]
    for item in texts:
        parts += [render_citation(item), item.text]
    return [*parts, *warn_of_hidden_text(item.text for item in texts)]


VALUE_SHARE = 4  # tokens of the structured answer, which repeats path and citation, for each of the text
NOTE_TOKENS = 60  # for what is said beside the items
SPARE_TOKENS = 60  # what is less is not worth another try
MOST_SKIPPED = 8  # texts that are too long for the rest of an answer, and come first in the next
MARK_TOKENS = 2
APART = "."
ALSO = "+"
TASK_DIGITS = 6
LONGEST_PLACE = 6
LONGEST_LOOKED_FOR = 500  # characters of a task that say which files to index first
LONGEST_LACK = 200
UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other words, or guide_search for one thing."
NOTHING = "Nothing in this project fits the task; try other words, or guide_search for a single thing."


class BriefRemarks(NamedTuple):
    """What is said beside the items: how to go on, that the index is not whole, that nothing fits."""

    mark: str
    standing: "IndexProgress | None"
    lacks: str
    hint: str
    notes: Sequence[str] = ()
    occurrences: Sequence[Occurrences] = ()

    def cursor(self, left: Sequence[int], following: int, count: int) -> str:
        """The cursor to go on with; empty where there is no more."""
        if following >= count and not left:
            return ""
        return f"{self.mark}{APART}{ALSO.join(map(str, (following, *left)))}"

    def sentences(self, cursor: str) -> list[str]:
        """For a model, below the items."""
        sentences: list[str] = []
        if self.standing:
            sentences.append(f"({self.standing.sentence()})")
        if self.lacks:
            sentences.append(f"(The index lacks: {self.lacks[:LONGEST_LACK]})")
        if cursor:
            sentences.append(f'More with cursor "{cursor}".')
        return sentences

    def fields(self, cursor: str) -> dict[str, Any]:
        """For programs."""
        fields: dict[str, Any] = {}
        if cursor:
            fields["cursor"] = cursor
        if self.standing:
            fields |= self.standing.told()
        if self.lacks:
            fields["lacks"] = self.lacks[:LONGEST_LACK]
        if self.hint:
            fields["hint"] = self.hint
        if self.hint == UNSURE:
            fields["fit"] = NOTHING_FITS
        if self.occurrences:
            fields["occurrences"] = [each.told() for each in self.occurrences]
        return fields


class PackedBrief(NamedTuple):
    """The items of a brief, its text and its value for programs."""

    items: list[GuideItem]
    text: str
    value: dict[str, Any]


class BriefPacker:
    """Packs the steps of one task, the first `enough` of them at the most."""

    def __init__(
        self,
        gathering: BriefItems,
        steps: Sequence[BriefStep],
        budget: int,
        said: BriefRemarks,
        plan: BriefPlan,
        enough: int,
    ) -> None:
        self._gathering = gathering
        self._steps = steps
        self._enough = enough
        self._budget = budget
        self._said = said
        self._map = MapText(plan, gathering.lines, has_details=budget >= LEAST_DETAILED)

    def pack(self, begin: Sequence[int]) -> PackedBrief:
        """As many steps as fit: first those that are left from before, then all from one on."""
        said = (self._said.hint, *self._said.notes, *self._said.sentences(""))
        room = self._budget - NOTE_TOKENS - sum(count_exact_tokens(each) + 1 for each in said)
        packed, spare = self._fit(begin, room)
        if spare >= SPARE_TOKENS:  # steps cost less together than each by itself
            packed, _ = self._fit(begin, room + spare)
        return packed

    def _fit(self, begin: Sequence[int], room: int) -> tuple[PackedBrief, int]:
        """The brief of the steps that fit into some room by their own sizes, and the tokens that it leaves."""
        following, *left = begin
        taken, skipped, following = self._take(following, left, room)
        while True:
            cursor = self._said.cursor(skipped, following, len(self._steps))
            packed = self._render([self._steps[number] for number in taken], cursor)
            spare = self._budget - count_exact_tokens(packed.text)
            if spare >= 0 or not taken:
                return packed, spare if following < len(self._steps) or skipped else 0
            last = taken.pop()  # the estimate was too low: the last one comes next time
            skipped = sorted([last, *skipped])[: MOST_SKIPPED + 1]

    def _take(self, following: int, left: Sequence[int], room: int) -> tuple[list[int], list[int], int]:
        """The steps that fit by their own sizes, those that were left out, and the first that was not looked at."""
        taken: list[int] = []
        skipped: list[int] = []
        paths: set[str] = set()
        for number in (*left, *range(following, self._enough)):
            size = self._size(self._steps[number], paths)
            if size <= room:
                room -= size
                taken.append(number)
                paths.add(self._steps[number].path)
            elif size <= self._budget - NOTE_TOKENS:
                skipped.append(number)
            following = max(following, number + 1)
            if len(skipped) > MOST_SKIPPED:
                break
        return taken, skipped, following

    def _size(self, step: BriefStep, paths: set[str]) -> int:
        """About how many tokens a step adds to the text."""
        size = 0
        for item in self._gathering.items(step):
            if item.text:
                size += count_exact_tokens(render_item(item)) + MARK_TOKENS
            elif self._map.is_mapped(item.path):
                lines = self._map.definition_lines(item)
                if item.path not in paths:
                    lines.append(self._map.file_line(item.path))
                size += sum(count_exact_tokens(line) + 1 for line in lines)
            else:
                size += count_exact_tokens(render_citation(item)) + MARK_TOKENS
        return size

    def _render(self, steps: Sequence[BriefStep], cursor: str) -> PackedBrief:
        texts = self._gathering.joined([step for step in steps if step.is_shown and not step.text])
        unfiled = [item for step in steps if step.text for item in self._gathering.items(step)]
        named: list[GuideItem] = []
        for step in steps:
            if not step.is_shown:
                named += self._gathering.items(step)
        parts = (
            self._said.hint,
            *self._map.render(named, texts),
            *self._said.notes,
            render_items(unfiled),
            *render_texts(texts),
            *self._said.sentences(cursor),
        )
        text = "\n".join(filter(None, parts))
        covered = [item for item in named if not _is_covered(item, texts)]
        items = [*covered, *unfiled, *texts]
        return PackedBrief([*named, *unfiled, *texts], text, self._value(items, cursor))

    def _value(self, items: Sequence[GuideItem], cursor: str) -> dict[str, Any]:
        """The value for programs: as many items as it has room for, the first ones first."""
        fields = self._said.fields(cursor)
        room = VALUE_SHARE * self._budget - count_exact_tokens(compact_json(fields)) - NOTE_TOKENS
        told: list[dict[str, Any]] = []
        for item in items:
            each = item.told()
            room -= count_exact_tokens(compact_json(each)) + 1
            if room < 0:
                break
            told.append(each)
        return {"items": told, **fields}


def _is_covered(item: GuideItem, texts: Sequence[GuideItem]) -> bool:
    """Whether some of a definition's text is shown."""
    return any(text.path == item.path and text.start <= item.end and item.start <= text.end for text in texts)


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
UNSURE_REASON = "unsure: among the nearest"
WEAK_MATCH = "No good match: all of these are weak. Words worth searching:"
NOTES_SHARE = 0.2  # of a budget for what is said beside the map
SHORT_NOTES = 3_000  # the budget of which notes have their share where none is given: a cut list is searched again
NO_PLAN = BriefPlan((), (), (), (), {}, is_weak=False, telling={})


class BriefNotes(NamedTuple):
    """What is certain beside a map, and the words worth searching where its best is weak."""

    occurrences: Sequence[Occurrences] = ()
    companions: Mapping[str, str] = MappingProxyType({})
    recent: str = ""
    words: Sequence[str] = ()


def plan_brief(
    services: Services, symbols: Callable[[], Symbols], text: TaskText, lines: ProjectLines, call: Call
) -> tuple[BriefPlan, BriefNotes]:
    """The map of a task and what is said beside it; where nothing fits, the nearest places."""
    engine = services.engine()
    history = load_history(engine.database, services.namespace, services.project.root, wait_seconds=HISTORY_SECONDS)
    uses = find_named_uses(symbols(), text)
    with engine.database.reading(call.cancellation) as transaction:
        search = CandidateSearch(engine, transaction, text)
        occurrences = find_occurrences(search, lines, text)
        uses = add_occurrences(uses, occurrences)
        ranked = rank_task(search, text, history, uses)
        if ranked.files:
            plan = plan_map(ranked, uses, history)
            mapped = [path for path, file in plan.files.items() if file.number <= MOST_MAPPED]
            words = name_search_words(ranked.weighed.stems, text) if plan.is_weak else ()
            recent = "" if plan.best_chance >= LEAST_LIKELY else describe_recent(mapped, history)
            return plan, BriefNotes(occurrences, list_companions(mapped, history, lines), recent, words)
        nearest = search.nearest(MOST_UNSURE)
    return NO_PLAN._replace(rules=[*map(_make_nearest_step, nearest)]), BriefNotes(occurrences)


def _make_nearest_step(file: CandidateFile) -> BriefStep:
    definitions = split_definitions(file)
    best = next((each for each in definitions if not each.is_import), definitions[0])
    return make_step(file, best, UNSURE_REASON)._replace(unsure=True)


def brief(services: Services, memory: Callable[[], ShownLines], symbols: "Callable[[], Symbols]", call: Call) -> Answer:
    """What a task needs, as much of it as the budget allows."""
    task = call.arguments["task"]
    budget = call.arguments.get("budget", BRIEF_BUDGET)
    is_short = call.arguments.keys().isdisjoint(("budget", "cursor"))
    by_budget = MAP if budget < LEAST_TEXTS else TEXT
    order, begin = _read_cursor(call.arguments.get("cursor"), task, CORE if is_short else by_budget)
    standing, lacks = services.ready(call, task[:LONGEST_LOOKED_FOR])
    text = TaskText(task)
    lines = ProjectLines(services.project)
    plan, notes = plan_brief(services, symbols, text, lines, call)
    records = [*find_finding_steps(services, text, call), *find_task_steps(services, text, call)]
    first = [*plan.rules, *records]
    steps = [*dict.fromkeys((*plan.core, *first, *plan.mapped) if order == CORE else (*plan.mapped, *first))]
    enough = len(plan.core) + len(first) if is_short else None
    steps += [step for step in order_rest(plan, order) if step not in plan.core or order != CORE]
    shown = memory()
    known = ConnectionLines(shown, call) if call.arguments.get("new_only") else None
    items = BriefItems(lines, known, open_states(services))
    hint = _make_hint(steps, notes if known is None else BriefNotes())
    remarks = BriefRemarks(_mark(task, order), standing, lacks, hint)
    if begin == [0]:
        room = SHORT_NOTES if is_short else budget
        remarks = remarks._replace(notes=_fit_notes(notes, room), occurrences=notes.occurrences)
    packed = BriefPacker(items, steps, budget, remarks, plan, enough or len(steps)).pack(begin)
    shown.note(call, packed.items)
    return Answer(packed.text, packed.value)


def _make_hint(steps: Sequence[BriefStep], notes: BriefNotes) -> str:
    """What to do where nothing fits, or only little."""
    if not steps:
        return NOTHING
    if all(step.unsure for step in steps):
        return UNSURE
    return f"{WEAK_MATCH} {', '.join(notes.words)}." if notes.words else ""


def _fit_notes(notes: BriefNotes, budget: int) -> list[str]:
    """The notes that fit into their share of the budget."""
    room = NOTES_SHARE * budget
    fitting: list[str] = []
    said = (*describe_occurrences(notes.occurrences, budget), describe_companions(notes.companions), notes.recent)
    for note in filter(None, said):
        size = count_exact_tokens(note) + 1
        if size <= room:
            room -= size
            fitting.append(note)
    return fitting


LEAST_TEXTS = 3_000  # tokens: with fewer, less likely places are named before the text of likely ones is shown
CORE = "core"
MAP = "map"
TEXT = "text"


def order_rest(plan: BriefPlan, order: str) -> list[BriefStep]:
    """What follows the map: further places before the text, or after it; further files come before it in any case."""
    if order != TEXT:
        return [*plan.further, *plan.texts]
    mapped = {step.path for step in plan.mapped}
    files = [step for step in plan.further if step.path not in mapped]
    return [*files, *plan.texts, *(step for step in plan.further if step.path in mapped)]


def _mark(task: str, order: str) -> str:
    """What a cursor of a task begins with; its steps have one of three orders."""
    return sha256(f"{order}\n{task}".encode(errors="surrogatepass")).hexdigest()[:TASK_DIGITS]


def _read_cursor(cursor: str | None, task: str, order: str) -> tuple[str, list[int]]:
    """The order of the steps, the place to go on from, and the steps before it that were left out."""
    if cursor is None:
        return order, [0]
    mark, _, places = cursor.partition(APART)
    numbers = places.split(ALSO)
    is_whole = len(numbers) <= MOST_SKIPPED + 2 and all(
        number.isdecimal() and len(number) <= LONGEST_PLACE for number in numbers
    )
    for each in (CORE, MAP, TEXT):
        if is_whole and mark == _mark(task, each):
            return each, [int(number) for number in numbers]
    raise InvalidArguments("The cursor is of another task; leave it out to begin.", cursor=cursor[:40])
