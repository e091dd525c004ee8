"""Whether text beside the code is found when it is asked for, and stays behind code when it is not.

Each repository is a checkout on this machine of the commit that its file names, given as `NAME=PATH`; nothing is
fetched. Questions about code (`benchmarks/code_questions`) are asked of the same checkouts, to see that they lose
nothing.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.mixed_questions.serving import GUIDE, Served, served

HERE = Path(__file__).parent
CODE_QUESTIONS = HERE.parent / "code_questions"
TOOLS = (GUIDE, "context_search")
CODE = "code"


class TextQuestion(NamedTuple):
    """A question, its form, and the files that answer it."""

    form: str
    text: str
    files: frozenset[str]


def main() -> int:
    """Ask every question of one part of the split."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text_questions", description=__doc__)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="NAME=PATH", help="where repositories are")
    parser.add_argument("--part", choices=("choose", "kept"), default="choose")
    parser.add_argument("--show", action="store_true", help="print the place of the answer to each question")
    options = parser.parse_args()
    places: dict[tuple[str, str], list[int | None]] = {}
    for each in options.checkout:
        name, _, path = each.partition("=")
        if _part_of(name) != options.part:
            continue
        with served(path) as checkout:
            for question in [*read_questions(HERE / f"{name}.tsv"), *read_questions(CODE_QUESTIONS / f"{name}.tsv")]:
                for tool in TOOLS:
                    found = _place(checkout, tool, question)
                    places.setdefault((tool, question.form), []).append(found)
                    if options.show:
                        print(f"{name}\t{tool}\t{question.form}\t{found}\t{question.text}")
    print(f"Text beside the code, part {options.part!r}. {report.describe_machine()}\n")
    rows = [[tool, form, *_figures(found)] for (tool, form), found in sorted(places.items())]
    print(report.format_table(["tool", "form", "questions", "first", "in three", "in five", "in ten"], rows))
    return 0


def read_questions(path: Path) -> Iterator[TextQuestion]:
    """The questions of a file, if it is there; those of code are all of one form."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"):
            yield TextQuestion(row.get("form") or CODE, row["question"], frozenset(row["files"].split()))


def _part_of(name: str) -> str:
    return (HERE / f"{name}.tsv").read_text(encoding="utf-8").partition("\n")[0].rpartition(" ")[2]


def _place(checkout: Served, tool: str, question: TextQuestion) -> int | None:
    """The place of the first right file, from 1."""
    paths = [*dict.fromkeys(place.path for place in checkout.ask(tool, question.text).places)]
    return next((place for place, path in enumerate(paths, 1) if path in question.files), None)


def _figures(places: Sequence[int | None]) -> Iterator[str]:
    yield str(len(places))
    for most in (1, 3, 5, 10):
        yield f"{sum(place is not None and place <= most for place in places) / len(places):.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
