"""Where a language server is blind: places that have a symbol's name, but of which the server itself can say nothing.

    python -m benchmarks.truth.blindness --language rust --checkout DIR/tokio --to TRUTH [--command rust-analyzer]

A call inside of a macro that could not be expanded, code for another system, or a value of a type whose package is not
here: what an answer says of such a place can be neither confirmed nor denied, so it is moved to `also`. A place whose
definition, as the server tells it, is the symbol itself is added to its references.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.piped_server import ServerError
from benchmarks.truth.choosing import character_column
from benchmarks.truth.language_server import Json, LanguageServer, path_of, uri_of
from benchmarks.truth.servers import SERVERS, copy_tracked_files

MOST_PLACES = 2_500

Place = tuple[str, int, int]


def marked(server: LanguageServer, line: Json, texts: dict[str, list[str]]) -> Json:
    """One line of truth, with the places that the server is blind for."""
    itself: Place = (line["path"], line["line"], line["column"])
    known = {tuple(place) for place in (*line["references"], *line["also"])} | {itself}
    blind: list[Place] = []
    more: list[Place] = []
    for place in _occurrences(line["name"], texts, known):
        found = _definitions(server, place, texts)
        if not found:
            blind.append(place)
        elif itself in found:
            more.append(place)
    return {
        **line,
        "references": sorted([*map(tuple, line["references"]), *more]),
        "also": sorted([*map(tuple, line["also"]), *blind]),
    }


def _occurrences(name: str, texts: dict[str, list[str]], known: set[Place]) -> Iterator[Place]:
    count = 0
    for path, lines in texts.items():
        for number, text in enumerate(lines, 1):
            at = text.find(name)
            while at >= 0:
                before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
                is_whole = not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
                # A name in grave accents is a mention in a comment.
                if (
                    is_whole
                    and (path, number, at) not in known
                    and not text.lstrip().startswith("//")
                    and before != "`"
                ):
                    count += 1
                    if count > MOST_PLACES:
                        return
                    yield path, number, at
                at = text.find(name, at + 1)


def _definitions(server: LanguageServer, place: Place, texts: dict[str, list[str]]) -> set[Place]:
    path, number, column = place
    before = texts[path][number - 1][:column]
    position = {"line": number - 1, "character": len(before.encode("utf-16-le")) // 2}
    document = {"uri": uri_of(server.folder / path)}
    try:
        told = server.ask("textDocument/definition", {"textDocument": document, "position": position}) or []
    except ServerError:
        return set()
    return {each for each in (_placed(server.folder, location, texts) for location in _listed(told)) if each}


def _listed(told: Json | list[Json]) -> list[Json]:
    return told if isinstance(told, list) else [told]


def _placed(folder: Path, location: Json, texts: dict[str, list[str]]) -> Place | None:
    target = path_of(location.get("targetUri") or location["uri"])
    start = (location.get("targetSelectionRange") or location["range"])["start"]
    if not target.is_relative_to(folder):
        return str(target), start["line"] + 1, start["character"]
    name = target.relative_to(folder).as_posix()
    lines = texts.get(name, [])
    text = lines[start["line"]] if start["line"] < len(lines) else ""
    return name, start["line"] + 1, character_column(text, start["character"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth.blindness", description=__doc__)
    parser.add_argument("--language", choices=sorted(SERVERS), required=True)
    parser.add_argument("--checkout", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True, help="the folder of the truth")
    parser.add_argument("--command", help="another command that starts the language's server")
    options = parser.parse_args()
    server = SERVERS[options.language]
    with tempfile.TemporaryDirectory(prefix="truth-") as place:
        folder = Path(place).resolve() / options.checkout.name
        copy_tracked_files(options.checkout, folder)
        server.prepare(folder)
        paths = [path for path in sorted(folder.rglob("*")) if path.suffix in server.suffixes]
        texts = {path.relative_to(folder).as_posix(): path.read_text(errors="replace").split("\n") for path in paths}
        command = options.command.split() if options.command else None
        with server.start(folder, bin_folder=None, command=command) as running:
            running.open(paths[0], server.language_ids[paths[0].suffix])
            server.settle(running)
            for half in sorted((options.to / options.language).glob(f"{options.checkout.name}.*.jsonl")):
                lines = [marked(running, json.loads(line), texts) for line in half.read_text().splitlines()]
                half.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


if __name__ == "__main__":
    main()
