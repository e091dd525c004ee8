"""A model that reads a question and a text together, and says how well the one answers the other.

None comes with Fieldguide. A person names one in their own settings: a folder with `model.onnx` and `tokenizer.json`.
It is loaded when the first call asks for it.
"""

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldguide.errors import Misconfiguration
from fieldguide.search.embedders.installed_models import required
from fieldguide.search.embedders.onnx_model import BATCH, INPUTS, INSTALL, LONGEST, PLACES

RERANKER = "FIELDGUIDE_SEARCH_RERANKER"
FAMILY = "onnx:"


def choose_reranker(
    settings: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> "OnnxCrossEncoder | None":
    """The model that the person's environment or their `[search]` names; None where neither does."""
    given = os.environ if environment is None else environment
    named = given.get(RERANKER) or settings.get("reranker")
    if named is None:
        return None
    if not isinstance(named, str) or not named.startswith(FAMILY) or named == FAMILY:
        raise Misconfiguration(f"reranker under [search] must be {FAMILY}PATH, not {named!r}.")
    return OnnxCrossEncoder(Path(os.path.expanduser(named.removeprefix(FAMILY))))


class OnnxCrossEncoder:
    """Scores pairs of texts by onnxruntime; may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self._weights = next((folder / place for place in PLACES if (folder / place).is_file()), None)
        self._folder = folder
        if self._weights is None or not (folder / "tokenizer.json").is_file():
            raise Misconfiguration(f"{str(folder)!r} is no model: a folder with model.onnx and tokenizer.json is one.")
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0 to 1."""
        with self._lock:
            session, tokenizer = self._loaded = self._loaded or self._load()
        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            found += _scored(session, tokenizer, [(query, text) for text in texts[start : start + BATCH]])
        return found

    def _load(self) -> tuple[Any, Any]:
        model = f"{FAMILY}{self._folder}"
        onnxruntime = required("onnxruntime", model=model, install=INSTALL)
        tokenizers = required("tokenizers", model=model, install=INSTALL)
        try:
            session = onnxruntime.InferenceSession(str(self._weights), providers=["CPUExecutionProvider"])
            tokenizer = tokenizers.Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        except Exception as error:  # both raise bare exceptions of their own for a broken file
            raise Misconfiguration(f"The model in {str(self._folder)!r} can't be read.") from error
        tokenizer.enable_truncation(LONGEST)
        tokenizer.enable_padding()
        return session, tokenizer


def _scored(session: Any, tokenizer: Any, pairs: list[tuple[str, str]]) -> list[float]:
    import numpy

    encoded = tokenizer.encode_batch(pairs)
    wanted = [each.name for each in session.get_inputs() if each.name in INPUTS]
    given = {name: numpy.array([getattr(each, INPUTS[name]) for each in encoded], numpy.int64) for name in wanted}
    logits = numpy.asarray(session.run(None, given)[0], numpy.float64).reshape(len(pairs), -1)[:, -1]
    return [float(each) for each in 1 / (1 + numpy.exp(-logits))]
