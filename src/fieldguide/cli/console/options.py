"""Options that several commands share, and the settings they lead to.

One rule for every command. A path is relative to the current folder; where nothing is there, to the project; or it is
absolute. It must lead into the project, through whatever links. The project is the one that is named, else the current
folder, or the one above it that is under git or has a `fieldguide.toml`.
"""

import os
from collections.abc import Sequence
from itertools import filterfalse
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fieldguide.settings.config import PROFILES, TOOL_NAME_MODES, Settings, read_settings
from fieldguide.settings.service import KINDS, Service

if TYPE_CHECKING:
    import argparse

PROJECT_MARKS = (".git", "fieldguide.toml")
PLAIN_FLAGS = {"--project", "--toolsets", "--user", "--tool-names", "--profile", "--http", "--database", "--metrics"}
SETTINGS = (
    "project", "user", "tool_names", "profile", "read_only", "http", "database", "projects", "metrics", "audit",
)  # fmt: skip
PLAIN_SWITCHES = {"--bind-user", "--read-only", "--audit"}


def add_project_options(parser: "argparse.ArgumentParser") -> None:
    """`--project`, its database, and the choice of toolsets."""
    add_place_options(parser)
    parser.add_argument("--toolsets", metavar="A,B", help="only these toolsets, by name (default: all)")


def add_place_options(parser: "argparse.ArgumentParser") -> None:
    """`--project` and its database."""
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    parser.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")


def add_json_option(parser: "argparse.ArgumentParser") -> None:
    """`--json`, which prints what a command found or did as programs read it."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def add_identity_options(parser: "argparse.ArgumentParser") -> None:
    """`--user` and `--read-only`."""
    parser.add_argument("--user", metavar="ID", help="bind every call to this user; callers can't act for another")
    parser.add_argument("--read-only", action="store_true", default=None, help="leave out every tool that writes")


def add_name_options(parser: "argparse.ArgumentParser") -> None:
    """`--tool-names` and `--profile`."""
    parser.add_argument(
        "--tool-names",
        choices=TOOL_NAME_MODES,
        help="the spelling of tool names: literal, safe (only letters, digits, _ and -), or auto (the default): "
        "literal except for clients known to refuse it",
    )
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        help="which tools are listed (all can be called): full, lean (the guide's and the few that write), or auto "
        "(the default): full except for clients that take only so many tools",
    )


def add_service_options(parser: "argparse.ArgumentParser") -> None:
    """How the server is opened to others."""
    parser.add_argument(
        "--auth", choices=KINDS, help="ask each request for a token: of `fieldguide team token`, or a JWT"
    )
    parser.add_argument("--public-url", metavar="URL", help="what clients call it, such as https://guide.example.org")
    parser.add_argument("--tls-cert", metavar="FILE", help="speak TLS with this certificate (PEM, with its chain)")
    parser.add_argument("--tls-key", metavar="FILE", help="and its key, which only the server can read")
    parser.add_argument(
        "--behind-proxy", metavar="A,B", help="the addresses of the proxies that speak TLS before it, or unix"
    )
    parser.add_argument("--socket-group", metavar="NAME", help="who may open the unix socket, beside you")
    parser.add_argument("--jwt-issuer", metavar="ISS", help="who signs the tokens, exactly as they say it")
    parser.add_argument("--jwt-audience", metavar="AUD", help="whom they are for (default: the public address of MCP)")
    parser.add_argument("--jwt-keys", metavar="FILE|URL", help="the issuer's keys: a JWKS file or its https address")
    parser.add_argument("--jwt-skew", metavar="SECONDS", help="how far clocks may be apart (default: 60)")


def read_service_settings(arguments: Any) -> Settings:
    """The settings of a whole service: the person's own, and of no project, wherever the command is run."""
    from fieldguide.storage.state_folder import make_private_folder

    return read_settings_from(SimpleNamespace(**{**vars(arguments), "project": make_private_folder("service")}))


def read_plain_arguments(words: Sequence[str]) -> SimpleNamespace | None:
    """The arguments of a command line that has nothing but our flags with their values; None leaves it to argparse."""
    switches = PLAIN_SWITCHES.intersection(words)
    given: dict[str, Any] = dict.fromkeys(map(_attribute, switches), True)
    waiting = [*filterfalse(switches.__contains__, reversed(words))]
    while waiting:
        flag, has_value, value = waiting.pop().partition("=")
        if flag not in PLAIN_FLAGS or not (has_value or (waiting and not waiting[-1].startswith("-"))):
            return None
        given[_attribute(flag)] = value if has_value else waiting.pop()
    is_known = given.get("tool_names", "auto") in TOOL_NAME_MODES and given.get("profile", "auto") in PROFILES
    return SimpleNamespace(**given) if is_known else None


def _attribute(flag: str) -> str:
    return flag[2:].replace("-", "_")


def read_settings_from(arguments: Any, *, tells: bool = True) -> Settings:
    """The settings for these arguments, in this environment; `tells` says what of the project's can't be followed."""
    given: dict[str, Any] = {name: getattr(arguments, name, None) for name in SETTINGS}
    given["service"] = {name: getattr(arguments, name, None) for name in Service._fields}
    given["toolsets"] = split_names(getattr(arguments, "toolsets", None))
    settings = read_settings(given, os.environ)
    if tells and settings.problems:
        from fieldguide.cli.console.terminal import complain  # a start pays for it only where there is something to say

        complain(*settings.problems)
    return settings


def split_names(text: str | None) -> tuple[str, ...] | None:
    """The names of a flag such as `--toolsets A,B`; None where it is not given."""
    if not text:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


def find_settings(arguments: Any, *, tells: bool = True) -> Settings:
    """The settings for these arguments, where the current folder may be one inside of the project."""
    if getattr(arguments, "project", None) is None and not os.environ.get("FIELDGUIDE_PROJECT"):
        arguments.project = find_nearest_project(os.getcwd())
    return read_settings_from(arguments, tells=tells)


def find_nearest_project(folder: str) -> str:
    """The folder itself where it is a project, else the nearest above it that is one, else the folder."""
    from fieldguide.storage.state_folder import find_known_folder

    if _is_marked(folder) or find_known_folder(folder) is not None:
        return folder
    home = os.path.realpath(os.path.expanduser("~"))
    above = os.path.dirname(folder)
    while above not in (home, os.path.dirname(above)):
        if _is_marked(above):
            return above
        above = os.path.dirname(above)
    return folder


def _is_marked(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in PROJECT_MARKS)
