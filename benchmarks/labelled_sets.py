"""Labelled sets: documents, what people ask, and which of the documents answer it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import REPOSITORY

SHARED_DATA = REPOSITORY.parent / "shared" / "data"
SETS = SHARED_DATA / "retrieval"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")


class Document(NamedTuple):
    """A document of a set; its text is markdown, with or without its title."""

    id: str
    title: str
    text: str


class Query(NamedTuple):
    """A question, or (with `document`) a document whose related ones are looked for."""

    id: str
    text: str
    document: str | None


class LabelledSet(NamedTuple):
    """Documents, queries, and for each query the documents that answer it and how well."""

    name: str
    documents: Sequence[Document]
    queries: Sequence[Query]
    labels: Mapping[str, Mapping[str, float]]

    @property
    def is_related_task(self) -> bool:
        return all(query.document is not None for query in self.queries)


def read_sets(folders: Sequence[Path]) -> Iterator[LabelledSet]:
    """The sets in these folders, each a set itself or a folder of sets; where there is none, the run stops."""
    for folder in folders:
        found = [each for each in (folder, *sorted(folder.glob("*"))) if is_set(each)]
        if not found:
            raise SystemExit(f"There is no labelled set in {folder} ({', '.join(FILES)}); name another by --data.")
        yield from map(read_set, found)


def is_set(folder: Path) -> bool:
    return all((folder / name).is_file() for name in FILES)


def read_set(folder: Path) -> LabelledSet:
    """A set without the queries that nobody labelled."""
    labels: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if float(score) > 0:
            labels.setdefault(query, {})[document] = float(score)
    documents = [Document(each["id"], each.get("title", ""), each["text"]) for each in _records(folder / FILES[0])]
    queries = [Query(each["id"], each["text"], each.get("doc")) for each in _records(folder / FILES[1])]
    return LabelledSet(folder.name, documents, [query for query in queries if query.id in labels], labels)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
