"""`fieldguide check`: the rules of a project's pattern documents, run over its files; for people and for CI."""

import argparse

from fieldguide.cli.console.options import find_settings
from fieldguide.cli.console.sarif import to_sarif, to_workflow_command
from fieldguide.cli.console.terminal import complain, remark, say, say_json
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import canonical_language
from fieldguide.files.project_files import open_cited_files
from fieldguide.settings.config import open_project_folder
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration
from fieldguide.toolsets.architecture.rules.pattern import Severity
from fieldguide.toolsets.architecture.rules.project_check import (
    ChosenFiles,
    NoPatterns,
    ProjectCheck,
    RuleBook,
    choose_files,
    find_changed_lines,
    list_problems,
    read_pattern_files,
)
from fieldguide.toolsets.architecture.rules.violations import ProjectCheckResult

FAILING: dict[str, tuple[Severity, ...]] = {"error": ("error",), "warning": ("error", "warning"), "never": ()}
NO_PATTERNS = (
    "Nothing to check: this project has no pattern documents, whose rules `check` runs over its files.",
    "`fieldguide patterns add error-handling` adds one of ours.",
)
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
    parser.add_argument(
        "--format", choices=("plain", "json", "sarif", "github"), default="plain", help="default: plain"
    )
    parser.add_argument(
        "--json", action="store_const", dest="format", const="json", help="print JSON, for programs: --format json"
    )
    parser.add_argument(
        "--fail-on", choices=tuple(FAILING), default="error", help="what makes the exit code 1 (default: error)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, print what was found, and say by the exit code whether it fails."""
    settings = find_settings(arguments)
    language = _language(arguments.language)
    try:
        documents = read_pattern_files(settings, arguments.pattern or ())
    except NoPatterns:
        if arguments.pattern:
            raise
        remark(*NO_PATTERNS)
        if arguments.format in ("json", "sarif"):
            _print_value(ProjectCheckResult((), (), 0), open_project_folder(settings), arguments.format)
        return 0
    problems = list_problems(documents)
    complain(*problems)
    rules = RuleBook(documents, only_declared=arguments.only_declared)
    project = open_project_folder(settings)
    chosen = choose_files(project, arguments.paths)
    checking = ProjectCheck(project, rules)
    if arguments.changed:
        changed = find_changed_lines(project.root, arguments.changed)
        outcome = changed.only(checking.outcome(changed.among(chosen), language))
    else:
        outcome = checking.outcome(chosen, language)
    _print(outcome, project, arguments.format)
    if problems:
        return 2
    return _code(outcome, chosen, arguments.fail_on)


def _code(outcome: ProjectCheckResult, chosen: ChosenFiles, fail_on: str) -> int:
    if any(outcome.count(severity) for severity in FAILING[fail_on]):
        return 1
    return 2 if any(path in chosen.named for path, _ in outcome.passed_over) else 0


def _language(name: str | None) -> str | None:
    if name is None:
        return None
    language = canonical_language(name)
    if language is None:
        raise Misconfiguration(f"There is no language {name!r} here.")
    return language


def _print(outcome: ProjectCheckResult, project: ConfinedFolder, form: str) -> None:
    if form == "plain":
        say(*map(str, outcome.violations))
    elif form == "github":
        say(*map(to_workflow_command, outcome.violations))
    else:
        _print_value(outcome, project, form)
    for path, reason in outcome.passed_over:
        complain(f"{to_visible_line(path)} was not checked. {to_visible_line(reason)}")
    remark(outcome.summary())


def _print_value(outcome: ProjectCheckResult, project: ConfinedFolder, form: str) -> None:
    say_json(outcome.as_json(open_cited_files(project)) if form == "json" else to_sarif(outcome))
