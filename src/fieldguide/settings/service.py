"""Settings of a server that others reach: authentication, addresses, proxies.

All of it comes from the person who runs it: `[service]` in their own settings, `FIELDGUIDE_<NAME>`, flags. Never from a
project.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fieldguide.text.errors import Misconfiguration

TOKEN_AUTH = "tokens"  # noqa: S105 (the name of a kind of sign-in)
JWT = "jwt"
KINDS = (TOKEN_AUTH, JWT)
UNIX = "unix"
MCP_PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_SKEW_SECONDS = 600
JWT_SETTINGS = ("jwt_issuer", "jwt_audience", "jwt_keys")
OPENING = ("public_url", "tls_cert", "tls_key", "behind_proxy", "socket_group", *JWT_SETTINGS)
USUAL_PORTS = {"https": "443", "http": "80"}
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off", "")
NEEDS_EXTRA = "MCP over HTTP needs the packages of the extra `http`; `fieldguide doctor` has the command for them."
SAFE = "give --tls-cert and --tls-key, or --behind-proxy ADDRESSES and a proxy that speaks TLS"


def can_serve_mcp() -> bool:
    """Whether MCP can be served over HTTP: the packages of the extra `http` are there."""
    from importlib.util import find_spec

    found = [find_spec(name) for name in ("mcp", "jwt", "cryptography")]
    return all(spec is not None and spec.origin is not None for spec in found)  # a mere folder has no origin


class Service(NamedTuple):
    """What a person sets about it; without `auth` it is theirs alone, on their own machine.

    `auth` says what requests show: `tokens` of ours or a `jwt` of an identity provider. `public_url` is what clients
    call it, without a path. `behind_proxy` names the addresses of proxies, or `unix` for whoever opens our socket,
    and `socket_group` those who may. `jwt_keys` is a file or an https address. `projects` serves all of the registry.
    """

    auth: str | None = None
    public_url: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    behind_proxy: tuple[str, ...] = ()
    socket_group: str | None = None
    jwt_issuer: str | None = None
    jwt_audience: str | None = None
    jwt_keys: str | None = None
    jwt_skew: int = 60
    projects: bool = False

    @property
    def has_tls(self) -> bool:
        """Whether it speaks TLS itself."""
        return self.tls_cert is not None

    def hosts(self) -> frozenset[str]:
        """What `Host` may be where clients use the public address: browsers leave out the usual port."""
        scheme, _, place = (self.public_url or "").partition("://")
        if not place:
            return frozenset()
        port = place.rpartition("]")[2].partition(":")[2]
        return frozenset({place} if port else {place, f"{place}:{USUAL_PORTS[scheme]}"})


def read_service(table: Mapping[str, Any], environment: Mapping[str, str], flags: Mapping[str, Any]) -> Service:
    """What a person's file, their environment and the flags say, each over the one before."""
    unknown = sorted(set(table) - set(Service._fields))
    if unknown:
        raise Misconfiguration(f"[service] has no {unknown[0]!r}; it has {', '.join(Service._fields)}.")
    stated = {name: environment.get(f"FIELDGUIDE_{name.upper()}") for name in Service._fields}
    named = {name: value for name, value in stated.items() if value}
    given = {name: value for name, value in flags.items() if value is not None}
    return _checked(Service(**{name: _read(name, value) for name, value in {**table, **named, **given}.items()}))


def check_listening(service: Service, shown: str, *, is_socket: bool, host: str) -> None:
    """Raise Misconfiguration, with the mend, where a server that is opened like this would give things away."""
    _check_parts(service, is_socket=is_socket)
    if is_socket or host in LOOPBACK:
        return
    if service.auth is None:
        raise Misconfiguration(
            f"{shown!r} is not a loopback address, and beyond this machine every request must say who asks: add --auth "
            f"tokens (or jwt); then {SAFE}."
        )
    if not service.has_tls and not service.behind_proxy:
        raise Misconfiguration(
            f"{shown!r} is not a loopback address, and without TLS a token could be read on its way: {SAFE}."
        )
    if service.public_url is None:
        raise Misconfiguration(
            f"{shown!r} is not a loopback address: say by --public-url https://NAME what clients call this server. "
            "Requests for any other name are refused."
        )


