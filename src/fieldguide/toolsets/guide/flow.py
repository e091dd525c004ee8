"""Runs `guide_flow`: the steps in which the code does something, as a call tree, or the path between two symbols.

The definitions that a question is about are joined along calls, from where they begin. What lies near them is named
below, by file.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

from fieldguide.code.symbols.calls import CALLS, EVENT, IMPLEMENTS, PASSED, CallEdge, CallGraph
from fieldguide.code.symbols.facts import CALLABLE, TYPES
from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.code.symbols.resolvers.values import DefinitionPlace, remember
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.text.errors import InvalidArguments
from fieldguide.text.secrets import mask_secret_values
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.flow_search import FlowSearch, Topic
from fieldguide.toolsets.guide.items import CODE, GuideItem, ProjectLines, find_largest, to_one_line
from fieldguide.toolsets.guide.symbol import read_ahead, refuse_missing
from fieldguide.toolsets.guide.tools import FLOW_BUDGET

TOKENS_OF_STEP = 65
MOST_STEPS = 60
MOST_NEAR = 200
UPWARDS = 3
MOST_SECONDS = 10.0
MOST_OTHER = 3  # implementations that are named beside those that are steps
MOST_ALIKE = 3  # overloads of one name
DECLARED_LINES = 2
WIDEST_LINE = 45
SPAWNS = re.compile(
    r"^\s*go\s|\bspawn\w*\(|\bThread\(|\bcreate_task\(|\bensure_future\(|\bsubmit\(|\bexecute\(|\blaunch\s*[({]"
)
ENTRY = re.compile(r"(?i)(?:^|[._])(?:main|run|serve|start|handle\w*|execute|dispatch|listen|cli|command)(?:$|[._])")
UNSURE_COST = 3
MOST_MET = 3_000


class FlowStep(NamedTuple):
    """A definition of the tree, how deep it is, and the step that leads to it; none leads to a root."""

    at: DefinitionPlace
    depth: int
    edge: CallEdge | None
    topics: tuple[str, ...] = ()


class FlowTrees:
    """Joins definitions along calls, for one question."""

    def __init__(
        self,
        graph: CallGraph,
        search: FlowSearch,
        scores: Mapping[DefinitionPlace, float],
    ) -> None:
        self._graph = graph
        self._search = search
        self._scores = scores
        self.ranks = {at: rank for rank, at in enumerate(scores)}

    def grow(self, chosen: Iterable[DefinitionPlace]) -> list[list[FlowStep]]:
        """Trees of the definitions that call each other, the best first; what is alone is in none."""
        kept = dict.fromkeys(chosen)
        leading = self._choose_callers(kept)
        calling = {edge.source for edge in leading.values()}
        for root in [at for at in kept if at in calling and at not in leading]:
            kept |= dict.fromkeys(self._climb(root))
        leading = self._choose_callers(kept)
        below: dict[DefinitionPlace, list[CallEdge]] = {}
        for edge in leading.values():
            below.setdefault(edge.source, []).append(edge)
        for root, edges in list(below.items()):
            if root not in leading and not any(edge.is_certain for edge in edges):
                del below[root]  # a tree begins with what is certain
                for edge in edges:
                    del leading[edge.target]
        trees = [_list_steps(root, below) for root in kept if root not in leading and root in below]
        return sorted(trees, key=lambda tree: -sum(self._scores.get(step.at, 0.0) for step in tree))

    def _choose_callers(self, kept: Mapping[DefinitionPlace, None]) -> dict[DefinitionPlace, CallEdge]:
        """The step that leads to each definition: a certain call first, from the best; none leads in a circle."""

        def worth(edge: CallEdge) -> tuple[bool, bool, int, int]:
            return not edge.is_certain, edge.via != CALLS, self.ranks.get(edge.source, len(self.ranks)), edge.line

        edges = [edge for at in kept for edge in self._graph.calls(at) if edge.target in kept]
        leading: dict[DefinitionPlace, CallEdge] = {}
        for edge in sorted(edges, key=worth):
            above: DefinitionPlace | None = edge.source
            while above is not None and above != edge.target:
                above = leading[above].source if above in leading else None
            if above is None and edge.target not in leading:
                leading[edge.target] = edge
        return leading

    def _climb(self, root: DefinitionPlace) -> list[DefinitionPlace]:
        """What certainly calls a root, up to an entry point, as far as there is only one way up."""
        above: list[DefinitionPlace] = []
        while len(above) < UPWARDS:
            at = above[-1] if above else root
            callers: list[DefinitionPlace] = []
            entries: list[DefinitionPlace] = []
            for edge in self._graph.callers(at):
                each = edge.source
                if edge.is_certain and each not in (root, *above) and self._search.is_told(each):
                    callers.append(each)
                    if self._graph.is_entry(each) or ENTRY.search(self._graph.qualified(each)):
                        entries.append(each)
            if len(callers) != 1 and not entries:
                break
            above.append((entries or callers)[0])
        return above


def _list_steps(root: DefinitionPlace, below: Mapping[DefinitionPlace, list[CallEdge]]) -> list[FlowStep]:
    """A tree as lines, each step below its caller, in the order of the caller's text."""
    steps: list[FlowStep] = []
    pending = [FlowStep(root, 0, None)]
    while pending:
        step = pending.pop()
        steps.append(step)
        edges = sorted(below.get(step.at, ()), key=lambda edge: (edge.via == IMPLEMENTS, edge.line), reverse=True)
        pending += [FlowStep(edge.target, step.depth + 1, edge) for edge in edges]
    return steps


