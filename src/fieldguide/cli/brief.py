"""`fieldguide brief`: what a task needs, from a terminal, with the answer that an agent would get."""

import argparse
import sys

from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.refresh import ask_tool
from fieldguide.cli.terminal import say, say_json
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.tool_methods import STRUCTURED_SINCE, encode_answer

TOOL = "guide_brief"
LONGEST_TASK = 1_000_000
EPILOG = """\
`git log -1 --format=%B | fieldguide brief` briefs on the latest commit; `fieldguide prove` measures how well.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The task, how much may be said about it, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument("task", nargs="*", metavar="TASK", help="the task in words; without any, it is read from stdin")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 4,000)"
    )
    parser.add_argument("--cursor", metavar="C", help="go on where an earlier brief ended")
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, ask the guide, and print what it answers."""
    given = {"task": _task(arguments.task), "budget": arguments.budget, "cursor": arguments.cursor}
    answer = ask_tool(find_settings(arguments), TOOL, given, waits=arguments.wait)
    if arguments.json:
        say_json(encode_answer(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 0


def _task(words: list[str]) -> str:
    """The task as it was typed or piped in."""
    if words and words != ["-"]:
        return " ".join(words)
    if not words and sys.stdin.isatty():
        raise Misconfiguration('Say what is to be done, as in: fieldguide brief "refuse titles over 200 characters".')
    task = sys.stdin.read(LONGEST_TASK).strip()
    if not task:
        raise Misconfiguration("There is no task on stdin.")
    return task
