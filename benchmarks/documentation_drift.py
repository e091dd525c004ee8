"""Replays commits that removed something their documentation named, and asks whether the check tells it at once.

The cases are mined from a repository's own history, without any of our rules: see `drift_cases`. The check runs as of
the change that broke the document, as CI would (`--since` its first parent), and must name the document and the name.

    python -m benchmarks.documentation_drift REPOSITORY... [--most 150] [--work FOLDER [--again]] [--misses]

A repository is a git folder with its whole history; it is cloned, and nothing is written into it.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.drift_cases import Case, git, is_implementation, is_path, mined


@dataclass(slots=True)
class Replay:
    """What the check told: the cases that it found and missed, its other alarms, and its CPU seconds."""

    found: list[Case] = field(default_factory=list[Case])
    missed: list[Case] = field(default_factory=list[Case])
    others: int = 0
    seconds: float = 0.0


def main() -> None:
    """Mine, replay and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=150, help="breaking commits of each repository")
    parser.add_argument("--latest", type=int, default=1_000_000, help="commits of each repository that are looked at")
    parser.add_argument("--work", type=Path, help="where to clone to (default: a folder that is removed again)")
    parser.add_argument("--again", action="store_true", help="replay what was mined into --work before")
    parser.add_argument("--misses", action="store_true", help="print each case that was not found")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for repository in arguments.repositories:
            _judge(repository, arguments.work or Path(scratch), arguments)


def _judge(repository: Path, work: Path, arguments: argparse.Namespace) -> None:
    clone = work / f"replay-{repository.resolve().parent.name}"
    if not clone.exists():
        git(repository, "clone", "-q", "--no-checkout", str(repository), str(clone))
    began = time.process_time()
    cases = _kept_cases(clone, arguments) or mined(clone, arguments.most, arguments.latest)
    clone.with_suffix(".cases.json").write_text(json.dumps(cases))
    mining = time.process_time() - began
    replay = replayed(clone, cases, is_verbose=arguments.misses)
    print(f"{clone.name}: {figures(replay)}; mined in {mining:.0f} s", flush=True)


def _kept_cases(clone: Path, arguments: argparse.Namespace) -> list[Case]:
    """What was mined before, where it is asked for."""
    kept = clone.with_suffix(".cases.json")
    return [Case(*each) for each in json.loads(kept.read_text())] if arguments.again and kept.exists() else []


def figures(replay: Replay) -> str:
    """The shares in one line."""
    found, judged = replay.found, [*replay.found, *replay.missed]
    commits = {case.broke for case in judged}
    whole = commits - {case.broke for case in replay.missed}
    return (
        f"{len(commits)} commits, {len(judged)} mentions; found {_share(len(found), len(judged))}, commits with "
        f"one found {_share(len({case.broke for case in found}), len(commits))}, with all found "
        f"{_share(len(whole), len(commits))}; {replay.others} other alarms; "
        f"{replay.seconds / max(len(commits), 1):.2f} s CPU a commit"
    )


def replayed(clone: Path, cases: list[Case], *, is_verbose: bool) -> Replay:
    """Run the check as of each commit that broke a document."""
    from fieldguide.files.confined_folder import ConfinedFolder
    from fieldguide.knowledge.links.drift import find_drift
    from fieldguide.knowledge.links.project_names import DriftCache

    kept, replay = DriftCache(), Replay()
    by_commit: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_commit[case.broke].append(case)
    for commit, wanted in by_commit.items():
        if not _succeeds(clone, "checkout", "-q", "-f", "--detach", commit):
            continue
        began = time.process_time()
        drifts = find_drift(ConfinedFolder(str(clone)), kept, since=f"{commit}^")
        replay.seconds += time.process_time() - began
        alarms = [each for each in drifts if each.is_alarm]
        for case in wanted:
            if any(each.document == case.document and case.name in f"{each.name} {each.gone}" for each in alarms):
                replay.found.append(case)
            elif not _is_still_there(clone, case.name):
                replay.missed.append(case)
                if is_verbose:
                    hints = [each for each in drifts if each.document == case.document and case.name in each.name]
                    said = [(each.line, each.name, each.confidence, each.source, each.reason) for each in hints[:2]]
                    print(f"  missed {case.name} in {case.document} by {commit[:9]}: {said}")
        named = {(case.document, case.name) for case in wanted}
        replay.others += len({(each.document, each.gone) for each in alarms} - named)
    return replay


def _is_still_there(clone: Path, name: str) -> bool:
    """Whether the implementation that is checked out has a name after all: what was counted along branches may err."""
    if is_path(name):
        return False
    listed = git(clone, "grep", "-l", "-I", "-w", "-F", "-e", name, is_checked=False).splitlines()
    return any(is_implementation(path) for path in listed)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def _succeeds(repository: Path, *arguments: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments],  # noqa: S607
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


if __name__ == "__main__":
    main()
