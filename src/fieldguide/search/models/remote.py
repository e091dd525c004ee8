"""A model behind an OpenAI-compatible endpoint, with retries, a deadline per answer and a cache of vectors on disk.

The cache is one growing file per model, of records of one size, to which several processes may append. A record torn by
a power loss is recognised by its checksum and ignored; a cache that can't be used is no error.

The key is sent in one header of the request; no message, cause or log line contains it.
"""

import email.utils
import hashlib
import http.client
import io
import json
import math
import os
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, NamedTuple, NoReturn, cast
from urllib.parse import urlsplit

from fieldguide.files.file_system import find_xdg_folder, wait_for_file_lock
from fieldguide.search.embedding import pack_vector
from fieldguide.search.models.choice import ENDPOINT, KEY_VARIABLE
from fieldguide.settings.service import LOOPBACK
from fieldguide.text import regex as re
from fieldguide.text.errors import Failure, Misconfiguration


class TimedHTTPHandler(urllib.request.HTTPHandler):
    """Opens http addresses; the request's timeout is a deadline for the whole answer."""

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Send the request with a deadline."""
        return self.do_open(_connection(http.client.HTTPConnection), req)


class TimedHTTPSHandler(urllib.request.HTTPSHandler):
    """Opens https addresses; the request's timeout is a deadline for the whole answer."""

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Send the request with a deadline."""
        return self.do_open(_connection(http.client.HTTPSConnection), req)


def _connection(kind: Callable[..., Any]) -> Any:
    def made(host: str, timeout: float, **given: Any) -> Any:
        connection = kind(host, timeout=timeout, **given)
        connect = connection.connect

        def timed_connect() -> None:
            until = monotonic() + timeout
            connect()
            connection.sock = _Line(connection.sock, until)

        connection.connect = timed_connect
        return connection

    return made


class _Line:
    """A socket as `http.client` uses one; every read has only the time that is left."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._connected = connected
        self._until = until
        self._readers = 0

    def sendall(self, content: bytes) -> None:
        """Send all bytes."""
        self._connected.sendall(content)

    def makefile(self, mode: str) -> io.BufferedReader:
        """A reader for the answer."""
        self._readers += 1
        return io.BufferedReader(_Reads(self))

    def close(self) -> None:
        """Close the socket, or leave it to the last reader."""
        if not self._readers:
            self._connected.close()

    def receive(self, buffer: Any) -> int:
        """The next bytes, while there is time."""
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        self._connected.settimeout(left)
        return self._connected.recv_into(buffer)

    def reader_is_closed(self) -> None:
        """Count a reader out; the last one closes the socket."""
        self._readers -= 1
        self.close()


