"""Chooses and loads the embedding model that the settings name, and shares models between projects.

A model may send text away: it is the person's choice, from their environment or their own file.
"""

import json
import os
import threading
from collections.abc import Mapping
from typing import Any

from fieldguide.search.embedding import Embedder
from fieldguide.text.errors import Misconfiguration

BUILT_IN = "built-in"
REMOTE = "openai:"
MODEL = "FIELDGUIDE_SEARCH_MODEL"
ENDPOINT = "FIELDGUIDE_SEARCH_ENDPOINT"
PREFIXES = ("query_prefix", "passage_prefix")
KEY_VARIABLE = "FIELDGUIDE_SEARCH_KEY_VARIABLE"
IN_FILE = {"endpoint": ENDPOINT, "key_variable": KEY_VARIABLE}


def choose_embedder(settings: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Embedder:
    """The embedder for the settings of `[search]` and the user's environment; it fetches nothing."""
    given = _environment(settings, os.environ if environment is None else environment)
    model = find_configured_model(settings, given)
    if model.startswith(REMOTE):
        from fieldguide.search.models.remote import Prefixes, load_remote

        return load_remote(model.removeprefix(REMOTE), given, prefixes=Prefixes(*_read_prefixes(settings, given)))
    from fieldguide.search.models.static import StaticModel

    return StaticModel()


def find_configured_model(settings: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """The model that the user's environment names, or else the settings."""
    model = environment.get(MODEL) or settings.get("model", BUILT_IN)
    if not isinstance(model, str):
        raise Misconfiguration(f"model under [search] must be a text, not {model!r}.")
    if model == BUILT_IN or (model.startswith(REMOTE) and model != REMOTE):
        return model
    raise Misconfiguration(f"There is no model {model!r}. The models are {BUILT_IN}, {REMOTE}MODEL.")


def _environment(settings: Mapping[str, Any], environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, with what the settings say of an endpoint where it says nothing; a key stands in no file."""
    if "key" in settings:
        raise Misconfiguration(f"A key stands in no file: take it out of [search], and set {KEY_VARIABLE}.")
    said = {variable: str(settings[name]) for name, variable in IN_FILE.items() if name in settings}
    return {**said, **environment}


def _read_prefixes(settings: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """The words before a query and before a passage that somebody has set."""
    prefixes: list[Any] = [
        environment.get(f"FIELDGUIDE_SEARCH_{name.upper()}", settings.get(name, "")) for name in PREFIXES
    ]
    if not all(isinstance(prefix, str) for prefix in prefixes):
        raise Misconfiguration(f"{' and '.join(PREFIXES)} under [search] must be texts.")
    return prefixes


class OwnModels:
    """Chooses anew each time."""

    def embedder(self, settings: Mapping[str, Any]) -> Embedder:
        """The model that the settings of `[search]` name."""
        return choose_embedder(settings)


class SharedModels(OwnModels):
    """Gives every engine with the same settings the same model; a model may be asked from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}

    def embedder(self, settings: Mapping[str, Any]) -> Embedder:
        """The model that the settings of `[search]` name, loaded once."""
        key = json.dumps(dict(settings), sort_keys=True, default=str)
        with self._lock:
            if key not in self._embedders:
                self._embedders[key] = super().embedder(settings)
            return self._embedders[key]
