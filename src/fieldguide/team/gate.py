"""Opens a service to others: TLS, trusted proxies, and the verifier of tokens.

Without TLS of our own only the proxy may bring requests: a token that came another way came in the clear. Which headers
a proxy writes is its own affair, so a client may have written the others: where both kinds tell of the client, they
must agree.
"""

import asyncio.sslproto
import importlib
import os
import ssl
import stat
import sys
from collections.abc import Callable, Collection, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from types import ModuleType
from typing import NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.settings.config import Settings
from fieldguide.settings.service import JWT, UNIX, Service
from fieldguide.storage.database import Database
from fieldguide.text.errors import Failure, Misconfiguration
from fieldguide.wire.authentication import OPEN_PATHS, AccessLookup, BearerVerifier, Principals, ProtectedResource
from fieldguide.wire.http_endpoint import PATH, Endpoint, listen_on_port, listen_on_socket
from fieldguide.wire.http_guard import HttpAccess, HttpGuard, make_refusal

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

    def before(self, app: ASGIApp, access_for: AccessLookup, pages: PutPages | None = None) -> ASGIApp:
        """The application behind the guard, for requests of known principals with the rights that the lookup says.

        `pages` puts before it what answers people, who sign in by themselves.
        """
        service = self.service
        issuers = [service.jwt_issuer] if service.auth == JWT and service.jwt_issuer else []
        resource = ProtectedResource(self.origin, issuers=issuers, audience=service.jwt_audience)
        asked: ASGIApp = Principals(app, verifier=self.verifier, access_for=access_for, resource=resource)
        asked = asked if pages is None else pages(asked, resource)
        scheme = self.origin.partition("://")[0]
        guarded = HttpGuard(asked, HttpAccess(self.endpoint.hosts, None, scheme, OPEN_PATHS))
        if not service.behind_proxy:
            return guarded

        takes_others = service.has_tls
        return TrustedProxies(
            guarded, service.behind_proxy, scheme=scheme, takes_others=takes_others, open_paths=OPEN_PATHS
        )


def open_gate(settings: Settings, database: Database, tell: Tell) -> ServiceGate:
    """Listen where the settings say, with what they ask of those who come."""
    verifier = _verifier(settings.service, database, tell)
    endpoint = _endpoint(settings)
    return ServiceGate(endpoint, endpoint.url.removesuffix(PATH), verifier, settings.service)


def _endpoint(settings: Settings) -> Endpoint:
    service = settings.service
    path = settings.socket_path()
    tls = None
    if service.tls_cert is not None and service.tls_key is not None:
        tls = make_tls_context(_file(service.tls_cert), _file(service.tls_key))
    if path is not None:
        found = listen_on_socket(path, service.socket_group)
        origin = service.public_url or "http://localhost"
        return found._replace(url=f"{origin}{PATH}", hosts=service.hosts() or found.hosts)
    found = listen_on_port(*settings.address())
    url = found.url.replace("http://", "https://", 1) if tls is not None else found.url
    if service.public_url is not None:
        url = f"{service.public_url}{PATH}"
    return found._replace(url=url, hosts=service.hosts() or found.hosts, tls=tls)


