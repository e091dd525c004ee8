"""`fieldguide init`: shows what a project has, and offers what it lacks; `init directive` writes its way of working."""

import argparse
import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from textwrap import wrap
from typing import Any, NamedTuple

from fieldguide.app import build_app
from fieldguide.cli.console.options import add_json_option, add_place_options, read_settings_from
from fieldguide.cli.console.terminal import (
    BoldText,
    FaintText,
    Line,
    ask_to_agree,
    can_be_asked,
    complain,
    count_terminal_columns,
    fit_to_columns,
    say,
    say_json,
    say_result,
)
from fieldguide.cli.init_questions import AnsweredQuestion, ask_first_questions
from fieldguide.cli.init_survey import ProjectSurvey, survey_project
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.text.display import format_count, make_visible, to_visible_line
from fieldguide.text.errors import Misconfiguration, Refusal
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.resources import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import new_pattern
from fieldguide.toolsets.architecture.rules.pattern import read_pattern
from fieldguide.toolsets.context.overview import PATH as MODEL
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
NAMES = ("patterns", "decisions", "directive", "modules")
GENERAL = ("error-handling", "logging", "configuration-and-secrets", "time-and-clocks", "async-and-concurrency")
MOST_PATTERNS = 4
SAME_RULES = {"javascript": "typescript", "tsx": "typescript"}  # a rule for TypeScript holds for these too
NEEDLESS = {
    "patterns": ("there are some; `fieldguide patterns add` adds more", "no starter fits what this is written in"),
    "decisions": ("there are some; they are left as they are", ""),
    "directive": ("it is there; `fieldguide init directive` adds what it lacks", ""),
    "modules": ("it is there; it is left as it is", ""),
}
EVERYTHING = "all"
MOST_TOLD = 3
LABEL = 11
WIDEST = 110
NARROWEST = 20
MOST_LINES = 4
NONE = "none"
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


class WrittenOffers(NamedTuple):
    """What was written, what was there and kept, and what could not be written."""

    created: Sequence[str] = ()
    kept: Sequence[str] = ()
    problems: Sequence[str] = ()


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
    parser.add_argument("--no-input", action="store_true", help="ask nothing")
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")
    parser.add_argument("--no-questions", action="store_true", help="leave out the questions and answers at the end")
    add_place_options(parser)
    add_json_option(parser)


def run(arguments: Any) -> int:
    """Survey the project, write what is agreed to, and ask first questions; 1 when something could not be written."""
    chosen_names = read_wanted_names(arguments.chosen)
    settings = read_settings_from(arguments)
    if arguments.bundle is not None:
        return _print_bundle(settings, arguments.bundle)
    if arguments.part is not None:
        return _write_directive(settings.project, as_json=arguments.json)
    survey = survey_project(settings)
    missing = list_offers(survey)
    if arguments.json:
        return _run_for_scripts(arguments, settings, survey, missing)
    say(*format_survey(survey))
    problems = _offer(arguments, survey, missing, chosen_names or ())
    complain(*map(to_visible_line, problems))
    if not arguments.no_questions:
        answers, is_whole = _ask_questions(settings, survey)
        say(*format_answers(answers))
        if not is_whole:
            complain("Not everything is read yet. `fieldguide index` finishes it.")
    say("", f"Next: `{NEXT}` connects your agent to this project.")
    return int(bool(problems))


