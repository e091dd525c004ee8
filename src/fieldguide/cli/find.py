"""`fieldguide find`: answers a question from everything that is known, in one list of all kinds."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.console.options import add_json_option, add_place_options, find_settings
from fieldguide.cli.console.terminal import BoldText, Line, complain, say_result
from fieldguide.cli.index import ask_app
from fieldguide.settings.consents import TRUST
from fieldguide.text import regex as re
from fieldguide.text.display import make_visible, to_visible_line
from fieldguide.text.errors import Misconfiguration
from fieldguide.text.words import UNSPACED, extract_query_terms, strip_ending
from fieldguide.toolsets.documents.collections import is_remote
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep

DOCUMENTS = "documents"
MOST_HITS = 50
EPILOG = """\
kinds: code, test, document, decision, pattern, finding, task, spec, config, ci, build and others. exit codes: 0 done,
1 with --fail where nothing fits well
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, how much of it, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument(
        "--kind", action="append", metavar="K", help="only this kind, such as code, test or decision; may be repeated"
    )
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help=f"at most so many hits, 1 to {MOST_HITS} (default: 10)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    parser.add_argument("--fail", action="store_true", help="end with 1 where nothing fits well")
    add_place_options(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error, except with `--fail`."""
    query = " ".join(arguments.query).strip()
    if not query:
        raise Misconfiguration('Say what to look for, as in: fieldguide find "how are retries counted".')
    kinds = [_singular(kind) for kind in arguments.kind or ()]
    app = build_app(find_settings(arguments), write_journal=lambda lines: None)
    given = {"query": query, "kinds": kinds or None, "limit": arguments.limit}
    answer = ask_app(app, "guide_search", given, waits=arguments.wait)
    say_result(answer.value, _highlight(answer.text, extract_query_terms(query)), as_json=arguments.json)
    complain(*map(to_visible_line, _explain_unsearched(app)))
    items: list[dict[str, Any]] = answer.value["items"]
    return int(arguments.fail and all(item.get("unsure") for item in items))


def _highlight(text: str, terms: Sequence[str]) -> Iterator[Line]:
    """The lines of an answer with the words of the query in bold, whatever they end with."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for word in set(" ".join(terms).split()):
        if UNSPACED.search(word):
            unspaced.append(re.escape(word))
        else:
            spaced.append(rf"(?<!\w){re.escape(strip_ending(word))}\w*")
    longest_first = sorted([*spaced, *unspaced], key=len, reverse=True)
    pattern = re.compile("|".join(longest_first) or "(?!)", re.IGNORECASE)
    for line in map(make_visible, text.split("\n")):
        pieces: list[str] = []
        end = 0
        for found in pattern.finditer(line):
            pieces += [line[end : found.start()], BoldText(found.group())]
            end = found.end()
        yield [*pieces, line[end:]]


def _singular(kind: str) -> str:
    """The name of a kind, also where it was typed as several: `documents`."""
    return kind.removesuffix("s") if kind.endswith(("ts", "ns", "gs", "ks", "cs")) else kind


def _explain_unsearched(app: App) -> Iterator[str]:
    """A sentence for each collection that waits for consent, or must be fetched before it can be searched."""
    upkeep = next((each.upkeep for each in app.toolsets if each.name == DOCUMENTS), None)
    if upkeep is None:
        return
    yield from (f"{ask.sentence()}, which is not obeyed: {TRUST}" for ask in app.asks())
    stored = {source.name for source in app.engine().sources(DOCUMENTS)}
    collections = cast("LateUpkeep[DocumentsUpkeep]", upkeep).made().collections()
    for alias, collection in collections.items():
        if is_remote(collection.source) and collection.id not in stored:
            yield f"{alias}: it was never fetched. `fieldguide documents sync {alias}` does that."


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_HITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_HITS}")
    return int(text)
