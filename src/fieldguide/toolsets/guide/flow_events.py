"""Finds the steps that no call shows: an event or hook that is sent by name, and what is registered under that name."""

from collections.abc import Iterable, Iterator

from fieldguide.code.symbols.calls import CallEdge, CallGraph
from fieldguide.code.symbols.facts import TYPES
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace
from fieldguide.files.kinds import IMPLEMENTATION, find_role
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import Scope
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.words import make_search_term
from fieldguide.toolsets.guide.items import ProjectLines

EVENT = "event"
SENDS = re.compile(
    r"\b(?:emit|dispatch|dispatchEvent|publish|trigger|fire|do_action|apply_filters)\s*\(\s*['\"`]([\w:./-]{3,80})['\"`]"
)
RECEIVES = re.compile(
    r"\b(?:on|once|addListener|addEventListener|subscribe|listen|add_action|add_filter)\s*\(\s*"
    r"['\"`]([\w:./-]{3,80})['\"`]\s*(?:,\s*(?:[\w$]+(?:\.|->|::))*['\"]?(\w+)['\"]?\s*[,)])?"
)
MOST_SENT = 8  # names, for one question
MOST_LINES = 400  # of a function that are looked through
MOST_FILES = 20
MOST_RECEIVERS = 4
MOST_NAMESAKES = 3


class EventSearch:
    """Finds what events lead to, for one question."""

    def __init__(self, engine: SearchEngine, code: Scope, graph: CallGraph, lines: ProjectLines) -> None:
        self._engine = engine
        self._code = code
        self._graph = graph
        self._lines = lines

    def find(self, transaction: Transaction, senders: Iterable[DefinitionPlace]) -> list[CallEdge]:
        """The steps from functions that send an event to what receives it; certain where only one does."""
        edges: list[CallEdge] = []
        receivers: dict[str, list[DefinitionPlace]] = {}
        for at in senders:
            for line, name in self._list_sent(at):
                if name not in receivers and len(receivers) < MOST_SENT:
                    receivers[name] = list(dict.fromkeys(self._find_receivers(transaction, name)))
                found = [each for each in receivers.get(name, ()) if each != at]
                if len(found) <= MOST_RECEIVERS:
                    edges += [CallEdge(at, each, line, EVENT, is_certain=len(found) == 1) for each in found]
        return edges

    def _list_sent(self, at: DefinitionPlace) -> Iterator[tuple[int, str]]:
        """The events that a function sends by name, each with its line."""
        definition = self._graph.definition(at)
        if definition is None or definition.kind in TYPES:
            return
        end = min(definition.end_line, definition.line + MOST_LINES)
        for number, line in enumerate(self._lines.shown(at.path, definition.line, end), definition.line):
            for name in SENDS.findall(line):
                yield number, name

    def _find_receivers(self, transaction: Transaction, name: str) -> Iterator[DefinitionPlace]:
        """What is registered for an event: the function that is given, or the one that registers it."""
        term = make_search_term(name)
        held = sorted(self._engine.index.holding(transaction, [term], self._code)) if term else []
        for document in self._engine.store(transaction).numbered(held[:MOST_FILES]).values():
            path = document.name
            for number in self._lines.find(path, name) if find_role(path) == IMPLEMENTATION else ():
                for told, handler in RECEIVES.findall(" ".join(self._lines.shown(path, number, number))):
                    if told == name:
                        yield from self._choose_handler(path, number, handler)

    def _choose_handler(self, path: str, line: int, handler: str) -> list[DefinitionPlace]:
        named = self._graph.named(handler, MOST_NAMESAKES) if handler else []
        here = [at for at in named if at.path == path]
        if here or len(named) == 1:
            return (here or named)[:1]
        around = [at for at, each in self._graph.overlapping(path, line, line) if each.kind not in TYPES]
        return around[-1:]
