"""Runs `guide_brief`: plans the map of a task, and packs it with the text of definitions into the token budget."""

from collections.abc import Callable, Mapping, Sequence
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
    LEAST_POSSIBLE,
    MOST_MAPPED,
    BriefPlan,
    BriefStep,
    add_enclosing,
    add_occurrences,
    describe_occurrences,
    find_occurrences,
    list_companions,
    make_step,
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
    join_task_text,
    list_own_tasks,
    open_states,
    render_citation,
    render_items,
    to_one_line,
)
from fieldguide.toolsets.guide.tools import BRIEF_BUDGET


class BriefItems:
    """Makes the items of steps, each once."""

    def __init__(self, lines: ProjectLines, states: StaleStates) -> None:
        self._lines = lines
        self._states = states
        self._made: dict[BriefStep, GuideItem | None] = {}

    def item(self, step: BriefStep) -> GuideItem | None:
        """The item of a step; None where its file is gone, or not as long any more."""
        if step not in self._made:
            self._made[step] = self._make_item(step)
        return self._made[step]

    def _make_item(self, step: BriefStep) -> GuideItem | None:
        end = step.end if step.text else min(step.end, self._lines.count(step.path))
        if end < step.start:
            return None
        text = step.text
        if step.is_shown and not text:
            text = "\n".join(self._lines.shown(step.path, step.start, end))
        if step.is_shown and not text.strip():
            return None
        return GuideItem(
            step.path,
            step.start,
            end,
            step.kind,
            step.why,
            step.symbol,
            hash_text(text) if step.text else self._lines.hash(step.path, step.start, end),
            text,
            self._states.told(step.path, step.start, end, step.text),
            step.unsure,
            is_named=not step.is_shown,
        )


HEADER = "Files by their chance to change; below each its best definitions. Open one with guide_open as path#L3-L9."
ODDS = "Of files called likely 2 in 3 change, of possible ones 1 in 4, of weak ones 1 in 20."
WHOLE = "Numbered lines are the file's own and complete; there is no need to open them."
LESS_LIKELY = "Less likely:"
RULES = "Decisions and rules:"
NEAREST = "The nearest:"
LONGEST_LABEL = 40  # of the first line, which stands for the name of what has none
LEAST_FOR_ODDS = 1_200  # tokens: with fewer, a map is better without the sentence


