"""Write a table as the file that `fieldguide.search.static_model` reads."""

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldguide.search.embedding import LARGEST
from fieldguide.search.static_model import DIGEST_BYTES, HEADER, MAGIC


def quantised(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A byte for each component, and for each row the half-precision number that it is multiplied with."""
    scales = (np.abs(table).max(axis=1) / LARGEST).astype(np.float16)
    safe = np.where(scales > 0, scales, 1).astype(np.float32)[:, None]
    return np.clip(np.rint(table / safe), -LARGEST, LARGEST).astype(np.int8), scales


def write_model(path: Path, pieces: list[str], table: NDArray[np.float32]) -> None:
    """Header, scales, vocabulary, rows."""
    rows, scales = quantised(table)
    vocabulary = "\n".join(pieces).encode()
    content = scales.astype("<f2").tobytes() + vocabulary + rows.tobytes()
    digest = hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()
    path.write_bytes(HEADER.pack(MAGIC, len(pieces), table.shape[1], len(vocabulary), digest) + content)
