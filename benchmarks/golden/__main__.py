"""Records what every tool, command and page answers, and compares it with an earlier record.

    python -m benchmarks.golden record FOLDER                     # before a refactoring
    python -m benchmarks.golden compare FOLDER                    # after it: exit with 1 where an answer differs
    python -m benchmarks.golden compare FOLDER --except 'help/*'  # leave out answers that were changed on purpose

Three projects are made in a temporary folder, with fixed contents and a fixed history; `--checkout PATH` adds a
repository of yours (give it to both). The program is asked through its front doors only, so that modules may move.
Two minutes on two cores.
"""

import argparse
import difflib
import fnmatch
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.golden import questions
from benchmarks.golden.normal import Normaliser
from benchmarks.golden.projects import build
from benchmarks.golden.questions import SUBJECTS, Subject, sample_subject
from benchmarks.golden.served import Program, StdioServer, crawl_pages, serve_stdio

PAGES = 60
SHOWN_LINES = 30
Answers = Iterator[tuple[str, str, str]]
"""The name of an answer, what was asked, and the answer."""


def main(argv: Sequence[str] | None = None) -> int:
    """Record, or record into a temporary folder and compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.golden", description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("folder", type=Path, help="where the answers are recorded, outside of the repository")
    parser.add_argument("--checkout", type=Path, help="a git repository that is asked too; nothing is written to it")
    parser.add_argument(
        "--program", type=Path, default=Path(sys.executable).parent / "fieldguide", help="what is asked"
    )
    parser.add_argument(
        "--except", dest="left_out", action="append", default=[], metavar="GLOB", help="answers to skip"
    )
    given = parser.parse_args(argv)
    began = time.monotonic()
    if given.action == "record":
        if given.folder.exists():
            parser.error(f"{given.folder} exists already.")
        count = record(given.folder, given.program.absolute(), given.checkout)
        print(f"{count} answers recorded in {time.monotonic() - began:.0f} seconds")
        return 0
    if not given.folder.is_dir():
        parser.error(f"{given.folder} does not exist.")
    with tempfile.TemporaryDirectory(prefix="golden-answers-") as folder:
        now = Path(folder) / "now"
        count = record(now, given.program.absolute(), given.checkout)
        different = compare(given.folder, now, given.left_out)
    print(f"{count} answers compared in {time.monotonic() - began:.0f} seconds: {different or 'none'} different")
    return 1 if different else 0


def record(folder: Path, program: Path, checkout: Path | None) -> int:
    """Write every answer to a file of its own; returns how many there are."""
    with tempfile.TemporaryDirectory(prefix="golden-projects-") as temporary:
        work = Path(temporary)
        folders = {work: "<WORK>", program.parent: "<BIN>", program.parent.resolve(): "<BIN>"}
        if checkout:
            folders[checkout.absolute()] = "<CHECKOUT>"
        normaliser = Normaliser(folders)
        parts: list[tuple[str, Callable[[], Answers]]] = []
        for name, subject in SUBJECTS.items():
            build(name, work / name)
            parts.append((name, _part(_ask_project, _program(program, work, name), work / name, subject)))
        if checkout:
            asked = _part(
                _ask_project, _program(program, work, "checkout"), checkout.absolute(), sample_subject(checkout)
            )
            parts.insert(0, ("checkout", asked))
        parts.append(("help", _part(_ask_help, _program(program, work, "help"), work)))
        with ThreadPoolExecutor(max_workers=2) as pool:
            counts = pool.map(lambda part: _write(folder / part[0], part[1](), normaliser), parts)
            return sum(counts)


def compare(before: Path, now: Path, left_out: Sequence[str]) -> int:
    """Print what differs; returns how many answers do."""
    names = sorted({str(path.relative_to(root)) for root in (before, now) for path in root.rglob("*.txt")})
    different = 0
    for name in names:
        if any(fnmatch.fnmatch(name, pattern) for pattern in left_out):
            continue
        old, new = (_lines(root / name) for root in (before, now))
        if old == new:
            continue
        different += 1
        lines = [*difflib.unified_diff(old, new, f"before/{name}", f"now/{name}", lineterm="", n=1)]
        print("\n".join(lines[:SHOWN_LINES]))
        if len(lines) > SHOWN_LINES:
            print(f"… {len(lines) - SHOWN_LINES} more lines")
    return different


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _program(path: Path, work: Path, name: str) -> Program:
    home = work / "homes" / name
    home.mkdir(parents=True)
    return Program(path, home)


def _part(ask: Callable[..., Answers], *arguments: Any) -> Callable[[], Answers]:
    return lambda: ask(*arguments)


def _write(folder: Path, answers: Answers, normaliser: Normaliser) -> int:
    count = 0
    for count, (name, asked, answer) in enumerate(answers, start=1):  # noqa: B007  it is returned
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(normaliser.normalise(f"{asked}\n\n{answer}\n"), "utf-8")
    return count


def _ask_help(program: Program, folder: Path) -> Answers:
    """The help of every command and of every action of it, as the help itself names them."""
    waiting: list[list[str]] = [[]]
    while waiting:
        words = waiting.pop(0)
        text = program.run(*words, "--help", folder=folder)
        yield "-".join(["help", *words]), f"$ fieldguide {' '.join(words)} --help", text
        actions = text.partition("ACTION\n")[2] if words else text
        if "COMMAND ..." in text or "ACTION ..." in text:
            waiting += [[*words, name] for name in re.findall(r"^ {2,4}([a-z][a-z-]+) {2,}\S", actions, re.MULTILINE)]
    for number, words in enumerate(questions.general_commands()):
        yield f"general-{number:02}", f"$ fieldguide {' '.join(words)}", program.run(*words, folder=folder)


def _ask_project(program: Program, folder: Path, subject: Subject) -> Answers:
    """Commands first, then pages, then tools that read, then tools that write."""
    for number, words in enumerate(questions.setup_commands()):
        yield _run(program, folder, words, f"setup/{number:02}")
    diff = questions.TWO_HUNKS.format(subject.paths[0])
    for number, words in enumerate(questions.reading_commands(subject)):
        yield _run(program, folder, words, f"commands/{number:02}-{words[0]}", stdin=diff)
    for number, (path, page) in enumerate(crawl_pages(program, folder, limit=PAGES)):
        yield f"pages/{number:02}", f"GET {path}", page
    with serve_stdio(program, folder) as (server, greeting):
        yield "protocol/initialize", "initialize", _json(greeting)
        yield from _ask_protocol(server, subject)
        yield from _ask_tools(server, subject)


def _run(program: Program, folder: Path, words: list[str], name: str, stdin: str = "") -> tuple[str, str, str]:
    place = ["--project", str(folder)]
    return name, f"$ fieldguide {' '.join(words)}", program.run(*words, *place, folder=folder, stdin=stdin)


def _ask_protocol(server: StdioServer, subject: Subject) -> Answers:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping", "no/such"):
        yield f"protocol/{method.replace('/', '-')}", method, _json(server.ask(method, {}))
    resources = server.ask("resources/list", {})["result"]["resources"]
    for number, uri in enumerate([*(each["uri"] for each in resources[:40]), "architecture://adr/none", "none:"]):
        yield (
            f"protocol/resource-{number:02}",
            f"resources/read {uri}",
            _json(server.ask("resources/read", {"uri": uri})),
        )
    for prompt in server.ask("prompts/list", {})["result"]["prompts"]:
        names = [each["name"] for each in prompt.get("arguments", [])]
        # Words that fit something: of hits that fit equally badly, the one that was indexed first comes first.
        arguments = {name: subject.paths[0] if name == "path" else subject.queries[0] for name in names}
        for suffix, values in (("", arguments), ("-bare", {})):
            answer = server.ask("prompts/get", {"name": prompt["name"], "arguments": values})
            yield f"protocol/prompt-{prompt['name']}{suffix}", f"prompts/get {prompt['name']} {values}", _json(answer)
    for method, params in (
        ("directive.files.list", {}),
        ("directive.file.get", {"path": "directive/agent_context.md"}),
        ("spec.template", {}),
        ("tools/call", {"name": 5}),
        ("tools/call", {}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "path", "value": "s"}},
        ),
    ):
        yield (
            f"protocol/{method.replace('/', '-')}-{len(params)}",
            f"{method} {params}",
            _json(server.ask(method, params)),
        )


def _ask_tools(server: StdioServer, subject: Subject) -> Answers:
    collections = _list_collections(server)
    asked: dict[str, int] = {}
    calls = [
        *questions.guide_calls(subject),
        *questions.context_calls(subject),
        *questions.architecture_calls(subject),
        *questions.directive_calls(),
        *questions.document_calls(subject, collections),
    ]
    for descriptor in server.ask("tools/list", {})["result"]["tools"]:
        calls += [(descriptor["name"], arguments) for arguments in questions.wrong_calls(descriptor)]
    calls += questions.writing_calls(subject)
    yield "tools/collections", "documents_list_collections", _json(server.call("documents_list_collections", {}))
    for tool, arguments in calls:
        asked[tool] = asked.get(tool, 0) + 1
        name = f"tools/{tool.replace('/', '.')}-{asked[tool]:02}"
        yield name, f"tools/call {tool} {json.dumps(arguments)[:2000]}", _json(server.call(tool, arguments))


def _list_collections(server: StdioServer) -> dict[str, list[str]]:
    """The documents of each collection; a project without any is told so in a sentence."""
    text = server.call("documents_list_collections", {})["result"]["content"][0]["text"]
    collections: dict[str, list[str]] = {}
    for collection in json.loads(text) if text.startswith("[") else ():
        name = collection["collection"]
        documents = server.call("documents_list_documents", {"collection": name})["result"]
        collections[name] = [each["id"] for each in documents["structuredContent"]["documents"]]
    return collections


def _json(answer: Any) -> str:
    """An answer as it came, with texts laid out in lines so that a difference can be read."""
    return json.dumps(answer, indent=1, ensure_ascii=False).replace("\\n", "\n")


if __name__ == "__main__":
    sys.exit(main())
