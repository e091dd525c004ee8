"""`fieldguide install`: connects the clients on this machine; with `--remove`, disconnects them.

With `--upgrade` it brings a newer version from where this one came, then renews what `install` wrote.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from glob import glob
from typing import Any, NamedTuple

from fieldguide import __version__
from fieldguide.cli.clients.additions import ALL_HOOKS, USUAL_HOOKS, Part, list_parts, make_paste, make_section
from fieldguide.cli.clients.catalog import (
    CLIENTS,
    KEYS,
    NAME,
    PROGRAM,
    PROJECT,
    SCOPES,
    USER,
    EntryRequest,
    Machine,
    McpClient,
    came_by_uvx,
    find_checkout,
    find_installed_tool,
    find_source,
    find_start_words,
    find_uv,
    make_tool_install,
)
from fieldguide.cli.clients.changes import (
    FILES,
    ChangePlanner,
    choose_section_files,
    find_section_files,
)
from fieldguide.cli.clients.editing import BARE
from fieldguide.cli.clients.execution import DONE, EPILOG, add_writing_options, carry_out
from fieldguide.cli.clients.settings_files import PARTS, SECTION, InstallRecord
from fieldguide.cli.console.options import add_identity_options, add_name_options, read_settings_from
from fieldguide.cli.console.terminal import (
    BoldText,
    ask_to_agree,
    can_be_asked,
    complain,
    format_table,
    remark,
    say,
    say_json,
    say_result,
)
from fieldguide.files.file_system import find_login_name
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration

MAIN = KEYS[:7]
BY_UVX = "Through uvx every conversation waits up to three seconds for the server."
ONE_PROJECT = "{title} starts servers outside of projects: this entry is for {project} alone."
NOTHING = "Nothing of Fieldguide is in the settings of any client here, nor in this project's files for agents."
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
    _add_part_options(parser)
    parser.add_argument(
        "--hooks",
        metavar="A,B",
        help=f"which hooks, of {', '.join(ALL_HOOKS)} (default: {', '.join(USUAL_HOOKS)})",
    )
    parser.add_argument(
        "--project-instructions",
        nargs="*",
        choices=FILES,
        metavar="FILE",
        help=f"write the section for agents into the project too: those of {', '.join(FILES)} that are there, or named",
    )
    parser.add_argument("--remove", action="store_true", help="take out of clients' settings what install put there")
    parser.add_argument("--upgrade", action="store_true", help="bring a newer Fieldguide, then renew what we wrote")
    parser.add_argument("--refresh", action="store_true", help="renew what we wrote before, and add nothing")
    parser.add_argument("--force", action="store_true", help="replace also an entry that is not as we left it")
    parser.add_argument("--print", action="store_true", help="print what to paste where, and write nothing")
    parser.add_argument("--list", action="store_true", help="list the clients that are known, and which are here")
    add_writing_options(parser)


def _add_part_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", metavar="A,B", help=f"only these parts, of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--without", metavar="A,B", help="all parts but these")


def run(arguments: argparse.Namespace) -> int:
    """Connect or disconnect them, once whoever asked has seen the change."""
    if arguments.remove:
        return _remove(arguments)
    if arguments.upgrade:
        return upgrade(is_agreed=arguments.yes, is_dry=arguments.dry_run)
    settings = read_settings_from(arguments, tells=False)
    machine = Machine(settings.project)
    scope = arguments.scope or USER
    if arguments.list:
        return _list(machine, scope, as_json=arguments.json)
    if scope == USER and came_by_uvx() and not arguments.print:
        _offer_tool_install(is_asking=not (arguments.yes or arguments.json))
    clients = _chosen(arguments, machine, scope)
    wish = _wish(arguments, settings.user, machine, scope)
    kinds = _choose_parts(arguments)
    if arguments.print:
        return _print(clients or [each for each in CLIENTS if each.key in MAIN], machine, wish, kinds, arguments)
    record = InstallRecord()
    planner = ChangePlanner(machine, record, force=arguments.force)
    about = {"scope": scope, "project": machine.project, "user": wish.user}
    if arguments.refresh:
        changes = planner.plan_refresh(_named_clients(arguments), wish, kinds)
        if not arguments.client:
            changes += map(planner.plan_section, find_section_files(machine))
        return carry_out(changes, record, arguments, about)
    if not clients and arguments.project_instructions is None:
        complain(f"No client was found here. --client NAME names one: {', '.join(KEYS)}. --print shows what to paste.")
        return carry_out([], record, arguments, about)
    _remark(clients, wish)
    changes = [planner.plan_install(each) for each in _wanted_parts(machine, clients, wish, kinds)]
    if arguments.project_instructions is not None:
        names = choose_section_files(machine.project, arguments.project_instructions)
        changes += map(planner.plan_section, names)
    return carry_out(changes, record, arguments, about)


def _choose_parts(arguments: Any) -> list[str]:
    """The kinds of parts that are wanted."""
    only = _read_names("--only", arguments.only, PARTS) or PARTS
    without = _read_names("--without", arguments.without, PARTS)
    return [each for each in PARTS if each in only and each not in without]


def _read_names(flag: str, given: str | None, known: Sequence[str]) -> list[str]:
    """The names of a list with commas; one that is not known is refused."""
    names = [each.strip() for each in (given or "").split(",") if each.strip()]
    wrong = [each for each in names if each not in known]
    if wrong:
        raise Misconfiguration(f"{flag} takes {', '.join(known)}, and not {wrong[0]!r}.")
    return names


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
        hooks=_choose_hooks(arguments),
        shell=tuple(find_start_words(is_shared=True)),
    )


def _choose_hooks(arguments: Any) -> tuple[str, ...]:
    """The hooks that are wanted; none through uvx, which would take seconds before each prompt."""
    if came_by_uvx() and find_installed_tool() is None:
        return ()
    return tuple(_read_names("--hooks", arguments.hooks, ALL_HOOKS)) or USUAL_HOOKS


def _remark(clients: list[McpClient], wish: EntryRequest) -> None:
    """What a person should know before they say yes."""
    for client in clients:
        if client.folder is None:
            remark(ONE_PROJECT.format(title=client.title, project=wish.project))
    if clients and wish.scope == PROJECT and os.path.isabs(wish.words[0]):
        remark(OF_THIS_MACHINE.format(words=wish.words[0]))


def _print(clients: list[McpClient], machine: Machine, wish: EntryRequest, kinds: Sequence[str], arguments: Any) -> int:
    pastes: list[dict[str, str]] = []
    for part in _wanted_parts(machine, clients, wish, kinds):
        about = {"client": part.client, "title": part.title, "part": part.kind}
        pastes.append({**about, "file": part.place.shown, "paste": make_paste(part)})
    if arguments.project_instructions is not None:
        text = make_section([PROGRAM])
        names = choose_section_files(machine.project, arguments.project_instructions)
        pastes += [{"client": "", "title": name, "part": SECTION, "file": name, "paste": text} for name in names]
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
    table = [
        [each["client"], "here" if each["here"] else "-", each["file"] or "no file of this scope"] for each in rows
    ]
    say_result(rows, format_table(table), as_json=as_json)
    return DONE


def _remove(arguments: argparse.Namespace) -> int:
    """Take out what install put there; `--print` only shows it."""
    arguments.dry_run = arguments.dry_run or arguments.print
    machine = Machine(read_settings_from(arguments, tells=False).project)
    record = InstallRecord()
    kinds = _choose_parts(arguments)
    planner = ChangePlanner(machine, record)
    scopes = (arguments.scope,) if arguments.scope else SCOPES
    changes = planner.plan_removals(_named_clients(arguments), scopes, kinds, arguments.name)
    is_about_entries = arguments.client or arguments.name or arguments.scope == USER
    if SECTION in kinds and not is_about_entries:
        changes += planner.plan_section_removals()
    if not changes and not arguments.json:
        say(NOTHING)
        return DONE
    elsewhere = sorted({each.file for each in record.changes} - {each.part.place.real() for each in changes})
    if elsewhere:
        remark(f"Also written by us, and left alone now: {', '.join(elsewhere)}.")
    return carry_out(changes, record, arguments, {"project": machine.project})


FAILED = 1
NOT_AGREED = 3


class Origin(NamedTuple):
    """How this program was installed, and the command that brings a newer one, or why only the person can do that."""

    installer: str
    command: tuple[str, ...] = ()
    advice: str = ""


def find_origin(prefix: str, checkout: str) -> Origin:
    """Tells from the files of an environment who made it."""
    if checkout:
        return Origin("a checkout", advice=f"It runs from {checkout}: update that checkout with git.")
    if came_by_uvx():
        return Origin("uvx", (find_uv(), "tool", "run", "--refresh", PROGRAM, "--version"))
    if os.path.isfile(os.path.join(prefix, "uv-receipt.toml")):
        return Origin("uv tool", (find_uv(), "tool", "upgrade", "--compile-bytecode", PROGRAM))
    if os.path.isfile(os.path.join(prefix, "pipx_metadata.json")):
        return Origin("pipx", (shutil.which("pipx") or "pipx", "upgrade", PROGRAM))
    if "Cellar" in prefix.split(os.sep):
        return Origin("Homebrew", (shutil.which("brew") or "brew", "upgrade", PROGRAM))
    if not os.path.isfile(os.path.join(prefix, "pyvenv.cfg")):
        return Origin("the system's Python", advice="Use your system's package manager, which installed it.")
    python = os.path.join(prefix, "bin", "python")
    if glob(os.path.join(prefix, "lib", "python*", "site-packages", "pip")):
        return Origin("pip", (python, "-m", "pip", "install", "--upgrade", PROGRAM))
    return Origin("uv pip", (find_uv(), "pip", "install", "--python", python, "--upgrade", PROGRAM))


def make_extra_install(extra: str) -> str:
    """The command that adds an extra to this installation, by what made it and from where it came."""
    checkout = find_checkout()
    source = find_source()
    wanted = f"'{PROGRAM}[{extra}] @ {source}'" if source else f"'{PROGRAM}[{extra}]'"
    if checkout:
        wanted = f"--editable '{checkout}[{extra}]'"
    commands = {
        "uvx": f"uvx --from {wanted} {PROGRAM}",
        "uv tool": f"uv tool install --force {wanted}",
        "pipx": f"pipx install --force {wanted}",
        "pip": f"{sys.prefix}/bin/python -m pip install {wanted}",
        "uv pip": f"uv pip install --python {sys.prefix} {wanted}",
    }
    return commands.get(find_origin(sys.prefix, "").installer, f"pip install {wanted}")


def upgrade(*, is_agreed: bool, is_dry: bool) -> int:
    """Show the command, ask, run it, and let the new program renew what `install` wrote."""
    origin = find_origin(sys.prefix, find_checkout())
    say(f"Fieldguide {__version__}, installed by {origin.installer}.")
    if not origin.command:
        say(origin.advice)
        return DONE
    say(f"To upgrade: {' '.join(origin.command)}")
    if is_dry:
        return DONE
    if not is_agreed and not (can_be_asked() and ask_to_agree("Run it?", usually=True)):
        say("Nothing was changed. --yes runs it.")
        return NOT_AGREED
    renewal = [*find_start_words(is_shared=False), "install", "--refresh", *(["--yes"] if is_agreed else [])]
    for command in (origin.command, renewal):
        try:
            code = subprocess.call(command)
        except OSError as error:
            complain(f"{command[0]} could not be started: {error.strerror}.")
            return FAILED
        if code:
            return code
    return DONE
