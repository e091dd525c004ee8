"""`fieldguide find` and `search`: answer a question from a terminal.

`find` asks the guide for one list of all kinds. `search` asks the tools of each kind, and merges their hits in turn.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple, cast

from fieldguide.app import build_app
from fieldguide.cli.console.in_process import DocumentFunctions
from fieldguide.cli.console.options import add_place_options, find_settings
from fieldguide.cli.console.terminal import (
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
from fieldguide.cli.index import PATIENCE_SECONDS, BackgroundRefresh, ask_tool
from fieldguide.search.backlog import IndexProgress
from fieldguide.settings.consents import TRUST
from fieldguide.team.served_project import App
from fieldguide.text import regex as re
from fieldguide.text.display import make_visible, to_visible_line
from fieldguide.text.errors import FieldguideError, Misconfiguration, NotFound
from fieldguide.text.near_names import MOST_COMPARED, suggest_names, suggest_paths
from fieldguide.text.words import UNSPACED, extract_query_terms, strip_ending
from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep
from fieldguide.toolsets.documents.collections import is_remote
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep

DOCUMENTS = "documents"
CODE = "code"
DECISIONS = "decisions"
FINDINGS = "findings"
ALL = "all"
TOOLSETS = {DOCUMENTS: "documents", DECISIONS: "architecture", CODE: "context", FINDINGS: "context"}
KINDS = (*TOOLSETS, ALL)
FINDING_TYPES = ("decision", "issue", "rule", "pattern")
MOST_HITS = 50
DEFAULT_HITS = 10
MOST_ASKED = 20  # what `context_search` gives at most
SHOWN_LINES = 3
INDENT = "   "

Item = dict[str, Any]


class KindHits(NamedTuple):
    """Hits, best first, and the progress of the index, where it is not complete."""

    items: list[Item]
    indexing: Mapping[str, int] | None = None


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
    answer = ask_tool(find_settings(arguments), "guide_search", given, waits=arguments.wait)
    if arguments.json:
        say_json(answer.value)
    else:
        say(*map(make_visible, answer.text.split("\n")))
    return 0


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
    kinds = _choose_kinds(arguments)
    toolsets = tuple(dict.fromkeys(TOOLSETS[kind] for kind in kinds))
    app = build_app(find_settings(arguments)._replace(toolsets=toolsets), write_journal=lambda lines: None)
    refreshing = BackgroundRefresh(app, toolsets)
    refreshing.wait(None if arguments.wait else PATIENCE_SECONDS)
    if arguments.related is None and not arguments.collection:
        hits, problems = search_kinds(app, query, kinds, arguments.limit or DEFAULT_HITS)
    else:
        hits = KindHits(_search_collections(DocumentFunctions(app), query, arguments))
        problems = []
    _print_hits(hits, query, as_json=arguments.json)
    complain(*map(to_visible_line, dict.fromkeys((*refreshing.wrong, *problems))))
    if DOCUMENTS in kinds:
        complain(*map(to_visible_line, _explain_unsearched(app)))
        if not hits.items:
            complain(*map(to_visible_line, _explain_nothing(app)))
    return 0


def _print_hits(hits: KindHits, query: str, *, as_json: bool) -> None:
    if as_json:
        say_json(hits.items)
    elif not hits.items:
        say("No results found for the given query.")
    else:
        if all(item.get("unsure") for item in hits.items):
            say("Nothing fits well; these are the nearest.", "")
        say(*format_hits(hits.items, extract_query_terms(query)))
    if hits.indexing:
        progress = IndexProgress(**hits.indexing).sentence()
        complain(f"{progress} `fieldguide index` finishes it, and so does --wait.")


def _choose_kinds(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What is searched: only documents lie in collections, and are like a document."""
    is_about_documents = arguments.related is not None or arguments.collection
    if is_about_documents and arguments.kind not in (DOCUMENTS, ALL):
        raise Misconfiguration("--collection and --related are about documents; leave --kind out.")
    if is_about_documents:
        return (DOCUMENTS,)
    return tuple(TOOLSETS) if arguments.kind == ALL else (arguments.kind,)


def _explain_nothing(app: App) -> Iterator[str]:
    """A sentence for a project without a document: finding nothing there says nothing about the question."""
    collections = _upkeep(app).collections()
    if not collections:
        yield "there is no collection here. `fieldguide documents add ALIAS SOURCE` makes one; a docs/ folder is one."
    elif not any(source.documents for source in app.engine().sources(DOCUMENTS)):
        yield f"the collections hold no document ({', '.join(collections)}); folders are searched for texts."


