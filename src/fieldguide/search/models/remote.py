"""A model behind an OpenAI-compatible endpoint: batches, one retry, and a deadline for each answer.

The key is sent in one header of the request; no message, cause or log line contains it.
"""

import hashlib
import json
import math
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from http.client import HTTPException
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from fieldguide.files.file_system import find_xdg_folder
from fieldguide.search.embedding import pack_vector
from fieldguide.search.models.choice import ENDPOINT, KEY_VARIABLE
from fieldguide.settings.service import LOOPBACK
from fieldguide.text.cancellation import run_within
from fieldguide.text.errors import Failure, Misconfiguration

DIMENSIONS = "FIELDGUIDE_SEARCH_DIMENSIONS"
LARGEST_ANSWER_BYTES = 64 << 20
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
HINTS = {401: " It does not take the key.", 403: " It does not take the key.", 404: " Are the address and model right?"}
USUAL_WAIT_SECONDS = 0.5
REST_SECONDS = 30.0  # after a query in vain: people who search don't wait for it again and again
BATCH_TEXTS = 32  # what the smallest servers take at once
BATCH_CHARACTERS = 48_000
LONGEST_CHARACTERS = 8_000
CACHED_QUERIES = 256


class Patience(NamedTuple):
    """How long each answer may take, and how long the endpoint may ask us to wait before the second attempt."""

    timeout_seconds: float
    longest_wait_seconds: float


FOR_DOCUMENTS = Patience(timeout_seconds=60.0, longest_wait_seconds=60.0)
FOR_QUERIES = Patience(timeout_seconds=3.0, longest_wait_seconds=1.0)


class Prefixes(NamedTuple):
    """What is put before a query and before a passage; most models want neither."""

    query: str = ""
    passage: str = ""


NO_PREFIXES = Prefixes()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, since the key would be sent along."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        """No request instead of this one."""


def fetch_answer(request: urllib.request.Request, *, seconds: float, most_bytes: int) -> bytes:
    """The body that an address answers, at most `most_bytes` and one more; TimeoutError unless all of it is in time."""
    direct = [urllib.request.ProxyHandler({})] if urlsplit(request.full_url).hostname in LOOPBACK else []
    opener = urllib.request.build_opener(NoRedirects, *direct)

    def read() -> bytes:
        try:
            with opener.open(request, timeout=seconds) as answer:
                return cast("bytes", answer.read(most_bytes + 1))
        except urllib.error.HTTPError as error:
            error.close()
            raise

    return run_within(seconds, read)


class EmbeddingEndpoint:
    """One address with its key; every method may be called from any thread."""

    def __init__(
        self,
        address: str,
        model: str,
        *,
        dimensions: int | None = None,
        key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.host = check_endpoint_host(address)
        self._url = f"{address.rstrip('/')}/embeddings"
        self._wanted = {"model": model, **({} if dimensions is None else {"dimensions": dimensions})}
        self._key = key
        self._sleep = sleep

    def embed(self, texts: Sequence[str], patience: Patience) -> list[list[float]]:
        """One row of numbers for each text, all of one width."""
        busy = self._ask(texts, patience)
        if isinstance(busy, _Busy) and busy.wait_seconds <= patience.longest_wait_seconds:
            self._sleep(busy.wait_seconds)
            busy = self._ask(texts, patience)
        if isinstance(busy, _Busy):
            raise Failure(f"The embedding endpoint {self.host} {busy.reason}.")
        return self._read_rows(busy, len(texts))

    def _ask(self, texts: Sequence[str], patience: Patience) -> "bytes | _Busy":
        body = json.dumps({**self._wanted, "input": list(texts), "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "fieldguide"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers, method="POST")  # noqa: S310  checked at the beginning
        try:
            answer = fetch_answer(request, seconds=patience.timeout_seconds, most_bytes=LARGEST_ANSWER_BYTES)
        except urllib.error.HTTPError as error:
            if error.code in BUSY:
                return _Busy(f"answered {error.code}, twice", _read_wait(error.headers.get("Retry-After")))
            elsewhere = " An address that leads elsewhere is not followed." if 300 <= error.code < 400 else ""
            hint = HINTS.get(error.code, elsewhere)  # `from None`, as an endpoint may repeat the key in its answer
            raise Failure(f"The embedding endpoint {self.host} answered {error.code}.{hint}") from None
        except (OSError, HTTPException) as error:
            if isinstance(getattr(error, "reason", error), TimeoutError):
                return _Busy(f"did not answer within {patience.timeout_seconds:g} seconds")
            return _Busy("can't be reached")
        if len(answer) > LARGEST_ANSWER_BYTES:
            raise Failure(f"The embedding endpoint {self.host} answered with more than anybody asked for.")
        return answer

    def _read_rows(self, body: bytes, count: int) -> list[list[float]]:
        try:
            data: Any = json.loads(body)["data"]
            placed = sorted((int(item.get("index", number)), item["embedding"]) for number, item in enumerate(data))
            rows = [list(map(float, row)) for _, row in placed]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise Failure(f"The embedding endpoint {self.host} answered with something else than vectors.") from None
        if [number for number, _ in placed] != list(range(count)):
            raise Failure(f"The embedding endpoint {self.host} gave {len(rows)} vectors for {count} texts.")
        is_finite = all(math.isfinite(component) for row in rows for component in row)
        if len({len(row) for row in rows}) > 1 or not is_finite:
            raise Failure(f"The embedding endpoint {self.host} answered with vectors that can't be used.")
        return rows


class _Busy(NamedTuple):
    """An attempt that may be repeated."""

    reason: str
    wait_seconds: float = USUAL_WAIT_SECONDS


def _read_wait(text: str | None) -> float:
    """How many seconds an endpoint asks us to wait."""
    return float(text) if text and text.isdecimal() else USUAL_WAIT_SECONDS


def check_endpoint_host(address: str) -> str:
    """The host of an endpoint; its address may hold nothing secret."""
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


class WordlessModel:
    """What a model says of words that are nothing to it but a part of texts."""

    knows_words = False

    def readable_share(self, text: str) -> float:
        """It reads all of it."""
        return 1.0

    def word_weight(self, word: str) -> float | None:
        """It does not say."""
        return None

    def word_likeness(self, words: Sequence[str], text: str) -> list[float]:
        """None is alike."""
        return [0.0] * len(words)


class RemoteModel(WordlessModel):
    """The `Embedder` that asks an endpoint; a file keeps how wide its vectors are, so that a start asks nothing."""

    def __init__(
        self,
        endpoint: EmbeddingEndpoint,
        *,
        identity: str,
        width_file: str,
        dimensions: int | None = None,
        prefixes: Prefixes = NO_PREFIXES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.identity = identity
        self.embed_query = lru_cache(CACHED_QUERIES)(self._embed_query)
        self._endpoint = endpoint
        self._width_file = width_file
        self._dimensions = dimensions
        self._prefixes = prefixes
        self._clock = clock
        self._rests_until = -1.0

    @property
    def dimensions(self) -> int:
        """How wide the vectors are: as the settings say, as they were before, or as the endpoint answers."""
        if self._dimensions is None:
            with suppress(OSError, ValueError), open(self._width_file, encoding="ascii") as file:
                self._dimensions = int(file.read(20))
        return self._dimensions or len(self._embed(["how wide"], FOR_QUERIES)[0])

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text."""
        vectors: dict[str, bytes] = {}
        for batch in split_batches([*dict.fromkeys(texts)]):
            answered = self._embed([self._prefixes.passage + text for text in batch], FOR_DOCUMENTS)
            vectors.update(zip(batch, answered, strict=True))
        return [vectors[text] for text in texts]

    def _embed_query(self, text: str) -> bytes:
        """The vector of a query; while the endpoint rests after a failure it is not asked."""
        if self._clock() < self._rests_until:
            raise Failure(f"The embedding endpoint {self._endpoint.host} was away a moment ago.")
        try:
            return self._embed([self._prefixes.query + text], FOR_QUERIES)[0]
        except Failure:
            self._rests_until = self._clock() + REST_SECONDS
            raise

    def _embed(self, texts: Sequence[str], patience: Patience) -> list[bytes]:
        rows = self._endpoint.embed([text[:LONGEST_CHARACTERS] or " " for text in texts], patience)
        width = len(rows[0])
        if self._dimensions is None:
            self._dimensions = width
            with suppress(OSError):  # it is asked for again by the next process
                os.makedirs(os.path.dirname(self._width_file), mode=0o700, exist_ok=True)
                with open(self._width_file, "w", encoding="ascii") as file:
                    file.write(str(width))
        if width != self._dimensions:
            raise Failure(
                f"The embedding endpoint {self._endpoint.host} gave vectors of {width} components instead of "
                f"{self._dimensions}. If another model answers there now, set {DIMENSIONS}={width}."
            )
        self._rests_until = -1.0
        return [pack_vector(row) for row in rows]


