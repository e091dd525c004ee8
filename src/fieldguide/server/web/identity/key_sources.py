"""Where the keys of an identity provider are read from: a file, or an https address, within bounds."""

import os
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

from fieldguide.errors import Failure, Misconfiguration
from fieldguide.search.embedders.timed_http import TimedHTTPHandler, TimedHTTPSHandler
from fieldguide.server.web.identity.key_set import MOST_BYTES
from fieldguide.service import LOOPBACK

FETCH_SECONDS = 5.0


class KeySource(NamedTuple):
    """What reads keys; how long they are taken for good, and how soon one that is not known is looked for again."""

    read: Callable[[], bytes]
    is_remote: bool
    refresh_seconds: float
    pause_seconds: float


def key_source(named: str) -> KeySource:
    """What reads the keys at this path or address; a Misconfiguration for an address that is not safe."""
    if "://" not in named:
        path = os.path.abspath(os.path.expanduser(named))
        return KeySource(lambda: _read_file(path), is_remote=False, refresh_seconds=5.0, pause_seconds=1.0)
    parts = urlsplit(named)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not is_safe or not parts.hostname or parts.username or parts.password:
        raise Misconfiguration(f"{named[:200]!r} is not where keys are read from: name a file, or an https address.")
    return KeySource(lambda: _fetch(named), is_remote=True, refresh_seconds=300.0, pause_seconds=10.0)


def _read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return _bounded(file.read(MOST_BYTES + 1), path)
    except OSError as error:
        raise Failure(f"The keys in {path} can't be read: {error.strerror or error}.") from error


def _fetch(address: str) -> bytes:
    """What an address answers, all of it in time; one that leads elsewhere is not followed."""
    host = urlsplit(address).hostname
    opener = urllib.request.build_opener(TimedHTTPHandler, TimedHTTPSHandler, _Straight)
    asked = urllib.request.Request(address, headers={"Accept": "application/json", "User-Agent": "fieldguide"})  # noqa: S310  checked at the beginning
    try:
        with opener.open(asked, timeout=FETCH_SECONDS) as answer:
            return _bounded(answer.read(MOST_BYTES + 1), address)
    except urllib.error.HTTPError as error:
        error.close()
        raise Failure(f"{host} answered {error.code} in place of keys.") from error
    except (OSError, HTTPException, ValueError) as error:
        raise Failure(f"The keys at {host} can't be fetched.") from error


def _bounded(content: bytes, where: str) -> bytes:
    if len(content) > MOST_BYTES:
        raise Failure(f"The keys at {where[:200]} are larger than {MOST_BYTES} bytes.")
    return content


class _Straight(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> NoReturn:
        """Refuse to be sent on."""
        raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
