"""The first minute in a repository that never heard of Fieldguide: what is found, when answers are right, their cost.

Each repository is served from nothing, with every toolset, over stdio. Its questions are asked from the first moment
on, and again when the index is whole: an answer that is another one then should have said that it might be.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import clean_environment
from benchmarks.first_minute_labels import Labels, all_labels, commit_of, tracked_files, unlabelled
from benchmarks.report import describe_machine, format_table
from benchmarks.stdio_client import ServerError, StdioClient
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.toolsets.architecture.library import DocumentLibrary

FIELDGUIDE = Path(sys.executable).parent / "fieldguide"
MINUTE = 60.0
PATIENCE_SECONDS = 300.0
IN_ALL = 5
CHARACTERS_PER_TOKEN = 3  # conservative: prose has four, code and other scripts fewer
MOST_CITATIONS = 90  # read_file may be called a hundred times a minute
PAGE = 1000


@dataclass(slots=True)
class Figures:
    """What was measured of one repository; the seconds begin with the start of the server."""

    name: str
    commit: str = ""
    is_seen: bool = False
    documents: int = 0
    found: int = 0
    wrong: int = 0
    decisions: int = 0
    decisions_found: int = 0
    decisions_wrong: int = 0
    questions: int = 0
    right_first: int = 0
    right_in_five: int = 0
    right_in_first_minute: int = 0
    silent_changes: int = 0
    first_right_seconds: float | None = None
    whole_seconds: float | None = None
    most_tokens: int = 0
    citations: int = 0
    citations_open: int = 0
    missed: list[str] = field(default_factory=list[str])
    taken_wrongly: list[str] = field(default_factory=list[str])


def main() -> int:
    arguments = _arguments()
    data = Path(arguments.data) if arguments.data else None
    wanted = set(arguments.only.split(",")) if arguments.only else set[str]()
    places = [(unlabelled(Path(each)), Path(each)) for each in arguments.checkout]
    if data is not None:
        places += [(each, data / each.name) for each in all_labels() if not wanted or each.name in wanted]
    present = [(labels, root) for labels, root in places if root.is_dir()]
    if not present:
        print("No checkouts: name a folder of them with --data, or one with --checkout.", file=sys.stderr)
        return 2
    figures: list[Figures] = []
    for labels, root in present:
        print(f"{labels.name} …", file=sys.stderr)
        figures.append(measured(labels, root))
    print(describe_machine(), told(figures), sep="\n\n")
    if arguments.disagreements:
        print(*(f"{each.name}: missed {path}" for each in figures for path in each.missed), sep="\n")
        print(*(f"{each.name}: wrongly {path}" for each in figures for path in each.taken_wrongly), sep="\n")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps([asdict(each) for each in figures], indent=2), encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", metavar="DIR", help="a folder with checkouts of the labelled repositories, by name")
    parser.add_argument("--only", metavar="NAMES", help="some of them, with commas between")
    parser.add_argument("--checkout", metavar="DIR", action="append", default=[], help="any other checkout")
    parser.add_argument("--disagreements", action="store_true", help="name the files that were missed or taken wrongly")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    return parser.parse_args()


def measured(labels: Labels, root: Path) -> Figures:
    figures = Figures(labels.name, commit_of(root), labels.is_seen)
    if labels.commit != figures.commit:
        print(f"{labels.name} is at {figures.commit}; it was labelled at {labels.commit}", file=sys.stderr)
    _ask_from_the_start(labels, root, figures)
    paths = tracked_files(root)
    wanted = labels.decisions_of(paths)
    shelf = DocumentLibrary(ConfinedFolder(str(root)), {}).shelf()
    taken = {each.path for each in shelf.documents if each.category == "adr"}
    figures.decisions, figures.decisions_found = len(wanted), len(wanted & taken)
    figures.decisions_wrong = len(taken - wanted)
    return figures


def _ask_from_the_start(labels: Labels, root: Path, figures: Figures) -> None:
    with served(root) as (client, began):
        early = {}
        for asked in labels.questions:
            early[asked.text] = answer = _answer(client, asked.text)
            is_right = not asked.files.isdisjoint(answer.files[:IN_ALL])
            seconds = time.monotonic() - began
            figures.right_in_first_minute += is_right and seconds <= MINUTE
            if is_right and figures.first_right_seconds is None:
                figures.first_right_seconds = seconds
        figures.whole_seconds = _wait_until_whole(client, began)
        _judge_documents(labels, root, client, figures)
        for asked in labels.questions:
            answer = _answer(client, asked.text)
            figures.questions += 1
            figures.right_first += bool(answer.files) and answer.files[0] in asked.files
            figures.right_in_five += not asked.files.isdisjoint(answer.files[:IN_ALL])
            figures.most_tokens = max(figures.most_tokens, answer.tokens, early[asked.text].tokens)
            is_other = answer.files[:IN_ALL] != early[asked.text].files[:IN_ALL]
            figures.silent_changes += is_other and not early[asked.text].says_indexing
            _open_citations(client, answer, figures)


@dataclass(frozen=True, slots=True)
class Answered:
    """The files of an answer, best first, each once; its citations; what it cost; whether it said it may lack."""

    files: list[str]
    citations: list[str]
    tokens: int
    says_indexing: bool


def _answer(client: StdioClient, question: str) -> Answered:
    result = client.request("tools/call", {"name": "documents_search", "arguments": {"query": question}})
    text = result["content"][0]["text"]
    items = _items(text)
    files = dict.fromkeys(path_of(item) for item in items)
    citations = [str(item["citation"]) for item in items if item.get("citation")]
    beside = [{**result, "content": None}, *items[:1], text.rpartition("]")[2], *result["content"][1:]]
    says = any("indexing" in json.dumps(part) for part in beside)
    return Answered([*files], citations, len(json.dumps(result)) // CHARACTERS_PER_TOKEN, says)


def _items(text: str) -> list[dict[str, Any]]:
    """The hits of an answer, whether they are a list or lie in an object."""
    try:
        value = json.loads(text)
    except ValueError:
        return []
    if isinstance(value, dict):
        value = value.get("results", [])
    return [item for item in value if isinstance(item, dict) and "documentId" in item]


def path_of(item: Mapping[str, Any]) -> str:
    """A hit's file, as a path in the project."""
    identity = str(item.get("collectionId") or item["collection"]).partition("#")[0]
    return os.path.normpath(f"{identity.removeprefix('dir:')}/{item['documentId']}")


