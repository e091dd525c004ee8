"""A page elsewhere and a name that was bent to this machine reach nothing: Host and Origin are compared whole."""

import json

import pytest

from tests.raw_http import INITIALIZE, JSON_HEADERS, answered, ask, get, head, host_of, opened, send
from tests.servers import AUTHORIZATION, http_server

PATHS = ("/mcp", "/", "/healthz", "/link")


@pytest.fixture(scope="module", params=["team", "token", "no token"])
def server(request, tmp_path_factory):
    flags = () if request.param == "token" else ("--no-token",)
    with http_server(tmp_path_factory.mktemp("served"), "--toolsets", "directive", *flags) as url:
        yield url


def request_with(server, path, *named):
    body = json.dumps(INITIALIZE).encode() if path == "/mcp" else b""
    headers = [*named, *JSON_HEADERS.items(), *AUTHORIZATION.items(), ("Content-Length", str(len(body)))]
    return send(server, "POST" if path == "/mcp" else "GET", path, headers, body)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "127.0.0.1.evil.com:{port}", "localhost.evil:{port}", "127.0.0.1:{port}@evil",
        "127.0.0.1:{port}.evil", "127.0.0.1:{port}:80", "evil@127.0.0.1:{port}", "127.0.0.1:1", "127.0.0.1",
        "localhost", "localhost:", "localhost.:{port}", "127.1:{port}", "0.0.0.0:{port}", "[::1]:{port}",
        "2130706433:{port}", "",
    ],
)  # fmt: skip
def test_a_host_that_is_not_ours_to_the_last_character_is_refused(server, host):
    port = host_of(server).rpartition(":")[2]

    refused = request_with(server, "/mcp", ("Host", host.format(port=port)))

    assert refused.status == 421
    assert "answers only to the Host" in refused.sentence


@pytest.mark.parametrize("path", PATHS)
def test_every_path_refuses_another_host_and_another_origin(server, path):
    other_host = request_with(server, path, ("Host", "evil.example"))
    other_origin = request_with(server, path, ("Host", host_of(server)), ("Origin", "https://evil.example"))

    assert (other_host.status, other_origin.status) == (421, 403)


@pytest.mark.parametrize(
    "origin",
    [
        "null", "https://evil.example", "http://localhost.evil:{port}", "http://127.0.0.1:{port}.evil.com",
        "http://127.0.0.1:1", "http://127.0.0.1", "https://127.0.0.1:{port}", "http://127.0.0.1:{port}/",
        "http://evil@127.0.0.1:{port}", "127.0.0.1:{port}", "",
    ],
)  # fmt: skip
def test_an_origin_that_is_not_ours_to_the_last_character_is_refused(server, origin):
    host = host_of(server)

    refused = request_with(server, "/mcp", ("Host", host), ("Origin", origin.format(port=host.rpartition(":")[2])))

    assert refused.status == 403
    assert "another origin" in refused.sentence


def test_two_hosts_or_none_are_refused(server):
    host = host_of(server)
    with opened(server) as connection:
        connection.sendall(head("GET", "/healthz", [], version="1.0"))
        missing = answered(connection)

    twice = send(server, "GET", "/healthz", [("Host", host), ("Host", "evil.example")])
    old = send(server, "GET", "/healthz", [])

    assert missing.status == 421
    assert (twice.status, old.status) == (400, 400)


def test_one_good_origin_does_not_cover_for_another(server):
    host = host_of(server)

    refused = request_with(
        server, "/mcp", ("Host", host), ("Origin", f"http://{host}"), ("Origin", "https://evil.example")
    )

    assert refused.status == 403


def test_a_target_with_another_host_in_it_reaches_nothing(server):
    headers = [("Host", host_of(server))]

    absolute = send(server, "GET", "http://evil.example/healthz", headers)

    assert absolute.status in (401, 404)


def test_both_names_of_the_address_and_their_origins_are_served(server):
    port = host_of(server).rpartition(":")[2]

    for name in ("127.0.0.1", "localhost"):
        host = f"{name}:{port}"
        assert ask(server, INITIALIZE, Host=host, Origin=f"http://{host}").status == 200
        assert get(server, "/healthz", Host=host).status == 200


def test_no_page_elsewhere_learns_what_a_preflight_would_tell_it(server):
    headers = [("Host", host_of(server)), ("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")]

    refused = send(server, "OPTIONS", "/mcp", headers)

    assert refused.status == 403
    assert not [name for name in refused.headers if name.startswith("access-control")]
