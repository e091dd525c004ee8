"""An OpenAI-compatible endpoint: `POST …/embeddings`, asked again when it is busy, never for longer than it may take.

The key is in one header of the request and nowhere else: no message, cause or log line can hold it.
"""

import email.utils
import http.client
import json
import math
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, cast
from urllib.parse import urlsplit

from fieldguide import linear_regex as re
from fieldguide.errors import Failure, Misconfiguration
from fieldguide.search.embedders.timed_http import TimedHTTPHandler, TimedHTTPSHandler
from fieldguide.service import LOOPBACK

MOST_ANSWER_BYTES = 64 << 20
FIRST_WAIT_SECONDS = 0.5
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
TOLD_CODE = re.compile(r"[a-z_]{3,40}")
HINTS = {401: " It does not take the key.", 403: " It does not take the key.", 404: " Are the address and model right?"}


class Patience(NamedTuple):
    """How often an endpoint is asked, how long each answer may take, and how long it may ask us to wait."""

    attempts: int
    timeout_seconds: float
    longest_wait_seconds: float


class Vectors(NamedTuple):
    """What one request asks for: the model, and how wide its vectors should be (None: as wide as they are)."""

    model: str
    dimensions: int | None = None


class EmbeddingEndpoint:
    """One address with its key; every method may be called from any thread."""

    def __init__(
        self,
        address: str,
        wanted: Vectors,
        *,
        key: str | None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.host = checked_host(address)
        self._url = f"{address.rstrip('/')}/embeddings"
        self._wanted = wanted
        self._key = key
        self._sleep = sleep
        self._clock = clock
        direct = [urllib.request.ProxyHandler({})] if urlsplit(address).hostname in LOOPBACK else []
        self._opener = urllib.request.build_opener(_NoRedirects, TimedHTTPHandler, TimedHTTPSHandler, *direct)

    def embed(self, texts: Sequence[str], patience: Patience) -> list[list[float]]:
        """One row of numbers for each text, all of one width."""
        for attempt in range(patience.attempts):
            answer = self._asked(texts, patience)
            if not isinstance(answer, _Busy):
                return self._rows(answer, len(texts))
            wait = FIRST_WAIT_SECONDS * 2**attempt if answer.wait_seconds is None else answer.wait_seconds
            if attempt + 1 == patience.attempts or wait > patience.longest_wait_seconds:
                raise Failure(f"The embedding endpoint {self.host} {answer.said}.")
            self._sleep(wait)
        raise Failure(f"The embedding endpoint {self.host} was not asked.")

    def _asked(self, texts: Sequence[str], patience: Patience) -> "bytes | _Busy":
        try:
            with self._opener.open(self._request(texts), timeout=patience.timeout_seconds) as answer:
                return self._body(answer, self._clock() + patience.timeout_seconds)
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in BUSY:
                    self._refuse(error)
                return _Busy(f"answered {error.code}, again and again", _retry_after(error.headers.get("Retry-After")))
        except TimeoutError:
            return _Busy(f"did not answer within {patience.timeout_seconds:g} seconds")
        except (OSError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                return _Busy(f"did not answer within {patience.timeout_seconds:g} seconds")
            return _Busy("can't be reached")

    def _request(self, texts: Sequence[str]) -> urllib.request.Request:
        asked: dict[str, Any] = {"model": self._wanted.model, "input": list(texts), "encoding_format": "float"}
        if self._wanted.dimensions is not None:
            asked["dimensions"] = self._wanted.dimensions
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "fieldguide"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        body = json.dumps(asked).encode()
        return urllib.request.Request(self._url, body, headers, method="POST")  # noqa: S310  checked at the beginning

    def _body(self, answer: http.client.HTTPResponse, until: float) -> bytes:
        """The whole answer; one that comes byte by byte must still come in time."""
        parts: list[bytes] = []
        size = 0
        while part := answer.read1(1 << 20):
            parts.append(part)
            size += len(part)
            if size > MOST_ANSWER_BYTES:
                raise Failure(f"The embedding endpoint {self.host} answered with more than anybody asked for.")
            if self._clock() > until:
                raise TimeoutError
        return b"".join(parts)

    def _refuse(self, error: urllib.error.HTTPError) -> NoReturn:
        """A status that asking again won't change; `from None`: an endpoint may repeat the key in what it says."""
        hint = " An address that leads elsewhere is not followed." if 300 <= error.code < 400 else HINTS.get(error.code)
        raise Failure(
            f"The embedding endpoint {self.host} answered {error.code}{_told_code(error)}.{hint or ''}"
        ) from None

    def _rows(self, body: bytes, count: int) -> list[list[float]]:
        try:
            data: Any = json.loads(body)["data"]
            placed = sorted((int(each.get("index", number)), each["embedding"]) for number, each in enumerate(data))
            rows = [[float(component) for component in row] for _, row in placed]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise Failure(f"The embedding endpoint {self.host} answered with something else than vectors.") from None
        if [number for number, _ in placed] != list(range(count)):
            raise Failure(f"The embedding endpoint {self.host} gave {len(rows)} vectors for {count} texts.")
        if not _are_alike(rows):
            raise Failure(f"The embedding endpoint {self.host} answered with vectors that can't be used.")
        return rows


def _are_alike(rows: Sequence[Sequence[float]]) -> bool:
    """Whether vectors are of one length, and of numbers that can be compared."""
    return len({len(row) for row in rows}) <= 1 and all(math.isfinite(each) for row in rows for each in row)


def checked_host(address: str) -> str:
    """The host of an endpoint; its address is a plain one, so that nothing secret can stand in it."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        raise Misconfiguration("The endpoint is no address: https://HOST/v1 is one.") from error
    if parts.scheme not in ("https", "http") or not parts.hostname or any(ord(each) <= 32 for each in address):
        raise Misconfiguration("The endpoint is no address: https://HOST/v1 is one.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Misconfiguration("The endpoint's address may hold no user, query or key: a variable holds the key.")
    return f"{parts.hostname}{port}"


class _Busy(NamedTuple):
    """An attempt that may go better next time."""

    said: str
    wait_seconds: float | None = None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the key would go along to whoever is named."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        """No request instead of this one."""


def _retry_after(text: str | None) -> float | None:
    """How many seconds an endpoint asks us to wait: a number, or a date."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        moment = email.utils.parsedate_tz(text)
        seconds = email.utils.mktime_tz(moment) - time.time() if moment else math.nan
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _told_code(error: urllib.error.HTTPError) -> str:
    """The code of an error in the API's own words; plain words only, so that no key can be among them."""
    try:
        told: Any = json.loads(error.read(1 << 16))
    except (OSError, ValueError, RecursionError, http.client.HTTPException):
        return ""
    said = cast("dict[str, Any]", told).get("error") if isinstance(told, dict) else None
    code = cast("dict[str, Any]", said).get("code") if isinstance(said, dict) else None
    return f" ({code})" if isinstance(code, str) and TOLD_CODE.fullmatch(code) else ""
