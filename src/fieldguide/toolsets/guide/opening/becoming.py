"""What became of cited lines that are not there any more: moved, in another file, changed, or gone."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.document_formats.lines import split_lines
from fieldguide.errors import FieldguideError, Refusal
from fieldguide.project_history.earlier_files import EarlierFile, earlier_files
from fieldguide.project_history.keeping import history_of
from fieldguide.spine.answers.citations import Citation, cited, hash_of, hash_of_text, read_citation
from fieldguide.spine.answers.cited_files import lines_of
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.opening.differing import differing
from fieldguide.toolsets.guide.opening.page import Page
from fieldguide.toolsets.guide.opening.pages import Pages
from fieldguide.toolsets.guide.opening.searching import place_of

MOVED, CHANGED, GONE = "moved", "changed", "gone"
SINCE = "changed since it was cited"
MOST_ELSEWHERE = 12
MOST_NAMES = 20
ASKED_CHARACTERS = 400
SHORTEST_SOUGHT = 20  # bytes: a blank line or a bracket stands everywhere
HISTORY_SECONDS = 2.0


class Became(NamedTuple):
    """What became of some lines: where to look now (no page where nothing is left), in words, and what differs."""

    status: str
    said: str
    page: Page | None = None
    start: int = 0
    end: int = 0
    difference: str = ""
    is_known: bool = True


class Before(NamedTuple):
    """Lines as they were when they were cited, and what is known of the file then."""

    lines: bytes
    whole: bytes = b""


def became(services: Services, pages: Pages, page: Page | None, citation: Citation) -> Became:
    """What became of the lines of a citation, whose hash is not that of what stands there now."""
    earlier = _earlier(services, citation.path)
    before = _before(services, citation, earlier)
    old = None if before is None else before.lines
    if page is not None and (place := place_of(page, citation, old)) is not None:
        return Became(MOVED, f"moved from L{citation.start_line}-L{citation.end_line}", page, *place)
    for other in _elsewhere(services, pages, citation, before):
        if (place := place_of(other, citation, old)) is not None:
            return Became(MOVED, f"moved from {cited(*citation[:3])}", other, *place)
    return _gone(citation, earlier) if page is None else _changed(page, citation, before)


def _changed(page: Page, citation: Citation, before: Before | None) -> Became:
    if citation.start_line > page.last:
        return Became(GONE, f"{page.path} has {page.last} lines now, and these were found nowhere else")
    if before is None:
        return Became(CHANGED, SINCE, page, citation.start_line, min(citation.end_line, page.last))
    now = differing(page, citation, before.lines, before.whole)
    return Became(CHANGED, SINCE, page, now.start, now.end, now.difference)


def _gone(citation: Citation, earlier: list[EarlierFile]) -> Became:
    if earlier and earlier[0].content is None:
        return Became(GONE, f"{citation.path} was removed by {earlier[0].commit} ({earlier[0].subject[:100]})")
    said = f"{citation.path} is not there any more, and its lines were found nowhere else"
    return Became(GONE, said, is_known=bool(earlier))


def _earlier(services: Services, path: str) -> list[EarlierFile]:
    """The file as earlier commits had it; nothing of what would not be served today."""
    project = services.project
    names = [name for name in path.split("/") if name not in ("", ".")]
    if not _lies_inside(path, names) or project.sensitive.refuses(names):
        return []
    found = earlier_files(project.real_path(), "/".join(names))
    refuses = project.sensitive.refuses_content
    return [each for each in found if each.content is None or not refuses(tuple(names), each.content)]


def _lies_inside(path: str, names: list[str]) -> bool:
    """Whether a path is one of the project, by how it is written."""
    return bool(names) and "://" not in path and not path.startswith("/") and ".." not in names


def _before(services: Services, citation: Citation, earlier: list[EarlierFile]) -> Before | None:
    """The lines as they were cited: from an earlier commit, or from what the index still keeps of the file."""
    for each in earlier:
        if each.content is not None:
            lines = ByteLines(each.content).between(citation.start_line, citation.end_line)
            if hash_of(lines) == citation.hash:
                return Before(lines, each.content)
    for text in _kept(services, citation.path):
        seen = lines_of(split_lines(text), citation.start_line, citation.end_line)
        if seen is not None and hash_of_text(seen) == citation.hash:
            return Before(seen.encode(errors="replace"), text.encode(errors="replace"))
    return None


def _kept(services: Services, path: str) -> list[str]:
    """What the index keeps of a file, in whichever of its kinds; documents are named from their collection's folder."""
    parts = path.split("/")
    texts: list[str] = []
    with suppress(FieldguideError):
        engine = services.engine()
        with engine.database.reading() as transaction:
            store = engine.store(transaction)
            for kind in ("code", "architecture", "documents"):
                names = ["/".join(parts[at:]) for at in range(len(parts) if kind == "documents" else 1)]
                for source in store.sources(kind):
                    found = (store.find(source.id, name) for name in names[:MOST_NAMES] if "\0" not in name)
                    texts += [store.text(each.id) for each in found if each is not None]
    return texts


def _elsewhere(services: Services, pages: Pages, citation: Citation, before: Before | None) -> Iterator[Page]:
    """Files in which the lines may stand now: renamed, named alike, or like them by what they say."""
    if before is not None and len(before.lines.strip()) < SHORTEST_SOUGHT:
        return
    seen = {citation.path}
    for path in _paths(services, pages, citation, before):
        if path not in seen and len(seen) <= MOST_ELSEWHERE:
            seen.add(path)
            with suppress(Refusal):
                if (page := pages.file(path)) is not None:
                    yield page


def _paths(services: Services, pages: Pages, citation: Citation, before: Before | None) -> Iterator[str]:
    yield from _renamed(services, citation.path)
    last = citation.path.rpartition("/")[2]
    yield from (name for name in pages.names() if name.rpartition("/")[2] == last)
    if before is None:
        return
    asked = " ".join(before.lines.decode(errors="replace").split())[:ASKED_CHARACTERS].ljust(3)
    found: Any = pages.asked("context_search", query=asked, limit=MOST_ELSEWHERE)
    listed: Any = pages.asked("documents_search", query=asked, limit=MOST_ELSEWHERE)
    hits: list[Any] = [*(found["results"] if found else ()), *(listed if isinstance(listed, list) else ())]
    for hit in hits:
        if (place := read_citation(str(hit.get("citation", "")))) is not None:
            yield place.path


def _renamed(services: Services, path: str) -> Iterator[str]:
    """The names that git gave a file later, the present one last."""
    with suppress(FieldguideError):
        engine = services.engine()
        root = services.project.real_path()
        history = history_of(engine.database, services.namespace, root, wait_seconds=HISTORY_SECONDS)
        for change in reversed(history.changes):
            for old, new in change.renamed:
                if old == path:
                    path = new
                    yield new
