"""Runs `guide_flow`: the steps in which the code does something, as a call tree, or the path between two symbols.

A question is split into topics. Each topic is answered by the definitions that fit it best; then definitions are joined
along the call graph, from the one that reaches most topics in the fewest steps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from time import monotonic
from typing import Any, NamedTuple

from fieldguide.code.symbols.calls import CALLS, IMPLEMENTS, CallEdge, CallGraph
from fieldguide.code.symbols.facts import CALLABLE, TYPES
from fieldguide.code.symbols.lookup import Symbol, Symbols
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace
from fieldguide.files.kinds import IMPLEMENTATION, find_role
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.errors import InvalidArguments, warn_of_hidden_text
from fieldguide.text.secrets import mask_secret_values
from fieldguide.text.words import STOP_WORDS
from fieldguide.toolsets.guide.brief_candidates import split_stems
from fieldguide.toolsets.guide.items import (
    CODE,
    GuideItem,
    ProjectLines,
    count_answer_tokens,
    find_largest,
    to_one_line,
)
from fieldguide.toolsets.guide.search_candidates import GuideQuery, IndexShelves, find_hits, list_shelves
from fieldguide.toolsets.guide.symbol import read_ahead, refuse_missing
from fieldguide.toolsets.guide.tools import FLOW_BUDGET

LONGEST_QUESTION = 2_000
MOST_TOPICS = 10
MOST_TOPIC_WORDS = 5
PARTS = re.compile(
    r"(?i)[,;:?!()\n]|\.(?:\s|$)|\b(?:and|then|or|becomes?|turns?|until|including|includes?|before|after|when|while|where"
    r"|until|via|through|into|from|to|with|by|how|what|which|who|that|if|goes|happens?|get|gets|between|as well as)\b"
)
SAYING_NOTHING = STOP_WORDS | {
    "able", "actually", "all", "also", "answered", "are", "called", "chain", "chooses", "chosen", "code", "come",
    "comes", "concept", "decided", "decides", "describe", "done", "during", "each", "end", "every", "everything",
    "exactly", "explain", "find", "finds", "flow", "flows", "follow", "follows", "found", "given", "going",
    "handed", "handled", "handles", "happen", "happens", "here", "incoming", "involved", "kept", "kind", "kinds",
    "look", "looks", "made", "make", "one", "part", "parts", "path", "process", "project", "put", "reach",
    "reaches", "show", "step", "steps", "system", "taken", "thing", "things", "trace", "turned", "used", "various",
    "work", "works",
}  # fmt: skip
HITS_OF_TOPIC = 10
PLACES_OF_TOPIC = 5
DECAY = 0.8  # of the worth of a topic's next definition
STEP_WORTH = 0.85  # what is left of a topic's worth after each step
TYPE_SHARE = 0.5  # a step is a function; a type is one where nothing in it fits
DEEPEST = 6
UPWARDS = 3
MOST_EXPANDED = 800
MOST_SECONDS = 10.0
MOST_TREES = 3
MOST_FURTHER = 6
MOST_OTHERS = 2  # definitions of a topic beside the steps
MOST_CALLED = 8
WIDEST_LINE = 70
SPAWNS = re.compile(
    r"^\s*go\s|\bspawn\w*\(|\bThread\(|\bcreate_task\(|\bensure_future\(|\bsubmit\(|\bexecute\(|\blaunch\s*[({]"
)
ENTRY = re.compile(r"(?i)(?:^|[._])(?:main|run|serve|start|handle\w*|execute|dispatch|listen|cli|command)(?:$|[._])")
INLINE_TESTS = frozenset(("test", "tests"))  # modules of tests in a file of code
UNSURE_COST = 3
MOST_MET = 3_000


class Topic(NamedTuple):
    """A part of a question, and the definitions that answer it with their worth, the best first."""

    words: str
    places: Mapping[DefinitionPlace, float]


class FlowStep(NamedTuple):
    """A definition of the tree, how deep it stands, and the step that leads to it; none leads to a root."""

    at: DefinitionPlace
    depth: int
    edge: CallEdge | None
    topics: tuple[str, ...] = ()


def split_topics(question: str) -> list[str]:
    """The parts of a question that name something, in its order."""
    topics: dict[str, None] = {}
    for part in PARTS.split(question[:LONGEST_QUESTION]):
        words = [word for word in part.split() if word.strip("`'\"").lower() not in SAYING_NOTHING]
        said = " ".join(words[:MOST_TOPIC_WORDS]).strip(" `'\"-")
        if split_stems(said):
            topics.setdefault(said)
    return list(topics)[:MOST_TOPICS]


class FlowSearch:
    """Finds the definitions of topics and joins them, for one question."""

    def __init__(self, services: Services, call: Call, graph: CallGraph, lines: ProjectLines) -> None:
        self._services = services
        self._call = call
        self._graph = graph
        self._lines = lines
        self._expanded = 0
        self._until = monotonic() + MOST_SECONDS

    def topic(self, words: str, shelves: IndexShelves) -> Topic:
        """A topic with the definitions that fit it best."""
        wanted = GuideQuery(words, frozenset((CODE,)), HITS_OF_TOPIC)
        stems = split_stems(words)
        worth: dict[DefinitionPlace, float] = {}
        rank = 1.0
        for hit in find_hits(self._services, shelves, wanted, self._call).hits:
            path = hit.best.placed.path
            passage = hit.best.placed.candidate.passage
            if find_role(path) != IMPLEMENTATION or hit.unsure:
                continue
            found = self._graph.within(path, passage.start_line, passage.end_line)
            best = max(found, key=lambda at: self._fit(at, stems), default=None)
            is_new = best is not None and best not in worth
            if best is not None and is_new and not INLINE_TESTS.intersection(self._graph.qualified(best).split(".")):
                worth[best] = rank * (0.5 + 0.5 * self._fit(best, stems))
                rank *= DECAY
        ordered = sorted(worth.items(), key=lambda pair: -pair[1])
        return Topic(words, dict(ordered[:PLACES_OF_TOPIC]))

    def _fit(self, at: DefinitionPlace, stems: frozenset[str]) -> float:
        """The share of a topic's stems that the name of a definition holds, and half of those only in its lines."""
        definition = self._graph.definition(at)
        if definition is None:
            return 0.0
        named = split_stems(f"{self._graph.qualified(at)} {at.path}")
        body = split_stems(" ".join(self._lines.shown(at.path, definition.line, definition.end_line)))
        weight = sum(1.0 if stem in named else 0.5 * (stem in body) for stem in stems)
        return weight / len(stems) if definition.kind in CALLABLE else TYPE_SHARE * weight / len(stems)

    def join(self, topics: Sequence[Topic]) -> Iterator[list[FlowStep]]:
        """Trees of steps, each from the definition that reaches most of the topics that are left."""
        left = [topic for topic in topics if topic.places]
        routes = self._find_routes(list(dict.fromkeys(at for topic in left for at in topic.places)))
        roots = dict.fromkeys(at for route in routes.values() for at in route)
        for _ in range(MOST_TREES):
            best = max(roots, key=lambda at: (_worth(at, routes, left), at), default=None)
            covered = [topic for topic in left if best is not None and _best_end(best, routes, topic) is not None]
            if best is None or len(covered) < min(2, len(topics)):
                return
            tree = self._tree(best, routes, covered)
            if len(tree) > 1:
                yield tree
            left = [topic for topic in left if topic not in covered]

    def _find_routes(self, ends: Sequence[DefinitionPlace]) -> "dict[DefinitionPlace, Route]":
        """For each end the definitions that lead to it, with the next step and the cost of the way.

        Callers are followed upwards from every end, then all that was met is followed downwards.
        """
        met = dict.fromkeys(ends)
        border = list(ends)
        for _ in range(UPWARDS):
            above = [edge.source for at in border for edge in self._expand(self._graph.callers, at)]
            border = [at for at in dict.fromkeys(above) if at not in met and _is_told(at)]
            met.update(dict.fromkeys(border))
        into: dict[DefinitionPlace, list[CallEdge]] = {}
        border = list(met)
        for _ in range(DEEPEST):
            edges = [edge for at in border for edge in self._expand(self._graph.calls, at) if _is_told(edge.target)]
            for edge in edges:
                into.setdefault(edge.target, []).append(edge)
            below = dict.fromkeys(edge.target for edge in edges)
            border = [at for at in below if at not in met]
            met.update(dict.fromkeys(border))
        return {end: _lead_to(end, into) for end in ends}

    def _expand(self, edges: Callable[[DefinitionPlace], list[CallEdge]], at: DefinitionPlace) -> list[CallEdge]:
        """The edges at a definition, unless the question has taken too much already."""
        self._expanded += 1
        if self._expanded > MOST_EXPANDED or monotonic() > self._until:
            return []
        return edges(at)

    def _tree(
        self, root: DefinitionPlace, routes: "Mapping[DefinitionPlace, Route]", topics: Sequence[Topic]
    ) -> list[FlowStep]:
        """The steps from a root to the best reached definition of each topic, in the order of the text."""
        named: dict[DefinitionPlace, list[str]] = {}
        children: dict[DefinitionPlace, dict[DefinitionPlace, CallEdge]] = {}
        reached = {root}
        for topic in topics:
            end = _best_end(root, routes, topic)
            if end is None:
                continue
            named.setdefault(end, []).append(topic.words)
            for edge in _walk(root, routes[end]):
                if edge.target not in reached:
                    reached.add(edge.target)
                    children.setdefault(edge.source, {})[edge.target] = edge
        steps: list[FlowStep] = []
        pending = self._climb(root)
        while pending:
            step = pending.pop()
            steps.append(step._replace(topics=tuple(named.get(step.at, ()))))
            below = sorted(children.get(step.at, {}).values(), key=lambda edge: edge.line, reverse=True)
            pending += [FlowStep(edge.target, step.depth + 1, edge) for edge in below]
        return steps

    def list_further(self, trees: Sequence[Sequence[FlowStep]]) -> Iterator[str]:
        """What the last steps of topics call, by name and line, where the trees don't show it."""
        shown = {step.at for tree in trees for step in tree}
        ends = [step for tree in trees for step in tree if step.topics]
        for step in ends[:MOST_FURTHER]:
            edges = [edge for edge in self._graph.calls(step.at) if edge.is_certain and edge.target not in shown]
            called = [f"{self._graph.qualified(edge.target)} :{edge.line}" for edge in edges if _is_told(edge.target)]
            if called:
                more = f", {len(called) - MOST_CALLED} more" if len(called) > MOST_CALLED else ""
                yield f"{self._graph.qualified(step.at)} also calls {', '.join(called[:MOST_CALLED])}{more}"

    def _climb(self, root: DefinitionPlace) -> list[FlowStep]:
        """A root below what certainly calls it, up to an entry point, as far as there is only one way up."""
        above: list[CallEdge] = []
        seen = {root}
        while len(above) < UPWARDS:
            at = above[-1].source if above else root
            callers = [edge for edge in self._graph.callers(at) if _is_told(edge.source) and edge.source not in seen]
            entries = [edge for edge in callers if ENTRY.search(self._graph.qualified(edge.source))]
            if len(callers) != 1 and not entries:
                break
            above.append((entries or callers)[0])
            seen.add(above[-1].source)
        steps = [FlowStep(root, len(above), above[0] if above else None)]
        for depth, edge in enumerate(reversed(above)):
            below = above[len(above) - depth] if depth else None
            steps.append(FlowStep(edge.source, depth, below))
        return [steps[0], *reversed(steps[1:])]


