"""Opens a service to others: TLS, trusted proxies, and the verifier of tokens.

Without TLS of our own only the proxy may send requests: a token that came another way came in the clear. A client may
have written the forwarding headers that its proxy does not: where both kinds name the client, they must agree.
"""

import os
import ssl
import stat
from collections.abc import Callable, Collection, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple

from starlette.responses import Response
from starlette.types import ASGIApp, Scope

from fieldguide.settings.config import Settings
from fieldguide.settings.service import JWT, MCP_PATH, UNIX, Service
from fieldguide.storage.database import Database
from fieldguide.text.errors import Failure, Misconfiguration
from fieldguide.wire.authentication import OPEN_PATHS, AccessLookup, BearerVerifier, Principals, ProtectedResource
from fieldguide.wire.endpoint import Endpoint, listen_on_port, listen_on_socket
from fieldguide.wire.http_guard import HttpAccess, HttpGuard, NoteRefusal, make_refusal

Tell = Callable[[str], None]
PutPages = Callable[[ASGIApp, ProtectedResource], ASGIApp]
MOST_HOPS = 20
FROM_OUTSIDE = "This server is reached through its proxy only."
AT_ODDS = "The headers of the proxy contradict each other; the proxy must overwrite `Forwarded` and `X-Forwarded-*`."
IN_THE_CLEAR = "This service answers only what came to its proxy by https."

Address = IPv4Address | IPv6Address
OTHERS = stat.S_IRWXO | stat.S_IWGRP


class ServiceGate(NamedTuple):
    """Where a service listens, and what it puts before whatever it serves."""

    endpoint: Endpoint
    origin: str
    verifier: BearerVerifier
    service: Service

    def before(
        self, app: ASGIApp, access_for: AccessLookup, refused: NoteRefusal, pages: PutPages | None = None
    ) -> ASGIApp:
        """The application behind the guard, for requests of known principals with the rights that the lookup says.

        `refused` is told of the others. `pages` puts before it what answers people, who sign in by themselves.
        """
        service = self.service
        issuers = [service.jwt_issuer] if service.auth == JWT and service.jwt_issuer else []
        resource = ProtectedResource(self.origin, issuers=issuers, audience=service.jwt_audience)
        asked: ASGIApp = Principals(app, verifier=self.verifier, access_for=access_for, resource=resource)
        asked = asked if pages is None else pages(asked, resource)
        scheme = self.origin.partition("://")[0]
        correct = None
        if service.behind_proxy:
            correct = TrustedProxies(
                service.behind_proxy, scheme=scheme, takes_others=service.has_tls, open_paths=OPEN_PATHS
            ).correct
        access = HttpAccess(self.endpoint.hosts, None, scheme, OPEN_PATHS, correct)
        return HttpGuard(asked, access, note_refusal=refused)


def open_gate(settings: Settings, database: Database, tell: Tell) -> ServiceGate:
    """Listen where the settings say, with what they ask of those who come."""
    verifier = _verifier(settings.service, database, tell)
    endpoint = _endpoint(settings)
    return ServiceGate(endpoint, endpoint.url.removesuffix(MCP_PATH), verifier, settings.service)


def _endpoint(settings: Settings) -> Endpoint:
    service = settings.service
    path = settings.socket_path()
    tls = None
    if service.tls_cert is not None and service.tls_key is not None:
        tls = make_tls_context(_file(service.tls_cert), _file(service.tls_key))
    if path is not None:
        found = listen_on_socket(path, service.socket_group)
        origin = service.public_url or "http://localhost"
        return found._replace(url=f"{origin}{MCP_PATH}", hosts=service.hosts() or found.hosts)
    found = listen_on_port(*settings.address())
    url = found.url.replace("http://", "https://", 1) if tls is not None else found.url
    if service.public_url is not None:
        url = f"{service.public_url}{MCP_PATH}"
    return found._replace(url=url, hosts=service.hosts() or found.hosts, tls=tls)


def _verifier(service: Service, database: Database, tell: Tell) -> BearerVerifier:
    if service.auth != JWT or service.jwt_keys is None or service.jwt_issuer is None:
        from fieldguide.team.identity import KnownTokens, StaticTokens

        return StaticTokens(KnownTokens(database))
    from fieldguide.team.identity import WebTokens, open_key_set

    keys = open_key_set(service.jwt_keys)
    try:
        if not keys.load():
            raise Misconfiguration(f"{service.jwt_keys} holds no key that verifies signatures.")
    except Failure as error:
        if "://" not in service.jwt_keys:
            raise Misconfiguration(error.message) from error
        tell(f"{error.message} It is tried again when somebody comes.")  # the provider may start after us
    return WebTokens(keys, issuer=service.jwt_issuer, skew_seconds=service.jwt_skew)


