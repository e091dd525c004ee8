"""The argument parser of all commands, and the grouped list of commands in the help."""

import argparse
import sys
from collections.abc import Mapping
from itertools import chain
from typing import Any, NoReturn, TypeVar

from fieldguide.cli.console.terminal import remark, say

UNKNOWN = "unrecognized arguments: "
A = TypeVar("A", bound=argparse.Action)


class CommandParser(argparse.ArgumentParser):
    """An ArgumentParser that prints like every command: a wrong argument is shown, and can't act."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self.known: list[argparse.Action] = []
        super().__init__(*given, **options)
        self.color = False  # since Python 3.14 it would bring colours of its own, which would be shown too

    def parse_typed(self, words: list[str]) -> argparse.Namespace:
        """The arguments in whichever order they were typed: flags may stand between the others."""
        has_actions = any(action.nargs == argparse.PARSER for action in self.known)
        return self.parse_args(words) if has_actions else self.parse_intermixed_args(words)

    def error(self, message: str) -> NoReturn:
        """Complain, and name the flag that may have been meant."""
        super().error(message + self._meant(message))

    def _add_action(self, action: A) -> A:
        """Take an argument in, and remember it for those who complete or correct what is typed."""
        added = super()._add_action(action)
        self.known.append(added)
        return added

    def add_subparsers(self, **options: Any) -> Any:
        """Take actions in, each with a parser of its own."""
        added = super().add_subparsers(**options)
        self.known.append(added)
        return added

    def _meant(self, message: str) -> str:
        from fieldguide.text.near_names import suggest_names

        if not message.startswith(UNKNOWN):
            return ""
        flags = list_flags(self)
        for word in message.removeprefix(UNKNOWN).split():
            meant = suggest_names(word.partition("=")[0], flags) if word.startswith("--") else ""
            if meant:
                return f".{meant}"
        return ""

    def _print_message(self, message: str, file: Any = None) -> None:
        write = remark if file is sys.stderr else say
        if message:
            write(message.removesuffix("\n"))


def list_flags(parser: CommandParser) -> list[str]:
    """Every flag that a parser knows."""
    return [*chain.from_iterable(action.option_strings for action in parser.known)]


def format_commands(groups: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Every command with its line, beside the name of its group: 22 of them fit a terminal of 24 lines."""
    width = max(map(len, chain.from_iterable(groups.values()))) + 2
    margin = max(map(len, groups)) + 2
    lines: list[str] = []
    for title, commands in groups.items():
        for name, about in commands.items():
            lines.append(f"{title:<{margin}}{name:<{width}}{about}")
            title = ""
    return lines
