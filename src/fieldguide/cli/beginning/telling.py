"""What `fieldguide init` says: the survey, the offers and the answers, as lines for people and as JSON for scripts."""

import os
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from fieldguide.cli.beginning.asking import Answered
from fieldguide.cli.beginning.offers import Done, Offer
from fieldguide.cli.beginning.survey import Survey
from fieldguide.cli.terminal import Bold, Faint, Line, fitted, terminal_columns
from fieldguide.spine.foreign_text.visible_text import shown, visible

MOST_TOLD = 3
LABEL = 11
WIDEST, NARROWEST = 110, 20
MOST_LINES = 4
NONE = "none"


def survey_lines(survey: Survey) -> Iterator[Line]:
    """What is here."""
    yield [Bold(shown(os.path.basename(survey.project)))]
    if survey.about:
        yield _cut(shown(survey.about))
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
    yield from (_cut(f"  {name:<{LABEL}} {shown(told)}") for name, told in facts.items() if told)


def offer_lines(offers: Sequence[Offer]) -> Iterator[Line]:
    """What could be added."""
    if offers:
        yield from ("", "What could be added:")
        yield from (_cut(f"  {each.name:<{LABEL}} {shown(each.about)}") for each in offers)


def would_lines(offers: Sequence[Offer]) -> Iterator[Line]:
    """What would be written."""
    yield ""
    yield from (f"would create  {path}" for each in offers for path in each.paths)


def done_lines(done: Done) -> Iterator[Line]:
    """What was written, and what was there and kept."""
    if done.created or done.kept:
        yield ""
    yield from (f"created  {shown(path)}" for path in done.created)
    yield from (f"kept     {shown(path)}" for path in done.kept)


def hint_lines(missing: Sequence[Offer]) -> Iterator[Line]:
    """How to say what is wanted, for somebody who was not asked."""
    if missing:
        some = ",".join(each.name for each in missing[:2])
        yield from ("", f"Nothing was written. `fieldguide init --yes` adds all of it, `--with {some}` only that.")


def answer_lines(answers: Sequence[Answered]) -> Iterator[Line]:
    """The questions, each with the place of its answer, its first lines and what it costs to read."""
    if not answers:
        yield from ("", "There is too little here yet to ask about.")
        return
    yield from ("", "Ask it. The first answers an agent gets here:")
    for number, each in enumerate(answers, start=1):
        yield from ("", [f"{number}. ", Bold(shown(each.question))])
        whole = f"; the whole file {each.file_tokens:,}" if each.file_tokens > each.tokens else ""
        yield [f"   {shown(each.citation)}  ", Faint(f"{each.tool}: {each.tokens:,} tokens{whole}")]
        yield from (_cut(f"   | {line}") for line in quote_lines(each.quote))


def quote_lines(quote: Sequence[str]) -> list[str]:
    """A quote in a few lines that fit: a paragraph on one line is broken, and what is left out is marked."""
    width = min(terminal_columns(), WIDEST) - len("   | ")
    lines = [part for line in quote for part in _broken(visible(line), width)]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} …"]


def survey_json(survey: Survey) -> dict[str, Any]:
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


def offer_json(offer: Offer) -> dict[str, Any]:
    """An offer, for programs."""
    return {"name": offer.name, "about": offer.about, "paths": list(offer.paths), "isUsual": offer.is_usual}


def answer_json(answer: Answered) -> dict[str, Any]:
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


def number_of(count: int, one: str) -> str:
    """A number with its noun."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def _documents(survey: Survey) -> str:
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


def _decisions(survey: Survey) -> str:
    if not survey.decisions:
        return NONE
    folders = [f"{count:,} in {folder}" for folder, count in survey.decision_folders]
    stands = ", ".join(f"{count:,} {status}" for status, count in survey.statuses[:MOST_TOLD])
    return f"{_listed(folders)}; {stands}"


def _code(survey: Survey) -> str:
    if not survey.code.languages:
        return NONE
    at_least = "" if survey.code.is_whole else "more than "
    return _listed(
        f"{each.name} {at_least}{number_of(each.lines, 'line')} in {number_of(each.files, 'file')}"
        for each in survey.code.languages
    )


def _history(survey: Survey) -> str:
    commits = survey.commits
    if not commits.number:
        return NONE
    at_least = "" if commits.is_whole else "more than "
    people = "1 person" if commits.authors == 1 else f"{commits.authors:,} people"
    since = f", {'the first' if commits.is_whole else 'back to'} {commits.since}" if commits.since else ""
    return f"{at_least}{number_of(commits.number, 'commit')} by {people}{since}"


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
    return fitted(line, min(terminal_columns(), WIDEST)).rstrip()
