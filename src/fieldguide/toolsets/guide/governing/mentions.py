"""Where documents and decisions speak of a path: they name it, its file, its module, or what it defines."""

import posixpath
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import FieldguideError
from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.indexes.store import StoredSource
from fieldguide.search.port import Hit, Scope
from fieldguide.search.words import has_hump
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.outlines import outline_of
from fieldguide.spine.cancellation import Cancellation
from fieldguide.toolsets.guide.governing.kinds import stem_of

LOOKED_AT = 40
MOST_SYMBOLS = 6
LEAST_WORD = 5
LONGEST_TEXT = 1 << 18
WORD = re.compile(r"\w+")


class Mention(NamedTuple):
    """Some lines of a document that speak of a path, and by which name; `source` is where the document is kept."""

    path: str
    start: int
    end: int
    name: str
    source: str
    strength: int


def names_for(path: str, text: str) -> list[str]:
    """How others may speak of a file with this text: by its path, module, name, what it defines; the surest first."""
    dotted = path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    is_telling = bool(stem_of(path)) and ("_" in stem or "-" in stem or has_hump(stem))
    plain = [path, *([dotted] if "." in dotted else []), *([name] if stem_of(path) and "." in name else [])]
    found = [*plain, *_symbols(text, language_of(path)), *([stem] if is_telling else [])]
    return [each for each in dict.fromkeys(found) if len(each) >= LEAST_WORD]


def _symbols(text: str, language: str | None) -> list[str]:
    """What a file defines at its top: names that no other text uses by chance."""
    if not text or language is None or len(text) > LONGEST_TEXT:
        return []
    with suppress(FieldguideError):
        tops = [each.signature for each in outline_of(text, language) if not each.signature.startswith(" ")]
        words = (_name_in(each) for each in tops)
        return [each for each in dict.fromkeys(words) if each][:MOST_SYMBOLS]
    return []


def _name_in(signature: str) -> str:
    """The name that a signature gives, if it is written as only code writes names."""
    words = WORD.findall(signature.partition("(")[0])
    return next((each for each in words if len(each) >= LEAST_WORD and _is_name(each)), "")


def _is_name(word: str) -> bool:
    return has_hump(word) or "_" in word.strip("_")


def mentions(
    engine: SearchEngine,
    project: ConfinedFolder,
    kind: str,
    names: Sequence[str],
    cancellation: Cancellation | None = None,
) -> list[Mention]:
    """The places of documents of a kind that hold one of these names, as it is written; best first, one a document."""
    sources = {source.name: source for source in engine.sources(kind)}
    if not names or not sources:
        return []
    scope = Scope(tuple(source.id for source in sources.values()))
    question = Question(" ".join(names), scope, LOOKED_AT, most_of_one=2)
    found: dict[str, Mention] = {}
    for hit in engine.search(question, cancellation):
        for mention in _in(hit, names):
            place = project_path(project, sources[hit.source], hit.document)
            if place is not None and (place not in found or mention.strength < found[place].strength):
                found[place] = mention._replace(path=place)
    return sorted(found.values(), key=lambda each: each.strength)


def _in(hit: Hit, names: Sequence[str]) -> Iterator[Mention]:
    text = hit.passage.text
    for strength, name in enumerate(names):
        place = _place_of(text, name)
        if place is not None:
            line = hit.passage.start_line + text.count("\n", 0, place)
            yield Mention(hit.document, line, min(line + 2, hit.passage.end_line), name, hit.source, strength)
            return


def _place_of(text: str, name: str) -> int | None:
    """Where a name stands by itself in a text."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return at
        at = text.find(name, at + len(name))
    return None


def project_path(project: ConfinedFolder, source: StoredSource, document: str) -> str | None:
    """Where a document of the index lies in the project; None for one that lies elsewhere.

    A collection is named after its folder: `dir:docs`, or `pkg:docs/manifest.json` where a manifest lists it.
    """
    folder = source.name.partition(":")[2]
    above = posixpath.dirname(folder) if source.name.startswith("pkg:") else folder
    for path in (posixpath.normpath(posixpath.join(above, document)), document):
        if project.status(path) is not None:
            return path
    return None
