"""Pairs from documentation: what a page says of itself, in its headings, its links and its first sentences."""

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.pairs import Pair
from training.wording import asked

Document = dict[str, Any]  # one line of docs.jsonl.gz: see `shared/EMBEDDING.md` for its letters

LONGEST_TEXT = 1200
FEWEST_CHARACTERS = 40
VALIDATION = ("datasette", "hugo", "kubeflow", "prometheus", "structlog")
NEVER_TRAINED_ON = ("adr-", *VALIDATION)  # decision records serve evaluation
LABEL_HEADING = re.compile(
    r"what['\u2019]s next\s*\??$", re.IGNORECASE
)  # in Kubernetes it lists the labels of a test set
SENTENCE_END = re.compile(r"(?<=[.!?:])\s")


def read_documents(path: Path) -> dict[str, list[Document]]:
    """The documents of each project, those held back left out."""
    projects: dict[str, list[Document]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for document in map(json.loads, lines):
            if not document["p"].startswith(NEVER_TRAINED_ON):
                projects[document["p"]].append(document)
    return projects


def document_pairs(documents: list[Document], chance: random.Random) -> Iterator[Pair]:
    """Every pair of one project."""
    for document in documents:
        yield from _page_pairs(document, chance)
        yield from _section_pairs(document, chance)
        yield from _code_pairs(document)
        yield from _link_pairs(document, documents)


def opening(document: Document) -> str:
    """Title and first words of a page, as an index would embed them."""
    text = next((chunk for _, chunks in document["s"] for chunk in chunks if chunk), "")
    return f"{document['t']} > {text}"[:LONGEST_TEXT]


def _page_pairs(document: Document, chance: random.Random) -> Iterator[Pair]:
    project, title = document["p"], document["t"]
    if document["d"]:
        yield Pair("description", project, asked(document["d"], chance), opening(document))
        yield Pair("title", project, title, document["d"])
    chunks = [chunk for _, chunks in document["s"] for chunk in chunks if len(chunk) > 200]
    if len(chunks) > 2:
        first, second = chance.sample(chunks, 2)
        yield Pair("same page", project, first[:LONGEST_TEXT], second[:LONGEST_TEXT])


def _section_pairs(document: Document, chance: random.Random) -> Iterator[Pair]:
    project, title = document["p"], document["t"]
    for path, chunks in document["s"]:
        if project == "kubernetes" and LABEL_HEADING.search(path):
            continue
        for chunk in chunks:
            if len(chunk) < FEWEST_CHARACTERS:
                continue
            last = path.rsplit(" > ", 1)[-1] if path else title
            heading = last if chance.random() < 0.5 else f"{title} {path}".strip()
            yield Pair("heading", project, asked(heading, chance), chunk[:LONGEST_TEXT])
            sentence, *rest = SENTENCE_END.split(chunk, maxsplit=1)
            if rest and 25 < len(sentence) < 300 and len(rest[0]) > 80:
                where = f"{title} > {path} > " if chance.random() < 0.5 else ""
                yield Pair("sentence", project, sentence, (where + rest[0])[:LONGEST_TEXT])


def _code_pairs(document: Document) -> Iterator[Pair]:
    for description, code in document["c"]:
        if len(description) > 15 and len(code) > 20:
            yield Pair("example", document["p"], description[:400], code[:LONGEST_TEXT])


def _link_pairs(document: Document, documents: list[Document]) -> Iterator[Pair]:
    for words, sentence, target in document["l"]:
        other = documents[target]
        if len(words) > 8 and words.lower() != other["t"].lower():
            yield Pair("link", document["p"], words, opening(other))
        elif len(sentence) > 60:
            yield Pair("link", document["p"], sentence[:400], opening(other))
    for _, target in document["r"]:
        yield Pair("related", document["p"], opening(document), opening(documents[target]))
