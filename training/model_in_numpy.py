"""The built-in model in numpy, for training, and for the test that holds `static_model` beside it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldguide.search.embedding import LARGEST
from fieldguide.search.models.static import FREQUENCY_POWER, RowGate

Floats = NDArray[np.float32]


class Network(NamedTuple):
    """What a document's vector goes through: one hidden layer, whose answer is added to the vector."""

    widen: Floats
    bias: Floats
    narrow: Floats


def added_up(counts: dict[int, int], rows: NDArray[np.generic], scales: Floats, gate: RowGate) -> Floats:
    """The rows of a text, weighted, gated and added up."""
    found = np.fromiter(counts.keys(), np.intp, len(counts))
    times = np.fromiter(counts.values(), np.float32, len(counts))
    chosen = rows[found].astype(np.float32)
    weights = scales[found] * times**FREQUENCY_POWER
    total = weights @ chosen
    lengths = np.sqrt(np.einsum("ij,ij->i", chosen, chosen)) * np.linalg.norm(total)
    alike = chosen @ total / np.where(lengths == 0, 1.0, lengths)
    gated = weights / (1 + np.exp(-gate.slope * alike - gate.at))
    summed: Floats = (gated @ chosen).astype(np.float32)
    return summed


def through(sums: Floats, network: Network) -> Floats:
    """The vectors of documents: sums at length one, and what the network adds to each; a sum of nothing stays."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    directions = sums / np.where(lengths == 0, 1.0, lengths)
    added = np.maximum(directions @ network.widen + network.bias, 0) @ network.narrow
    answered: Floats = np.where(lengths == 0, 0.0, directions + added)
    return answered


def packed_rows(vectors: Floats) -> list[bytes]:
    """Each vector in the form that is stored."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.rint(vectors * (LARGEST / np.where(largest == 0, 1.0, largest))).astype(np.int8)
    return [row.tobytes() for row in scaled]
