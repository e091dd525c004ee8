"""`fieldguide team`: the tokens, the projects and the audit log of a service for a team."""

import argparse

from fieldguide.cli.service import audit, projects, token

PARTS = {
    "token": (token, "make, list and revoke the tokens that people show to a service"),
    "projects": (projects, "say which projects are served, and who may do what in each"),
    "audit": (audit, "export the log of who did what, check that it is whole, cut what is old"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`token`, `projects` or `audit`, each with actions of its own."""
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    for name, (module, about) in PARTS.items():
        module.add_arguments(parts.add_parser(name, help=about))


def run(arguments: argparse.Namespace) -> int:
    """Do what the action of the part says."""
    module, _ = PARTS[arguments.part]
    code: int = module.run(arguments)
    return code
