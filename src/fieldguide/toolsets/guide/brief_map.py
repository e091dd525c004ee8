"""Plans a brief: the map of files and definitions first, then what governs them, quoted code, and what changes too."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from math import log1p
from typing import NamedTuple

from fieldguide.files.kinds import GENERATED, IMPLEMENTATION, VENDORED, find_role, is_test
from fieldguide.git.history import History
from fieldguide.text import regex as re
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.words import extract_identifiers
from fieldguide.toolsets.guide.brief_candidates import (
    NAMED,
    CandidateFile,
    CandidateSearch,
    Definition,
    NamedUses,
    TaskText,
    WeighedTask,
    score_name,
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
LONGEST_NAME = 60
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
# Of files with these chances in 100 tasks of five repositories 60 % and 23 % were changed, of those below 3 %.
LEAST_LIKELY = 0.5
LEAST_POSSIBLE = 0.15


def classify_chance(chance: float) -> str:
    """How a file's chance is told."""
    if chance >= LEAST_LIKELY:
        return LIKELY
    return POSSIBLE if chance >= LEAST_POSSIBLE else WEAK


class MappedFile(NamedTuple):
    """What is said of a file of the map: its place in the order, how likely it changes and why, and its test."""

    number: int
    why: str
    test: str


class BriefPlan(NamedTuple):
    """What a brief names and shows, each in its order, and what is said of each file."""

    mapped: Sequence[BriefStep]
    rules: Sequence[BriefStep]
    further: Sequence[BriefStep]
    texts: Sequence[BriefStep]
    files: Mapping[str, MappedFile]
    is_weak: bool
    """Whether no file is more than a weak match."""
    telling: Mapping[tuple[str, int], Sequence[int]]
    """The lines that say most in each of the best definitions, by path and first line."""
    core: Sequence[BriefStep] = ()
    """What is worth reading where nobody says how much: likely places, a few weak ones, and the surest texts."""
    best_chance: float = 0.0
    """That the likeliest file of the map changes."""


MOST_MAPPED = 12  # files of the map
MOST_OF_FILE = 3  # definitions of one of them
MOST_IN_ALL = {LIKELY: 8, POSSIBLE: 5, WEAK: 3}  # where the budget allows, by the chance of the file
MOST_BELOW = 12  # files below the map
MOST_FURTHER = 60  # definitions beside those of the map
MOST_RULES = 4
MOST_SHOWN = 250  # definitions whose text may be shown
BEST = 3  # definitions of which the telling lines are given
MOST_IN_CORE = {LIKELY: 5, POSSIBLE: 3, WEAK: 1}
MOST_WEAK = 4  # weak files in an answer that is no longer than worth reading: one in forty is changed
LEAST_SURE = 0.3  # the chance of a definition whose text is worth sending unasked
MOST_SURE = 5
MOST_SURE_LINES = 60


def plan_map(ranked: RankedTask, uses: NamedUses, history: History) -> BriefPlan:
    """The map, what governs its files, less likely places, and the text of the definitions."""
    whys = {file.file.path: _explain(file, ranked.weighed, uses) for file in ranked.files}
    files = [file for file in ranked.files if _is_mapped(file)]
    files.sort(key=lambda file: find_role(file.file.path) in (GENERATED, VENDORED))
    above = files[:MOST_MAPPED]
    below = files[MOST_MAPPED : MOST_MAPPED + MOST_BELOW]
    values = _Values(ranked, whys)
    mapped = values.name(above, 0, MOST_OF_FILE)
    more = values.name(below, 0, 1)
    for file in above:
        more += values.name([file], MOST_OF_FILE, MOST_IN_ALL[classify_chance(file.chance)])
    rules = [file for file in ranked.files if file.file.category in CATEGORIES][:MOST_RULES]
    sure = sorted(filter(_is_sure, ranked.definitions), key=lambda each: -each.chance)
    return BriefPlan(
        [each.step for each in mapped],
        [each.step for each in values.name(rules, 0, 1)],
        [each.step for each in sorted(more, key=_sort_key)[:MOST_FURTHER]],
        [_show(each, whys) for each in plan_texts(ranked)],
        _describe_files([*above, *below], whys, history),
        not any(classify_chance(file.chance) != WEAK for file in files),
        _find_telling(mapped, ranked.weighed),
        [*_choose_core(above, values), *(_show(each, whys) for each in sure[:MOST_SURE])],
        max((file.chance for file in files), default=0.0),
    )


