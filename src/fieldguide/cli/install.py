"""`fieldguide install` and `uninstall`: connect the clients on this machine, and disconnect them again."""

import argparse
import subprocess
from typing import Any

from fieldguide.cli.clients.catalog import (
    CLIENTS,
    KEYS,
    NAME,
    PROJECT,
    SCOPES,
    USER,
    EntryRequest,
    Machine,
    McpClient,
    came_by_uvx,
    find_installed_tool,
    find_start_words,
    is_of_this_machine,
    make_entry,
    make_tool_install,
)
from fieldguide.cli.clients.changes import (
    FILES,
    PARAGRAPH,
    InstallPlanner,
    RemovalPlanner,
    SettingsChange,
    choose_editor,
    choose_section_files,
)
from fieldguide.cli.clients.execution import DONE, EPILOG, NOT_ALL, add_writing_options, carry_out, format_change
from fieldguide.cli.clients.settings_files import InstallRecord
from fieldguide.cli.clients.toml_editing import BARE
from fieldguide.cli.console.options import add_identity_options, add_name_options, read_settings_from
from fieldguide.cli.console.terminal import (
    GAP,
    BoldText,
    ask_to_agree,
    can_be_asked,
    complain,
    fit_to_columns,
    remark,
    say,
    say_json,
)
from fieldguide.settings.folders import find_login_name
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration

MAIN = KEYS[:7]
BY_UVX = "Through uvx every conversation waits up to three seconds for the server."
ONE_PROJECT = "{title} starts servers outside of projects: this entry is for {project} alone."
NOTHING = "Nothing of Fieldguide is in the settings of any client here, nor in this project's files for agents."
OF_THIS_MACHINE = "{words} is a path of this machine: a colleague who has this file needs it too."


def add_install_arguments(parser: argparse.ArgumentParser) -> None:
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
        help="user: your own settings, for every project (the default); project: files in the project, for the team",
    )
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    add_identity_options(parser)
    parser.add_argument("--toolsets", metavar="A,B", help="only these toolsets, by name (default: all)")
    add_name_options(parser)
    parser.add_argument("--name", default=NAME, help="what the server is called in the settings (default: fieldguide)")
    parser.add_argument(
        "--instructions",
        nargs="*",
        choices=FILES,
        metavar="FILE",
        help=f"write a short section for agents too, into those of {', '.join(FILES)} that are there, or that you name",
    )
    parser.add_argument("--force", action="store_true", help="replace also an entry that is not as we left it")
    parser.add_argument("--print", action="store_true", help="print what to paste where, and write nothing")
    parser.add_argument("--list", action="store_true", help="list the clients that are known, and which are here")
    add_writing_options(parser)


def run_install(arguments: argparse.Namespace) -> int:
    """Connect them, once whoever asked has seen the change."""
    settings = read_settings_from(arguments, tells=False)
    machine = Machine(settings.project)
    scope = arguments.scope or USER
    if arguments.list:
        return _list(machine, scope, as_json=arguments.json)
    if scope == USER and came_by_uvx() and not arguments.print:
        _offer_tool_install(is_asking=not (arguments.yes or arguments.json))
    clients = _chosen(arguments, machine, scope)
    wish = _wish(arguments, settings.user, machine, scope)
    if arguments.print:
        return _print(clients or [each for each in CLIENTS if each.key in MAIN], machine, wish, arguments)
    record = InstallRecord()
    about = {"scope": scope, "project": machine.project, "user": wish.user}
    if not clients and arguments.instructions is None:
        complain(f"No client was found here. --client NAME names one: {', '.join(KEYS)}. --print shows what to paste.")
        return carry_out([], record, arguments, about) or NOT_ALL
    _remark(clients, wish)
    changes = _changes(InstallPlanner(machine, record, force=arguments.force), clients, wish, arguments.instructions)
    return carry_out(changes, record, arguments, about)


def _offer_tool_install(*, is_asking: bool) -> None:
    """Offer to install the program for good, where it was started by uvx: then a client starts it at once."""
    if find_installed_tool() is not None:
        return
    command = make_tool_install()
    shown = " ".join(["uv", *command[1:]])
    if not (is_asking and can_be_asked()):
        remark(f"{BY_UVX} `{shown}` and another install avoid it.")
        return
    if ask_to_agree(f"{BY_UVX} Run `{shown}` first?", usually=True):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            said = [*filter(None, done.stderr.splitlines())][-1:]
            complain(*map(to_visible_line, said), f"`{shown}` did not succeed; the entry starts uvx.")


def _changes(
    planner: InstallPlanner, clients: list[McpClient], wish: EntryRequest, instructions: list[str] | None
) -> list[SettingsChange]:
    planned = [planner.entry(client, wish) for client in clients]
    names = [] if instructions is None else choose_section_files(planner.machine.project, instructions)
    return [*filter(None, planned), *map(planner.section, names)]


