"""`fieldguide init`: shows what a project has, offers what it lacks, and answers first questions."""

import argparse
import os
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from fieldguide.cli.init_offers import NAMES, Offer, WrittenOffers
from fieldguide.cli.init_questions import AnsweredQuestion
from fieldguide.cli.init_survey import ProjectSurvey
from fieldguide.cli.options import add_place_options, read_settings_from
from fieldguide.cli.terminal import (
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
)
from fieldguide.settings.config import Settings
from fieldguide.text.display import make_visible, to_visible_line
from fieldguide.text.errors import Misconfiguration
from fieldguide.text.near_names import suggest_names

EVERYTHING = "all"


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


def has_answered(arguments: argparse.Namespace) -> bool:
    """Whether a flag says what is wanted."""
    return arguments.yes or arguments.chosen is not None


def may_ask(arguments: argparse.Namespace) -> bool:
    """Whether somebody can be asked, and nothing that was typed has answered already."""
    is_quiet = arguments.no_input or arguments.json or arguments.dry_run
    return not (is_quiet or has_answered(arguments)) and can_be_asked()


def choose_offers(offers: Sequence[Offer], arguments: argparse.Namespace, *, is_asking: bool) -> list[Offer]:
    """The offers to take: those that flags name, all with `--yes`, or what somebody says yes to."""
    names = read_wanted_names(arguments.chosen)
    if names is not None:
        return [each for each in offers if each.name in names]
    if arguments.yes:
        return [*offers]
    return [each for each in offers if is_asking and ask_to_agree(f"Add {each.about}?", usually=each.is_usual)]


MOST_TOLD = 3
LABEL = 11
WIDEST = 110
NARROWEST = 20
MOST_LINES = 4
NONE = "none"


def format_survey(survey: ProjectSurvey) -> Iterator[Line]:
    """What is here."""
    yield [BoldText(to_visible_line(os.path.basename(survey.project)))]
    if survey.about:
        yield _cut(to_visible_line(survey.about))
    yield from ("", "What is here:")
    facts = {
        "documents": _documents(survey),
        "decisions": _decisions(survey),
        "patterns": _several(survey.patterns),
        "guidelines": _several(survey.guidelines) if survey.guidelines else "",
        "directive": _several(survey.directive),
        "model": "yes" if survey.has_model else NONE,
        "code": _code(survey),
        "history": _history(survey),
        "for agents": _several(survey.agents),
    }
    yield from (_cut(f"  {name:<{LABEL}} {to_visible_line(told)}") for name, told in facts.items() if told)


def format_offers(offers: Sequence[Offer]) -> Iterator[Line]:
    """What could be added."""
    if offers:
        yield from ("", "What could be added:")
        yield from (_cut(f"  {each.name:<{LABEL}} {to_visible_line(each.about)}") for each in offers)


def format_planned(offers: Sequence[Offer]) -> Iterator[Line]:
    """What would be written."""
    yield ""
    yield from (f"would create  {path}" for each in offers for path in each.paths)


def format_written(done: WrittenOffers) -> Iterator[Line]:
    """What was written, and what was there and kept."""
    if done.created or done.kept:
        yield ""
    yield from (f"created  {to_visible_line(path)}" for path in done.created)
    yield from (f"kept     {to_visible_line(path)}" for path in done.kept)


def format_hints(missing: Sequence[Offer]) -> Iterator[Line]:
    """How to say what is wanted, for somebody who was not asked."""
    if missing:
        some = ",".join(each.name for each in missing[:2])
        yield from ("", f"Nothing was written. `fieldguide init --yes` adds all of it, `--with {some}` only that.")


def format_answers(answers: Sequence[AnsweredQuestion]) -> Iterator[Line]:
    """The questions, each with the place of its answer, its first lines and what it costs to read."""
    if not answers:
        yield from ("", "There is too little here yet to ask about.")
        return
    yield from ("", "Ask it. The first answers an agent gets here:")
    for number, each in enumerate(answers, start=1):
        yield from ("", [f"{number}. ", BoldText(to_visible_line(each.question))])
        whole = f"; the whole file {each.file_tokens:,}" if each.file_tokens > each.tokens else ""
        yield [f"   {to_visible_line(each.citation)}  ", FaintText(f"{each.tool}: {each.tokens:,} tokens{whole}")]
        yield from (_cut(f"   | {line}") for line in wrap_quote(each.quote))


def wrap_quote(quote: Sequence[str]) -> list[str]:
    """A quote in a few lines that fit: a paragraph on one line is broken, and what is left out is marked."""
    width = min(count_terminal_columns(), WIDEST) - len("   | ")
    lines = [part for line in quote for part in _broken(make_visible(line), width)]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1].rstrip(' …')} …"]


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
        "model": survey.has_model,
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
    return {"name": offer.name, "about": offer.about, "paths": list(offer.paths), "isUsual": offer.is_usual}


def answer_to_json(answer: AnsweredQuestion) -> dict[str, Any]:
    """A question with its answer, for programs."""
    return {
        "question": answer.question,
        "tool": answer.tool,
        "arguments": answer.arguments,
        "citation": answer.citation,
        "quote": list(answer.quote),
        "tokens": answer.tokens,
        "fileTokens": answer.file_tokens,
    }