def _file(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


class ForwardedRequest(NamedTuple):
    """What a proxy says of a request: the addresses it came through, how it came, and to which name."""

    hops: tuple[str, ...] = ()
    scheme: str | None = None
    host: str | None = None


class TrustedProxies:
    """Gives requests of proxies the client, scheme and host that these name."""

    def __init__(
        self, proxies: Collection[str], *, scheme: str, takes_others: bool, open_paths: Collection[str]
    ) -> None:
        self._networks = [ip_network(each) for each in proxies if each != UNIX]
        self._takes_socket = UNIX in proxies
        self._scheme = scheme
        self._takes_others = takes_others
        self._open_paths = frozenset(open_paths)

    def correct(self, scope: Scope) -> Scope | Response:
        """The request as its proxy tells it, or the response that refuses it."""
        if not self._is_proxy(scope):
            is_open = self._takes_others or scope["path"] in self._open_paths
            return scope if is_open else make_refusal(403, FROM_OUTSIDE)
        forwarded = _read_forwarded(scope["headers"])
        if forwarded is None:
            return make_refusal(400, AT_ODDS)
        if forwarded.scheme is not None and forwarded.scheme != self._scheme:
            return make_refusal(403, IN_THE_CLEAR)
        return self._correct(scope, forwarded)

    def _is_proxy(self, scope: Scope) -> bool:
        client = scope.get("client")
        if not client or not client[0]:
            return self._takes_socket
        return self._is_trusted(client[0])

    def _is_trusted(self, text: str) -> bool:
        address = _address(text)
        if address is None:
            return False
        return any(address.version == network.version and address in network for network in self._networks)

    def _correct(self, scope: Scope, forwarded: ForwardedRequest) -> Scope:
        """The request as its proxy forwards it; its client is the last address that is no proxy of ours."""
        headers = scope["headers"]
        if forwarded.host is not None:
            others = [pair for pair in headers if pair[0] != b"host"]
            headers = [(b"host", forwarded.host.encode("latin-1")), *others]
        outside = [each for each in forwarded.hops if not self._is_trusted(each)]
        address = _address(outside[-1]) if outside else None
        client = scope.get("client") if address is None else (str(address), 0)
        return {**scope, "headers": headers, "scheme": self._scheme, "client": client}


def _read_forwarded(headers: Sequence[tuple[bytes, bytes]]) -> ForwardedRequest | None:
    """The forwarding headers of both kinds; None where they contradict each other.

    Of several names or schemes in `X-Forwarded-*` the last counts, which the nearest proxy wrote.
    """
    standard = _read_standard(headers)
    hops = tuple(_list_values(headers, b"x-forwarded-for"))
    schemes = _list_values(headers, b"x-forwarded-proto")
    hosts = _list_values(headers, b"x-forwarded-host")
    scheme = schemes[-1].lower() if schemes else None
    host = hosts[-1] if hosts else None
    pairs = [(standard.hops[-1:], hops[-1:]), (standard.scheme, scheme), (standard.host, host)]
    if any(one and other and one != other for one, other in pairs):
        return None
    return ForwardedRequest(hops or standard.hops, scheme or standard.scheme, host or standard.host)


def _read_standard(headers: Sequence[tuple[bytes, bytes]]) -> ForwardedRequest:
    """`Forwarded` (RFC 7239): an element for each hop."""
    hops: list[str] = []
    scheme = host = None
    for element in _list_values(headers, b"forwarded"):
        pairs: dict[str, str] = {}
        for part in element.split(";"):
            name, _, value = part.partition("=")
            pairs[name.strip().lower()] = value.strip().strip('"')
        if "for" in pairs:
            hops.append(pairs["for"])
        scheme = pairs.get("proto", scheme)
        host = pairs.get("host", host)
    return ForwardedRequest(tuple(hops), None if scheme is None else scheme.lower(), host)


def _list_values(headers: Sequence[tuple[bytes, bytes]], header: bytes) -> list[str]:
    """The comma-separated values of all headers of a name, the last few of them."""
    values: list[str] = []
    for name, value in headers:
        if name == header:
            values += [each.strip() for each in value.decode("latin-1").split(",") if each.strip()]
    return values[-MOST_HOPS:]


def _address(text: str) -> Address | None:
    """An address as proxies write it: with or without a port or brackets."""
    bare = text.partition("]")[0].removeprefix("[") if text.startswith("[") else text
    bare = bare.partition(":")[0] if bare.count(":") == 1 else bare
    try:
        found = ip_address(bare)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def make_tls_context(certificate: str, key: str) -> ssl.SSLContext:
    """What speaks TLS with these files; a Misconfiguration says what is wrong with them."""
    _check_key(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except _Locked as error:
        raise Misconfiguration(
            f"The key {key} has a password. Give one without, that only the server reads."
        ) from error
    except ssl.SSLError as error:
        raise Misconfiguration(
            f"The certificate {certificate} and the key {key} are of no use: not PEM, or they do not belong together."
        ) from error
    except OSError as error:
        raise Misconfiguration(f"The certificate {certificate} can't be read: {error.strerror or error}.") from error
    return context


def _check_key(key: str) -> None:
    try:
        found = os.stat(key)
    except OSError as error:
        raise Misconfiguration(f"The key {key} can't be read: {error.strerror or error}.") from error
    if not stat.S_ISREG(found.st_mode):
        raise Misconfiguration(f"The key {key} is not a plain file.")
    if found.st_mode & OTHERS:
        raise Misconfiguration(f"Others can read or change the key {key}: `chmod 600` it (or 640, for a group).")


class _Locked(Exception):
    """The key asks for a password, and nobody is there to type it."""


def _no_password() -> str:
    raise _Locked
