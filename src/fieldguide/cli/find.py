"""`fieldguide find`: one list of everything that answers a question, from a terminal, as an agent would get it."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple, cast

from fieldguide.app import build_app
from fieldguide.cli.in_process import BlockingExecutor, DocumentFunctions
from fieldguide.cli.index import PATIENCE_SECONDS, BackgroundRefresh, ask_tool
from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.terminal import (
    BoldText,
    FaintText,
    Line,
    complain,
    count_columns,
    count_terminal_columns,
    fit_to_columns,
    say,
    say_json,
)
from fieldguide.search.backlog import IndexProgress
from fieldguide.search.words import UNSPACED, extract_query_terms
from fieldguide.settings.consents import TRUST
from fieldguide.team.served_project import App
from fieldguide.text import regex as re
from fieldguide.text.display import make_visible, to_visible_line
from fieldguide.text.errors import FieldguideError, Misconfiguration, NotFound
from fieldguide.text.near_names import MOST_COMPARED, suggest_names, suggest_paths
from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep
from fieldguide.toolsets.documents.collections import is_remote
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep

TOOL = "guide_search"
MOST_HITS = 50


def add_find_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, how much of it, and how to print."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument(
        "--kind", action="append", metavar="K", help="only this kind, such as code, test or decision; may be repeated"
    )
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help=f"at most so many hits, 1 to {MOST_HITS} (default: 10)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the items as programs read them")


def run_find(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error."""
    query = " ".join(arguments.query).strip()
    if not query:
        raise Misconfiguration('Say what to look for, as in: fieldguide find "how are retries counted".')
    given = {"query": query, "kinds": arguments.kind, "limit": arguments.limit}
    answer = ask_tool(find_settings(arguments), TOOL, given, waits=arguments.wait)
    if arguments.json:
        say_json(answer.value)
    else:
        say(*map(make_visible, answer.text.split("\n")))
    return 0


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_HITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_HITS}")
    return int(text)


DOCUMENTS = "documents"
CODE = "code"
DECISIONS = "decisions"
FINDINGS = "findings"
ALL = "all"
TOOLSETS = {DOCUMENTS: "documents", DECISIONS: "architecture", CODE: "context", FINDINGS: "context"}
KINDS = (*TOOLSETS, ALL)
MOST_ASKED = 20  # what `context_search` gives at most
FINDING_TYPES = ("decision", "issue", "rule", "pattern")

Item = dict[str, Any]


class KindHits(NamedTuple):
    """What was found, best first, and how far the index was, where it was not whole."""

    items: list[Item]
    indexing: Mapping[str, int] | None = None


def list_toolsets_for(kinds: Iterable[str]) -> tuple[str, ...]:
    """The toolsets that know of these kinds, in the order in which they are indexed."""
    return tuple(dict.fromkeys(TOOLSETS[kind] for kind in kinds))


def search_kinds(app: App, query: str, kinds: Sequence[str], limit: int) -> tuple[KindHits, list[str]]:
    """The hits of each kind, in turn; and a sentence for each kind that could not be searched."""
    blocking = BlockingExecutor(app.executor)
    hits: list[KindHits] = []
    wrong: list[str] = []
    for kind in kinds:
        try:
            hits.append(ASKED[kind](app, blocking, query, limit))
        except Misconfiguration:
            raise
        except FieldguideError as error:
            wrong.append(f"{kind}: {error.message}")
    blocking.close()
    indexing = [each.indexing for each in hits if each.indexing]
    together = {key: sum(each[key] for each in indexing) for key in ("done", "total")} if indexing else None
    merged = _in_turn([each.items for each in hits])
    merged.sort(key=lambda item: bool(item.get("unsure")))  # those of kinds in which nothing fits well come last
    return KindHits(merged[:limit], together), wrong


def _in_turn(lists: Sequence[Sequence[Item]]) -> list[Item]:
    """The best of each kind, then the second of each: scores of different kinds can't be compared."""
    merged = [item for row in zip_longest(*lists) for item in row if item is not None]
    return [*{_place(item): item for item in reversed(merged)}.values()][::-1]


def _place(item: Item) -> str:
    """What tells one hit from another."""
    return str(item.get("citation") or item.get("id") or item.get("path"))


def _documents(app: App, blocking: BlockingExecutor, query: str, limit: int) -> KindHits:
    value: Any = blocking.execute("documents_search", {"query": query, "limit": limit}).value
    return KindHits([*value] if isinstance(value, list) else [], _told(app, "documents"))