LEGEND = (
    "`→ :n` called at line n of the step above, `⇒` implements it, `~>` by an event, `?` by name only, [..] the topic; "
    "a path stands once, then its last part:"
)
NEAR = "Near these steps, by file, with their first lines:"


class PathNames:
    """Writes each path of an answer once, and then only its last part, if that means no other."""

    def __init__(self) -> None:
        self._by_last_part: dict[str, str] = {}

    def write(self, path: str) -> str:
        """A path, or its last part where the path stands before."""
        last_part = path.rpartition("/")[2]
        if self._by_last_part.get(last_part) == path:
            return last_part
        self._by_last_part.setdefault(last_part, path)
        return path


class FlowText:
    """Writes steps as text and as values."""

    def __init__(self, graph: CallGraph, lines: ProjectLines) -> None:
        self._graph = graph
        self._lines = lines

    @remember(None)
    def item(self, at: DefinitionPlace) -> GuideItem:
        """A definition as an item that is named without its lines."""
        found = self._graph.definition(at)
        start = found.line if found else 1
        end = max(found.end_line, start) if found else 1
        hash_ = self._lines.hash(at.path, start, end)
        return GuideItem(at.path, start, end, CODE, "", self._graph.qualified(at), hash_, is_named=True)

    def told(self, step: FlowStep) -> dict[str, Any]:
        """A step as programs read it."""
        value = self.told_near(step.at, ", ".join(step.topics)) | {"depth": step.depth}
        if step.edge is not None:
            value |= {"via": self._via(step.edge), "certain": step.edge.is_certain, "at": step.edge.line}
        return value

    def told_near(self, at: DefinitionPlace, why: str = "") -> dict[str, Any]:
        """A definition as programs read it."""
        value = self.item(at)._replace(why=why).told()
        if not why:
            del value["why"]
        return value

    def written(self, step: FlowStep, paths: PathNames) -> str:
        """A step as a model reads it."""
        item = self.item(step.at)
        is_beside = step.edge is not None and step.edge.source.path == item.path
        said = f"{'' if is_beside else paths.write(item.path)}:{item.start}-{item.end} {item.symbol}"
        if step.topics:
            said += f" [{', '.join(step.topics)}]"
        if step.edge is None:
            return to_one_line(said)
        return f"{'  ' * step.depth}{to_one_line(f'{self._arrow(step.edge)} {said}')}"

    def again(self, step: FlowStep, shown: Collection[DefinitionPlace], below: Collection[CallEdge]) -> str:
        """What a step calls that stands elsewhere in the trees, by name: each definition is told once."""
        certain = [edge for edge in self._graph.calls(step.at) if edge.is_certain and edge.via != IMPLEMENTS]
        edges = [edge for edge in certain if edge.target in shown and edge not in below]
        named = [f"{self._graph.qualified(edge.target).rpartition('.')[2]} :{edge.line}" for edge in edges[:MOST_OTHER]]
        return f" (also → {', '.join(named)})" if named else ""

    def others(self, step: FlowStep, shown: Collection[DefinitionPlace]) -> str:
        """How many implement a step that only declares something, beside those that are steps, with a few by name."""
        found = self._graph.definition(step.at)
        if found is None or found.end_line - found.line > DECLARED_LINES:
            return ""
        implementing = [edge for edge in self._graph.calls(step.at) if edge.via == IMPLEMENTS]
        others = [edge.target for edge in implementing if edge.target not in shown]
        named = ", ".join(self._graph.qualified(at).rpartition(".")[0] for at in others[:MOST_OTHER])
        more = f" and {len(others) - MOST_OTHER} more" if len(others) > MOST_OTHER else ""
        return f" (also ⇒ {named}{more})" if named else ""

    def near(self, path: str, places: Sequence[DefinitionPlace]) -> str:
        """Definitions of one file on a line, with the lines at which they begin."""
        named: dict[str, list[str]] = {}
        for at in places:
            found = self._graph.definition(at)
            named.setdefault(self._graph.qualified(at), []).append(str(found.line if found else 1))
        told = [f"{name} :{'/'.join(lines[:MOST_ALIKE])}" for name, lines in named.items()]
        return to_one_line(f"{path}: {', '.join(told)}")

    def _via(self, edge: CallEdge) -> str:
        found = SPAWNS.search(self._line(edge)) if edge.via in (CALLS, PASSED) else None
        name = self._graph.qualified(edge.target).rpartition(".")[2]
        return "spawned" if found is not None and name not in found[0] else edge.via

    def _arrow(self, edge: CallEdge) -> str:
        """How a step is taken; with its code where that says more than a plain call."""
        via = self._via(edge)
        if via == IMPLEMENTS:
            return "⇒"
        if via == CALLS and edge.is_certain:
            return f"→ :{edge.line}"
        said = "~>" if via == EVENT else "→"
        if not edge.is_certain:
            said += "?"
        if via not in (CALLS, EVENT):
            said += f" {via}"
        return f"{said} :{edge.line} `{self._line(edge)}`"

    @remember("")
    def _line(self, edge: CallEdge) -> str:
        line = " ".join(self._lines.shown(edge.source.path, edge.line, edge.line)).strip()
        return line if len(line) <= WIDEST_LINE else f"{line[:WIDEST_LINE]}…"


