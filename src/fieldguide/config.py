"""Settings: `fieldguide.toml`, then `FIELDGUIDE_*`, then flags, each winning over the one before; read once, frozen."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from fieldguide.errors import Misconfiguration
from fieldguide.limits import Limits, read_limits

FILE_NAME = "fieldguide.toml"
TOOL_NAME_MODES = ("auto", "literal", "safe")
POSTGRES = ("postgresql://", "postgres://")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this process serves a project."""

    project: str = "."
    toolsets: tuple[str, ...] | None = None
    user: str | None = None
    tool_names: str = "auto"
    read_only: bool = False
    http: str | None = None
    database: str | None = None
    limits: Limits = field(default_factory=Limits)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def address(self) -> tuple[str, int]:
        """The host and port of `http`, which is `[HOST:]PORT`."""
        host, _, port = (self.http or "").rpartition(":")
        if not port.isdecimal() or int(port) > 65535:
            raise Misconfiguration(f"{self.http!r} is not an address: write PORT or HOST:PORT, such as 127.0.0.1:8137.")
        return host.strip("[]") or "127.0.0.1", int(port)


def read_settings(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """The settings that hold for these flags (None: not given) in this environment."""
    given = {name: value for name, value in flags.items() if value is not None}
    stated = _from_environment(environment)
    project = os.path.abspath(os.path.expanduser(given.get("project") or stated.get("project") or "."))
    if not os.path.isdir(project):
        raise Misconfiguration(f"There is no folder {project!r} to serve; name one with --project.")
    from_file, sections = _from_file(os.path.join(project, FILE_NAME))
    fixed = {"project": project, "sections": sections, "limits": read_limits({}, environment)}
    merged: dict[str, Any] = {**from_file, **stated, **given, **fixed}
    return _checked(Settings(**merged))


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _PLAIN:
        text = environment.get(f"FIELDGUIDE_{name.upper()}")
        if text:
            found[name] = _PLAIN[name](text, f"FIELDGUIDE_{name.upper()}")
    return found


def _from_file(path: str) -> tuple[dict[str, Any], dict[str, Mapping[str, Any]]]:
    try:
        with open(path, "rb") as file:
            import tomllib  # 15 ms; only a project with settings needs it

            content = tomllib.load(file)
    except FileNotFoundError:
        return {}, {}
    except (OSError, ValueError) as error:
        raise Misconfiguration(f"{FILE_NAME} can't be read: {error}.") from error
    tables: dict[str, Mapping[str, Any]] = {name: value for name, value in content.items() if isinstance(value, dict)}
    plain = {name: value for name, value in content.items() if name not in tables}
    unknown = sorted(set(plain) - (set(_PLAIN) - {"project"}))
    if unknown:
        known = ", ".join(sorted(set(_PLAIN) - {"project"}))
        raise Misconfiguration(f"{FILE_NAME} has an unknown setting {unknown[0]!r}; the settings are {known}.")
    return {name: _PLAIN[name](value, f"{name} in {FILE_NAME}") for name, value in plain.items()}, tables


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise Misconfiguration(f"{where} must be a text, not {value!r}.")
    return str(value)


def _names(value: Any, where: str) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in cast("list[Any]", items)):
        raise Misconfiguration(f"{where} must be a list of names, not {value!r}.")
    return tuple(name.strip() for name in cast("list[str]", items) if name.strip())


def _flag(value: Any, where: str) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in YES + NO:
        raise Misconfiguration(f"{where} must be true or false, not {value!r}.")
    return word in YES


def _checked(settings: Settings) -> Settings:
    if settings.tool_names not in TOOL_NAME_MODES:
        raise Misconfiguration(f"tool names are {', '.join(TOOL_NAME_MODES)}, not {settings.tool_names!r}.")
    if settings.user is not None and not settings.user.strip():
        raise Misconfiguration("The user must be a name, not an empty text.")
    if settings.http is not None and settings.address()[0] not in LOOPBACK:
        raise Misconfiguration(
            f"{settings.http!r} is not a loopback address. Serving beyond this machine needs tokens, which this "
            "version does not have; put an authenticating proxy before 127.0.0.1."
        )
    if settings.database is not None and not settings.database.startswith(POSTGRES):
        raise Misconfiguration("The database is a postgresql:// address; without one it is SQLite in .fieldguide/.")
    return settings


_PLAIN: dict[str, Any] = {
    "project": _text,
    "toolsets": _names,
    "user": _text,
    "tool_names": _text,
    "read_only": _flag,
    "http": _text,
    "database": _text,
}
assert set(_PLAIN) == {each.name for each in fields(Settings)} - {"sections", "limits"}  # noqa: S101  a new field needs its reader
