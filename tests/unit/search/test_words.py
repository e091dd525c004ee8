"""The words of queries and documents: identifiers taken apart, scripts without spaces in pairs."""

import pytest

from fieldguide.text import words
from fieldguide.text.words import MOST_TERMS, STOP_WORDS, extract_hidden_words, extract_query_terms, make_singular

LONG = 60_000  # what takes time by the square of this takes very long


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Water the ferns", ["water", "ferns"]),
        ("water WATER Water", ["water"]),
        ("max_retry_count", ["max retry count", "max", "retry", "count"]),
        ("kube-proxy", ["kube proxy", "kube", "proxy"]),
        ("os.path.join()", ["os path join", "os", "path", "join"]),
        ("docs/a.md", ["docs a md", "docs", "md"]),
        ("a - b", ["b"]),
        ("maxRetryCount", ["maxretrycount", "max", "retry", "count"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("sha256Hash", ["sha256hash", "sha", "256", "hash"]),
        ("HTTP Linux", ["http", "linux"]),
        ("数据库驱动", ["数据", "据库", "库驱", "驱动"]),
        ("山", ["山"]),
        ("Server以后", ["以后", "server"]),
        ("Größe naïve", ["größe", "naïve"]),
        ("드라이버를 설치", ["드라이버를", "설치"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("مَكْتَبَة cafe\u0301", ["مَكْتَبَة", "cafe\u0301"]),
        ("ตั้งค่า", ["ตั", "ั้", "้ง", "งค", "ค่", "่า"]),
        ('"fern" AND NOT (fox*)', ["fern", "fox"]),
        ("__init__", ["init"]),
        ("", []),
        ("?! ... --", []),
    ],
)
def test_a_query_is_the_words_it_looks_for(query, terms):
    assert extract_query_terms(query) == terms


def test_words_that_say_nothing_count_only_where_there_is_no_other():
    assert extract_query_terms("how do I use the fern") == ["fern"]
    assert extract_query_terms("to be or not to be") == ["to", "be", "or", "not"]
    assert {"fern", "python", "error"}.isdisjoint(STOP_WORDS)


def test_a_long_query_is_cut_to_its_first_words():
    numbered = [f"word{number}" for number in range(100)]
    assert extract_query_terms(" ".join(numbered)) == numbered[:MOST_TERMS]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("plain words_with marks", ""),
        ("maxRetryCount and HTTPServer", "max retry count http server"),
        ("数据库 and 山", "数据 据库 山"),
        ("設定ファイル", "設定 定フ ファ ァイ イル"),
        ("Größe", ""),
        ("", ""),
    ],
)
def test_what_the_tokenizer_would_not_find_is_told_beside_the_text(text, hidden):
    assert extract_hidden_words(text) == hidden


@pytest.mark.parametrize("query", ["数据库驱动", "サーバーの設定", "เซิร์ฟเวอร์", "maxRetryCount", "山"])
def test_a_document_hides_what_a_query_for_it_looks_for(query):
    hidden = extract_hidden_words(query).split()
    assert {term for term in extract_query_terms(query) if term != query.lower()} <= set(hidden)
    assert hidden


@pytest.mark.parametrize("piece", ["a", "A", "0", "aB", "AAa", "a_", "a.", "-", "漢", "é", "a-.", "_"])
def test_no_text_takes_longer_than_its_length(piece):
    assert len(extract_query_terms(piece * LONG)) <= MOST_TERMS
    assert "\n" not in extract_hidden_words(piece * LONG)


@pytest.mark.parametrize(
    "forms", ["policy policies", "class classes", "file files", "batch batches", "status", "cache"]
)
def test_a_noun_and_its_plural_have_one_singular(forms):
    assert {make_singular(form) for form in forms.split()} == {forms.split()[0]}


def test_a_word_is_taken_apart_as_the_pattern_of_its_parts_finds_them():
    for word in (f"{number:06}".translate(str.maketrans("12", "Ab")) for number in range(0, 222_223, 11)):
        assert words.split_humps(word, words.EVERY_PART) == words.PART.findall(word)
