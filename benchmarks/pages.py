"""How long each view of the page takes on a large project, beside the same bytes sent by a server that only sends them.

A project of 10,000 documents, 1,000 decisions and 10,000 tasks is served. Each view is asked for by a plain client
(time to the first byte) and opened in Chromium (until it is painted). The page that came is then stored, and the same
is done with a uvicorn that sends it from memory: what is left between the two is what making the page costs.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import APIRequestContext, BrowserContext

from benchmarks import contenders, large_project, report
from benchmarks.report import Goal
from tests.browser.chromium import LACKING, chromium, program
from tests.browser.sites import ServedSite, served_site
from tests.servers import FIELDGUIDE, environment

USER = "ann"
VIEWS = {
    "home": "/",
    "search": "/search?q=how+are+refunds+counted",
    "documents": "/documents",
    "a collection": "/documents/docs?page=3",
    "a document": "/documents/docs/-/000/orders-0.md",
    "source": "/code/docs/000/orders-0.md?line=3",
    "decisions": "/decisions",
    "over time": "/decisions?view=time",
    "a decision": "/decisions/0001",
    "patterns": "/patterns",
    "tasks": "/tasks",
    "tasks, filtered": "/tasks?q=refunds&pending=3",
    "findings": "/findings",
    "now": "/now",
    "totals": "/now?show=all",
    "connect": "/connect",
}
FIRST_BYTE_MILLISECONDS, PAINTED_MILLISECONDS = 150.0, 600.0
MOST_BYTES = 512 * 1024
MOST_RATIO = 3.0
PAINTED = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"""
STORED = Path(__file__).parent / "servers" / "stored_pages.py"
START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Visit:
    """A page, and the browser that opens it."""

    context: BrowserContext
    url: str


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds to the first byte and until a page is painted, and how many bytes it has."""

    first_byte: float
    painted: float
    size: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--documents", type=int, default=large_project.DOCUMENTS)
    parser.add_argument("--decisions", type=int, default=large_project.DECISIONS)
    parser.add_argument("--tasks", type=int, default=large_project.TASKS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    contenders.compile_bytecode(Path(sys.executable))
    with tempfile.TemporaryDirectory(prefix="fieldguide-pages-") as folder:
        ours, theirs = measure(Path(folder), options)
    goals = judge(ours, theirs)
    print(report.describe_machine())
    print(format_times(ours, theirs))
    print(report.format_goals(goals))
    if options.json:
        figures = {"views": {name: asdict(times) for name, times in ours.items()}}
        figures["stored"] = {name: asdict(times) for name, times in theirs.items()}
        report.write_json(options.json, benchmark="pages", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(folder: Path, options: argparse.Namespace) -> tuple[dict[str, Times], dict[str, Times]]:
    """The times of every view, ours and those of its stored bytes."""
    path = program()
    if path is None:
        raise SystemExit(LACKING)
    root, stored = folder / "project", folder / "stored"
    stored.mkdir()
    _make(root, options)
    with served_site(root, "--user", USER) as site, chromium(path) as driven, driven.driving() as browser:
        context = browser.new_context()
        context.request.get(site.link())
        for place, at in enumerate(VIEWS.values()):
            _store(context, site, at, stored / f"view-{place}")
        with _sender(stored) as origin:
            plain = browser.new_context()
            visits = {
                name: (Visit(context, f"{site.origin}{at}"), Visit(plain, f"{origin}/view-{place}"))
                for place, (name, at) in enumerate(VIEWS.items())
            }
            found = {name: times(*both, rounds=options.rounds) for name, both in visits.items()}
    return {name: both[0] for name, both in found.items()}, {name: both[1] for name, both in found.items()}


def times(*visits: Visit, rounds: int) -> list[Times]:
    """The medians of some visits, in turn; the first of each, which fills what is cached, does not count."""
    first: list[list[float]] = [[] for _ in visits]
    painted: list[list[float]] = [[] for _ in visits]
    for _ in range(rounds + 1):
        for place, visit in enumerate(visits):
            first[place].append(_first_byte(visit))
            painted[place].append(_painted(visit))
    sizes = [len(_body(visit.context.request, visit.url)) for visit in visits]
    told = ", ".join(f"{median(each[1:]):.0f} ms" for each in painted)
    print(f"{urlsplit(visits[0].url).path}: {told}", file=sys.stderr)
    return [Times(median(a[1:]), median(b[1:]), size) for a, b, size in zip(first, painted, sizes, strict=True)]


def _first_byte(visit: Visit) -> float:
    cookies = "; ".join(f"{each['name']}={each['value']}" for each in visit.context.cookies())
    at = urlsplit(visit.url)
    connection = HTTPConnection(at.netloc, timeout=START_SECONDS)
    connection.connect()
    asked = time.perf_counter()
    connection.request("GET", visit.url.removeprefix(f"http://{at.netloc}"), headers={"Cookie": cookies})
    connection.getresponse().read(1)
    taken = time.perf_counter() - asked
    connection.close()
    return taken * 1000


def _painted(visit: Visit) -> float:
    page = visit.context.new_page()
    page.goto(visit.url)
    taken: float = page.evaluate(PAINTED)
    page.close()
    return taken


def judge(ours: Mapping[str, Times], theirs: Mapping[str, Times]) -> list[Goal]:
    """No view takes long, none is large, and none takes much longer than its own bytes do."""
    slowest = max(times.painted for times in ours.values())
    ratio = max(times.painted / theirs[name].painted for name, times in ours.items())
    first = max(times.first_byte for times in ours.values())
    size = max(times.size for times in ours.values())
    return [
        Goal(
            "slowest first byte", f"{FIRST_BYTE_MILLISECONDS:.0f} ms", "at most", 1.0, first / FIRST_BYTE_MILLISECONDS
        ),
        Goal("slowest view, painted", f"{PAINTED_MILLISECONDS:.0f} ms", "at most", 1.0, slowest / PAINTED_MILLISECONDS),
        Goal("painted, the worst of all", "the same bytes, stored", "at most", MOST_RATIO, ratio),
        Goal("largest page", f"{MOST_BYTES >> 10} KiB", "at most", 1.0, size / MOST_BYTES),
    ]


def format_times(ours: Mapping[str, Times], theirs: Mapping[str, Times]) -> str:
    """Each view, with the stored page in brackets and how many times it that is."""
    rows = [
        [
            name,
            f"{times.size / 1024:.0f} KiB",
            f"{times.first_byte:.1f}",
            f"{theirs[name].first_byte:.1f}",
            f"{times.painted:.0f}",
            f"{theirs[name].painted:.0f} ({times.painted / theirs[name].painted:.2f}x)",
        ]
        for name, times in ours.items()
    ]
    return report.format_table(["view", "size", "first byte, ms", "stored", "painted, ms", "stored (ours)"], rows)


def _make(root: Path, options: argparse.Namespace) -> None:
    began = time.perf_counter()
    root.mkdir()
    large_project.write_files(root, documents=options.documents, decisions=options.decisions)
    large_project.add_rows(root, USER, tasks=options.tasks, findings=large_project.FINDINGS)
    subprocess.run([FIELDGUIDE, "index", "--project", str(root)], env=environment(), check=True, capture_output=True)
    print(f"made and indexed in {time.perf_counter() - began:.0f} s", file=sys.stderr)


def _body(requests: APIRequestContext, url: str) -> bytes:
    answer = requests.get(url)
    if not answer.ok:
        raise SystemExit(f"{url} answers {answer.status}")
    return answer.body()


def _store(context: BrowserContext, site: ServedSite, at: str, to: Path) -> None:
    """Keep a page as it came, and the files of its own that it names."""
    content = _body(context.request, f"{site.origin}{at}")
    to.write_bytes(content)
    for name in set(re.findall(rb'"/static/([^"]+)"', content)):
        static = to.parent / name.decode()
        if not static.exists():
            static.write_bytes(_body(context.request, f"{site.origin}/static/{name.decode()}"))


@contextmanager
def _sender(folder: Path) -> Iterator[str]:
    """A server that only sends what is stored; gives its origin."""
    process = subprocess.Popen([sys.executable, str(STORED), str(folder)], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield process.stderr.readline().strip()
    finally:
        process.terminate()
        process.wait(START_SECONDS)
        process.stderr.close()


if __name__ == "__main__":
    raise SystemExit(main())
