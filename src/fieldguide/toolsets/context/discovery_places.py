"""The places that a discovery rests on, as they can be opened now: files that are gone are not cited."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.lines import count_lines, readable_text
from fieldguide.errors import Refusal
from fieldguide.spine.answers.citations import read_citation
from fieldguide.spine.answers.cited_files import CitedFiles

MOST_PLACES = 3
MOST_LOOKED_AT = 20
LARGEST_BYTES = 1 << 20
MOST_WORDS = 8


def cited_places(
    project: ConfinedFolder, cited: CitedFiles, content: str, evidence: Mapping[str, Any]
) -> dict[str, Any]:
    """The citations of a discovery's evidence: `citation` is the first, `citations` are all where there are more."""
    files = [name for name in evidence.get("files", ())[:MOST_LOOKED_AT] if isinstance(name, str)]
    places = [place for place, _ in zip(_places(project, cited, content, files), range(MOST_PLACES), strict=False)]
    return {"citation": places[0], **({"citations": places} if places[1:] else {})} if places else {}


def _places(project: ConfinedFolder, cited: CitedFiles, content: str, files: list[str]) -> Iterator[str]:
    for name in files:
        citation = read_citation(name)
        if project.status(name) is None:
            if citation is not None and (again := cited.cited_again(citation)) is not None:
                yield again
            continue
        try:
            text = readable_text(project.read(name, limit_bytes=LARGEST_BYTES))
        except Refusal:
            continue
        yield cited.cited(name, *_lines(text, content))


def _lines(text: str, content: str) -> tuple[int, int]:
    """The lines of a file where a discovery's first words stand; where they do not, all of them."""
    words = content.split()[:MOST_WORDS]
    found = re.compile(r"\s+".join(map(re.escape, words))).search(text) if words else None
    if found is None:
        return 1, max(count_lines(text), 1)
    start = count_lines(f"{text[: found.start()]}.")
    return start, max(start, count_lines(text[: found.end()]))
