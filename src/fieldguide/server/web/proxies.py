"""A proxy before this server: what it says of its clients is believed, and of nobody else.

Without TLS of our own only the proxy may bring requests: a token that came another way came in the clear. Which headers
a proxy writes is its own affair, so a client may have written the others: where both kinds tell of the client, they
must agree.
"""

from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.server.web.refusal import refusal
from fieldguide.service import UNIX

MOST_HOPS = 20
FROM_OUTSIDE = "This server is reached through its proxy only."
AT_ODDS = "The headers of the proxy contradict each other; the proxy must overwrite `Forwarded` and `X-Forwarded-*`."
IN_THE_CLEAR = "This service answers only what came to its proxy by https."

Address = IPv4Address | IPv6Address


class Forwarded(NamedTuple):
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
            await (self._app if is_open else refusal(403, FROM_OUTSIDE))(scope, receive, send)
        else:
            told = _told(scope["headers"])
            if told is None:
                await refusal(400, AT_ODDS)(scope, receive, send)
            elif told.scheme is not None and told.scheme != self._scheme:
                await refusal(403, IN_THE_CLEAR)(scope, receive, send)
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

    def _corrected(self, scope: Scope, told: Forwarded) -> Scope:
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


def _told(headers: Sequence[tuple[bytes, bytes]]) -> Forwarded | None:
    """What the headers of a request from a proxy say; None where they contradict each other."""
    standard, usual = _standard(_values(headers, b"forwarded")), _usual(headers)
    said = [(standard.hops[-1:], usual.hops[-1:]), (standard.scheme, usual.scheme), (standard.host, usual.host)]
    if any(one and other and one != other for one, other in said):
        return None
    return Forwarded(usual.hops or standard.hops, usual.scheme or standard.scheme, usual.host or standard.host)


def _usual(headers: Sequence[tuple[bytes, bytes]]) -> Forwarded:
    """`X-Forwarded-For`, `-Proto` and `-Host`; of several names or schemes the last, which the nearest proxy wrote."""
    hops, schemes, hosts = (_listed(_values(headers, b"x-forwarded-" + name)) for name in (b"for", b"proto", b"host"))
    return Forwarded(tuple(hops), schemes[-1].lower() if schemes else None, hosts[-1] if hosts else None)


def _standard(values: Sequence[str]) -> Forwarded:
    """`Forwarded` (RFC 7239): an element for each hop."""
    hops: list[str] = []
    scheme = host = None
    for element in _listed(values):
        pairs = dict(_pair(part) for part in element.split(";"))
        hops += [pairs["for"]] if "for" in pairs else []
        scheme, host = pairs.get("proto", scheme), pairs.get("host", host)
    return Forwarded(tuple(hops), None if scheme is None else scheme.lower(), host)


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