def _read(name: str, value: Any) -> Any:
    if name in READERS:
        return READERS[name](value)
    if not isinstance(value, str) or not value.isprintable():
        raise Misconfiguration(f"{name} must be a text.")
    return value


def _read_proxies(value: Any) -> tuple[str, ...]:
    items: list[Any] = value.split(",") if isinstance(value, str) else list(value)
    return tuple(str(each).strip() for each in items if str(each).strip())


def _read_skew(value: Any) -> int:
    text = str(value)
    if not text.isdecimal() or int(text[:6]) > MOST_SKEW_SECONDS:
        raise Misconfiguration(f"The clock skew is a number of seconds, at most {MOST_SKEW_SECONDS}.")
    return int(text)


def read_flag(value: Any, where: str = "projects") -> bool:
    """A setting that is true or false, however it is written."""
    word = str(value).lower()
    if word not in YES + NO:
        raise Misconfiguration(f"{where} must be true or false, not {str(value)[:40]!r}.")
    return word in YES


READERS: Mapping[str, Callable[[Any], Any]] = {
    "behind_proxy": _read_proxies,
    "jwt_skew": _read_skew,
    "projects": read_flag,
}


def _checked(service: Service) -> Service:
    if service.auth is not None and service.auth not in KINDS:
        raise Misconfiguration(f"--auth is {' or '.join(KINDS)}, not {service.auth[:40]!r}.")
    if service.public_url is not None:
        service = service._replace(public_url=_origin(service.public_url))
    _check_proxies(service)
    return service._replace(auth=service.auth or TOKEN_AUTH) if service.projects else service


def _check_parts(service: Service, *, is_socket: bool) -> None:
    """Whether what is set goes together."""
    lonely = [name for name in OPENING if service.auth is None and getattr(service, name)]
    if lonely:
        raise Misconfiguration(f"{_flag(lonely[0])} is for a server that asks who comes: add --auth tokens (or jwt).")
    if (service.tls_cert is None) != (service.tls_key is None):
        raise Misconfiguration("TLS needs both: --tls-cert FILE and --tls-key FILE.")
    if service.has_tls and is_socket:
        raise Misconfiguration("On a unix socket the proxy before it speaks TLS: leave out --tls-cert and --tls-key.")
    if not is_socket and (UNIX in service.behind_proxy or service.socket_group):
        raise Misconfiguration(
            "--behind-proxy unix and --socket-group are for a socket: serve one by --http unix:PATH."
        )
    named = [name for name in JWT_SETTINGS if getattr(service, name)]
    if service.auth == JWT and not (service.jwt_issuer and service.jwt_keys):
        raise Misconfiguration(
            "--auth jwt needs --jwt-issuer, as the tokens name it, and --jwt-keys: a JWKS file or its https address."
        )
    if service.auth != JWT and named:
        raise Misconfiguration(f"{_flag(named[0])} is for --auth jwt.")


def _check_proxies(service: Service) -> None:
    if not service.behind_proxy:
        return
    from ipaddress import ip_network

    for each in service.behind_proxy:
        try:
            if each != UNIX:
                ip_network(each)
        except ValueError as error:
            raise Misconfiguration(
                f"{each[:60]!r} is not the address of a proxy: write addresses such as 10.0.0.7 or 10.0.0.0/24, or "
                f"{UNIX} for whoever opens the socket that is served."
            ) from error


def _origin(url: str) -> str:
    """A public address without a path; a Misconfiguration for one that is not safe, or says more."""
    from fieldguide.text import regex as re

    found = re.fullmatch(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9.-]*)(?::([0-9]{1,5}))?/?", url.lower())
    scheme, host, port = found.groups() if found else ("", "", None)
    if scheme != "https" and (scheme != "http" or host.strip("[]") not in LOOPBACK):
        raise Misconfiguration(
            f"{url[:100]!r} is no public address: write https:// with a name and, if need be, a port, and no path; "
            "MCP is at /mcp below it."
        )
    return f"{scheme}://{host}{'' if port in (None, USUAL_PORTS[scheme]) else f':{port}'}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
