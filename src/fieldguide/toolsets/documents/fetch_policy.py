"""Decides which hosts a fetch may reach and how much it may take, and hides secrets in addresses.

The ranges are those of the IANA registries for special purposes. They stand here in full: what `ipaddress` calls global
differs between the patch levels of Python.

A host is resolved once. Every address that it has is judged, however the host is spelled, and the connection goes to
one of those that were judged: a second answer of the name server counts for nothing.
"""

import socket
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic
from typing import Any, NamedTuple, NoReturn, cast
from urllib.parse import unquote, urlsplit

from fieldguide.settings.limits import Limits
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration, Unreadable
from fieldguide.text.secrets import is_secret_name

HIDDEN_PART = "…"
PORT = re.compile(r"(?::\d*)?")


class RequestAddress(NamedTuple):
    """An address without its user, and the header that stands for that user (None: nobody)."""

    address: str
    authorization: str | None


def hide_secrets(address: str) -> str:
    """An address as it may be shown: without user and password, and without the values of tokens in its query.

    The user of an ssh address, mostly `git`, is no secret. An address that can't be taken apart is not shown at all.
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    authority, tail = _split_authority(rest)
    user, _, host = authority.rpartition("@")
    if not _is_host(host):
        return f"{scheme}://{HIDDEN_PART}"
    shown = f"{user.partition(':')[0]}@" if user and scheme.endswith("ssh") else ""
    return f"{scheme}://{shown}{host}{_without_values(tail)}"


def split_credentials(address: str) -> RequestAddress:
    """An address on the web to ask for, with its user in a header, as servers want it."""
    scheme, mark, rest = address.partition("://")
    authority, tail = _split_authority(rest)
    user, at, host = authority.rpartition("@")
    if not at:
        return RequestAddress(address, None)
    name, _, password = user.partition(":")
    basic = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return RequestAddress(f"{scheme}{mark}{host}{tail}", f"Basic {basic}")


def find_origin(address: str) -> tuple[str, str]:
    """The scheme and the host of an address on the web: what a user's header is meant for."""
    parts = urlsplit(split_credentials(address).address)
    return parts.scheme, parts.netloc.lower()


def _without_values(tail: str) -> str:
    """A path and its query, with a sign in the place of each value whose name says that it is a secret."""
    first, *others = tail.split("&")
    path, mark, pair = first.partition("?")
    return "&".join((f"{path}{mark}{_without_value(pair)}", *map(_without_value, others)))


def _without_value(pair: str) -> str:
    name, mark, value = pair.partition("=")
    if not mark or not is_secret_name(name):
        return pair
    return f"{name}={HIDDEN_PART}{''.join(value.partition('#')[1:])}"


def _split_authority(rest: str) -> tuple[str, str]:
    found = re.search(r"[/?#]", rest)
    return (rest, "") if found is None else (rest[: found.start()], rest[found.start() :])


def _is_host(host: str) -> bool:
    """Whether this is a host with or without a port; the password of a user who forgot to quote its `/` is none."""
    _, bracket, port = host.rpartition("]")
    return bool(PORT.fullmatch(port)) if bracket else bool(PORT.fullmatch(host[len(host.partition(":")[0]) :]))


MEGABYTE = 1 << 20


class FetchBudget:
    """What is left to a fetch; whoever takes more is refused, with the limit and how it is raised."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.fetch_seconds
        self._received = 0
        self._held = 0

    @property
    def most_bytes(self) -> int:
        """How many bytes may come, and how many documents may be made of."""
        return self._limits.fetched_megabytes * MEGABYTE

    def receive(self, size_bytes: int) -> None:
        """Count what came over a connection."""
        self._received += size_bytes
        self.check_size(self._received)

    def hold(self, size_bytes: int) -> None:
        """Count what a document has, unpacked."""
        self._held += size_bytes
        self.check_size(self._held)

    def check_size(self, size_bytes: int) -> None:
        """Refuse what is more than may be fetched as a whole."""
        if size_bytes > self.most_bytes:
            self._refuse("fetched_megabytes", f"has more than {self._limits.fetched_megabytes} megabytes")

    def check_files(self, number: int) -> None:
        """Refuse a collection of more files than there may be."""
        if number > self._limits.fetched_files:
            self._refuse("fetched_files", f"has more than {self._limits.fetched_files} files")

    def seconds_left(self) -> float:
        """How long the fetch may still take; refused when that is over."""
        left = self._until - self._clock()
        if left <= 0:
            self._refuse("fetch_seconds", f"takes longer than {self._limits.fetch_seconds} seconds")
        return left

    def _refuse(self, limit: str, what: str) -> NoReturn:
        raise Unreadable(
            f"What is fetched {what}. You raise that limit with FIELDGUIDE_LIMIT_{limit.upper()}, or with {limit} "
            "under [limits] in your own settings.",
            limit=limit,
        )


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's translation; clouds keep services there
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's services for its machines
        "169.254.0.0/16",  # link-local, with the metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocols
        "192.0.2.0/24",  # examples
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # measurements
        "198.51.100.0/24",  # examples
        "203.0.113.0/24",  # examples
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
PUBLIC_6 = IPv6Network("2000::/3")
NOT_PUBLIC_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocols, with Teredo
        "2001:db8::/32",  # examples
        "2002::/16",  # 6to4, which hides any IPv4 address
        "3fff::/20",  # examples
    )
)
TRANSLATED = IPv6Network("64:ff9b::/96")  # how a network of IPv6 alone names every host of IPv4


def read_address(text: str) -> Address | None:
    """The address that a text spells in the one usual way, with or without brackets and zone; None for all else."""
    plain = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        return unwrap_address(ip_address(plain.partition("%")[0]))
    except ValueError:
        return None


def read_network(text: str) -> Network | None:
    """The network that a text spells, or the one of a single address; None for all else."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def unwrap_address(address: Address) -> Address:
    """The address that packets really go to: an IPv4 address may stand inside one of IPv6."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet."""
    real = unwrap_address(address)
    if isinstance(real, IPv4Address):
        return not any(real in network for network in NOT_PUBLIC_4)
    return real in PUBLIC_6 and not any(real in network for network in NOT_PUBLIC_6)


