"""The endpoint of a model: it can't hold a call for ever, fill the memory, or lead a key on to somebody else."""

import ssl

import pytest

from fieldguide.search.models import remote
from fieldguide.search.models.remote import EmbeddingEndpoint, Patience
from fieldguide.text.errors import Failure
from tests.hostile.rude_servers import dripping, flooding, make_certificate, rude_server, saying

ONCE = Patience(timeout_seconds=60.0, longest_wait_seconds=0.0)
OK = b"HTTP/1.1 200 OK\r\n"
ANSWER = b'{"data": [{"index": 0, "embedding": [1.0, 2.0]}]}'


def embedded(port, scheme="http", host="127.0.0.1", seconds=60.0):
    retries = ONCE._replace(timeout_seconds=seconds)
    return EmbeddingEndpoint(f"{scheme}://{host}:{port}/v1", "m", key="secret").embed(["text"], retries)


@pytest.mark.parametrize(
    "speak",
    [
        dripping(b"", b"H"),
        dripping(OK, b"X: y\r\n"),
        dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        dripping(OK + b"Content-Length: 1000000\r\n\r\n", b" "),
        dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
        flooding(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
        lambda line, over: over.wait(),
    ],
    ids=["status", "headers", "continue", "body", "trailer", "continues", "silence"],
)
def test_an_answer_that_never_ends_has_its_time(speak):
    with rude_server(speak) as rude, pytest.raises(Failure, match=r"did not answer within 0\.5 seconds"):
        embedded(rude.port, seconds=0.5)


@pytest.mark.parametrize("status", [b"401 Unauthorized", b"503 Unavailable"])
def test_an_error_that_never_ends_has_its_time(status):
    speak = dripping(b"HTTP/1.1 " + status + b"\r\nContent-Length: 1000000\r\n\r\n", b" ")

    with rude_server(speak) as rude, pytest.raises(Failure, match=f"answered {status[:3].decode()}"):
        embedded(rude.port, seconds=2.0)


def test_an_answer_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(remote, "LARGEST_ANSWER_BYTES", 1 << 16)

    with rude_server(flooding(OK + b"\r\n", b" " * 65536)) as rude, pytest.raises(Failure, match="more than anybody"):
        embedded(rude.port)


def test_an_endpoint_that_leads_elsewhere_is_not_followed():
    with rude_server(saying(b"")) as other:
        answer = b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n" % other.port
        with rude_server(saying(answer)) as rude, pytest.raises(Failure, match="is not followed"):
            embedded(rude.port)

    assert other.heard == []


def test_a_right_answer_is_taken_encrypted_or_not(tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    answer = OK + b"Content-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER

    with rude_server(saying(answer)) as rude:
        plain = embedded(rude.port)
    with rude_server(saying(answer), context) as rude:
        encrypted = embedded(rude.port, scheme="https", host="localhost")

    assert plain == encrypted == [[1.0, 2.0]]
