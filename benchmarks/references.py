"""The references that the product gives beside those that a language server gives, on symbols chosen at random.

    python -m benchmarks.truth --language python … --to TRUTH
    python -m benchmarks.references --truth TRUTH --half seen [--language python] [--errors 20]

`certain` is what is given as a fact, `all` includes the candidates. Lines are compared, not columns. The floor beside
ours is every line that has the name as a word. `--errors` prints what is wrong and what is missed, of the half that
may be looked at only.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.truth.judging import Answering, Figures, Line, Outcome, figures, read_cases
from benchmarks.truth.measured_index import Indexed, index
from benchmarks.truth.words import Words

GOALS = {"python": 0.90, "typescript": 0.90, "go": 0.85, "rust": 0.85, "java": 0.85}
PRECISION_GOAL = 0.95
HEADER = (
    "repository", "symbols", "found", "references", "precision", "recall", "recall all", "precision all",
    "macro p", "macro r", "ms p50", "ms p95", "index s", "index CPU s", "index MiB",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    print(report.describe_machine())
    is_met = True
    for language in options.language or sorted(path.name for path in options.truth.iterdir()):
        files = [
            path
            for path in sorted((options.truth / language).glob(f"*.{options.half}.jsonl"))
            if not options.repo or path.name.split(".")[0] in options.repo
        ]
        if files:
            is_met = _judge_language(language, files, options) and is_met
    return 0 if is_met or not options.check else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.references", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--truth", type=Path, required=True, help="the folder that `benchmarks.truth` wrote")
    parser.add_argument("--checkouts", type=Path, help="default: `checkouts` in the folder of the truth")
    parser.add_argument("--half", choices=("seen", "kept"), default="seen")
    parser.add_argument("--language", nargs="+", help="default: all that there is truth for")
    parser.add_argument("--repo", nargs="+", help="only these repositories")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="print so many errors of each repository")
    parser.add_argument("--state", type=Path, help="keep the indexes here, and take them from here the next time")
    parser.add_argument("--floor", action="store_true", help="only the floor: no index is made")
    parser.add_argument("--check", action="store_true", help="fail where a goal is missed")
    options = parser.parse_args(arguments)
    if options.errors and options.half != "seen":
        parser.error("The kept half is judged, not looked at.")
    return options


def _judge_language(language: str, files: Sequence[Path], options: argparse.Namespace) -> bool:
    ours: list[Outcome] = []
    floor: list[Outcome] = []
    rows: list[list[str]] = []
    for path in files:
        checkout = (options.checkouts or options.truth / "checkouts") / path.name.split(".")[0]
        words = _outcomes(path, Words(checkout, _suffixes(path)))
        floor += words
        if options.floor:
            rows.append(_row(f"{checkout.name} (words)", words))
            continue
        with tempfile.TemporaryDirectory(prefix="references-") as folder:
            outcomes, indexed = _judged(path, checkout, (options.state or Path(folder)) / checkout.name)
        ours += outcomes
        rows.append(_row(checkout.name, outcomes, indexed))
        _print_errors(outcomes, checkout, options.errors)
    rows += [_row(name, outcomes) for name, outcomes in (("all", ours), ("words", floor)) if outcomes]
    print(f"\n{language}, {options.half}\n{report.format_table(HEADER, rows)}", flush=True)
    return _is_met(language, figures(ours)) if ours else True


def _judged(path: Path, checkout: Path, state: Path) -> tuple[list[Outcome], Indexed | None]:
    from benchmarks.truth.ours import Ours

    indexed = None if state.exists() else index(checkout, state)
    with Ours.opened(checkout, state) as ours:
        return _outcomes(path, ours), indexed


def _outcomes(path: Path, answering: Answering) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for case in read_cases(path):
        began = time.perf_counter()
        given = answering.references(case)
        outcomes.append(Outcome(case, given, 1000 * (time.perf_counter() - began)))
    return outcomes


def _row(name: str, outcomes: Sequence[Outcome], indexed: Indexed | None = None) -> list[str]:
    found = figures(outcomes)
    times = [each.milliseconds for each in outcomes]
    made = (indexed.seconds, indexed.cpu_seconds, indexed.peak_mebibytes) if indexed else ()
    return [
        name,
        str(found.symbols),
        str(found.found),
        str(found.references),
        *(_told(value) for value in _shares(found)),
        f"{report.percentile(times, 0.5):.1f}",
        f"{report.percentile(times, 0.95):.1f}",
        *(f"{value:.0f}" for value in made),
        *("" for _ in range(3 - len(made))),
    ]


def _shares(found: Figures) -> Iterator[float | None]:
    yield from (found.precision, found.recall, found.recall_with_candidates, found.precision_of_everything)
    yield from (found.macro_precision, found.macro_recall)


def _told(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _is_met(language: str, found: Figures) -> bool:
    return (found.precision or 0) >= PRECISION_GOAL and (found.recall or 0) >= GOALS.get(language, 0.0)


def _suffixes(path: Path) -> tuple[str, ...]:
    """Of the files that the truth speaks of."""
    names = {name for case in read_cases(path) for name in (case.path, *(line[0] for line in case.references))}
    return tuple({Path(name).suffix for name in names})


def _print_errors(outcomes: Sequence[Outcome], checkout: Path, most: int) -> None:
    left = most
    for each in outcomes:
        told = [("no definition", (each.case.path, each.case.line))] if each.given is None else []
        told += [("wrong", line) for line in sorted(each.wrong)]
        told += [("missed", line) for line in sorted(each.missed)] if each.given is not None else []
        for kind, line in told[:left]:
            if each.given is not None and kind == "missed" and line in each.given.candidates:
                kind = "only a candidate"
            asked = f"{each.case.kind} {each.case.name} ({each.case.path}:{each.case.line})"
            print(f"{kind}: {asked} at {line[0]}:{line[1]}: {_text(checkout, line)}")
        left -= len(told[:left])


def _text(checkout: Path, line: Line) -> str:
    lines = (checkout / line[0]).read_text(encoding="utf-8", errors="replace").split("\n")
    return lines[line[1] - 1].strip()[:120] if line[1] <= len(lines) else ""


if __name__ == "__main__":
    sys.exit(main())
