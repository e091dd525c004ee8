"""`fieldguide init`: begin a project's model, from what can be seen in its folder."""

import argparse
import os
from typing import Any

from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import say
from fieldguide.errors import Refusal
from fieldguide.project_writing import write_into

PATH = os.path.join(".context", "project.yaml")
STACKS = {
    "pyproject.toml": "python",
    "package.json": "javascript",
    "tsconfig.json": "typescript",
    "go.mod": "go",
    "Cargo.toml": "rust",
    "pom.xml": "java",
    "build.gradle.kts": "kotlin",
    "composer.json": "php",
    "Gemfile": "ruby",
}
MODEL = """\
# What this project is made of. Fieldguide reads this file and never writes it.
version: 1
project:
  name: {name}
  type: service
tech:
  stack: [{stack}]
architecture:
  description: ""
modules: {{}}
# modules:
#   auth:
#     description: Who you are
#     keyFiles:
#       - {{path: src/auth/service.py, role: core}}
#     patterns: [Tokens are opaque]
#     businessRules: [A token lives an hour]
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project."""
    add_place(parser)


def run(arguments: Any) -> int:
    """Write `.context/project.yaml`; one that is there is left as it is."""
    import json

    project = settings_from(arguments).project
    stack = ", ".join(name for file, name in STACKS.items() if os.path.exists(os.path.join(project, file)))
    model = MODEL.format(name=json.dumps(os.path.basename(project), ensure_ascii=False), stack=stack)
    if not write_into(project, PATH, model):
        raise Refusal(f"{PATH} is there already; it is left as it is.")
    say(f"Wrote {PATH}. Name your modules there; `fieldguide show` tells what is known.")
    return 0
