"""A model that a person has chosen for the second look; without one, words alone decide."""

import pytest

from fieldguide.errors import Misconfiguration
from fieldguide.search.embedders.cross_encoder import RERANKER, choose_reranker
from fieldguide.search.port import Hit, Passage
from fieldguide.search.reranking import looked_at_again


class Reader:
    """Likes long texts, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def scores(self, query, texts):
        self.asked.append((query, list(texts)))
        return [len(text) / 1000 for text in texts]


def hit(text, score):
    return Hit("docs", "a.md", "Ferns", Passage(text, ("Water",), 1, 1), 0, 1, score, 0.5)


def test_the_model_reads_the_question_with_each_text_and_its_title_and_decides():
    reader = Reader()

    hits = looked_at_again([hit("short", 0.9), hit("a longer text", 0.1)], "how much water", reader)

    assert [each.passage.text for each in hits] == ["a longer text", "short"]
    assert reader.asked == [("how much water", ["Ferns > Water\nshort", "Ferns > Water\na longer text"])]


def test_without_a_model_words_decide():
    hits = looked_at_again([hit("nothing of it", 0.5), hit("how much water", 0.5)], "how much water", None)

    assert next(each.passage.text for each in hits) == "how much water"


def test_nobody_has_chosen_one():
    assert choose_reranker({}, {}) is None


@pytest.mark.parametrize("named", [7, "onnx:", "minilm", "http://example.org"])
def test_what_is_no_model_is_told(named):
    with pytest.raises(Misconfiguration, match="reranker under"):
        choose_reranker({"reranker": named}, {})


def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(Misconfiguration, match="is no model"):
        choose_reranker({}, {RERANKER: f"onnx:{tmp_path}"})
