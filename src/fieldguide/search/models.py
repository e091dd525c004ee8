"""Which model the settings name; the built-in one needs nothing."""

from collections.abc import Mapping
from typing import Any

from fieldguide.errors import Misconfiguration
from fieldguide.search.embedding import Embedder

BUILT_IN = "built-in"


def choose_embedder(settings: Mapping[str, Any]) -> Embedder:
    """The embedder for the settings of `[search]`."""
    model = settings.get("model", BUILT_IN)
    if model == "wordllama":
        from fieldguide.search.installed_models import Wordllama

        return Wordllama()
    if model != BUILT_IN:
        raise Misconfiguration(f"There is no model {model!r}.")
    from fieldguide.search.static_model import StaticModel

    return StaticModel()
