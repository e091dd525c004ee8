"""Many clients at once over HTTP: one and two replicas of ours over PostgreSQL, and the SDK's bare no-op server."""

import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import clean_environment, contenders, report
from benchmarks.calls import NOOP_CALL
from benchmarks.http_client import HttpClient
from benchmarks.served_search import FIELDGUIDE, SEARCH
from benchmarks.stdio_client import ServerError

TOKEN = "benchmarks-benchmarks-benchmarks-benchmarks"  # noqa: S105  it opens nothing but the servers that it starts
CLIENTS = (1, 8, 64)
CALLS = {1: 150, 8: 400, 64: 640}
SEARCHES = 4  # a search takes many times as long as a call that does nothing: so many times fewer
EXIT_SECONDS = 15.0
WAIT_SECONDS = 60.0
MOST_FILES = 400
READY_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Load:
    """What so many clients got of so many replicas."""

    server: str
    replicas: int
    clients: int
    calls_per_second: float
    p50: float
    p99: float


class Replica:
    """One server process."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stderr is not None
        lines = []
        while "http://" not in (line := self.process.stderr.readline()):
            lines.append(line)
            if not line:
                raise ServerError(f"`{' '.join(command)}` says no address: {''.join(lines)}")
        self.url = line.split()[-1]

    def __enter__(self) -> "Replica":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


def measure_load(folder: Path, database: str, documents: Path, queries: Sequence[str]) -> list[Load]:
    """Every number of clients of every server, one after the other in one run."""
    project = folder / "served"
    (project / "docs").mkdir(parents=True)
    for file in sorted(documents.rglob("*.md"))[:MOST_FILES]:
        shutil.copyfile(file, project / "docs" / f"{len(os.listdir(project / 'docs'))}-{file.name}")
    environment = clean_environment("FASTMCP_")
    with_noop = {
        **environment,
        "PYTHONPATH": f"{report.REPOSITORY / 'src'}:{contenders.NOOP_TOOLSET}",
        "FIELDGUIDE_TOKEN": TOKEN,
        "FIELDGUIDE_LIMIT_HTTP_SESSIONS": "1000",
        "FIELDGUIDE_LIMIT_HTTP_SESSIONS_PER_PEER": "1000",  # all clients are on this machine
    }
    ours = (str(FIELDGUIDE), "serve", "--project", str(project), "--http", "127.0.0.1:0", "--database", database)
    theirs = (sys.executable, str(contenders.SERVERS / "sdk_http.py"))
    loads: list[Load] = []
    with ExitStack() as running:
        replicas = [running.enter_context(Replica(ours, with_noop)) for _ in range(2)]
        bare = running.enter_context(Replica(theirs, environment))
        wait_until_indexed(replicas[0])
        search = [{"name": SEARCH, "arguments": {"query": query}} for query in queries]
        for clients in CLIENTS:
            loads.append(load("SDK, no-op", [bare.url], clients, [NOOP_CALL], CALLS[clients]))
            for count in (1, 2):
                urls = [each.url for each in replicas[:count]]
                loads.append(load("fieldguide, no-op", urls, clients, [NOOP_CALL], CALLS[clients]))
                loads.append(load("fieldguide, search", urls, clients, search, CALLS[clients] // SEARCHES))
                print(f"{clients} clients of {count} replicas measured", file=sys.stderr)
    return loads


def wait_until_indexed(replica: Replica) -> None:
    """Until a search finds something twice in the same words: the index stands."""
    client = HttpClient(replica.url, token=TOKEN)
    call = client.written("tools/call", {"name": SEARCH, "arguments": {"query": "how to configure a service"}})
    until, before = time.monotonic() + READY_SECONDS, b""
    while time.monotonic() < until:
        client.send(call)
        _, answer = client.receive()
        if b"documentId" in answer and b"indexing" not in answer.lower() and answer == before:
            break
        before = answer
        time.sleep(1)
    client.close()


def load(server: str, urls: Sequence[str], clients: int, asked: Sequence[dict[str, Any]], calls: int) -> Load:
    """Each client has a call under way until all are sent; clients are spread over the replicas."""
    opened = [HttpClient(urls[number % len(urls)], token=TOKEN) for number in range(clients)]
    written = [client.written("tools/call", asked[number % len(asked)]) for number, client in enumerate(opened)]
    run(opened, written, min(calls, 2 * clients))
    seconds, latencies = run(opened, written, calls)
    for client in opened:
        client.close()
    return Load(
        server,
        len(urls),
        clients,
        calls / seconds,
        report.percentile(latencies, 0.50),
        report.percentile(latencies, 0.99),
    )


def run(clients: Sequence[HttpClient], written: Sequence[bytes], calls: int) -> tuple[float, list[float]]:
    latencies: list[float] = []
    sent: dict[int, float] = {}
    left = calls
    with selectors.DefaultSelector() as selector:
        began = time.perf_counter()
        for number, client in enumerate(clients):
            selector.register(client.connection, selectors.EVENT_READ, number)
            if left:
                left -= 1
                sent[number] = time.perf_counter()
                client.send(written[number])
        while sent:
            for key, _ in selector.select(WAIT_SECONDS):
                number = key.data
                if clients[number].take() is None:
                    continue
                latencies.append(time.perf_counter() - sent.pop(number))
                if left:
                    left -= 1
                    sent[number] = time.perf_counter()
                    clients[number].send(written[number])
        seconds = time.perf_counter() - began
    return seconds, latencies