def _is_sure(each: RankedDefinition) -> bool:
    """Whether the text of a definition saves a reader from opening it."""
    definition = each.definition
    is_short = definition.end - definition.start < MOST_SURE_LINES
    return each.chance >= LEAST_SURE and is_short and not definition.is_import and not is_test(each.file.file.path)


def _choose_core(files: Sequence[RankedFile], values: "_Values") -> Iterator[BriefStep]:
    """The best definitions of files that are more than weak, and one of a few weak files."""
    weak = [file for file in files if classify_chance(file.chance) == WEAK]
    for file in files:
        if file not in weak[MOST_WEAK:]:
            most = MOST_IN_CORE[classify_chance(file.chance)]
            yield from (each.step for each in values.name([file], 0, most))


def _show(each: RankedDefinition, whys: Mapping[str, str]) -> BriefStep:
    return make_step(each.file.file, each.definition, whys[each.file.file.path])._replace(is_shown=True)


def _group_by_file(ranked: Sequence[RankedDefinition], *, imports: bool) -> dict[str, list[RankedDefinition]]:
    """The definitions of each file, or its imports, likeliest first."""
    grouped: dict[str, list[RankedDefinition]] = {}
    for each in ranked:
        if each.definition.is_import == imports:
            grouped.setdefault(each.file.file.path, []).append(each)
    return grouped


def _is_mapped(file: RankedFile) -> bool:
    """Rules and decisions come below the map; lists of what was done hold the words of every task."""
    return file.file.category not in CATEGORIES and RECORD.fullmatch(file.file.path) is None


FILE_SHARE = 0.4  # what naming every file is worth beside naming every definition
LEAST_EXPECTED = 0.5


class _Named(NamedTuple):
    value: float
    step: BriefStep
    ranked: RankedDefinition | None


class _Values:
    """What naming a place is worth: a file counts once, with its best definition."""

    def __init__(self, ranked: RankedTask, whys: Mapping[str, str]) -> None:
        self._by_path = _group_by_file(ranked.definitions, imports=False)
        self._imports = _group_by_file(ranked.definitions, imports=True)
        self._whys = whys
        self._files = max(sum(file.chance for file in ranked.files), LEAST_EXPECTED)
        self._definitions = max(sum(each.chance for each in ranked.definitions), LEAST_EXPECTED)

    def name(self, files: Sequence[RankedFile], begin: int, end: int) -> list[_Named]:
        """The definitions of these files from one on, those that are worth most first."""
        named: list[_Named] = []
        for file in files:
            why = self._whys[file.file.path]
            known = self._by_path.get(file.file.path) or self._imports.get(file.file.path) or []
            of_file = FILE_SHARE * file.chance / self._files
            if not known and begin == 0:
                named.append(_Named(of_file, make_step(file.file, None, why), None))
            for place, each in enumerate(known[begin:end], begin):
                value = self._value(each) if place else self._value(each) + of_file
                named.append(_Named(value, make_step(file.file, each.definition, why), each))
        return sorted(named, key=_sort_key)

    def _value(self, each: RankedDefinition) -> float:
        return (1 - FILE_SHARE) * each.chance / self._definitions


def _sort_key(named: _Named) -> tuple[float, BriefStep]:
    return -named.value, named.step


HEADER_TOKENS = 25  # of what is said above a text
BEFORE_IMPORTS = 0.99  # of the worth of a file's likeliest definition is the most that its imports are worth
CHARACTERS_A_TOKEN = 3.6