def _offer(
    arguments: argparse.Namespace, survey: ProjectSurvey, missing: Sequence[Offer], names: Collection[str]
) -> Sequence[str]:
    """Write the offers that are chosen, and return the problems."""
    has_answered = arguments.yes or arguments.chosen is not None
    is_asking = not (has_answered or arguments.no_input or arguments.dry_run) and can_be_asked()
    if is_asking and missing:
        say("")
    else:
        say(*format_offers(missing))
    chosen = choose_offers(missing, arguments, is_asking=is_asking)
    say(*explain_refused_offers(survey, missing, names))
    if arguments.dry_run:
        say("")
        for offer in chosen if has_answered else missing:
            say(*(f"would create  {path}" for path in offer.texts))
        return ()
    if missing and not (is_asking or has_answered):
        some = ",".join(each.name for each in missing[:2])
        say("", f"Nothing was written. `fieldguide init --yes` adds all of it, `--with {some}` only that.")
    done = write_offers(survey.project, chosen)
    if done.created or done.kept:
        say("")
    say(*(f"created  {to_visible_line(path)}" for path in done.created))
    say(*(f"kept     {to_visible_line(path)}" for path in done.kept))
    return done.problems


def _run_for_scripts(
    arguments: argparse.Namespace, settings: Settings, survey: ProjectSurvey, missing: Sequence[Offer]
) -> int:
    """The same as one JSON object."""
    chosen = choose_offers(missing, arguments, is_asking=False)
    done = WrittenOffers() if arguments.dry_run else write_offers(survey.project, chosen)
    result: dict[str, Any] = {
        "project": survey.project,
        "found": survey_to_json(survey),
        "missing": [offer_to_json(each) for each in missing],
        "chosen": [each.name for each in chosen],
        **done._asdict(),
    }
    if not arguments.no_questions:
        answers, is_whole = _ask_questions(settings, survey)
        result |= {"questions": [each._asdict() for each in answers], "isWhole": is_whole}
    say_json({**result, "next": NEXT})
    return int(bool(done.problems))


def _ask_questions(settings: Settings, survey: ProjectSurvey) -> tuple[list[AnsweredQuestion], bool]:
    return ask_first_questions(build_app(settings, write_journal=lambda lines: None), survey)


