"""The options that several commands share, and the settings they lead to."""

import argparse
import os

from fieldguide.config import TOOL_NAME_MODES, Settings, read_settings


def add_project(parser: argparse.ArgumentParser) -> None:
    """`--project` and the choice of toolsets."""
    parser.add_argument("--project", metavar="DIR", help="the folder to serve (default: the current one)")
    parser.add_argument("--toolsets", metavar="A,B", help="only these toolsets, by name (default: all)")


def add_identity(parser: argparse.ArgumentParser) -> None:
    """`--user` and `--read-only`."""
    parser.add_argument("--user", metavar="ID", help="bind every call to this user; callers can't act for another")
    parser.add_argument("--read-only", action="store_true", default=None, help="leave out every tool that writes")


def add_names(parser: argparse.ArgumentParser) -> None:
    """`--tool-names`."""
    parser.add_argument(
        "--tool-names",
        choices=TOOL_NAME_MODES,
        help="the spelling of tool names: literal, safe (only letters, digits, _ and -), or auto (the default): "
        "literal except for clients known to refuse it",
    )


def settings_from(arguments: argparse.Namespace) -> Settings:
    """The settings for these arguments, in this environment."""
    given = {name: getattr(arguments, name, None) for name in ("project", "user", "tool_names", "read_only", "http")}
    toolsets = getattr(arguments, "toolsets", None)
    chosen = None if toolsets is None else tuple(name.strip() for name in toolsets.split(",") if name.strip())
    return read_settings({**given, "toolsets": chosen}, os.environ)
