"""The kinds of things that a search from a terminal finds, each by the tool that an agent would ask."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple, cast

from fieldguide.app import App
from fieldguide.errors import FieldguideError, Misconfiguration
from fieldguide.in_process.running import BlockingExecutor
from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep
from fieldguide.upkeep import LateUpkeep

DOCUMENTS, CODE, DECISIONS, FINDINGS, ALL = "documents", "code", "decisions", "findings", "all"
TOOLSETS = {DOCUMENTS: "documents", DECISIONS: "architecture", CODE: "context", FINDINGS: "context"}
KINDS = (*TOOLSETS, ALL)
MOST_ASKED = 20  # what `context_search` gives at most
FINDING_TYPES = ("decision", "issue", "rule", "pattern")

Item = dict[str, Any]


class Hits(NamedTuple):
    """What was found, best first, and how far the index was, where it was not whole."""

    items: list[Item]
    indexing: Mapping[str, int] | None = None


def toolsets_for(kinds: Iterable[str]) -> tuple[str, ...]:
    """The toolsets that know of these kinds, in the order in which they are indexed."""
    return tuple(dict.fromkeys(TOOLSETS[kind] for kind in kinds))


def found(app: App, query: str, kinds: Sequence[str], limit: int) -> tuple[Hits, list[str]]:
    """The hits of each kind, in turn; and a sentence for each kind that could not be searched."""
    blocking = BlockingExecutor(app.executor)
    hits: list[Hits] = []
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
    return Hits(_in_turn([each.items for each in hits])[:limit], together), wrong


def _in_turn(lists: Sequence[Sequence[Item]]) -> list[Item]:
    """The best of each kind, then the second of each: scores of different kinds can't be compared."""
    merged = [item for row in zip_longest(*lists) for item in row if item is not None]
    return [*{_place(item): item for item in reversed(merged)}.values()][::-1]


def _place(item: Item) -> str:
    """What tells one hit from another."""
    return str(item.get("citation") or item.get("id") or item.get("path"))


def _documents(app: App, blocking: BlockingExecutor, query: str, limit: int) -> Hits:
    value: Any = blocking.execute("documents_search", {"query": query, "limit": limit}).value
    return Hits([*value] if isinstance(value, list) else [], _told(app, "documents"))


def _code(app: App, blocking: BlockingExecutor, query: str, limit: int) -> Hits:
    return _context(blocking, query, limit, "all", lambda item: item["source"] == "code")


def _findings(app: App, blocking: BlockingExecutor, query: str, limit: int) -> Hits:
    asked = [_context(blocking, query, limit, type_, lambda item: item["source"] != "code") for type_ in FINDING_TYPES]
    items = sorted((item for each in asked for item in each.items), key=lambda item: -float(item["score"]))
    return Hits(items[:limit])


def _context(blocking: BlockingExecutor, query: str, limit: int, type_: str, is_wanted: Callable[[Item], bool]) -> Hits:
    given = {"query": query.ljust(3), "type": type_, "limit": MOST_ASKED}
    try:
        value = blocking.execute("context_search", given).value
    except FieldguideError as error:
        if "embeddings" in error.message:  # nothing is there to be found
            return Hits([], error.details.get("indexing"))
        raise
    kind = CODE if type_ == "all" else FINDINGS
    items = [{"kind": kind, **item} for item in value["results"] if is_wanted(item)]
    return Hits(items[:limit], value.get("indexing"))


def _decisions(app: App, blocking: BlockingExecutor, query: str, limit: int) -> Hits:
    value = blocking.execute("search-architecture", {"query": query, "max_results": min(limit, MOST_ASKED)}).value
    paths = _paths(app)
    items = [{"kind": DECISIONS, "path": paths.get(item["uri"], item["uri"]), **item} for item in value["results"]]
    return Hits(items, value.get("indexing"))


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


ASKED: Mapping[str, Callable[[App, BlockingExecutor, str, int], Hits]] = {
    DOCUMENTS: _documents,
    CODE: _code,
    DECISIONS: _decisions,
    FINDINGS: _findings,
}