Route = dict[DefinitionPlace, tuple[int, CallEdge | None]]
"""What leads to an end: the cost of the way, and the next step of it."""


def _lead_to(end: DefinitionPlace, into: Mapping[DefinitionPlace, Sequence[CallEdge]]) -> Route:
    route: Route = {end: (0, None)}
    pending = [(0, end)]
    while pending:
        cost, at = heappop(pending)
        if cost > route[at][0] or cost >= DEEPEST:
            continue
        for edge in into.get(at, ()):
            further = cost + (1 if edge.is_certain else UNSURE_COST)
            if edge.source not in route or further < route[edge.source][0]:
                route[edge.source] = (further, edge)
                heappush(pending, (further, edge.source))
    return route


def _walk(root: DefinitionPlace, route: Route) -> Iterator[CallEdge]:
    """The steps of a route from a root to its end."""
    edge = route[root][1]
    while edge is not None:
        yield edge
        edge = route[edge.target][1]


def _reached_worth(root: DefinitionPlace, route: Route, worth: float) -> float:
    return worth * float(STEP_WORTH ** route[root][0]) if root in route else 0.0


def _best_end(root: DefinitionPlace, routes: Mapping[DefinitionPlace, Route], topic: Topic) -> DefinitionPlace | None:
    """The definition of a topic that is worth most from a root; None where it reaches none."""
    reached = [at for at in topic.places if root in routes[at]]
    return max(reached, key=lambda at: _reached_worth(root, routes[at], topic.places[at]), default=None)