def _chosen(arguments: Any, machine: Machine, scope: str) -> list[McpClient]:
    if not arguments.client:
        return machine.found(scope)
    chosen = [each for each in CLIENTS if each.key in arguments.client]
    for client in chosen:
        if machine.place(client, scope) is None:
            complain(f"{client.title} has no file for --scope {scope}; it is left out.")
    return [each for each in chosen if machine.place(each, scope) is not None]


def _wish(arguments: Any, configured: str | None, machine: Machine, scope: str) -> EntryRequest:
    """What every client is told; in files that a team shares, each of them is whoever is logged in."""
    if not (arguments.name and BARE.issuperset(arguments.name)):
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
        name=arguments.name,
    )


def _remark(clients: list[McpClient], wish: EntryRequest) -> None:
    """What a person should know before they say yes."""
    for client in clients:
        if client.folder is None:
            remark(ONE_PROJECT.format(title=client.title, project=wish.project))
    if clients and wish.scope == PROJECT and is_of_this_machine([*wish.words]):
        remark(OF_THIS_MACHINE.format(words=wish.words[0]))


def _print(clients: list[McpClient], machine: Machine, wish: EntryRequest, arguments: Any) -> int:
    pastes: list[dict[str, str]] = []
    for client in clients:
        place = machine.place(client, wish.scope)
        if place is not None:
            text = str(choose_editor(place).snippet(client.path, wish.name, make_entry(client, wish)))
            pastes.append({"client": client.key, "title": client.title, "file": place.shown, "paste": text})
    if arguments.instructions is not None:
        names = choose_section_files(machine.project, arguments.instructions)
        pastes += [{"client": "", "title": name, "file": name, "paste": "\n".join(PARAGRAPH)} for name in names]
    if arguments.json:
        say_json(pastes)
        return DONE
    for each in pastes:
        say([BoldText(each["title"]), f"  {each['file']}"], *each["paste"].splitlines(), "")
    return DONE


def _list(machine: Machine, scope: str, *, as_json: bool) -> int:
    here = {each.key for each in machine.found(scope)}
    rows: list[dict[str, Any]] = []
    for client in CLIENTS:
        place = machine.place(client, scope)
        file = None if place is None else place.shown
        rows.append({"client": client.key, "title": client.title, "here": client.key in here, "file": file})
    if as_json:
        say_json(rows)
        return DONE
    width = max(map(len, KEYS))
    for each in rows:
        mark = "here" if each["here"] else "-   "
        say(f"{fit_to_columns(each['client'], width)}{GAP}{mark}{GAP}{each['file'] or 'no file of this scope'}")
    return DONE


def add_uninstall_arguments(parser: argparse.ArgumentParser) -> None:
    """Which clients, and how far."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--client", action="append", choices=KEYS, metavar="NAME", help="only this client; repeatable (default: all)"
    )
    parser.add_argument("--scope", choices=SCOPES, help="only your own settings, or only the project's (default: both)")
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    parser.add_argument("--name", help="only the server of this name (default: every one that starts Fieldguide)")
    parser.add_argument("--instructions", action="store_true", help="only the sections in files for agents")
    parser.add_argument("--print", action="store_true", help="print what would go, and write nothing")
    add_writing_options(parser)


def run_uninstall(arguments: argparse.Namespace) -> int:
    """Take it out, once whoever asked has seen the change."""
    machine = Machine(read_settings_from(arguments, tells=False).project)
    record = InstallRecord()
    changes = _removals(arguments, machine, record)
    if not changes and not arguments.json:
        say(NOTHING)
        return DONE
    if arguments.print and not arguments.json:
        for change in changes:
            say(*format_change(change))
        return DONE
    elsewhere = sorted({each.file for each in record.changes} - {each.place.real() for each in changes})
    if elsewhere:
        remark(f"Also written by us, and left alone now: {', '.join(elsewhere)}.")
    return carry_out(changes, record, arguments, {"project": machine.project})


def _removals(arguments: argparse.Namespace, machine: Machine, record: InstallRecord) -> list[SettingsChange]:
    remover = RemovalPlanner(machine, record, name=arguments.name)
    keys = () if arguments.instructions else arguments.client or KEYS
    scopes = (arguments.scope,) if arguments.scope else SCOPES
    found: list[SettingsChange | None] = []
    for client in CLIENTS:
        if client.key in keys:
            found += [remover.entry(client, scope) for scope in scopes]
    is_about_entries = arguments.client or arguments.name or arguments.scope == USER
    if arguments.instructions or not is_about_entries:
        found += map(remover.section, FILES)
    return [each for each in found if each is not None]