class _Reads(io.RawIOBase):
    def __init__(self, line: _Line) -> None:
        self._line = line

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; none at the end."""
        return self._line.receive(buffer)

    def close(self) -> None:
        """Read no more."""
        if not self.closed:
            super().close()
            self._line.reader_is_closed()


MAGIC = b"FGVECTOR"
HEADER = struct.Struct("<8sI")  # magic, dimensions
DIGEST_BYTES = 32
CHECKSUM = struct.Struct("<I")
LARGEST_BYTES = 1 << 30  # then it begins anew: texts that are gone are never taken out one by one
RECORDS_AT_ONCE = 1024


class EmbeddingCache:
    """The vectors of one model; every method may be called from any thread."""

    def __init__(self, path: str, *, largest_bytes: int = LARGEST_BYTES) -> None:
        self._path = path
        self._largest_bytes = largest_bytes
        self._lock = threading.Lock()
        self._places: dict[bytes, int] = {}
        self._read_to = HEADER.size

    @property
    def dimensions(self) -> int | None:
        """The width of the cached vectors; None if there are none."""
        with suppress(OSError), self._opened(os.O_RDONLY) as file:
            return _dimensions(file)
        return None

    def find(self, texts: Sequence[str]) -> dict[str, bytes]:
        """The cached vectors of these texts."""
        with self._lock, suppress(OSError), self._opened(os.O_RDONLY) as file:
            dimensions = _dimensions(file)
            if dimensions is None:
                return {}
            self._read_new(file, _record_bytes(dimensions))
            found = ((text, self._read(file, hash_text(text), dimensions)) for text in texts)
            return {text: vector for text, vector in found if vector is not None}
        return {}

    def add(self, vectors: Mapping[str, bytes]) -> None:
        """Cache the vectors of these texts, all of one width."""
        if not vectors:
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with self._opened(os.O_RDWR | os.O_CREAT) as file:
                wait_for_file_lock(file)  # ends with the descriptor
                self._append(file, vectors)

    @contextmanager
    def _opened(self, flags: int) -> Generator[int]:
        file = os.open(self._path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            yield file
        finally:
            os.close(file)

    def _append(self, file: int, vectors: Mapping[str, bytes]) -> None:
        dimensions = len(next(iter(vectors.values())))
        size = os.fstat(file).st_size
        if _dimensions(file) != dimensions or size > self._largest_bytes:
            os.ftruncate(file, 0)
            os.pwrite(file, HEADER.pack(MAGIC, dimensions), 0)
            size = HEADER.size
        size -= (size - HEADER.size) % _record_bytes(dimensions)  # somebody was killed in the middle of a record
        os.ftruncate(file, size)
        os.pwrite(file, b"".join(_record(hash_text(text), vector) for text, vector in vectors.items()), size)

    def _read_new(self, file: int, record_bytes: int) -> None:
        """Find the records that were added since the last call."""
        size = os.fstat(file).st_size
        if size < self._read_to:
            self._places = {}
            self._read_to = HEADER.size
        while size - self._read_to >= record_bytes:
            block = os.pread(file, record_bytes * RECORDS_AT_ONCE, self._read_to)
            whole = len(block) // record_bytes
            if not whole:
                return
            for number in range(whole):
                start = number * record_bytes
                self._places[block[start : start + DIGEST_BYTES]] = self._read_to + start
            self._read_to += whole * record_bytes

    def _read(self, file: int, digest: bytes, dimensions: int) -> bytes | None:
        place = self._places.get(digest)
        if place is None:
            return None
        record = os.pread(file, _record_bytes(dimensions), place)
        vector = record[DIGEST_BYTES : DIGEST_BYTES + dimensions]
        return vector if record == _record(digest, vector) else None


def hash_text(text: str) -> bytes:
    """The key of a text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _dimensions(file: int) -> int | None:
    header = os.pread(file, HEADER.size, 0)
    if len(header) < HEADER.size:
        return None
    magic, dimensions = HEADER.unpack(header)
    return int(dimensions) if magic == MAGIC and dimensions else None


def _record_bytes(dimensions: int) -> int:
    return DIGEST_BYTES + dimensions + CHECKSUM.size


def _record(digest: bytes, vector: bytes) -> bytes:
    return digest + vector + CHECKSUM.pack(zlib.crc32(vector, zlib.crc32(digest)))


MOST_ANSWER_BYTES = 64 << 20
FIRST_WAIT_SECONDS = 0.5
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
TOLD_CODE = re.compile(r"[a-z_]{3,40}")
HINTS = {401: " It does not take the key.", 403: " It does not take the key.", 404: " Are the address and model right?"}


class EndpointRetries(NamedTuple):
    """How many attempts, how long each answer may take, and how long the endpoint may ask us to wait."""

    attempts: int
    timeout_seconds: float
    longest_wait_seconds: float


class VectorRequest(NamedTuple):
    """What one request asks for: the model, and how wide its vectors should be (None: as wide as they are)."""

    model: str
    dimensions: int | None = None