class MapText:
    """Writes the map: a line for each file, below it one for each definition, with its text where that is shown."""

    def __init__(self, plan: BriefPlan, lines: ProjectLines, *, has_odds: bool, has_numbers: bool) -> None:
        self.files = plan.files
        self._lines = lines
        self._has_odds = has_odds
        self._has_numbers = has_numbers

    def render(self, items: Sequence[GuideItem]) -> list[str]:
        """The files of the map in their order, then what is less likely and what governs."""
        files = self.files
        listed = [item for item in items if item.path in files]
        listed.sort(key=lambda item: (files[item.path].number, item.symbol == IMPORTED, item.start))
        rules = [item for item in items if item.path not in files]
        lines: list[str] = []
        if listed:
            odds = ODDS if self._has_odds else ""
            whole = WHOLE if self._has_numbers and any(item.text for item in listed) else ""
            lines.append(" ".join(filter(None, (HEADER, odds, whole))))
        for number, (path, group) in enumerate(groupby(listed, key=lambda item: item.path), 1):
            if files[path].number > MOST_MAPPED and LESS_LIKELY not in lines:
                lines.append(LESS_LIKELY)
            lines.append(self.file_line(path, number))
            owner = ""
            for item in group:
                lines += self.definition_lines(item, owner)
                owner = item.symbol.rpartition(".")[0] or item.symbol
        if rules:
            lines += [NEAREST if rules[0].unsure else RULES, *map(render_citation, rules)]
        return lines

    def file_line(self, path: str, number: int) -> str:
        """A file with its place in the answer, how likely it changes and why it is here."""
        return to_one_line(f"{number}. {path}: {self.files[path].why}")

    def definition_lines(self, item: GuideItem, owner: str = "") -> list[str]:
        """A definition, and its text if that is shown.

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
        return lines


VALUE_SHARE = 4  # tokens of the structured answer, which repeats path and citation, for each of the text
NOTE_TOKENS = 60  # for what is said beside the items
MOST_SKIPPED = 8  # texts that are too long for the rest of an answer


class BriefRemarks(NamedTuple):
    """What is said beside the items."""

    hint: str
    notes: Sequence[str]
    endings: Sequence[str]
    fields: Mapping[str, Any]


class BriefPacker:
    """Packs the steps of one task, those that fit of the first."""

    def __init__(self, items: BriefItems, budget: int, remarks: BriefRemarks, map_: MapText) -> None:
        self._items = items
        self._budget = budget
        self._remarks = remarks
        self._map = map_

    def pack(self, steps: Sequence[BriefStep]) -> Answer:
        """The answer with as many steps as fit."""
        remarks = self._remarks
        room = self._budget - NOTE_TOKENS
        room -= sum(count_exact_tokens(each) + 1 for each in (remarks.hint, *remarks.notes, *remarks.endings))
        taken: list[BriefStep] = []
        skipped = 0
        sizes: dict[tuple[str, int], int] = {}
        for step in steps:
            size = self._measure(step, sizes)
            if size <= room:
                room -= size
                taken.append(step)
            else:
                skipped += size <= self._budget - NOTE_TOKENS
            if skipped > MOST_SKIPPED:
                break
        while True:
            answer = self._render(taken)
            if not taken or count_exact_tokens(answer.text) <= self._budget:
                return answer
            taken.pop()  # the estimate was too low

    def _measure(self, step: BriefStep, sizes: dict[tuple[str, int], int]) -> int:
        """About how many tokens a step adds to those that were measured before: text comes below a name."""
        is_listed = step.path in self._map.files
        item = self._items.item(step)
        if item is None:
            return 0
        lines = self._map.definition_lines(item) if is_listed else [render_citation(item), item.text]
        size = sum(count_exact_tokens(line) + 1 for line in lines)
        size -= min(sizes.get((step.path, step.start), 0), size)
        sizes[step.path, step.start] = size
        if is_listed and (step.path, 0) not in sizes:
            sizes[step.path, 0] = count_exact_tokens(self._map.file_line(step.path, MOST_MAPPED)) + 1
            size += sizes[step.path, 0]
        return size

    def _render(self, taken: Sequence[BriefStep]) -> Answer:
        shown: list[GuideItem] = []
        unfiled: list[GuideItem] = []
        named: list[GuideItem] = []
        for step in taken:
            item = self._items.item(step)
            if item is not None:
                (unfiled if step.text else shown if step.is_shown else named).append(item)
        named = [item for item in named if not _is_covered(item, shown)]
        parts = (
            self._remarks.hint,
            *self._map.render([*named, *shown]),
            *self._remarks.notes,
            render_items(unfiled),
            *warn_of_hidden_text(item.text for item in shown),
            *self._remarks.endings,
        )
        items = [*named, *unfiled, *shown]
        told: list[dict[str, Any]] = []
        value: dict[str, Any] = {"items": told, **self._remarks.fields}
        room = VALUE_SHARE * self._budget - count_exact_tokens(compact_json(value)) - NOTE_TOKENS
        for item in items:  # programs get as many as there is room for
            each = item.told()
            room -= count_exact_tokens(compact_json(each)) + 1
            if room < 0:
                break
            told.append(each)
        return Answer("\n".join(filter(None, parts)), value)


def _is_covered(item: GuideItem, texts: Sequence[GuideItem]) -> bool:
    """Whether some of a definition's text is shown."""
    return any(text.path == item.path and text.start <= item.end and item.start <= text.end for text in texts)


MOST_FINDINGS = 4
MOST_TASKS = 4
MOST_TASKS_READ = 500
NEAR = 0.75  # of the score of the best: what fits worse is left to guide_search
LEAST_COMMON = 2
LEAST_SHARE = 0.5


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
    """The caller's open tasks that share words with the task."""
    steps: list[BriefStep] = []
    for row in list_own_tasks(services, call, "pending")[:MOST_TASKS_READ]:
        text = join_task_text(row)
        stems = split_stems(text)
        common = len(stems & task.stems)
        if common >= max(LEAST_COMMON, LEAST_SHARE * len(stems)):
            steps.append(_make_unfiled_step(f"{TASKS}{row['id']}", TASK, "open, of the same", text))
    return steps[:MOST_TASKS]


def _make_unfiled_step(path: str, kind: str, why: str, text: str) -> BriefStep:
    return BriefStep(path, 1, text.count("\n") + 1, kind, why, is_shown=True, text=text)


