"""`fieldguide tools`: what an agent can ask for."""

import argparse
import textwrap

from fieldguide.app import build_app
from fieldguide.cli.options import add_identity, add_names, add_project, settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.server.clients.names import shown_name
from fieldguide.server.clients.profiles import chosen_profile
from fieldguide.server.encoding import described


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project and toolsets; `--json` for scripts."""
    add_project(parser)
    add_identity(parser)
    add_names(parser)
    parser.add_argument("--json", action="store_true", help="print the descriptors as tools/list gives them")


def run(arguments: argparse.Namespace) -> int:
    """Print the tools, sorted by name."""
    app = build_app(settings_from(arguments))
    identity, settings = app.executor.identity, app.settings
    profile = chosen_profile(settings.profile, app.toolsets, are_chosen=settings.toolsets is not None)
    descriptors = [
        described(
            tool,
            name=shown_name(tool.name, mode=settings.tool_names, client=None),
            schema=identity.shown_schema(tool, None),
        )
        for tool in profile.listed(app.executor.registry.all(), None)
    ]
    if arguments.json:
        say_json(descriptors)
        return 0
    for each in descriptors:
        takes = ", ".join(
            name if name in each["inputSchema"].get("required", []) else f"[{name}]"
            for name in each["inputSchema"].get("properties", {})
        )
        say(f"{each['name']}({takes})", textwrap.indent(textwrap.fill(each["description"], 100), "    "))
    return 0
