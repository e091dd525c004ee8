"""What the document tools say of their index beside an answer: that it is not whole, what it lacks, why nothing fits.

Texts that the specification prints stay as they are, in a block of their own; what is said beside follows them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.search.early.standing import Standing
from fieldguide.spine.contract import Answer
from fieldguide.toolsets.documents.service import DocumentsService, Query

NO_RESULTS = "No results found for the given query."
MOST_NAMED = 8


class Early(NamedTuple):
    """How an index stands when a call is answered."""

    service: DocumentsService
    standing: Standing | None
    lack: str

    def told(self, value: Any, hint: str = "") -> Any:
        """An answer with what is to be said beside it: in its own fields where it has some, else in a second block."""
        beside = {
            **(self.standing.told() if self.standing else {}),
            **({"lacks": self.lack} if self.lack else {}),
            **({"hint": hint} if hint else {}),
        }
        if not beside:
            return value
        if isinstance(value, dict):
            return {**cast("dict[str, Any]", value), **beside}
        if isinstance(value, str):
            return _blocks(value, None, [*self._sentences(), *([hint] if hint else ())])
        return _blocks(_written(value), value, [_written(beside)])

    def nothing(self, query: Query, missing: Sequence[str]) -> Answer:
        """No results: why not, what was searched, and what to try."""
        if query.limit < 1:
            return Answer(text=NO_RESULTS)
        unknown = [" ".join(f'Collection "{name}" not found.' for name in missing)] if missing else []
        return _blocks(NO_RESULTS, None, [*unknown, *self._sentences(), " ".join(self._why(query))])

    def nothing_related(self, given: Mapping[str, Any]) -> str:
        """Why a document has nothing that is related to it."""
        where = "all collections" if given.get("allCollections") else f"the collection {given['collection']!r}"
        others = "" if given.get("allCollections") else " `allCollections: true` looks in the others too."
        return f"No other document of {where} is like it.{others}"

    def _sentences(self) -> Iterator[str]:
        if self.standing is not None:
            yield self.standing.sentence()
        if self.lack:
            yield f"The index is not whole: {self.lack}"

    def _why(self, query: Query) -> Iterator[str]:
        held = {each["collection"]: each["documentCount"] for each in self.service.listCollections()}
        names = held if query.collections is None else [self.service.shown_name(name) for name in query.collections]
        counted = [f"{name} ({held[name]})" for name in names if held.get(name)]
        if not any(held.values()):
            yield "No document is in the index; documents_list_collections tells which collections there are."
            return
        if not counted:
            yield f"Nothing was searched; leave `collections` out to search them all: {', '.join(held)}."
            return
        yield f"Searched, with the number of documents: {_few(counted)}."
        if query.max_distance is not None:
            yield f"What is further away than maxDistance {query.max_distance:g} was left out; try without it."
        if len(counted) < sum(map(bool, held.values())):
            yield "Other collections were not searched; leave `collections` out to search them all."
        yield "Try other or fewer words, or search the code and its comments for exact text."


def _few(names: Sequence[str]) -> str:
    """Some names in one sentence, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def _blocks(text: str, value: Any, said: Sequence[str]) -> Answer:
    return Answer(text=text, value=value, blocks=tuple({"type": "text", "text": each} for each in (text, *said)))


def _written(value: Any) -> str:
    """A value as this toolset's specification prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)
