"""Whether a proposal is led to the decision that it replaces, on real records whose authors said which that is.

The newer record's title and decision are the proposal, the newer record is left out, and the older one is put back to
what it was before: accepted, without links to its successor. `with context` also sends the newer record's context, as
a careful client would; `title and decision` sends nothing else. Unrelated are two records of a project that nobody
linked: every record is proposed in turn, with itself left out.

The thresholds of the check were set while looking at these very projects. The figures by project show how they vary;
they are no measure of how the check does on a project that nobody has looked at.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as having
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.adr_baseline import Baseline
from benchmarks.adr_pairs import Pair, Project, Proposal, linked_pairs, propose, read_pairs, read_projects
from benchmarks.labelled_sets import SHARED_DATA
from benchmarks.real_text import KUBERNETES, kubernetes_files
from fieldguide.search.embedders.static_model import StaticModel
from fieldguide.toolsets.architecture.decisions import Record, is_record, read_record
from fieldguide.toolsets.architecture.decisions.alignment import Alignment

RECORDS = SHARED_DATA / "adr"
TREES = (SHARED_DATA / "docs" / "rust-book", SHARED_DATA / "docs" / "fastapi")
FIRST = 3
MANY = 1_000
QUESTIONS = 100
GOAL_FOUND, GOAL_CONFLICTS, GOAL_UNRELATED, GOAL_SECONDS = 0.90, 0.60, 0.05, 0.150
SLOWEST_SECONDS = 2.0

Labels = list[tuple[str, str]]  # the path and the label of each listed record, best first
Check = Callable[[Proposal], Labels]
Maker = Callable[[Sequence[Record]], Check]


@dataclass(slots=True)
class Figures:
    """What one contender did."""

    found: Counter[str] = having(default_factory=Counter[str])
    opposed: Counter[str] = having(default_factory=Counter[str])
    pairs: Counter[str] = having(default_factory=Counter[str])
    unrelated: Counter[str] = having(default_factory=Counter[str])
    wrong: Counter[str] = having(default_factory=Counter[str])
    proposals: Counter[str] = having(default_factory=Counter[str])
    troubled: Counter[str] = having(default_factory=Counter[str])
    linked: Counter[str] = having(default_factory=Counter[str])


class Speed(NamedTuple):
    """Seconds over a thousand records."""

    build: float
    p50: float
    p95: float
    bare_p50: float


def main() -> int:
    """Print every figure; with `--check`, fail where a goal is missed."""
    options = _options()
    if not options.data.is_dir():
        raise SystemExit(f"There is no {options.data}: this measurement needs the shared data.")
    projects = read_projects(options.data)
    superseded, references = (read_pairs(options.data / f"{name}.tsv") for name in ("supersedes", "references"))
    embedder = StaticModel()
    makers: Mapping[str, Maker] = {
        "ours": Ours(embedder),
        "ours, no vectors": Ours(None),
        "BM25 + not/instead/replace": _baseline,
    }
    measured = {
        (name, sends): measure(projects, superseded, references, make, sends=sends)
        for name, make in makers.items()
        for sends in ("with context", "title and decision")
    }
    speed = measure_speed(projects, embedder)
    print(f"Decision records. {report.describe_machine()}\n")
    _print_summary(measured)
    _print_projects(measured["ours", "with context"])
    print(
        f"\n{MANY} records: built {speed.build:.2f} s; p50 {speed.p50 * 1000:.0f} ms, p95 {speed.p95 * 1000:.0f} ms;",
        end=" ",
    )
    print(f"bare BM25 p50 {speed.bare_p50 * 1000:.0f} ms")
    reads = measure_reading(options.data)
    missed = _missed(measured, speed) + reads
    print("\n" + ("\n".join(f"MISSED: {each}" for each in missed) or "All goals are reached on these projects."))
    return int(options.check and bool(missed))


def measure(
    projects: Mapping[str, Project], superseded: Sequence[Pair], references: Sequence[Pair], make: Maker, *, sends: str
) -> Figures:
    """Ask one contender about every pair, and every record as a proposal."""
    figures = Figures()
    for pair in superseded:
        project = projects[pair.project]
        answer = make(project.before(pair))(_sent(project.records[pair.newer], sends))
        figures.pairs[pair.project] += 1
        figures.found[pair.project] += pair.older in [path for path, _ in answer[:FIRST]]
        figures.opposed[pair.project] += dict(answer).get(pair.older) == "conflicts"
    known = linked_pairs(superseded, references)
    for project in projects.values():
        for path, record in project.records.items():
            others = [other for other in project.records.values() if other.path != path]
            given = dict(make(others)(_sent(record, sends)))
            _count_unrelated(figures, project.name, path, others, given, known)
    return figures


def _count_unrelated(
    figures: Figures, project: str, path: str, others: Sequence[Record], answer: Mapping[str, str], known: set[Pair]
) -> None:
    wrong = 0
    for other in others:
        if Pair(project, path, other.path) in known:
            figures.linked[answer.get(other.path, "not listed")] += 1
            continue
        figures.unrelated[project] += 1
        wrong += answer.get(other.path) == "conflicts"
    figures.wrong[project] += wrong
    figures.proposals[project] += 1
    figures.troubled[project] += wrong > 0


def measure_speed(projects: Mapping[str, Project], embedder: StaticModel) -> Speed:
    """A thousand records, the real ones again and again under other names, and real proposals."""
    real = [(f"{name}/{path}", text) for name, project in projects.items() for path, text in project.texts.items()]
    records = [
        read_record(f"{number}/{path}", f"{text}\n\nCopy {number} of {path}.\n")
        for number, (path, text) in zip(range(MANY), real * 3, strict=False)
    ]
    begin = time.perf_counter()
    alignment = Alignment(records, embedder)
    build = time.perf_counter() - begin
    asked = [propose(record) for record in records[:: max(len(real) // QUESTIONS, 1)][:QUESTIONS]]
    bare = Baseline(records)
    ours = [_timed(partial(alignment.check, *each)) for each in asked]
    theirs = [_timed(partial(bare.rank, f"{each.description} {each.context}")) for each in asked]
    return Speed(build, report.percentile(ours, 0.5), report.percentile(ours, 0.95), report.percentile(theirs, 0.5))


def measure_reading(data: Path) -> list[str]:
    """Read files of every kind; a crash ends the run, a slow one is named."""
    files = [
        (path.as_posix(), path.read_text(encoding="utf-8", errors="replace"))
        for tree in (data, *TREES)
        for path in sorted(tree.rglob("*.md"))
    ]
    if KUBERNETES.exists():
        files += [(file.path, file.text) for file in kubernetes_files() if file.path.endswith(".md")]
    seconds = [(_timed(partial(_read, path, text)), path) for path, text in files]
    slowest = max(seconds)
    print(
        f"{len(files)} markdown files read, none crashed; slowest {slowest[0] * 1000:.0f} ms ({Path(slowest[1]).name})"
    )
    return [f"{path} took {taken:.1f} s to read" for taken, path in seconds if taken > SLOWEST_SECONDS]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adr", description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=RECORDS, help="a folder of projects with supersedes.tsv and references.tsv"
    )
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    return parser.parse_args()


class Ours:
    """Our check; what it knows of a record is taken over from one question to the next, as in the product."""

    def __init__(self, embedder: StaticModel | None) -> None:
        self._embedder = embedder
        self._earlier: Alignment | None = None

    def __call__(self, records: Sequence[Record]) -> Check:
        made = self._earlier = Alignment(records, self._embedder, self._earlier)
        return lambda proposal: [(each.record.path, each.alignment) for each in made.check(*proposal).related]


def _baseline(records: Sequence[Record]) -> Check:
    made = Baseline(records)
    return lambda proposal: [(each.path, each.label) for each in made.check(proposal)]


def _sent(record: Record, sends: str) -> Proposal:
    proposal = propose(record)
    return proposal if sends == "with context" else proposal._replace(context="")


def _read(path: str, text: str) -> tuple[bool, Record]:
    return is_record(path, text), read_record(path, text)


def _timed(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def _share(part: Counter[str], whole: Counter[str]) -> float:
    return part.total() / whole.total() if whole.total() else 0.0


def _print_summary(measured: Mapping[tuple[str, str], Figures]) -> None:
    header = [
        "contender",
        "proposal",
        "superseded in first 3",
        "labelled conflicts",
        "unrelated pairs labelled",
        "proposals with one",
    ]
    rows = [
        [name, sends, *(f"{_share(part, whole):.1%} ({part.total()}/{whole.total()})" for part, whole in _parts(each))]
        for (name, sends), each in measured.items()
    ]
    print(report.format_table(header, rows))
    listed = measured["ours", "with context"].linked
    told = ", ".join(f"{label} {count}" for label, count in listed.most_common())
    print(f"\nLinked records (both directions, {listed.total()} pairs), ours with context: {told}\n")


def _parts(figures: Figures) -> list[tuple[Counter[str], Counter[str]]]:
    return [
        (figures.found, figures.pairs),
        (figures.opposed, figures.pairs),
        (figures.wrong, figures.unrelated),
        (figures.troubled, figures.proposals),
    ]


def _print_projects(figures: Figures) -> None:
    rows = defaultdict[str, list[str]](list)
    for project in sorted(figures.proposals):
        rows[project] = [project, *(f"{part[project]}/{whole[project]}" for part, whole in _parts(figures))]
    print(
        report.format_table(
            ["project (ours, with context)", "in first 3", "conflicts", "unrelated labelled", "proposals with one"],
            list(rows.values()),
        )
    )


def _missed(measured: Mapping[tuple[str, str], Figures], speed: Speed) -> list[str]:
    missed: list[str] = []
    for sends in ("with context", "title and decision"):
        found, opposed, wrong, _ = (_share(*part) for part in _parts(measured["ours", sends]))
        checks = (
            (found >= GOAL_FOUND, "in the first 3"),
            (opposed >= GOAL_CONFLICTS, "labelled conflicts"),
            (wrong <= GOAL_UNRELATED, "unrelated"),
        )
        missed += [f"{what}, {sends}" for reached, what in checks if not reached]
    return missed + ([] if speed.p50 < GOAL_SECONDS else ["p50 of a check"])


if __name__ == "__main__":
    raise SystemExit(main())
