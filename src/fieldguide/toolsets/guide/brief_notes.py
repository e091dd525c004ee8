"""Says what is certain beside a map: where the task's quoted code occurs, and what usually changes too."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.files.kinds import is_test
from fieldguide.git.history import History
from fieldguide.search.words import extract_identifiers
from fieldguide.text import regex as re
from fieldguide.text.tokenizer import count_exact_tokens
from fieldguide.toolsets.guide.brief_candidates import CandidateSearch, NamedUses, TaskText
from fieldguide.toolsets.guide.brief_ranking import RECORD
from fieldguide.toolsets.guide.items import ProjectLines, to_one_line

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
    """The lines of each file that hold a fragment; `unread` are files that may hold it too, and were not read."""

    fragment: str
    lines: Mapping[str, Sequence[int]]
    unread: int

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
        for path in paths[:MOST_HOLDING]:
            numbers = lines.find(path, fragment)
            if numbers:
                held[path] = numbers
        found.append(Occurrences(fragment, held, max(len(paths) - MOST_HOLDING, 0)))
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


MOST_LINES = 6  # of one file that are listed
MOST_SHARE = 0.12  # of a budget for one fragment


def describe_occurrences(found: Sequence[Occurrences], budget: int) -> Iterator[str]:
    """A sentence for each fragment: all its lines, or how many there are; and which are nowhere."""
    nowhere = [f"`{each.fragment}`" for each in found if not each.times and not each.unread and not each.is_part]
    for each in found:
        if each.times:
            yield to_one_line(_describe(each, budget))
    if nowhere:
        yield to_one_line(f"Nowhere in the indexed files: {', '.join(nowhere)}")


def _describe(each: Occurrences, budget: int) -> str:
    files = len(each.lines)
    times = f"{each.times} {'time' if each.times == 1 else 'times'}"
    said = f"`{each.fragment}` {times} in {files} {'file' if files == 1 else 'files'}"
    if each.unread:
        return f"{said} and perhaps in {each.unread} more"
    order = sorted(each.lines, key=lambda path: (RECORD.fullmatch(path) is not None, is_test(path), path))
    places: list[str] = []
    is_whole = True
    for path in order:
        numbers = each.lines[path]
        more = f" and {len(numbers) - MOST_LINES} more" if len(numbers) > MOST_LINES else ""
        place = f"{path}:{','.join(map(str, numbers[:MOST_LINES]))}{more}"
        if count_exact_tokens("; ".join([*places, place])) > MOST_SHARE * budget:
            is_whole = False
            break
        places.append(place)
    if is_whole:
        return f"{said}, all: {'; '.join(places)}"
    return f"{said}, {len(places)} of them: {'; '.join(places)}" if places else said


SEEDS = 2
MOST_COMPANIONS = 3
LEAST_TIMES = 3
LEAST_SHARE = 0.25
HEAD_LINES = 80
UNRELEASED = re.compile(r"(?i)(?:#+\s*|=+\s*)?\[?(?:unreleased|upcoming|next|main|master|dev)\b.*")
LISTED = re.compile(r"\s*[-*]\s.*")


def describe_companions(mapped: Sequence[str], history: History, lines: ProjectLines) -> str:
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
    if not found:
        return ""
    return to_one_line(f"Usually changes too: {'; '.join([*found.values()][:MOST_COMPANIONS])}")


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
