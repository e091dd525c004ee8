"""`fieldguide projects`: the registry of a service: which projects it serves, and who may do what in each."""

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from fieldguide.cli.options import service_settings
from fieldguide.cli.registering.shown import as_json, grant_as_json, in_lines, whom
from fieldguide.cli.registering.sources import read_source
from fieldguide.cli.terminal import remark, say, say_json
from fieldguide.errors import Misconfiguration, NotFound
from fieldguide.storage.port import Database
from fieldguide.teams.audit.commands import note_command
from fieldguide.teams.projects import SCHEMA
from fieldguide.teams.projects.names import checked_name, checked_principal
from fieldguide.teams.projects.project import EVERY_TOOLSET, EVERYBODY, Grant, HostedProject
from fieldguide.teams.projects.repository import ProjectRepository
from fieldguide.teams.service_database import open_service_database
from fieldguide.toolset import find_factories

TOLD = ("names", "principal", "everybody", "toolsets", "write", "branch")
NONE_YET = "No projects. `fieldguide projects add NAME PATH|GIT_ADDRESS` adds one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `list`, `remove`, `grant`, `revoke` or `sync`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="take a project into the service")
    add.add_argument("name", metavar="NAME", help="what it is called: it is served at /mcp/NAME")
    add.add_argument("source", metavar="PATH|GIT_ADDRESS", help="a folder, or https://…, ssh://… or file:///…")
    add.add_argument("--branch", metavar="NAME", help="of a git address (default: the repository's own default)")
    listing = actions.add_parser("list", help="show the projects, who may do what, and what each replica has")
    remove = actions.add_parser("remove", help="take projects out of the service, at once")
    grant = actions.add_parser("grant", help="let somebody in: to read, and with --write to change things")
    revoke = actions.add_parser("revoke", help="take back what was granted, at once")
    for action in (grant, revoke):
        action.add_argument("principal", nargs="?", metavar="PRINCIPAL", help="the user of a token, or a JWT's subject")
        action.add_argument("name", metavar="NAME", help="the project")
        action.add_argument("--everybody", action="store_true", help="in place of a principal: all with a valid token")
        action.add_argument("--toolsets", metavar="A,B", help="only these toolsets (default: all)")
    grant.add_argument("--write", action="store_true", help="also what changes tasks, findings and other things")
    sync = actions.add_parser("sync", help="have every replica fetch projects from git at once (default: all)")
    for action in (remove, sync):
        action.add_argument("names", nargs="+" if action is remove else "*", metavar="NAME", help="the project")
    for action in (add, listing, remove, grant, revoke, sync):
        action.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
        action.add_argument("--json", action="store_true", help="print the outcome as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when the registry says no."""
    actions = {"add": _add, "list": _list, "remove": _remove, "grant": _grant, "revoke": _revoke, "sync": _sync}
    with _opened(arguments) as database:
        code = actions[arguments.action](database, arguments)
    if arguments.action == "list":
        return code
    told = {name: getattr(arguments, name, None) for name in TOLD}
    note_command(service_settings(arguments), f"projects {arguments.action}", told, getattr(arguments, "name", ""))
    return code


@contextmanager
def _opened(arguments: argparse.Namespace) -> Generator[Database]:
    database = open_service_database(service_settings(arguments), [SCHEMA], remark)
    try:
        yield database
    finally:
        database.close()


def _add(database: Database, arguments: argparse.Namespace) -> int:
    name = checked_name(arguments.name)
    source = read_source(arguments.source, arguments.branch)
    with database.writing() as transaction:
        project = ProjectRepository(transaction).add(name, **source._asdict())
    if arguments.json:
        say_json(as_json(project))
    else:
        say(
            f"Added {project.name}, from {project.source}. It is served at /mcp/{project.name}.",
            f"Nobody may see it yet: `fieldguide projects grant PRINCIPAL {project.name}` lets somebody in.",
        )
    return 0


def _list(database: Database, arguments: argparse.Namespace) -> int:
    with database.reading() as transaction:
        repository = ProjectRepository(transaction)
        projects, grants, copies = repository.all(), repository.grants(), repository.copies()
    if arguments.json:
        say_json([as_json(each, grants, copies) for each in projects])
    else:
        say(*(in_lines(projects, grants, copies) if projects else [NONE_YET]))
    return 0


def _remove(database: Database, arguments: argparse.Namespace) -> int:
    with database.writing() as transaction:
        repository = ProjectRepository(transaction)
        gone = [repository.remove(name) for name in dict.fromkeys(arguments.names)]
    if arguments.json:
        say_json([as_json(each) for each in gone])
    else:
        say(*(f"Removed {each.name}. What it kept lies under {each.id}, which no project gets again." for each in gone))
    return 0


def _grant(database: Database, arguments: argparse.Namespace) -> int:
    principal, toolsets = _principal(arguments), _toolsets(arguments) or [EVERY_TOOLSET]
    with database.writing() as transaction:
        project = ProjectRepository(transaction).grant(arguments.name, principal, toolsets, may_write=arguments.write)
    if arguments.json:
        given = [Grant(project.id, principal, each, arguments.write) for each in toolsets]
        say_json({"project": project.name, "grants": [grant_as_json(each) for each in given]})
    else:
        what = "every toolset" if toolsets == [EVERY_TOOLSET] else ", ".join(toolsets)
        can = "read and write" if arguments.write else "read"
        say(f"{whom(principal)} may {can} {what} of {project.name}, from now on.")
    return 0


def _revoke(database: Database, arguments: argparse.Namespace) -> int:
    principal = _principal(arguments)
    with database.writing() as transaction:
        count = ProjectRepository(transaction).revoke(arguments.name, principal, _toolsets(arguments))
    if not count:
        raise NotFound(f"{whom(principal)} has no such grant for {arguments.name}.")
    if arguments.json:
        say_json({"project": arguments.name, "revoked": count})
    else:
        say(f"Revoked: {whom(principal)}, {arguments.name}. It holds on every replica within a second.")
    return 0


def _sync(database: Database, arguments: argparse.Namespace) -> int:
    with database.writing() as transaction:
        repository = ProjectRepository(transaction)
        told = [repository.tell(each.name) for each in _from_git(repository, arguments.names)]
    if arguments.json:
        say_json([as_json(each) for each in told])
    else:
        lines = [f"Every running replica fetches {each.name} now; `projects list` shows when it has." for each in told]
        say(*(lines or ["No project comes from git, so there is nothing to fetch."]))
    return 0


def _from_git(repository: ProjectRepository, names: Sequence[str]) -> list[HostedProject]:
    """The projects of these names, or all, that have something to fetch."""
    named = [repository.named(name) for name in dict.fromkeys(names)]
    if any(each.address is None for each in named):
        raise Misconfiguration("A folder is served as it is; only projects from git are fetched.")
    return [each for each in named or repository.all() if each.address is not None]


def _principal(arguments: argparse.Namespace) -> str:
    if arguments.everybody == (arguments.principal is not None):
        raise Misconfiguration("Name a principal and a project; or --everybody and a project.")
    return EVERYBODY if arguments.everybody else checked_principal(arguments.principal)


def _toolsets(arguments: argparse.Namespace) -> Sequence[str] | None:
    """The toolsets that are named, each one that is installed; None where none is."""
    if arguments.toolsets is None:
        return None
    named = [*dict.fromkeys(each.strip() for each in arguments.toolsets.split(",") if each.strip())]
    known = find_factories()
    unknown = [each for each in named if each not in known]
    if unknown or not named:
        raise Misconfiguration(f"There is no toolset {(unknown or [''])[0]!r}; the toolsets are {', '.join(known)}.")
    return named
