"""Real text for measurements of size, in one stream: documentation, and every text file of git repositories."""

import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple, cast

from benchmarks.engines import new_document, read_document
from benchmarks.real_text import File, kubernetes_files, training_files
from fieldguide.files.kinds import classify_text_file, is_code, language_of, most_chunks
from fieldguide.search.embedding import Embedder, blend_context, compose_embedded_text
from fieldguide.search.types import NewDocument
from fieldguide.toolsets.context.code_chunking import chunk_code
from fieldguide.toolsets.context.file_documents import chunk_text

BATCH_CHUNKS = 600  # about what a sync puts in at a time; ten thousand take longer than a statement may
LARGEST_BYTES = 400_000
MARKDOWN = (".md", ".markdown", ".mdx", ".rst", ".adoc")

Made = tuple[NewDocument, list[bytes]]


class Share(NamedTuple):
    """One of several equal parts of all texts; equal texts are in the same part."""

    number: int
    of: int

    def has(self, digest: bytes) -> bool:
        """Whether a text with this hash is in this part."""
        return int.from_bytes(digest[:4], "big") % self.of == self.number


WHOLE = Share(0, 1)


class Corpus:
    """Documents with their vectors, each text once, read as they are wanted; `chunks` were given out so far."""

    def __init__(self, repositories: Sequence[Path], embedder: Embedder, share: Share = WHOLE) -> None:
        self.chunks = 0
        self._embedder = embedder
        files = chain(kubernetes_files(), training_files(), *(repository_files(each) for each in repositories))
        self._documents = read_files(files, share)

    def up_to(self, chunks: int) -> Iterator[list[Made]]:
        """Further batches until there are so many chunks in all, or no more text."""
        while self.chunks < chunks:
            batch: list[NewDocument] = []
            enough = min(chunks, self.chunks + BATCH_CHUNKS)
            while self.chunks < enough and (document := next(self._documents, None)) is not None:
                batch.append(document)
                self.chunks += len(document.chunks)
            if not batch:
                return
            yield list(zip(batch, embedded(self._embedder, batch), strict=True))


def read_files(files: Iterator[File], share: Share) -> Iterator[NewDocument]:
    """Documents that have chunks, cut as the product cuts them; of equal texts the first."""
    seen = set[bytes]()
    for file in files:
        digest = sha256(file.text.encode(errors="surrogatepass")).digest()
        if share.has(digest) and digest not in seen:
            seen.add(digest)
            document = read_file(file)
            if document is not None and document.chunks:
                yield document


def read_file(file: File) -> NewDocument | None:
    """A file as the product would cut it; None where it would not be indexed."""
    if file.path.endswith(MARKDOWN):
        return read_document(file.path, file.text)
    kind = classify_text_file(file.path)
    if is_code(file.path):
        chunks = chunk_code(file.text, language_of(file.path))
    elif kind is not None:
        chunks = chunk_text(file.text, kind.form, most_chunks(file.path))
    else:
        return None
    return new_document(file.path, file.path, file.text, outline=[], chunks=chunks)


def repository_files(repository: Path) -> Iterator[File]:
    """The text files of a git repository, bare or checked out, as its latest commit has them."""
    print(f"reading {repository}", file=sys.stderr)
    command = ["git", "-C", str(repository), "archive", "--format=tar", "HEAD"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process,
        tarfile.open(fileobj=cast("IO[bytes]", process.stdout), mode="r|") as archive,
    ):
        for member in archive:
            content = archive.extractfile(member) if member.isfile() and member.size <= LARGEST_BYTES else None
            text = decode(content.read()) if content is not None else None
            if text:
                yield File(f"{repository.parent.name}/{repository.name}/{member.name}", text)


def decode(content: bytes) -> str | None:
    """The text of a file; None where it is none."""
    try:
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return None


def embedded(embedder: Embedder, documents: Sequence[NewDocument]) -> list[list[bytes]]:
    """The vectors of each document's chunks, as the engine makes them."""
    texts = [
        [compose_embedded_text(each.title, chunk.headings, chunk.text) for chunk in each.chunks] for each in documents
    ]
    rows = iter(embedder.embed_documents([text for each in texts for text in each]))
    return [blend_context([next(rows) for _ in each]) for each in texts]
