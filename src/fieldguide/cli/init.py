"""`fieldguide init`: writes the files that a project lacks, as chosen, indexes it and prints its status.

`init directive` only writes the project's way of working.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from fieldguide.app import build_app
from fieldguide.cli.console.indexing import prepare_index
from fieldguide.cli.console.options import add_json_option, add_place_options, read_settings_from, split_names
from fieldguide.cli.console.terminal import ask_to_confirm, complain, say, say_json, say_result
from fieldguide.cli.status import format_status, read_status
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import GENERATED, VENDORED, find_role, language_of
from fieldguide.files.project_files import list_project_files
from fieldguide.prose.discovery import get_known_text
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError, Misconfiguration, Refusal
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.library import DocumentLibrary
from fieldguide.toolsets.architecture.resources import ADR, PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules.pattern import read_pattern
from fieldguide.toolsets.architecture.rules.starter_patterns import read_starter
from fieldguide.toolsets.context.overview import PATH as MODEL
from fieldguide.toolsets.context.overview import list_code_paths
from fieldguide.toolsets.directive.folder import NAME as DIRECTIVE
from fieldguide.toolsets.directive.folder import TEMPLATES, DirectiveFolder, build_template_bundle
from fieldguide.toolsets.directive.scaffold import FILES as DIRECTIVE_FILES
from fieldguide.toolsets.directive.scaffold import create_folder, read_default, write_missing

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
MOST_LANGUAGES = 3
LEAST_SHARE = 20  # a language counts that has a twentieth of the files
MODEL_TEXT = """\
# What this project is made of. Fieldguide reads this file and never writes it.
version: 1
project:
  name: {name}
  type: service
tech:
  stack: [{stack}]
architecture:
modules: {{}}
# modules:
#   auth:
#     description: Who you are
#     keyFiles:
#       - {{path: src/auth/service.py, role: core}}
#     patterns: [Tokens are opaque]
#     businessRules: [A token lives an hour]
"""
NAMES = ("patterns", "decisions", "directive", "modules")
GENERAL = ("error-handling", "logging", "configuration-and-secrets", "time-and-clocks", "async-and-concurrency")
MOST_PATTERNS = 4
SAME_RULES = {"javascript": "typescript", "tsx": "typescript"}  # a rule for TypeScript holds for these too
EVERYTHING = "all"
NEXT = "fieldguide install"
EPILOG = """\
At a terminal it adds what you say yes to; without one only what --yes or --with name. Nothing that is there is
changed. exit codes: 0 done, also where nothing was added; 1 something could not be written; 2 a wrong way to ask
"""


class Offer(NamedTuple):
    """Something that is missing, and the files that would be written for it, by their paths."""

    name: str
    about: str
    texts: dict[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project, what to add, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument("part", nargs="?", choices=(DIRECTIVE,), help="only write directive/, or what it lacks")
    parser.add_argument("--bundle", metavar="TEMPLATE", help="print a template with the procedure, as JSON")
    parser.add_argument("--yes", action="store_true", help="add everything that is missing, and ask nothing")
    parser.add_argument(
        "--with",
        dest="chosen",
        metavar="A,B",
        help="add only these: patterns, decisions, directive, modules, or all",
    )
    add_place_options(parser)
    add_json_option(parser)


def run(arguments: Any) -> int:
    """Write what is chosen, index the project, print its status; 1 when something could not be written."""
    names = NAMES if arguments.yes else _read_names(arguments.chosen)
    settings = read_settings_from(arguments)
    if arguments.bundle is not None:
        return _print_bundle(settings, arguments.bundle)
    if arguments.part is not None:
        return _write_directive(settings.project, as_json=arguments.json)
    missing = list_offers(settings)
    if names is None:
        chosen = [] if arguments.json else [each for each in missing if ask_to_confirm(f"Add {each.about}?")]
    else:
        chosen = [each for each in missing if each.name in names]
    done = _write(settings.project, chosen)
    app = build_app(settings, write_journal=lambda lines: None)
    try:
        prepared = prepare_index(app, waits=True)
        status = read_status(app)
    finally:
        app.database.close()
    if arguments.json:
        offers = [{"name": each.name, "about": each.about, "paths": list(each.texts)} for each in missing]
        say_json({"missing": offers, **done, "status": status, "next": NEXT})
        return int(bool(done["problems"]))
    say(*_describe(missing, chosen, done))
    complain(*map(to_visible_line, done["problems"]))
    say(*format_status(status), "", f"Next: `{NEXT}` connects your agent to this project.")
    prepared.report()
    return int(bool(done["problems"]))


def _read_names(text: str | None) -> Collection[str] | None:
    """The offers that `--with` names; None where it was not given."""
    names = split_names(text)
    for name in names or ():
        if name not in (*NAMES, EVERYTHING):
            near = suggest_names(name, NAMES)
            raise Misconfiguration(
                f"There is no {name!r} to add.{near} There are {', '.join(NAMES)}, and {EVERYTHING}."
            )
    return NAMES if names is not None and EVERYTHING in names else names


def _write(project: str, chosen: Sequence[Offer]) -> dict[str, list[str]]:
    """Write what was chosen; what can't be written is reported, and stops nothing else."""
    done: dict[str, list[str]] = {"created": [], "kept": [], "problems": []}
    for offer in chosen:
        try:
            written = write_missing(project, offer.texts)
        except Refusal as error:
            done["problems"].append(error.message)
            continue
        done["created"] += written.created
        done["kept"] += written.kept
    return done


