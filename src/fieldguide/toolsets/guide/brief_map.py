"""Plans a brief: the map of files and definitions first, then what governs them, quoted code, and what changes too."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log1p
from types import MappingProxyType
from typing import NamedTuple

from fieldguide.code.symbols.lookup import Symbols
from fieldguide.files.kinds import GENERATED, VENDORED, find_role, is_test
from fieldguide.git.history import History
from fieldguide.search.ranking import read_mark
from fieldguide.text import regex as re
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.words import extract_identifiers
from fieldguide.toolsets.guide.brief_candidates import (
    CandidateFile,
    CandidateSearch,
    Definition,
    TaskText,
)
from fieldguide.toolsets.guide.brief_ranking import (
    RECORD,
    RankedDefinition,
    RankedFile,
    RankedTask,
    classify_file,
)
from fieldguide.toolsets.guide.items import DECISION, DOCUMENT, PATTERN, ProjectLines, to_one_line

CATEGORIES = {"adr": DECISION, "patterns": PATTERN, "guidelines": PATTERN}
LONGEST_NAME = 120
IMPORTED = "imports"


class BriefStep(NamedTuple):
    """A place that is named, or whose text is shown; a brief takes as many steps as its budget allows."""

    path: str
    start: int
    end: int
    kind: str
    why: str = ""
    symbol: str = ""
    is_shown: bool = False
    text: str = ""
    """The text of a finding or a task, which is in no file."""
    unsure: bool = False
    """Nothing fits the task well, and this is among the nearest."""


def make_step(file: CandidateFile, definition: Definition | None, why: str) -> BriefStep:
    """A definition of a file by its name; without one, the beginning of the file."""
    kind = CATEGORIES.get(file.category) or classify_file(file)
    if definition is None:
        return BriefStep(file.path, 1, 1, kind, why)
    depth = 1 if kind == DOCUMENT else 2
    symbol = ".".join(" ".join(heading.split())[:LONGEST_NAME] for heading in definition.headings[-depth:])
    if definition.is_import:
        symbol = IMPORTED
    return BriefStep(file.path, definition.start, definition.end, kind, why, symbol)


LIKELY = "likely"
POSSIBLE = "possible"
WEAK = "weak"
# Of files with these chances in 523 tasks of 18 repositories that were left out in turn 68 % and 28 % were changed, of
# those below 4 %.
LEAST_LIKELY = 0.5
LEAST_POSSIBLE = 0.15


def classify_chance(chance: float) -> str:
    """How a file's chance is told."""
    if chance >= LEAST_LIKELY:
        return LIKELY
    return POSSIBLE if chance >= LEAST_POSSIBLE else WEAK


class MappedFile(NamedTuple):
    """What is said of a file of the map: its place in the order, and how likely it changes and why."""

    number: int
    why: str


class Occurrences(NamedTuple):
    """The lines of each file that hold a fragment; `unread` are files that may hold it too, and were not read."""

    fragment: str
    lines: Mapping[str, Sequence[int]]
    unread: int
    enclosing: Mapping[tuple[str, int], str] = MappingProxyType({})
    """What a line of code is in, as its lines and name, where there are few."""

    @property
    def times(self) -> int:
        """On how many lines it occurs."""
        return sum(map(len, self.lines.values()))

    def told(self) -> dict[str, object]:
        """For programs."""
        said: dict[str, object] = {"of": self.fragment, "lines": self.times, "files": len(self.lines)}
        return said | ({"unread": self.unread} if self.unread else {})


class BriefPlan(NamedTuple):
    """What a brief names and shows, each in its order, and what is said of each file and beside the map."""

    steps: Sequence[BriefStep] = ()
    """What is named and what is shown, what is worth most for its tokens first."""
    rules: Sequence[BriefStep] = ()
    core: Sequence[BriefStep] = ()
    """What is worth reading where nobody says how much: likely places, a few weak ones, and the surest texts."""
    files: Mapping[str, MappedFile] = MappingProxyType({})
    best_chance: float = 0.0
    """That the likeliest file of the map changes."""
    occurrences: Sequence[Occurrences] = ()
    companions: Sequence[str] = ()
    """What usually changes too, a sentence for each."""


