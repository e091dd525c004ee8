"""The argument parser of all commands, and the grouped list of commands in the help."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from fieldguide.cli.terminal import remark, say

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

        unknown = message.removeprefix(UNKNOWN).split() if message.startswith(UNKNOWN) else []
        flags = [flag for action in self.known for flag in action.option_strings]
        for word in unknown:
            if word.startswith("--") and (meant := suggest_names(word.partition("=")[0], flags)):
                return f".{meant}"
        return ""

    def _print_message(self, message: str, file: Any = None) -> None:
        write = remark if file is sys.stderr else say
        if message:
            write(message.removesuffix("\n"))


GROUPS = {
    "begin": ("init", "install", "uninstall"),
    "ask": ("brief", "find", "open", "governs", "trace", "search", "prove"),
    "serve": ("serve", "tools", "call", "status", "index"),
    "serve a team": ("token", "projects", "audit"),
    "write down": ("remember", "learn", "discoveries", "tasks"),
    "describe the project": ("directive", "documents", "patterns", "check", "stale", "show"),
    "keep": ("models", "backup", "restore", "migrate-to", "trust", "state", "doctor", "completion"),
}
OTHERS = "more"


def format_commands(commands: Mapping[str, str]) -> str:
    """Every command with its line; one that no group names stands in the last."""
    named = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, OTHERS: tuple(name for name in commands if name not in named)}
    width = max(map(len, commands)) + 1
    listed = {
        title: [f"  {name:<{width}}{commands[name]}" for name in names if name in commands]
        for title, names in groups.items()
    }
    return "\n\n".join("\n".join([f"{title}:", *lines]) for title, lines in listed.items() if lines)
