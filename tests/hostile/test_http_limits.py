"""Nothing over HTTP grows without an end: sessions give way, requests arrive in time and within a size."""

import json
import socket
from contextlib import ExitStack

import pytest

from tests.processes import PATIENCE_SECONDS, eventually
from tests.raw_http import INITIALIZE, JSON_HEADERS, answered, ask, get, head, host_of, opened, send
from tests.servers import AUTHORIZATION, http_server

PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
LIMITS = {
    "FIELDGUIDE_LIMIT_HTTP_SESSIONS": "6",
    "FIELDGUIDE_LIMIT_HTTP_SESSIONS_PER_PEER": "3",
    "FIELDGUIDE_LIMIT_HTTP_REQUEST_MEGABYTES": "1",
}
IN_A_SECOND = {"FIELDGUIDE_LIMIT_HTTP_REQUEST_SECONDS": "1"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with http_server(folder, with_test_toolsets=True, extra_environment=LIMITS) as url:
        yield url


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A server that waits a second for a request, for those that never come: others may be late on a busy machine."""
    with http_server(tmp_path_factory.mktemp("hasty"), extra_environment=IN_A_SECOND) as url:
        yield url


def session(url, client="tests"):
    answer = ask(url, INITIALIZE, User_Agent=client)
    assert answer.status == 200, answer.text
    return answer.headers["mcp-session-id"]


def is_open(url, name, client="tests"):
    return ask(url, PING, Mcp_Session_Id=name, User_Agent=client).status == 200


def requested(url, path="/mcp", method="POST", length=0, **headers):
    """The head of a request with the token, as bytes."""
    given = {"Host": host_of(url), **JSON_HEADERS, **AUTHORIZATION, "Content-Length": str(length), **headers}
    return head(method, path, list(given.items()))


def test_clients_that_vanish_lock_nobody_out(server):
    names = [session(server) for _ in range(20)]

    assert [is_open(server, name) for name in names[-3:]] == [True] * 3
    assert not any(is_open(server, name) for name in names[:-3])


def test_a_peer_with_too_many_gives_up_its_own_sessions_and_not_anothers(server):
    careful = session(server, "careful")

    for _ in range(20):
        session(server, "greedy")

    assert is_open(server, careful, "careful")


def test_names_without_number_do_not_fill_the_table(server):
    for number in range(20):
        session(server, f"client {number}")

    last = session(server, "the last one")
    assert is_open(server, last, "the last one")


def test_the_session_that_was_used_last_stays_longest(server):
    first, second, third = (session(server, "three") for _ in range(3))
    assert is_open(server, first, "three")

    session(server, "three")

    assert [is_open(server, name, "three") for name in (first, second, third)] == [True, False, True]


def test_calls_under_way_are_not_given_up_and_the_refusal_names_the_limit(server, tmp_path):
    wait = {"name": "wait", "arguments": {"seconds": 60, "or_until": str(tmp_path / "enough")}}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": wait}
    with ExitStack() as stack:
        for _ in range(3):
            name = session(server, "busy")
            body = json.dumps(call).encode()
            stream = stack.enter_context(opened(server))
            stream.sendall(requested(server, length=len(body), **{"Mcp-Session-Id": name, "User-Agent": "busy"}) + body)
            assert is_open(server, name, "busy")  # it has read what came before

        refused = ask(server, INITIALIZE, User_Agent="busy")
        other = ask(server, INITIALIZE, User_Agent="other")
        (tmp_path / "enough").touch()

    assert refused.status == 503
    assert "3 sessions already" in refused.sentence
    assert "FIELDGUIDE_LIMIT_HTTP_SESSIONS_PER_PEER" in refused.sentence
    assert other.status == 200
    assert eventually(lambda: ask(server, INITIALIZE, User_Agent="busy").status == 200)


def test_a_body_over_the_limit_is_refused_by_its_size_and_the_limit_is_named(server):
    large = b" " * (1_048_576 + 1)

    refused = send(
        server,
        "POST",
        "/mcp",
        [("Host", host_of(server)), *AUTHORIZATION.items(), ("Content-Length", str(len(large)))],
        large,
    )

    assert refused.status == 413
    assert "at most 1 MiB" in refused.sentence
    assert "FIELDGUIDE_LIMIT_HTTP_REQUEST_MEGABYTES" in refused.sentence


def test_a_body_without_a_length_is_counted_as_it_comes(server):
    with opened(server) as connection:
        headers = [("Host", host_of(server)), *AUTHORIZATION.items(), ("Transfer-Encoding", "chunked")]
        connection.sendall(head("POST", "/mcp", headers) + b"110000\r\n" + b" " * 0x110000)
        refused = answered(connection, "POST")

    assert refused.status == 413


def test_a_body_that_does_not_come_is_not_waited_for(hasty):
    with opened(hasty) as connection:
        connection.sendall(requested(hasty, length=100) + b"{")
        refused = answered(connection, "POST")

    assert refused.status == 408
    assert "FIELDGUIDE_LIMIT_HTTP_REQUEST_SECONDS" in refused.sentence


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: "])
def test_a_connection_that_asks_nothing_is_ended_without_a_token(hasty, sent):
    with opened(hasty) as connection:
        connection.sendall(sent)
        assert ended(connection)


def test_a_refused_request_can_not_hold_its_connection_by_its_body(hasty):
    with opened(hasty) as connection:
        connection.sendall(head("POST", "/mcp", [("Host", host_of(hasty)), ("Content-Length", "1000000")]))
        assert answered(connection, "POST").status == 401
        connection.sendall(b"{")

        assert ended(connection)


def ended(connection):
    """Whether the server closes a connection; a reset is an end as well."""
    connection.settimeout(PATIENCE_SECONDS)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_head_that_is_too_large_is_refused(server):
    host = ("Host", host_of(server))

    many = send(server, "GET", "/healthz", [host, *((f"X-{number}", "1") for number in range(101))])
    long = send(server, "GET", "/healthz", [host, ("X-Long", "x" * 16_384)])
    endless = send(server, "GET", "/healthz?" + "x" * 16_385, [host])

    assert (many.status, long.status, endless.status) == (431, 431, 431)
    assert "100 headers" in many.sentence


def test_silent_connections_without_number_leave_room_for_those_who_ask(hasty):
    with ExitStack() as stack:
        for _ in range(600):
            stack.enter_context(opened(hasty))

        assert get(hasty, "/healthz").status == 200
        assert ask(hasty, INITIALIZE).status == 200


def test_garbage_and_upgrades_are_refused_and_the_server_lives_on(server):
    upgrade = [("Host", host_of(server)), ("Connection", "Upgrade"), ("Upgrade", "websocket")]
    with opened(server) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
        assert answered(connection).status == 400

    assert send(server, "GET", "/mcp", upgrade).status == 401
    assert get(server, "/healthz").status == 200


def test_a_client_that_leaves_in_the_middle_of_its_body_is_forgotten(server):
    with opened(server) as connection:
        connection.sendall(requested(server, length=100) + b"{")
        connection.shutdown(socket.SHUT_RDWR)

    assert get(server, "/healthz").status == 200
