"""`fieldguide symbol`: what a name stands for in the code and who uses it, as an agent would be told."""

import argparse

from fieldguide.cli.finding.asking import answered
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.errors import NotFound
from fieldguide.server.encoding import STRUCTURED_SINCE, encoded
from fieldguide.spine.answers.near_names import said
from fieldguide.spine.foreign_text.visible_text import shown

TOOL = "guide_symbol"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The name, which one is meant, how much may be said, and how to print."""
    parser.add_argument("name", metavar="NAME", help="a name, or one with what it stands in: Class.method")
    parser.add_argument("--path", metavar="PATH", help="the file or folder in which it is defined, where several are")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 2,000)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, ask the guide, and print what it answers; 1 where nothing has that name."""
    given = {"name": arguments.name, "path": arguments.path, "budget": arguments.budget}
    try:
        answer = answered(settings_from(arguments), TOOL, given, waits=arguments.wait)
    except NotFound as error:
        near = said(error.details.get("didYouMean", ()))
        complain(shown(f"{error.message}: {arguments.name}. {near}".rstrip()))
        return 1
    if arguments.json:
        say_json(encoded(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 0
