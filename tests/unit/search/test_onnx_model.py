"""A model in a folder, with stubs of onnxruntime and tokenizers in their place."""

import sys

import pytest

from fieldguide.search.models.choice import choose_embedder, load_model
from fieldguide.text.errors import Misconfiguration

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
    names = ("onnxruntime", "tokenizers")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)

    def put(name, source):
        (site / f"{name}.py").write_text(source)

    yield put
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def onnx_folder(install, tmp_path):
    install("onnxruntime", ONNXRUNTIME)
    install("tokenizers", TOKENIZERS)
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"weights")
    (folder / "tokenizer.json").write_text("{}")
    return folder


def test_an_onnx_folder_without_its_runtime_says_what_to_install(onnx_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    with pytest.raises(Misconfiguration, match="pip install onnxruntime tokenizers"):
        load_model(f"onnx:{onnx_folder}", {})


def test_prefixes_of_the_settings_win_over_those_of_the_models_makers(onnx_folder):
    named = onnx_folder.rename(onnx_folder.with_name("e5-small"))
    own = {"FIELDGUIDE_SEARCH_MODEL": f"onnx:{named}", "FIELDGUIDE_SEARCH_QUERY_PREFIX": "Q "}
    makers = choose_embedder({}, {"FIELDGUIDE_SEARCH_MODEL": f"onnx:{named}"})

    model = choose_embedder({"passage_prefix": "PPP "}, own)
    plain = choose_embedder({"passage_prefix": ""}, {**own, "FIELDGUIDE_SEARCH_QUERY_PREFIX": ""})

    assert model.embed_query("how") == plain.embed_query("Q how") != plain.embed_query("how")
    assert model.embed_documents(["so"]) == plain.embed_documents(["PPP so"])
    assert makers.embed_query("how") == plain.embed_query("query: how")
    assert len({plain.identity, model.identity, makers.identity}) == 3
    assert model.identity.startswith(f"{plain.identity}+")
    with pytest.raises(Misconfiguration, match="must be texts"):
        choose_embedder({"query_prefix": 1}, {})


def test_a_folder_of_weights_is_named_by_its_content_wherever_it_lies(onnx_folder, tmp_path):
    identities = []
    for place, weights in (("one", b"1"), ("two", b"1"), ("three", b"2")):
        folder = tmp_path / place / "mine"
        folder.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(weights)
        (folder / "tokenizer.json").write_text("{}")
        identities.append(load_model(f"onnx:{folder}", {}).identity)

    assert identities[0] == identities[1] != identities[2]
    assert identities[0].startswith("onnx:mine@")


def test_an_onnx_model_takes_the_middle_of_its_tokens_without_the_padding(onnx_folder):
    model = load_model(f"onnx:{onnx_folder}", {})

    vectors = model.embed_documents(["a bb ccc", "bb", "bb"])

    # means: (2, 14/3, 1) and (2, 4, 1); each scaled to its own largest component
    assert [list(memoryview(vector).cast("b")) for vector in vectors] == [[54, 127, 27], [64, 127, 32], [64, 127, 32]]
    assert model.embed_documents([]) == []
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
