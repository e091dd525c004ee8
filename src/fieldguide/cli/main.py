"""The `fieldguide` command: finds the named command, runs it, and turns errors into sentences and exit codes.

Exit codes: 0 done, 1 the command failed, 2 it was called in a wrong way. Only the module of the named command is
imported: `serve` is started many times a day.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide import __version__
from fieldguide.text.errors import FieldguideError, Misconfiguration

if TYPE_CHECKING:
    import argparse


LOWEST_PYTHON = (3, 11)
IS_WINDOWS = sys.platform == "win32"
NOT_ON_WINDOWS = (
    "Fieldguide does not run on Windows itself: it opens files below a folder's handle, which Windows does not let "
    "Python do. It runs in WSL 2, for clients on Windows too."
)
USAGE = "usage: fieldguide COMMAND ... | --version  `fieldguide COMMAND --help` says more"
COMMAND_GROUPS = {
    "begin": {
        "init": "add what a project lacks, index it, print its status",
        "install": "connect your agents to it (--remove undoes it)",
        "doctor": "find problems, and say what ends each",
    },
    "ask": {
        "find": "answer a question from code, tests, documents, decisions",
        "symbol": "where a name is defined, and who calls, uses and tests it",
        "brief": "map what a task needs: code, tests, documents, decisions",
        "governs": "what applies to a file: tests, rules, owners",
        "open": "open the page of the project, or lines that are cited",
    },
    "write down": {
        "findings": "add, list and remove findings",
        "tasks": "add, list, finish, edit and remove tasks",
        "documents": "add, fetch, list and remove collections",
        "patterns": "list, show, add and test patterns with rules",
    },
    "check": {
        "check": "run the rules of the project's patterns over its files",
        "stale": "find what documents and findings say that no longer holds",
    },
    "serve": {
        "serve": "serve a project to an agent, over stdio or HTTP",
        "status": "what is indexed and known",
        "index": "bring the index up to date (--stop ends the background)",
        "call": "run one tool and print its answer, or list the tools",
        "team": "tokens, projects and the audit log of a team's service",
        "data": "back up, move, find and prune what is kept",
    },
}
COMMANDS = {name: about for group in COMMAND_GROUPS.values() for name, about in group.items()}
SHARED_MODULES = {"guide": ("find", "brief", "governs", "symbol", "open")}
"""Modules with several commands. Their functions carry the command's name: `run_brief`, `add_brief_arguments`."""


class Command(NamedTuple):
    """The two functions of a command."""

    add_arguments: Callable[["argparse.ArgumentParser"], None]
    run: Callable[[Any], int]


def load_command(name: str) -> Command:
    """Import the module of a command, and nothing of the others."""
    shared = [module for module, commands in SHARED_MODULES.items() if name in commands]
    if shared:
        module = import_module(f"fieldguide.cli.{shared[0]}")
        return Command(getattr(module, f"add_{name}_arguments"), getattr(module, f"run_{name}"))
    folder = "fieldguide.cli.service" if name == "serve" else "fieldguide.cli"
    module = import_module(f"{folder}.{name}")
    return Command(module.add_arguments, module.run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give back its exit code; as the program itself, end at once where threads still work."""
    try:
        code = _code(list(sys.argv[1:] if argv is None else argv))
    except SystemExit as ended:  # help, the version, or a wrong flag
        if argv is None and isinstance(ended.code, int):
            exit_process(ended.code)
        raise
    if argv is None:
        # Python's own end takes 3 ms at every commit or prompt, and 30 ms with all that indexes in memory.
        exit_process(code, at_once=sys.argv[1:2] in (["stale"], ["index"]))
    return code


def exit_process(code: int, *, at_once: bool = False) -> None:
    """End the process with this code, if only daemon threads are still at work, or `at_once`; else let Python end it.

    Python stops daemon threads while it finalizes, wherever they are. Inside a C++ function (RE2, a parser) that aborts
    the whole process, so output is flushed here and the process leaves.
    """
    threading = sys.modules.get("threading")
    others: list[Any] = []
    if threading is not None:
        others = [each for each in threading.enumerate() if each is not threading.main_thread()]
    if not (others or at_once) or not all(each.daemon for each in others):
        return
    atexit = sys.modules.get("atexit")
    if atexit is not None:
        getattr(atexit, "_run_exitfuncs")()  # noqa: B009  what others left to be done at the end
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody reads any more, or there is no such stream
            stream.flush()
    os._exit(code)


def _code(words: list[str]) -> int:
    if sys.version_info < LOWEST_PYTHON:
        return _complain(f"Python {'.'.join(map(str, LOWEST_PYTHON))} is the lowest that is supported.", 2)
    if not words or words[0] not in COMMANDS:
        return _top_level(words)
    if IS_WINDOWS and not {"-h", "--help"}.intersection(words):
        return _complain(NOT_ON_WINDOWS, 2)
    try:
        return _run(words[0], words[1:])
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except Misconfiguration as error:
        return _complain(error.message, 2)
    except FieldguideError as error:
        return _complain(error.message, 1)
    except OSError as error:
        return _complain(f"{error.strerror or error}.", 1)
    except Exception as error:  # noqa: BLE001  a bug of ours: its trace may hold a project's text, so it is made visible
        from traceback import format_exception

        from fieldguide.cli.console.terminal import remark

        remark("".join(format_exception(error)).rstrip())
        return 1


def _run(name: str, words: list[str]) -> int:
    if name == "stale" and "--notes" in words:
        import gc

        gc.disable()  # it ends in a moment: 3 ms of 50 that whoever asks at every commit does not wait
    command = load_command(name)
    return command.run(_read_plain(name, words) or _parse(name, words, command))


def _read_plain(name: str, words: list[str]) -> Any:
    """The arguments of a command that is started many times, where they are plain: without argparse."""
    if name == "serve":
        from fieldguide.cli.console.options import read_plain_arguments

        return read_plain_arguments(words)
    if name == "stale":
        from fieldguide.cli.stale import read_notes_arguments

        return read_notes_arguments(words)
    return None


def _parse(name: str, words: list[str], command: Command) -> "argparse.Namespace":
    from fieldguide.cli.console.parser import CommandParser

    about = COMMANDS[name]
    description = f"{about[0].upper()}{about[1:]}."
    parser = CommandParser(prog=f"fieldguide {name}", description=description, allow_abbrev=False)
    command.add_arguments(parser)
    return parser.parse_typed(words)


def _top_level(words: list[str]) -> int:
    import argparse

    from fieldguide.cli.console.parser import CommandParser, format_commands
    from fieldguide.cli.console.terminal import say

    if not words or words[0] in ("-h", "--help"):
        say(USAGE, *format_commands(COMMAND_GROUPS))
        return 0
    parser = CommandParser(prog="fieldguide", usage="fieldguide COMMAND ...", add_help=False)
    parser.add_argument("--version", action="version", version=f"fieldguide {__version__}")
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    named = parser.parse_args(words[:1]).command
    from fieldguide.text.near_names import suggest_names

    meant = suggest_names(named, COMMANDS)
    return _complain(f"There is no command {named!r}.{meant} `fieldguide --help` lists them.", 2)


def _complain(sentence: str, code: int) -> int:
    from fieldguide.cli.console.terminal import complain  # a start that goes well has nothing to say

    complain(sentence)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