def read_wanted_names(text: str | None) -> frozenset[str] | None:
    """The offers that `--with` names; None where it was not given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*NAMES, EVERYTHING):
            near = suggest_names(name, NAMES)
            raise Misconfiguration(
                f"There is no {name!r} to add.{near} There are {', '.join(NAMES)}, and {EVERYTHING}."
            )
    return frozenset(NAMES if EVERYTHING in names else names)


def choose_offers(offers: Sequence[Offer], arguments: argparse.Namespace, *, is_asking: bool) -> list[Offer]:
    """The offers to take: those that flags name, all with `--yes`, or what somebody says yes to."""
    names = read_wanted_names(arguments.chosen)
    if names is not None:
        return [each for each in offers if each.name in names]
    if arguments.yes:
        return [*offers]
    if not is_asking:
        return []
    return [each for each in offers if ask_to_agree(f"Add {each.about}?", usually=False)]


def format_survey(survey: ProjectSurvey) -> Iterator[Line]:
    """What is here."""
    yield [BoldText(to_visible_line(os.path.basename(survey.project)))]
    if survey.about:
        yield _cut(to_visible_line(survey.about))
    yield from ("", "What is here:")
    facts = {
        "documents": _describe_documents(survey),
        "decisions": _describe_decisions(survey),
        "patterns": _several(survey.patterns),
        "guidelines": _several(survey.guidelines) if survey.guidelines else "",
        "directive": _several(survey.directive),
        "modules": "yes" if survey.has_model else NONE,
        "code": _describe_code(survey),
        "history": _describe_history(survey),
        "for agents": _several(survey.agents),
    }
    yield from (_cut(f"  {name:<{LABEL}} {to_visible_line(told)}") for name, told in facts.items() if told)


def format_offers(offers: Sequence[Offer]) -> Iterator[Line]:
    """What could be added."""
    if offers:
        yield from ("", "What could be added:")
        yield from (_cut(f"  {each.name:<{LABEL}} {to_visible_line(each.about)}") for each in offers)


def format_answers(answers: Sequence[AnsweredQuestion]) -> Iterator[Line]:
    """The questions, each with the place of its answer, its first lines and what it costs to read."""
    if not answers:
        yield from ("", "There is too little here yet to ask about.")
        return
    yield from ("", "Sample questions, with the answers that an agent gets:")
    for number, each in enumerate(answers, start=1):
        yield from ("", [f"{number}. ", BoldText(to_visible_line(each.question))])
        yield [f"   {to_visible_line(each.citation)}  ", FaintText(f"{each.tokens:,} tokens")]
        yield from (_cut(f"   | {line}") for line in wrap_quote(each.quote))


def wrap_quote(quote: Sequence[str]) -> list[str]:
    """A quote in a few lines that fit: a paragraph on one line is broken, and what is left out is marked."""
    width = min(count_terminal_columns(), WIDEST) - len("   | ")
    lines: list[str] = []
    for line in map(make_visible, quote):
        if len(line) <= width:
            lines.append(line)
        else:
            lines += wrap(line, max(width - len(" …"), NARROWEST))
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1].rstrip(' …')} …"]


def survey_to_json(survey: ProjectSurvey) -> dict[str, Any]:
    """What is here, for programs."""
    return {
        "about": survey.about,
        "documents": {
            "count": sum(place.number for place in survey.documents),
            "places": [
                {"folder": each.folder, "count": each.number, "why": each.why, "language": each.language}
                for each in survey.documents
            ],
        },
        "decisions": {
            "count": len(survey.decisions),
            "folders": dict(survey.decision_folders),
            "statuses": dict(survey.statuses),
        },
        "patterns": list(survey.patterns),
        "guidelines": list(survey.guidelines),
        "directive": list(survey.directive),
        "modules": survey.has_model,
        "code": {"languages": [each._asdict() for each in survey.code.languages], "isWhole": survey.code.is_whole},
        "history": {
            "commits": survey.commits.number,
            "authors": survey.commits.authors,
            "since": survey.commits.since,
            "isWhole": survey.commits.is_whole,
        },
        "agentFiles": list(survey.agents),
    }


def offer_to_json(offer: Offer) -> dict[str, Any]:
    """An offer, for programs."""
    return {"name": offer.name, "about": offer.about, "paths": list(offer.texts)}


def _describe_documents(survey: ProjectSurvey) -> str:
    total = 0
    elsewhere = 0
    places: list[str] = []
    for place in survey.documents:
        total += place.number
        if place.folder == ".":
            elsewhere += place.number
        elif place.language:
            places.append(f"{place.number:,} in {place.folder} ({place.language})")
        else:
            places.append(f"{place.number:,} in {place.folder}")
    if not total:
        return NONE
    if not places:
        return f"{total:,}"
    rest = f", {elsewhere:,} elsewhere" if elsewhere else ""
    return f"{total:,}: {_list_some(places)}{rest}"


def _describe_decisions(survey: ProjectSurvey) -> str:
    if not survey.decisions:
        return NONE
    folders = [f"{count:,} in {folder}" for folder, count in survey.decision_folders]
    stands = ", ".join(f"{count:,} {status}" for status, count in survey.statuses[:MOST_TOLD])
    return f"{_list_some(folders)}; {stands}"


def _describe_code(survey: ProjectSurvey) -> str:
    if not survey.code.languages:
        return NONE
    at_least = "" if survey.code.is_whole else "more than "
    languages = [
        f"{each.name} {at_least}{format_count(each.lines, 'line')} in {format_count(each.files, 'file')}"
        for each in survey.code.languages
    ]
    return _list_some(languages)


def _describe_history(survey: ProjectSurvey) -> str:
    commits = survey.commits
    if not commits.number:
        return NONE
    at_least = "" if commits.is_whole else "more than "
    people = "1 person" if commits.authors == 1 else f"{commits.authors:,} people"
    summary = f"{at_least}{format_count(commits.number, 'commit')} by {people}"
    if not commits.since:
        return summary
    return f"{summary}, {'the first' if commits.is_whole else 'back to'} {commits.since}"


def _several(paths: Sequence[str]) -> str:
    if not paths:
        return NONE
    return paths[0] if len(paths) == 1 else f"{len(paths):,}: {_list_some(paths)}"


def _list_some(items: Sequence[str]) -> str:
    """The first items, and how many more there are."""
    listed = ", ".join(items[:MOST_TOLD])
    if len(items) <= MOST_TOLD:
        return listed
    return f"{listed}, and {len(items) - MOST_TOLD:,} more"


def _cut(line: str) -> str:
    return fit_to_columns(line, min(count_terminal_columns(), WIDEST)).rstrip()


def write_offers(project: str, chosen: Sequence[Offer]) -> WrittenOffers:
    """Write what was chosen; what can't be written is told, and stops nothing else."""
    created: list[str] = []
    kept: list[str] = []
    problems: list[str] = []
    for each in chosen:
        try:
            written = write_missing(project, each.texts)
        except Refusal as error:
            problems.append(error.message)
            continue
        created += written.created
        kept += written.kept
    return WrittenOffers(created, kept, problems)


