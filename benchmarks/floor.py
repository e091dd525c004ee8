"""Whether a question that nothing fits gets nothing: how many answers the floor costs, and how much filler it spares.

Every set is asked its own questions and those of other sets of documents (code: of code too), which it does not
answer. The labelled sets are what the floor was chosen on. It is judged on folders of Markdown (`--docs`), whose
headings are taken out and asked for, and on the kept half of the questions to code (`--checkout`).
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.code_answers import TEST, indexed, read_questions
from benchmarks.engines import Engine, find_embedder, read_document
from benchmarks.labelled_sets import SETS, SHARED_DATA, read_sets
from benchmarks.report import Goal
from fieldguide.search.embedders.heading_questions import make_trial
from fieldguide.search.embedders.model_bench import document_of
from fieldguide.search.embedders.models import BUILT_IN
from fieldguide.search.engine import Question
from fieldguide.search.fitness import DOCUMENT_FLOOR
from fieldguide.search.misfits import Floored
from fieldguide.search.port import Hit, NewDocument, Scope, Source
from fieldguide.toolsets.context import searching
from fieldguide.toolsets.documents.service import MOST_OF_ONE

LIMIT = 10
QUESTIONS = 300
MOST_CHUNKS = 12_000
NONSENSE = (
    "zebra quantum recipe", "asdf qwer zxcv", "purple monkey dishwasher", "how to bake sourdough bread",
    "best pizza in naples", "football world cup winner 1998", "capital of mongolia", "cheap flights to lisbon",
    "qwertyuiop", "xkcd flurbinator grommet", "tomato soup with basil", "horoscope for aquarius",
    "violin concerto in d minor", "garden gnome restoration", "snorkeling with dolphins", "medieval castle siege",
)  # fmt: skip
Search = Callable[[str], Sequence[Hit]]


class Asked(NamedTuple):
    """A question and the documents that answer it in its own set."""

    text: str
    right: frozenset[str]


class Asking(NamedTuple):
    """A set in its index: how to search it with and without a floor, and its own questions."""

    name: str
    kind: str
    is_chosen_on: bool
    floored: Search
    unfloored: Search
    asked: Sequence[Asked]


class Costs(NamedTuple):
    """The shares of a set: right answers lost, questions of other sets and nonsense that get nothing."""

    name: str
    kind: str
    is_chosen_on: bool
    lost: float
    foreign: float
    nonsense: float


def main() -> int:
    """Ask each set everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor", description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, action="append", help="a labelled set or a folder of them, repeatable (default: ours)")
    add("--docs", type=Path, action="append", help="a folder of Markdown, repeatable (default: ours)")
    add("--checkout", action="append", default=[], metavar="NAME=PATH", help="a repository with questions to its code")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    folders = options.docs or [each for each in sorted((SHARED_DATA / "docs").glob("*")) if each.is_dir()]
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        sets = [*labelled(options.data or [SETS], Path(folder)), *trees(folders, Path(folder))]
        sets += code(dict(each.split("=", 1) for each in options.checkout), Path(folder))
        costs = [measure(each, sets) for each in sets if each.asked]
    print(f"Floor. {report.describe_machine()}\n")
    rows = [
        [each.name, each.kind, "yes" if each.is_chosen_on else "no", *(f"{share:.3f}" for share in each[3:])]
        for each in costs
    ]
    print(report.format_table(["set", "kind", "chosen on", "lost", "foreign to nothing", "nonsense to nothing"], rows))
    goals = [goal for kind in dict.fromkeys(each.kind for each in costs) for goal in judge(costs, kind)]
    print(f"\n{report.format_goals(goals)}")
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def labelled(folders: Sequence[Path], scratch: Path) -> Iterator[Asking]:
    """The labelled sets of questions."""
    for each in read_sets(folders):
        if not each.is_related_task:
            documents = (read_document(one.id, one.text, title=one.title) for one in each.documents)
            asked = [Asked(one.text, frozenset(each.labels[one.id])) for one in each.queries[:QUESTIONS]]
            yield _documents(each.name, documents, asked, scratch, is_chosen_on=True)


