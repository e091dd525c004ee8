"""A model behind an endpoint: a real HTTP server on this machine answers, well or badly."""

import traceback

import pytest

from fieldguide.search.embedding import pack_vector
from fieldguide.search.models.remote import (
    BATCH_TEXTS,
    REST_SECONDS,
    EmbeddingEndpoint,
    Patience,
    Prefixes,
    RemoteModel,
    load_remote,
)
from fieldguide.text.errors import Failure, Misconfiguration
from tests.embedding_server import Reply, embedding_server, vector_of
from tests.fakes import FakeClock

KEY = "sk-Very-Secret-42"
PATIENT = Patience(timeout_seconds=10.0, longest_wait_seconds=60.0)


@pytest.fixture
def server():
    with embedding_server() as served:
        yield served


@pytest.fixture
def environment(server, tmp_path):
    return {
        "FIELDGUIDE_SEARCH_ENDPOINT": server.address,
        "FIELDGUIDE_SEARCH_KEY_VARIABLE": "MY_KEY",
        "MY_KEY": KEY,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.fixture
def slept():
    return []


@pytest.fixture
def endpoint(server, slept):
    return EmbeddingEndpoint(server.address, "small", key=KEY, sleep=slept.append)


def everything_said(error):
    return "".join(traceback.format_exception(error)) + repr(error.__dict__)


def test_documents_are_asked_for_in_batches_and_come_back_in_order(server, environment):
    texts = [f"text {number}" for number in range(BATCH_TEXTS * 2 + 1)]

    vectors = load_remote("small", environment).embed_documents(texts)

    assert vectors == [pack_vector(vector_of(text)) for text in texts]
    assert [len(batch) for batch in server.batches] == [BATCH_TEXTS, BATCH_TEXTS, 1]
    assert {request["path"] for request in server.requests} == {"/v1/embeddings"}
    assert {request["headers"]["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert {request["body"]["model"] for request in server.requests} == {"small"}


def test_another_model_endpoint_width_or_prefix_is_another_identity(server, environment):
    identities = {
        load_remote("small", environment).identity,
        load_remote("large", environment).identity,
        load_remote("small", {**environment, "FIELDGUIDE_SEARCH_DIMENSIONS": "2"}).identity,
        load_remote("small", {**environment, "FIELDGUIDE_SEARCH_ENDPOINT": f"{server.address}/2"}).identity,
        load_remote("small", environment, prefixes=Prefixes("q: ", "p: ")).identity,
    }

    assert len(identities) == 5


def test_vectors_of_another_width_than_before_are_refused(server, environment):
    model = load_remote("small", environment)
    model.embed_documents(["one"])
    server.dimensions = 5

    with pytest.raises(Failure, match=r"5 components instead of 4.*FIELDGUIDE_SEARCH_DIMENSIONS=5"):
        model.embed_documents(["two"])


@pytest.mark.parametrize(
    ("replies", "waits"),
    [
        ([(429, "7")], [7.0]),
        ([(503, "soon")], [0.5]),
    ],
)
def test_a_busy_endpoint_is_asked_again_when_it_says(server, endpoint, slept, replies, waits):
    server.replies = [Reply(status, {}, {"Retry-After": after} if after else {}) for status, after in replies]

    assert endpoint.embed(["one"], PATIENT) == [vector_of("one")]
    assert slept == waits


@pytest.mark.parametrize(
    ("replies", "sentence", "waits"),
    [
        ([Reply(429, {}, {"Retry-After": "3600"})], "answered 429", []),
        ([Reply(503)] * 2, "answered 503, twice", [0.5]),
    ],
)
def test_an_endpoint_that_stays_busy_or_wants_too_long_a_wait_is_given_up(
    server, endpoint, slept, replies, sentence, waits
):
    server.replies = replies

    with pytest.raises(Failure, match=f"{server.host} {sentence}"):
        endpoint.embed(["one"], PATIENT)

    assert slept == waits


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"data": None},
        {"data": [{"embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}]},
    ],
)
def test_an_answer_that_is_no_vectors_is_a_failure(server, endpoint, body):
    server.replies = [Reply(body=body)]

    with pytest.raises(Failure, match=f"The embedding endpoint {server.host}"):
        endpoint.embed(["one", "two"], PATIENT)


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (401, "It does not take the key."),
        (404, "Are the address and model right?"),
        (400, "answered 400"),
    ],
)
def test_a_refusal_is_not_repeated_and_says_what_to_look_at(server, endpoint, slept, status, sentence):
    server.replies = [Reply(status, {"error": {"code": "bad_model"}})]

    with pytest.raises(Failure, match=sentence):
        endpoint.embed(["one"], PATIENT)

    assert (len(server.requests), slept) == (1, [])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_key_is_never_sent_on_to_where_an_endpoint_leads(server, endpoint, status):
    with embedding_server() as other:
        server.replies = [Reply(status, {}, {"Location": f"{other.address}/embeddings"})]

        with pytest.raises(Failure, match="not followed"):
            endpoint.embed(["one"], PATIENT)

        assert other.requests == []


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_is_in_no_message_even_when_the_endpoint_repeats_it(server, endpoint, status):
    server.replies = [Reply(status, {"error": {"code": KEY, "message": KEY}}, {"X-Key": KEY}, reason=KEY)] * 4

    with pytest.raises(Failure) as caught:
        endpoint.embed(["one"], PATIENT)

    assert KEY not in everything_said(caught.value)


@pytest.mark.parametrize("key", ["", "  ", f"{KEY}\r\nX-More: 1", f"{KEY} {KEY}", f"{KEY}é"])
def test_what_can_not_be_a_key_is_refused_without_showing_it(environment, key):
    with pytest.raises(Misconfiguration) as caught:
        load_remote("small", {**environment, "MY_KEY": key})

    assert KEY not in everything_said(caught.value)


def test_a_key_in_place_of_its_variables_name_is_not_shown(environment):
    with pytest.raises(Misconfiguration, match="holds no key") as caught:
        load_remote("small", {**environment, "FIELDGUIDE_SEARCH_KEY_VARIABLE": KEY})

    assert KEY not in everything_said(caught.value)


def test_without_a_key_variable_no_key_is_sent(server, environment):
    model = load_remote("small", {**environment, "FIELDGUIDE_SEARCH_KEY_VARIABLE": "", "OPENAI_API_KEY": KEY})
    model.embed_query("how")

    assert "Authorization" not in server.requests[0]["headers"]


@pytest.mark.parametrize(
    "address",
    ["", "ftp://host/v1", "host/v1", "https://", "https://host:port/v1", "https://ann:pw@host/v1", "https://h/v1?key=pw",
     "https://host/ v1", "file:///etc/passwd"],
)  # fmt: skip
def test_an_address_that_is_none_or_holds_a_secret_is_refused(environment, address):
    with pytest.raises(Misconfiguration) as caught:
        load_remote("small", {**environment, "FIELDGUIDE_SEARCH_ENDPOINT": address})

    assert "pw" not in caught.value.message


def test_an_endpoint_that_was_away_is_left_alone_for_a_while(server, tmp_path):
    clock = FakeClock()
    endpoint = EmbeddingEndpoint(server.address, "small", sleep=lambda seconds: None)
    model = RemoteModel(endpoint, identity="x", width_file=str(tmp_path / "x"), dimensions=4, clock=clock)
    server.replies = [Reply(503)] * 2

    with pytest.raises(Failure, match="answered 503"):
        model.embed_query("how")
    with pytest.raises(Failure, match="was away a moment ago"):
        model.embed_query("how")
    clock.advance(REST_SECONDS)

    assert model.embed_query("how") == pack_vector(vector_of("how"))
    assert len(server.requests) == 3