def _code(app: App, blocking: BlockingExecutor, query: str, limit: int) -> KindHits:
    return _context(blocking, query, limit, "all", lambda item: item["source"] == "code")


def _findings(app: App, blocking: BlockingExecutor, query: str, limit: int) -> KindHits:
    asked = [_context(blocking, query, limit, type_, lambda item: item["source"] != "code") for type_ in FINDING_TYPES]
    items = sorted((item for each in asked for item in each.items), key=lambda item: -float(item["score"]))
    return KindHits(items[:limit])


def _context(
    blocking: BlockingExecutor, query: str, limit: int, type_: str, is_wanted: Callable[[Item], bool]
) -> KindHits:
    given = {"query": query.ljust(3), "type": type_, "limit": MOST_ASKED}
    try:
        value = blocking.execute("context_search", given).value
    except FieldguideError as error:
        if "embeddings" in error.message:  # nothing is there to be found
            return KindHits([], error.details.get("indexing"))
        raise
    kind = CODE if type_ == "all" else FINDINGS
    items = [{"kind": kind, **item} for item in value["results"] if is_wanted(item)]
    return KindHits(items[:limit], value.get("indexing"))


def _decisions(app: App, blocking: BlockingExecutor, query: str, limit: int) -> KindHits:
    value = blocking.execute("search-architecture", {"query": query, "max_results": min(limit, MOST_ASKED)}).value
    paths = _paths(app)
    items = [{"kind": DECISIONS, "path": paths.get(item["uri"], item["uri"]), **item} for item in value["results"]]
    return KindHits(items, value.get("indexing"))


def _paths(app: App) -> dict[str, str]:
    """Where the documents behind the addresses lie."""
    upkeep = next(each.upkeep for each in app.toolsets if each.name == TOOLSETS[DECISIONS])
    shelf = cast("LateUpkeep[ArchitectureUpkeep]", upkeep).made().library.shelf()
    return {document.full_uri: document.path for document in shelf.documents}


def _told(app: App, toolset: str) -> Mapping[str, int] | None:
    """How far the index of a toolset was when it was last asked, for an answer that is a plain list."""
    upkeep = next(each.upkeep for each in app.toolsets if each.name == toolset)
    standing = cast("LateUpkeep[Any]", upkeep).last_standing
    return None if standing is None else standing._asdict()


ASKED: Mapping[str, Callable[[App, BlockingExecutor, str, int], KindHits]] = {
    DOCUMENTS: _documents,
    CODE: _code,
    DECISIONS: _decisions,
    FINDINGS: _findings,
}


SHOWN_LINES = 3
INDENT = "   "
ENDINGS = re.compile(r"^(.*?\w{3})(?:ations?|ings?|ed|es|e|s|ly)$")


def format_hits(hits: Sequence[dict[str, Any]], terms: Sequence[str]) -> Iterator[Line]:
    """The lines that tell of some hits."""
    looked_for = _pattern(terms)
    columns = count_terminal_columns()
    for number, hit in enumerate(hits, start=1):
        title, place, score, content = _format_hit(hit)
        yield [f"{number}. ", BoldText(_cut(to_visible_line(title), columns - 4))]
        yield [INDENT, FaintText(to_visible_line(place)), f"  {score:.2f}{' unsure' if hit.get('unsure') else ''}"]
        for line in _telling_lines(content, terms):
            yield [INDENT, *_marked(_cut(line, columns - len(INDENT)), looked_for)]
        if number < len(hits):
            yield ""


def _format_hit(hit: dict[str, Any]) -> tuple[str, str, float, str]:
    """The title, the place, the score and the text of a hit, whichever kind it is of."""
    kind = hit.get("kind")
    if kind is None:
        title = " > ".join(dict.fromkeys(filter(None, (hit["documentTitle"], hit.get("sectionHeading")))))
        return title, hit["citation"], hit["relevanceScore"], hit["content"]
    if kind == "decisions":
        place = hit.get("citation") or hit["path"]
        return hit["title"], f"{hit['resource_type']}: {place}", hit["relevance_score"], hit["excerpt"]
    if hit.get("source") == "code":
        return hit.get("symbol") or hit["path"], f"{kind}: {hit['citation']}", hit["score"], hit["content"]
    first = hit["content"].strip().partition("\n")[0]
    return first, f"{hit['type']}: {hit['id']}", hit["score"], hit["content"].strip()[len(first) :]


