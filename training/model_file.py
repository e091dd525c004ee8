"""Write what was trained as the file that `fieldguide.search.models.static` reads."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldguide.search.embedding import LARGEST
from fieldguide.search.models.static import DIGEST_BYTES, GATE, HEADER, MAGIC, RowGate
from training.model_in_numpy import Network


class Weights(NamedTuple):
    """Everything that training finds, as floats."""

    table: NDArray[np.float32]
    gate: RowGate
    network: Network


def quantised(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A byte for each component, and for each row the half-precision number that it is multiplied with."""
    scales = (np.abs(table).max(axis=1) / LARGEST).astype(np.float16)
    safe = np.where(scales > 0, scales, 1).astype(np.float32)[:, None]
    return np.clip(np.rint(table / safe), -LARGEST, LARGEST).astype(np.int8), scales


def write_model(path: Path, pieces: list[str], weights: Weights) -> None:
    """Header, scales, vocabulary, rows, gate, network."""
    rows, scales = quantised(weights.table)
    vocabulary = "\n".join(pieces).encode()
    content = scales.astype("<f2").tobytes() + vocabulary + rows.tobytes() + GATE.pack(*weights.gate)
    content += b"".join(part.astype("<f2").tobytes() for part in weights.network)
    digest = hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()
    hidden = len(weights.network.bias)
    header = HEADER.pack(MAGIC, len(pieces), weights.table.shape[1], hidden, len(vocabulary), digest)
    path.write_bytes(header + content)