def list_offers(survey: ProjectSurvey) -> list[Offer]:
    """What could be added to a project, in the order in which a person is asked."""
    offers: list[Offer] = []
    starters = choose_starters(list_main_languages(survey))
    if starters and not survey.patterns:
        texts = {f"{RESOURCES}/{PATTERNS}/{name}.md": new_pattern.read_starter(name) for name in starters}
        about = f"starter patterns with rules that are checked: {', '.join(starters)}"
        offers.append(Offer("patterns", about, texts))
    if not survey.decisions:
        offers.append(_offer_decisions(survey))
    if not survey.directive:
        texts = {f"{DIRECTIVE}/{name}": read_default(name) for name in DIRECTIVE_FILES}
        about = f"{DIRECTIVE}/: how agents are to work here, and templates for specs"
        offers.append(Offer("directive", about, texts))
    if not survey.has_model:
        about = f"{MODEL}: name the project's modules, their key files and rules"
        offers.append(Offer("modules", about, {MODEL: write_first_model(survey)}))
    return offers


def _offer_decisions(survey: ProjectSurvey) -> Offer:
    documented = [place.folder for place in survey.documents]
    parent = "doc" if "doc" in documented and "docs" not in documented else "docs"
    folder = f"{parent}/decisions"
    today = datetime.now(UTC).date().isoformat()
    texts = {
        f"{folder}/0001-record-architecture-decisions.md": FIRST.format(date=today, folder=folder),
        f"{folder}/template.md": BLANK,
    }
    return Offer("decisions", f"a folder for decisions, {folder}, with a first record and a template", texts)


def explain_refused_offers(survey: ProjectSurvey, missing: Sequence[Offer], names: Iterable[str]) -> Iterator[str]:
    """Why what was asked for by name is not added."""
    offered = {each.name for each in missing}
    there = {
        "patterns": bool(survey.patterns),
        "decisions": bool(survey.decisions),
        "directive": bool(survey.directive),
        "modules": survey.has_model,
    }
    for name in NAMES:
        if name in names and name not in offered:
            is_there, does_not_fit = NEEDLESS[name]
            yield f"{name}: {is_there if there.get(name) else does_not_fit}"


def choose_starters(languages: list[str]) -> list[str]:
    """The starter patterns that have rules for one of these languages; the most general first, few enough to read."""
    wanted = {SAME_RULES.get(language, language) for language in languages}
    fitting: list[str] = []
    for name in GENERAL:
        rules = read_pattern(name, new_pattern.read_starter(name)).rules
        if any(wanted.intersection(rule.languages) for rule in rules):
            fitting.append(name)
    return fitting[:MOST_PATTERNS]


def write_first_model(survey: ProjectSurvey) -> str:
    """The text of the model."""
    by_manifest = [STACKS[name] for name in STACKS if name in survey.manifests]
    stack = dict.fromkeys([*list_main_languages(survey), *by_manifest])
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
