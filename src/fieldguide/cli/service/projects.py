"""`fieldguide team projects`: edits the registry of a service: its projects and who may do what in each."""

import argparse
import os
from collections.abc import Iterator, Sequence
from typing import Any

from fieldguide.app import register_toolsets
from fieldguide.cli.console.options import read_service_settings, split_names
from fieldguide.cli.console.terminal import GAP, count_columns, fit_to_columns, remark, say_result
from fieldguide.files.file_system import find_config_folder, find_state_root
from fieldguide.git.fetch import check_address, is_address
from fieldguide.storage.database import Database
from fieldguide.team.audit import AuditedCommand, open_for_command
from fieldguide.team.registry import (
    EVERY_TOOLSET,
    EVERYBODY,
    PROJECTS_SCHEMA,
    HostedProject,
    ProjectGrant,
    ProjectRepository,
    check_branch,
    check_principal,
    check_project_name,
)
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, NotFound

NOTED = ("names", "principal", "everybody", "toolsets", "write", "branch")
NONE_YET = "No projects. `fieldguide team projects add NAME PATH|GIT_ADDRESS` adds one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `list`, `remove`, `grant`, `revoke` or `sync`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="take a project into the service")
    add.add_argument("name", metavar="NAME", help="what it is called: it is served at /mcp/NAME")
    add.add_argument("source", metavar="PATH|GIT_ADDRESS", help="a folder, or https://…, ssh://… or file:///…")
    add.add_argument("--branch", metavar="NAME", help="of a git address (default: the repository's own default)")
    listing = actions.add_parser("list", help="show the projects, and who may do what")
    remove = actions.add_parser("remove", help="take projects out of the service, at once")
    grant = actions.add_parser("grant", help="let somebody in: to read, and with --write to change things")
    revoke = actions.add_parser("revoke", help="take back what was granted, at once")
    for action in (grant, revoke):
        action.add_argument("principal", nargs="?", metavar="PRINCIPAL", help="the user of a token, or a JWT's subject")
        action.add_argument("name", metavar="NAME", help="the project")
        action.add_argument("--everybody", action="store_true", help="in place of a principal: all with a valid token")
        action.add_argument("--toolsets", metavar="A,B", help="only these toolsets (default: all)")
    grant.add_argument("--write", action="store_true", help="also what changes tasks, findings and other things")
    sync = actions.add_parser("sync", help="have the server fetch projects from git at once (default: all)")
    for action in (remove, sync):
        action.add_argument("names", nargs="+" if action is remove else "*", metavar="NAME", help="the project")
    for action in (add, listing, remove, grant, revoke, sync):
        action.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")
        action.add_argument("--json", action="store_true", help="print the outcome as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when the registry says no."""
    actions = {"add": _add, "list": _list, "remove": _remove, "grant": _grant, "revoke": _revoke, "sync": _sync}
    settings = read_service_settings(arguments)
    command = None
    if arguments.action != "list":
        noted = {name: getattr(arguments, name, None) for name in NOTED}
        command = AuditedCommand(f"projects {arguments.action}", noted, getattr(arguments, "name", ""))
    with open_for_command(settings, PROJECTS_SCHEMA, remark, command) as database:
        return actions[arguments.action](database, arguments)


def _add(database: Database, arguments: argparse.Namespace) -> int:
    name = check_project_name(arguments.name)
    root, address, branch = _read_source(arguments.source, arguments.branch)
    with database.writing() as transaction:
        project = ProjectRepository(transaction).add(name, root=root, address=address, branch=branch)
    lines = [
        f"Added {project.name}, from {project.source}. It is served at /mcp/{project.name}.",
        f"Nobody may see it yet: `fieldguide team projects grant PRINCIPAL {project.name}` lets somebody in.",
    ]
    say_result(project_to_json(project), lines, as_json=arguments.json)
    return 0


def _read_source(text: str, branch: str | None) -> tuple[str | None, str | None, str | None]:
    """The folder of a project, or its address with the branch (None: the default one)."""
    if is_address(text) or text.startswith("-"):
        address = check_address(text)
        return None, address, None if branch is None else check_branch(branch)
    if branch is not None:
        raise Misconfiguration("A folder is served as it is checked out: --branch goes with a git address.")
    return _check_folder(text), None, None


def _check_folder(text: str) -> str:
    """A folder that may be served to a team: one that is there, and holds nothing of the service's own."""
    folder = os.path.realpath(os.path.expanduser(text))
    if not os.path.isdir(folder):
        raise Misconfiguration(f"There is no folder {folder!r}; name one that is there, or a git address.")
    for own in (find_state_root(), find_config_folder()):
        place = os.path.realpath(own)
        if os.path.commonpath((place, folder)) in (place, folder):
            raise Misconfiguration(
                f"{folder!r} can't be a project: the service keeps its own state or settings in {place!r}."
            )
    return folder


def _list(database: Database, arguments: argparse.Namespace) -> int:
    with database.reading() as transaction:
        repository = ProjectRepository(transaction)
        projects = repository.all()
        grants = repository.grants()
    rows = [project_to_json(each, grants) for each in projects]
    say_result(rows, format_projects(projects, grants), as_json=arguments.json)
    return 0


def _remove(database: Database, arguments: argparse.Namespace) -> int:
    with database.writing() as transaction:
        repository = ProjectRepository(transaction)
        gone = [repository.remove(name) for name in dict.fromkeys(arguments.names)]
    lines = [f"Removed {each.name}. Its data stays under {each.id}, which no other project gets." for each in gone]
    say_result([project_to_json(each) for each in gone], lines, as_json=arguments.json)
    return 0


def _grant(database: Database, arguments: argparse.Namespace) -> int:
    principal = _principal(arguments)
    toolsets = _toolsets(arguments) or [EVERY_TOOLSET]
    with database.writing() as transaction:
        project = ProjectRepository(transaction).grant(arguments.name, principal, toolsets, may_write=arguments.write)
    given = [grant_to_json(ProjectGrant(project.id, principal, each, arguments.write)) for each in toolsets]
    what = "every toolset" if toolsets == [EVERY_TOOLSET] else ", ".join(toolsets)
    can = "read and write" if arguments.write else "read"
    said = f"{format_principal(principal)} may {can} {what} of {project.name}, from now on."
    say_result({"project": project.name, "grants": given}, [said], as_json=arguments.json)
    return 0


def _revoke(database: Database, arguments: argparse.Namespace) -> int:
    principal = _principal(arguments)
    with database.writing() as transaction:
        count = ProjectRepository(transaction).revoke(arguments.name, principal, _toolsets(arguments))
        if not count:
            raise NotFound(f"{format_principal(principal)} has no such grant for {arguments.name}.")
    said = f"Revoked: {format_principal(principal)}, {arguments.name}. It holds within a second."
    say_result({"project": arguments.name, "revoked": count}, [said], as_json=arguments.json)
    return 0


def _sync(database: Database, arguments: argparse.Namespace) -> int:
    with database.writing() as transaction:
        repository = ProjectRepository(transaction)
        projects = [repository.tell(each.name) for each in _list_from_git(repository, arguments.names)]
    lines = [f"The running server fetches {each.name} now." for each in projects]
    lines = lines or ["No project comes from git, so there is nothing to fetch."]
    say_result([project_to_json(each) for each in projects], lines, as_json=arguments.json)
    return 0


def _list_from_git(repository: ProjectRepository, names: Sequence[str]) -> list[HostedProject]:
    """The projects of these names, or all, that have something to fetch."""
    named = [repository.named(name) for name in dict.fromkeys(names)]
    if any(each.address is None for each in named):
        raise Misconfiguration("A folder is served as it is; only projects from git are fetched.")
    return [each for each in named or repository.all() if each.address is not None]


def _principal(arguments: argparse.Namespace) -> str:
    if arguments.everybody == (arguments.principal is not None):
        raise Misconfiguration("Name a principal and a project; or --everybody and a project.")
    return EVERYBODY if arguments.everybody else check_principal(arguments.principal)


def _toolsets(arguments: argparse.Namespace) -> Sequence[str] | None:
    """The toolsets that are named, each one that there is; None where none is."""
    if arguments.toolsets is None:
        return None
    named = [*dict.fromkeys(split_names(arguments.toolsets) or ())]
    known = register_toolsets()
    unknown = [each for each in named if each not in known]
    if unknown or not named:
        raise Misconfiguration(f"There is no toolset {(unknown or [''])[0]!r}; the toolsets are {', '.join(known)}.")
    return named


def project_to_json(project: HostedProject, grants: Sequence[ProjectGrant] = ()) -> dict[str, Any]:
    """A project with its grants, for scripts; an address shows nobody how to get in."""
    return {
        "name": project.name,
        "path": f"/mcp/{project.name}",
        "kind": "git" if project.root is None else "folder",
        "source": project.source,
        "branch": project.branch,
        "id": project.id,
        "created": project.created_at,
        "grants": [grant_to_json(each) for each in grants if each.project == project.id],
    }


def grant_to_json(grant: ProjectGrant) -> dict[str, Any]:
    """A grant for scripts: `principal` is null where it is for everybody, `toolset` where it is for all."""
    return {
        "principal": None if grant.principal == EVERYBODY else grant.principal,
        "toolset": None if grant.toolset == EVERY_TOOLSET else grant.toolset,
        "write": grant.may_write,
    }


def format_projects(projects: Sequence[HostedProject], grants: Sequence[ProjectGrant]) -> Iterator[str]:
    """A line for each project, and below it who may do what."""
    if not projects:
        yield NONE_YET
    width = max((count_columns(each.name) for each in projects), default=0)
    for project in projects:
        branch = f", branch {to_visible_line(project.branch)}" if project.branch else ""
        yield f"{fit_to_columns(project.name, width)}{GAP}{to_visible_line(project.source)}{branch}"
        for grant in grants:
            if grant.project == project.id:
                yield f"    {_format_grant(grant)}"


def format_principal(principal: str) -> str:
    """A principal as a sentence names it."""
    return "everybody" if principal == EVERYBODY else to_visible_line(principal)


def _format_grant(grant: ProjectGrant) -> str:
    what = "every toolset" if grant.toolset == EVERY_TOOLSET else to_visible_line(grant.toolset)
    can = "read and write" if grant.may_write else "read"
    return f"{format_principal(grant.principal)} may {can} {what}"
