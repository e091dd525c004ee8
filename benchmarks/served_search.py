"""Search as an agent has it, over stdio: the first answer of a fresh server, batches, memory, and what answers cost."""

import json
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import clean_environment
from benchmarks.labelled_sets import LabelledSet
from benchmarks.process_usage import cpu_seconds, resident_bytes
from benchmarks.stdio_client import ServerError, StdioClient
from fieldguide.app import build_app
from fieldguide.settings.config import read_settings
from fieldguide.storage.state_folder import find_expected_folder

FIELDGUIDE = Path(sys.executable).parent / "fieldguide"
BATCH = 10
BATCH_LIMIT = 5
TOKEN_LIMIT = 5
SEARCH = "documents_search"


@dataclass(frozen=True, slots=True)
class ServedCost:
    """Medians over the rounds, in seconds and bytes."""

    chunks: int
    list_seconds: float
    first_answer_seconds: float
    list_cpu_seconds: float
    first_answer_cpu_seconds: float
    batch_seconds: float
    ten_calls_seconds: float
    list_resident_bytes: float
    searching_resident_bytes: float


class Start(NamedTuple):
    """One start of a server, up to an answer."""

    seconds: float
    cpu_seconds: float
    resident_bytes: float


@dataclass(frozen=True, slots=True)
class AnswerCost:
    """Bytes that a question costs its asker, and how often the labelled page is among the hits."""

    questions: int
    labelled_among_hits: float
    search_bytes: float
    section_bytes: float
    search_and_section_bytes: float
    search_and_best_page_bytes: float
    labelled_page_bytes: float
    bytes_per_answered_question: float


def index_project(root: Path) -> int:
    """Index a project as `fieldguide` does, once; how many chunks it has."""
    app = build_app(read_settings({"project": str(root)}, {}), write_journal=lambda lines: None)
    [upkeep] = [each.upkeep for each in app.toolsets if each.name == "documents"]
    assert upkeep is not None
    upkeep.refresh(lambda done, total, name: None)
    return count_chunks(root)


def count_chunks(root: Path) -> int:
    with closing(sqlite3.connect(Path(find_expected_folder(str(root))) / "index.db")) as connection:
        return int(connection.execute("SELECT SUM(chunks) FROM search_document").fetchone()[0])


@contextmanager
def served(root: Path) -> Iterator[StdioClient]:
    """A fresh server of a project, after its handshake."""
    command = (str(FIELDGUIDE), "serve", "--project", str(root))
    with StdioClient(command, environment=clean_environment()) as client:
        client.initialize()
        client.notify_initialized()
        yield client


def call(client: StdioClient, tool: str, **arguments: Any) -> str:
    """The text that a tool answers."""
    text: str = client.request("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]
    return text


def measure_served(root: Path, queries: Sequence[str], *, rounds: int) -> ServedCost:
    """Starts in turns, then batches and single calls in turns on one server."""
    lists: list[Start] = []
    answers: list[Start] = []
    for number in range(rounds + 1):  # the first of each fills the page cache and is not counted
        for act, kept in ((start_to_list, lists), (start_to_answer, answers)):
            kept.append(act(root, queries[number % len(queries)]))
        print(f"start {number} of {rounds}", file=sys.stderr)
    with served(root) as client:
        batches, singles = measure_batches(client, queries)
        resident = resident_bytes(client.pid)
    return ServedCost(
        chunks=count_chunks(root),
        list_seconds=median(start.seconds for start in lists[1:]),
        first_answer_seconds=median(start.seconds for start in answers[1:]),
        list_cpu_seconds=median(start.cpu_seconds for start in lists[1:]),
        first_answer_cpu_seconds=median(start.cpu_seconds for start in answers[1:]),
        batch_seconds=median(batches),
        ten_calls_seconds=median(singles),
        list_resident_bytes=median(start.resident_bytes for start in lists[1:]),
        searching_resident_bytes=resident,
    )


def start_to_list(root: Path, query: str) -> Start:
    began = time.perf_counter()
    with served(root) as client:
        client.request("tools/list", {})
        return Start(time.perf_counter() - began, cpu_seconds(client.pid), resident_bytes(client.pid))


def start_to_answer(root: Path, query: str) -> Start:
    began = time.perf_counter()
    with served(root) as client:
        text = call(client, SEARCH, query=query)
        start = Start(time.perf_counter() - began, cpu_seconds(client.pid), resident_bytes(client.pid))
        if '"documentId"' not in text:
            raise ServerError(f"The first search found nothing: {text[:200]}")
        return start


def measure_batches(client: StdioClient, queries: Sequence[str]) -> tuple[list[float], list[float]]:
    """Seconds of each batch of ten, and of the same ten one by one."""
    batches: list[float] = []
    singles: list[float] = []
    for start in range(0, len(queries) - BATCH + 1, BATCH):
        ten = queries[start : start + BATCH]
        acts = [(batches, lambda ten=ten: ask_at_once(client, ten)), (singles, lambda ten=ten: ask_each(client, ten))]
        for kept, act in acts if start // BATCH % 2 else reversed(acts):
            began = time.perf_counter()
            act()
            kept.append(time.perf_counter() - began)
    return batches, singles


def ask_at_once(client: StdioClient, queries: Sequence[str]) -> None:
    call(client, "documents_search_batch", queries=[{"query": each} for each in queries], limit=BATCH_LIMIT)


def ask_each(client: StdioClient, queries: Sequence[str]) -> None:
    for query in queries:
        call(client, SEARCH, query=query, limit=BATCH_LIMIT)


def write_project(root: Path, labelled: LabelledSet) -> None:
    """The documents of a set as the files of a project."""
    for document in labelled.documents:
        path = root / "docs" / f"{document.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text, encoding="utf-8")


def measure_answers(root: Path, labelled: LabelledSet) -> AnswerCost:
    """Ask every question as an agent would: search, then the section of the best hit; or read the labelled page."""
    searched, sections, best_pages, pages, found = [], [], [], [], 0
    with served(root) as client:
        for query in labelled.queries:
            text = call(client, SEARCH, query=query.text, limit=TOKEN_LIMIT)
            hits = json.loads(text)
            best = hits[0]
            wanted = [f"{document}.md" for document in labelled.labels[query.id]]
            found += any(hit["documentId"] in wanted for hit in hits)
            searched.append(len(text.encode()))
            sections.append(len(section_of(client, best).encode()))
            best_pages.append(len(page_of(client, best["documentId"]).encode()))
            pages.append(len(page_of(client, wanted[0]).encode()))
    total = len(labelled.queries)
    spent = sum(searched) + sum(sections)
    return AnswerCost(
        questions=total,
        labelled_among_hits=found / total,
        search_bytes=sum(searched) / total,
        section_bytes=sum(sections) / total,
        search_and_section_bytes=spent / total,
        search_and_best_page_bytes=(sum(searched) + sum(best_pages)) / total,
        labelled_page_bytes=sum(pages) / total,
        bytes_per_answered_question=spent / max(found, 1),
    )


def section_of(client: StdioClient, hit: dict[str, Any]) -> str:
    """The section of a hit; a hit above the first heading has none, and its page is read."""
    if "sectionHeading" not in hit:
        return page_of(client, hit["documentId"])
    place = {"collection": hit["collection"], "document": hit["documentId"], "section": hit["sectionHeading"]}
    return call(client, "documents_get_section", **place, includeSubsections=False)


def page_of(client: StdioClient, document: str) -> str:
    return call(client, "documents_get_document", collection="docs", document=document)