MOST_MAPPED = 12  # files of the map
MOST_NAMED = 40  # files in all
MOST_OF_FILE = {LIKELY: 30, POSSIBLE: 25, WEAK: 15}  # definitions that are named, by the chance of their file
MOST_RULES = 4
MOST_SHOWN = 250  # definitions whose text may be shown
MOST_OF_SHORT = {LIKELY: 6, POSSIBLE: 3, WEAK: 2}  # definitions of a file in such an answer
MOST_IN_CORE = 25  # definitions that are named in an answer that is no longer than worth reading
LEAST_SURE = 0.12  # the chance of a definition whose text is worth sending unasked
MOST_SURE = 4
MOST_SURE_LINES = 60
MOST_BEFORE_SURE = 15  # definitions that are named before the surest texts: those of three likely files
FILE_WORTH = 0.4  # of naming all changed files, where naming all changed definitions is worth 1
LEAST_EXPECTED = 0.5
NAME_TOKENS = 15
# Of an answer that is large enough for texts: what a name beside the first of its file is worth, and what a text is.
FURTHER_NAME = 0.1
TEXT_WORTH = 3.0
FOREIGN_WORTH = 0.1  # of naming what a program or another project wrote
LONGEST_NAMED = 360  # lines of a definition that is named as one


def plan_map(ranked: RankedTask, uses: Mapping[str, str], *, is_large: bool) -> BriefPlan:
    """The map with the text of its definitions, and what governs its files; a large one has text before more names."""
    whys = {file.file.path: _explain(file, uses) for file in ranked.files}
    places = _name_places(ranked, whys)
    files = [file for file in ranked.files if _is_mapped(file)]
    files.sort(key=_is_foreign)
    worths: list[tuple[float, BriefStep]] = []
    short: set[BriefStep] = set()
    for number, file in enumerate(files[:MOST_NAMED], 1):
        named = places[file.file.path]
        chance = classify_chance(file.chance)
        is_mapped = number <= MOST_MAPPED
        share = FOREIGN_WORTH if _is_foreign(file) else 1.0
        worths += [(worth * share, step) for worth, step in named[:1]]
        further = named[1 : MOST_OF_FILE[chance]] if is_mapped else []
        short.update(step for _, step in named[: MOST_OF_SHORT[chance]])
        share *= FURTHER_NAME if is_large else 1.0
        worths += [(worth * share, step) for worth, step in further]
    definitions = [each for each in ranked.definitions if _is_mapped(each.file) and not _is_foreign(each.file)]
    times = TEXT_WORTH if is_large else 1.0
    worths += [(times * worth, _show(each, whys)) for worth, each in plan_texts(definitions)]
    worths.sort(key=lambda each: -each[0])
    core = [step for _, step in worths if step in short][:MOST_IN_CORE]
    sure = [_show(each, whys) for each in definitions if _is_sure(each)][:MOST_SURE]
    rules = [file.file.path for file in ranked.files if file.file.category in CATEGORIES][:MOST_RULES]
    paths = [file.file.path for file in files]
    return BriefPlan(
        steps=[step for _, step in worths],
        rules=[places[path][0][1] for path in rules],
        core=[*core[:MOST_BEFORE_SURE], *sure, *core[MOST_BEFORE_SURE:]],
        files={path: MappedFile(number, whys[path]) for number, path in enumerate(paths, 1)},
        best_chance=max((file.chance for file in files if not _is_foreign(file)), default=0.0),
    )


def _name_places(ranked: RankedTask, whys: Mapping[str, str]) -> dict[str, list[tuple[float, BriefStep]]]:
    """Steps that name the definitions of each file, likeliest first, and what each is worth for a token.

    A file counts once, with its best definition; it is named by its imports, or alone, where it has no other.
    """
    all_files = max(sum(file.chance for file in ranked.files), LEAST_EXPECTED)
    all_definitions = max(sum(each.chance for each in ranked.definitions), LEAST_EXPECTED)
    file_worth = FILE_WORTH * all_definitions / all_files
    places: dict[str, list[tuple[float, BriefStep]]] = {file.file.path: [] for file in ranked.files}
    for each in sorted(join_parts(ranked.definitions), key=lambda each: each.definition.is_import):
        path = each.file.file.path
        if places[path] and each.definition.is_import:
            continue
        worth = each.chance if places[path] else each.chance + file_worth * each.file.chance
        places[path].append((worth / NAME_TOKENS, make_step(each.file.file, each.definition, whys[path])))
    for file in ranked.files:
        if not places[file.file.path]:
            step = make_step(file.file, None, whys[file.file.path])
            places[file.file.path].append((file_worth * file.chance / NAME_TOKENS, step))
    return places


def join_parts(definitions: Iterable[RankedDefinition]) -> list[RankedDefinition]:
    """Definitions as they are named, likeliest first: the parts of a long one together, as likely as any of them."""
    joined: list[RankedDefinition] = []
    for each in sorted(definitions, key=lambda each: (each.file.file.path, each.definition.start)):
        part = each.definition
        if joined and joined[-1].file is each.file and _goes_on(joined[-1].definition, part):
            first = joined[-1].definition
            text = first.text + "\n" * (part.start - first.end) + part.text
            chance = 1 - (1 - joined[-1].chance) * (1 - each.chance)
            joined[-1] = RankedDefinition(each.file, first._replace(end=part.end, text=text), chance)
        else:
            joined.append(each)
    return sorted(joined, key=lambda each: -each.chance)


