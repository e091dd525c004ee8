"""`fieldguide init`: the guided start. What a project has, what could be added, and the first questions, answered."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.config import Settings
from fieldguide.spine.foreign_text.visible_text import shown

if TYPE_CHECKING:
    from fieldguide.cli.beginning.offers import Offer
    from fieldguide.cli.beginning.survey import Survey

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
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: Any) -> int:
    """Look, offer, write what is agreed to, and ask the first questions; 1 when something could not be written."""
    from fieldguide.cli.beginning.agreement import wanted_names
    from fieldguide.cli.beginning.offers import offers
    from fieldguide.cli.beginning.survey import look_over
    from fieldguide.cli.beginning.telling import survey_lines

    wanted_names(arguments.chosen)  # a wrong name is told before anything is done
    settings = settings_from(arguments)
    survey = look_over(settings)
    missing = offers(survey)
    if arguments.json:
        return _run_for_scripts(arguments, settings, survey, missing)
    say(*survey_lines(survey))
    problems = _offer(arguments, survey, missing)
    complain(*map(shown, problems))
    if not arguments.no_questions:
        _ask_questions(settings, survey)
    say("", f"Next: `{NEXT}` connects your agent to this project.")
    return int(bool(problems))


def _offer(arguments: argparse.Namespace, survey: "Survey", missing: "Sequence[Offer]") -> Sequence[str]:
    """Add what is wanted; what could not be written is given back."""
    from fieldguide.cli.beginning.agreement import agreed, has_answered, may_ask, wanted_names
    from fieldguide.cli.beginning.offers import needless, take
    from fieldguide.cli.beginning.telling import done_lines, hint_lines, offer_lines, would_lines

    is_asking = may_ask(arguments)
    say(*([""] if is_asking and missing else offer_lines(missing)))
    chosen = agreed(missing, arguments, is_asking=is_asking)
    say(*needless(survey, missing, wanted_names(arguments.chosen) or ()))
    if arguments.dry_run:
        say(*would_lines(chosen if has_answered(arguments) else missing))
        return ()
    if not (is_asking or has_answered(arguments)):
        say(*hint_lines(missing))
    done = take(chosen)
    say(*done_lines(done))
    return done.problems


def _ask_questions(settings: Settings, survey: "Survey") -> None:
    from fieldguide.app import build_app
    from fieldguide.cli.beginning.first_questions import first_questions
    from fieldguide.cli.beginning.telling import answer_lines

    answers, is_whole = first_questions(build_app(settings, write_journal=lambda lines: None), survey)
    say(*answer_lines(answers))
    if not is_whole:
        complain("Not everything is read yet. `fieldguide index` finishes it.")


def _run_for_scripts(
    arguments: argparse.Namespace, settings: Settings, survey: "Survey", missing: "Sequence[Offer]"
) -> int:
    """The same as one JSON object."""
    from fieldguide.app import build_app
    from fieldguide.cli.beginning.agreement import agreed
    from fieldguide.cli.beginning.first_questions import first_questions
    from fieldguide.cli.beginning.offers import Done, take
    from fieldguide.cli.beginning.telling import answer_json, offer_json, survey_json

    chosen = agreed(missing, arguments, is_asking=False)
    done = Done() if arguments.dry_run else take(chosen)
    told: dict[str, Any] = {
        "project": survey.project,
        "found": survey_json(survey),
        "missing": [offer_json(each) for each in missing],
        "chosen": [each.name for each in chosen],
        **done._asdict(),
    }
    if not arguments.no_questions:
        app = build_app(settings, write_journal=lambda lines: None)
        answers, is_whole = first_questions(app, survey)
        told |= {"questions": [answer_json(each) for each in answers], "isWhole": is_whole}
    say_json({**told, "next": NEXT})
    return int(bool(done.problems))
