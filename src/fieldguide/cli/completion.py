"""`fieldguide completion`: shell scripts that complete commands, flags, tools and collections."""

import argparse
import shlex
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from fieldguide.cli.console.parser import CommandParser, list_flags
from fieldguide.cli.console.terminal import say
from fieldguide.cli.main import COMMANDS, load_command
from fieldguide.text.errors import FieldguideError

BREAKS = ":="  # where bash takes a word apart
LONGEST_LINE = 10_000


class TypedLine(NamedTuple):
    """A command line up to the cursor: the words that are complete, and the one that is being typed."""

    words: list[str]
    last: str


def complete_line(line: str, commands: Iterable[str]) -> list[str]:
    """What the last word of a line may become."""
    typed = parse_line(line)
    if typed is None:
        return []
    if not typed.words:
        found: Iterable[str] = commands
    elif typed.words[0] in commands:
        found = _of_command(typed.words[0], typed.words[1:], typed.last)
    else:
        found = ()
    return sorted({each for each in found if each.startswith(typed.last) and each != typed.last and _is_plain(each)})


def _is_plain(word: str) -> bool:
    """Whether a shell would take a word as it is: a name may come from a project's own files."""
    return word.isprintable() and all(character.isalnum() or character in "._-/:=@+" for character in word)


def parse_line(line: str) -> TypedLine | None:
    """The words of a line without the program itself; None where a quote is still open."""
    try:
        words = shlex.split(line[:LONGEST_LINE])
    except ValueError:
        return None
    is_new = not line or line[-1].isspace()
    last = "" if is_new or not words else words.pop()
    return TypedLine(words[1:], last)


def cut_at_break(candidate: str, last: str) -> str:
    """What bash expects of a candidate: only what follows the last character where it takes words apart."""
    at = max(last.rfind(each) for each in BREAKS)
    return candidate[at + 1 :]


def _of_command(name: str, words: Sequence[str], last: str) -> Iterable[str]:
    command = load_command(name)
    parser = CommandParser(prog=name, allow_abbrev=False)
    command.add_arguments(parser)
    parser, positional, waiting = _walked(parser, words)
    if waiting is not None:
        return _values(waiting, name, words)
    if last.startswith("-"):
        return list_flags(parser)
    places = [action for action in parser.known if not action.option_strings]
    place = places[min(len(positional), len(places) - 1)] if places else None
    return [] if place is None else _values(place, name, words, positional)


def _walked(parser: CommandParser, words: Sequence[str]) -> tuple[CommandParser, list[str], argparse.Action | None]:
    """The parser that the words lead to, what stands at its places, and the flag that waits for its value."""
    positional: list[str] = []
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
                positional = []
            else:
                positional.append(word)
    return parser, positional, waiting


def _values(
    action: argparse.Action, command: str, words: Sequence[str], positional: Sequence[str] = ()
) -> Iterable[str]:
    """The values that an argument may have, where they can be told."""
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    named = NAMED.get((command, action.dest)) or NAMED.get(("", action.dest))
    if named is None:
        return []
    try:
        return named(_project(words), positional)
    except (FieldguideError, OSError):
        return []


def _project(words: Sequence[str]) -> str | None:
    """The folder that the line names with --project."""
    for at, word in enumerate(words):
        if word == "--project" and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("--project="):
            return word.partition("=")[2]
    return None


def _collections(project: str | None, positional: Sequence[str]) -> list[str]:
    from fieldguide.toolsets.documents.collections import read_collections

    settings = _settings(project)
    found = read_collections(settings.project, settings.sections.get("documents", {}))
    return [*chain.from_iterable((each.alias, each.id) for each in found.values())]


def _tools(project: str | None, positional: Sequence[str]) -> list[str]:
    return [tool.name for tool in _registry(project).all()]


def _arguments(project: str | None, positional: Sequence[str]) -> list[str]:
    """The keys of the tool that is called, ready for a value."""
    schema = _registry(project).find(positional[0]).input_schema
    given = {word.partition("=")[0].removesuffix(":") for word in positional[1:]}
    return [f"{key}=" for key in schema.get("properties", {}) if key not in given]


def _toolsets(project: str | None, positional: Sequence[str]) -> list[str]:
    from fieldguide.spine.toolset import find_factories

    return list(find_factories())


def _starters(project: str | None, positional: Sequence[str]) -> list[str]:
    from fieldguide.toolsets.architecture.rules import new_pattern

    return list(new_pattern.list_starters())


def _settings(project: str | None) -> Any:
    import os

    from fieldguide.settings.config import read_settings

    return read_settings({"project": project}, os.environ)


def _registry(project: str | None) -> Any:
    from fieldguide.app import build_app

    return build_app(_settings(project), write_journal=lambda lines: None).executor.registry


NAMED: dict[tuple[str, str], Callable[[str | None, Sequence[str]], list[str]]] = {
    ("", "collection"): _collections,
    ("", "toolsets"): _toolsets,
    ("documents", "alias"): _collections,
    ("documents", "aliases"): _collections,
    ("call", "tool"): _tools,
    ("call", "arguments"): _arguments,
    ("patterns", "name"): _starters,
    ("patterns", "names"): _starters,
}


BASH = """\
# fieldguide: completion for bash. Put this into ~/.bashrc:  source <(fieldguide completion bash)
_fieldguide() {
    local IFS=$'\\n'
    COMPREPLY=($(command "$1" completion words --shell bash --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
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
        compadd -- ${found:#*=}
        compadd -S '' -- ${(M)found:#*=}
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
    parser.add_argument("--shell", choices=tuple(SCRIPTS), help="for `words`: who asks (bash takes words apart)")


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    if arguments.what in SCRIPTS:
        say(*SCRIPTS[arguments.what].splitlines())
        return 0
    found = complete_line(arguments.line, COMMANDS)
    typed = parse_line(arguments.line)
    if arguments.shell == "bash" and typed is not None:
        found = [cut_at_break(each, typed.last) for each in found]
    if found:
        say(*found)
    return 0
