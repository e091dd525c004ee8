"""`fieldguide completion`: the script that lets a shell complete commands, flags, tools and collections."""

import argparse

from fieldguide.cli.main import COMMANDS
from fieldguide.cli.terminal import say
from fieldguide.cli.typed.candidates import after_break, candidates, parsed_line
from fieldguide.cli.typed.scripts import SCRIPTS

EPILOG = """\
`source <(fieldguide completion bash)` turns it on in this shell; in ~/.bashrc, in every one.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which shell; `words` is what the scripts themselves ask."""
    parser.epilog = EPILOG
    parser.add_argument("what", choices=(*SCRIPTS, "words"), help="print the script of a shell, or what may come next")
    parser.add_argument("--line", default="", metavar="LINE", help="for `words`: what was typed so far")
    parser.add_argument("--shell", choices=tuple(SCRIPTS), help="for `words`: who asks (bash takes words apart)")


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    if arguments.what in SCRIPTS:
        say(*SCRIPTS[arguments.what].splitlines())
        return 0
    found = candidates(arguments.line, COMMANDS)
    typed = parsed_line(arguments.line)
    if arguments.shell == "bash" and typed is not None:
        found = [after_break(each, typed.last) for each in found]
    if found:
        say(*found)
    return 0