class EmbeddingEndpoint:
    """One address with its key; every method may be called from any thread."""

    def __init__(
        self,
        address: str,
        wanted: VectorRequest,
        *,
        key: str | None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.host = check_endpoint_host(address)
        self._url = f"{address.rstrip('/')}/embeddings"
        self._wanted = wanted
        self._key = key
        self._sleep = sleep
        self._clock = clock
        direct = [urllib.request.ProxyHandler({})] if urlsplit(address).hostname in LOOPBACK else []
        self._opener = urllib.request.build_opener(NoRedirects, TimedHTTPHandler, TimedHTTPSHandler, *direct)

    def embed(self, texts: Sequence[str], patience: EndpointRetries) -> list[list[float]]:
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

    def _asked(self, texts: Sequence[str], patience: EndpointRetries) -> "bytes | _Busy":
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
        """The whole answer, before the deadline."""
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
        """Fail for a status that a retry won't change; `from None`, as an endpoint may repeat the key in its answer."""
        hint = " An address that leads elsewhere is not followed." if 300 <= error.code < 400 else HINTS.get(error.code)
        raise Failure(
            f"The embedding endpoint {self.host} answered {error.code}{_told_code(error)}.{hint or ''}"
        ) from None

    def _rows(self, body: bytes, count: int) -> list[list[float]]:
        try:
            data: Any = json.loads(body)["data"]
            placed = sorted((int(each.get("index", number)), each["embedding"]) for number, each in enumerate(data))
            rows = [list(map(float, row)) for _, row in placed]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise Failure(f"The embedding endpoint {self.host} answered with something else than vectors.") from None
        if [number for number, _ in placed] != list(range(count)):
            raise Failure(f"The embedding endpoint {self.host} gave {len(rows)} vectors for {count} texts.")
        is_finite = all(math.isfinite(component) for row in rows for component in row)
        if len({len(row) for row in rows}) > 1 or not is_finite:
            raise Failure(f"The embedding endpoint {self.host} answered with vectors that can't be used.")
        return rows


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


class _Busy(NamedTuple):
    """An attempt that may be repeated."""

    said: str
    wait_seconds: float | None = None


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, since the key would be sent along."""

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


SENTENCE = "Represent this sentence for searching relevant passages: "


class Prefixes(NamedTuple):
    """What is put before a query and before a passage; most models want neither."""

    query: str = ""
    passage: str = ""

    @property
    def mark(self) -> str:
        """What an identity says of them: nothing where there are none."""
        if not any(self):
            return ""
        return "+" + hashlib.sha256("\0".join(self).encode(errors="surrogatepass")).hexdigest()[:8]


NO_PREFIXES = Prefixes()


def find_prefixes(model: str) -> Prefixes:
    """The prefixes that the makers of a model ask for, by the last part of its name."""
    name = model.rstrip("/\\").replace("\\", "/").replace(":", "/").rpartition("/")[2].lower()
    return next((asked.prefixes for asked in ASKED_FOR if asked.is_for(name)), NO_PREFIXES)


class PrefixFamily(NamedTuple):
    """What the makers of a family of models ask for, but for some members."""

    family: re.Pattern[str]
    prefixes: Prefixes
    but: re.Pattern[str] | None = None

    def is_for(self, name: str) -> bool:
        """Whether a model belongs to the family."""
        return self.family.match(name) is not None and not (self.but and self.but.match(name))


ASKED_FOR = (
    PrefixFamily(
        re.compile(r"(multilingual-)?e5-"),
        Prefixes("query: ", "passage: "),
        but=re.compile(r"(multilingual-)?e5-(mistral|.*instruct)"),
    ),
    PrefixFamily(re.compile(r"bge-.*-zh"), Prefixes("为这个句子生成表示以用于检索相关文章：")),
    PrefixFamily(re.compile(r"bge-"), Prefixes(SENTENCE), but=re.compile(r"bge-(m3|multilingual|reranker)")),
    PrefixFamily(re.compile(r"mxbai-embed-"), Prefixes(SENTENCE)),
    PrefixFamily(re.compile(r"snowflake-arctic-embed-.*v2"), Prefixes("query: ")),
    PrefixFamily(re.compile(r"snowflake-arctic-embed-"), Prefixes(SENTENCE)),
    PrefixFamily(re.compile(r"nomic-embed-text-"), Prefixes("search_query: ", "search_document: ")),
)


DIMENSIONS = "FIELDGUIDE_SEARCH_DIMENSIONS"
FOR_DOCUMENTS = EndpointRetries(attempts=6, timeout_seconds=60.0, longest_wait_seconds=60.0)
FOR_QUERIES = EndpointRetries(attempts=2, timeout_seconds=3.0, longest_wait_seconds=1.0)
REST_SECONDS = 30.0  # after a query in vain: people who search don't wait for it again and again
BATCH_TEXTS = 32  # what the smallest servers take at once
BATCH_CHARACTERS = 48_000
LONGEST_CHARACTERS = 8_000
KEPT_QUERIES = 256
PROBE = "how wide"


class WordlessModel:
    """What a model says of words that are nothing to it but a part of texts."""

    knows_words = False

    def readable_share(self, text: str) -> float:
        """It reads all of it."""
        return 1.0

    def word_weight(self, word: str) -> float | None:
        """It does not say."""
        return None

    def known_words(self, words: Iterable[str]) -> list[str]:
        """None."""
        return []

    def word_likeness(self, words: Sequence[str], text: str) -> list[float]:
        """None is alike."""
        return [0.0] * len(words)


class RemoteModel(WordlessModel):
    """The `Embedder` that asks an endpoint; vectors of documents are kept on disk, those of queries in memory."""

    def __init__(
        self,
        endpoint: EmbeddingEndpoint,
        cache: EmbeddingCache,
        *,
        identity: str,
        dimensions: int | None = None,
        prefixes: Prefixes = NO_PREFIXES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.identity = identity
        self._endpoint = endpoint
        self._cache = cache
        self._dimensions = dimensions
        self._prefixes = prefixes
        self._clock = clock
        self._lock = threading.Lock()
        self._queries: dict[str, bytes] = {}
        self._rests_until = -1.0

    @property
    def dimensions(self) -> int:
        """How wide the vectors are: as the settings say, as those that were kept, or as the endpoint answers."""
        if self._dimensions is None:
            self._dimensions = self._cache.dimensions or len(self._endpoint.embed([PROBE], FOR_QUERIES)[0])
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text; only those are asked for that were never asked for before."""
        known = self._cache.find(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        for batch in split_batches(missing):
            vectors = self._asked([self._prefixes.passage + text for text in batch], FOR_DOCUMENTS)
            fresh = dict(zip(batch, vectors, strict=True))
            self._cache.add(fresh)
            known |= fresh
        return [known[text] for text in texts]

    def embed_query(self, text: str) -> bytes:
        """The vector of what somebody looks for; while the endpoint rests after a failure it is not asked."""
        with self._lock:
            known = self._queries.pop(text, None)
            if known is not None:
                self._queries[text] = known
                return known
            is_resting = self._clock() < self._rests_until
        if is_resting:
            raise Failure(f"The embedding endpoint {self._endpoint.host} was away a moment ago.")
        try:
            [vector] = self._asked([self._prefixes.query + text], FOR_QUERIES)
        except Failure:
            self._rests_until = self._clock() + REST_SECONDS
            raise
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > KEPT_QUERIES:
                del self._queries[next(iter(self._queries))]
        return vector

    def _asked(self, texts: Sequence[str], patience: EndpointRetries) -> list[bytes]:
        rows = self._endpoint.embed([text[:LONGEST_CHARACTERS] or " " for text in texts], patience)
        width = len(rows[0])
        self._dimensions = self._dimensions or self._cache.dimensions or width
        if width != self._dimensions:
            raise Failure(
                f"The embedding endpoint {self._endpoint.host} gave vectors of {width} components instead of "
                f"{self._dimensions}. If another model answers there now, set {DIMENSIONS}={width}."
            )
        self._rests_until = -1.0
        return [pack_vector(row) for row in rows]


def load_remote(
    model: str,
    environment: Mapping[str, str],
    *,
    prefixes: Prefixes | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> RemoteModel:
    """The model of this name at the endpoint that the environment names."""
    address = environment.get(ENDPOINT, "")
    if not address:
        raise Misconfiguration(f"The model 'openai:{model}' needs an endpoint: set {ENDPOINT}=https://HOST/v1.")
    wanted = VectorRequest(model, _read_dimensions(environment))
    endpoint = EmbeddingEndpoint(address, wanted, key=_key(environment), sleep=sleep)
    chosen = prefixes or find_prefixes(model)
    identity = f"openai:{model}-{_digest(address.rstrip('/'), str(wanted.dimensions))}{chosen.mark}"
    caches = find_xdg_folder("XDG_CACHE_HOME", ".cache", environment)
    cache = EmbeddingCache(os.path.join(caches, "fieldguide", "embeddings", f"{_digest(identity)}.vectors"))
    return RemoteModel(endpoint, cache, identity=identity, dimensions=wanted.dimensions, prefixes=chosen)


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


def _read_dimensions(environment: Mapping[str, str]) -> int | None:
    text = environment.get(DIMENSIONS, "")
    if not text:
        return None
    if not text.isdecimal() or not int(text):
        raise Misconfiguration(f"{DIMENSIONS} must be a number, not {text!r}.")
    return int(text)


def _key(environment: Mapping[str, str]) -> str | None:
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


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:12]
