"""`fieldguide search`: a project's documents searched from a terminal, with the hits that an agent gets."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.app import App, build_app
from fieldguide.cli.indexing import refresh
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import (
    Bold,
    Faint,
    Line,
    columns_of,
    complain,
    fitted,
    say,
    say_json,
    terminal_columns,
)
from fieldguide.consents import TRUST
from fieldguide.errors import Misconfiguration, NotFound
from fieldguide.in_process import DocumentFunctions
from fieldguide.search.words import UNSPACED, query_terms
from fieldguide.spine.visible_text import shown
from fieldguide.toolsets.documents.locations import is_remote
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.upkeep import LateUpkeep

TOOLSET = "documents"
SHOWN_LINES = 3
INDENT = "   "
ENDINGS = re.compile(r"^(.*?\w{3})(?:ations?|ings?|ed|es|e|s|ly)$")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, where, and how to print."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument("--collection", action="append", metavar="A", help="only in this collection; may be repeated")
    parser.add_argument("--limit", type=_positive, metavar="N", help="at most so many hits (default: 10)")
    parser.add_argument("--related", metavar="DOC", help="instead of a query: what is most like this document")
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print the hits as the tool answers them")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error."""
    query = " ".join(arguments.query).strip()
    if bool(query) == (arguments.related is not None):
        raise Misconfiguration("Say what to look for, or name a document with --related; one of the two.")
    app = build_app(replace(settings_from(arguments), toolsets=(TOOLSET,)), write_journal=lambda lines: None)
    wrong = [f"{alias}: {said['error']}" for alias, said in refresh(app, TOOLSET).items() if "error" in said]
    with DocumentFunctions(app) as documents:
        hits = _found(documents, query, arguments)
    if arguments.json:
        say_json(hits)
    else:
        say(*(_lines(hits, query_terms(query)) if hits else ["No results found for the given query."]))
    complain(*map(shown, (*wrong, *_never_fetched(app), *_nothing_to_search(app))))
    return 0


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _nothing_to_search(app: App) -> Iterator[str]:
    """A sentence for a project without a document: finding nothing there says nothing about the question."""
    collections = cast("LateUpkeep[DocumentsUpkeep]", app.toolsets[0].upkeep).made().collections()
    if not collections:
        yield "there is no collection here. `fieldguide documents add ALIAS SOURCE` makes one; a docs/ folder is one."
    elif not any(source.documents for source in app.engine().sources(TOOLSET)):
        yield f"the collections hold no document ({', '.join(collections)}); folders are searched for texts."


def _never_fetched(app: App) -> Iterator[str]:
    """A sentence for each collection that waits for consent, or must be fetched before it can be searched."""
    yield from (f"{ask.sentence()}, which is not obeyed: {TRUST}" for ask in app.asks())
    stored = {source.name for source in app.engine().sources(TOOLSET)}
    upkeep = cast("LateUpkeep[DocumentsUpkeep]", app.toolsets[0].upkeep)
    for alias, collection in upkeep.made().collections().items():
        if is_remote(collection.source) and collection.id not in stored:
            yield f"{alias}: it was never fetched. `fieldguide documents sync {alias}` does that."


def _found(documents: DocumentFunctions, query: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    known = documents.listCollections()
    named = {name for each in known for name in (each["collection"], each.get("collectionId")) if name}
    unknown = [name for name in arguments.collection or () if name not in named]
    if unknown:
        listed = ", ".join(each["collection"] for each in known) or "none yet"
        raise NotFound(f'Collection "{unknown[0]}" not found. The collections that can be searched: {listed}.')
    limit = arguments.limit or 10
    if arguments.related is None:
        return documents.search(query, collections=arguments.collection, limit=limit)
    collection = _collection_of(documents, arguments.related, arguments.collection or [e["collection"] for e in known])
    related: list[dict[str, Any]] = documents.findRelated(collection, arguments.related, limit=limit)["related"]
    return related


def _collection_of(documents: DocumentFunctions, document: str, collections: Sequence[str]) -> str:
    """The one collection that holds a document."""
    holding = [name for name in collections if documents.getOutline(name, document, 1) is not None]
    if len(holding) > 1:
        raise Misconfiguration(f"{document!r} is in {' and in '.join(holding)}; choose one with --collection.")
    if not holding:
        raise NotFound(f'Document "{document}" not found in collection "{", ".join(collections)}".')
    return holding[0]


def _lines(hits: Sequence[dict[str, Any]], terms: Sequence[str]) -> Iterator[Line]:
    looked_for = _pattern(terms)
    columns = terminal_columns()
    for number, hit in enumerate(hits, start=1):
        heading = hit.get("sectionHeading")
        title = " > ".join(dict.fromkeys(filter(None, (hit["documentTitle"], heading))))
        place = f"{hit['collection']}: {hit['citation']}"
        score = f"{hit['relevanceScore']:.2f}"
        yield [f"{number}. ", Bold(_cut(shown(title), columns - 4))]
        yield [INDENT, Faint(shown(place)), f"  {score}"]
        for line in _telling_lines(hit["content"], terms):
            yield [INDENT, *_marked(_cut(line, columns - len(INDENT)), looked_for)]
        if number < len(hits):
            yield ""


def _telling_lines(content: str, terms: Sequence[str]) -> list[str]:
    """The lines together that hold most of the query's words; of a chunk without them, its first lines."""
    lines = [line for line in map(shown, content.splitlines()) if line and not line.startswith("#")]
    pattern = _pattern(terms)

    def held(first: int) -> int:
        text = "\n".join(lines[first : first + SHOWN_LINES])
        return len({found.lower() for found in pattern.findall(text)}) if pattern else 0

    first = max(range(max(1, len(lines) - SHOWN_LINES + 1)), key=held)
    return lines[first : first + SHOWN_LINES]


def _pattern(terms: Sequence[str]) -> re.Pattern[str] | None:
    """What to highlight: words that begin like those of the query, whatever they end with."""
    words = {word for term in terms for word in term.split()}
    spaced = sorted((ENDINGS.sub(r"\1", word) for word in words if not UNSPACED.search(word)), key=len, reverse=True)
    unspaced = sorted(word for word in words if UNSPACED.search(word))
    pieces = [rf"(?<!\w){re.escape(word)}\w*" for word in spaced] + [re.escape(word) for word in unspaced]
    return re.compile("|".join(pieces), re.IGNORECASE) if pieces else None


def _marked(line: str, pattern: re.Pattern[str] | None) -> Iterator[str]:
    """The line in pieces, of which those that were looked for stand out."""
    end = 0
    for found in pattern.finditer(line) if pattern else ():
        yield line[end : found.start()]
        yield Bold(found.group())
        end = found.end()
    yield line[end:]


def _cut(text: str, columns: int) -> str:
    return text if columns_of(text) <= columns else fitted(text, max(columns, 10)).rstrip()