def _explain_unsearched(app: App) -> Iterator[str]:
    """A sentence for each collection that waits for consent, or must be fetched before it can be searched."""
    yield from (f"{ask.sentence()}, which is not obeyed: {TRUST}" for ask in app.asks())
    stored = {source.name for source in app.engine().sources(DOCUMENTS)}
    for alias, collection in _upkeep(app).collections().items():
        if is_remote(collection.source) and collection.id not in stored:
            yield f"{alias}: it was never fetched. `fieldguide documents sync {alias}` does that."


def _upkeep(app: App) -> DocumentsUpkeep:
    upkeep = next(each.upkeep for each in app.toolsets if each.name == DOCUMENTS)
    return cast("LateUpkeep[DocumentsUpkeep]", upkeep).made()


def _search_collections(
    documents: DocumentFunctions, query: str, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    known = documents.listCollections()
    _refuse_unknown(arguments.collection or (), known)
    limit = arguments.limit or DEFAULT_HITS
    if arguments.related is None:
        return documents.search(query, collections=arguments.collection, limit=limit)
    collection = _find_collection(documents, arguments.related, arguments.collection or _list_aliases(known))
    related: list[Item] = documents.findRelated(collection, arguments.related, limit=limit)["related"]
    return related


def _refuse_unknown(asked: Sequence[str], known: Sequence[dict[str, Any]]) -> None:
    """Say no to a collection that can't be searched."""
    names: set[str] = set()
    for each in known:
        names.update(filter(None, (each["collection"], each.get("collectionId"))))
    for name in asked:
        if name not in names:
            near = suggest_names(name, names)
            listed = ", ".join(_list_aliases(known)) or "none yet"
            raise NotFound(f'Collection "{name}" not found.{near} The collections that can be searched: {listed}.')


def _list_aliases(known: Sequence[dict[str, Any]]) -> list[str]:
    return [each["collection"] for each in known]


def _find_collection(documents: DocumentFunctions, document: str, collections: Sequence[str]) -> str:
    """The one collection that holds a document."""
    holding = [name for name in collections if documents.getOutline(name, document, 1) is not None]
    if len(holding) > 1:
        raise Misconfiguration(f"{document!r} is in {' and in '.join(holding)}; choose one with --collection.")
    if not holding:
        names: list[str] = []
        for collection in collections:
            names += [each["id"] for each in documents.listDocuments(collection, limit=MOST_COMPARED)["documents"]]
        near = suggest_paths(document, names)
        raise NotFound(f'Document "{document}" not found in collection "{", ".join(collections)}".{near}')
    return holding[0]


def search_kinds(app: App, query: str, kinds: Sequence[str], limit: int) -> tuple[KindHits, list[str]]:
    """The hits of each kind, in turn; and a sentence for each kind that could not be searched."""
    search = {
        DOCUMENTS: _search_documents,
        CODE: _search_code,
        DECISIONS: _search_decisions,
        FINDINGS: _search_findings,
    }
    hits: list[KindHits] = []
    problems: list[str] = []
    for kind in kinds:
        try:
            hits.append(search[kind](app, query, limit))
        except Misconfiguration:
            raise
        except FieldguideError as error:
            problems.append(f"{kind}: {error.message}")
    progress: Counter[str] = Counter()
    for each in hits:
        progress.update({key: each.indexing[key] for key in ("done", "total")} if each.indexing else {})
    merged = _merge_in_turn([each.items for each in hits])
    merged.sort(key=lambda item: bool(item.get("unsure")))  # hits of kinds in which nothing fits well come last
    return KindHits(merged[:limit], progress or None), problems


def _merge_in_turn(lists: Sequence[Sequence[Item]]) -> list[Item]:
    """The best of each kind, then the second of each: scores of different kinds can't be compared."""
    merged: dict[str, Item] = {}
    for row in zip_longest(*lists):
        for item in row:
            if item is not None:
                place = str(item.get("citation") or item.get("id") or item.get("path"))
                merged[place] = merged.pop(place, item)  # the best of equal hits, in the place of the last
    return [*merged.values()]


def _search_documents(app: App, query: str, limit: int) -> KindHits:
    value: Any = app.executor.call("documents_search", {"query": query, "limit": limit}).value
    upkeep = next(each.upkeep for each in app.toolsets if each.name == DOCUMENTS)
    progress = cast("LateUpkeep[Any]", upkeep).last_standing  # the answer is a plain list, which can't tell
    items: list[Item] = cast("list[Item]", value) if isinstance(value, list) else []
    return KindHits(items, None if progress is None else progress._asdict())


def _search_code(app: App, query: str, limit: int) -> KindHits:
    return _search_context(app, query, limit, "all", lambda item: item["source"] == "code")


def _search_findings(app: App, query: str, limit: int) -> KindHits:
    items: list[Item] = []
    for finding_type in FINDING_TYPES:
        items += _search_context(app, query, limit, finding_type, lambda item: item["source"] != "code").items
    items.sort(key=lambda item: -float(item["score"]))
    return KindHits(items[:limit])


def _search_context(app: App, query: str, limit: int, type_: str, is_wanted: Callable[[Item], bool]) -> KindHits:
    given = {"query": query.ljust(3), "type": type_, "limit": MOST_ASKED}
    try:
        value = app.executor.call("context_search", given).value
    except FieldguideError as error:
        if "embeddings" in error.message:  # the index is empty
            return KindHits([], error.details.get("indexing"))
        raise
    kind = CODE if type_ == "all" else FINDINGS
    items = [{"kind": kind, **item} for item in value["results"] if is_wanted(item)]
    return KindHits(items[:limit], value.get("indexing"))


def _search_decisions(app: App, query: str, limit: int) -> KindHits:
    value = app.executor.call("search-architecture", {"query": query, "max_results": min(limit, MOST_ASKED)}).value
    upkeep = next(each.upkeep for each in app.toolsets if each.name == TOOLSETS[DECISIONS])
    shelf = cast("LateUpkeep[ArchitectureUpkeep]", upkeep).made().library.shelf()
    paths = {document.full_uri: document.path for document in shelf.documents}
    items = [{"kind": DECISIONS, "path": paths.get(item["uri"], item["uri"]), **item} for item in value["results"]]
    return KindHits(items, value.get("indexing"))


def format_hits(hits: Sequence[dict[str, Any]], terms: Sequence[str]) -> Iterator[Line]:
    """The lines that show some hits."""
    pattern = _compile_terms(terms)
    columns = count_terminal_columns()
    for number, hit in enumerate(hits, start=1):
        title, place, score, content = _format_hit(hit)
        yield [f"{number}. ", BoldText(_cut(to_visible_line(title), columns - 4))]
        unsure = " unsure" if hit.get("unsure") else ""
        yield [INDENT, FaintText(to_visible_line(place)), f"  {score:.2f}{unsure}"]
        for line in _choose_lines(content, pattern):
            yield [INDENT, *_highlight(_cut(line, columns - len(INDENT)), pattern)]
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


def _choose_lines(content: str, pattern: re.Pattern[str] | None) -> list[str]:
    """The adjacent lines with most of the query's words; of a chunk without them, its first lines."""
    lines = [line for line in map(to_visible_line, content.splitlines()) if line and not line.startswith("#")]

    def count_words(first: int) -> int:
        if pattern is None:
            return 0
        text = "\n".join(lines[first : first + SHOWN_LINES])
        return len({word.lower() for word in pattern.findall(text)})

    first = max(range(max(1, len(lines) - SHOWN_LINES + 1)), key=count_words)
    return lines[first : first + SHOWN_LINES]


def _compile_terms(terms: Sequence[str]) -> re.Pattern[str] | None:
    """What to highlight: words that begin like those of the query, whatever they end with."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for word in set(" ".join(terms).split()):
        if UNSPACED.search(word):
            unspaced.append(word)
        else:
            spaced.append(strip_ending(word))
    spaced.sort(key=len, reverse=True)
    pieces = [rf"(?<!\w){re.escape(word)}\w*" for word in spaced] + [re.escape(word) for word in sorted(unspaced)]
    return re.compile("|".join(pieces), re.IGNORECASE) if pieces else None


def _highlight(line: str, pattern: re.Pattern[str] | None) -> Iterator[str]:
    """The line in pieces, with the words of the query in bold."""
    end = 0
    for found in pattern.finditer(line) if pattern else ():
        yield line[end : found.start()]
        yield BoldText(found.group())
        end = found.end()
    yield line[end:]


def _cut(text: str, columns: int) -> str:
    return text if count_columns(text) <= columns else fit_to_columns(text, max(columns, 10)).rstrip()


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_HITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_HITS}")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)