def _worth(root: DefinitionPlace, routes: Mapping[DefinitionPlace, Route], topics: Sequence[Topic]) -> float:
    """The worth of the topics that a root reaches, less for those that are far from it."""
    total = 0.0
    for topic in topics:
        total += max((_reached_worth(root, routes[at], worth) for at, worth in topic.places.items()), default=0.0)
    return total


def _is_told(at: DefinitionPlace) -> bool:
    return find_role(at.path) == IMPLEMENTATION


LEGEND = (
    "Steps as a call tree, each below its caller: `→ :n` called at line n of the one above, `passed` given as a value, "
    "`spawned` run beside it, `⇒` implements it, `→?` by name only; [..] the part of the question."
)


class FlowText:
    """Writes steps as text and as values."""

    def __init__(self, graph: CallGraph, lines: ProjectLines) -> None:
        self._graph = graph
        self._lines = lines

    def item(self, at: DefinitionPlace, why: str) -> GuideItem:
        """A definition as an item that is named without its lines."""
        found = self._graph.definition(at)
        start = found.line if found else 1
        end = max(found.end_line, start) if found else 1
        return GuideItem(
            at.path, start, end, CODE, why, self._graph.qualified(at), self._lines.hash(at.path, start, end)
        )

    def told(self, step: FlowStep) -> dict[str, Any]:
        """A step as programs read it."""
        why = ", ".join(step.topics) or "step"
        value = self.item(step.at, why).told() | {"shown": False, "depth": step.depth}
        if step.edge is not None:
            value |= {"via": self._via(step.edge), "certain": step.edge.is_certain, "at": step.edge.line}
        return value

    def written(self, step: FlowStep, above: str) -> str:
        """A step as a model reads it; its path is left out where it is that of the step above."""
        item = self.item(step.at, "")
        place = "" if item.path == above else item.path
        said = f"{place}:{item.start}-{item.end} {item.symbol}"
        if step.topics:
            said += f"  [{', '.join(step.topics)}]"
        if step.edge is None:
            return to_one_line(said)
        arrow = "⇒" if step.edge.via == IMPLEMENTS else f"{self._arrow(step.edge)} :{step.edge.line}"
        code = "" if step.edge.via == IMPLEMENTS else f" `{self._line(step.edge)}`"
        return f"{'  ' * step.depth}{to_one_line(f'{arrow}{code} {said}')}"

    def _via(self, edge: CallEdge) -> str:
        is_spawned = SPAWNS.search(self._line(edge)) is not None
        return "spawned" if is_spawned and edge.via != IMPLEMENTS else edge.via

    def _arrow(self, edge: CallEdge) -> str:
        via = self._via(edge)
        arrow = "→" if edge.is_certain else "→?"
        return arrow if via == CALLS else f"{arrow} {via}"

    def _line(self, edge: CallEdge) -> str:
        line = " ".join(self._lines.shown(edge.source.path, edge.line, edge.line)).strip()
        return line if len(line) <= WIDEST_LINE else f"{line[:WIDEST_LINE]}…"


