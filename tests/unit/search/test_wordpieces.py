"""The words that the embedding model sees in a text."""

import pytest

from fieldguide.search.models.static import CACHED_WORDS, LONGEST_WORD, WordPieces

VOCABULARY = [
    "config", "map", "configmap", "get", "http", "server", "k8s", "token", "##ize", "##r", "cafe", "日", "本", "ж",
    "##ы",
]  # fmt: skip


@pytest.fixture
def pieces():
    return WordPieces({piece: row for row, piece in enumerate(VOCABULARY)})


def words(pieces: WordPieces, text: str) -> dict[str, int]:
    return {VOCABULARY[row]: times for row, times in pieces.count(text).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getHTTPServer", {"get": 1, "http": 1, "server": 1}),
        ("GET_HTTP_SERVER get-server", {"get": 2, "http": 1, "server": 2}),
        ("ConfigMap", {"configmap": 1, "config": 1, "map": 1}),
        ("configmap", {"configmap": 1}),
        ("k8s and K8s", {"k8s": 2}),
        ("tokenizer", {"token": 1, "##ize": 1, "##r": 1}),
        ("Café", {"cafe": 1}),
        ("日本", {"日": 1, "本": 1}),
    ],
)
def test_a_word_is_found_however_code_or_prose_writes_it(pieces, text, expected):
    assert words(pieces, text) == expected


@pytest.mark.parametrize("text", ["", " \n\t", "🙂🙃", "?!…", "\x00\ud800", "щ", "x" * (LONGEST_WORD + 1)])
def test_text_without_a_known_word_counts_nothing(pieces, text):
    assert pieces.count(text) == {}


def test_a_character_that_no_piece_covers_is_passed_over(pieces):
    assert words(pieces, "жщы") == {"ж": 1, "##ы": 1}


def test_a_full_cache_forgets_and_goes_on(pieces):
    pieces.count(" ".join(f"w{number}" for number in range(CACHED_WORDS + 10)))

    assert words(pieces, "config server") == {"config": 1, "server": 1}
