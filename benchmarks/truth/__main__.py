"""Ask a language server for the references of symbols chosen at random, and keep them as JSON lines in two halves.

    npm install --prefix SERVERS pyright typescript typescript-language-server
    python -m benchmarks.truth --language python --servers SERVERS --checkout DIR/flask DIR/httpx --to TRUTH

Each line has the symbol's place and its references inside the project; `also` are places that the server counts as
declarations of it too (another assignment, an overload), which are neither right nor wrong in an answer.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.truth.checkouts import git
from benchmarks.truth.choosing import Chosen, character_column, choose, own_files
from benchmarks.truth.language_server import Json, LanguageServer, path_of, uri_of
from benchmarks.truth.servers import SERVERS, Server, copy_tracked_files

SEED = 16
DEFAULT_COUNT = 70
DEFAULT_SECONDS = 1_200.0
SLOWEST_ANSWER_SECONDS = 240.0

Place = tuple[str, int, int]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    server = SERVERS[options.language]
    for checkout in options.checkout:
        with tempfile.TemporaryDirectory(prefix="truth-") as folder:
            lines = _truth_of(checkout.resolve(), Path(folder).resolve() / checkout.name, server, options)
        write_halves(lines, options.to / options.language, checkout.name)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__)
    parser.add_argument("--language", choices=sorted(SERVERS), required=True)
    parser.add_argument("--checkout", type=Path, nargs="+", required=True, help="git checkouts, named by their folder")
    parser.add_argument("--to", type=Path, required=True, help="folder of the truth, outside the repository")
    parser.add_argument("--servers", type=Path, help="the folder that npm installed the servers into")
    parser.add_argument("--command", help="another command that starts the language's server")
    parser.add_argument("--count", type=int, default=DEFAULT_COUNT, help="symbols for each checkout")
    parser.add_argument("--seconds", type=float, default=DEFAULT_SECONDS, help="time limit for each checkout")
    return parser.parse_args(arguments)


def _truth_of(checkout: Path, folder: Path, server: Server, options: argparse.Namespace) -> list[Json]:
    started = time.monotonic()
    copy_tracked_files(checkout, folder)
    server.prepare(folder)
    bin_folder = options.servers / "node_modules" / ".bin" if options.servers else None
    commit = git(checkout, "rev-parse", "HEAD")
    command = options.command.split() if options.command else None
    with server.start(folder, bin_folder=bin_folder, command=command) as running:
        files = own_files(checkout, server.suffixes)
        running.open(folder / files[0], server.language_ids[Path(files[0]).suffix])
        server.settle(running)
        chance = random.Random(f"{SEED} {checkout.name}")
        chosen = choose(running, files, count=options.count, chance=chance, language_ids=server.language_ids)
        lines: list[Json] = []
        for symbol in chosen:
            if time.monotonic() - started > options.seconds:
                print(f"{checkout.name}: out of time after {len(lines)} symbols", file=sys.stderr)
                break
            lines.append(_line(running, symbol, server, repository=checkout.name, commit=commit.strip()))
    report_on(checkout.name, lines, time.monotonic() - started)
    return lines


def _line(running: LanguageServer, symbol: Chosen, server: Server, *, repository: str, commit: str) -> Json:
    path = running.folder / symbol.path
    running.open(path, server.language_ids[path.suffix])
    used = _references(running, symbol, with_declarations=False)
    also = _references(running, symbol, with_declarations=True)
    running.close(path)
    itself = (symbol.path, symbol.line, symbol.column)
    return {
        "repo": repository,
        "commit": commit,
        "path": symbol.path,
        "line": symbol.line,
        "column": symbol.column,
        "name": symbol.name,
        "kind": symbol.kind,
        "references": sorted(used - {itself}),
        "also": sorted(also - used - {itself}),
    }


def _references(running: LanguageServer, symbol: Chosen, *, with_declarations: bool) -> set[Place]:
    lines = (running.folder / symbol.path).read_text(encoding="utf-8", errors="replace").split("\n")
    before = lines[symbol.line - 1][: symbol.column]
    position = {"line": symbol.line - 1, "character": len(before.encode("utf-16-le")) // 2}
    found = running.ask(
        "textDocument/references",
        {
            "textDocument": {"uri": uri_of(running.folder / symbol.path)},
            "position": position,
            "context": {"includeDeclaration": with_declarations},
        },
        seconds=SLOWEST_ANSWER_SECONDS,
    )
    texts: dict[Path, list[str]] = {}
    places: set[Place] = set()
    for location in found or []:
        path = path_of(location["uri"])
        if not path.is_relative_to(running.folder):
            continue
        if path not in texts:
            texts[path] = path.read_text(encoding="utf-8", errors="replace").split("\n")
        start = location["range"]["start"]
        column = character_column(texts[path][start["line"]], start["character"])
        places.add((path.relative_to(running.folder).as_posix(), start["line"] + 1, column))
    return places


def write_halves(lines: list[Json], folder: Path, repository: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shuffled = sorted(lines, key=lambda line: (line["path"], line["line"], line["column"]))
    random.Random(f"{SEED} halves {repository}").shuffle(shuffled)
    middle = (len(shuffled) + 1) // 2
    for half, part in (("seen", shuffled[:middle]), ("kept", shuffled[middle:])):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in part)
        (folder / f"{repository}.{half}.jsonl").write_text(text, encoding="utf-8")


def report_on(repository: str, lines: list[Json], seconds: float) -> None:
    references = sum(len(line["references"]) for line in lines)
    elsewhere = sum(any(place[0] != line["path"] for place in line["references"]) for line in lines)
    unused = sum(not line["references"] for line in lines)
    print(
        f"{repository}: {len(lines)} symbols, {references} references, {elsewhere} symbols used in other files, "
        f"{unused} unused, {seconds:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
