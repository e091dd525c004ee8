"""Where a server may listen, by TLS or behind a proxy; each refusal says how to mend it."""

import datetime
import grp
import json
import os
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from fieldguide.settings.config import check_serving, read_settings
from fieldguide.team.gate import TrustedProxies, make_tls_context
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.endpoint import listen_on_socket
from fieldguide.wire.http_guard import HttpAccess, HttpGuard
from tests.identity.service import Service
from tests.raw_http import INITIALIZE, JSON_HEADERS, ask, get
from tests.servers import environment, run

pytestmark = pytest.mark.anyio
JWT = {"auth": "jwt", "jwt_issuer": "https://login.example.org", "jwt_keys": "/keys.json"}
OPEN = {"auth": "tokens", "public_url": "https://guide.example.org"}
TLS = {"tls_cert": "/c.pem", "tls_key": "/k.pem"}


def opening(http: str | None, service: dict[str, object], **more: object) -> None:
    check_serving(read_settings({"project": ".", "http": http, "service": service, **more}, {"HOME": "/nowhere"}))


@pytest.mark.parametrize(
    ("http", "service", "mend"),
    [
        ("0.0.0.0:80", {}, "add --auth tokens"),
        ("192.0.2.7:80", {"auth": "tokens"}, "--tls-cert and --tls-key, or --behind-proxy"),
        ("[::]:80", {"auth": "tokens"}, "--tls-cert and --tls-key, or --behind-proxy"),
        ("0.0.0.0:80", {"auth": "tokens", **TLS}, "--public-url"),
        ("0.0.0.0:80", {**OPEN, "behind_proxy": "everybody"}, "is not the address of a proxy"),
        ("0.0.0.0:80", {**OPEN, "behind_proxy": "unix"}, "--http unix:PATH"),
        ("80", {"auth": "tokens", "public_url": "http://guide.example.org"}, "https://"),
        ("80", {"auth": "tokens", "public_url": "https://guide.example.org/mcp"}, "no path"),
        ("80", {"auth": "tokens", "tls_cert": "/c.pem"}, "--tls-key"),
        ("80", TLS, "add --auth tokens"),
        ("80", {"auth": "basic"}, "tokens or jwt"),
        ("80", {"auth": "jwt"}, "--jwt-issuer"),
        ("80", {"auth": "tokens", "jwt_issuer": "x"}, "is for --auth jwt"),
        ("80", {**JWT, "jwt_skew": "3600"}, "at most 600"),
        ("unix:/run/x.sock", {"auth": "tokens", **TLS}, "the proxy before it speaks TLS"),
        (None, {"auth": "tokens"}, "--http"),
    ],
)
def test_an_opening_that_would_give_something_away_is_refused_with_its_mend(http, service, mend):
    with pytest.raises(Misconfiguration, match="(?s)" + mend.replace("[", r"\[")):
        opening(http, service)


@pytest.mark.parametrize(
    ("http", "service"),
    [
        ("80", {}),
        ("80", {"auth": "tokens"}),
        ("unix:/run/x.sock", {"auth": "tokens", "behind_proxy": "unix", "socket_group": "www-data"}),
        ("0.0.0.0:443", {**OPEN, **TLS}),
        ("0.0.0.0:80", {**OPEN, "behind_proxy": "10.0.0.0/24,2001:db8::7"}),
        ("80", JWT),
    ],
)
def test_a_safe_opening_is_taken(http, service):
    opening(http, service)


def test_a_bound_user_and_an_identity_per_request_do_not_go_together():
    with pytest.raises(Misconfiguration, match="--user"):
        opening("80", {"auth": "tokens"}, user="ann")


def test_how_a_server_is_opened_is_never_a_projects_to_say(tmp_path):
    (tmp_path / "fieldguide.toml").write_text('[service]\nauth = "tokens"\npublic_url = "https://evil.example.org"\n')
    settings = read_settings({"project": str(tmp_path)}, {"HOME": "/nowhere"})

    assert settings.service.auth is None
    assert any("[service]" in problem for problem in settings.problems)


