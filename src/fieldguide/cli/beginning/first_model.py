"""The first model of a project, `.context/project.yaml`: its name, what it is and its stack, as far as they show."""

import json
import os

from fieldguide.cli.beginning.survey import Survey

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
MOST_LANGUAGES = 3
LEAST_SHARE = 20  # a language counts that has a twentieth of the lines
MODEL = """\
# What this project is made of. Fieldguide reads this file and never writes it.
version: 1
project:
  name: {name}
  type: service
tech:
  stack: [{stack}]
architecture:
  description: {about}
modules: {{}}
# modules:
#   auth:
#     description: Who you are
#     keyFiles:
#       - {{path: src/auth/service.py, role: core}}
#     patterns: [Tokens are opaque]
#     businessRules: [A token lives an hour]
"""


def first_model(survey: Survey) -> str:
    """The text of the model."""
    stack = dict.fromkeys([*main_languages(survey), *(STACKS[name] for name in STACKS if name in survey.manifests)])
    return MODEL.format(
        name=_quoted(os.path.basename(survey.project)), stack=", ".join(stack), about=_quoted(survey.about)
    )


def main_languages(survey: Survey) -> list[str]:
    """The languages that the project is written in, that of most lines first."""
    languages = survey.code.languages
    total = sum(each.lines for each in languages)
    return [each.name for each in languages[:MOST_LANGUAGES] if each.lines * LEAST_SHARE >= total]


def _quoted(text: str) -> str:
    """A text as YAML reads it from JSON; what is no character is replaced."""
    return json.dumps(text.encode(errors="replace").decode(errors="replace"), ensure_ascii=False)
