"""A model behind an OpenAI-compatible endpoint, which the user's own environment names: never a project's file."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from fieldguide.errors import Failure, Misconfiguration
from fieldguide.search.embedders.embedding_cache import EmbeddingCache
from fieldguide.search.embedders.embedding_endpoint import EmbeddingEndpoint, Patience, Vectors
from fieldguide.search.embedders.models import ENDPOINT, KEY_VARIABLE
from fieldguide.search.embedders.prefixes import NO_PREFIXES, Prefixes, prefixes_for
from fieldguide.search.embedding import packed

DIMENSIONS = "FIELDGUIDE_SEARCH_DIMENSIONS"
FOR_DOCUMENTS = Patience(attempts=6, timeout_seconds=60.0, longest_wait_seconds=60.0)
FOR_QUERIES = Patience(attempts=2, timeout_seconds=3.0, longest_wait_seconds=1.0)
REST_SECONDS = 30.0  # after a query in vain: people who search don't wait for it again and again
BATCH_TEXTS = 32  # what the smallest servers take at once
BATCH_CHARACTERS = 48_000
LONGEST_CHARACTERS = 8_000
KEPT_QUERIES = 256
PROBE = "how wide"


class RemoteModel:
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
        for batch in batches(missing):
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
        self._keep_query(text, vector)
        return vector

    def _asked(self, texts: Sequence[str], patience: Patience) -> list[bytes]:
        rows = self._endpoint.embed([text[:LONGEST_CHARACTERS] or " " for text in texts], patience)
        width = len(rows[0])
        self._dimensions = self._dimensions or self._cache.dimensions or width
        if width != self._dimensions:
            raise Failure(
                f"The embedding endpoint {self._endpoint.host} gave vectors of {width} components instead of "
                f"{self._dimensions}. If another model answers there now, set {DIMENSIONS}={width}."
            )
        self._rests_until = -1.0
        return [packed(row) for row in rows]

    def _keep_query(self, text: str, vector: bytes) -> None:
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > KEPT_QUERIES:
                del self._queries[next(iter(self._queries))]


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
    wanted = Vectors(model, _dimensions(environment))
    endpoint = EmbeddingEndpoint(address, wanted, key=_key(environment), sleep=sleep)
    chosen = prefixes or prefixes_for(model)
    identity = f"openai:{model}-{_digest(address.rstrip('/'), str(wanted.dimensions))}{chosen.mark}"
    cache = EmbeddingCache(os.path.join(_cache_folder(environment), f"{_digest(identity)}.vectors"))
    return RemoteModel(endpoint, cache, identity=identity, dimensions=wanted.dimensions, prefixes=chosen)


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in parts that an endpoint takes at once: not too many, and not too long together."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = min(len(text), LONGEST_CHARACTERS)
        if batch and (len(batch) == BATCH_TEXTS or size + length > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _dimensions(environment: Mapping[str, str]) -> int | None:
    text = environment.get(DIMENSIONS, "")
    if not text:
        return None
    if not text.isdecimal() or not int(text):
        raise Misconfiguration(f"{DIMENSIONS} must be a number, not {text!r}.")
    return int(text)


def _key(environment: Mapping[str, str]) -> str | None:
    """The key; there is no variable that is taken unasked, for it may be meant for another endpoint.

    The variable is not named in messages: somebody may have written the key itself there.
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


def _cache_folder(environment: Mapping[str, str]) -> str:
    caches = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(caches, "fieldguide", "embeddings")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:12]