LEAST_FOR_TEXTS = 3_000  # tokens
HISTORY_SECONDS = 2.0  # for the first brief of a process; it can do without
UNSURE_REASON = "unsure: among the nearest"
NOTES_SHARE = 0.2  # of a budget for what is said beside the map
SHORT_NOTES = 1_500  # the budget of which notes have their share where none is given


def plan_brief(
    services: Services,
    symbols: Callable[[], Symbols],
    text: TaskText,
    lines: ProjectLines,
    call: Call,
    *,
    is_large: bool,
) -> BriefPlan:
    """The map of a task with what is said beside it; where nothing fits, the nearest places."""
    engine = services.engine()
    root = services.project.root
    history = load_history(engine.database, services.namespace, root, wait_seconds=HISTORY_SECONDS)
    uses = find_named_uses(symbols(), text)
    named = find_named_files(symbols(), text)
    with engine.database.reading(call.cancellation) as transaction:
        search = CandidateSearch(engine, transaction, text)
        occurrences = find_occurrences(search, lines, text)
        add_occurrences(uses, occurrences)
        ranked = rank_task(search, text, history, uses, named)
        nearest = [] if ranked.files else search.nearest(MOST_UNSURE)
    if not ranked.files:
        steps: list[BriefStep] = []
        for file in nearest:
            definitions = split_definitions(file)
            best = next((each for each in definitions if not each.is_import), definitions[0])
            steps.append(make_step(file, best, UNSURE_REASON)._replace(unsure=True))
        return BriefPlan(rules=steps, occurrences=occurrences)
    plan = plan_map(ranked, uses, is_large=is_large)
    mapped = [path for path, file in plan.files.items() if file.number <= MOST_MAPPED]
    return plan._replace(
        occurrences=add_enclosing(occurrences, symbols()), companions=list_companions(mapped, history, lines)
    )


LONGEST_LOOKED_FOR = 500  # characters of a task that say which files to index first
LONGEST_LACK = 200
MOST_BEFORE_RULES = 12  # steps that come before decisions, rules, findings and tasks
UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other words, or guide_search for one thing."
NOTHING = "Nothing in this project fits the task; try other words, or guide_search for a single thing."
WEAK_MATCH = "No good match: all of these are weak."


def brief(services: Services, symbols: "Callable[[], Symbols]", call: Call) -> Answer:
    """What a task needs, as much of it as the budget allows; without a budget as much as is worth reading."""
    task = call.arguments["task"]
    is_short = "budget" not in call.arguments
    budget = call.arguments.get("budget", BRIEF_BUDGET)
    standing, lacks = services.ready(call, task[:LONGEST_LOOKED_FOR])
    text = TaskText(task)
    lines = ProjectLines(services.project)
    plan = plan_brief(services, symbols, text, lines, call, is_large=not is_short and budget >= LEAST_FOR_TEXTS)
    records = [*plan.rules, *find_finding_steps(services, text, call), *find_task_steps(services, text, call)]
    if is_short:
        steps = [*dict.fromkeys((*plan.core, *records))]
    else:
        steps = [*dict.fromkeys((*plan.steps[:MOST_BEFORE_RULES], *records, *plan.steps))]
    hint = _make_hint(steps, plan)
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
    if plan.occurrences:
        fields["occurrences"] = [each.told() for each in plan.occurrences]
    remarks = BriefRemarks(hint, fit_notes(plan, SHORT_NOTES if is_short else budget), endings, fields)
    map_text = MapText(plan, lines, has_odds=budget >= LEAST_FOR_ODDS, has_numbers=is_short)
    return BriefPacker(BriefItems(lines, open_states(services)), budget, remarks, map_text).pack(steps)


def _make_hint(steps: Sequence[BriefStep], plan: BriefPlan) -> str:
    """What to do where nothing fits, or only little."""
    if not steps:
        return NOTHING
    if all(step.unsure for step in steps):
        return UNSURE
    return WEAK_MATCH if plan.files and plan.best_chance < LEAST_POSSIBLE else ""


def fit_notes(plan: BriefPlan, budget: int) -> list[str]:
    """The notes that fit into their share of the budget."""
    room = NOTES_SHARE * budget
    too = to_one_line(f"Usually changes too: {'; '.join(plan.companions)}") if plan.companions else ""
    fitting: list[str] = []
    for note in filter(None, (*describe_occurrences(plan.occurrences, budget), too)):
        size = count_exact_tokens(note) + 1
        if size <= room:
            room -= size
            fitting.append(note)
    return fitting