def test_a_server_beyond_loopback_without_identity_does_not_start(tmp_path):
    done = run("serve", "--project", tmp_path, "--http", "0.0.0.0:0", code=2)

    assert "--auth tokens" in done.stderr
    assert done.stdout == ""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    """A certificate for guide.example.org and localhost, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word"))
    (folder / "locked.pem").write_bytes(locked)
    for each in folder.iterdir():
        os.chmod(each, 0o600)
    return folder / "cert.pem", folder / "key.pem"


def test_files_of_tls_that_are_of_no_use_are_named(certificate, tmp_path):
    cert, key = certificate
    open_key, nonsense = tmp_path / "open.pem", tmp_path / "nonsense.pem"
    open_key.write_bytes(key.read_bytes())
    open_key.chmod(0o644)
    nonsense.write_text("no PEM")
    nonsense.chmod(0o600)

    for certificate_file, key_file, sentence in (
        (cert, open_key, "chmod 600"),
        (cert, tmp_path / "none", "can't be read"),
        (tmp_path / "none", key, "can't be read"),
        (cert, tmp_path, "not a plain file"),
        (cert, nonsense, "not PEM"),
        (cert, key.parent / "locked.pem", "has a password"),
    ):
        with pytest.raises(Misconfiguration, match=sentence):
            make_tls_context(str(certificate_file), str(key_file))


def test_a_server_speaks_tls_of_modern_versions_only(served_project, tmp_path, certificate):
    cert, key = certificate
    flags = ("--toolsets", "tasks", "--auth", "tokens", "--tls-cert", str(cert), "--tls-key", str(key))
    trusting = ssl.create_default_context(cafile=str(cert))
    old = ssl.create_default_context(cafile=str(cert))
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    with _proxied(served_project.root, tmp_path / "state", *flags) as service:
        token = service.token("ann")
        address = service.url.replace("http://127.0.0.1", "https://localhost")
        asked = urllib.request.Request(
            address, json.dumps(INITIALIZE).encode(), {**JSON_HEADERS, "Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(asked, timeout=20, context=trusting) as answer:
            status = answer.status
        with pytest.raises(OSError, match=r"(?i)ssl|version|reset"):
            urllib.request.urlopen(asked, timeout=20, context=old)

    assert status == 200


@pytest.fixture(scope="module")
def proxied(served_project, tmp_path_factory) -> Iterator[Service]:
    """A server on a loopback port whose proxy is on this machine."""
    flags = ("--auth", "tokens", "--public-url", "https://guide.example.org", "--behind-proxy", "127.0.0.0/8")
    with _proxied(served_project.root, tmp_path_factory.mktemp("state"), *flags) as running:
        yield running


def test_a_request_of_the_proxy_is_for_the_public_name(proxied):
    token = proxied.token("ann")
    public = {"Host": "guide.example.org", "Authorization": f"Bearer {token}"}

    direct = ask(proxied.url, INITIALIZE, **public)
    told = ask(proxied.url, INITIALIZE, **{**public, "Host": "x:8137", "X_Forwarded_Host": "guide.example.org"})
    standard = ask(
        proxied.url,
        INITIALIZE,
        **{**public, "Host": "x", "Forwarded": 'for=192.0.2.1;proto=https;host="guide.example.org"'},
    )
    other = ask(proxied.url, INITIALIZE, **{**public, "Host": "evil.example.org"})
    forwarded = ask(proxied.url, INITIALIZE, **public, X_Forwarded_Host="evil.example.org")
    clear = ask(proxied.url, INITIALIZE, **public, X_Forwarded_Proto="http")
    at_odds = ask(proxied.url, INITIALIZE, **public, X_Forwarded_For="192.0.2.1", Forwarded="for=192.0.2.2")
    page = ask(proxied.url, INITIALIZE, **public, Origin="https://evil.example.org")
    own_page = ask(proxied.url, INITIALIZE, **public, Origin="https://guide.example.org")

    assert [direct.status, told.status, standard.status, own_page.status] == [200, 200, 200, 200]
    assert [other.status, forwarded.status, clear.status, at_odds.status, page.status] == [421, 421, 403, 400, 403]


def test_metadata_and_challenges_name_the_public_address(proxied):
    asked = ask(proxied.url, INITIALIZE, Host="guide.example.org", Authorization="")
    told = [
        get(proxied.url, f"/.well-known/oauth-protected-resource{path}", Host="guide.example.org")
        for path in ("/mcp", "/mcp/shop", "/mcp/none", "", "/elsewhere", "/mcp/a/b")
    ]

    assert '"https://guide.example.org/.well-known/oauth-protected-resource/mcp"' in asked.headers["www-authenticate"]
    assert [each.status for each in told] == [200, 200, 200, 200, 404, 404]
    assert told[0].message["resource"] == told[3].message["resource"] == "https://guide.example.org/mcp"
    assert told[1].text.replace("shop", "none") == told[2].text


async def test_only_the_proxy_is_believed_and_lets_requests_in():
    seen: list[tuple[str, str]] = []

    async def app(scope, receive, send):
        seen.append((scope["client"][0], dict(scope["headers"])[b"host"].decode()))

    async def asked(client, path="/mcp", **headers):
        given = [(b"host", b"guide.example.org")]
        given += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        sent: list[dict[str, object]] = []

        async def say(*messages):
            sent.extend(messages)

        await guard({"type": "http", "path": path, "query_string": b"", "headers": given, "client": client}, say, say)
        return sent[0]["status"] if sent else seen.pop()

    named = TrustedProxies(["192.0.2.0/24", "unix"], scheme="https", takes_others=False, open_paths={"/healthz"})
    guard = HttpGuard(app, HttpAccess(None, None, correct=named.correct))
    proxy, stranger, socket_ = ("192.0.2.7", 1), ("203.0.113.9", 1), None

    assert await asked(stranger, x_forwarded_for="192.0.2.7", x_forwarded_host="evil") == 403
    assert await asked(stranger, "/healthz", x_forwarded_host="evil") == ("203.0.113.9", "guide.example.org")
    assert await asked(proxy, x_forwarded_for="198.51.100.1") == ("198.51.100.1", "guide.example.org")
    assert await asked(socket_, x_forwarded_for="198.51.100.1") == ("198.51.100.1", "guide.example.org")
    assert await asked(proxy, x_forwarded_for="1.1.1.1, 198.51.100.1, 192.0.2.9") == (
        "198.51.100.1",
        "guide.example.org",
    )
    assert await asked(proxy, forwarded='for=1.1.1.1, for="[2001:db8::7]:99"') == ("2001:db8::7", "guide.example.org")
    assert await asked(proxy, x_forwarded_for="nonsense") == ("192.0.2.7", "guide.example.org")
    assert await asked(proxy, x_forwarded_for="1.1.1.1", forwarded="for=2.2.2.2") == 400
    assert await asked(proxy, x_forwarded_proto="http") == 403


def test_a_socket_is_for_its_group(tmp_path):
    path = tmp_path / "guide.sock"
    endpoint = listen_on_socket(str(path), grp.getgrgid(os.getgid()).gr_name)
    mode = path.stat().st_mode & 0o777
    endpoint.close()

    assert mode == 0o660
    with pytest.raises(Misconfiguration, match="There is no group"):
        listen_on_socket(str(path), "no such group")


@contextmanager
def _proxied(root: Path, state: Path, *flags: str) -> Iterator[Service]:
    """A server whose own words name its public address: it is asked at the port that is free for it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (state / "service").mkdir(parents=True, exist_ok=True, mode=0o700)
    at = ("--http", str(port))
    process = subprocess.Popen(
        [sys.executable, "-m", "fieldguide", "serve", "--project", str(root), "--toolsets", "tasks", *at, *flags],
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), "FIELDGUIDE_STATE": str(state)},
    )
    assert process.stderr is not None
    try:
        assert any("Serving MCP at https://" in each for each in iter(process.stderr.readline, ""))
        yield Service(f"http://127.0.0.1:{port}/mcp", str(state))
    finally:
        process.terminate()
        process.communicate(timeout=60)