def plan_texts(ranked: RankedTask) -> list[RankedDefinition]:
    """The definitions in the order in which their text is shown: those that are worth most for their tokens first.

    Imports come after the likeliest definition of their file; between two parts of one function nothing is left out.
    """
    worths: dict[int, float] = {}
    likeliest: dict[str, float] = {}
    definitions = [each for each in ranked.definitions if each.file.file.category not in CATEGORIES]
    for each in definitions:
        tokens = HEADER_TOKENS + len(each.definition.text) / CHARACTERS_A_TOKEN
        worth = -log1p(-each.chance) / tokens  # the changes to expect: a likely one seldom stays alone
        if not each.definition.is_import:
            likeliest.setdefault(each.file.file.path, worth)
        worths[id(each)] = worth
    for each in definitions:
        if each.definition.is_import:
            worths[id(each)] = min(worths[id(each)], likeliest.get(each.file.file.path, 0.0) * BEFORE_IMPORTS)
    order = sorted(definitions, key=lambda each: -worths[id(each)])[:MOST_SHOWN]
    return [*_fill_gaps(order)]


def _fill_gaps(order: Sequence[RankedDefinition]) -> Iterator[RankedDefinition]:
    """The same order, but parts of one definition that would leave a gap bring what is between them."""
    parts: dict[tuple[str, tuple[str, ...]], list[RankedDefinition]] = {}
    for each in order:
        if each.definition.headings:
            parts.setdefault((each.file.file.path, each.definition.headings), []).append(each)
    taken: set[tuple[str, int]] = set()
    for each in order:
        path = each.file.file.path
        siblings = parts.get((path, each.definition.headings), [each])
        given = [sibling.definition.start for sibling in siblings if (path, sibling.definition.start) in taken]
        low = min([each.definition.start, *given])
        high = max([each.definition.start, *given])
        between = (sibling for sibling in siblings if low <= sibling.definition.start <= high)
        for sibling in sorted(between, key=lambda sibling: sibling.definition.start):
            if (path, sibling.definition.start) not in taken:
                taken.add((path, sibling.definition.start))
                yield sibling


MOST_TELLING = 3
LEAST_TELLING = 0.15  # of what the rarest words of the task say


def find_telling_lines(definition: Definition, weighed: WeighedTask) -> list[int]:
    """The numbers of the lines of a definition that say most of the task, without the one that only names it."""
    said: list[tuple[float, int]] = []
    name = definition.headings[-1] if definition.headings else ""
    is_named = not name
    for number, line in enumerate(definition.text.split("\n"), definition.start):
        if not is_named and name in line:
            is_named = True
            continue
        share = weighed.said(line)
        if share >= LEAST_TELLING:
            said.append((-share, number))
    return sorted(number for _, number in sorted(said)[:MOST_TELLING])


def _find_telling(mapped: Sequence[_Named], weighed: WeighedTask) -> dict[tuple[str, int], Sequence[int]]:
    best = [each for each in mapped if each.ranked is not None][:BEST]
    found: dict[tuple[str, int], Sequence[int]] = {}
    for each in best:
        if each.ranked is not None:
            found[each.step.path, each.step.start] = find_telling_lines(each.ranked.definition, weighed)
    return found


STRONG = 0.05  # a habit of changing together
LITTLE_TEXT = 0.25


def _explain(file: RankedFile, weighed: WeighedTask, uses: NamedUses) -> str:
    """How likely a file changes, and why it is in the map where its definitions don't say so themselves."""
    path = file.file.path
    fit = classify_chance(file.chance)
    if path in uses.names:
        return f"{fit}; uses {uses.names[path]}"
    if any(score_name(place.passage.headings, weighed.task) >= NAMED for place in file.file.places):
        return f"{fit}; named in the task"
    companion = file.companion
    if companion is not None and companion.strength >= STRONG and file.features["text"] < LITTLE_TEXT:
        return f"{fit}; changes with {companion.path.rpartition('/')[2]}"
    return fit


def _describe_files(files: Sequence[RankedFile], whys: Mapping[str, str], history: History) -> dict[str, MappedFile]:
    tests = [file.file.path for file in files if is_test(file.file.path)]
    described: dict[str, MappedFile] = {}
    for number, file in enumerate(files, 1):
        path = file.file.path
        is_code = number <= MOST_MAPPED and classify_file(file.file) == "code"
        test = find_test(path, tests, history) if is_code else ""
        described[path] = MappedFile(number, whys[path], test)
    return described


