"""`fieldguide models`: lists, chooses and measures the models that search by meaning."""

import argparse
import json
import os
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fieldguide.cli.clients.toml_editing import with_value
from fieldguide.cli.console.options import add_place_options, read_settings_from
from fieldguide.cli.console.terminal import GAP, fit_to_columns, say, say_json
from fieldguide.cli.index import ProgressBar
from fieldguide.files.confined_folder import replace_file
from fieldguide.search.models.choice import (
    BUILT_IN,
    KNOWN,
    MODEL,
    KnownModel,
    describe_missing_install,
    find_configured_model,
    find_known,
    load_model,
)
from fieldguide.settings.config import Settings, find_personal_file, open_project_folder
from fieldguide.settings.folders import PRIVATE_FILE, PRIVATE_FOLDER
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, NotFound, Refusal

if TYPE_CHECKING:
    from fieldguide.search.models.benchmark import HeadingTrial

QUESTIONS = 200
CHUNKS = 3000
KEYWORDS = "keywords alone"
Row = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `use` or `bench`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="show the models, which one is in use and which made the index")
    add_place_options(listing)
    use = actions.add_parser("use", help="write the choice of a model into your own settings, for all your projects")
    use.add_argument("name", metavar="NAME", help="a model, such as built-in or onnx:PATH")
    bench = actions.add_parser("bench", help="measure models on your own documents, by questions made from headings")
    bench.add_argument("names", nargs="*", metavar="NAME", help="models (default: those that are installed)")
    bench.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    bench.add_argument("--limit", type=int, default=QUESTIONS, metavar="N", help=f"questions (default: {QUESTIONS})")
    bench.add_argument("--chunks", type=int, default=CHUNKS, metavar="N", help=f"chunks (default: {CHUNKS})")
    for action in (listing, bench):
        action.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    settings = read_settings_from(arguments)
    match arguments.action:
        case "list":
            return _list(settings, as_json=arguments.json)
        case "use":
            return _use(arguments.name)
        case _:
            return _bench(settings, arguments)


def _list(settings: Settings, *, as_json: bool) -> int:
    made = _made_by(settings)
    in_use, wrong = _in_use(settings)
    rows = [_listed(known, in_use, made) for known in KNOWN]
    if as_json:
        say_json({"models": rows, "in_use": in_use, "index": made, "wrong": wrong})
        return 0
    table = [["model", "dimensions", "state", "installed"]]
    for row in rows:
        states: list[str] = []
        if row["in_use"]:
            states.append("in use")
        if row["made_index"]:
            states.append("made the index")
        installed = "yes" if row["installed"] else f"no: {row['missing']}"
        table.append([row["name"], str(row["dimensions"] or "-"), ", ".join(states), installed])
    _print_table(table)
    if wrong:
        say("", wrong)
    return 0


def _listed(known: KnownModel, in_use: str | None, made: Mapping[str, int]) -> Row:
    is_used = in_use is not None and find_known(in_use) is known
    missing = describe_missing_install(known, os.environ)
    return {
        "name": in_use if is_used else known.name,
        "dimensions": known.dimensions,
        "installed": not missing,
        "missing": missing,
        "in_use": is_used,
        "made_index": any(f"/{known.made}" in maker for maker in made),
    }


def _in_use(settings: Settings) -> tuple[str | None, str]:
    """The model that the settings name; or None, and what is wrong with them."""
    try:
        return find_configured_model(settings.sections.get("search", {}), os.environ), ""
    except Misconfiguration as error:
        return None, error.message


def _made_by(settings: Settings) -> dict[str, int]:
    """How many documents of the index each model has made; nothing where there is no index yet."""
    from fieldguide.app import INDEX_FILE
    from fieldguide.search.engine import SCHEMA
    from fieldguide.search.models.benchmark import count_documents_by_maker
    from fieldguide.settings.config import find_namespace
    from fieldguide.storage.state_folder import find_expected_folder

    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        with PostgresDatabase(settings.database, [SCHEMA]).reading() as transaction:
            return count_documents_by_maker(transaction, find_namespace(settings))
    from fieldguide.storage.sqlite import SqliteDatabase

    path = os.path.join(find_expected_folder(settings.project), INDEX_FILE)
    if not os.path.exists(path):
        return {}
    with SqliteDatabase(lambda: path, [SCHEMA], lambda sentence: None, is_derived=True).reading() as transaction:
        return count_documents_by_maker(transaction, "")


def _use(name: str) -> int:
    find_known(name)
    load_model(name, os.environ)
    path = find_personal_file(os.environ)
    write_setting(path, table="search", key="model", value=name)
    say(f"{path} now says: model = {json.dumps(name)}. The next index embeds every document again.")
    own = os.environ.get(MODEL)
    if own and own != name:
        say(f"But {MODEL} says {own!r}, and your environment wins over the file.")
    return 0


