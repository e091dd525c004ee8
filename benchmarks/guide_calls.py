"""The first call and the later ones of the guide's tools, beside `context_search`, on checkouts that are indexed.

    python -m benchmarks.guide_calls --checkout DIR… [--calls 20] [--state DIR]

Each checkout is indexed into a state folder of its own, or into one that is kept. For each tool a server is started
over stdio and asked at once: that is the first call, with all that it imports and opens. When it is quiet the same
server is asked other questions, one by one; `guide_brief` is given the subjects of the checkout's own commits.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.changed_file import wait_until_quiet
from benchmarks.process_usage import cpu_seconds
from benchmarks.stdio_client import StdioClient

FIELDGUIDE = Path(sys.executable).parent / "fieldguide"
MOST_CALLS = 25  # a tool may be called 30 times a minute
TOOLS = {"context_search": "query", "guide_search": "query", "guide_brief": "task", "guide_flow": "question"}
QUESTIONS = (
    "where are the settings read", "how are errors told to a user", "what is retried after a failure",
    "where does a request begin", "how is the cache emptied", "what closes a connection", "who may write a file",
    "where are arguments checked", "how is a test set up", "what is logged at start", "where are defaults kept",
    "how is a name resolved", "what happens on a timeout", "where are plugins loaded", "how is output formatted",
    "what is exported", "how are versions compared", "where is the main loop", "what is deprecated",
    "how are headers parsed", "where is encoding chosen", "what is run at exit", "how is a path joined",
    "where are limits set", "what is done in the background",
)  # fmt: skip


class Figures(NamedTuple):
    """One tool on one checkout."""

    tool: str
    first: float
    times: Sequence[float]
    cpu: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guide_calls", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--checkout", type=Path, nargs="+", required=True)
    parser.add_argument("--calls", type=int, default=20, help=f"later calls of each tool, at most {MOST_CALLS - 1}")
    parser.add_argument("--fieldguide", type=Path, default=FIELDGUIDE, metavar="PATH", help="another one to measure")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=[*TOOLS])
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="a state folder to keep, so that the next run is soon"
    )
    options = parser.parse_args()
    print(report.describe_machine())
    for checkout in options.checkout:
        with nullcontext(options.state) if options.state else tempfile.TemporaryDirectory() as state:
            environment = {**os.environ, "FIELDGUIDE_STATE": str(state)}
            command = [options.fieldguide, "index", "--project", checkout]
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
            found = [_measured(tool, checkout, environment, options) for tool in options.tools]
        _print(checkout.name, found)
    return 0


def _measured(tool: str, checkout: Path, environment: Mapping[str, str], options: argparse.Namespace) -> Figures:
    command = [str(options.fieldguide), "serve", "--project", str(checkout)]
    questions: Sequence[str] = QUESTIONS
    if tool == "guide_brief":
        log = ["git", "log", "--no-merges", "--format=%s", f"-{MOST_CALLS}"]
        questions = subprocess.run(log, cwd=checkout, check=True, capture_output=True, text=True).stdout.splitlines()
    with StdioClient(command, environment=environment) as client:
        client.initialize()
        client.notify_initialized()
        first = _asked(client, tool, questions[0])
        wait_until_quiet(client)  # what a start looks at in the background is not the calls' cost
        before = cpu_seconds(client.pid)
        asked = questions[1 : min(options.calls, MOST_CALLS - 1) + 1]
        times = [_asked(client, tool, question) for question in asked]
        return Figures(tool, first, times, (cpu_seconds(client.pid) - before) / len(asked))


def _asked(client: StdioClient, tool: str, question: str) -> float:
    began = time.perf_counter()
    answer: dict[str, Any] = client.request("tools/call", {"name": tool, "arguments": {TOOLS[tool]: question}})
    taken = time.perf_counter() - began
    if answer.get("isError"):
        raise SystemExit(json.dumps(answer))
    return taken


def _print(name: str, found: Sequence[Figures]) -> None:
    ours = found[0]
    rows = [
        [
            each.tool,
            f"{1000 * each.first:.0f}",
            report.beside_ours(1000 * report.percentile(each.times, 0.5), 1000 * report.percentile(ours.times, 0.5)),
            f"{1000 * report.percentile(each.times, 0.95):.0f}",
            report.beside_ours(1000 * each.cpu, 1000 * ours.cpu),
        ]
        for each in found
    ]
    header = ("tool", "first call ms", "later p50 ms (of context_search)", "later p95 ms", "CPU ms a call")
    print(f"\n{name}\n{report.format_table(header, rows)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