def _goes_on(first: Definition, part: Definition) -> bool:
    """Whether a part goes on with the definition before it: it has the same name and begins farther in."""
    if first.headings != part.headings or first.is_import or part.end - first.start >= LONGEST_NAMED:
        return False
    return len(part.text) - len(part.text.lstrip()) > len(first.text) - len(first.text.lstrip())


def _is_sure(each: RankedDefinition) -> bool:
    """Whether the text of a definition saves a reader from opening it."""
    definition = each.definition
    is_short = definition.end - definition.start < MOST_SURE_LINES
    return each.chance >= LEAST_SURE and is_short and not definition.is_import and not is_test(each.file.file.path)


def _show(each: RankedDefinition, whys: Mapping[str, str]) -> BriefStep:
    return make_step(each.file.file, each.definition, whys[each.file.file.path])._replace(is_shown=True)


def _is_mapped(file: RankedFile) -> bool:
    """Rules and decisions come below the map; lists of what was done hold the words of every task."""
    return file.file.category not in CATEGORIES and RECORD.fullmatch(file.file.path) is None


def _is_foreign(file: RankedFile) -> bool:
    """Whether a program or another project wrote a file: what a task changes is what it was made from."""
    return (read_mark(file.file.document) or find_role(file.file.path)) in (GENERATED, VENDORED)


HEADER_TOKENS = 200  # of a text beside its own: with less, definitions of two lines come before those that change
CHARACTERS_A_TOKEN = 3.6


def plan_texts(definitions: Sequence[RankedDefinition]) -> list[tuple[float, RankedDefinition]]:
    """The definitions in the order in which their text is shown, with what that is worth for a token, the best first.

    Parts of one definition that would leave a gap bring what is between them.
    """
    order: list[tuple[float, RankedDefinition]] = []
    parts: dict[tuple[str, tuple[str, ...]], list[RankedDefinition]] = {}
    for each in sorted(definitions, key=lambda each: each.definition.start):
        tokens = HEADER_TOKENS + len(each.definition.text) / CHARACTERS_A_TOKEN
        worth = -log1p(-each.chance) / tokens  # the changes to expect: a likely one seldom stays alone
        order.append((worth, each))
        parts.setdefault((each.file.file.path, each.definition.headings), []).append(each)
    order.sort(key=lambda each: -each[0])
    shown: dict[tuple[str, int], tuple[float, RankedDefinition]] = {}
    for worth, each in order[:MOST_SHOWN]:
        path = each.file.file.path
        siblings = parts[path, each.definition.headings] if each.definition.headings else [each]
        starts = [sibling.definition.start for sibling in siblings]
        ends = [start for start in starts if (path, start) in shown or start == each.definition.start]
        for sibling in siblings:
            if ends[0] <= sibling.definition.start <= ends[-1]:
                shown.setdefault((path, sibling.definition.start), (worth, sibling))
    return [*shown.values()]


STRONG = 0.05  # a habit of changing together
LITTLE_TEXT = 0.25


def _explain(file: RankedFile, uses: Mapping[str, str]) -> str:
    """How likely a file changes, and why it is in the map where its definitions don't say so themselves."""
    fit = classify_chance(file.chance)
    used = uses.get(file.file.path)
    if used:
        return f"{fit}; uses {used}"
    companion = file.companion
    if companion is not None and companion.strength >= STRONG and file.features["text"] < LITTLE_TEXT:
        return f"{fit}; changes with {companion.path.rpartition('/')[2]}"
    return fit


QUOTED = re.compile(r"`([^`\n]{2,80})`")
WORD = re.compile(r"[\w$]+")
# the name of a part of something, which code seldom writes in one piece: `Class.method`
PART_NAME = re.compile(r"[\w$]+(?:(?:\.|::|#|->)[\w$]+)+(?:\(\))?")
MOST_FRAGMENTS = 6
MOST_HOLDING = 60  # files that are read for one fragment
LEAST_FRAGMENT = 3


def find_fragments(task: TaskText) -> list[str]:
    """The code that a task quotes, and the names that it writes as code does, in their order."""
    quoted = [each.strip() for each in QUOTED.findall(task.whole)]
    found = [*dict.fromkeys([*quoted, *extract_identifiers(task.whole)])]
    telling = [each for each in found if len(each) >= LEAST_FRAGMENT and WORD.search(each)]
    return [each for each in telling if not _is_inside(each, telling)][:MOST_FRAGMENTS]


def _is_inside(fragment: str, others: Sequence[str]) -> bool:
    """Whether a longer fragment holds this one."""
    return any(fragment != other and fragment in other for other in others)


