"""The shipped embedding model: it is the one in its card, and gives the vectors that numpy would give."""

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fieldguide.search.models import static
from fieldguide.search.models.static import DIGEST_BYTES, HEADER, SHIPPED, StaticModel, read_header, read_table
from fieldguide.text.errors import Failure
from training.model_in_numpy import Network, added_up, packed_rows, through

CARD = json.loads(SHIPPED.with_name("card.json").read_text(encoding="utf-8"))
TEXTS = [
    "How do I mount a ConfigMap as a volume?",
    "def read_lines(path):\n    with open(path) as file:\n        return file.read().splitlines()\n",
    "The scheduler assigns pods to nodes. " * 40,
    "配置文件 documentation",
    "",
]


@pytest.fixture(scope="module")
def model():
    return StaticModel()


def cosine(first: bytes, second: bytes) -> float:
    a, b = (np.frombuffer(vector, np.int8).astype(np.float64) for vector in (first, second))
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def test_the_card_describes_the_file_that_is_shipped(model):
    content = SHIPPED.read_bytes()
    header = read_header(SHIPPED)
    digest = hashlib.blake2b(content[HEADER.size :], digest_size=DIGEST_BYTES).hexdigest()

    assert header.digest.hex() == digest == CARD["digest"]
    assert (header.rows, header.dimensions, len(content)) == (CARD["rows"], CARD["dimensions"], CARD["bytes"])
    assert model.identity == CARD["identity"]
    assert model.dimensions == header.dimensions


def test_model_and_card_stay_under_twelve_megabytes():
    assert sum(path.stat().st_size for path in SHIPPED.parent.iterdir()) < 12_000_000


def test_the_card_names_every_source_with_its_licence():
    sources = CARD["sources"]

    assert all(source["licence"] for source in sources)
    assert not any(source["name"].startswith(("adr-", "ray", "mdn", "scifact")) for source in sources)
    assert not {source["name"] for source in sources} & {*CARD["held_out_packages"], *CARD["held_out_documentation"]}


def test_vectors_are_those_that_numpy_would_give(model):
    table = read_table(SHIPPED)
    rows = np.frombuffer(table.rows, np.int8).reshape(-1, table.dimensions)
    scales = np.frombuffer(table.scales, np.float32)
    numbers = np.frombuffer(table.network, "<f2").astype(np.float32)
    width, hidden = table.dimensions, table.hidden
    widen, bias, narrow = np.split(numbers, [width * hidden, (width + 1) * hidden])
    network = Network(widen.reshape(width, hidden), bias, narrow.reshape(hidden, width))
    sums = np.stack([added_up(table.pieces.count(text), rows, scales, table.gate) for text in TEXTS])

    for found, expected in (
        ([model.embed_query(text) for text in TEXTS], packed_rows(sums)),
        (model.embed_documents(TEXTS), packed_rows(through(sums, network))),
    ):
        differences = np.frombuffer(b"".join(found), np.int8).astype(int) - np.frombuffer(b"".join(expected), np.int8)
        assert np.abs(differences).max() <= 1
        assert np.count_nonzero(differences) <= 2


def test_a_row_that_was_forgotten_is_read_again(model, monkeypatch):
    monkeypatch.setattr(static, "KEPT_ROWS", 3)

    assert StaticModel().embed_documents(TEXTS) == model.embed_documents(TEXTS)


def test_documents_have_the_vectors_that_they_have_alone(model):
    together = model.embed_documents(TEXTS)
    alone = [model.embed_documents([text])[0] for text in TEXTS]

    differences = np.frombuffer(b"".join(together), np.int8).astype(int) - np.frombuffer(b"".join(alone), np.int8)
    assert np.abs(differences).max() <= 1
    assert model.embed_documents([]) == []


def test_a_question_is_nearer_to_its_answer_than_to_another(model):
    question = model.embed_query("how to read a csv file in python")
    right, wrong = model.embed_documents(
        [
            "def load_table(path):\n    with open(path, newline='') as f:\n        return list(csv.reader(f))",
            "def close(self):\n    self.socket.shutdown(SHUT_RDWR)\n    self.socket.close()",
        ]
    )

    assert cosine(question, right) > cosine(question, wrong) + 0.1


@pytest.mark.parametrize("text", ["", "\n\n", "🙂", "\x00\ud800"])
def test_text_without_a_known_word_points_nowhere(model, text):
    assert model.embed_query(text) == bytes(model.dimensions) == model.embed_documents([text])[0]


def test_chinese_and_japanese_text_still_points_somewhere(model):
    assert any(model.embed_query("日本語の文書"))


def test_the_model_needs_no_numpy():
    program = (
        "import sys; sys.modules['numpy'] = None; from fieldguide.search.models.static import StaticModel; "
        "model = StaticModel(); model.embed_query('where is the journal'); model.embed_documents(['a', 'journal'])"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_threads_that_come_first_together_share_one_table(model):
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(StaticModel().embed_query, [TEXTS[0]] * 8))

    assert found == [model.embed_query(TEXTS[0])] * 8


@pytest.mark.parametrize("keep", [0, 20, 5000])
def test_a_broken_file_is_a_failure_that_says_so(tmp_path, keep):
    broken = tmp_path / "static.bin"
    broken.write_bytes(SHIPPED.read_bytes()[:keep])

    with pytest.raises(Failure, match="Install Fieldguide again"):
        StaticModel(broken).embed_query("anything")


def test_another_file_is_no_model(tmp_path):
    other = tmp_path / "static.bin"
    other.write_bytes(b"NOTMODEL" + bytes(100))

    with pytest.raises(Failure, match="no embedding model"):
        _ = StaticModel(other).identity


def test_another_content_is_another_identity(tmp_path, model):
    changed = tmp_path / "static.bin"
    content = bytearray(SHIPPED.read_bytes()[: HEADER.size])
    content[HEADER.size - DIGEST_BYTES] ^= 1
    changed.write_bytes(content)

    assert StaticModel(changed).identity != model.identity


def test_documents_are_embedded_on_the_thread_that_asks_for_it():
    program = (
        "import os; from fieldguide.search.models.static import StaticModel;"
        "StaticModel().embed_documents(['a fern by the pond'] * 2000); print(len(os.listdir('/proc/self/task')))"
    )
    alone = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=alone)

    assert done.stdout == "1\n"
