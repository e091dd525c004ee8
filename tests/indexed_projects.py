"""Projects with documents, the servers that index them, and what an index on disk must look like."""

import hashlib
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from fieldguide.storage.state_folder import find_expected_folder
from tests.processes import eventually
from tests.projects import Project
from tests.raw_client import RawClient
from tests.servers import FIELDGUIDE, environment, stdio_command

ALL = 1_000_000
MOST_PROGRESS = 0.8
MOMENT_SECONDS = 0.08
WORDS = ("anchor", "basin", "cedar", "delta", "ember", "fjord", "garnet", "harbour", "island", "jetty", "kelp")


def index_whole(root: Path, seconds: float = 300.0) -> None:
    """Index all of a project, in the state that the next servers find."""
    command = [FIELDGUIDE, "index", "--project", str(root)]
    subprocess.run(command, env=environment(), capture_output=True, timeout=seconds, check=True)


class DocumentsClient(RawClient):
    """A server of the document tools; its journal can be read while it runs."""

    def __init__(self, root: Path, *flags: str, before_start: Callable[[], None] | None = None, **extra: str) -> None:
        self._answers = {}
        self._journal = tempfile.TemporaryFile()  # noqa: SIM115  closed on leaving
        private = {"XDG_CONFIG_HOME": str(root.parent / "config"), **extra}
        self.process = subprocess.Popen(
            stdio_command(root, "--toolsets", "documents", *flags),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._journal,
            bufsize=0,
            env={**environment(), **private},
            preexec_fn=before_start,
        )
        self._last_id = 0
        self._answers = {}
        self.passed_over = []
        self._pending = b""

    def __enter__(self) -> Self:
        self.initialize()
        return self

    def __exit__(self, *problem: object) -> None:
        super().__exit__(*problem)
        self._journal.close()

    def found(self, query: str, **more: Any) -> list[str]:
        """The documents of the hits of a search, best first, each once."""
        items = self._value("documents_search", query=query, **more)
        return list(dict.fromkeys(item["documentId"] for item in items)) if isinstance(items, list) else []

    def holds(self, document: str, word: str) -> bool:
        """Whether a search for a word that stands in one document only gives this document's chunk with it."""
        items = self._value("documents_search", query=word)
        return isinstance(items, list) and any(
            item["documentId"] == document and word in item["content"] for item in items
        )

    def documents(self, collection: str = "docs") -> list[str]:
        """Every document of a collection, as the server lists them; none when there is no such collection."""
        found: list[str] = []
        while True:
            page = self._value("documents_list_documents", collection=collection, limit=ALL, offset=len(found))
            if not isinstance(page, dict):
                return found
            found += [each["id"] for each in page["documents"]]
            if not page["hasMore"]:
                return found

    def content(self, document: str, collection: str = "docs") -> str:
        """The text of a document."""
        text: str = self._value("documents_get_document", collection=collection, document=document)["content"]
        return text

    def journal(self, message: str) -> list[dict[str, Any]]:
        """What the journal has told so far under this message."""
        lines = os.pread(self._journal.fileno(), 1 << 24, 0).splitlines()
        told = [json.loads(line) for line in lines if line.startswith(b"{")]
        return [line for line in told if line.get("message") == message]

    def _value(self, tool: str, **arguments: Any) -> Any:
        text = self.call(tool, **arguments)["content"][0]["text"]
        return json.loads(text) if text.startswith(("{", "[")) else text


def write_tree(project: Project, documents: int, *, edition: int = 0) -> dict[str, str]:
    """Documents of some thousand characters below docs/, other ones for each edition; their names and hashes."""
    written: dict[str, str] = {}
    for number in range(documents):
        name = f"part-{number % 7}/page-{number}.md"
        text = page(number, edition)
        project.write(f"docs/{name}", text)
        written[name] = hashlib.sha256(text.encode()).hexdigest()
    return written


def page(number: int, edition: int) -> str:
    """A page with words of its own: `page17edition2` stands nowhere else."""
    numbers = random.Random(number * 1000 + edition)
    parts = [f"# Page {number}\n\nThis is page{number}edition{edition}.\n"]
    for section in range(4):
        prose = " ".join(numbers.choices(WORDS, k=100))
        parts.append(f"\n## Section {section}\n\n{prose}.\n")
    return "".join(parts)


def index_file(root: Path) -> Path:
    """Where a server keeps the index of a project."""
    return Path(find_expected_folder(str(root))) / "index.db"


def indexed(path: Path) -> dict[str, str]:
    """The documents in an index and the hashes of what was indexed; none where there is no index yet."""
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path, timeout=20)) as connection:
        try:
            rows = connection.execute("SELECT name, hash FROM search_document").fetchall()
        except sqlite3.OperationalError:  # the tables are not made yet
            return {}
    assert len(rows) == len(dict(rows)), "a document is there twice"
    return dict(rows)


def is_indexed(path: Path, wanted: Mapping[str, str], *, within_seconds: float = 60.0) -> bool:
    """Whether an index comes to hold exactly these documents in these versions."""
    until = time.monotonic() + within_seconds
    while indexed(path) != wanted and time.monotonic() < until:
        time.sleep(0.02)
    return indexed(path) == wanted


def kill_while_indexing(root: Path, wanted: Mapping[str, str], moments: random.Random) -> int:
    """Start a server and kill it when it has indexed some share of the documents, and a moment later.

    Gives how many documents are there in the wanted version. The moment goes by progress, not by the clock alone: a
    busy machine takes five times as long.
    """
    path = index_file(root)
    share = moments.random()
    with DocumentsClient(root) as client:
        while current(path, wanted) < share * MOST_PROGRESS * len(wanted):
            time.sleep(0.02)
        time.sleep(moments.uniform(0.0, MOMENT_SECONDS))
        client.process.kill()
    return current(path, wanted)


def current(path: Path, wanted: Mapping[str, str]) -> int:
    """How many documents an index holds in the wanted version."""
    held = indexed(path)
    return sum(held.get(name) == digest for name, digest in wanted.items())


def assert_sound(path: Path, dimensions: int = 256) -> None:
    """Nothing in an index is torn: SQLite finds it whole, and words, vectors and texts tell of the same chunks."""
    with closing(sqlite3.connect(path, timeout=20)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.execute("INSERT INTO search_chunk (search_chunk) VALUES ('integrity-check')")
        connection.rollback()
        documents = dict(connection.execute("SELECT id, chunks FROM search_document"))
        with_chunks = {document: chunks for document, chunks in documents.items() if chunks}
        counted = "SELECT rowid >> 20, COUNT(*) FROM search_chunk GROUP BY 1"
        assert dict(connection.execute(counted)) == with_chunks
        measured = "SELECT document_id, LENGTH(vectors) / ? FROM search_vectors WHERE vectors <> x''"
        assert dict(connection.execute(measured, (dimensions,))) == with_chunks
        assert {row[0] for row in connection.execute("SELECT document_id FROM search_text")} == set(documents)


def seen_by(client: DocumentsClient, claim: Callable[[], bool]) -> float:
    """Seconds until a claim about a server comes true; it must."""
    began = time.monotonic()
    assert eventually(claim), client.journal("Indexing")
    return time.monotonic() - began