VARIABLE = "FIELDGUIDE_FETCH_ALLOW"
MOST_ADDRESSES = 64
PORTS = {"http": 80, "https": 443, "ssh": 22}
NOT_IN_A_HOST = frozenset("/\\@?#*,;<>|^`'\"{}[]")

Resolve = Callable[[str, int], Sequence[str]]


class NamedHost(NamedTuple):
    """What a person has named: a host or a network, at one port or at every one."""

    host: str | None
    network: Network | None
    port: int | None

    @property
    def spelled(self) -> str:
        """As a person writes it."""
        name = self.host or str(self.network).removesuffix("/32").removesuffix("/128")
        return name if self.port is None else format_host(name, self.port)

    def covers(self, host: str, port: int, address: str | None) -> bool:
        """Whether this names the host, or the address that it has."""
        if self.port is not None and self.port != port:
            return False
        if self.host is not None:
            return self.host == normalize_host(host)
        found = read_address(address or host)
        return found is not None and self.network is not None and found in self.network


class HostPolicy:
    """The hosts and addresses that a fetch may connect to."""

    def __init__(self, named: Iterable[NamedHost] = (), *, resolve: Resolve | None = None) -> None:
        self._named = tuple(named)
        self._resolve = resolve or resolve_host

    def also(self, named: NamedHost | None) -> "HostPolicy":
        """The same, and one host more."""
        return self if named is None else HostPolicy((*self._named, named), resolve=self._resolve)

    def covers(self, named: NamedHost) -> bool:
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
            f"{host}{where} is not on the public internet. "
            f"If you mean it, say --allow-address {format_host(host, port)}, "
            "or name it in `allow` under [fetch] in your own settings."
        )


def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system tells them; odd spellings of numbers are read as it reads them."""
    return [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def normalize_host(host: str) -> str:
    """A host as two of them are compared."""
    return host.rstrip(".").lower()


def format_host(host: str, port: int) -> str:
    """A host with its port, as a person names it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def read_named_host(text: str) -> NamedHost:
    """What a person means by `HOST`, `HOST:PORT`, an address, or a network such as `10.0.0.0/8`."""
    network = read_network(text.strip())
    if network is not None:
        return NamedHost(None, network, None)
    host, port = _split_port(text.strip())
    if port and not 0 < int(port[:6]) < 1 << 16:
        raise Misconfiguration(f"{text!r} names no port between 1 and 65535.")
    network = read_network(host)
    if network is None and not _is_host_name(host):
        raise Misconfiguration(f"{text!r} is no host: write HOST, HOST:PORT, an address, or a network as 10.0.0.0/8.")
    return NamedHost(None if network else normalize_host(host), network, int(port) if port else None)


def _split_port(whole: str) -> tuple[str, str]:
    """A host without its brackets, and the port behind it, if there is one."""
    host, mark, port = whole.rpartition(":")
    if not port.isdecimal():
        host = whole
        mark = ""
        port = ""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    return bare, port if mark else ""


def _is_host_name(name: str) -> bool:
    return bool(name) and ":" not in name and not any(each in NOT_IN_A_HOST or each <= " " for each in name)


def read_named_hosts(
    flags: Sequence[str], settings: Mapping[str, Any], environment: Mapping[str, str]
) -> list[NamedHost]:
    """Whom a person names: by flags, under `[fetch]` in their settings, and in their environment."""
    found: Any = settings.get("allow", [])
    listed = [each for each in cast("Sequence[Any]", found) if isinstance(each, str)] if isinstance(found, list) else []
    if not isinstance(found, list) or len(listed) < len(cast("Sequence[Any]", found)):
        raise Misconfiguration("`allow` under [fetch] must be a list of hosts, addresses and networks.")
    from_environment = [each for each in environment.get(VARIABLE, "").split(",") if each.strip()]
    return [read_named_host(each) for each in (*flags, *listed, *from_environment)]
