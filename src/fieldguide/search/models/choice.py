"""Chooses and loads the embedding model that the settings name, and shares models between projects.

A model loads code and files, and may send text away: it is the person's choice, from their environment or their own
file. What a project asks for reaches here only where the person has allowed it.
"""

import json
import os
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from fieldguide.search.embedding import Embedder
from fieldguide.search.models.installed import Prefixes
from fieldguide.text.errors import Misconfiguration

BUILT_IN = "built-in"
MODEL = "FIELDGUIDE_SEARCH_MODEL"
ENDPOINT = "FIELDGUIDE_SEARCH_ENDPOINT"
PREFIXES = ("query_prefix", "passage_prefix")
KEY_VARIABLE = "FIELDGUIDE_SEARCH_KEY_VARIABLE"
IN_FILE = {"endpoint": ENDPOINT, "key_variable": KEY_VARIABLE}


class KnownModel(NamedTuple):
    """A model, or a family of them whose name ends with `:` and something of the user's.

    `made` is how the identities of its vectors begin, `modules` what must be importable, `install` what pip is told.
    """

    name: str
    made: str
    dimensions: int | None = None
    modules: tuple[str, ...] = ()
    install: str = ""

    @property
    def family(self) -> str:
        """The part of the name before the user's own; empty for a single model."""
        return self.name.partition(":")[0] + ":" if ":" in self.name else ""


KNOWN = (
    KnownModel(BUILT_IN, "fieldguide-static-", 256),
    KnownModel("onnx:PATH", "onnx:", None, ("onnxruntime", "tokenizers"), "onnxruntime tokenizers"),
    KnownModel("openai:MODEL", "openai:"),
)


def choose_embedder(settings: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Embedder:
    """The embedder for the settings of `[search]` and the user's environment; it fetches nothing."""
    given = _environment(settings, os.environ if environment is None else environment)
    return load_model(find_configured_model(settings, given), given, prefixes=_prefixes(settings, given))


def find_configured_model(settings: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """The model that the user's environment names, or else the settings."""
    model = environment.get(MODEL) or settings.get("model", BUILT_IN)
    if not isinstance(model, str):
        raise Misconfiguration(f"model under [search] must be a text, not {model!r}.")
    find_known(model)
    return model


def _environment(settings: Mapping[str, Any], environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, with what the settings say of an endpoint where it says nothing; a key stands in no file."""
    if "key" in settings:
        raise Misconfiguration(f"A key stands in no file: take it out of [search], and set {KEY_VARIABLE}.")
    said = {variable: str(settings[name]) for name, variable in IN_FILE.items() if name in settings}
    return {**said, **environment}


def find_known(model: str) -> KnownModel:
    """What is known of a model, by its name or by that of its family."""
    for known in KNOWN:
        if model == known.name and not known.family:
            return known
        if known.family and model.startswith(known.family) and model != known.family:
            return known
    raise Misconfiguration(f"There is no model {model!r}. The models are {', '.join(each.name for each in KNOWN)}.")


def load_model(model: str, environment: Mapping[str, str], *, prefixes: Prefixes | None = None) -> Embedder:
    """The embedder of this name."""
    family, _, name = model.partition(":")
    match family:
        case "onnx":
            from fieldguide.search.models.installed import OnnxModel

            return OnnxModel(name, prefixes=prefixes)
        case "openai":
            from fieldguide.search.models.remote import load_remote

            return load_remote(name, environment, prefixes=prefixes)
        case _:
            from fieldguide.search.models.static import StaticModel

            return StaticModel()


def describe_missing_install(known: KnownModel, environment: Mapping[str, str]) -> str:
    """What is still to be done before a model can be used; empty when nothing is."""
    from importlib.util import find_spec

    if known.family == "openai:":
        return "" if environment.get(ENDPOINT) else f"set {ENDPOINT}"
    return "" if all(find_spec(module) for module in known.modules) else f"pip install {known.install}"


def _prefixes(settings: Mapping[str, Any], environment: Mapping[str, str]) -> Prefixes | None:
    """The prefixes that somebody has set; None leaves them to what is known of the model."""
    given = [environment.get(f"FIELDGUIDE_SEARCH_{name.upper()}", settings.get(name)) for name in PREFIXES]
    if all(each is None for each in given):
        return None
    if not all(each is None or isinstance(each, str) for each in given):
        raise Misconfiguration(f"{' and '.join(PREFIXES)} under [search] must be texts.")
    return Prefixes(*(each or "" for each in given))


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
