"""Whom a fetch may reach: hosts of the public internet, and those that a person has named.

A host is resolved once. Every address that it has is judged, however the host is spelled, and the connection goes to
one of those that were judged: a second answer of the name server counts for nothing.
"""

import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.errors import Misconfiguration, Unreadable
from fieldguide.toolsets.documents.sources.networks import Network, is_public, read_address, read_network

VARIABLE = "FIELDGUIDE_FETCH_ALLOW"
MOST_ADDRESSES = 64
PORTS = {"http": 80, "https": 443, "ssh": 22}
NOT_IN_A_HOST = frozenset("/\\@?#*,;<>|^`'\"{}[]")

Resolve = Callable[[str, int], Sequence[str]]


class Named(NamedTuple):
    """What a person has named: a host or a network, at one port or at every one."""

    host: str | None
    network: Network | None
    port: int | None

    @property
    def spelled(self) -> str:
        """As a person writes it."""
        name = self.host or str(self.network).removesuffix("/32").removesuffix("/128")
        return name if self.port is None else spelled(name, self.port)

    def covers(self, host: str, port: int, address: str | None) -> bool:
        """Whether this names the host, or the address that it has."""
        if self.port is not None and self.port != port:
            return False
        if self.host is not None:
            return self.host == plain_host(host)
        found = read_address(address or host)
        return found is not None and self.network is not None and found in self.network


class Reach:
    """The hosts and addresses that a fetch may connect to."""

    def __init__(self, named: Iterable[Named] = (), *, resolve: Resolve | None = None) -> None:
        self._named = tuple(named)
        self._resolve = resolve or resolved

    def also(self, named: Named | None) -> "Reach":
        """The same, and one host more."""
        return self if named is None else Reach((*self._named, named), resolve=self._resolve)

    def covers(self, named: Named) -> bool:
        """Whether a person has named a host already that they now name by typing it."""
        host = named.host or str(named.network).partition("/")[0]
        return self.names(host, named.port or 0)

    def names(self, host: str, port: int) -> bool:
        """Whether a person has named this very host; nobody is asked where it is."""
        return any(each.covers(host, port, None) for each in self._named)

    def addresses(self, host: str, port: int) -> list[str]:
        """Where a host is, every address of it judged; a host that may not be reached is refused."""
        try:
            found = [*dict.fromkeys(self._resolve(host, port))]
        except (OSError, ValueError) as error:
            raise Unreadable(f"{host} can't be found.") from error
        if not found or len(found) > MOST_ADDRESSES:
            raise Unreadable(f"{host} can't be found.")
        for address in found:
            self._judge(host, port, address)
        return found

    def behind_proxy(self, host: str, port: int) -> list[str]:
        """Where a host is, as far as that is known here: a proxy knows the rest, and its own rules decide there."""
        literal = read_address(host)
        try:
            found = [str(literal)] if literal else [*dict.fromkeys(self._resolve(host, port))][:MOST_ADDRESSES]
        except (OSError, ValueError):
            return []
        for address in found:
            self._judge(host, port, address)
        return found

    def _judge(self, host: str, port: int, address: str) -> None:
        found = read_address(address)
        if found is not None and is_public(found):
            return
        if any(each.covers(host, port, address) for each in self._named):
            return
        where = "" if found is None or found == read_address(host) else f" is at {found}, which"
        raise Unreadable(
            f"{host}{where} is not on the public internet. If you mean it, say --allow-address {spelled(host, port)}, "
            "or name it in `allow` under [fetch] in your own settings."
        )


def resolved(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system tells them; odd spellings of numbers are read as it reads them."""
    return [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def plain_host(host: str) -> str:
    """A host as two of them are compared."""
    return host.rstrip(".").lower()


def spelled(host: str, port: int) -> str:
    """A host with its port, as a person names it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def read_named(text: str) -> Named:
    """What a person means by `HOST`, `HOST:PORT`, an address, or a network such as `10.0.0.0/8`."""
    network = read_network(text.strip())
    if network is not None:
        return Named(None, network, None)
    host, port = _parted(text.strip())
    if port and not 0 < int(port[:6]) < 1 << 16:
        raise Misconfiguration(f"{text!r} names no port between 1 and 65535.")
    network = read_network(host)
    if network is None and not _is_host(host):
        raise Misconfiguration(f"{text!r} is no host: write HOST, HOST:PORT, an address, or a network as 10.0.0.0/8.")
    return Named(None if network else plain_host(host), network, int(port) if port else None)


def _parted(whole: str) -> tuple[str, str]:
    """A host without its brackets, and the port behind it, if there is one."""
    host, mark, port = whole.rpartition(":")
    if not port.isdecimal():
        host, mark, port = whole, "", ""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    return bare, port if mark else ""


def _is_host(name: str) -> bool:
    return bool(name) and ":" not in name and not any(each in NOT_IN_A_HOST or each <= " " for each in name)


def all_named(flags: Sequence[str], settings: Mapping[str, Any], environment: Mapping[str, str]) -> list[Named]:
    """Whom a person names: by flags, under `[fetch]` in their settings, and in their environment."""
    found: Any = settings.get("allow", [])
    listed = [each for each in cast("Sequence[Any]", found) if isinstance(each, str)] if isinstance(found, list) else []
    if not isinstance(found, list) or len(listed) < len(cast("Sequence[Any]", found)):
        raise Misconfiguration("`allow` under [fetch] must be a list of hosts, addresses and networks.")
    from_environment = [each for each in environment.get(VARIABLE, "").split(",") if each.strip()]
    return [read_named(each) for each in (*flags, *listed, *from_environment)]
