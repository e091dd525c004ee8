"""`fieldguide symbol`: what a name stands for in the code and who uses it, as an agent would be told."""

import argparse
import os

from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.refresh import ask_tool
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.files.typed_paths import resolve_place
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import NotFound
from fieldguide.text.near_names import format_suggestion
from fieldguide.wire.tool_methods import STRUCTURED_SINCE, encode_answer

TOOL = "guide_symbol"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The name, which one is meant, how much may be said, and how to print."""
    parser.add_argument("name", metavar="NAME", help="a name, or one with what it stands in: Class.method")
    parser.add_argument("--path", metavar="PATH", help="the file or folder in which it is defined, where several are")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 2,000)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, ask the guide, and print what it answers; 1 where nothing has that name."""
    settings = find_settings(arguments)
    path = arguments.path and resolve_place(os.path.realpath(settings.project), arguments.path)
    given = {"name": arguments.name, "path": path, "budget": arguments.budget}
    try:
        answer = ask_tool(settings, TOOL, given, waits=arguments.wait)
    except NotFound as error:
        near = format_suggestion(error.details.get("didYouMean", ()))
        complain(to_visible_line(f"{error.message}: {arguments.name}. {near}".rstrip()))
        return 1
    if arguments.json:
        say_json(encode_answer(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 0