def load_remote(model: str, environment: Mapping[str, str], *, prefixes: Prefixes = NO_PREFIXES) -> RemoteModel:
    """The model of this name at the endpoint that the environment names."""
    address = environment.get(ENDPOINT, "")
    if not address:
        raise Misconfiguration(f"The model 'openai:{model}' needs an endpoint: set {ENDPOINT}=https://HOST/v1.")
    dimensions = environment.get(DIMENSIONS) or None
    if dimensions is not None and not (dimensions.isdecimal() and int(dimensions)):
        raise Misconfiguration(f"{DIMENSIONS} must be a number, not {dimensions!r}.")
    wanted = None if dimensions is None else int(dimensions)
    endpoint = EmbeddingEndpoint(address, model, dimensions=wanted, key=_read_key(environment))
    parts = "\0".join((address.rstrip("/"), str(wanted), *prefixes)).encode(errors="surrogatepass")
    identity = f"openai:{model}-{hashlib.sha256(parts).hexdigest()[:12]}"
    caches = find_xdg_folder("XDG_CACHE_HOME", ".cache", environment)
    name = hashlib.sha256(identity.encode()).hexdigest()[:12]
    width_file = os.path.join(caches, "fieldguide", f"{name}.width")
    return RemoteModel(endpoint, identity=identity, width_file=width_file, dimensions=wanted, prefixes=prefixes)


def split_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in parts that an endpoint takes at once: not too many, and not too long together."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = min(len(text), LONGEST_CHARACTERS)
        if batch and (len(batch) == BATCH_TEXTS or size + length > BATCH_CHARACTERS):
            yield batch
            batch = []
            size = 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _read_key(environment: Mapping[str, str]) -> str | None:
    """The key. No variable is read by default, since its key may be meant for another endpoint.

    Messages don't name the variable: somebody may have written the key itself there.
    """
    variable = environment.get(KEY_VARIABLE, "")
    if not variable:
        return None
    key = environment.get(variable, "").strip()
    if not key:
        raise Misconfiguration(f"The variable that {KEY_VARIABLE} names holds no key.")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise Misconfiguration(f"What the variable that {KEY_VARIABLE} names holds can't be a key.")
    return key