def _telling_lines(content: str, terms: Sequence[str]) -> list[str]:
    """The lines together that hold most of the query's words; of a chunk without them, its first lines."""
    lines = [line for line in map(to_visible_line, content.splitlines()) if line and not line.startswith("#")]
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
        yield BoldText(found.group())
        end = found.end()
    yield line[end:]


def _cut(text: str, columns: int) -> str:
    return text if count_columns(text) <= columns else fit_to_columns(text, max(columns, 10)).rstrip()


DEFAULT_HITS = 10
FINISH = "`fieldguide index` finishes it, and so does --wait."


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, where, and how to print."""
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument("--kind", choices=KINDS, default=ALL, help="only things of this kind (default: all)")
    parser.add_argument("--collection", action="append", metavar="A", help="only in this collection; may be repeated")
    parser.add_argument("--limit", type=_positive, metavar="N", help="at most so many hits (default: 10)")
    parser.add_argument("--related", metavar="DOC", help="instead of a query: what is most like this document")
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the hits as the tools answer them")


def run_search(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error."""
    query = " ".join(arguments.query).strip()
    if bool(query) == (arguments.related is not None):
        raise Misconfiguration("Say what to look for, or name a document with --related; one of the two.")
    kinds = _kinds(arguments)
    app = build_app(
        replace(find_settings(arguments), toolsets=list_toolsets_for(kinds)), write_journal=lambda lines: None
    )
    refreshing = BackgroundRefresh(app, list_toolsets_for(kinds))
    refreshing.wait(None if arguments.wait else PATIENCE_SECONDS)
    hits, wrong = _searched(app, query, kinds, arguments)
    if arguments.json:
        say_json(hits.items)
    else:
        if hits.items and all(item.get("unsure") for item in hits.items):
            say("Nothing fits well; these are the nearest.", "")
        say(
            *(
                format_hits(hits.items, extract_query_terms(query))
                if hits.items
                else ["No results found for the given query."]
            )
        )
    if hits.indexing:
        complain(f"{IndexProgress(**hits.indexing).sentence()} {FINISH}")
    complain(*map(to_visible_line, dict.fromkeys((*refreshing.wrong, *wrong))))
    if DOCUMENTS in kinds:
        complain(*map(to_visible_line, (*_never_fetched(app), *(() if hits.items else _nothing_to_search(app)))))
    return 0


def _kinds(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What is searched: only documents lie in collections, and are like a document."""
    is_about_documents = arguments.related is not None or arguments.collection
    if is_about_documents and arguments.kind not in (DOCUMENTS, ALL):
        raise Misconfiguration("--collection and --related are about documents; leave --kind out.")
    if is_about_documents:
        return (DOCUMENTS,)
    return tuple(TOOLSETS) if arguments.kind == ALL else (arguments.kind,)


def _searched(app: App, query: str, kinds: Sequence[str], arguments: argparse.Namespace) -> tuple[KindHits, list[str]]:
    limit = arguments.limit or DEFAULT_HITS
    if arguments.related is None and not arguments.collection:
        return search_kinds(app, query, kinds, limit)
    documents = DocumentFunctions(app)
    return KindHits(_found(documents, query, arguments)), []


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
        near = suggest_names(unknown, named)
        listed = ", ".join(_aliases(known)) or "none yet"
        raise NotFound(f'Collection "{unknown}" not found.{near} The collections that can be searched: {listed}.')


def _aliases(known: Sequence[dict[str, Any]]) -> list[str]:
    return [each["collection"] for each in known]


def _collection_of(documents: DocumentFunctions, document: str, collections: Sequence[str]) -> str:
    """The one collection that holds a document."""
    holding = [name for name in collections if documents.getOutline(name, document, 1) is not None]
    if len(holding) > 1:
        raise Misconfiguration(f"{document!r} is in {' and in '.join(holding)}; choose one with --collection.")
    if not holding:
        near = suggest_paths(document, _document_names(documents, collections))
        raise NotFound(f'Document "{document}" not found in collection "{", ".join(collections)}".{near}')
    return holding[0]


def _document_names(documents: DocumentFunctions, collections: Sequence[str]) -> Iterator[str]:
    for collection in collections:
        yield from (each["id"] for each in documents.listDocuments(collection, limit=MOST_COMPARED)["documents"])
