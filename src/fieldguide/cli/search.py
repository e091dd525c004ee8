"""`fieldguide search`: documents, code, decisions and findings from a terminal, with the hits that an agent gets."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.finding.kinds import ALL, DOCUMENTS, KINDS, TOOLSETS, Hits, found, toolsets_for
from fieldguide.cli.finding.printed import lines_of
from fieldguide.cli.finding.refreshing import PATIENCE_SECONDS, Refreshing
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.cli.typed.nearest import MOST_COMPARED, did_you_mean, path_you_mean
from fieldguide.consents import TRUST
from fieldguide.errors import Misconfiguration, NotFound
from fieldguide.in_process import DocumentFunctions
from fieldguide.search.early.standing import Standing
from fieldguide.search.words import query_terms
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.toolsets.documents.locations import is_remote
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.upkeep import LateUpkeep

DEFAULT_HITS = 10
FINISH = "`fieldguide index` finishes it, and so does --wait."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, where, and how to print."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument("--kind", choices=KINDS, default=ALL, help="only things of this kind (default: all)")
    parser.add_argument("--collection", action="append", metavar="A", help="only in this collection; may be repeated")
    parser.add_argument("--limit", type=_positive, metavar="N", help="at most so many hits (default: 10)")
    parser.add_argument("--related", metavar="DOC", help="instead of a query: what is most like this document")
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print the hits as the tools answer them")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error."""
    query = " ".join(arguments.query).strip()
    if bool(query) == (arguments.related is not None):
        raise Misconfiguration("Say what to look for, or name a document with --related; one of the two.")
    kinds = _kinds(arguments)
    app = build_app(replace(settings_from(arguments), toolsets=toolsets_for(kinds)), write_journal=lambda lines: None)
    refreshing = Refreshing(app, toolsets_for(kinds))
    refreshing.wait(None if arguments.wait else PATIENCE_SECONDS)
    hits, wrong = _searched(app, query, kinds, arguments)
    if arguments.json:
        say_json(hits.items)
    else:
        say(*(lines_of(hits.items, query_terms(query)) if hits.items else ["No results found for the given query."]))
    if hits.indexing:
        complain(f"{Standing(**hits.indexing).sentence()} {FINISH}")
    complain(*map(shown, dict.fromkeys((*refreshing.wrong, *wrong))))
    if DOCUMENTS in kinds:
        complain(*map(shown, (*_never_fetched(app), *(() if hits.items else _nothing_to_search(app)))))
    return 0


def _kinds(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What is searched: only documents lie in collections, and are like a document."""
    is_about_documents = arguments.related is not None or arguments.collection
    if is_about_documents and arguments.kind not in (DOCUMENTS, ALL):
        raise Misconfiguration("--collection and --related are about documents; leave --kind out.")
    if is_about_documents:
        return (DOCUMENTS,)
    return tuple(TOOLSETS) if arguments.kind == ALL else (arguments.kind,)


def _searched(app: App, query: str, kinds: Sequence[str], arguments: argparse.Namespace) -> tuple[Hits, list[str]]:
    limit = arguments.limit or DEFAULT_HITS
    if arguments.related is None and not arguments.collection:
        return found(app, query, kinds, limit)
    documents = DocumentFunctions(app)
    return Hits(_found(documents, query, arguments)), []


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _nothing_to_search(app: App) -> Iterator[str]:
    """A sentence for a project without a document: finding nothing there says nothing about the question."""
    collections = _upkeep(app).collections()
    if not collections:
        yield "there is no collection here. `fieldguide documents add ALIAS SOURCE` makes one; a docs/ folder is one."
    elif not any(source.documents for source in app.engine().sources(DOCUMENTS)):
        yield f"the collections hold no document ({', '.join(collections)}); folders are searched for texts."


def _never_fetched(app: App) -> Iterator[str]:
    """A sentence for each collection that waits for consent, or must be fetched before it can be searched."""
    yield from (f"{ask.sentence()}, which is not obeyed: {TRUST}" for ask in app.asks())
    stored = {source.name for source in app.engine().sources(DOCUMENTS)}
    for alias, collection in _upkeep(app).collections().items():
        if is_remote(collection.source) and collection.id not in stored:
            yield f"{alias}: it was never fetched. `fieldguide documents sync {alias}` does that."


def _upkeep(app: App) -> DocumentsUpkeep:
    upkeep = next(each.upkeep for each in app.toolsets if each.name == DOCUMENTS)
    return cast("LateUpkeep[DocumentsUpkeep]", upkeep).made()


def _found(documents: DocumentFunctions, query: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    known = documents.listCollections()
    _refuse_unknown(arguments.collection or (), known)
    limit = arguments.limit or DEFAULT_HITS
    if arguments.related is None:
        return documents.search(query, collections=arguments.collection, limit=limit)
    collection = _collection_of(documents, arguments.related, arguments.collection or _aliases(known))
    related: list[dict[str, Any]] = documents.findRelated(collection, arguments.related, limit=limit)["related"]
    return related


def _refuse_unknown(asked: Sequence[str], known: Sequence[dict[str, Any]]) -> None:
    """Say no to a collection that can't be searched."""
    named = {name for each in known for name in (each["collection"], each.get("collectionId")) if name}
    unknown = next((name for name in asked if name not in named), None)
    if unknown is not None:
        near, listed = did_you_mean(unknown, named), ", ".join(_aliases(known)) or "none yet"
        raise NotFound(f'Collection "{unknown}" not found.{near} The collections that can be searched: {listed}.')


def _aliases(known: Sequence[dict[str, Any]]) -> list[str]:
    return [each["collection"] for each in known]


def _collection_of(documents: DocumentFunctions, document: str, collections: Sequence[str]) -> str:
    """The one collection that holds a document."""
    holding = [name for name in collections if documents.getOutline(name, document, 1) is not None]
    if len(holding) > 1:
        raise Misconfiguration(f"{document!r} is in {' and in '.join(holding)}; choose one with --collection.")
    if not holding:
        near = path_you_mean(document, _document_names(documents, collections))
        raise NotFound(f'Document "{document}" not found in collection "{", ".join(collections)}".{near}')
    return holding[0]


def _document_names(documents: DocumentFunctions, collections: Sequence[str]) -> Iterator[str]:
    for collection in collections:
        yield from (each["id"] for each in documents.listDocuments(collection, limit=MOST_COMPARED)["documents"])
