"""What prose gives: rules read from public style guides, held against the guides' own examples and foreign code bases.

A guide's good examples must not be flagged; how many of its bad ones are found is told, also without those that a rule
was made of. With `--field` the rules are run on code bases of other people: each finding is printed with its place, a
few for every rule, and counted as right or wrong where `guide_labels.tsv` has it.
"""

import argparse
import subprocess
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.report import Goal
from fieldguide.files.kinds import language_of
from fieldguide.toolsets.architecture.rules.checking import make_report
from fieldguide.toolsets.architecture.rules.examples import ProseExample, ProseText, read_prose_examples
from fieldguide.toolsets.architecture.rules.parser_process import parse_pattern
from fieldguide.toolsets.architecture.rules.pattern import PatternDocument, is_for_language

LABELS = Path(__file__).parent / "guide_labels.tsv"
MOST_BYTES = 200_000
MOST_FLAGGED, LEAST_RIGHT = 0.01, 0.9


class Guide(NamedTuple):
    """A guide, its rules, and its examples with the identifiers of the rules that each breaks."""

    name: str
    pattern: PatternDocument
    good: list[tuple[ProseExample, list[str]]]
    bad: list[tuple[ProseExample, list[str]]]

    def is_found_by_another(self, bad: ProseExample, rules: list[str]) -> bool:
        """Whether a rule finds a bad example that it was not made of."""
        lines = {rule.id: rule.document_line for rule in self.pattern.rules}
        return any(lines[rule] != bad.line for rule in rules)


class Field(NamedTuple):
    """A code base of other people, checked out."""

    name: str
    commit: str
    folder: Path


class Finding(NamedTuple):
    """A place in a code base that breaks a rule of a guide."""

    repository: str
    commit: str
    path: str
    line: int
    rule: str

    def shown(self) -> str:
        return "\t".join(map(str, self))


def main() -> int:
    """Measure, print, and with `--check` fail when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guides", description=__doc__)
    parser.add_argument("--guide", action="append", default=[], metavar="NAME=FILE", help="a guide in Markdown")
    parser.add_argument("--field", action="append", default=[], metavar="NAME=REPOSITORY", help="a git repository")
    parser.add_argument("--each", type=int, default=3, help="how many findings of a rule in a code base are kept")
    parser.add_argument("--flagged", action="store_true", help="show each good example that is flagged")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    guides = [read_guide(*each.split("=", 1)) for each in options.guide]
    print(f"Guides. {report.describe_machine()}\n")
    print(_example_table(guides), "\n")
    if options.flagged:
        print("\n".join(_flagged(guides)), "\n")
    with tempfile.TemporaryDirectory() as folder:
        fields = [checked_out(each, Path(folder)) for each in options.field]
        findings = {guide.name: list(_sampled(guide, fields, options.each)) for guide in guides}
    goals = [*_example_goals(guides), *_field_goals(findings)]
    print(report.format_goals(goals))
    return int(options.check and any(goal.verdict == "missed" for goal in goals))


def read_guide(name: str, path: str) -> Guide:
    """Read a guide as a pattern document and hold it against its own examples."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    pattern = parse_pattern(name, text)
    examples = [each for each in read_prose_examples(ProseText(text, 0).fences) if each.source.text.strip()]
    judged = [(each, _broken(pattern, each)) for each in examples]
    good, bad = ([each for each in judged if each[0].is_good == wanted] for wanted in (True, False))
    return Guide(name, pattern, good, bad)


def _broken(pattern: PatternDocument, example: ProseExample) -> list[str]:
    findings = make_report(pattern, example.source.text, example.source.language).findings
    return [each.rule for each in findings if each.rule != "parseable"]


def checked_out(stated: str, folder: Path) -> Field:
    """The newest commit of a git repository, in a folder of its own."""
    name, repository = stated.split("=", 1)
    git = ["git", "--git-dir", repository]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    packed = subprocess.run([*git, "archive", "HEAD"], check=True, capture_output=True).stdout
    target = folder / name.replace("/", "+")
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(target, filter="data")
    return Field(name, commit, target)


def _sampled(guide: Guide, fields: Sequence[Field], each: int) -> Iterator[Finding]:
    """The findings of every rule in every code base, at most so many of them: spread over all of its files."""
    for field in fields:
        by_rule: dict[str, list[tuple[Finding, str]]] = defaultdict(list)
        for finding, text in _findings(guide.pattern, field):
            by_rule[finding.rule].append((finding, text))
        for rule, found in sorted(by_rule.items()):
            print(f"{guide.name}  {field.name}  {rule}: {len(found)}")
            step = max(1, len(found) // each)
            for finding, text in found[::step][:each]:
                print(f"  {finding.shown()}\t{text}")
                yield finding


def _findings(pattern: PatternDocument, field: Field) -> Iterator[tuple[Finding, str]]:
    languages = {each for rule in pattern.rules for each in rule.languages}
    for path in sorted(field.folder.rglob("*")):
        name = path.relative_to(field.folder).as_posix()
        language = language_of(name)
        if not is_for_language(languages, language) or not path.is_file() or path.stat().st_size > MOST_BYTES:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        for found in make_report(pattern, text, language, name).findings:
            if found.rule != "parseable":
                shown = lines[found.line - 1].strip()[:120] if found.line <= len(lines) else ""
                yield Finding(field.name, field.commit[:12], name, found.line, found.rule), shown


def _labels() -> dict[Finding, bool]:
    """The findings that were judged by hand, and whether each is right."""
    rows = [line.split("\t") for line in LABELS.read_text(encoding="utf-8").splitlines()[1:]] if LABELS.exists() else []
    return {Finding(row[0], row[1], row[2], int(row[3]), row[4]): row[5] == "right" for row in rows}


def _example_table(guides: Sequence[Guide]) -> str:
    header = ["guide", "bans", "pairs", "advice", "good", "flagged", "bad", "found", "found by another's rule"]
    rows = []
    for guide in guides:
        kinds = Counter("shows this as a bad example" in rule.message for rule in guide.pattern.rules)
        found = [(bad, rules) for bad, rules in guide.bad if rules]
        other = sum(guide.is_found_by_another(*each) for each in found)
        counts = [kinds[False], kinds[True], len(guide.pattern.advice), len(guide.good),
                  sum(bool(rules) for _, rules in guide.good), len(guide.bad), len(found), other]  # fmt: skip
        rows.append([guide.name, *map(str, counts)])
    return report.format_table(header, rows)


def _flagged(guides: Sequence[Guide]) -> Iterator[str]:
    for guide in guides:
        for good, rules in guide.good:
            if rules:
                yield f"{guide.name}:{good.line}  {', '.join(rules)}"


def _example_goals(guides: Sequence[Guide]) -> Iterator[Goal]:
    for guide in guides:
        share = report.divide(sum(bool(rules) for _, rules in guide.good), len(guide.good))
        yield Goal(f"good examples flagged, {guide.name}", "the guide", "at most", MOST_FLAGGED, share)


def _field_goals(findings: dict[str, list[Finding]]) -> Iterator[Goal]:
    labels = _labels()
    for name, found in findings.items():
        known = [labels[each] for each in found if each in labels]
        print(f"{name}: {len(found)} findings kept, {len(known)} labelled, {sum(known)} right")
    known = [labels[each] for found in findings.values() for each in found if each in labels]
    yield Goal(
        "findings in the field that are right", "labels", "at least", LEAST_RIGHT, report.divide(sum(known), len(known))
    )


if __name__ == "__main__":
    raise SystemExit(main())
