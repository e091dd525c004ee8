"""`fieldguide tools`: what an agent can ask for."""

import argparse
import textwrap

from fieldguide.app import build_app
from fieldguide.cli.options import add_identity, add_names, add_project, settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.server.encoding import described
from fieldguide.server.names import shown_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project and toolsets; `--json` for scripts."""
    add_project(parser)
    add_identity(parser)
    add_names(parser)
    parser.add_argument("--json", action="store_true", help="print the descriptors as tools/list gives them")


def run(arguments: argparse.Namespace) -> int:
    """Print the tools, sorted by name."""
    app = build_app(settings_from(arguments))
    identity = app.executor.identity
    descriptors = [
        described(
            tool,
            name=shown_name(tool.name, mode=app.settings.tool_names, client=None),
            schema=identity.shown_schema(tool, None),
        )
        for tool in app.executor.registry.all()
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
