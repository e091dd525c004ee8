"""Runs `guide_symbol`: where a name is defined, who uses it, and which configuration names it."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CALL, CONSTANT, FIELD, IMPORT, INHERIT, READ, TYPE, VARIABLE, WRITE
from fieldguide.code.symbols.index import count_waiting, read_likely_files, take_last_part
from fieldguide.code.symbols.lookup import Symbol, Symbols, SymbolUse
from fieldguide.code.symbols.resolvers.usage import DEFINE
from fieldguide.files.kinds import is_test
from fieldguide.search.backlog import IndexProgress
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.citation import format_citation
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.text.errors import NotFound
from fieldguide.text.near_names import find_near_names
from fieldguide.text.secrets import mask_secret_values
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.items import (
    CODE,
    TEST,
    GuideItem,
    ProjectLines,
    count_answer_tokens,
    find_largest,
    render_citation,
    to_one_line,
)
from fieldguide.toolsets.guide.relations import PathMention, find_mentions
from fieldguide.toolsets.guide.sweep import sweep
from fieldguide.toolsets.guide.tools import SYMBOL_BUDGET

OVERRIDES = "overrides"
CALLS = "calls"
TESTS = "tests"
INHERITS = "inherits"
IMPORTS = "imports"
READS = "reads"
WRITES = "writes"
TYPES = "types"
CALLEES = "callees"
DOCUMENTS = "documents"
CONFIGURATION = "configuration"
HEADINGS: Mapping[str, str] = {
    OVERRIDES: "Overridden or overriding",
    CALLS: "Called",
    TESTS: "Tests",
    INHERITS: "Inherited by",
    WRITES: "Written",
    READS: "Read",
    TYPES: "As a type",
    IMPORTS: "Imported",
    CALLEES: "It uses",
    CONFIGURATION: "Configuration",
    DOCUMENTS: "Documents",
}
ROUND = 6  # uses of a group before the next group has its turn


class SymbolUseLine(NamedTuple):
    """A line that uses a symbol: what it stands in, what it says, and how likely it means this symbol."""

    group: str
    path: str
    line: int
    role: str
    within: str = ""
    text: str = ""
    confidence: float = 1.0

    def told(self) -> dict[str, Any]:
        """For programs; its file is told once for all uses in it."""
        value: dict[str, Any] = {"line": self.line, "role": self.role}
        if self.within:
            value["within"] = self.within
        if self.confidence < 1.0:
            value["confidence"] = round(self.confidence, 2)
        return value


def interleave_groups(uses: Sequence[SymbolUseLine]) -> list[SymbolUseLine]:
    """The uses so that any beginning of them has some of every group, the groups in their order."""
    rounds: list[list[Sequence[SymbolUseLine]]] = []
    for group in HEADINGS:
        of_group = sorted((use for use in uses if use.group == group), key=lambda use: -use.confidence)
        rounds.append([of_group[at : at + ROUND] for at in range(0, len(of_group), ROUND)])
    return [use for turn in zip_longest(*rounds, fillvalue=()) for some in turn for use in some]


GROUPS = {CALL: CALLS, IMPORT: IMPORTS, INHERIT: INHERITS, READ: READS, TYPE: TYPES, WRITE: WRITES, DEFINE: OVERRIDES}
SPEAKING = ("architecture", "documents")
TEXT_SOURCE = "text"
OF_FOLDER = frozenset(("__init__", "index", "mod", "lib"))
MOST_MENTIONS = 8
MOST_LINES = 60  # of a definition that are shown
WIDEST_USE = 120  # characters of a line
SHORTEST_SPOKEN = 4


class SymbolGathering(NamedTuple):
    """Gathers for one call; a file is read once."""

    services: Services
    call: Call
    symbols: Symbols
    lines: ProjectLines

    def definition(self, symbol: Symbol) -> GuideItem:
        """A symbol as an item, with the first of its lines."""
        end = min(max(symbol.end_line, symbol.line), max(self.lines.count(symbol.path), symbol.line))
        shown = self.lines.shown(symbol.path, symbol.line, min(end, symbol.line + MOST_LINES - 1))
        kind = TEST if is_test(symbol.path) else CODE
        hash_ = self.lines.hash(symbol.path, symbol.line, end)
        why = name_kind(symbol)
        return GuideItem(symbol.path, symbol.line, end, kind, why, symbol.qualified, hash_, "\n".join(shown))

    def uses(self, symbol: Symbol) -> Iterator[SymbolUseLine]:
        """Who uses it, the surest first, then what it uses itself."""
        if symbol.kind not in facts.TYPES:
            above, below = self.symbols.overrides(symbol)
            for each in above:
                yield self._defined(OVERRIDES, "overridden", each)
            for each in below:
                yield self._defined(OVERRIDES, "overrides", each)
        direct = self.symbols.references(symbol)
        known = {(use.path, use.line, use.role): use for use in reversed(direct)}  # one of those on a line
        yield from map(self._used, reversed([*known.values()]))
        for use in self.symbols.tests(symbol):
            if (use.path, use.line, use.role) not in known:
                yield self._use(TESTS, use, f"{use.within} {use.reason}".strip())
        for each in self.symbols.callees(symbol):
            yield self._defined(CALLEES, "uses", each)
        for mention in self._mentions(TEXT_SOURCE, [*_name_in_configuration(symbol)]):
            text = " ".join(self.lines.shown(mention.path, mention.start, mention.start)).strip()[:WIDEST_USE]
            yield SymbolUseLine(CONFIGURATION, mention.path, mention.start, "mentions", text=text)
        for kind in SPEAKING:
            for mention in self._mentions(kind, [*_name_in_documents(symbol)]):
                yield SymbolUseLine(DOCUMENTS, mention.path, mention.start, "mentions", f"`{mention.name}`")

    def _used(self, found: SymbolUse) -> SymbolUseLine:
        group = TESTS if is_test(found.path) else GROUPS.get(found.role, READS)
        return self._use(group, found, found.within)

    def _use(self, group: str, found: SymbolUse, within: str) -> SymbolUseLine:
        confidence = 1.0 if found.is_certain else found.confidence
        text = " ".join(self.lines.shown(found.path, found.line, found.line)).strip()[:WIDEST_USE]
        return SymbolUseLine(group, found.path, found.line, found.role, within, text, confidence)

    def _defined(self, group: str, role: str, symbol: Symbol) -> SymbolUseLine:
        return SymbolUseLine(group, symbol.path, symbol.line, role, symbol.qualified, symbol.signature[:WIDEST_USE])

    def _mentions(self, kind: str, names: Sequence[str]) -> Sequence[PathMention]:
        """Where text of a kind speaks of one of these names."""
        found = find_mentions(self.services.engine(), self.services.project, kind, names, self.call.cancellation)
        return found[:MOST_MENTIONS]


def _name_in_configuration(symbol: Symbol) -> Iterator[str]:
    """How configuration may name a symbol: `module:name`, `module.name`, `Class.method`."""
    module = posixpath.basename(symbol.path).partition(".")[0]
    if module in OF_FOLDER:
        module = posixpath.basename(posixpath.dirname(symbol.path))
    if module:
        for mark in (":", ".", "::", "#"):
            yield f"{module}{mark}{symbol.qualified}"
    yield from _name_in_documents(symbol)


def _name_in_documents(symbol: Symbol) -> Iterator[str]:
    """How a text names a symbol: with what it is a part of, or by a name that no text uses by chance."""
    if "." in symbol.qualified and len(symbol.qualified) >= SHORTEST_SPOKEN:
        yield symbol.qualified
    if _is_telling(symbol.name) and len(symbol.name) >= SHORTEST_SPOKEN:
        yield symbol.name


def _is_telling(name: str) -> bool:
    return "_" in name.strip("_") or any(each.isupper() for each in name[1:])


BODY_SHARE = 3  # the lines of a definition take up to this part of a budget
PERCENT = 100


class SymbolAnswer(NamedTuple):
    """Everything that is known of a name: its definitions, their uses, and what else is to be said.

    `standing` tells how many files are read where not all are: an answer begins with it.
    """

    definitions: Sequence[GuideItem]
    uses: Sequence[SymbolUseLine]
    notes: Sequence[str] = ()
    standing: IndexProgress | None = None

    def lead(self) -> list[str]:
        """That uses may be missing, where they may."""
        if self.standing is None:
            return []
        done, total = self.standing
        return [f"Uses not read yet: {done} of {total} files are read so far. Ask again in a moment for all uses."]


def pack_symbol(found: SymbolAnswer, budget: int) -> Answer:
    """The answer with as many uses as fit; the text and the value by themselves have at most so many tokens."""
    order = interleave_groups(found.uses)
    shown = found._replace(definitions=[*_afforded(found.definitions, budget // BODY_SHARE)])
    if count_answer_tokens(_render(shown, order, 0)) > budget:
        shown = found._replace(definitions=[*_cited_within(found.definitions, budget)], notes=found.notes[:1])
    most = find_largest(0, len(order), lambda number: count_answer_tokens(_render(shown, order, number)) <= budget)
    return _render(shown, order, most)


def _render(found: SymbolAnswer, order: Sequence[SymbolUseLine], number: int) -> Answer:
    """The answer with the first so many uses."""
    kept = order[:number]
    heading = "# Definition" if len(found.definitions) == 1 else "# Definitions"
    parts = [*found.lead(), heading, *map(_defined, found.definitions)]
    for group, title in HEADINGS.items():
        told = sorted((use for use in kept if use.group == group), key=_by_confidence)
        total = sum(use.group == group for use in order)
        if told:
            parts.append(f"# {title} ({total})" if total == len(told) else f"# {title} ({len(told)} of {total})")
            parts += _lines(told)
    more = [*found.notes]
    if number < len(order):
        more.append(f"{len(order) - number} more uses fit a larger budget.")
    parts += warn_of_hidden_text([item.text for item in found.definitions] + [use.text for use in kept])
    parts += map(to_one_line, more)
    value: dict[str, Any] = {"items": [item.told() for item in found.definitions], "uses": [*_values(kept)]}
    if notes := [*found.lead(), *more]:
        value["notes"] = notes
    if found.standing:
        value |= found.standing.told()
    return Answer(mask_secret_values("\n".join(parts)), value)


def _by_confidence(use: SymbolUseLine) -> tuple[float, str, int]:
    return -round(use.confidence, 2), use.path, use.line


def _lines(uses: Sequence[SymbolUseLine]) -> Iterator[str]:
    """Uses by their files: several of one file below its path."""
    for path, group in groupby(uses, key=lambda use: use.path):
        first, *others = map(_line, group)
        if not others:
            yield f"{to_one_line(path)} {first}"
            continue
        yield to_one_line(path)
        for line in (first, *others):
            yield f"  {line}"


def _line(use: SymbolUseLine) -> str:
    line = f"L{use.line}"
    text = "" if use.group == IMPORTS else to_one_line(use.text)
    if use.within:
        line += f" {to_one_line(use.within)}"
    if use.within and text:
        line += ":"
    if text:
        line += f" {text}"
    if use.confidence < 1.0:
        line += f" ({round(use.confidence * PERCENT)} %)"
    return line


def _values(uses: Sequence[SymbolUseLine]) -> Iterator[dict[str, Any]]:
    order = {group: place for place, group in enumerate(HEADINGS)}
    ordered = sorted(uses, key=lambda use: (order[use.group], *_by_confidence(use)))
    for (group, path), some in groupby(ordered, key=lambda use: (use.group, use.path)):
        yield {"group": group, "path": path, "lines": [use.told() for use in some]}


def _defined(item: GuideItem) -> str:
    """A definition with its lines, each with its number."""
    lines = [f"{render_citation(item)}: {to_one_line(item.why)}"]
    if item.text:
        lines += [f"{number}: {line}" for number, line in enumerate(item.text.split("\n"), item.start)]
        following = item.start + len(lines) - 1
        if following <= item.end:
            lines.append(f"Go on with {to_one_line(format_citation(item.path, following, item.end))}")
    return "\n".join(lines)


def _afforded(items: Sequence[GuideItem], room: int) -> Iterator[GuideItem]:
    """The definitions, each with as many of its first lines as it may take."""
    each_room = room // max(1, len(items))
    for item in items:
        lines = item.text.split("\n")
        most = find_largest(0, len(lines), lambda n: count_exact_tokens("\n".join(lines[:n])) <= each_room)  # noqa: B023
        yield item._replace(text="\n".join(lines[:most]))


def _cited_within(items: Sequence[GuideItem], budget: int) -> Iterator[GuideItem]:
    """As many definitions as can be cited."""
    left = budget * 3 // 4
    for item in items:
        bare = item._replace(text="", why=item.why[:100])
        left -= count_exact_tokens(compact_json(bare.told()))
        if left < 0:
            return
        yield bare


WRITTEN_NAME = re.compile(r"\w(?:.*\w)?")
UNDEFINED = "No definition with this name is known; what has it:"
MOST_TOLD = 3  # definitions of a name that are told with all their uses
MOST_LISTED = 40
LONGEST_LACK = 200
LONGEST_NAME = 300
LONGEST_SIGNATURE = 100
MOST_NEAR = 3
TYPE_WORDS = frozenset(
    ("class", "enum", "interface", "module", "object", "protocol", "record", "struct", "trait", "union")
)
STUBS = (".pyi", ".d.ts")


def open_symbols(services: Services) -> Symbols:
    """The symbols of the project that is served."""
    return Symbols(services.engine().database, services.namespace, services.project)


def tell_symbol(services: Services, symbols: Callable[[], Symbols], call: Call) -> Answer:
    """What a name stands for and who uses it, as much of it as the budget allows."""
    name = call.arguments["name"].strip()[:LONGEST_NAME]
    standing, lacks = services.ready(call, name)
    behind = read_ahead(services, name)
    standing = standing or behind
    asked = symbols()
    budget = call.arguments.get("budget", SYMBOL_BUDGET)
    try:
        with asked.at_one_moment():
            items, uses, notes = _gather(services, call, asked, standing)
    except NotFound:
        is_name = WRITTEN_NAME.fullmatch(name) is not None
        swept = sweep(services, asked, call, rf"\b{re.escape(name)}\b", budget) if is_name else None
        if swept is None:
            raise
        return swept._replace(text=f"{UNDEFINED} {swept.text}")
    notes = [*filter(None, (*notes, lacks[:LONGEST_LACK]))]
    return pack_symbol(SymbolAnswer(items, uses, notes, standing), budget)


def _gather(
    services: Services, call: Call, asked: Symbols, standing: IndexProgress | None
) -> tuple[list[GuideItem], list[SymbolUseLine], list[str]]:
    """The definitions of a name, their uses, and how far those reach."""
    name = call.arguments["name"].strip()[:LONGEST_NAME]
    path = call.arguments.get("path")
    lines = ProjectLines(services.project)
    found = sorted(asked.definitions(name, path), key=_rank)
    if standing:
        found = [each for each in found if each.name in "".join(lines.shown(each.path, each.line, each.line))]
    if not found:
        raise refuse_missing(asked, name, path, standing.sentence() if standing else "")
    gathering = SymbolGathering(services, call, asked, lines)
    uses: list[SymbolUseLine] = []
    if len(found) > MOST_TOLD:
        items = [_listed(gathering.definition(each), each) for each in found[:MOST_LISTED]]
        notes = [_choice(found)]
    else:
        items = [gathering.definition(each) for each in found]
        notes = [_reach(asked, each) for each in found]
        for each in found:  # a file that was deleted since it was indexed has no lines
            uses += [use for use in gathering.uses(each) if lines.count(use.path)]
    return items, uses, notes


def read_ahead(services: Services, name: str) -> IndexProgress | None:
    """How far the symbols are behind the index; where they are, the files of a name are read before their turn."""
    if not services.is_at_work():
        return None
    with services.engine().database.reading() as transaction:
        done, total = count_waiting(transaction, services.namespace)
    if done >= total:
        return None
    read_likely_files(services.engine(), services.namespace, name)
    return IndexProgress(done, total)


def refuse_missing(symbols: Symbols, name: str, path: str | None, standing: str) -> NotFound:
    """The refusal of a name that nothing has, with names that are near, and the lines to open for each."""
    last = take_last_part(name)
    elsewhere = symbols.definitions(name) if path else []
    near = [each.path for each in elsewhere] or [each.qualified for each in symbols.definitions(last)]
    near = [*dict.fromkeys(near)][:MOST_NEAR] or find_near_names(last, symbols.names(last))
    found = elsewhere or [each for other in near for each in symbols.definitions(other)[:1]]
    details: dict[str, Any] = {}
    if near:
        details["didYouMean"] = near
    if found and not standing:  # while symbols are behind, these lines may be of another branch
        details["open"] = [format_citation(each.path, each.line, each.end_line) for each in found[:MOST_NEAR]]
    if standing:
        details["indexing"] = standing
    return NotFound("No such symbol", name=name, **details)


def name_kind(symbol: Symbol) -> str:
    """The kind of a symbol in the words of its language: a struct, trait or record where the signature says so."""
    if symbol.kind not in facts.TYPES:
        return symbol.kind
    if symbol.kind == facts.CLASS and symbol.path.endswith(".go"):
        return "struct"  # a signature in Go ends before that word
    return next((word for word in symbol.signature.split() if word in TYPE_WORDS), symbol.kind)


def _rank(symbol: Symbol) -> tuple[bool, bool, bool]:
    """What is asked for more often comes first: code before tests, stubs last, what can be called before what holds."""
    return is_test(symbol.path), symbol.path.endswith(STUBS), symbol.kind in (FIELD, VARIABLE, CONSTANT)


def _listed(item: GuideItem, symbol: Symbol) -> GuideItem:
    """One of many definitions: its signature in place of its lines."""
    return item._replace(text="", why=f"{name_kind(symbol)} {symbol.signature[:LONGEST_SIGNATURE]}".strip())


def _reach(symbols: Symbols, symbol: Symbol) -> str:
    """That not every file was looked at, where a name is in very many."""
    looked, known = symbols.reach(symbol)
    return f"Of {known} files with this name the {looked} nearest were looked at." if looked < known else ""


def _choice(found: Sequence[Symbol]) -> str:
    """How to say which one is meant, where too many have a name."""
    more = f"{len(found) - MOST_LISTED} more are not listed. " if len(found) > MOST_LISTED else ""
    return f"{len(found)} definitions have this name. {more}Ask again with the path, or as Class.name, for its uses."