LEAST_COMMON = 3  # commits that changed a file and its test


def find_test(path: str, likely: Sequence[str], history: History) -> str:
    """The test file that belongs to a file: of the same name, or else the one that changes with it most."""
    stem = _stem(path)
    suffix = posixpath.splitext(path)[1]
    together = [other for other in history.together([path]) if is_test(other) and other.endswith(suffix)]
    for other in (*likely, *together):
        if _stem(other) == stem and other.endswith(suffix):
            return other
    if together and history.support(path, together[0])[0] >= LEAST_COMMON:
        return together[0]
    return ""


def _stem(path: str) -> str:
    """The name of a file without what makes it a test."""
    name = path.rpartition("/")[2].partition(".")[0].lower().replace("-", "_")
    return name.removeprefix("test_").removesuffix("_test").removesuffix("test").removesuffix("_spec")


QUOTED = re.compile(r"`([^`\n]{2,80})`")
WORD = re.compile(r"[\w$]+")
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


class Occurrences(NamedTuple):
    """The lines of each file that hold a fragment; `unread` are files that may hold it too, and were not read.

    Files of `in_other_case` hold it in other letters only, as small ones for capitals.
    """

    fragment: str
    lines: Mapping[str, Sequence[int]]
    unread: int
    in_other_case: Sequence[str] = ()

    @property
    def is_part(self) -> bool:
        """Whether it is the name of a part of something, which code seldom writes in one piece: `Class.method`."""
        return PART_NAME.fullmatch(self.fragment) is not None

    @property
    def times(self) -> int:
        """On how many lines it occurs."""
        return sum(map(len, self.lines.values()))

    def told(self) -> dict[str, object]:
        """For programs."""
        said: dict[str, object] = {"of": self.fragment, "lines": self.times, "files": len(self.lines)}
        return said | ({"unread": self.unread} if self.unread else {})


def find_occurrences(search: CandidateSearch, lines: ProjectLines, task: TaskText) -> list[Occurrences]:
    """Every line of the indexed files that holds what the task quotes."""
    found: list[Occurrences] = []
    for fragment in find_fragments(task):
        paths = search.holding(fragment)
        held: dict[str, list[int]] = {}
        others: list[str] = []
        for path in paths[:MOST_HOLDING]:
            numbers = lines.find(path, fragment)
            if numbers:
                held[path] = numbers
            elif lines.holds_in_other_case(path, fragment):
                others.append(path)
        found.append(Occurrences(fragment, held, max(len(paths) - MOST_HOLDING, 0), others))
    return found


FEW = 8  # files: what more hold says little about which of them change


def add_occurrences(uses: NamedUses, found: Sequence[Occurrences]) -> NamedUses:
    """The uses of what a task names, with the lines of other rare fragments that it quotes."""
    lines = {path: set(numbers) for path, numbers in uses.lines.items()}
    known = set(uses.names.values())
    for each in found:
        if each.fragment not in known and not each.unread and len(each.lines) <= FEW:
            for path, numbers in each.lines.items():
                if RECORD.fullmatch(path) is None:
                    lines.setdefault(path, set()).update(numbers)
    return uses._replace(lines=lines)


MOST_LINES = 12  # of one file that are listed
MOST_SHARE = 0.12  # of a budget for one fragment


def describe_occurrences(found: Sequence[Occurrences], budget: int) -> Iterator[str]:
    """A sentence for each fragment: all its lines, or how many there are; and which are nowhere."""
    missing = [each for each in found if not each.times and not each.unread and not each.in_other_case]
    nowhere = [f"`{each.fragment}`" for each in missing if not each.is_part]
    for each in found:
        if each.times or each.in_other_case:
            yield to_one_line(_describe(each, budget))
    if nowhere:
        yield to_one_line(f"Nowhere in the indexed files: {', '.join(nowhere)}")


