"""What `fieldguide init` can add to a project, and the texts that it writes."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from fieldguide.cli.init_survey import ProjectSurvey
from fieldguide.files.git_index import find_git_index
from fieldguide.files.project_files import append_into, write_into
from fieldguide.git.program import GitProgram
from fieldguide.storage.state_folder import OLD_FOLDER, find_expected_folder
from fieldguide.text.errors import Refusal, Unreadable
from fieldguide.toolsets.architecture.resources import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import new_pattern
from fieldguide.toolsets.architecture.rules.pattern import read_pattern
from fieldguide.toolsets.context.overview import PATH as MODEL
from fieldguide.toolsets.directive import scaffold
from fieldguide.toolsets.directive.folder import NAME as DIRECTIVE

FOLDERS = ("docs", "doc")
RECORD = "0001-record-architecture-decisions.md"
TEMPLATE = "template.md"

FIRST = """\
---
status: proposed
date: {date}
---
# 0001. Record architecture decisions

## Context and problem statement

Whoever changes this project, a person or an agent, should find out why it is as it is, and what was turned down.
How do we keep the reasons for decisions that are hard to change later?

## Considered options

- One short Markdown file for each decision, in the repository
- Pages in a wiki
- Nothing but commit messages

## Decision

We keep one short Markdown file for each such decision in `{folder}/`, numbered, with a status.
A decision that no longer holds stays: its status names the one that replaces it.

## Consequences

- Reasons are reviewed together with the code, and can be searched and cited.
- A change that goes against a decision needs a new record first.
"""

BLANK = """\
---
status: proposed
date: YYYY-MM-DD
---
# NNNN. What is decided, in a few words

## Context and problem statement

What is the problem, and what makes it hard? End with the question that is to be answered.

## Considered options

- The first option
- Another option

## Decision

We take the first option, because …

## Consequences

- What becomes easier.
- What becomes harder.
"""


def choose_decision_folder(documented: Collection[str]) -> str:
    """Where decisions go: beside the documents that there are."""
    return f"{next((name for name in FOLDERS if name in documented), FOLDERS[0])}/decisions"


def write_first_decision(folder: str) -> dict[str, str]:
    """The files of a folder for decisions by their paths."""
    today = datetime.now(UTC).date().isoformat()
    return {f"{folder}/{RECORD}": FIRST.format(date=today, folder=folder), f"{folder}/{TEMPLATE}": BLANK}


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
MODEL_TEXT = """\
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


def write_first_model(survey: ProjectSurvey) -> str:
    """The text of the model."""
    stack = dict.fromkeys(
        [*list_main_languages(survey), *(STACKS[name] for name in STACKS if name in survey.manifests)]
    )
    return MODEL_TEXT.format(
        name=_quoted(os.path.basename(survey.project)), stack=", ".join(stack), about=_quoted(survey.about)
    )


def list_main_languages(survey: ProjectSurvey) -> list[str]:
    """The languages that the project is written in, that of most lines first."""
    languages = survey.code.languages
    total = sum(each.lines for each in languages)
    return [each.name for each in languages[:MOST_LANGUAGES] if each.lines * LEAST_SHARE >= total]


def _quoted(text: str) -> str:
    """A text as YAML reads it from JSON; what is no character is replaced."""
    return json.dumps(text.encode(errors="replace").decode(errors="replace"), ensure_ascii=False)


NAMES = ("patterns", "decisions", "directive", "model", "gitignore")
GENERAL = ("error-handling", "logging", "configuration-and-secrets", "time-and-clocks", "async-and-concurrency")
MOST_PATTERNS = 4
SAME_RULES = {"javascript": "typescript", "tsx": "typescript"}  # a rule for TypeScript holds for these too
IGNORED = ".gitignore"
NEEDLESS = {
    "patterns": ("there are some; `fieldguide patterns add` adds more", "no starter fits what this is written in"),
    "decisions": ("there are some; they are left as they are", ""),
    "directive": ("it is there; `fieldguide directive update` adds what it lacks", ""),
    "model": ("it is there; it is left as it is", ""),
    "gitignore": ("", "nothing that Fieldguide keeps lies in this project"),
}
GIT_SECONDS = 5.0


class Offer(NamedTuple):
    """Something that is missing. `write` gives the paths that were created and those that were there and kept."""

    name: str
    about: str
    paths: tuple[str, ...]
    is_usual: bool
    write: Callable[[], scaffold.ScaffoldResult]


class WrittenOffers(NamedTuple):
    """What was written, what was there and kept, and what could not be written."""

    created: Sequence[str] = ()
    kept: Sequence[str] = ()
    problems: Sequence[str] = ()


