"""Questions made from a project's own documents: each heading, with those above it, looks for the text below it.

The text is cut at every heading and kept without it, so that a heading can only be answered by what is said below it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide.document_formats.document import Block, ReadDocument
from fieldguide.document_formats.readers import read_document
from fieldguide.search.chunking import Chunk, chunk_document

SEED = 20240601
LEAST_CHARACTERS = 80  # a shorter text hardly says what its heading promises
LEAST_LETTERS = 3


class HeadedText(NamedTuple):
    """The text below one heading, as chunks; `headings` are the headings above it, its own last."""

    document: str
    number: int
    headings: tuple[str, ...]
    chunks: Sequence[Chunk]

    @property
    def question(self) -> str:
        """What somebody might ask to be led here."""
        return " ".join(dict.fromkeys(self.headings))


class Trial(NamedTuple):
    """What models are tried on: documents, whole but for their headings, and the sections that are asked for."""

    documents: Mapping[str, Sequence[HeadedText]]
    asked: Sequence[HeadedText]

    @property
    def sections(self) -> int:
        """How many sections there are to find."""
        return sum(map(len, self.documents.values()))

    @property
    def chunks(self) -> int:
        """How many chunks there are to index."""
        return sum(len(section.chunks) for sections in self.documents.values() for section in sections)


def make_trial(documents: Iterable[tuple[str, str]], *, questions: int, chunks: int) -> Trial:
    """A trial over these documents (name and text), never larger than asked for and the same every time."""
    cut = {name: list(sections_of(name, text)) for name, text in documents}
    usable = [section for section in _told_once(cut.values()) if _is_question(section)]
    chance = random.Random(SEED)  # noqa: S311  a sample, not a secret
    names = [name for name in cut if cut[name]]
    chance.shuffle(names)
    kept = _fitting({name: cut[name] for name in names}, chunks)
    possible = [section for section in usable if section.document in kept]
    return Trial(kept, chance.sample(possible, min(questions, len(possible))))


def _fitting(documents: Mapping[str, Sequence[HeadedText]], room: int) -> dict[str, Sequence[HeadedText]]:
    """The documents, in their order, that have room for all of their chunks."""
    kept: dict[str, Sequence[HeadedText]] = {}
    for name, sections in documents.items():
        size = sum(len(section.chunks) for section in sections)
        if size <= room:
            kept[name] = sections
            room -= size
    return kept


def sections_of(name: str, text: str) -> Iterator[HeadedText]:
    """The sections of a document that say anything, in its order."""
    document = read_document(name, text)
    path: dict[int, str] = {}
    body: list[Block] = []
    number = 0
    for block in [*document.blocks, None]:
        if block is not None and block.heading is None:
            body.append(block)
            continue
        chunks = _chunks(document, body)
        if chunks:
            number += 1
            yield HeadedText(name, number, tuple(path.values()), chunks)
        if block is not None and block.heading is not None:
            heading = document.headings[block.heading]
            path = {level: said for level, said in path.items() if level < heading.level}
            path[heading.level] = heading.text
            body = []


def _chunks(document: ReadDocument, body: Sequence[Block]) -> list[Chunk]:
    return chunk_document(document._replace(headings=(), blocks=tuple(body)))


def _told_once(documents: Iterable[Sequence[HeadedText]]) -> list[HeadedText]:
    """The sections whose own heading stands over no other: "See also" leads nowhere in particular."""
    headed = [section for sections in documents for section in sections if section.headings]
    counts = Counter(section.headings[-1].casefold() for section in headed)
    return [section for section in headed if counts[section.headings[-1].casefold()] == 1]


def _is_question(section: HeadedText) -> bool:
    letters = sum(character.isalpha() for character in section.headings[-1])
    return letters >= LEAST_LETTERS and sum(len(chunk.text) for chunk in section.chunks) >= LEAST_CHARACTERS
