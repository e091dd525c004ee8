"""`fieldguide tools`: what an agent can ask for."""

import argparse
import textwrap

from fieldguide.app import build_app
from fieldguide.cli.options import add_identity_options, add_name_options, add_project_options, find_settings
from fieldguide.cli.terminal import say, say_json
from fieldguide.wire.clients import choose_profile, spell_tool_name
from fieldguide.wire.tool_methods import describe_tool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project and toolsets; `--json` for scripts."""
    add_project_options(parser)
    add_identity_options(parser)
    add_name_options(parser)
    parser.add_argument("--json", action="store_true", help="print the descriptors as tools/list gives them")


def run(arguments: argparse.Namespace) -> int:
    """Print the tools, sorted by name."""
    app = build_app(find_settings(arguments))
    identity = app.executor.identity
    settings = app.settings
    profile = choose_profile(settings.profile, app.toolsets, are_chosen=settings.toolsets is not None)
    descriptors = [
        describe_tool(
            tool,
            name=spell_tool_name(tool.name, mode=settings.tool_names, client=None),
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
