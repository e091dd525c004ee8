"""Git addresses that a project may come from: three ways to a repository, written so plainly that git reads no other.

What lets somebody in stands in some addresses. It is used, and shown nowhere: not in an answer, a log or an error, nor
in the list of processes.
"""

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote

from fieldguide import linear_regex as re
from fieldguide.errors import Misconfiguration

SCHEMES = ("https", "ssh", "file")
LONGEST = 2000
HIDDEN = "…"
HOST = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,254}|\[[0-9A-Fa-f:.]{2,60}\])(?::[0-9]{1,5})?")
USER = re.compile(r"[^@/:?#\[\]\\]*(?::[^@/?#\[\]\\]*)?")
SHORT_SSH = re.compile(
    r"(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})@(?P<host>[A-Za-z0-9][A-Za-z0-9._-]{0,254}):(?P<path>[^:].*)"
)
HELPER = re.compile(r"[A-Za-z0-9+.-]*::.*")
WAYS = "https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or file:///PATH"


class Opened(NamedTuple):
    """An address as git is given it, and the header that lets us in (None: nobody has to be let in by one)."""

    address: str
    authorization: str | None


def is_address(text: str) -> bool:
    """Whether somebody means a git address, right or wrong, and not a folder."""
    return "://" in text or bool(HELPER.fullmatch(text)) or bool(SHORT_SSH.fullmatch(text))


def checked_address(text: str) -> str:
    """A git address in its long spelling; a sentence, without the address, says why another can't be used."""
    short = SHORT_SSH.fullmatch(text) if "://" not in text and "::" not in text else None
    address = f"ssh://{short['user']}@{short['host']}/{short['path'].lstrip('/')}" if short else text
    scheme, mark, rest = address.partition("://")
    if not mark or scheme not in SCHEMES:
        raise Misconfiguration(f"A git address is {WAYS}; no other way to a repository is used.")
    authority, _, path = rest.partition("/")
    if len(address) > LONGEST or not _is_plain(address) or not path.strip("/") or path.startswith("-"):
        raise Misconfiguration(f"This git address is not written in the usual way: {WAYS}.")
    _check_authority(scheme, authority)
    return address


def _check_authority(scheme: str, authority: str) -> None:
    """Refuse a host or a user that git, ssh or a browser could read otherwise."""
    if scheme == "file":
        if authority:
            raise Misconfiguration("A file address has no host: write file:///PATH, with three slashes.")
        return
    user, _, host = authority.rpartition("@")
    if not HOST.fullmatch(host) or not USER.fullmatch(user) or user.startswith("-"):
        raise Misconfiguration(f"The host or user of this git address is not written in the usual way: {WAYS}.")
    if scheme == "ssh" and ":" in user:
        raise Misconfiguration("ssh asks for a key, not for a password: leave the password out of the address.")


def shown_address(address: str) -> str:
    """An address as anybody may see it: without a user and a password of the web."""
    scheme, mark, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    _, at, host = authority.rpartition("@")
    if scheme == "https" and at:
        return f"{scheme}{mark}{HIDDEN}@{host}{slash}{path}"
    return address


def opened(address: str) -> Opened:
    """An address for git: a user of the web becomes a header, which no list of processes shows."""
    scheme, mark, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if scheme != "https" or not at:
        return Opened(address, None)
    name, _, password = user.partition(":")
    basic = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return Opened(f"{scheme}{mark}{host}{slash}{path}", f"Authorization: Basic {basic}")


def _is_plain(address: str) -> bool:
    return all(" " < each != "\x7f" and each not in "?#\\\"'`<>" for each in address) and address.isprintable()
