"""Models from ONNX files: how they are opened, and the prefixes that they expect."""

import hashlib
import json
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

from fieldguide.search.embedding import LARGEST
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration

SENTENCE = "Represent this sentence for searching relevant passages: "


class Prefixes(NamedTuple):
    """What is put before a query and before a passage; most models want neither."""

    query: str = ""
    passage: str = ""

    @property
    def mark(self) -> str:
        """What an identity says of them: nothing where there are none."""
        if not any(self):
            return ""
        return "+" + hashlib.sha256("\0".join(self).encode(errors="surrogatepass")).hexdigest()[:8]


NO_PREFIXES = Prefixes()


def find_prefixes(model: str) -> Prefixes:
    """The prefixes that the makers of a model ask for, by the last part of its name."""
    name = model.rstrip("/\\").replace("\\", "/").replace(":", "/").rpartition("/")[2].lower()
    return next((asked.prefixes for asked in ASKED_FOR if asked.is_for(name)), NO_PREFIXES)


class PrefixFamily(NamedTuple):
    """What the makers of a family of models ask for, but for some members."""

    family: re.Pattern[str]
    prefixes: Prefixes
    but: re.Pattern[str] | None = None

    def is_for(self, name: str) -> bool:
        """Whether a model belongs to the family."""
        return self.family.match(name) is not None and not (self.but and self.but.match(name))


ASKED_FOR = (
    PrefixFamily(
        re.compile(r"(multilingual-)?e5-"),
        Prefixes("query: ", "passage: "),
        but=re.compile(r"(multilingual-)?e5-(mistral|.*instruct)"),
    ),
    PrefixFamily(re.compile(r"bge-.*-zh"), Prefixes("为这个句子生成表示以用于检索相关文章：")),
    PrefixFamily(re.compile(r"bge-"), Prefixes(SENTENCE), but=re.compile(r"bge-(m3|multilingual|reranker)")),
    PrefixFamily(re.compile(r"mxbai-embed-"), Prefixes(SENTENCE)),
    PrefixFamily(re.compile(r"snowflake-arctic-embed-.*v2"), Prefixes("query: ")),
    PrefixFamily(re.compile(r"snowflake-arctic-embed-"), Prefixes(SENTENCE)),
    PrefixFamily(re.compile(r"nomic-embed-text-"), Prefixes("search_query: ", "search_document: ")),
)


PLACES = ("model.onnx", "onnx/model.onnx")
INSTALL = "onnxruntime tokenizers"
BATCH = 32
LONGEST = 512
INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
WEIGHTS = (".safetensors", ".bin", ".onnx", ".json", ".txt", ".model")
PROBE = "how wide"


class OnnxModel:
    """The `Embedder` of a folder, named by its folder and by the hash of what is in it."""

    def __init__(self, path: str, *, prefixes: Prefixes | None) -> None:
        folder = Path(os.path.expanduser(path))
        weights = next((folder / place for place in PLACES if (folder / place).is_file()), None)
        if weights is None or not (folder / "tokenizer.json").is_file():
            raise Misconfiguration(f"{path!r} is no model: a folder with model.onnx and tokenizer.json is one.")
        self._prefixes = prefixes or find_prefixes(path)
        self._encode = OnnxEncoder(folder, weights)
        self.identity = f"onnx:{folder.resolve().name}@{_folder_digest(folder)}{self._prefixes.mark}"
        self.dimensions = len(self._encode([PROBE])[0])

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text that is to be found."""
        prefix = self._prefixes.passage
        return _pack_rows(self._encode([prefix + text for text in texts])) if texts else []

    def embed_query(self, text: str) -> bytes:
        """The vector of what somebody looks for."""
        return _pack_rows(self._encode([self._prefixes.query + text]))[0]


class OnnxEncoder:
    """Turns texts into rows: tokens in, the middle (or the first) of the tokens' vectors out."""

    def __init__(self, folder: Path, weights: Path) -> None:
        try:
            onnxruntime = import_module("onnxruntime")
            tokenizers = import_module("tokenizers")
        except ImportError as error:
            raise Misconfiguration(f"The model 'onnx:{folder}' is not installed: pip install {INSTALL}.") from error
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
        for start in range(0, len(order), BATCH):
            numbers = order[start : start + BATCH]
            for number, row in zip(numbers, self._run([texts[each] for each in numbers]), strict=True):
                rows[number] = row
        return numpy.stack(rows)

    def _run(self, texts: list[str]) -> Any:
        import numpy

        encoded = self._tokenizer.encode_batch(texts)
        given: dict[str, Any] = {}
        for name in self._wanted:
            given[name] = numpy.array([getattr(each, INPUTS[name]) for each in encoded], numpy.int64)
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


def _pack_rows(rows: Any) -> list[bytes]:
    """The rows of a matrix in the form that is stored."""
    import numpy

    matrix = numpy.asarray(rows, dtype=numpy.float32)
    largest = numpy.abs(matrix).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    return [row.tobytes() for row in numpy.rint(matrix / largest * LARGEST).astype(numpy.int8)]


def _folder_digest(folder: Path) -> str:
    """The hash of everything in a model's folder that its vectors may depend on."""
    import hashlib

    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in WEIGHTS and path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
            total.update(path.relative_to(folder).as_posix().encode(errors="surrogateescape") + b"\0" + digest)
    return total.hexdigest()[:12]