class FlowAnswer(NamedTuple):
    """What was found: trees of steps, other definitions for each topic, and what is to be said beside them."""

    trees: Sequence[Sequence[FlowStep]]
    others: Sequence[tuple[str, DefinitionPlace]]
    notes: Sequence[str]
    further: Sequence[str] = ()
    """What the steps of topics call beside the steps that are shown, a line for each."""

    def render(self, text: FlowText, shown: int) -> Answer:
        """The answer with the first so many steps and other definitions."""
        items: list[dict[str, Any]] = []
        parts = [LEGEND] if any(self.trees) else []
        for tree in self.trees:
            path = ""
            for step in tree:
                if len(items) >= shown:
                    break
                items.append(text.told(step))
                parts.append(text.written(step, path))
                path = step.at.path
        parts += map(to_one_line, self.further[: max(0, shown - len(items))])
        for topic, at in self.others[: max(0, shown - len(items) - len(self.further))]:
            item = text.item(at, topic)
            items.append(item.told() | {"shown": False})
            parts.append(to_one_line(f"also [{topic}]: {item.path}:{item.start}-{item.end} {item.symbol}"))
        parts += map(to_one_line, self.notes)
        value: dict[str, Any] = {"items": items}
        if self.notes:
            value["notes"] = [*self.notes]
        return Answer(mask_secret_values("\n".join([*parts, *warn_of_hidden_text(parts)])), value)

    def fit(self, text: FlowText, budget: int) -> Answer:
        """As much of it as a budget holds."""
        most = sum(map(len, self.trees)) + len(self.further) + len(self.others)
        return self.render(text, find_largest(0, most, lambda n: count_answer_tokens(self.render(text, n)) <= budget))


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
    asked = symbols()
    with asked.call_graph(call.cancellation) as graph:
        if question:
            found = _answer_question(FlowSearch(services, call, graph, lines), services, call, question, notes)
        else:
            found = _connect(graph, [_choose(asked, name, notes) for name in ends], notes)
        return found.fit(FlowText(graph, lines), call.arguments.get("budget", FLOW_BUDGET))


