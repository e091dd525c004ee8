"""`fieldguide governs`: what applies to files before they are changed or committed, as an agent would be told."""

import argparse
import os
import sys

from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.refresh import ask_tool
from fieldguide.cli.terminal import say, say_json
from fieldguide.files.typed_paths import resolve_place
from fieldguide.git.program import GitProgram
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.tool_methods import STRUCTURED_SINCE, encode_answer

TOOL = "guide_governs"
LONGEST_DIFF = 10_000_000
GIT_SECONDS = 20.0
STAGED = ("diff", "--cached", "--relative", "--no-ext-diff", "--no-textconv", "--no-color")
HEADS = ("+++ ", "@@ ")
EPILOG = """\
`fieldguide governs --staged` in a pre-commit hook tells what goes with a commit; it never refuses one.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is about to change, how much may be said about it, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder or a citation")
    parser.add_argument("--staged", action="store_true", help="the files that git has staged")
    parser.add_argument("--diff", action="store_true", help="the files of a unified diff on stdin")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 2,500)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result of tools/call, not just its text")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, ask the guide, and print what it answers."""
    settings = find_settings(arguments)
    target = _target(arguments, settings.project)
    if not target:
        say("Nothing is staged.")
        return 0
    answer = ask_tool(settings, TOOL, {"path": target, "budget": arguments.budget}, waits=arguments.wait)
    if arguments.json:
        say_json(encode_answer(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 0


def _target(arguments: argparse.Namespace, project: str) -> str:
    """What is asked about: one path as it is, several as the diff that would change them; nothing where none is staged.

    Nothing that a repository configures is run: git only lists what is staged.
    """
    if sum(map(bool, (arguments.paths, arguments.staged, arguments.diff))) != 1:
        raise Misconfiguration("Say what is about to change: paths, --staged, or --diff with a diff on stdin.")
    if arguments.diff:
        return sys.stdin.read(LONGEST_DIFF)
    paths = [resolve_place(os.path.realpath(project), path) for path in arguments.paths]
    if arguments.staged:
        return _staged(GitProgram(project, GIT_SECONDS))
    return paths[0] if len(paths) == 1 else "".join(f"+++ b/{path}\n" for path in paths)


def _staged(git: GitProgram) -> str:
    """The files that are staged, and where in them, as the heads of a diff; those without lines are in it too."""
    names = git.ask(*STAGED, "--name-only", "-z").decode("utf-8", "replace").split("\0")
    changed = git.ask(*STAGED, "-U0").decode("utf-8", "replace").split("\n")
    heads = [line for line in changed if line.startswith(HEADS)]
    return "\n".join([*(f"+++ b/{name}" for name in names if name), *heads])[:LONGEST_DIFF]