def _verifier(service: Service, database: Database, tell: Tell) -> BearerVerifier:
    if service.auth != JWT or service.jwt_keys is None or service.jwt_issuer is None:
        from fieldguide.team.identity import KnownTokens, StaticTokens

        return StaticTokens(KnownTokens(database))
    from fieldguide.team.identity import KeySet, WebTokens, open_key_source

    source = open_key_source(service.jwt_keys)
    keys = KeySet(source.read, refresh_seconds=source.refresh_seconds, pause_seconds=source.pause_seconds)
    try:
        if not keys.load():
            raise Misconfiguration(f"{service.jwt_keys} holds no key that verifies signatures.")
    except Failure as error:
        if not source.is_remote:
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
    """An ASGI application before another: requests of proxies get the client, scheme and host that these name."""

    def __init__(
        self, app: ASGIApp, proxies: Collection[str], *, scheme: str, takes_others: bool, open_paths: Collection[str]
    ) -> None:
        self._app = app
        self._networks = [ip_network(each) for each in proxies if each != UNIX]
        self._takes_socket = UNIX in proxies
        self._scheme = scheme
        self._takes_others = takes_others
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as its proxy tells it, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif not self._is_proxy(scope):
            is_open = self._takes_others or scope["path"] in self._open_paths
            await (self._app if is_open else make_refusal(403, FROM_OUTSIDE))(scope, receive, send)
        else:
            told = _told(scope["headers"])
            if told is None:
                await make_refusal(400, AT_ODDS)(scope, receive, send)
            elif told.scheme is not None and told.scheme != self._scheme:
                await make_refusal(403, IN_THE_CLEAR)(scope, receive, send)
            else:
                await self._app(self._corrected(scope, told), receive, send)

    def _is_proxy(self, scope: Scope) -> bool:
        client = scope.get("client")
        if not client or not client[0]:
            return self._takes_socket
        return self._is_trusted(client[0])

    def _is_trusted(self, text: str) -> bool:
        address = _address(text)
        return address is not None and any(_holds(network, address) for network in self._networks)

    def _corrected(self, scope: Scope, told: ForwardedRequest) -> Scope:
        headers = scope["headers"]
        if told.host is not None:
            others = [pair for pair in headers if pair[0] != b"host"]
            headers = [(b"host", told.host.encode("latin-1")), *others]
        client = self._client(told.hops)
        return {**scope, "headers": headers, "scheme": self._scheme, "client": client or scope.get("client")}

    def _client(self, hops: Sequence[str]) -> tuple[str, int] | None:
        """The last address that is no proxy of ours: what stands before it, anybody may have written."""
        outside = [each for each in hops if not self._is_trusted(each)]
        address = _address(outside[-1]) if outside else None
        return None if address is None else (str(address), 0)


def _told(headers: Sequence[tuple[bytes, bytes]]) -> ForwardedRequest | None:
    """What the headers of a request from a proxy say; None where they contradict each other."""
    standard = _standard(_values(headers, b"forwarded"))
    usual = _usual(headers)
    said = [(standard.hops[-1:], usual.hops[-1:]), (standard.scheme, usual.scheme), (standard.host, usual.host)]
    if any(one and other and one != other for one, other in said):
        return None
    return ForwardedRequest(usual.hops or standard.hops, usual.scheme or standard.scheme, usual.host or standard.host)


def _usual(headers: Sequence[tuple[bytes, bytes]]) -> ForwardedRequest:
    """`X-Forwarded-For`, `-Proto` and `-Host`; of several names or schemes the last, which the nearest proxy wrote."""
    hops, schemes, hosts = (_listed(_values(headers, b"x-forwarded-" + name)) for name in (b"for", b"proto", b"host"))
    return ForwardedRequest(tuple(hops), schemes[-1].lower() if schemes else None, hosts[-1] if hosts else None)


def _standard(values: Sequence[str]) -> ForwardedRequest:
    """`Forwarded` (RFC 7239): an element for each hop."""
    hops: list[str] = []
    scheme = host = None
    for element in _listed(values):
        pairs = dict(_pair(part) for part in element.split(";"))
        hops += [pairs["for"]] if "for" in pairs else []
        scheme = pairs.get("proto", scheme)
        host = pairs.get("host", host)
    return ForwardedRequest(tuple(hops), None if scheme is None else scheme.lower(), host)


def _pair(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip().lower(), value.strip().strip('"')


def _listed(values: Sequence[str]) -> list[str]:
    return [each.strip() for value in values for each in value.split(",") if each.strip()][-MOST_HOPS:]


def _values(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for each, value in headers if each == name]


def _address(text: str) -> Address | None:
    """An address as proxies write it: with or without a port or brackets."""
    bare = text.partition("]")[0].removeprefix("[") if text.startswith("[") else text
    bare = bare.partition(":")[0] if bare.count(":") == 1 else bare
    try:
        found = ip_address(bare)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def _holds(network: IPv4Network | IPv6Network, address: Address) -> bool:
    return address.version == network.version and address in network


def make_tls_context(certificate: str, key: str) -> ssl.SSLContext:
    """What speaks TLS with these files; a Misconfiguration says what is wrong with them."""
    _check_key(key)
    _teach_asyncio()
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


def _teach_asyncio() -> None:
    """Give asyncio the TLS that it lacks where `fieldguide serve` imported it without, for a quick start."""
    untaught = [each for name, each in sys.modules.items() if name.startswith("asyncio.") and _lacks_tls(each)]
    for module in untaught:
        vars(module)["ssl"] = ssl
    if untaught:
        importlib.reload(asyncio.sslproto)


def _lacks_tls(module: ModuleType) -> bool:
    return vars(module).get("ssl", ssl) is None


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