def _answer_question(
    search: FlowSearch, services: Services, call: Call, question: str, notes: Sequence[str]
) -> FlowAnswer:
    shelves = list_shelves(services, call, question)
    topics = [search.topic(words, shelves) for words in split_topics(question) or [question]]
    trees = [*search.join(topics)]
    shown = {step.at for tree in trees for step in tree}
    others: list[tuple[str, DefinitionPlace]] = []
    for place in range(MOST_OTHERS):
        for topic in topics:
            left = [at for at in topic.places if at not in shown]
            others += [(topic.words, at) for at in left[place : place + 1]]
    missing = [f"Nothing found for: {topic.words}." for topic in topics if not topic.places]
    return FlowAnswer(trees, list(dict.fromkeys(others)), [*notes, *missing], [*search.list_further(trees)])


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
        others = [("calls it", edge.source) for edge in graph.callers(goal)]
        said = f"No way along calls was found from {ends[0].qualified} to {ends[1].qualified}."
        if pending:
            said += f" Only the nearest {len(came):,} definitions were looked at."
        return FlowAnswer((), others, [*notes, said])
    edges: list[CallEdge] = []
    last = came[goal]
    while last is not None:
        edges.insert(0, last)
        last = came[last.source]
    steps = [FlowStep(each.target, depth, each) for depth, each in enumerate(edges, 1)]
    return FlowAnswer([[FlowStep(start, 0, None), *steps]], (), notes)
