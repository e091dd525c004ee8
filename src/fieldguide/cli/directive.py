"""`fieldguide directive`: write, refresh or read a project's way of working."""

import argparse

from fieldguide.cli.console.options import read_settings_from
from fieldguide.cli.console.terminal import say, say_json
from fieldguide.settings.config import open_project_folder
from fieldguide.toolsets.directive.folder import TEMPLATES, DirectiveFolder, build_template_bundle
from fieldguide.toolsets.directive.scaffold import add_missing_files, create_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`init`, `update` or `bundle TEMPLATE`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    init = actions.add_parser("init", help="create directive/ with our defaults; nothing that is there is changed")
    update = actions.add_parser("update", help="add the default files that directive/ lacks; nothing is changed")
    bundle = actions.add_parser("bundle", help="print a template with the procedure and the context, as JSON")
    bundle.add_argument("template", metavar="TEMPLATE", help="spec, impact, tdr, or the name of a template file")
    for action in (init, update, bundle):
        action.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    for action in (init, update):
        action.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    settings = read_settings_from(arguments)
    project = settings.project
    if arguments.action == "bundle":
        name = arguments.template
        template = f"{name}_template.md" if f"{name}_template.md" in TEMPLATES else name
        bundle = build_template_bundle(DirectiveFolder(open_project_folder(settings)), template)
        say_json(bundle)
        return 0
    written = create_folder(project) if arguments.action == "init" else add_missing_files(project)
    if arguments.json:
        say_json({"created": written.created, "kept": written.kept})
        return 0
    for path in written.created:
        say(f"created  {path}")
    for path in written.kept:
        say(f"kept     {path}")
    if not written.created:
        say("Nothing was missing.")
    return 0
