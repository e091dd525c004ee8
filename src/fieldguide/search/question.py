"""What a search engine is asked."""

from collections.abc import Callable
from typing import NamedTuple

from fieldguide.search.fusion import CANDIDATES, KEYWORD_SHARE
from fieldguide.search.indexes.store import StoredDocument
from fieldguide.search.misfits import Floored
from fieldguide.search.port import Scope


class Question(NamedTuple):
    """What is looked for: a text, where, how many hits at most, and how far away they may be.

    `keyword_share` is how much words count beside vectors; `most_of_one` how many hits one document may give.
    `candidates` are so many of the nearest chunks; of documents that are `is_beside` the matter a few are given beyond
    the limit. What has one of the `names` as its heading is looked at in any case, and what lies below a floor of
    `floored` is no hit. Where the model is away, words alone must do, unless the question `needs_model`.
    """

    text: str
    scope: Scope
    limit: int
    max_distance: float | None = None
    by_words: bool = True
    rerank: bool = False
    keyword_share: float = KEYWORD_SHARE
    most_of_one: int | None = None
    candidates: int = CANDIDATES
    is_beside: Callable[[StoredDocument], bool] | None = None
    needs_model: bool = False
    names: tuple[str, ...] = ()
    floored: tuple[Floored, ...] = ()
