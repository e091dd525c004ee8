"""Reads the settings of a process from flags, environment, the person's file and the project's file.

A project may describe itself in `fieldguide.toml`; everything with power (D-39) comes from the person: their own file,
then `FIELDGUIDE_*`, then flags, each winning over the one before. Settings with power in a project's file are ignored,
and reported as problems.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import find_config_folder
from fieldguide.files.secrets import SensitiveFiles
from fieldguide.settings.limits import Limits, read_limits
from fieldguide.settings.service import TOKEN_AUTH, Service, check_listening, read_flag, read_service
from fieldguide.text.errors import Misconfiguration, NotFound, Refusal

FILE_NAME = "fieldguide.toml"
PERSONAL_FILE_NAME = "config.toml"
LARGEST_FILE_BYTES = 64 << 10
LARGEST_PERSONAL_FILE_BYTES = 256 << 10
TOOL_NAME_MODES = ("auto", "literal", "safe")
PROFILES = ("auto", "lean", "full")
POSTGRES = ("postgresql://", "postgres://")
DESCRIBING = ("toolsets", "tool_names", "read_only")
POWERFUL_TABLES = ("search", "limits", "fetch", "secrets", "service")


class Settings(NamedTuple):
    """How this process serves a project.

    `problems` are the settings of the project's file that can't be followed: they stop nothing, and are reported.
    `suggested_toolsets` is the project's wish, where the person has none.
    `projects` tells to serve every project of a registry; `tenant` is what such a service calls this one: what it keeps
    apart is kept apart by it.
    """

    project: str = "."
    toolsets: tuple[str, ...] | None = None
    user: str | None = None
    tool_names: str = "auto"
    profile: str = "auto"
    read_only: bool = False
    http: str | None = None
    database: str | None = None
    metrics: str | None = None
    audit: bool | None = None
    projects: bool = False
    suggested_toolsets: tuple[str, ...] | None = None
    limits: Limits = Limits()
    sections: Mapping[str, Mapping[str, Any]] = {}
    problems: tuple[str, ...] = ()
    tenant: str | None = None
    service: Service = Service()

    def socket_path(self) -> str | None:
        """The path of `http` where it is `unix:PATH`."""
        scheme, _, path = (self.http or "").partition("unix:")
        return os.path.abspath(os.path.expanduser(path)) if not scheme and path else None

    def address(self) -> tuple[str, int]:
        """The host and port of `http`, which is `[HOST:]PORT`."""
        host, _, port = (self.http or "").rpartition(":")
        if not port.isdecimal() or int(port) > 65535:
            raise Misconfiguration(f"{self.http!r} is not an address: write PORT or HOST:PORT, such as 127.0.0.1:8137.")
        return host.strip("[]") or "127.0.0.1", int(port)


def read_settings(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """The settings that hold for these flags (None: not given) in this environment."""
    given = {name: value for name, value in flags.items() if value is not None}
    opened: Mapping[str, Any] = given.pop("service", {})
    stated: dict[str, Any] = {}
    for name, read in _PLAIN.items():
        variable = f"FIELDGUIDE_{name.upper()}"
        if environment.get(variable):
            stated[name] = read(environment[variable], variable)
    project = os.path.abspath(os.path.expanduser(given.get("project") or stated.get("project") or "."))
    if not os.path.isdir(project):
        raise Misconfiguration(f"There is no folder {project!r} to serve; name one with --project.")
    personal, personal_tables = _personal(environment)
    described, tables, problems = _described(project)
    suggested = described.pop("toolsets", None)
    merged: dict[str, Any] = {**described, **personal, **stated, **given, "project": project}
    limits = read_limits({**tables.pop("limits", {}), **personal_tables.pop("limits", {})}, environment)
    usual = {"auth": TOKEN_AUTH} if merged.get("projects") else {}
    service = read_service({**usual, **personal_tables.pop("service", {})}, environment, opened)
    names = {**tables, **personal_tables}
    sections = {name: {**tables.get(name, {}), **personal_tables.get(name, {})} for name in names}
    return _checked(
        Settings(
            **merged,
            suggested_toolsets=suggested,
            limits=limits,
            sections=sections,
            problems=tuple(problems),
            service=service,
        )
    )


def check_serving(settings: Settings) -> None:
    """Raise Misconfiguration, with the mend, where these settings would serve others and give something away."""
    if settings.http is None:
        if settings.service.auth is not None:
            raise Misconfiguration("--auth is for a server that others reach: say where by --http [HOST:]PORT.")
        return
    path = settings.socket_path()
    host = settings.address()[0] if path is None else ""
    check_listening(settings.service, settings.http, is_socket=path is not None, host=host)
    if settings.service.auth is not None and settings.user is not None:
        raise Misconfiguration("With --auth each request says whose it is: leave out --user.")


def open_project_folder(settings: Settings) -> ConfinedFolder:
    """The project's files, as far as they may be served: without those on the list of secrets, as the person has it."""
    table = settings.sections.get("secrets", {})
    unknown = sorted(set(table) - {"deny", "except"})
    if unknown:
        raise Misconfiguration(f"[secrets] has `deny` and `except`, and no {unknown[0]!r}.")
    globs = {name: _names(table.get(name, []), f"{name} under [secrets]") for name in ("deny", "except")}
    sensitive = SensitiveFiles(deny=globs["deny"], excepted=globs["except"])
    return ConfinedFolder(settings.project, sensitive=sensitive)


