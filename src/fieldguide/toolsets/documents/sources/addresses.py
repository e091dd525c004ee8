"""Addresses as they may be shown: what lets somebody in is used, and told in no answer, ID, journal or error."""

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from fieldguide import linear_regex as re

HIDDEN_PART = "…"
PORT = re.compile(r"(?::\d*)?")
SECRET_NAMES = ("token", "secret", "password", "sig", "key", "auth", "credential")


class Opened(NamedTuple):
    """An address without its user, and the header that stands for that user (None: nobody)."""

    address: str
    authorization: str | None


def without_secrets(address: str) -> str:
    """An address as it may be shown: without user and password, and without the values of tokens in its query.

    The user of an ssh address, mostly `git`, is no secret. An address that can't be taken apart is not shown at all.
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    authority, tail = _parted(rest)
    user, _, host = authority.rpartition("@")
    if not _is_host(host):
        return f"{scheme}://{HIDDEN_PART}"
    shown = f"{user.partition(':')[0]}@" if user and scheme.endswith("ssh") else ""
    return f"{scheme}://{shown}{host}{_without_values(tail)}"


def opened(address: str) -> Opened:
    """An address on the web to ask for, with its user in a header, as servers want it."""
    scheme, mark, rest = address.partition("://")
    authority, tail = _parted(rest)
    user, at, host = authority.rpartition("@")
    if not at:
        return Opened(address, None)
    name, _, password = user.partition(":")
    basic = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return Opened(f"{scheme}{mark}{host}{tail}", f"Basic {basic}")


def has_secrets(address: str) -> bool:
    """Whether something in an address must not be shown."""
    return without_secrets(address) != address


def origin(address: str) -> tuple[str, str]:
    """The scheme and the host of an address on the web: what a user's header is meant for."""
    parts = urlsplit(opened(address).address)
    return parts.scheme, parts.netloc.lower()


def _without_values(tail: str) -> str:
    """A path and its query, with a sign in the place of each value whose name says that it is a secret."""
    first, *others = tail.split("&")
    path, mark, pair = first.partition("?")
    return "&".join((f"{path}{mark}{_without_value(pair)}", *map(_without_value, others)))


def _without_value(pair: str) -> str:
    name, mark, value = pair.partition("=")
    if not mark or not any(each in name.lower() for each in SECRET_NAMES):
        return pair
    return f"{name}={HIDDEN_PART}{''.join(value.partition('#')[1:])}"


def _parted(rest: str) -> tuple[str, str]:
    found = re.search(r"[/?#]", rest)
    return (rest, "") if found is None else (rest[: found.start()], rest[found.start() :])


def _is_host(host: str) -> bool:
    """Whether this is a host with or without a port; the password of a user who forgot to quote its `/` is none."""
    _, bracket, port = host.rpartition("]")
    return bool(PORT.fullmatch(port)) if bracket else bool(PORT.fullmatch(host[len(host.partition(":")[0]) :]))
