"""How well a model finds: nDCG@10 alone and fused with BM25, `python -m training.evaluate --help`.

Pages are cut into chunks of about a thousand characters at their headings, a chunk is embedded with its title and
heading path, and the best chunk counts for its page. Fused: the best hundred of each side, scaled to 0..1, half and
half.
"""

import argparse
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldguide.search.models.static import StaticModel, WordPieces
from training.model_file import Weights
from training.model_in_numpy import added_up, through

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]  # rows of length one

CHUNK_CHARACTERS = 1000
CANDIDATES = 100
RANKS = 10
HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
WORD = re.compile(r"[a-z0-9]+")
K1, B = 1.2, 0.75
K3 = 8.0  # how soon a word that a long query repeats stops counting


class Encoder(NamedTuple):
    """The two sides of a model: what is looked for, and what is to be found."""

    queries: Encode
    documents: Encode


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Documents, queries and which of the documents answer each."""

    name: str
    documents: dict[str, tuple[str, str]]
    queries: dict[str, str]
    same_as: dict[str, str]
    labels: dict[str, dict[str, float]]


def read_set(folder: Path) -> LabelledSet:
    """A folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`."""
    documents = {d["id"]: (d["title"], d["text"]) for d in _records(folder / "corpus.jsonl")}
    queries = list(_records(folder / "queries.jsonl"))
    labels: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        labels.setdefault(query, {})[document] = float(score)
    same_as = {query["id"]: query["doc"] for query in queries if "doc" in query}
    asked = {query["id"]: query["text"] for query in queries if query["id"] in labels}
    return LabelledSet(folder.name, documents, asked, same_as, labels)


def _records(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def chunks(title: str, text: str) -> list[str]:
    """Title, heading path and body of each part of a page."""
    found: list[str] = []
    path: list[str] = []
    body: list[str] = []

    def close() -> None:
        if joined := "\n".join(body).strip():
            found.append(" > ".join([title, *filter(None, path), joined]))
        body.clear()

    for line in text.splitlines():
        if heading := HEADING.match(line):
            close()
            path[:] = [*(path + [""] * 6)[: len(heading[1]) - 1], heading[2]]
        else:
            if sum(map(len, body)) + len(line) > CHUNK_CHARACTERS:
                close()
            body.append(line)
    close()
    return found or [title]


class Keywords:
    """Plain BM25 over whole documents."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._size = len(texts)
        lengths = np.zeros(self._size)
        places: dict[str, tuple[list[int], list[int]]] = {}
        for number, text in enumerate(texts):
            words = Counter(WORD.findall(text.lower()))
            lengths[number] = sum(words.values())
            for word, times in words.items():
                postings = places.setdefault(word, ([], []))
                postings[0].append(number)
                postings[1].append(times)
        norm = K1 * (1 - B + B * lengths / lengths.mean())
        self._scores = {word: self._score(np.array(at), np.array(times), norm) for word, (at, times) in places.items()}

    def _score(
        self, at: NDArray[np.int64], times: NDArray[np.int64], norm: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Vectors]:
        rarity = math.log(1 + (self._size - len(at) + 0.5) / (len(at) + 0.5))
        return at, (rarity * times * (K1 + 1) / (times + norm[at])).astype(np.float32)

    def search(self, query: str) -> Vectors:
        """A score for each document; each word of the query counts once."""
        return self._total(dict.fromkeys(WORD.findall(query.lower()), 1.0))

    def related(self, text: str) -> Vectors:
        """A score for each document where the query is a document too: what it repeats counts more."""
        counts = Counter(WORD.findall(text.lower()))
        return self._total({word: times * (K3 + 1) / (times + K3) for word, times in counts.items()})

    def _total(self, weights: dict[str, float]) -> Vectors:
        total = np.zeros(self._size, np.float32)
        for word, weight in sorted(weights.items()):
            if word in self._scores:
                at, scores = self._scores[word]
                total[at] += scores * weight
        return total


def fused(first: Vectors, second: Vectors) -> Vectors:
    """Half of each, both scaled to 0..1 over their best hundred."""
    return (_scaled(first) + _scaled(second)) / np.float32(2)


def _scaled(scores: Vectors) -> Vectors:
    best = np.argsort(-scores, kind="stable")[:CANDIDATES]
    best = best[np.isfinite(scores[best])]
    result = np.zeros_like(scores)
    low, high = scores[best[-1]], scores[best[0]]
    result[best] = (scores[best] - low) / (high - low) if high > low else 0.0
    return result


def ndcg(scores: Vectors, identifiers: Sequence[str], labels: dict[str, float]) -> float:
    """The discounted gain of the first ten over the best that could be had."""
    best = np.argsort(-scores, kind="stable")[:RANKS]
    gain = sum(labels.get(identifiers[n], 0.0) / math.log2(rank + 2) for rank, n in enumerate(best))
    ideal = sum(label / math.log2(rank + 2) for rank, label in enumerate(sorted(labels.values(), reverse=True)[:RANKS]))
    return gain / ideal


class Harness:
    """A labelled set, cut and searched by keywords once, for any number of models."""

    def __init__(self, labelled: LabelledSet) -> None:
        self.name = labelled.name
        self._labels = labelled.labels
        self._identifiers = list(labelled.documents)
        cut = [chunks(*document) for document in labelled.documents.values()]
        self._chunks = [part for parts in cut for part in parts]
        self._owners = np.repeat(np.arange(len(cut)), [len(parts) for parts in cut])
        self._queries = labelled.queries
        self._own = {query: self._identifiers.index(document) for query, document in labelled.same_as.items()}
        keywords = Keywords([f"{title}\n{text}" for title, text in labelled.documents.values()])
        self._keyword_scores = {query: keywords.search(text) for query, text in labelled.queries.items()}
        for query, document in labelled.same_as.items():
            self._keyword_scores[query] = keywords.related("\n".join(labelled.documents[document]))

    def measure(self, encode: Encoder) -> dict[str, float]:
        """nDCG@10 of keywords, of the model and of both."""
        vectors = encode.documents(self._chunks)
        asked = encode.queries(list(self._queries.values()))
        sums = {"bm25": 0.0, "dense": 0.0, "fused": 0.0}
        for query, vector in zip(self._queries, asked, strict=True):
            own = self._own.get(query)
            near = vectors @ (vector if own is None else vectors[self._owners == own].mean(0))
            dense = np.full(len(self._identifiers), -np.inf, np.float32)
            np.maximum.at(dense, self._owners, near)
            sparse = self._keyword_scores[query].copy()
            if own is not None:
                dense[own] = sparse[own] = -np.inf
            for name, scores in (("bm25", sparse), ("dense", dense), ("fused", fused(sparse, dense))):
                sums[name] += ndcg(scores, self._identifiers, self._labels[query])
        return {name: round(total / len(self._queries), 4) for name, total in sums.items()}


def weights_encoder(pieces: list[str], weights: Weights) -> Encoder:
    """A model of floats: for what is not, or not yet, a model file."""
    words = WordPieces({piece: row for row, piece in enumerate(pieces)})
    scales = np.ones(len(pieces), np.float32)

    def sums(texts: Sequence[str]) -> Vectors:
        return np.stack([added_up(words.count(text), weights.table, scales, weights.gate) for text in texts])

    return Encoder(lambda texts: unit(sums(texts)), lambda texts: unit(through(sums(texts), weights.network)))


def model_encoder(path: Path, dimensions: int | None = None) -> Encoder:
    """A model file as an encoder, through the code that Fieldguide runs."""
    model = StaticModel(path)

    def rows(vectors: Sequence[bytes]) -> Vectors:
        table = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1)
        return unit(table[:, :dimensions].astype(np.float32))

    return Encoder(
        lambda texts: rows([model.embed_query(text) for text in texts]),
        lambda texts: rows(model.embed_documents(texts)),
    )


def unit(vectors: Vectors) -> Vectors:
    """Each row at length one; a row of zeros stays."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
    lengths[lengths == 0] = 1
    return vectors / lengths


def main() -> None:
    """Print one line of figures for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--dimensions", type=int)
    parser.add_argument("sets", type=Path, nargs="+", help="folders of labelled sets")
    options = parser.parse_args()
    encode = model_encoder(options.model, options.dimensions)
    for folder in options.sets:
        figures = Harness(read_set(folder)).measure(encode)
        print(f"{folder.name}\t" + "\t".join(f"{name} {value:.3f}" for name, value in figures.items()), flush=True)


if __name__ == "__main__":
    main()
