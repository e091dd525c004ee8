"""What to do about a report: the places to mend, then what stands in the way, then what else the document says."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.toolsets.architecture.rules.pattern import Breach, Pattern

MOST_ADVICE = 5
MOST_PROBLEMS = 10
MOST_LINES = 5
LONGEST_ADVICE = 160
NOTHING_CHECKED = "No rule of this pattern was checked: nothing here says that the code follows it."


class Outcome(NamedTuple):
    """Findings with what stood at their places, and how far the check got."""

    pattern: Pattern
    found: tuple[tuple[Breach, str], ...]
    checked: int
    remarks: tuple[str, ...]
    most: int


def suggest(outcome: Outcome) -> tuple[str, ...]:
    """Concrete lines first, then what stands in the way, then advice."""
    nothing = () if outcome.checked else (NOTHING_CHECKED,)
    left = len(outcome.found) - outcome.most
    too_many = (f"{left} more findings are not listed.",) if left > 0 else ()
    pattern = outcome.pattern
    return tuple(
        dict.fromkeys(
            [*nothing, *_mending(outcome), *outcome.remarks, *too_many, *_problems(pattern), *_advice(pattern)]
        )
    )


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
        said = " ".join((first.fix or first.description).split())
        end = "" if said.endswith((".", "!", "?")) else "."
        yield f"{place}: {said}{end} ({first.rule}{at}; pattern, line {first.document_line})"


def _problems(pattern: Pattern) -> Iterator[str]:
    for problem in pattern.problems[:MOST_PROBLEMS]:
        yield f"The pattern itself has a problem in line {problem.document_line}: {problem.message}"
    if len(pattern.problems) > MOST_PROBLEMS:
        yield f"The pattern has {len(pattern.problems) - MOST_PROBLEMS} more problems."


def _advice(pattern: Pattern) -> Iterator[str]:
    for advice in pattern.advice[:MOST_ADVICE]:
        text = advice.text if len(advice.text) <= LONGEST_ADVICE else advice.text[: LONGEST_ADVICE - 1] + "…"
        yield f"The document also says (line {advice.document_line}): {text}"