def _read_toml(folder: str, name: str, limit_bytes: int) -> dict[str, Any]:
    content = ConfinedFolder(folder).read(name, limit_bytes=limit_bytes)
    from fieldguide.text.data_formats import read_toml  # most projects have no such file

    return read_toml(content)


def _personal(environment: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the person's own file says; it may be a link to wherever they keep such files."""
    path = os.path.join(find_config_folder(environment), PERSONAL_FILE_NAME)
    if not os.path.exists(path):
        return {}, {}
    folder, name = os.path.split(os.path.realpath(path))
    try:
        content = _read_toml(folder, name, LARGEST_PERSONAL_FILE_BYTES)
    except (Refusal, ValueError) as error:
        raise Misconfiguration(f"Your settings in {path} can't be read: {_reason(error)}.") from error
    plain, tables = _parted(content)
    unknown = sorted(set(plain) - (set(_PLAIN) - {"project"}))
    if unknown:
        raise Misconfiguration(f"{path} has an unknown setting {unknown[0]!r}; the settings are {_known()}.")
    if "collections" in tables.get("documents", {}):
        raise Misconfiguration(
            f"Collections for every project do not stand in {path}: `fieldguide documents add --global` names them."
        )
    return {name: _PLAIN[name](value, f"{name} in {path}") for name, value in plain.items()}, tables


def _described(project: str) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The plain settings and the tables of the project's file that describe the project, and the problems of others."""
    try:
        content = _read_toml(project, FILE_NAME, LARGEST_FILE_BYTES)
    except NotFound:
        return {}, {}, []
    except (Refusal, ValueError) as error:
        return {}, {}, [f"{FILE_NAME} can't be read, so nothing in it counts: {_reason(error)}."]
    plain, tables = _parted(content)
    described, problems = _taken(plain)
    ignored = [name for name in plain if name in _PLAIN and name not in (*DESCRIBING, "project")]
    ignored += [f"[{name}]" for name in POWERFUL_TABLES if tables.pop(name, None) is not None]
    if ignored:
        problems.append(
            f"{FILE_NAME} sets {', '.join(ignored)}: ignored, because these come only from a flag, the environment or "
            f"your own settings."
        )
    return described, tables, problems


def _taken(plain: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings of a project that describe it, and what is wrong with others."""
    problems: list[str] = []
    described: dict[str, Any] = {}
    for name, value in plain.items():
        if name not in _PLAIN or name == "project":
            problems.append(f"{FILE_NAME} has an unknown setting {name[:40]!r}; the settings are {_known()}.")
        elif name in DESCRIBING:
            try:
                read = _PLAIN[name](value, f"{name} in {FILE_NAME}")
                if name != "toolsets":
                    _checked(Settings(**{name: read}))
                described[name] = read
            except Misconfiguration as error:
                problems.append(error.message)
    return described, problems


def _parted(content: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The plain settings and the tables of a file."""
    tables: dict[str, Any] = {name: value for name, value in content.items() if isinstance(value, dict)}
    return {name: value for name, value in content.items() if name not in tables}, tables


def _reason(error: Exception) -> str:
    """Why a file can't be read."""
    return (error.message if isinstance(error, Refusal) else str(error)).rstrip(".")[:200]


def _known() -> str:
    return ", ".join(sorted(set(_PLAIN) - {"project"}))


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise Misconfiguration(f"{where} must be a text, not {str(value)[:40]!r}.")
    return str(value)


def _names(value: Any, where: str) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in cast("list[Any]", items)):
        raise Misconfiguration(f"{where} must be a list of names, not {str(value)[:40]!r}.")
    return tuple(name.strip() for name in cast("list[str]", items) if name.strip())


def _checked(settings: Settings) -> Settings:
    if settings.tool_names not in TOOL_NAME_MODES:
        raise Misconfiguration(f"tool names are {', '.join(TOOL_NAME_MODES)}, not {settings.tool_names[:40]!r}.")
    if settings.profile not in PROFILES:
        raise Misconfiguration(f"the profiles are {', '.join(PROFILES)}, not {settings.profile[:40]!r}.")
    if settings.user is not None and not settings.user.strip():
        raise Misconfiguration("The user must be a name, not an empty text.")
    if settings.database is not None and not settings.database.startswith(POSTGRES):
        raise Misconfiguration(
            "The database is a postgresql:// address; without one it is SQLite in your state folder."
        )
    return settings


_PLAIN: dict[str, Any] = {
    "project": _text,
    "toolsets": _names,
    "user": _text,
    "tool_names": _text,
    "profile": _text,
    "read_only": read_flag,
    "http": _text,
    "database": _text,
    "metrics": _text,
    "audit": read_flag,
    "projects": read_flag,
}
_NOT_PLAIN = {"sections", "limits", "suggested_toolsets", "problems", "tenant", "service"}
assert set(_PLAIN) == {*Settings._fields} - _NOT_PLAIN  # noqa: S101  a new field needs its reader


def find_namespace(settings: Settings) -> str:
    """What tells this project from others in one database: SQLite has one for each, so nothing; else its folder."""
    if settings.tenant is not None:
        return f"{settings.tenant}|"
    if settings.database is None:
        return ""
    named = settings.sections.get("search", {}).get("namespace")
    return f"{named or os.path.realpath(settings.project)}|"