def find_occurrences(search: CandidateSearch, lines: ProjectLines, task: TaskText) -> list[Occurrences]:
    """Finds every line of the project that holds what the task quotes, and counts the files that were not read."""
    fragments = find_fragments(task)
    if not fragments:
        return []
    swept, unswept = lines.sweep(search.paths(), fragments)
    found: list[Occurrences] = []
    for fragment in fragments:
        paths = search.holding(fragment)
        held = {path: lines.find(path, fragment) for path in paths[:MOST_HOLDING]} | swept[fragment]
        told = {path: numbers for path, numbers in held.items() if numbers}
        found.append(Occurrences(fragment, told, max(len(paths) - MOST_HOLDING, 0) + unswept))
    return found


MOST_ENCLOSED = 6  # lines: of more only the numbers are told


def add_enclosing(found: Sequence[Occurrences], symbols: Symbols) -> list[Occurrences]:
    """The occurrences, those of rare fragments with the definitions around them: a reader needs no search for these."""
    told: list[Occurrences] = []
    for each in found:
        enclosing: dict[tuple[str, int], str] = {}
        for path, numbers in each.lines.items() if each.times <= MOST_ENCLOSED else ():
            for number in numbers:
                symbol = symbols.at(path, number)
                if symbol is not None and symbol.end_line > symbol.line:
                    enclosing[path, number] = f"{symbol.line}-{symbol.end_line} {symbol.name}"
        told.append(each._replace(enclosing=enclosing))
    return told


FEW = 8  # files: what more hold says little about which of them change


def add_occurrences(uses: dict[str, str], found: Sequence[Occurrences]) -> None:
    """Add the files that hold a rare fragment of a task to those that use what it names, without a name."""
    known = set(uses.values())
    for each in found:
        if each.fragment not in known and not each.unread and len(each.lines) <= FEW:
            for path in each.lines:
                if RECORD.fullmatch(path) is None:
                    uses.setdefault(path, "")


MOST_HOLDERS = 3  # files that are named where the list would be too long: part of a list is of no use to a reader
MOST_SHARE = 0.12  # of a budget for one fragment


def describe_occurrences(found: Sequence[Occurrences], budget: int) -> Iterator[str]:
    """A sentence for each fragment: all its lines, or how many there are; and which are nowhere."""
    missing = [each.fragment for each in found if not each.times and not each.unread]
    nowhere = [f"`{each}`" for each in missing if PART_NAME.fullmatch(each) is None]
    for each in found:
        if each.times:
            yield to_one_line(_describe(each, budget))
    if nowhere:
        yield to_one_line(f"Nowhere in the project: {', '.join(nowhere)}")


def _describe(each: Occurrences, budget: int) -> str:
    files = len(each.lines)
    times = f"{each.times} {'time' if each.times == 1 else 'times'}"
    said = f"`{each.fragment}` {times} in {files} {'file' if files == 1 else 'files'}"
    if each.unread:
        return f"{said} and perhaps in {each.unread} more"
    order = sorted(each.lines, key=lambda path: (RECORD.fullmatch(path) is not None, is_test(path), path))
    places = "; ".join(f"{path}:{_list_lines(each, path)}" for path in order)
    if count_exact_tokens(places) <= MOST_SHARE * budget:
        return f"{said}, all: {places}"
    most = sorted(order, key=lambda path: -len(each.lines[path]))[:MOST_HOLDERS]
    named = ", ".join(f"{path} ({len(each.lines[path])})" for path in most)
    is_pattern = each.fragment.replace("-", "_").isidentifier()
    return f"{said}, most in {named}{'; all by definition: guide_search with this pattern' if is_pattern else ''}"


def _list_lines(each: Occurrences, path: str) -> str:
    """The lines of a file, each with the definition that it is in."""
    told: list[str] = []
    for number in each.lines[path]:
        enclosing = each.enclosing.get((path, number))
        told.append(f"{number} in {enclosing}" if enclosing else str(number))
    return ", ".join(told) if each.enclosing else ",".join(told)


SEEDS = 2
MOST_COMPANIONS = 3
LEAST_TIMES = 3
LEAST_SHARE = 0.25


def list_companions(mapped: Sequence[str], history: History, lines: ProjectLines) -> list[str]:
    """The files that usually change with the first of a map and are not in it, a sentence for each."""
    found: dict[str, str] = {}
    for seed in [path for path in mapped if not is_test(path)][:SEEDS]:
        for other in history.together([seed]):
            times, of = history.support(seed, other)
            if times < LEAST_TIMES or times < LEAST_SHARE * of:
                continue  # the newer counts more: an older habit, of more commits, may come after it
            if other not in mapped and other not in found and lines.count(other):
                found[other] = f"{other} ({times} of {of} commits of {seed.rpartition('/')[2]})"
    return [*found.values()][:MOST_COMPANIONS]