def _wait_until_whole(client: StdioClient, began: float) -> float | None:
    """The seconds until documents and code have been indexed to their end, as the journal tells."""
    while time.monotonic() - began < PATIENCE_SECONDS:
        told = [line for line in client.stderr_lines() if '"Indexed"' in line]
        if any('"collections"' in line for line in told) and any('"code"' in line for line in told):
            return time.monotonic() - began
        time.sleep(0.1)
    return None


def _judge_documents(labels: Labels, root: Path, client: StdioClient, figures: Figures) -> None:
    taken = set(_listed(client))
    there = labels.documents_of(tracked_files(root)) if labels.documents else taken
    figures.documents, figures.found = len(there), len(there & taken)
    figures.wrong = len(taken - there)
    figures.missed, figures.taken_wrongly = sorted(there - taken), sorted(taken - there)


def _listed(client: StdioClient) -> Iterator[str]:
    collections = _value(client, "documents_list_collections", {})
    for each in collections if isinstance(collections, list) else []:
        offset, has_more = 0, True
        while has_more:
            given = {"collection": each["collection"], "limit": PAGE, "offset": offset}
            page = _value(client, "documents_list_documents", given)
            yield from (path_of({**each, "documentId": document["id"]}) for document in page["documents"])
            offset, has_more = offset + len(page["documents"]), page["hasMore"]


def _value(client: StdioClient, tool: str, given: Mapping[str, Any]) -> Any:
    text = client.request("tools/call", {"name": tool, "arguments": given})["content"][0]["text"]
    return json.loads(text) if text.startswith(("[", "{")) else text


def _open_citations(client: StdioClient, answer: Answered, figures: Figures) -> None:
    """Open the first citation of an answer as it is written, as an agent would."""
    for citation in answer.citations[:1]:
        if figures.citations >= MOST_CITATIONS:
            return
        figures.citations += 1
        try:
            opened = client.request("tools/call", {"name": "read_file", "arguments": {"path": citation}})
        except ServerError:
            continue
        figures.citations_open += not opened.get("isError")


@contextmanager
def served(root: Path) -> Iterator[tuple[StdioClient, float]]:
    """A server of a checkout with a state of its own, from nothing, and the moment of its start."""
    state = tempfile.mkdtemp(prefix="fieldguide-first-minute-")
    environment = {**clean_environment(), "FIELDGUIDE_STATE": state}
    began = time.monotonic()
    try:
        with StdioClient([str(FIELDGUIDE), "serve", "--project", str(root)], environment=environment) as client:
            client.initialize()
            client.notify_initialized()
            yield client, began
    finally:
        shutil.rmtree(state, ignore_errors=True)


def told(figures: Sequence[Figures]) -> str:
    header = [
        "repository", "documents", "wrong", "decisions", "wrong", "first", "in five", "in the 1st minute", "silent",
        "right after", "whole after", "tokens at most", "citations",
    ]  # fmt: skip
    groups = [("all", figures), ("not seen before", [each for each in figures if not each.is_seen])]
    sums = [_sum(name, group) for name, group in groups if group]
    return format_table(header, [_row(each) for each in (*figures, *sums)])


def _row(each: Figures) -> list[str]:
    return [
        each.name,
        f"{each.found}/{each.documents}",
        str(each.wrong),
        f"{each.decisions_found}/{each.decisions}",
        str(each.decisions_wrong),
        f"{each.right_first}/{each.questions}",
        f"{each.right_in_five}/{each.questions}",
        f"{each.right_in_first_minute}/{each.questions}",
        str(each.silent_changes),
        "" if each.first_right_seconds is None else f"{each.first_right_seconds:.1f} s",
        "" if each.whole_seconds is None else f"{each.whole_seconds:.1f} s",
        str(each.most_tokens),
        f"{each.citations_open}/{each.citations}",
    ]


def _sum(name: str, figures: Sequence[Figures]) -> Figures:
    total = Figures(name)
    for key, value in asdict(total).items():
        if isinstance(value, int) and not isinstance(value, bool):
            values = [getattr(each, key) for each in figures]
            setattr(total, key, max(values) if key == "most_tokens" else sum(values))
    return total


if __name__ == "__main__":
    sys.exit(main())