def trees(folders: Sequence[Path], scratch: Path) -> Iterator[Asking]:
    """Folders of Markdown without their headings, which are the questions."""
    for folder in folders:
        texts = [
            (str(path.relative_to(folder)), path.read_text(encoding="utf-8", errors="replace"))
            for path in sorted(folder.rglob("*.md"))
        ]
        trial = make_trial(texts, questions=QUESTIONS, chunks=MOST_CHUNKS)
        documents = (document_of(name, sections) for name, sections in trial.documents.items())
        asked = [Asked(each.question, frozenset((each.document,))) for each in trial.asked]
        yield _documents(folder.name, documents, asked, scratch, is_chosen_on=False)


def _documents(
    name: str, documents: Iterator[NewDocument], asked: Sequence[Asked], scratch: Path, *, is_chosen_on: bool
) -> Asking:
    engine = Engine(scratch / f"{name}.db", find_embedder(BUILT_IN))
    scope = Scope((engine.fill(Source("documents", name), documents),))
    floor = Floored(frozenset(scope.sources), DOCUMENT_FLOOR)
    plain = Question("", scope, LIMIT, most_of_one=MOST_OF_ONE)
    return Asking(
        name,
        "documents",
        is_chosen_on,
        lambda text: engine.search(plain._replace(text=text, floored=(floor,))),
        lambda text: engine.search(plain._replace(text=text)),
        asked,
    )


def code(checkouts: dict[str, str], scratch: Path) -> Iterator[Asking]:
    """Repositories, asked the half of their questions that nobody looks at while choosing."""
    asked = [each for each in read_questions(checkouts) if each.is_kept and each.kind != TEST]
    for name, path in checkouts.items():
        (scratch / f"code-{name}").mkdir()
        engine, scope = indexed(path, scratch / f"code-{name}")
        own = [Asked(each.text, each.files) for each in asked if each.repository == name]
        yield Asking(name, "code", False, *_code_searches(engine, scope), own)


def _code_searches(engine: Engine, scope: Scope) -> tuple[Search, Search]:
    floor = (searching.code_floor(scope.sources),)
    return (
        lambda text: searching.find(engine, text, scope, None, floor)[:LIMIT],
        lambda text: searching.find(engine, text, scope, None)[:LIMIT],
    )


def measure(own: Asking, sets: Sequence[Asking]) -> Costs:
    """What the floor costs a set, and what it spares it."""
    answered = [each for each in own.asked if any(hit.document in each.right for hit in own.unfloored(each.text))]
    lost = [not own.floored(each.text) for each in answered]
    others = [each for each in sets if each.name != own.name and each.kind in (own.kind, "documents")]
    foreign = [not own.floored(each.text) for other in others for each in other.asked]
    nonsense = [not own.floored(text) for text in NONSENSE]
    for text in NONSENSE:
        if hits := own.floored(text):
            print(f"{own.name} answers {text!r} with {hits[0].document}", file=sys.stderr)
    return Costs(own.name, own.kind, own.is_chosen_on, _share(lost), _share(foreign), _share(nonsense))


def judge(costs: Sequence[Costs], kind: str) -> list[Goal]:
    """The goals over the sets of a kind that the floor was not chosen on."""
    judged = [each for each in costs if each.kind == kind and not each.is_chosen_on]
    if not judged:
        return []
    foreign = 0.8 if kind == "documents" else 0.5
    shares = [(each.lost, each.foreign, each.nonsense) for each in judged]
    mean = [sum(column) / len(judged) for column in zip(*shares, strict=True)]
    return [
        Goal("answers lost", kind, "at most", 0.01, mean[0]),
        Goal("foreign questions to nothing", kind, "at least", foreign, mean[1]),
        Goal("nonsense to nothing", kind, "at least", 1.0, mean[2]),
    ]


def _share(claims: Sequence[bool]) -> float:
    return sum(claims) / len(claims) if claims else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
