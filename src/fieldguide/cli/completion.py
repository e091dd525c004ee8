"""`fieldguide completion`: shell scripts that complete commands, flags and their choices."""

import argparse
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from fieldguide.cli.console.parser import CommandParser, list_flags
from fieldguide.cli.console.terminal import say
from fieldguide.cli.main import COMMANDS, load_command

LONGEST_LINE = 10_000


def complete_line(line: str) -> list[str]:
    """What the last word of a line may become; nothing while a quote is open."""
    try:
        words = shlex.split(line[:LONGEST_LINE])
    except ValueError:
        return []
    is_new = not line or line[-1].isspace()
    last = "" if is_new or not words else words.pop()
    words = words[1:]  # without the program itself
    if not words:
        found: Iterable[str] = COMMANDS
    elif words[0] in COMMANDS:
        found = _of_command(words[0], words[1:], last)
    else:
        found = ()
    return sorted({each for each in found if each.startswith(last) and each != last})


def _of_command(name: str, words: Sequence[str], last: str) -> Iterable[str]:
    command = load_command(name)
    parser = CommandParser(prog=name, allow_abbrev=False)
    command.add_arguments(parser)
    parser, positional, waiting = _walked(parser, words)
    if waiting is None and last.startswith("-"):
        return list_flags(parser)
    places = [action for action in parser.known if not action.option_strings]
    if waiting is None and places:
        waiting = places[min(positional, len(places) - 1)]
    if waiting is None or waiting.choices is None:
        return []
    return [str(choice) for choice in waiting.choices]


def _walked(parser: CommandParser, words: Sequence[str]) -> tuple[CommandParser, int, argparse.Action | None]:
    """The parser that the words lead to, how many of its places are taken, and the flag that waits for its value."""
    positional = 0
    waiting: argparse.Action | None = None
    for word in words:
        if waiting is not None:
            waiting = None
        elif word.startswith("-"):
            flag, has_value, _ = word.partition("=")
            action = next((each for each in parser.known if flag in each.option_strings), None)
            waiting = None if action is None or has_value or action.nargs == 0 else action
        else:
            actions: list[Any] = [each.choices for each in parser.known if each.nargs == argparse.PARSER]
            if actions and word in actions[0]:
                parser = actions[0][word]
                positional = 0
            else:
                positional += 1
    return parser, positional, waiting


BASH = """\
# fieldguide: completion for bash. Put this into ~/.bashrc:  source <(fieldguide completion bash)
_fieldguide() {
    local IFS=$'\\n'
    COMPREPLY=($(command "$1" completion words --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
}
complete -o default -F _fieldguide fieldguide
"""

ZSH = """\
#compdef fieldguide
# fieldguide: completion for zsh. Put this into ~/.zshrc:  source <(fieldguide completion zsh)
_fieldguide() {
    local -a found
    found=(${(f)"$(command $words[1] completion words --line "${(j: :)words[1,CURRENT]}" 2>/dev/null)"})
    if (( ${#found} )); then
        compadd -- $found
    else
        _files
    fi
}
compdef _fieldguide fieldguide
"""

FISH = """\
# fieldguide: completion for fish. Put this into ~/.config/fish/config.fish:  fieldguide completion fish | source
function __fieldguide_words
    command fieldguide completion words --line (commandline -cp | string collect) 2>/dev/null
end
complete -c fieldguide -a '(__fieldguide_words)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


EPILOG = """\
`source <(fieldguide completion bash)` turns it on in this shell; in ~/.bashrc, in every one.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which shell; `words` is what the scripts themselves ask."""
    parser.epilog = EPILOG
    parser.add_argument("what", choices=(*SCRIPTS, "words"), help="print the script of a shell, or what may come next")
    parser.add_argument("--line", default="", metavar="LINE", help="for `words`: what was typed so far")


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    if arguments.what in SCRIPTS:
        say(*SCRIPTS[arguments.what].splitlines())
        return 0
    say(*complete_line(arguments.line))
    return 0
