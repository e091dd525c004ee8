"""A model in a folder: `model.onnx` and `tokenizer.json`, run by onnxruntime without any of the big frameworks."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from fieldguide.errors import Misconfiguration
from fieldguide.search.embedders.installed_models import InstalledModel, folder_digest, required
from fieldguide.search.embedders.prefixes import Prefixes, prefixes_for

PLACES = ("model.onnx", "onnx/model.onnx")
INSTALL = "onnxruntime tokenizers"
BATCH = 32
LONGEST = 512
INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}


def load_onnx(path: str, *, prefixes: Prefixes | None) -> InstalledModel:
    """The model in this folder, named by its folder and by the hash of what is in it."""
    folder = Path(os.path.expanduser(path))
    weights = next((folder / place for place in PLACES if (folder / place).is_file()), None)
    if weights is None or not (folder / "tokenizer.json").is_file():
        raise Misconfiguration(f"{path!r} is no model: a folder with model.onnx and tokenizer.json is one.")
    identity = f"onnx:{folder.resolve().name}@{folder_digest(folder)}"
    return InstalledModel(identity, OnnxEncoder(folder, weights), prefixes=prefixes or prefixes_for(path))


class OnnxEncoder:
    """Turns texts into rows: tokens in, the middle (or the first) of the tokens' vectors out."""

    def __init__(self, folder: Path, weights: Path) -> None:
        model = f"onnx:{folder}"
        onnxruntime = required("onnxruntime", model=model, install=INSTALL)
        tokenizers = required("tokenizers", model=model, install=INSTALL)
        try:
            self._session: Any = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # both raise bare exceptions of their own for a broken file
            raise Misconfiguration(f"The model in {str(folder)!r} can't be read.") from error
        self._tokenizer.enable_truncation(_longest(folder))
        self._tokenizer.enable_padding()
        self._wanted = [each.name for each in self._session.get_inputs() if each.name in INPUTS]
        self._is_first_token = bool(_said(folder / "1_Pooling" / "config.json").get("pooling_mode_cls_token"))

    def __call__(self, texts: list[str]) -> Any:
        """One row for each text; texts of like length are run together, so that little is padding."""
        import numpy

        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        rows: list[Any] = [None] * len(texts)
        for numbers in _parts(order):
            for number, row in zip(numbers, self._run([texts[each] for each in numbers]), strict=True):
                rows[number] = row
        return numpy.stack(rows)

    def _run(self, texts: list[str]) -> Any:
        import numpy

        encoded = self._tokenizer.encode_batch(texts)
        given = {
            name: numpy.array([getattr(each, INPUTS[name]) for each in encoded], numpy.int64) for name in self._wanted
        }
        answers = self._session.run(None, given)
        pooled = next((answer for answer in answers if answer.ndim == 2), None)
        if pooled is not None:
            return pooled
        if self._is_first_token:
            return answers[0][:, 0]
        mask = numpy.array([each.attention_mask for each in encoded], numpy.float32)[:, :, None]
        return (answers[0] * mask).sum(axis=1) / mask.sum(axis=1).clip(1e-9)


def _longest(folder: Path) -> int:
    stated = _said(folder / "sentence_bert_config.json").get("max_seq_length")
    stated = stated or _said(folder / "tokenizer_config.json").get("model_max_length")
    return min(int(stated), LONGEST) if isinstance(stated, int | float) and stated > 0 else LONGEST


def _said(path: Path) -> dict[str, Any]:
    """What a settings file of the model says; a missing one says nothing."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", content) if isinstance(content, dict) else {}


def _parts(numbers: list[int]) -> Iterator[list[int]]:
    return (numbers[start : start + BATCH] for start in range(0, len(numbers), BATCH))
