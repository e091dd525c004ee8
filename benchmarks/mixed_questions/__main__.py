"""Whether one list answers better than each search by itself: mixed questions to public repositories.

`guide_search` beside the single searches, and beside a list that takes from two of them in turn. Each repository is a
checkout on this machine of the commit that its file names, given as `NAME=PATH`; nothing is fetched.
"""

import argparse
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from statistics import mean, median

from benchmarks import report
from benchmarks.mixed_questions.judging import Place, graded_ndcg, ndcg, new_spans
from benchmarks.mixed_questions.questions import CHOOSE, KEPT, Asked, read_questions
from benchmarks.mixed_questions.serving import GUIDE, SINGLE, Answered, served
from benchmarks.report import Goal

IN_TURN = "code and documents in turn"
WARM_UP = 3
Lists = dict[str, Answered]


def main() -> int:
    """Ask every question of a half."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixed_questions", description=__doc__)
    add = parser.add_argument
    add("--checkout", nargs="+", action="extend", required=True, metavar="NAME=PATH", help="where repositories are")
    add("--half", choices=(CHOOSE, KEPT), default=CHOOSE)
    add("--show", action="store_true", help="print each question with its figure")
    add("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    checkouts = dict(each.split("=", 1) for each in options.checkout)
    answered = [pair for name, path in checkouts.items() for pair in ask(name, path, options.half)]
    if not answered:
        raise SystemExit(f"No question of the half {options.half!r} is about {', '.join(checkouts)}.")
    print(f"Mixed questions, half {options.half!r}. {report.describe_machine()}\n")
    print(report.format_table(HEADINGS, [row(name, answered) for name in answered[0][1]]))
    if options.show:
        for asked, lists in answered:
            print(f"{ndcg(lists[GUIDE].places, asked.gold):.2f} {asked.repository}: {asked.text}")
    goals = judge(answered)
    print(f"\n{report.format_goals(goals)}")
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def ask(name: str, checkout: str, half: str) -> list[tuple[Asked, Lists]]:
    """The lists of every tool for each question to a repository."""
    questions = read_questions(name, half)
    with served(checkout) as project:
        for asked in questions[:WARM_UP]:
            for tool in (*SINGLE, GUIDE):
                project.ask(tool, asked.text)
        return [
            (asked, _lists({tool: project.ask(tool, asked.text) for tool in (*SINGLE, GUIDE)})) for asked in questions
        ]


def _lists(found: Mapping[str, Answered]) -> Lists:
    code, documents = found["context_search"], found["documents_search"]
    pairs = zip_longest(code.places, documents.places)
    in_turn = [place for pair in pairs for place in pair if place is not None]
    return {**found, IN_TURN: Answered(in_turn, code.milliseconds + documents.milliseconds)}


HEADINGS = ["list", "nDCG@10", "graded", "spans@10", "kinds@10", "lines of a hit", "CPU ms p50"]


def row(name: str, answered: Sequence[tuple[Asked, Lists]]) -> list[str]:
    """The figures of a list."""
    lists = [(asked, lists[name].places[:10]) for asked, lists in answered]
    lines = [place.end - place.start + 1 for _, places in lists for place in places]
    return [
        name,
        f"{mean(ndcg(places, asked.gold) for asked, places in lists):.3f}",
        f"{mean(graded_ndcg(places, asked.gold) for asked, places in lists):.3f}",
        f"{mean(_shares(places, asked)[0] for asked, places in lists):.3f}",
        f"{mean(_shares(places, asked)[1] for asked, places in lists):.3f}",
        f"{mean(lines):.0f}" if lines else "-",
        f"{median(lists[name].milliseconds for _, lists in answered):.1f}",
    ]


def _shares(places: Sequence[Place], asked: Asked) -> tuple[float, float]:
    """The shares of the spans and of their kinds that a list touches."""
    touched = [asked.gold[number] for numbers in new_spans(places, asked.gold) for number in numbers]
    kinds = {each.kind for each in asked.gold}
    return len(touched) / len(asked.gold), len({each.kind for each in touched}) / len(kinds)


def judge(answered: Sequence[tuple[Asked, Lists]]) -> list[Goal]:
    """At least .40, above every single search and above two in turn, in one and a half times the slower one."""

    def figure(name: str) -> float:
        return mean(ndcg(lists[name].places, asked.gold) for asked, lists in answered)

    def milliseconds(name: str) -> float:
        return median(lists[name].milliseconds for _, lists in answered)

    best = max(figure(name) for name in (*SINGLE, IN_TURN))
    slowest = max(milliseconds(name) for name in SINGLE)
    return [
        Goal("nDCG@10", GUIDE, "at least", 0.40, figure(GUIDE)),
        Goal("beside the best other list", GUIDE, "at least", best, figure(GUIDE)),
        Goal("times the slowest single search", GUIDE, "at most", 1.5, milliseconds(GUIDE) / slowest),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
