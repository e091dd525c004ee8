"""`docs/reference/command-line.md`: what every command says about itself."""

import argparse
import os
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from unittest.mock import patch

from docs.writers.markdown import block, code, document, paragraph, table
from fieldguide.cli.main import COMMANDS, load_command, main

HELP_COLUMNS = "100"
INTRODUCTION = """
The text that `--help` prints for each command. Errors go to stderr as one sentence; answers go to stdout. Flags win
over the environment, and the environment wins over `fieldguide.toml`: see [settings](settings.md).
"""
EXIT_CODES = {
    "0": "done",
    "1": "the thing asked for said no: a tool answered with an error, or the doctor found something wrong",
    "2": "it was asked for in a wrong way: a flag, a setting, or arguments that are not a JSON object",
    "130": "interrupted from the keyboard",
    "141": "nobody reads the output any more",
}


def page() -> str:
    """The page: exit codes, then one section per command."""
    codes = table(("exit code", "meaning"), ((code(number), meaning) for number, meaning in EXIT_CODES.items()))
    sections = [
        document(f"## {' '.join(('fieldguide', *words))}", block("text", help_text(*words)))
        for words in ((), *command_words())
    ]
    return document("# Command line", paragraph(INTRODUCTION), codes, *sections)


def command_words() -> list[tuple[str, ...]]:
    """Every command, and every action of the commands that have actions, as the words that name it."""
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        found += [(name,), *nested_words((name,), command_parser(name))]
    return found


def nested_words(words: tuple[str, ...], parser: argparse.ArgumentParser) -> list[tuple[str, ...]]:
    """The words of every action below a parser, and of the actions of those."""
    found: list[tuple[str, ...]] = []
    for action in parser._actions:  # argparse has no public way to the names of sub-commands
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                found += [(*words, name), *nested_words((*words, name), inner)]
    return found


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command, for its arguments and their help."""
    parser = argparse.ArgumentParser(prog=f"fieldguide {name}")
    load_command(name).add_arguments(parser)
    return parser


@cache
def help_text(*words: str) -> str:
    """What `fieldguide WORDS --help` prints on a terminal of a fixed width."""
    printed = StringIO()
    with patch.dict(os.environ, COLUMNS=HELP_COLUMNS), redirect_stdout(printed), suppress(SystemExit):
        main([*words, "--help"])
    return printed.getvalue()