def _describe(missing: Sequence[Offer], chosen: Sequence[Offer], done: dict[str, list[str]]) -> Iterator[str]:
    """What was written, and what else could be."""
    yield from (f"created  {to_visible_line(path)}" for path in done["created"])
    yield from (f"kept     {to_visible_line(path)}" for path in done["kept"])
    left = [each for each in missing if each not in chosen]
    if left:
        yield "What could be added, by `fieldguide init --yes` or `--with NAME`:"
        yield from (f"  {each.name:<11} {to_visible_line(each.about)}" for each in left)
    if left or chosen:
        yield ""


def list_offers(settings: Settings) -> list[Offer]:
    """What could be added to a project, in the order in which a person is asked."""
    project = open_project_folder(settings)
    languages = _list_main_languages(project)
    offers: list[Offer] = []
    try:
        shelf = DocumentLibrary(project, settings.sections.get("architecture", {})).shelf()
        has_patterns = bool(shelf.of(PATTERNS))
        has_decisions = any(each.is_decision for each in shelf.of(ADR))
    except FieldguideError:  # what names them can't be read, which `fieldguide doctor` reports
        has_patterns = has_decisions = True
    starters = choose_starters(languages)
    if starters and not has_patterns:
        texts = {f"{RESOURCES}/{PATTERNS}/{name}.md": read_starter(name) for name in starters}
        about = f"starter patterns with rules that are checked: {', '.join(starters)}"
        offers.append(Offer("patterns", about, texts))
    if not has_decisions:
        offers.append(_offer_decisions(project))
    if not any(project.folder(DIRECTIVE).files()):
        texts = {f"{DIRECTIVE}/{name}": read_default(name) for name in DIRECTIVE_FILES}
        about = f"{DIRECTIVE}/: how agents are to work here, and templates for specs"
        offers.append(Offer("directive", about, texts))
    if project.status(MODEL) is None:
        about = f"{MODEL}: name the project's modules, their key files and rules"
        offers.append(Offer("modules", about, {MODEL: _write_first_model(project, languages)}))
    return offers


def _offer_decisions(project: ConfinedFolder) -> Offer:
    has_only_doc = any(project.folder("doc").files()) and not any(project.folder("docs").files())
    folder = "doc/decisions" if has_only_doc else "docs/decisions"
    today = datetime.now(UTC).date().isoformat()
    texts = {
        f"{folder}/0001-record-architecture-decisions.md": FIRST.format(date=today, folder=folder),
        f"{folder}/template.md": BLANK,
    }
    return Offer("decisions", f"a folder for decisions, {folder}, with a first record and a template", texts)


def choose_starters(languages: list[str]) -> list[str]:
    """The starter patterns that have rules for one of these languages; the most general first, few enough to read."""
    wanted = {SAME_RULES.get(language, language) for language in languages}
    fitting: list[str] = []
    for name in GENERAL:
        rules = read_pattern(name, read_starter(name)).rules
        if any(wanted.intersection(rule.languages) for rule in rules):
            fitting.append(name)
    return fitting[:MOST_PATTERNS]


def _write_first_model(project: ConfinedFolder, languages: Sequence[str]) -> str:
    """The text of the model."""
    name = os.path.basename(project.root).encode(errors="replace").decode(errors="replace")
    return MODEL_TEXT.format(name=json.dumps(name, ensure_ascii=False), stack=", ".join(languages))


def _list_main_languages(project: ConfinedFolder) -> list[str]:
    """The languages that the project is written in, that of most files first."""
    roots = get_known_text(project.root).now(project).roots
    files = Counter[str]()
    for path in list_code_paths(list_project_files(project).paths, roots):
        if find_role(path) not in (GENERATED, VENDORED):
            files[language_of(path) or ""] += 1
    most = files.most_common(MOST_LANGUAGES)
    return [language for language, count in most if count * LEAST_SHARE >= files.total()]


def _print_bundle(settings: Settings, name: str) -> int:
    """Print a template of `directive/` with the procedure and the context."""
    template = f"{name}_template.md" if f"{name}_template.md" in TEMPLATES else name
    say_json(build_template_bundle(DirectiveFolder(open_project_folder(settings)), template))
    return 0


def _write_directive(project: str, *, as_json: bool) -> int:
    """Create `directive/` with our defaults, or add the files that it lacks; nothing that is there is changed."""
    written = create_folder(project)
    lines = [f"created  {path}" for path in written.created] + [f"kept     {path}" for path in written.kept]
    if not written.created:
        lines.append("Nothing was missing.")
    say_result({"created": written.created, "kept": written.kept}, lines, as_json=as_json)
    return 0
