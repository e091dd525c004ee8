"""`fieldguide install`: connects the clients on this machine; with `--remove`, disconnects them."""

import argparse
import os
from collections.abc import Sequence
from typing import Any

from fieldguide.cli.clients.additions import Part, list_parts, make_paste
from fieldguide.cli.clients.catalog import (
    CLIENTS,
    KEYS,
    NAME,
    OTHER,
    PROJECT,
    SCOPES,
    USER,
    EntryRequest,
    Machine,
    McpClient,
    came_by_uvx,
    find_start_words,
    make_entry,
    make_tool_install,
)
from fieldguide.cli.clients.changes import ChangePlanner
from fieldguide.cli.clients.editing import BARE, make_snippet
from fieldguide.cli.clients.execution import DONE, EPILOG, add_writing_options, carry_out
from fieldguide.cli.clients.settings_files import ENTRY, PARTS, InstallRecord
from fieldguide.cli.console.options import add_identity_options, add_name_options, read_settings_from, split_names
from fieldguide.cli.console.terminal import BoldText, complain, remark, say, say_json
from fieldguide.files.file_system import find_login_name
from fieldguide.text.errors import Misconfiguration

ONE_PROJECT = "{title} starts servers outside of projects: this entry is for {project} alone."
NOTHING = "Nothing of Fieldguide is in the settings of any client here."
OF_THIS_MACHINE = "{words} is a path of this machine: a colleague who has this file needs it too."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which clients, for whom, how far, and what each is told."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--client",
        action="append",
        choices=KEYS,
        metavar="NAME",
        help="only this client; repeatable (default: all)",
    )
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        help="user: your own settings, for every project (the default); project: files in the project, for the team; "
        "--remove looks in both",
    )
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    add_identity_options(parser)
    parser.add_argument("--toolsets", metavar="A,B", help="only these toolsets, by name (default: all)")
    add_name_options(parser)
    parser.add_argument("--name", help=f"what the server is called in the settings (default: {NAME})")
    parser.add_argument("--only", metavar="A,B", help=f"only these parts, of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--remove", action="store_true", help="take out of clients' settings what install put there")
    parser.add_argument("--force", action="store_true", help="replace also an entry that is not as we left it")
    parser.add_argument("--print", action="store_true", help="print what to paste where, and write nothing")
    add_writing_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Connect or disconnect them, once whoever asked has seen the change."""
    kinds = _choose_parts(arguments)
    if arguments.remove:
        return _remove(arguments, kinds)
    settings = read_settings_from(arguments, tells=False)
    machine = Machine(settings.project)
    scope = arguments.scope or USER
    clients = _chosen(arguments, machine, scope)
    wish = _wish(arguments, settings.user, machine, scope)
    if arguments.print:
        return _print(clients, machine, wish, kinds, arguments)
    if scope == USER and came_by_uvx():
        better = make_tool_install()
        avoided = f" `{better}` avoids it." if better else ""
        remark(f"Through uvx every conversation waits up to three seconds.{avoided}")
    record = InstallRecord()
    planner = ChangePlanner(machine, record, force=arguments.force)
    about = {"scope": scope, "project": machine.project, "user": wish.user}
    if not clients:
        complain(f"No client was found here. --client NAME names one: {', '.join(KEYS)}. --print shows what to paste.")
        return carry_out([], record, arguments, about)
    _remark(clients, wish)
    changes = [planner.plan_install(each) for each in _wanted_parts(machine, clients, wish, kinds)]
    return carry_out(changes, record, arguments, about)


def _choose_parts(arguments: Any) -> list[str]:
    """The kinds of parts that are wanted."""
    names = split_names(arguments.only) or PARTS
    wrong = [each for each in names if each not in PARTS]
    if wrong:
        raise Misconfiguration(f"--only takes {', '.join(PARTS)}, and not {wrong[0]!r}.")
    return [each for each in PARTS if each in names]


def _wanted_parts(
    machine: Machine, clients: Sequence[McpClient], wish: EntryRequest, kinds: Sequence[str]
) -> list[Part]:
    parts: list[Part] = []
    for client in clients:
        parts += [each for each in list_parts(machine, client, wish) if each.kind in kinds]
    return parts


def _named_clients(arguments: Any) -> list[McpClient]:
    """The clients that are named, or all."""
    return [each for each in CLIENTS if not arguments.client or each.key in arguments.client]


def _chosen(arguments: Any, machine: Machine, scope: str) -> list[McpClient]:
    if not arguments.client:
        return machine.found(scope)
    chosen = _named_clients(arguments)
    for client in chosen:
        if machine.place(client, scope) is None:
            complain(f"{client.title} has no file for --scope {scope}; it is left out.")
    return [each for each in chosen if machine.place(each, scope) is not None]


def _wish(arguments: Any, configured: str | None, machine: Machine, scope: str) -> EntryRequest:
    """What every client is told; in files that a team shares, each of them is whoever is logged in."""
    name = NAME if arguments.name is None else arguments.name
    if not (name and BARE.issuperset(name)):
        raise Misconfiguration("--name takes letters, digits, _ and -: clients refuse other names of servers.")
    flags: list[str] = ["--read-only"] if arguments.read_only else []
    given = {"--toolsets": arguments.toolsets, "--profile": arguments.profile, "--tool-names": arguments.tool_names}
    for flag, value in given.items():
        if value:
            flags += [flag, value]
    user = arguments.user
    if not user and scope != PROJECT:
        user = configured or find_login_name()
    return EntryRequest(
        scope=scope,
        project=machine.project,
        words=tuple(find_start_words(is_shared=scope == PROJECT)),
        user=user or None,
        flags=tuple(flags),
        name=name,
        shell=tuple(find_start_words(is_shared=True)),
    )


def _remark(clients: list[McpClient], wish: EntryRequest) -> None:
    """What a person should know before they say yes."""
    for client in clients:
        if client.folder is None:
            remark(ONE_PROJECT.format(title=client.title, project=wish.project))
    if clients and wish.scope == PROJECT and os.path.isabs(wish.words[0]):
        remark(OF_THIS_MACHINE.format(words=wish.words[0]))


def _print(clients: list[McpClient], machine: Machine, wish: EntryRequest, kinds: Sequence[str], arguments: Any) -> int:
    """Print what to paste for the clients; where none is named, also the entry that most others read."""
    pastes: list[dict[str, str]] = []
    for part in _wanted_parts(machine, clients, wish, kinds):
        about = {"client": part.client, "title": part.title, "part": part.kind}
        pastes.append({**about, "file": part.place.shown, "paste": make_paste(part)})
    if not arguments.client and ENTRY in kinds:
        paste = make_snippet(OTHER.path, wish.name, make_entry(OTHER, wish), is_toml=False)
        about = {"client": OTHER.key, "title": OTHER.title, "part": ENTRY}
        pastes.append({**about, "file": "its settings of MCP servers", "paste": paste})
    if arguments.json:
        say_json(pastes)
        return DONE
    for each in pastes:
        say([BoldText(each["title"]), f"  {each['file']}"], *each["paste"].splitlines(), "")
    return DONE


def _remove(arguments: argparse.Namespace, kinds: Sequence[str]) -> int:
    """Take out what install put there; `--print` only shows it."""
    arguments.dry_run = arguments.dry_run or arguments.print
    machine = Machine(read_settings_from(arguments, tells=False).project)
    record = InstallRecord()
    scopes = (arguments.scope,) if arguments.scope else SCOPES
    changes = ChangePlanner(machine, record).plan_removals(_named_clients(arguments), scopes, kinds, arguments.name)
    if not changes and not arguments.json:
        say(NOTHING)
        return DONE
    elsewhere = sorted({each.file for each in record.changes} - {each.part.place.real() for each in changes})
    if elsewhere:
        remark(f"Also written by us, and left alone now: {', '.join(elsewhere)}.")
    return carry_out(changes, record, arguments, {"project": machine.project})
