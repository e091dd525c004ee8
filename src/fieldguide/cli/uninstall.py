"""`fieldguide uninstall`: take out of clients' settings what `fieldguide install` put there, and nothing else."""

import argparse

from fieldguide.cli.clients.catalog import CLIENTS, KEYS, SCOPES, USER, Machine
from fieldguide.cli.clients.changes import RemovalPlanner, SettingsChange
from fieldguide.cli.clients.execution import DONE, EPILOG, add_writing_options, carry_out, format_change
from fieldguide.cli.clients.section import FILES
from fieldguide.cli.clients.settings_files import InstallRecord
from fieldguide.cli.options import read_settings_from
from fieldguide.cli.terminal import remark, say

NOTHING = "Nothing of Fieldguide is in the settings of any client here, nor in this project's files for agents."


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    """Take it out, once whoever asked has seen the change."""
    machine = Machine(read_settings_from(arguments, tells=False).project)
    record = InstallRecord()
    changes = _changes(arguments, machine, record)
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


def _changes(arguments: argparse.Namespace, machine: Machine, record: InstallRecord) -> list[SettingsChange]:
    remover = RemovalPlanner(machine, record, name=arguments.name)
    keys = () if arguments.instructions else arguments.client or KEYS
    scopes = (arguments.scope,) if arguments.scope else SCOPES
    found = [remover.entry(client, scope) for client in CLIENTS if client.key in keys for scope in scopes]
    found += map(remover.section, _files(arguments))
    return [each for each in found if each is not None]


def _files(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The files for agents to look into: none where only clients, a name or the person's own settings are meant."""
    is_about_entries = arguments.client or arguments.name or arguments.scope == USER
    return () if is_about_entries and not arguments.instructions else FILES