def write_offers(chosen: Sequence[Offer]) -> WrittenOffers:
    """Write what was chosen; what can't be written is told, and stops nothing else."""
    created: list[str] = []
    kept: list[str] = []
    problems: list[str] = []
    for each in chosen:
        try:
            written = each.write()
        except Refusal as error:
            problems.append(error.message)
            continue
        created += written.created
        kept += written.kept
    return WrittenOffers(created, kept, problems)


def list_offers(survey: ProjectSurvey) -> list[Offer]:
    """What could be added to a project, in the order in which a person is asked."""
    return [*_patterns(survey), *_decisions(survey), *_directive(survey), *_model(survey), *_gitignore(survey)]


def explain_refused_offers(survey: ProjectSurvey, missing: Sequence[Offer], names: Iterable[str]) -> Iterator[str]:
    """Why what was asked for by name is not added."""
    offered = {each.name for each in missing}
    there = {
        "patterns": bool(survey.patterns),
        "decisions": bool(survey.decisions),
        "directive": bool(survey.directive),
        "model": survey.has_model,
    }
    for name in NAMES:
        if name in names and name not in offered:
            yield f"{name}: {NEEDLESS[name][0] if there.get(name) else NEEDLESS[name][1]}"


def choose_starters(languages: list[str]) -> list[str]:
    """The starter patterns that have rules for one of these languages; the most general first, few enough to read."""
    wanted = {SAME_RULES.get(language, language) for language in languages}
    return [name for name in GENERAL if wanted & _ruled_languages(name)][:MOST_PATTERNS]


def _ruled_languages(name: str) -> set[str]:
    return {
        language for rule in read_pattern(name, new_pattern.read_starter(name)).rules for language in rule.languages
    }


def _patterns(survey: ProjectSurvey) -> Iterator[Offer]:
    languages = list_main_languages(survey)
    names = choose_starters(languages)
    if survey.patterns or not names:
        return
    texts = {f"{RESOURCES}/{PATTERNS}/{name}.md": new_pattern.read_starter(name) for name in names}
    about = f"starter patterns with rules that are checked: {', '.join(names)}"
    yield Offer("patterns", about, tuple(texts), True, partial(_written, survey.project, texts))


def _decisions(survey: ProjectSurvey) -> Iterator[Offer]:
    if not survey.decisions:
        folder = choose_decision_folder([place.folder for place in survey.documents])
        texts = write_first_decision(folder)
        about = f"a folder for decisions, {folder}, with a first record and a template"
        yield Offer("decisions", about, tuple(texts), True, partial(_written, survey.project, texts))


def _directive(survey: ProjectSurvey) -> Iterator[Offer]:
    if not survey.directive:
        about = f"{DIRECTIVE}/: how agents are to work here, and templates for specs"
        paths = tuple(f"{DIRECTIVE}/{name}" for name in scaffold.FILES)
        yield Offer("directive", about, paths, False, partial(scaffold.create_folder, survey.project))


def _model(survey: ProjectSurvey) -> Iterator[Offer]:
    if not survey.has_model:
        about = f"{MODEL}: name the project's modules, their key files and rules"
        write = partial(_written, survey.project, {MODEL: write_first_model(survey)})
        yield Offer("model", about, (MODEL,), False, write)


def _gitignore(survey: ProjectSurvey) -> Iterator[Offer]:
    """A line for what Fieldguide keeps, only where that lies in the project: by default it lies elsewhere."""
    folder = _kept_inside(survey.project)
    if folder and find_git_index(survey.project) and not _is_ignored(survey.project, folder):
        about = f"a line /{folder}/ in {IGNORED}: what Fieldguide keeps lies there"
        yield Offer("gitignore", about, (IGNORED,), True, partial(_ignore, survey.project, f"/{folder}/"))


def _kept_inside(project: str) -> str:
    """The folder at the project's top that holds what we keep; empty where it lies outside."""
    if os.path.isdir(os.path.join(project, OLD_FOLDER)):
        return OLD_FOLDER
    inner = os.path.relpath(os.path.realpath(find_expected_folder(project)), os.path.realpath(project))
    first = inner.split(os.sep)[0]
    return "" if first in ("..", ".") else first


def _is_ignored(project: str, folder: str) -> bool:
    try:
        GitProgram(project, GIT_SECONDS).ask("check-ignore", "-q", "--", f"{folder}/")
    except Unreadable:  # also how git says no
        return False
    return True


def _ignore(project: str, line: str) -> scaffold.ScaffoldResult:
    append_into(project, IGNORED, line)
    return scaffold.ScaffoldResult((IGNORED,), ())


def _written(project: str, texts: dict[str, str]) -> scaffold.ScaffoldResult:
    done = {path: write_into(project, path, text) for path, text in texts.items()}
    return scaffold.ScaffoldResult(
        tuple(path for path, is_new in done.items() if is_new),
        tuple(path for path, is_new in done.items() if not is_new),
    )
