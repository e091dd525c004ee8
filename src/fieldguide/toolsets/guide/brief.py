"""Runs `guide_brief`: plans the map of a task, and packs it with the text of definitions into the token budget."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

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
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.text.errors import InvalidArguments, ToolNotFound
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.brief_candidates import (
    CandidateSearch,
    TaskText,
    find_named_files,
    find_named_uses,
    split_definitions,
    split_stems,
)
from fieldguide.toolsets.guide.brief_map import (
    IMPORTED,
    LEAST_LIKELY,
    LEAST_POSSIBLE,
    MOST_MAPPED,
    BriefPlan,
    BriefStep,
    add_enclosing,
    add_occurrences,
    describe_occurrences,
    describe_recent,
    describe_uses,
    find_near_occurrences,
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
    render_items,
    to_one_line,
)
from fieldguide.toolsets.guide.tools import BRIEF_BUDGET


class BriefItems:
    """Makes the items of steps; with `given`, without what the connection of the call was shown before."""

    def __init__(self, lines: ProjectLines, states: StaleStates, call: Call, given: ShownLines | None) -> None:
        self._lines = lines
        self._states = states
        self._call = call
        self._given = given
        self._made: dict[BriefStep, list[GuideItem]] = {}

    def items(self, step: BriefStep) -> list[GuideItem]:
        """The items of one step: none where its file is gone, several where only some lines are new."""
        if step not in self._made:
            self._made[step] = [*self._make_items(step)]
        return self._made[step]

    def _make_items(self, step: BriefStep) -> Iterator[GuideItem]:
        end = step.end if step.text else min(step.end, self._lines.count(step.path))
        if end < step.start:
            return  # the file is not as long any more, or gone
        if not step.is_shown:
            item = self._make_item(step, step.start, end, "")
            if self._given is None or not self._given.has_place(self._call, item):
                yield item
            return
        lines = step.text.split("\n") if step.text else self._lines.shown(step.path, step.start, end)
        numbers = [*range(step.start, step.start + len(lines))]
        if self._given is not None:
            numbers = self._given.new_lines(self._call, step.path, step.start, lines)
        for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
            run = [number for _, number in group]
            text = "\n".join(lines[run[0] - step.start : run[-1] - step.start + 1])
            if text.strip():
                yield self._make_item(step, run[0], run[-1], text)

    def _make_item(self, step: BriefStep, start: int, end: int, text: str) -> GuideItem:
        return GuideItem(
            step.path,
            start,
            end,
            step.kind,
            step.why,
            step.symbol,
            hash_text(text) if step.text else self._lines.hash(step.path, start, end),
            text,
            self._states.told(step.path, start, end, step.text),
            step.unsure,
            is_named=not step.is_shown,
        )


HEADER = "Files by their chance to change; below each its best definitions. Open one with guide_open as path#L3-L9."
ODDS = "Of files called likely 2 in 3 change, of possible ones 1 in 4, of weak ones 1 in 20."
WHOLE = "Numbered lines are the file's own and complete; there is no need to open them."
LESS_LIKELY = "Less likely:"
RULES = "Decisions and rules:"
NEAREST = "The nearest:"
LONGEST_LINE = 100  # characters of a telling line
LONGEST_LABEL = 40  # of the first line, which stands for the name of what has none
LEAST_DETAILED = 1_200  # tokens: with fewer, a map is better without tests and telling lines


class MapText:
    """Writes the map: a line for each file, below it one for each definition, with its text or its telling lines."""

    def __init__(self, plan: BriefPlan, lines: ProjectLines, *, has_details: bool, has_numbers: bool) -> None:
        self.files = plan.files
        self._telling: Mapping[tuple[str, int], Sequence[int]] = plan.telling if has_details else {}
        self._lines = lines
        self._has_details = has_details
        self._has_numbers = has_numbers

    def render(self, items: Sequence[GuideItem]) -> list[str]:
        """The files of the map in their order, then what is less likely and what governs."""
        files = self.files
        listed = [item for item in items if item.path in files]
        listed.sort(key=lambda item: (files[item.path].number, item.symbol == IMPORTED, item.start))
        rules = [item for item in items if item.path not in files]
        lines: list[str] = []
        if listed:
            odds = ODDS if self._has_details else ""
            whole = WHOLE if self._has_numbers and any(item.text for item in listed) else ""
            lines.append(" ".join(filter(None, (HEADER, odds, whole))))
        for path, group in groupby(listed, key=lambda item: item.path):
            if files[path].number > MOST_MAPPED and LESS_LIKELY not in lines:
                lines.append(LESS_LIKELY)
            lines.append(self.file_line(path))
            owner = ""
            for item in group:
                lines += self.definition_lines(item, owner)
                owner = item.symbol.rpartition(".")[0] or item.symbol
        if rules:
            lines += [NEAREST if rules[0].unsure else RULES, *map(render_citation, rules)]
        return lines

    def file_line(self, path: str) -> str:
        """A file with its number, how likely it changes, why it is here and its test."""
        file = self.files[path]
        test = f"; test {file.test}" if file.test and self._has_details else ""
        return to_one_line(f"{file.number}. {path}: {file.why}{test}")

    def definition_lines(self, item: GuideItem, owner: str = "") -> list[str]:
        """A definition, and its text if that is shown, else the lines that say most.

        The name of what it belongs to is left out where the line above has it. A number costs a fifth of a line, so
        lines have one where the answer is short and read to the end; blank ones are left out then.
        """
        if item.end <= 1 and not item.text:
            return []
        span = f"{item.start}-{item.end}" if item.end > item.start else str(item.start)
        label = item.symbol.removeprefix(owner) if item.symbol.startswith(f"{owner}.") else item.symbol
        if not label and not item.text:
            label = "".join(self._lines.shown(item.path, item.start, item.start))[:LONGEST_LABEL]
            label = label if label[:1].isalpha() else ""  # a line inside of something says less than it costs
        stale = f"[stale: {item.stale}]" if item.stale else ""
        lines = [to_one_line("   " + " ".join(filter(None, (span, label, stale))))]
        if item.text and not self._has_numbers:
            return [*lines, item.text]
        for number, line in enumerate(item.text.split("\n"), item.start):
            if line.strip():
                lines.append(f"{number}: {line}")
        for number in () if item.text else self._telling.get((item.path, item.start), ()):
            line = "".join(self._lines.shown(item.path, number, number)).strip()
            lines.append(to_one_line(f"     {number}: {line[:LONGEST_LINE]}"))
        return lines


VALUE_SHARE = 4  # tokens of the structured answer, which repeats path and citation, for each of the text
NOTE_TOKENS = 60  # for what is said beside the items
MOST_SKIPPED = 8  # texts that are too long for the rest of an answer, and come first in the next
APART = "."
ALSO = "+"


class BriefRemarks(NamedTuple):
    """What is said beside the items, with the mark that a cursor begins with."""

    mark: str
    hint: str
    notes: Sequence[str]
    endings: Sequence[str]
    fields: Mapping[str, Any]


class BriefPacker:
    """Packs the steps of one task, the first `enough` of them at the most."""

    def __init__(
        self, items: BriefItems, steps: Sequence[BriefStep], enough: int, budget: int, said: BriefRemarks, map_: MapText
    ) -> None:
        self._items = items
        self._steps = steps
        self._enough = enough
        self._budget = budget
        self._said = said
        self._map = map_

    def pack(self, begin: Sequence[int]) -> tuple[Answer, list[GuideItem]]:
        """The answer with as many steps as fit, first those that are left from before; and its items."""
        following, *left = begin
        said = self._said
        room = self._budget - NOTE_TOKENS
        room -= sum(count_exact_tokens(each) + 1 for each in (said.hint, *said.notes, *said.endings))
        taken: list[int] = []
        skipped: list[int] = []
        sizes: dict[tuple[str, int], int] = {}
        for number in (*left, *range(following, self._enough)):
            size = self._measure(self._steps[number], sizes)
            if size <= room:
                room -= size
                taken.append(number)
            elif size <= self._budget - NOTE_TOKENS:
                skipped.append(number)
            following = max(following, number + 1)
            if len(skipped) > MOST_SKIPPED:
                break
        while True:
            is_more = following < len(self._steps) or bool(skipped)
            places = ALSO.join(map(str, (following, *skipped)))
            answer, items = self._render(taken, f"{said.mark}{APART}{places}" if is_more else "")
            if not taken or count_exact_tokens(answer.text) <= self._budget:
                return answer, items
            skipped = sorted([taken.pop(), *skipped])[: MOST_SKIPPED + 1]  # the estimate was too low

    def _measure(self, step: BriefStep, sizes: dict[tuple[str, int], int]) -> int:
        """About how many tokens a step adds to those that were measured before: text comes below a name."""
        is_listed = step.path in self._map.files
        lines: list[str] = []
        for item in self._items.items(step):
            lines += self._map.definition_lines(item) if is_listed else [render_citation(item), item.text]
        if not lines:
            return 0
        size = sum(count_exact_tokens(line) + 1 for line in lines)
        size -= min(sizes.get((step.path, step.start), 0), size)
        sizes[step.path, step.start] = size
        if is_listed and (step.path, 0) not in sizes:
            sizes[step.path, 0] = count_exact_tokens(self._map.file_line(step.path)) + 1
            size += sizes[step.path, 0]
        return size

    def _render(self, taken: Sequence[int], cursor: str) -> tuple[Answer, list[GuideItem]]:
        shown: list[GuideItem] = []
        unfiled: list[GuideItem] = []
        named: list[GuideItem] = []
        for step in [self._steps[number] for number in taken]:
            if step.text:
                unfiled += self._items.items(step)
            elif step.is_shown:
                shown += self._items.items(step)
            else:
                named += self._items.items(step)
        named = [item for item in named if not _is_covered(item, shown)]
        parts = (
            self._said.hint,
            *self._map.render([*named, *shown]),
            *self._said.notes,
            render_items(unfiled),
            *warn_of_hidden_text(item.text for item in shown),
            *self._said.endings,
            f'More with cursor "{cursor}".' if cursor else "",
        )
        items = [*named, *unfiled, *shown]
        told: list[dict[str, Any]] = []
        value: dict[str, Any] = {"items": told, **({"cursor": cursor} if cursor else {}), **self._said.fields}
        room = VALUE_SHARE * self._budget - count_exact_tokens(compact_json(value)) - NOTE_TOKENS
        for item in items:  # programs get as many as there is room for
            each = item.told()
            room -= count_exact_tokens(compact_json(each)) + 1
            if room < 0:
                break
            told.append(each)
        return Answer("\n".join(filter(None, parts)), value), items


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


CORE = "core"
NAMES = "names"
TEXTS = "texts"
ORDERS = (CORE, NAMES, TEXTS)  # what comes first: what is worth reading, names, or the text of the likeliest
LEAST_FOR_TEXTS = 3_000  # tokens
HISTORY_SECONDS = 2.0  # for the first brief of a process; it can do without
UNSURE_REASON = "unsure: among the nearest"
NOTES_SHARE = 0.2  # of a budget for what is said beside the map
SHORT_NOTES = 1_500  # the budget of which notes have their share where none is given


def plan_brief(
    services: Services, symbols: Callable[[], Symbols], text: TaskText, lines: ProjectLines, call: Call, order: str
) -> BriefPlan:
    """The map of a task with what is said beside it; where nothing fits, the nearest places."""
    engine = services.engine()
    root = services.project.root
    history = load_history(engine.database, services.namespace, root, wait_seconds=HISTORY_SECONDS, with_lines=True)
    uses = find_named_uses(symbols(), text)
    named = find_named_files(symbols(), text)
    with engine.database.reading(call.cancellation) as transaction:
        search = CandidateSearch(engine, transaction, text)
        occurrences = find_occurrences(search, lines, text)
        add_occurrences(uses, occurrences)
        ranked = rank_task(search, text, history, uses, named)
        occurrences += find_near_occurrences(search, lines, occurrences, ranked)
        nearest = [] if ranked.files else search.nearest(MOST_UNSURE)
    if not ranked.files:
        steps: list[BriefStep] = []
        for file in nearest:
            definitions = split_definitions(file)
            best = next((each for each in definitions if not each.is_import), definitions[0])
            steps.append(make_step(file, best, UNSURE_REASON)._replace(unsure=True))
        return BriefPlan(rules=steps, occurrences=occurrences)
    plan = plan_map(ranked, uses, history, is_large=order == TEXTS)
    mapped = [path for path, file in plan.files.items() if file.number <= MOST_MAPPED]
    return plan._replace(
        occurrences=add_enclosing(occurrences, symbols()),
        companions=list_companions(mapped, history, lines),
        recent="" if plan.best_chance >= LEAST_LIKELY else describe_recent(mapped, history),
        uses=[*describe_uses(plan.core, symbols())] if order == CORE else (),
        words=() if plan.best_chance >= LEAST_POSSIBLE else name_search_words(ranked.weighed.stems, text),
    )


LONGEST_LOOKED_FOR = 500  # characters of a task that say which files to index first
LONGEST_LACK = 200
MOST_BEFORE_RULES = 12  # steps that come before decisions, rules, findings and tasks
UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other words, or guide_search for one thing."
NOTHING = "Nothing in this project fits the task; try other words, or guide_search for a single thing."
WEAK_MATCH = "No good match: all of these are weak. Words worth searching:"


def brief(services: Services, memory: Callable[[], ShownLines], symbols: "Callable[[], Symbols]", call: Call) -> Answer:
    """What a task needs, as much of it as the budget allows."""
    task = call.arguments["task"]
    budget = call.arguments.get("budget", BRIEF_BUDGET)
    is_new_only = bool(call.arguments.get("new_only"))
    is_short = call.arguments.keys().isdisjoint(("budget", "cursor"))
    long_order = TEXTS if budget >= LEAST_FOR_TEXTS else NAMES
    order, begin = _read_cursor(call.arguments.get("cursor"), task, CORE if is_short else long_order)
    is_core = order == CORE
    standing, lacks = services.ready(call, task[:LONGEST_LOOKED_FOR])
    text = TaskText(task)
    lines = ProjectLines(services.project)
    plan = plan_brief(services, symbols, text, lines, call, order)
    records = [*plan.rules, *find_finding_steps(services, text, call), *find_task_steps(services, text, call)]
    steps, enough = order_steps(plan, records, is_core=is_core)
    hint = _make_hint(steps, () if is_new_only else plan.words)
    endings: list[str] = []
    fields: dict[str, Any] = {"hint": hint} if hint else {}
    if standing:
        endings.append(f"({standing.sentence()})")
        fields |= standing.told()
    if lacks:
        fields["lacks"] = lacks[:LONGEST_LACK]
        endings.append(f"(The index lacks: {fields['lacks']})")
    if hint == UNSURE:
        fields["fit"] = NOTHING_FITS
    notes: list[str] = []
    if begin == [0]:
        notes = fit_notes(plan, SHORT_NOTES if is_short else budget)
        fields |= {"occurrences": [each.told() for each in plan.occurrences]} if plan.occurrences else {}
    shown = memory()
    items = BriefItems(lines, open_states(services), call, shown if is_new_only else None)
    map_text = MapText(plan, lines, has_details=budget >= LEAST_DETAILED, has_numbers=is_core)
    remarks = BriefRemarks(_mark(task, order), hint, notes, endings, fields)
    packer = BriefPacker(items, steps, enough if is_short else len(steps), budget, remarks, map_text)
    answer, given = packer.pack(begin)
    shown.note(call, given)
    return answer


def order_steps(plan: BriefPlan, records: Sequence[BriefStep], *, is_core: bool) -> tuple[list[BriefStep], int]:
    """All steps of a plan in their order, and how many are enough where nobody says how much."""
    first = [*dict.fromkeys((*(plan.core if is_core else plan.steps[:MOST_BEFORE_RULES]), *records))]
    return [*dict.fromkeys((*first, *plan.steps))], len(first)


def _make_hint(steps: Sequence[BriefStep], words: Sequence[str]) -> str:
    """What to do where nothing fits, or only little."""
    if not steps:
        return NOTHING
    if all(step.unsure for step in steps):
        return UNSURE
    return f"{WEAK_MATCH} {', '.join(words)}." if words else ""


def fit_notes(plan: BriefPlan, budget: int) -> list[str]:
    """The notes that fit into their share of the budget."""
    room = NOTES_SHARE * budget
    too = to_one_line(f"Usually changes too: {'; '.join(plan.companions.values())}") if plan.companions else ""
    fitting: list[str] = []
    for note in filter(None, (*describe_occurrences(plan.occurrences, budget), *plan.uses, too, plan.recent)):
        size = count_exact_tokens(note) + 1
        if size <= room:
            room -= size
            fitting.append(note)
    return fitting


LONGEST_CURSOR = 80


def _mark(task: str, order: str) -> str:
    """What a cursor of a task begins with; its steps have one of three orders."""
    return sha256(f"{order}\n{task}".encode(errors="surrogatepass")).hexdigest()[:6]


def _read_cursor(cursor: str | None, task: str, order: str) -> tuple[str, list[int]]:
    """Which order the steps have, the place to go on from, and the steps before it that were left out."""
    if cursor is None:
        return order, [0]
    mark, _, places = cursor[:LONGEST_CURSOR].partition(APART)
    numbers = places.split(ALSO)
    for each in ORDERS:
        if mark == _mark(task, each) and all(map(str.isdecimal, numbers)):
            return each, [int(number) for number in numbers]
    raise InvalidArguments("The cursor is of another task; leave it out to begin.", cursor=cursor[:40])
