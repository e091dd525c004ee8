"""`fieldguide open`: what a citation names, from a terminal, with the answer that an agent would get."""

import argparse

from fieldguide.app import build_app
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.errors import NotFound
from fieldguide.in_process.running import BlockingExecutor
from fieldguide.server.encoding import STRUCTURED_SINCE, encoded
from fieldguide.spine.answers.near_names import said
from fieldguide.spine.foreign_text.visible_text import shown

TOOL = "guide_open"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The citations, how much may be shown of them, and how to print."""
    parser.add_argument("citation", nargs="+", metavar="CITATION", help="such as docs/guide.md#L3-L9, or only a path")
    parser.add_argument("--around", choices=("section", "symbol"), help="show the whole section or symbol it is in")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 4,000)"
    )
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Ask the guide, and print what it answers."""
    given = {"citation": "\n".join(arguments.citation), "around": arguments.around, "budget": arguments.budget}
    app = build_app(settings_from(arguments), write_journal=lambda lines: None)
    blocking = BlockingExecutor(app.executor)
    try:
        answer = blocking.execute(TOOL, {name: value for name, value in given.items() if value is not None})
    except NotFound as error:
        near = said(error.details.get("didYouMean", ()))
        complain(shown(f"{error.message}: {error.details.get('citation', '')}. {near}".rstrip()))
        return 1
    finally:
        blocking.close()
    if arguments.json:
        say_json(encoded(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 0
