"""`fieldguide find`: one list of everything that answers a question, from a terminal, as an agent would get it."""

import argparse

from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.refresh import ask_tool
from fieldguide.cli.terminal import say, say_json
from fieldguide.text.display import make_visible
from fieldguide.text.errors import Misconfiguration

TOOL = "guide_search"
MOST_HITS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, how much of it, and how to print."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="what to look for, in words or as a question")
    parser.add_argument(
        "--kind", action="append", metavar="K", help="only this kind, such as code, test or decision; may be repeated"
    )
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help=f"at most so many hits, 1 to {MOST_HITS} (default: 10)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the items as programs read them")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, search, and print; finding nothing is no error."""
    query = " ".join(arguments.query).strip()
    if not query:
        raise Misconfiguration('Say what to look for, as in: fieldguide find "how are retries counted".')
    given = {"query": query, "kinds": arguments.kind, "limit": arguments.limit}
    answer = ask_tool(find_settings(arguments), TOOL, given, waits=arguments.wait)
    if arguments.json:
        say_json(answer.value)
    else:
        say(*map(make_visible, answer.text.split("\n")))
    return 0


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_HITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_HITS}")
    return int(text)