def _bench(settings: Settings, arguments: argparse.Namespace) -> int:
    from fieldguide.search.models.benchmark import make_trial, measure_keywords

    if arguments.limit < 1 or arguments.chunks < 1:
        raise Misconfiguration("--limit and --chunks must be at least 1.")
    names: list[str] = arguments.names or _installed(settings)
    for name in names:
        find_known(name)
    trial = make_trial(_documents(settings), questions=arguments.limit, chunks=arguments.chunks)
    if not trial.asked:
        raise NotFound("There are no documents here with headings to make questions from.")
    with TemporaryDirectory() as folder, _one_core():
        keywords = measure_keywords(trial, folder)
        rows = [_measured(name, trial, folder) for name in names]
    figures: Row = {
        "questions": len(trial.asked),
        "documents": len(trial.documents),
        "sections": trial.sections,
        "chunks": trial.chunks,
        "keywords": keywords._asdict(),
        "models": rows,
    }
    if arguments.json:
        say_json(figures)
    else:
        _print_figures(figures)
    return 0


def _installed(settings: Settings) -> list[str]:
    """The single models that are installed, and the one in use."""
    single = [known.name for known in KNOWN if not known.family and not describe_missing_install(known, os.environ)]
    in_use, _ = _in_use(settings)
    return list(dict.fromkeys([*single, in_use or BUILT_IN]))


def _documents(settings: Settings) -> Iterator[tuple[str, str]]:
    """The project's documents as they are on disk now: name and text."""
    from fieldguide.toolsets.documents.collections import is_remote, read_collections, take_local_snapshot

    project = open_project_folder(settings)
    for collection in read_collections(settings.project, settings.sections.get("documents", {})).values():
        if is_remote(collection.source):
            continue
        for entry in take_local_snapshot(collection, project=project).entries:
            content = entry.read()
            if content is not None and b"\0" not in content:
                yield f"{collection.alias}/{entry.name}", content.decode("utf-8", errors="replace")


def _measured(name: str, trial: "HeadingTrial", folder: str) -> Row:
    from fieldguide.search.models.benchmark import measure_model

    environment = {**os.environ, "XDG_CACHE_HOME": folder}  # vectors that were paid for before would look quick
    embedder = load_model(name, environment)
    bar = ProgressBar()
    try:
        measured = measure_model(
            embedder,
            trial,
            folder,
            is_remote=name.startswith("openai:"),
            progress=lambda done, total: bar(done, total, name),
        )
    finally:
        bar.clear()
    figures = measured._asdict()
    return {"model": name, **figures, "vectors": measured.vectors._asdict(), "fused": measured.fused._asdict()}


@contextmanager
def _one_core() -> Generator[None]:
    """Run on one core, as far as the system lets us choose: models are compared by what each gets out of it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _print_figures(figures: Row) -> None:
    counts = ", ".join(f"{what} {figures[what]}" for what in ("documents", "sections", "chunks", "questions"))
    say(f"{counts.capitalize()}; nDCG@10 and recall@10, speeds on one core.", "")
    keywords = figures["keywords"]
    rows = [
        ["", "vectors", "", "fused", "", "embed", "index", "search"],
        ["model", "nDCG", "recall", "nDCG", "recall", "chunks/s", "chunks/s", "ms"],
        [KEYWORDS, "", "", f"{keywords['ndcg']:.3f}", f"{keywords['recall']:.3f}", "", "", ""],
    ]
    rows += map(_format_measures, figures["models"])
    _print_table(rows)


def _format_measures(row: Row) -> list[str]:
    return [
        row["model"],
        f"{row['vectors']['ndcg']:.3f}",
        f"{row['vectors']['recall']:.3f}",
        f"{row['fused']['ndcg']:.3f}",
        f"{row['fused']['recall']:.3f}",
        f"{row['embedded_chunks_per_second']:,.0f}",
        f"{row['indexed_chunks_per_second']:,.0f}",
        f"{row['query_milliseconds']:.1f}",
    ]


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    cells = [[*map(to_visible_line, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    say(*(GAP.join(map(fit_to_columns, row, widths)).rstrip() for row in cells))


def write_setting(path: str, *, table: str, key: str, value: str) -> None:
    """Set `key` in `[table]` to a text; a file that can't be changed safely is left alone, and the way out told."""
    wanted = f"{key} = {json.dumps(value, ensure_ascii=False)} under [{table}]"
    target = os.path.realpath(path)  # the person's own file may be a link to wherever they keep such files
    before = _read(target)
    after = set_in_text(before, table=table, key=key, value=value)
    if after is None:
        raise Refusal(f"{path} is written in a way that can't be changed safely: write {wanted} yourself.")
    os.makedirs(os.path.dirname(target), mode=PRIVATE_FOLDER, exist_ok=True)
    with replace_file(target, PRIVATE_FILE) as file:
        file.write(after.encode())


def set_in_text(text: str, *, table: str, key: str, value: str) -> str | None:
    """The text with the setting in it; None where the result would not be exactly that one change."""
    before = tomllib.loads(text)
    section = before.get(table, {})
    if not isinstance(section, dict):
        return None
    after = with_value(text, table, key, value)
    try:
        is_right = tomllib.loads(after) == {**before, table: {**section, key: value}}
    except tomllib.TOMLDecodeError:
        return None
    return after if is_right else None


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        tomllib.loads(text)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise Misconfiguration(f"{path} can't be read: {error}.") from error
    return text