class FlowAnswer(NamedTuple):
    """What was found: trees of steps, what is near them, and what is to be said beside them."""

    steps: Sequence[FlowStep]
    near: Sequence[DefinitionPlace]
    notes: Sequence[str]
    heading: str = NEAR
    ranks: Mapping[DefinitionPlace, int] = {}
    """The places of steps among all that was found: the last are left out first."""

    def fit(self, text: FlowText, budget: int) -> Answer:
        """As much of it as a budget holds; the text has room for more than the structured answer."""
        most = len(self.steps) + len(self.near)
        told = find_largest(0, most, lambda n: count_exact_tokens(compact_json(self._value(text, n))) <= budget)
        written = find_largest(0, most, lambda n: count_exact_tokens(self._text(text, n)) <= budget)
        return Answer(self._text(text, written), self._value(text, told))

    def _prune(self, most: int) -> list[FlowStep]:
        """So many of the steps, without the worst of those that lead nowhere."""
        steps = [*self.steps]
        while len(steps) > most:
            calling = {step.edge.source for step in steps if step.edge is not None}
            ends = [step for step in steps if step.at not in calling]
            steps.remove(max(ends, key=lambda step: self.ranks.get(step.at, len(self.ranks))))
        return steps

    def _value(self, text: FlowText, most: int) -> dict[str, Any]:
        items = [text.told(step) for step in self._prune(most)]
        items += [text.told_near(at) for at in self.near[: max(0, most - len(items))]]
        return {"items": items, "notes": [*self.notes]} if self.notes else {"items": items}

    def _text(self, text: FlowText, most: int) -> str:
        steps = self._prune(most)
        parts = [LEGEND] if steps else []
        shown = {step.at for step in steps}
        below = {step.edge for step in steps if step.edge is not None}
        paths = PathNames()
        for step in steps:
            beside = to_one_line(f"{text.again(step, shown, below)}{text.others(step, shown)}")
            parts.append(f"{text.written(step, paths)}{beside}")
        by_file: dict[str, list[DefinitionPlace]] = {}
        for at in self.near[: max(0, most - len(steps))]:
            by_file.setdefault(at.path, []).append(at)
        if by_file:
            parts.append(self.heading)
        for path, places in by_file.items():
            parts.append(text.near(path, places))
        parts += map(to_one_line, self.notes)
        return mask_secret_values("\n".join([*parts, *warn_of_hidden_text(parts)]))


