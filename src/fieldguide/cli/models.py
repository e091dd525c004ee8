"""`fieldguide models`: which models there are, which one is used, and how each does on one's own documents."""

import argparse
import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fieldguide.cli.indexing import Bar
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import GAP, fitted, say, say_json
from fieldguide.config import Settings, personal_path, project_folder
from fieldguide.errors import Misconfiguration, NotFound
from fieldguide.search.embedders.models import (
    BUILT_IN,
    KNOWN,
    MODEL,
    KnownModel,
    find_known,
    load_model,
    missing_install,
    wanted_model,
)
from fieldguide.spine.foreign_text.visible_text import shown

if TYPE_CHECKING:
    from fieldguide.search.embedders.heading_questions import Trial

QUESTIONS = 200
CHUNKS = 3000
KEYWORDS = "keywords alone"
Row = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, `use` or `bench`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="show the models, which one is in use and which made the index")
    add_place(listing)
    use = actions.add_parser("use", help="write the choice of a model into your own settings, for all your projects")
    use.add_argument(
        "name", metavar="NAME", help="a model, such as built-in, minilm or fastembed:BAAI/bge-small-en-v1.5"
    )
    bench = actions.add_parser("bench", help="measure models on your own documents, by questions made from headings")
    bench.add_argument("names", nargs="*", metavar="NAME", help="models (default: those that are installed)")
    bench.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    bench.add_argument("--limit", type=int, default=QUESTIONS, metavar="N", help=f"questions (default: {QUESTIONS})")
    bench.add_argument("--chunks", type=int, default=CHUNKS, metavar="N", help=f"chunks (default: {CHUNKS})")
    for action in (listing, bench):
        action.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    settings = settings_from(arguments)
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
    cells = [
        [
            row["name"],
            str(row["dimensions"] or "-"),
            ", ".join(filter(None, ["in use" if row["in_use"] else "", "made the index" if row["made_index"] else ""])),
            "yes" if row["installed"] else f"no: {row['missing']}",
        ]
        for row in rows
    ]
    _print_table([["model", "dimensions", "state", "installed"], *cells])
    if wrong:
        say("", wrong)
    return 0


def _listed(known: KnownModel, in_use: str | None, made: Mapping[str, int]) -> Row:
    is_used = in_use is not None and find_known(in_use) is known
    missing = missing_install(known, os.environ)
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
        return wanted_model(settings.sections.get("search", {}), os.environ), ""
    except Misconfiguration as error:
        return None, error.message


def _made_by(settings: Settings) -> dict[str, int]:
    """How many documents of the index each model has made; nothing where there is no index yet."""
    from fieldguide.app import INDEX_FILE, namespace_of
    from fieldguide.search.embedders.makers import documents_by_maker
    from fieldguide.search.opening import SCHEMA
    from fieldguide.storage.state_folder import expected_folder

    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        with PostgresDatabase(settings.database, [SCHEMA]).reading() as transaction:
            return documents_by_maker(transaction, namespace_of(settings))
    from fieldguide.storage.sqlite import SqliteDatabase

    path = os.path.join(expected_folder(settings.project), INDEX_FILE)
    if not os.path.exists(path):
        return {}
    with SqliteDatabase(lambda: path, [SCHEMA], lambda sentence: None, is_derived=True).reading() as transaction:
        return documents_by_maker(transaction, "")


def _use(name: str) -> int:
    find_known(name)
    load_model(name, os.environ, may_fetch=True)
    from fieldguide.cli.settings_file import write_setting

    path = personal_path(os.environ)
    write_setting(path, table="search", key="model", value=name)
    say(f"{path} now says: model = {json.dumps(name)}. The next index embeds every document again.")
    own = os.environ.get(MODEL)
    if own and own != name:
        say(f"But {MODEL} says {own!r}, and your environment wins over the file.")
    return 0


def _bench(settings: Settings, arguments: argparse.Namespace) -> int:
    from fieldguide.search.embedders.heading_questions import make_trial
    from fieldguide.search.embedders.model_bench import measure_keywords

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
    single = [known.name for known in KNOWN if not known.family and not missing_install(known, os.environ)]
    in_use, _ = _in_use(settings)
    return list(dict.fromkeys([*single, in_use or BUILT_IN]))


def _documents(settings: Settings) -> Iterator[tuple[str, str]]:
    """The project's documents as they are on disk now: name and text."""
    from fieldguide.toolsets.documents.collections import configured_collections
    from fieldguide.toolsets.documents.locations import is_remote, local_snapshot

    project = project_folder(settings)
    for collection in configured_collections(settings.project, settings.sections.get("documents", {})).values():
        if is_remote(collection.source):
            continue
        for entry in local_snapshot(collection, project=project).entries:
            content = entry.read()
            if content is not None and b"\0" not in content:
                yield f"{collection.alias}/{entry.name}", content.decode("utf-8", errors="replace")


def _measured(name: str, trial: "Trial", folder: str) -> Row:
    from fieldguide.search.embedders.model_bench import measure_model

    environment = {**os.environ, "XDG_CACHE_HOME": folder}  # vectors that were paid for before would look quick
    embedder = load_model(name, environment, may_fetch=True)
    bar = Bar()
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
    for each in figures["models"]:
        quality = [f"{each[side][measure]:.3f}" for side in ("vectors", "fused") for measure in ("ndcg", "recall")]
        speeds = [f"{each[f'{kind}_chunks_per_second']:,.0f}" for kind in ("embedded", "indexed")]
        rows.append([each["model"], *quality, *speeds, f"{each['query_milliseconds']:.1f}"])
    _print_table(rows)


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    cells = [[*map(shown, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    say(*(GAP.join(map(fitted, row, widths)).rstrip() for row in cells))
