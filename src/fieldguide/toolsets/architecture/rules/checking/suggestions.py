"""What to do about a report: the places to mend, then what a machine could not check."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.toolsets.architecture.rules.pattern import Breach, Pattern

MOST_ADVICE = 10
MOST_PROBLEMS = 10
MOST_LINES = 5
LONGEST_ADVICE = 160


class Outcome(NamedTuple):
    """Findings with what stood at their places, and how far the check got."""

    pattern: Pattern
    found: tuple[tuple[Breach, str], ...]
    checked: int
    language: str | None = None
    remarks: tuple[str, ...] = ()
    most: int = 200


def suggest(outcome: Outcome) -> tuple[str, ...]:
    """Concrete lines first, then what stands in the way, then advice."""
    return tuple(
        dict.fromkeys(
            [
                *_unchecked(outcome),
                *_mending(outcome),
                *outcome.remarks,
                *_too_many(outcome),
                *_problems(outcome.pattern),
                *_advice(outcome.pattern),
            ]
        )
    )


def _unchecked(outcome: Outcome) -> Iterator[str]:
    if outcome.checked:
        return
    if not outcome.pattern.rules:
        yield "No rule of this pattern can be checked by machine: nothing here says that the code follows it."
    else:
        code = f"this {outcome.language} code" if outcome.language else "this code"
        yield f"No rule of this pattern could be checked on {code}: nothing here says that the code follows it."


def _mending(outcome: Outcome) -> Iterator[str]:
    """One line for each broken rule, with all its places."""
    by_rule: dict[str, list[tuple[Breach, str]]] = {}
    for finding, subject in outcome.found[: outcome.most]:
        if finding.rule != "parseable":
            by_rule.setdefault(finding.rule, []).append((finding, subject))
    for found in by_rule.values():
        first, subject = found[0]
        lines = ", ".join(str(each.line) for each, _ in found[:MOST_LINES])
        more = f" and {len(found) - MOST_LINES} more" if len(found) > MOST_LINES else ""
        place = f"Line{'s' if len(found) > 1 else ''} {lines}{more}"
        at = f" at `{subject}`" if subject else ""
        said = _sentence(first.fix or first.description)
        yield f"{place}: {said} ({first.rule}{at}; pattern, line {first.document_line})"


def _sentence(text: str) -> str:
    plain = " ".join(text.split())
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def _too_many(outcome: Outcome) -> Iterator[str]:
    left = len(outcome.found) - outcome.most
    if left > 0:
        yield f"{left} more findings are not listed."


def _problems(pattern: Pattern) -> Iterator[str]:
    for problem in pattern.problems[:MOST_PROBLEMS]:
        yield f"The pattern itself has a problem in line {problem.document_line}: {problem.message}"
    if len(pattern.problems) > MOST_PROBLEMS:
        yield f"The pattern has {len(pattern.problems) - MOST_PROBLEMS} more problems."


def _advice(pattern: Pattern) -> Iterator[str]:
    for advice in pattern.advice[:MOST_ADVICE]:
        text = advice.text if len(advice.text) <= LONGEST_ADVICE else advice.text[: LONGEST_ADVICE - 1] + "…"
        yield f"Not checked by machine: {text} (line {advice.document_line})"
    if len(pattern.advice) > MOST_ADVICE:
        yield f"Not checked by machine: {len(pattern.advice) - MOST_ADVICE} more rules of the pattern."
