"""The man page, from what every command says about itself."""

import argparse
from collections.abc import Iterable

from docs.writers.command_line import EXIT_CODES
from fieldguide import __version__
from fieldguide.cli.console.parser import CommandParser
from fieldguide.cli.main import COMMANDS, load_command

DESCRIPTION = (
    "Fieldguide serves what a project knows of itself (documents, decisions, patterns, tasks, findings and code) to "
    "the AI agents that work on it, over the Model Context Protocol. With no flags, serve speaks over standard input "
    "and output, for the project in the current folder."
)
ENVIRONMENT = {
    "FIELDGUIDE_STATE": "the folder for databases and indexes",
    "FIELDGUIDE_TOKEN": "the token that clients over HTTP must send",
}


def page() -> str:
    """The whole page as roff."""
    lines = [
        f'.TH FIELDGUIDE 1 "" "fieldguide {__version__}" "Fieldguide"',
        *(".SH NAME", "fieldguide \\- a field guide to a project, for the AI agents that work on it"),
        *(".SH SYNOPSIS", ".B fieldguide", ".I command", "[\\fIarguments\\fR]"),
        *(".SH DESCRIPTION", _plain(DESCRIPTION)),
        ".SH COMMANDS",
    ]
    for name, purpose in COMMANDS.items():
        lines += _command(name, purpose)
    lines += [".SH ENVIRONMENT", *_definitions(ENVIRONMENT.items())]
    lines += [".SH EXIT STATUS", *_definitions(EXIT_CODES.items())]
    lines += [".SH SEE ALSO", ".BR rg (1),", ".BR git (1)"]
    return "\n".join(lines) + "\n"


def _command(name: str, purpose: str) -> list[str]:
    lines = [f".SS {_plain(f'fieldguide {name}')}", _plain(f"{purpose[0].upper()}{purpose[1:]}.")]
    parser = CommandParser(prog=f"fieldguide {name}")
    load_command(name).add_arguments(parser)
    for action in parser.known:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                lines += [".TP", f".B {_plain(word)}", _plain(inner.description or "")]
                lines += _arguments(inner.known)
        else:
            lines += _arguments([action])
    return lines


def _arguments(actions: Iterable[argparse.Action]) -> list[str]:
    lines: list[str] = []
    for action in actions:
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
            continue
        lines += [".TP", _heading(action), _plain(_help(action))]
    return lines


def _heading(action: argparse.Action) -> str:
    if not action.option_strings:
        return f".I {_plain(_value(action) or action.dest)}"
    flags = ", ".join(f"\\fB{_plain(flag)}\\fR" for flag in action.option_strings)
    return flags if action.nargs == 0 else f"{flags} \\fI{_plain(_value(action) or action.dest.upper())}\\fR"


def _value(action: argparse.Action) -> str:
    """What stands for an argument's value: its own word, or what may be chosen."""
    if action.metavar:
        return action.metavar if isinstance(action.metavar, str) else action.metavar[0]
    return "|".join(map(str, action.choices or ()))


def _help(action: argparse.Action) -> str:
    text = action.help or ""
    given = {**vars(action), "prog": "fieldguide"}
    return text % given if "%" in text else text


def _definitions(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [line for name, meaning in pairs for line in (".TP", f".B {_plain(name)}", _plain(meaning))]


def _plain(text: str) -> str:
    """Text that roff takes as text: no escapes, no request at the beginning of a line, hyphens that can be copied."""
    one_line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{one_line}" if one_line.startswith((".", "'")) else one_line
