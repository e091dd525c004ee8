"""Joins the chunks of a file to whole definitions and sections."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide.search.types import locate_chunk
from fieldguide.text import regex as re
from fieldguide.toolsets.guide.brief_candidates import CODE, CandidateFile, ChunkPlace

LONGEST = 120  # lines of one definition that are one place
IMPORTS = (
    "import ",
    "from ",
    "use ",
    "pub use ",
    "#include",
    "# include",
    "using ",
    "package ",
    "mod ",
    "'use strict'",
)
COMMENTS = ("//", "#", "*", "/*", "--", ";")
CLOSING = re.compile(r"\s*(?:[\])};,]+|end|#\s*endif.*)?\s*")  # of what is before a definition
QUOTES = ('"""', "'''")


class Definition(NamedTuple):
    """Lines of a file that belong together: a whole definition or section, or a part of a long one."""

    start: int
    end: int
    headings: tuple[str, ...]
    places: tuple[ChunkPlace, ...]
    text: str
    is_import: bool

    @property
    def best_text(self) -> float:
        """How well the best of its chunks fits the task."""
        return max(place.scores.text for place in self.places)


def split_definitions(file: CandidateFile, longest: int = LONGEST) -> list[Definition]:
    """The definitions of a file in their order, as far as its chunks are known; a part has at most so many lines."""
    runs: list[list[Definition]] = []
    for place in file.places:
        for each in _make_definitions(place, is_code=file.kind == CODE):
            if runs and _belongs(runs[-1], each, longest):
                runs[-1].append(each)
            else:
                runs.append([each])
    return [_trim(run[0] if len(run) == 1 else _join(run)) for run in runs]


def _belongs(run: Sequence[Definition], each: Definition, longest: int) -> bool:
    """Whether a chunk goes on with one definition that is not too long."""
    last = run[-1]
    if last.headings != each.headings or last.is_import or not each.headings:
        return False
    is_next = locate_chunk(last.places[-1].number)[1] + 1 == locate_chunk(each.places[0].number)[1]
    return is_next and each.end - run[0].start < longest


def _trim(definition: Definition) -> Definition:
    """A definition without what closes another before it."""
    lines = definition.text.split("\n")
    first = next((number for number, line in enumerate(lines) if not CLOSING.fullmatch(line)), 0)
    return definition._replace(start=definition.start + first, text="\n".join(lines[first:])) if first else definition


def _join(run: Sequence[Definition]) -> Definition:
    places = tuple(each.places[0] for each in run)
    return run[0]._replace(end=run[-1].end, places=places, text="\n".join(each.text for each in run))


def _make_definitions(place: ChunkPlace, *, is_code: bool) -> Iterator[Definition]:
    """A chunk as it is, its imports apart."""
    start = place.passage.start_line
    lines = place.passage.text.split("\n")[: place.passage.end_line - start + 1]
    imports = count_import_lines(lines) if is_code else 0
    if imports:
        yield Definition(start, start + imports - 1, (), (place,), "\n".join(lines[:imports]), is_import=True)
    rest = "\n".join(lines[imports:])
    if rest.strip():
        first = imports + next(number for number, line in enumerate(lines[imports:]) if line.strip())
        headings = place.passage.headings
        yield Definition(start + first, place.passage.end_line, headings, (place,), rest.lstrip("\n"), is_import=False)


def count_import_lines(lines: Sequence[str]) -> int:
    """How many lines at the beginning are imports, with the comments and blank lines before and between them."""
    last = 0
    is_open = False
    quote = ""  # of the text at the head of a file
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if quote:
            quote = "" if quote in bare else quote
        elif is_open:
            is_open = not any(mark in bare for mark in ")}]'\";")
            last = number
        elif bare.startswith(IMPORTS) or " require(" in line:
            is_open = bare.endswith(("(", "{", ",", "\\"))
            last = number
        elif bare.startswith(QUOTES):
            quote = "" if bare.count(bare[:3]) > 1 else bare[:3]
        elif bare and not bare.startswith(COMMENTS):
            break
    return last
