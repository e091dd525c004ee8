"""Makes whole definitions and sections of the hits of a search, and puts what only stands in for code last."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.files.kinds import GENERATED, VENDORED, find_role
from fieldguide.search.code_ranking import QuestionNames
from fieldguide.search.engine import SearchEngine
from fieldguide.search.ranking import read_mark
from fieldguide.search.types import ChunkPassage, locate_chunk, number_chunk
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.words import PART
from fieldguide.toolsets.guide.brief_candidates import CODE as SOURCE_CODE
from fieldguide.toolsets.guide.brief_candidates import CandidateFile, ChunkPlace, ChunkScores
from fieldguide.toolsets.guide.definitions import Definition, split_definitions
from fieldguide.toolsets.guide.items import CODE, TEST
from fieldguide.toolsets.guide.search_scoring import MOST_ALSO, MOST_LINES, ListedHit, PlacedCandidate

AROUND = 8  # chunks on either side of a hit that may belong to its definition
NO_SCORES = ChunkScores(0.0, 0.0, 0.0, 0.0, 0.0)
MOST_OF_NAME = 2
STUBS = (".pyi", ".d.ts", ".d.mts", ".d.cts")
STAND_INS = frozenset(("mock", "mocks", "mocked", "stub", "stubs", "fake", "fakes", "dummy", "noop"))
MOST_WRAPPER_LINES = 3


class HitPart(NamedTuple):
    """A definition or section of a hit; `whole` are the lines of all of it, where it is a part of a long one."""

    name: str
    start: int
    end: int
    whole: tuple[int, int] | None = None
    text: str = ""


class WholeHit(NamedTuple):
    """A hit with what it consists of; `own` is the part that fits best."""

    listed: ListedHit
    own: HitPart
    parts: tuple[HitPart, ...] = ()

    @property
    def placed(self) -> PlacedCandidate:
        """Its best candidate."""
        return self.listed.best.placed


def make_whole(
    engine: SearchEngine, hits: Sequence[ListedHit], asked: QuestionNames, cancellation: Cancellation | None
) -> list[WholeHit]:
    """The hits as whole definitions and sections, none twice, at most two of a name, stand-ins for code last."""
    passages = _read_neighbours(engine, hits, cancellation)
    whole: list[WholeHit] = []
    for hit in hits:
        found = _enclose(hit, passages)
        if not any(_overlaps(found.listed, each.listed) for each in whole):
            whole.append(found)
    return _put_stand_ins_last(_limit_names(whole), asked)


def _read_neighbours(
    engine: SearchEngine, hits: Sequence[ListedHit], cancellation: Cancellation | None
) -> Mapping[int, ChunkPassage]:
    chunks: set[int] = set()
    for hit in hits:
        chunks.update(_number_neighbours(hit))
    with engine.database.reading(cancellation) as transaction:
        return engine.index.passages(transaction, sorted(chunks))


def _number_neighbours(hit: ListedHit) -> list[int]:
    """The numbers of the chunks that may belong to the definition of a hit; none where it is in no document."""
    candidate = hit.best.placed.candidate
    if candidate.document.id < 0:
        return []
    document, place = locate_chunk(candidate.chunk)
    places = range(max(0, place - AROUND), min(candidate.document.chunks, place + AROUND + 1))
    return [number_chunk(document, each) for each in places]


def _overlaps(one: ListedHit, other: ListedHit) -> bool:
    return one.best.placed.path == other.best.placed.path and one.start <= other.end and other.start <= one.end


def _enclose(hit: ListedHit, passages: Mapping[int, ChunkPassage]) -> WholeHit:
    """A hit from the beginning of its first definition to the end of its last, as far as a hit may be long."""
    placed = hit.best.placed
    places = [ChunkPlace(each, passages[each], NO_SCORES) for each in _number_neighbours(hit) if each in passages]
    kind = SOURCE_CODE if placed.kind in (CODE, TEST) else placed.kind
    file = CandidateFile(placed.path, kind, placed.candidate.document, places=places)
    definitions = [each for each in split_definitions(file, MOST_LINES) if not each.is_import]
    own = next((each for each in definitions if _holds_chunk(each, placed.candidate.chunk)), None)
    if own is None:
        return WholeHit(hit, HitPart("", hit.best.start, hit.best.end))
    start = own.start
    end = own.end
    touched = [each for each in definitions if each.start <= hit.end and each.end >= hit.start]
    touched.sort(key=lambda each: (not _are_related(own, each), abs(each.start - own.start), each.start))
    for each in touched:
        first = min(start, each.start)
        last = max(end, each.end)
        if last - first < MOST_LINES:
            start = first
            end = last
    parts = [_make_part(each, definitions) for each in definitions if start <= each.start and each.end <= end]
    return WholeHit(hit._replace(start=start, end=end), _make_part(own, definitions), tuple(parts))


def _are_related(one: Definition, other: Definition) -> bool:
    """Whether two definitions belong to the same one, or one is a member of the other."""
    around = one.headings[:-1]
    return other.headings[:-1] == around or other.headings == around or other.headings[:-1] == one.headings


def _holds_chunk(definition: Definition, chunk: int) -> bool:
    return any(place.number == chunk for place in definition.places)


def _make_part(own: Definition, definitions: Sequence[Definition]) -> HitPart:
    """A definition with its name; where its neighbours have the same, it is a part of something long."""
    place = definitions.index(own)
    first = place
    last = place
    while own.headings and first > 0 and definitions[first - 1].headings == own.headings:
        first -= 1
    while own.headings and last + 1 < len(definitions) and definitions[last + 1].headings == own.headings:
        last += 1
    whole = (definitions[first].start, definitions[last].end) if first < last else None
    is_long = whole is not None and whole[1] - whole[0] >= MOST_LINES  # shorter ones are overloads
    return HitPart(".".join(own.headings), own.start, own.end, whole if is_long else None, own.text)


def _limit_names(hits: Sequence[WholeHit]) -> list[WholeHit]:
    """The hits without those whose name two earlier ones have; the first of them tells where they are."""
    kept: list[WholeHit] = []
    of_name: dict[str, list[int]] = {}
    for hit in hits:
        headings = hit.placed.candidate.passage.headings
        places = of_name.setdefault(headings[-1], []) if hit.placed.is_code and headings else []
        if len(places) < MOST_OF_NAME:
            places.append(len(kept))
            kept.append(hit)
            continue
        first = kept[places[0]]
        if len(first.listed.also) < MOST_ALSO:
            also = (*first.listed.also, f"{hit.placed.path}#L{hit.listed.start}-L{hit.listed.end}")
            kept[places[0]] = first._replace(listed=first.listed._replace(also=also))
    return kept


def _put_stand_ins_last(hits: Sequence[WholeHit], asked: QuestionNames) -> list[WholeHit]:
    """The hits with stubs, mocks, wrappers and generated code behind the others that fit, unless they are asked for."""
    is_asked_for = bool(STAND_INS.intersection(asked.words)) or GENERATED in asked.roles or VENDORED in asked.roles
    if is_asked_for:
        return [*hits]
    sure = [hit for hit in hits if not hit.listed.unsure]
    last = [hit for hit in sure if _stands_in(hit) or _wraps_other(hit, sure)]
    ordered = [*(hit for hit in sure if hit not in last), *last, *(hit for hit in hits if hit.listed.unsure)]
    return [*_never_rising(ordered)]


def _never_rising(hits: Sequence[WholeHit]) -> Iterator[WholeHit]:
    """The hits with odds that never rise: what was moved back is told to be no likelier than what is before it."""
    least = float("inf")
    for hit in hits:
        least = min(least, hit.listed.odds)
        yield hit._replace(listed=hit.listed._replace(odds=least))


def _stands_in(hit: WholeHit) -> bool:
    """Whether code is a stub, a mock or generated."""
    if hit.placed.kind != CODE:
        return False
    path = hit.placed.path
    names = (path.rpartition("/")[2].partition(".")[0], *hit.placed.candidate.passage.headings)
    parts = {part.lower() for name in names for part in PART.findall(name)}
    role = read_mark(hit.placed.candidate.document) or find_role(path)
    return role in (GENERATED, VENDORED) or path.endswith(STUBS) or not STAND_INS.isdisjoint(parts)


def _wraps_other(hit: WholeHit, hits: Sequence[WholeHit]) -> bool:
    """Whether code of few lines calls something of its own name that another hit defines at length."""
    name = hit.own.name.rpartition(".")[2]
    if hit.placed.kind != CODE or not name or _count_code_lines(hit.own.text) > MOST_WRAPPER_LINES:
        return False
    is_called = hit.own.text.count(name) > 1
    others = (each for each in hits if each.placed.kind == CODE and each.own.name.rpartition(".")[2] == name)
    return is_called and any(_count_code_lines(each.own.text) > MOST_WRAPPER_LINES for each in others)


COMMENTS = ("//", "#", "*", "/*", "--", '"""', "'''", "@")


def _count_code_lines(text: str) -> int:
    """How many lines of a definition hold words of code."""
    return sum(any(map(str.isalnum, line)) and not is_comment(line) for line in text.split("\n"))


def is_comment(line: str) -> bool:
    """Whether a line of code is a comment, or a decorator."""
    return line.lstrip().startswith(COMMENTS)