def format_number(count: int, one: str) -> str:
    """A number with its noun."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def _documents(survey: ProjectSurvey) -> str:
    total = sum(place.number for place in survey.documents)
    apart = [place for place in survey.documents if place.folder != "."]
    rest = total - sum(place.number for place in apart)
    if not total:
        return NONE
    places = [
        f"{place.number:,} in {place.folder}" + (f" ({place.language})" if place.language else "") for place in apart
    ]
    told = _listed(places) + (f", {rest:,} elsewhere" if rest else "")
    return f"{total:,}: {told}" if apart else f"{total:,}"


def _decisions(survey: ProjectSurvey) -> str:
    if not survey.decisions:
        return NONE
    folders = [f"{count:,} in {folder}" for folder, count in survey.decision_folders]
    stands = ", ".join(f"{count:,} {status}" for status, count in survey.statuses[:MOST_TOLD])
    return f"{_listed(folders)}; {stands}"


def _code(survey: ProjectSurvey) -> str:
    if not survey.code.languages:
        return NONE
    at_least = "" if survey.code.is_whole else "more than "
    return _listed(
        f"{each.name} {at_least}{format_number(each.lines, 'line')} in {format_number(each.files, 'file')}"
        for each in survey.code.languages
    )


def _history(survey: ProjectSurvey) -> str:
    commits = survey.commits
    if not commits.number:
        return NONE
    at_least = "" if commits.is_whole else "more than "
    people = "1 person" if commits.authors == 1 else f"{commits.authors:,} people"
    since = f", {'the first' if commits.is_whole else 'back to'} {commits.since}" if commits.since else ""
    return f"{at_least}{format_number(commits.number, 'commit')} by {people}{since}"


def _several(paths: Sequence[str]) -> str:
    if not paths:
        return NONE
    return paths[0] if len(paths) == 1 else f"{len(paths):,}: {_listed(paths)}"


def _listed(items: "Iterator[str] | Sequence[str]") -> str:
    told = list(items)
    more = f", and {len(told) - MOST_TOLD:,} more" if len(told) > MOST_TOLD else ""
    return f"{', '.join(told[:MOST_TOLD])}{more}"


def _broken(line: str, width: int) -> list[str]:
    return [line] if len(line) <= width else wrap(line, max(width - len(" …"), NARROWEST))


def _cut(line: str) -> str:
    return fit_to_columns(line, min(count_terminal_columns(), WIDEST)).rstrip()


NEXT = "fieldguide install"
EPILOG = """\
Asked at a terminal, it adds what you say yes to; without one it adds only what --yes or --with name. Nothing that is
there is changed. exit codes: 0 done, also where nothing was added; 1 something could not be written; 2 a wrong way to
ask
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project, what to add, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument("--yes", action="store_true", help="add everything that is missing, and ask nothing")
    parser.add_argument(
        "--with",
        dest="chosen",
        metavar="A,B",
        help="add only these: patterns, decisions, directive, model, gitignore, or all",
    )
    parser.add_argument("--no-input", action="store_true", help="ask nothing")
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")
    parser.add_argument("--no-questions", action="store_true", help="leave out the questions and answers at the end")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: Any) -> int:
    """Look, offer, write what is agreed to, and ask the first questions; 1 when something could not be written."""
    from fieldguide.cli.init_offers import list_offers
    from fieldguide.cli.init_survey import survey_project

    read_wanted_names(arguments.chosen)  # a wrong name is told before anything is done
    settings = read_settings_from(arguments)
    survey = survey_project(settings)
    missing = list_offers(survey)
    if arguments.json:
        return _run_for_scripts(arguments, settings, survey, missing)
    say(*format_survey(survey))
    problems = _offer(arguments, survey, missing)
    complain(*map(to_visible_line, problems))
    if not arguments.no_questions:
        _ask_questions(settings, survey)
    say("", f"Next: `{NEXT}` connects your agent to this project.")
    return int(bool(problems))


def _offer(arguments: argparse.Namespace, survey: "ProjectSurvey", missing: "Sequence[Offer]") -> Sequence[str]:
    """Add what is wanted; what could not be written is given back."""
    from fieldguide.cli.init_offers import explain_refused_offers, write_offers

    is_asking = may_ask(arguments)
    say(*([""] if is_asking and missing else format_offers(missing)))
    chosen = choose_offers(missing, arguments, is_asking=is_asking)
    say(*explain_refused_offers(survey, missing, read_wanted_names(arguments.chosen) or ()))
    if arguments.dry_run:
        say(*format_planned(chosen if has_answered(arguments) else missing))
        return ()
    if not (is_asking or has_answered(arguments)):
        say(*format_hints(missing))
    done = write_offers(chosen)
    say(*format_written(done))
    return done.problems


def _ask_questions(settings: Settings, survey: "ProjectSurvey") -> None:
    from fieldguide.app import build_app
    from fieldguide.cli.init_questions import ask_first_questions

    answers, is_whole = ask_first_questions(build_app(settings, write_journal=lambda lines: None), survey)
    say(*format_answers(answers))
    if not is_whole:
        complain("Not everything is read yet. `fieldguide index` finishes it.")


def _run_for_scripts(
    arguments: argparse.Namespace, settings: Settings, survey: "ProjectSurvey", missing: "Sequence[Offer]"
) -> int:
    """The same as one JSON object."""
    from fieldguide.app import build_app
    from fieldguide.cli.init_offers import WrittenOffers, write_offers
    from fieldguide.cli.init_questions import ask_first_questions

    chosen = choose_offers(missing, arguments, is_asking=False)
    done = WrittenOffers() if arguments.dry_run else write_offers(chosen)
    told: dict[str, Any] = {
        "project": survey.project,
        "found": survey_to_json(survey),
        "missing": [offer_to_json(each) for each in missing],
        "chosen": [each.name for each in chosen],
        **done._asdict(),
    }
    if not arguments.no_questions:
        app = build_app(settings, write_journal=lambda lines: None)
        answers, is_whole = ask_first_questions(app, survey)
        told |= {"questions": [answer_to_json(each) for each in answers], "isWhole": is_whole}
    say_json({**told, "next": NEXT})
    return int(bool(done.problems))