def _describe(each: Occurrences, budget: int) -> str:
    files = len(each.lines)
    times = f"{each.times} {'time' if each.times == 1 else 'times'}"
    said = f"`{each.fragment}` {times} in {files} indexed {'file' if files == 1 else 'files'}"
    room = MOST_SHARE * budget
    others, are_all = _fit_places(each.in_other_case, room)
    also = f"; in other letters in {len(each.in_other_case)} more: {others}" if others else ""
    if also and not are_all:
        also += "; …"
    if each.unread:
        return f"{said} and perhaps in {each.unread} more{also}"
    order = sorted(each.lines, key=lambda path: (RECORD.fullmatch(path) is not None, is_test(path), path))
    told, is_whole = _fit_places([_list_lines(path, each.lines[path]) for path in order], room)
    if is_whole and told:
        return f"{said}, all: {told}{also}"
    return f"{said}, {told.count('; ') + 1} of them: {told}{also}" if told else f"{said}{also}"


def _list_lines(path: str, numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - MOST_LINES} more" if len(numbers) > MOST_LINES else ""
    return f"{path}:{','.join(map(str, numbers[:MOST_LINES]))}{more}"


def _fit_places(places: Sequence[str], room: float) -> tuple[str, bool]:
    """As many places as some tokens hold, and whether those are all."""
    fitting: list[str] = []
    for place in places:
        if count_exact_tokens("; ".join([*fitting, place])) > room:
            return "; ".join(fitting), False
        fitting.append(place)
    return "; ".join(fitting), True


SEEDS = 2
MOST_COMPANIONS = 3
LEAST_TIMES = 3
LEAST_SHARE = 0.25
HEAD_LINES = 80
UNRELEASED = re.compile(r"(?i)(?:#+\s*|=+\s*)?\[?(?:unreleased|upcoming|next|main|master|dev)\b.*")
LISTED = re.compile(r"\s*[-*]\s.*")


def describe_companions(found: Mapping[str, str]) -> str:
    """A sentence about the files that usually change too."""
    return to_one_line(f"Usually changes too: {'; '.join([*found.values()][:MOST_COMPANIONS])}") if found else ""


def list_companions(mapped: Sequence[str], history: History, lines: ProjectLines) -> dict[str, str]:
    """The files that usually change with the first of a map and are not in it; of a change log where to insert."""
    seeds = [path for path in mapped if not is_test(path)][:SEEDS]
    found: dict[str, str] = {}
    for seed in seeds:
        for other in history.together([seed]):
            times, of = history.support(seed, other)
            if times < LEAST_TIMES or times < LEAST_SHARE * of:
                break
            if other not in mapped and other not in found and lines.count(other):
                place = find_insertion(other, lines)
                at = f", insert at line {place}" if place else ""
                found[other] = f"{other} ({times} of {of} commits of {seed.rpartition('/')[2]}{at})"
    return found


MOST_RECENT = 6


def describe_recent(mapped: Sequence[str], history: History) -> str:
    """The files of code that changed last and are not in a map: where work goes on."""
    recent = [path for path in history.files()[: 4 * MOST_RECENT] if find_role(path) == IMPLEMENTATION]
    others = [path for path in recent if path not in mapped][:MOST_RECENT]
    return to_one_line(f"Changed last: {', '.join(others)}") if others else ""


def find_insertion(path: str, lines: ProjectLines) -> int | None:
    """The line of a change log at which the newest entries begin; None for other files."""
    if RECORD.fullmatch(path) is None:
        return None
    head = lines.shown(path, 1, min(HEAD_LINES, lines.count(path)))
    begin = next((number for number, line in enumerate(head) if UNRELEASED.fullmatch(line)), 0)
    for number, line in enumerate(head[begin:], begin + 1):
        if LISTED.fullmatch(line):
            return number
    return None


MOST_WORDS = 5


def name_search_words(stems: Mapping[str, float], task: TaskText) -> list[str]:
    """The words of a task that few places hold: worth a search by themselves."""
    found: dict[str, None] = {}
    for stem in sorted(stems, key=lambda stem: (-stems[stem], stem)):
        found.update(dict.fromkeys(word for word in sorted(task.words) if word.startswith(stem)))
    return [*found][:MOST_WORDS]