def flow(services: Services, symbols: Callable[[], Symbols], call: Call) -> Answer:
    """The steps that answer a question, or that lead from one symbol to another."""
    question = call.arguments.get("question", "").strip()
    ends = [call.arguments.get(name, "").strip() for name in ("from", "to")]
    if bool(question) == bool(all(ends)) or any(ends) != all(ends):
        raise InvalidArguments("Give a question, or both from and to.")
    standing, lacks = services.ready(call, question or ends[0])
    behind = read_ahead(services, ends[0]) if all(ends) else None
    standing = standing or behind
    notes = [standing.sentence()] if standing else []
    if lacks:
        notes.append(f"The index is not whole: {lacks}")
    lines = ProjectLines(services.project)
    budget: int = call.arguments.get("budget", FLOW_BUDGET)
    asked = symbols()
    with asked.call_graph(call.cancellation) as graph:
        if question:
            search = FlowSearch(services, call, graph, lines, question)
            found = _answer_question(search, graph, min(MOST_STEPS, budget // TOKENS_OF_STEP), notes)
        else:
            found = _connect(graph, [_choose(asked, name, notes) for name in ends], notes)
        return found.fit(FlowText(graph, lines), budget)


def _answer_question(search: FlowSearch, graph: CallGraph, most: int, notes: Sequence[str]) -> FlowAnswer:
    topics, scores = search.find()
    telling = list(islice(filter(search.has_code, scores), MOST_NEAR))
    trees = FlowTrees(graph, search, scores)
    steps = [step for tree in trees.grow(telling[:most]) for step in tree]
    shown = {step.at for step in steps}
    unanswered = [topic for topic in topics if topic.places and shown.isdisjoint(topic.list_answers())]
    near: list[DefinitionPlace] = []
    for topic in unanswered:
        near += [at for at in topic.places if at in scores][:1]
    others = [at for at in telling if at not in shown]
    near = list(dict.fromkeys([*near, *others]))
    best = _name_topics(topics, [*(step.at for step in steps), *near])
    steps = [step._replace(topics=tuple(best.get(step.at, ()))) for step in steps]
    missing = [f"Nothing found for: {topic.words}." for topic in topics if not topic.places]
    missing += [f"No step found for: {topic.words}." for topic in unanswered]
    return FlowAnswer(steps, near, [*notes, *missing], ranks=trees.ranks)


def _name_topics(topics: Sequence[Topic], told: Sequence[DefinitionPlace]) -> dict[DefinitionPlace, list[str]]:
    """The topics that definitions answer best of those that are told."""
    best: dict[DefinitionPlace, list[str]] = {}
    for topic in topics:
        found = max(told, key=lambda at: topic.places.get(at, 0.0), default=None)
        if found is not None and found in topic.places:
            best.setdefault(found, []).append(topic.words)
    return best


def _choose(symbols: Symbols, name: str, notes: Sequence[str]) -> Symbol:
    """The definition that a name stands for: a function or a type, no test."""
    found = [each for each in symbols.definitions(name) if each.kind in CALLABLE | TYPES]
    if not found:
        raise refuse_missing(symbols, name, None, " ".join(notes))
    return found[0]


def _connect(graph: CallGraph, ends: Sequence[Symbol], notes: Sequence[str]) -> FlowAnswer:
    """The shortest way along calls from one symbol to another, certain steps first."""
    start, goal = (DefinitionPlace(each.path, each.place) for each in ends)
    came: dict[DefinitionPlace, CallEdge | None] = {start: None}
    pending = [(0, start)]
    until = monotonic() + MOST_SECONDS
    while pending and goal not in came and len(came) < MOST_MET and monotonic() < until:
        cost, at = heappop(pending)
        for edge in graph.calls(at):
            if edge.target not in came:
                came[edge.target] = edge
                heappush(pending, (cost + (1 if edge.is_certain else UNSURE_COST), edge.target))
    if goal not in came:
        others = [edge.source for edge in graph.callers(goal)]
        said = f"No way along calls was found from {ends[0].qualified} to {ends[1].qualified}."
        if pending:
            said += f" Only the nearest {len(came):,} definitions were looked at."
        return FlowAnswer((), others, [*notes, said], f"What calls {ends[1].qualified}:")
    edges: list[CallEdge] = []
    last = came[goal]
    while last is not None:
        edges.insert(0, last)
        last = came[last.source]
    steps = [FlowStep(each.target, depth, each) for depth, each in enumerate(edges, 1)]
    return FlowAnswer([FlowStep(start, 0, None), *steps], (), notes)
