"""Real documentation and real questions for measurements of speed: nothing here is made up."""

import gzip
import json
import random
import tarfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from benchmarks.engines import read_document
from benchmarks.labelled_sets import SETS, SHARED_DATA, read_set
from fieldguide.search.types import NewDocument

KUBERNETES = SHARED_DATA / "docs" / "kubernetes.tar.xz"
TRAINING = SHARED_DATA / "training" / "docs.jsonl.gz"
QUESTIONS = SETS / "ray-docs-qa-dev"
SEED = 7


class File(NamedTuple):
    """A file: its path and its text."""

    path: str
    text: str


def need(*paths: Path) -> None:
    """Stop the run where its data is missing."""
    for path in paths:
        if not path.exists():
            raise SystemExit(f"There is no {path}: this measurement needs the shared data.")


def kubernetes_files() -> Iterator[File]:
    """The kubernetes documentation, 2,453 files."""
    with tarfile.open(KUBERNETES) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                yield File(member.name, content.read().decode("utf-8", errors="replace"))


def unpack_kubernetes(folder: Path) -> Path:
    """The kubernetes documentation as files below a folder."""
    with tarfile.open(KUBERNETES) as archive:
        archive.extractall(folder, filter="data")
    return folder


def training_files() -> Iterator[File]:
    """Pages of sixty other projects, put together again from the training text."""
    with gzip.open(TRAINING, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            page = json.loads(line)
            parts = [f"# {page['t']}"]
            for heading, pieces in page["s"]:
                parts += [f"## {heading}", *pieces]
            yield File(f"{page['p']}/{number}.md", "\n\n".join(parts))


def real_documents(chunks: int) -> Iterator[NewDocument]:
    """Different documents, read and cut, with at least so many chunks together (or as many as there are)."""
    held = 0
    for file in chain(kubernetes_files(), training_files()):
        if held >= chunks:
            return
        document = read_document(file.path, file.text)
        held += len(document.chunks)
        yield document


def real_queries() -> list[str]:
    """What people asked about Ray, in one fixed order."""
    asked = [query.text for query in read_set(QUESTIONS).queries]
    random.Random(SEED).shuffle(asked)
    return asked
