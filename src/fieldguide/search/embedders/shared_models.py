"""The models of an engine: its own, or those that all projects of a service share, each in memory once."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from fieldguide.search.embedders.cross_encoder import OnnxCrossEncoder, choose_reranker
from fieldguide.search.embedders.models import choose_embedder
from fieldguide.search.embedding import Embedder

T = TypeVar("T")


class OwnModels:
    """Chooses anew each time."""

    def embedder(self, settings: Mapping[str, Any]) -> Embedder:
        """The model that the settings of `[search]` name."""
        return choose_embedder(settings)

    def reranker(self, settings: Mapping[str, Any]) -> OnnxCrossEncoder | None:
        """The model that reads a question and a text together, where they name one."""
        return choose_reranker(settings)


class SharedModels(OwnModels):
    """Gives every engine with the same settings the same model; a model may be asked from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}
        self._rerankers: dict[str, OnnxCrossEncoder | None] = {}

    def embedder(self, settings: Mapping[str, Any]) -> Embedder:
        """The model that the settings of `[search]` name, loaded once."""
        return self._once(self._embedders, settings, super().embedder)

    def reranker(self, settings: Mapping[str, Any]) -> OnnxCrossEncoder | None:
        """The model that reads a question and a text together, loaded once."""
        return self._once(self._rerankers, settings, super().reranker)

    def _once(self, known: dict[str, T], settings: Mapping[str, Any], choose: Callable[[Mapping[str, Any]], T]) -> T:
        key = json.dumps(dict(settings), sort_keys=True, default=str)
        with self._lock:
            if key not in known:
                known[key] = choose(settings)
            return known[key]
