"""`fieldguide check`: the rules of a project's pattern documents, run over its files; for people and for CI."""

import argparse
from collections.abc import Callable

from fieldguide.cli.console.options import find_settings
from fieldguide.cli.console.sarif import to_sarif, to_workflow_command
from fieldguide.cli.console.terminal import complain, remark, say, say_json
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import canonical_language
from fieldguide.files.project_files import open_cited_files, resolve_new_path
from fieldguide.settings.config import open_project_folder
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.text.errors import Misconfiguration
from fieldguide.toolsets.architecture.rules.pattern import Severity
from fieldguide.toolsets.architecture.rules.project_check import (
    ChosenFiles,
    ProjectCheck,
    RuleBook,
    choose_files,
    find_changed_lines,
    list_problems,
    read_pattern_files,
)
from fieldguide.toolsets.architecture.rules.violations import (
    BaselineKey,
    ProjectCheckResult,
    read_baseline,
    subtract_baseline,
    write_baseline,
)

FAILING: dict[str, tuple[Severity, ...]] = {"error": ("error",), "warning": ("error", "warning"), "never": ()}
EPILOG = """\
exit codes: 0 nothing that fails, 1 something that fails, 2 a wrong way to ask, a pattern document with a rule that
can't be read, or a named file that can't be checked
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which files, which patterns, how to tell it, and what fails."""
    parser.epilog = EPILOG
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files and folders of the project (default: all)")
    parser.add_argument("--project", metavar="DIR", help="the project's folder (default: the current one)")
    parser.add_argument("--pattern", metavar="NAME", action="append", help="only this pattern; repeatable")
    parser.add_argument(
        "--only-declared", action="store_true", help="only rules of the front matter, none that is read from prose"
    )
    parser.add_argument(
        "--language", metavar="L", help="the language of files that are named (default: by their names)"
    )
    parser.add_argument(
        "--changed",
        metavar="SINCE",
        nargs="?",
        const="HEAD",
        help="only lines changed since this revision and HEAD parted, committed or not (default: since HEAD)",
    )
    parser.add_argument("--baseline", metavar="FILE", help="leave out the violations that this file of yours knows")
    parser.add_argument(
        "--write-baseline", action="store_true", help="write what is found to the --baseline FILE; nothing fails then"
    )
    parser.add_argument(
        "--format", choices=("plain", "json", "sarif", "github"), default="plain", help="default: plain"
    )
    parser.add_argument(
        "--fail-on", choices=tuple(FAILING), default="error", help="what makes the exit code 1 (default: error)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, print what was found, and say by the exit code whether it fails."""
    settings = find_settings(arguments)
    language = _language(arguments.language)
    _refuse_contradictions(arguments)
    documents = read_pattern_files(settings, arguments.pattern or ())
    problems = list_problems(documents)
    complain(*problems)
    rules = RuleBook(documents, only_declared=arguments.only_declared)
    project = open_project_folder(settings)
    chosen = choose_files(project, arguments.paths)
    outcome = _check(ProjectCheck(project, rules), chosen, language, arguments, project)
    if arguments.write_baseline:
        _write(outcome, project, arguments.baseline)
        return 2 if problems else 0
    _print(outcome, project, arguments.format)
    if problems:
        return 2
    return _code(outcome, chosen, arguments.fail_on)


def _code(outcome: ProjectCheckResult, chosen: ChosenFiles, fail_on: str) -> int:
    if any(outcome.count(severity) for severity in FAILING[fail_on]):
        return 1
    return 2 if any(path in chosen.named for path, _ in outcome.passed_over) else 0


def _refuse_contradictions(arguments: argparse.Namespace) -> None:
    if not arguments.write_baseline:
        return
    if arguments.baseline is None:
        raise Misconfiguration("Say which file the baseline is written to: `--baseline FILE --write-baseline`.")
    if arguments.paths or arguments.pattern or arguments.changed or arguments.only_declared:
        raise Misconfiguration(
            "A baseline is written of everything: without paths, --pattern, --only-declared, --changed."
        )


def _check(
    checking: ProjectCheck,
    chosen: ChosenFiles,
    language: str | None,
    arguments: argparse.Namespace,
    project: ConfinedFolder,
) -> ProjectCheckResult:
    """What the files break, as far as it lies on changed lines and no baseline knows it."""
    if arguments.changed:
        changed = find_changed_lines(project.root, arguments.changed)
        outcome = changed.only(checking.outcome(changed.among(chosen), language))
    else:
        outcome = checking.outcome(chosen, language)
    if arguments.baseline is None or arguments.write_baseline:
        return outcome
    baseline = read_baseline(project, resolve_new_path(project.root, arguments.baseline))
    return subtract_baseline(outcome, baseline, _looked_at(chosen, outcome, arguments))


def _looked_at(
    chosen: ChosenFiles, outcome: ProjectCheckResult, arguments: argparse.Namespace
) -> Callable[[BaselineKey], bool]:
    """Whether a violation of the baseline would have been seen, were it still there."""
    paths = frozenset(chosen.paths)
    rules = {rule.id for rule in outcome.rules}
    is_every_rule = not arguments.pattern and not arguments.only_declared
    return lambda key: (
        not arguments.changed and (chosen.is_everything or key.path in paths) and (is_every_rule or key.rule in rules)
    )


def _language(name: str | None) -> str | None:
    if name is None:
        return None
    language = canonical_language(name)
    if language is None:
        raise Misconfiguration(f"There is no language {name!r} here.")
    return language


def _write(outcome: ProjectCheckResult, project: ConfinedFolder, file: str) -> None:
    path = resolve_new_path(project.root, file)
    written = write_baseline(project, path, outcome.violations)
    _tell_passed_over(outcome)
    remark(f"{to_visible_line(path)} has {format_count(written, 'violation')} now.")


def _print(outcome: ProjectCheckResult, project: ConfinedFolder, form: str) -> None:
    if form == "plain":
        say(*map(str, outcome.violations))
    elif form == "github":
        say(*map(to_workflow_command, outcome.violations))
    else:
        say_json(outcome.as_json(open_cited_files(project)) if form == "json" else to_sarif(outcome))
    _tell_passed_over(outcome)
    remark(outcome.summary())


def _tell_passed_over(outcome: ProjectCheckResult) -> None:
    for path, reason in outcome.passed_over:
        complain(f"{to_visible_line(path)} was not checked. {to_visible_line(reason)}")
