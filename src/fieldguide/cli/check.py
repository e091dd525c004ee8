"""`fieldguide check`: the rules of a project's pattern documents, run over its files; for people and for CI."""

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.cli.checked.suppressions import judged
from fieldguide.cli.options import settings_from
from fieldguide.cli.sarif import as_sarif
from fieldguide.cli.terminal import complain, remark, say, say_json
from fieldguide.cli.typed.nearest import did_you_mean, path_you_mean
from fieldguide.cli.violations import Outcome, PatternRule, Severity, Suppressed, Violation
from fieldguide.config import Settings, project_folder
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration, Refusal
from fieldguide.source_code.languages import canonical_language, language_of
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.spine.answers.cited_files import cited_files
from fieldguide.spine.visible_text import shown
from fieldguide.toolsets.architecture.roots import PATTERNS, listed, roots_of
from fieldguide.toolsets.architecture.rules import Breach, Pattern, check_code, read_pattern
from fieldguide.toolsets.architecture.rules.code.languages import is_for
from fieldguide.toolsets.context.listing import list_files

LARGEST_BYTES = 1 << 20
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
    parser.add_argument("--format", choices=("plain", "json", "sarif"), default="plain", help="default: plain")
    parser.add_argument(
        "--fail-on", choices=tuple(FAILING), default="error", help="what makes the exit code 1 (default: error)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, print what was found, and say by the exit code whether it fails."""
    settings = settings_from(arguments)
    language = _language(arguments.language)
    documents = _patterns(settings, arguments.pattern or ())
    problems = _told_problems(documents)
    rules = RuleBook(documents, only_declared=arguments.only_declared)
    project = project_folder(settings)
    chosen = _chosen(project, arguments.paths)
    outcome = _checked(project, chosen, rules, language)
    _print(outcome, project, arguments.format)
    if problems:
        return 2
    if any(outcome.count(severity) for severity in FAILING[arguments.fail_on]):
        return 1
    return 2 if any(path in chosen.named for path, _ in outcome.passed_over) else 0


class Document(NamedTuple):
    """A pattern document: where it lies, and what was read in it."""

    path: str
    pattern: Pattern


class Chosen(NamedTuple):
    """The files to look at, by their paths in the project; `named` are those that were named one by one."""

    paths: Sequence[str]
    named: frozenset[str]


class RuleBook:
    """The rules of several patterns as one, so that a file is parsed once; each is known as `PATTERN/RULE`."""

    def __init__(self, documents: Iterable[Document], *, only_declared: bool) -> None:
        self.known: dict[str, PatternRule] = {}
        rules: list[Any] = []
        for path, pattern in documents:
            for rule in pattern.rules:
                if only_declared and rule.origin != "front-matter":
                    continue
                name = f"{pattern.name}/{rule.id}"
                rules.append(rule._replace(id=name))
                self.known[name] = PatternRule(
                    name, rule.message, rule.severity, path, rule.document_line, fix=rule.fix
                )
        if not rules:
            raise Misconfiguration(
                "No pattern here has a rule that a machine can check. `fieldguide patterns add` helps."
            )
        self._pattern = Pattern("project", "Project", tuple(rules))

    def is_about(self, language: str | None) -> bool:
        """Whether a rule is for a language: one that names it, or one for all, where a parser knows the language."""
        rules = self._pattern.rules
        return any(is_for(rule.languages, language) if rule.languages else language in GRAMMARS for rule in rules)

    def check(self, text: str, path: str, language: str | None) -> Iterator[Violation]:
        """What a file breaks."""
        for finding in check_code(self._pattern, text, language, path).findings:
            end_line = finding.end_line or finding.line
            yield Violation(path, finding.line, finding.column, end_line, self.known.get(finding.rule) or _own(finding))


def _own(finding: Breach) -> PatternRule:
    """A finding that no document asks for: that the code does not parse."""
    return PatternRule(finding.rule, finding.description, finding.severity, "", 1)


def _language(name: str | None) -> str | None:
    if name is None:
        return None
    found = canonical_language(name)
    if found is None:
        raise Misconfiguration(f"There is no language {name!r} here.")
    return found


def _patterns(settings: Settings, names: Sequence[str]) -> list[Document]:
    """The patterns of a project, or those with these names."""
    documents = list(_read_patterns(settings))
    known = [document.pattern.name for document in documents]
    if not documents:
        raise Misconfiguration(
            f"There are no patterns in mcp/resources/patterns of {settings.project}. "
            "`fieldguide patterns add error-handling` brings one; `--project DIR` looks in another folder."
        )
    unknown = [name for name in names if name not in known]
    if unknown:
        near = did_you_mean(unknown[0], known)
        raise Misconfiguration(f"There is no pattern {unknown[0]!r}.{near} The patterns are {', '.join(known)}.")
    return [document for document in documents if not names or document.pattern.name in names]


def _told_problems(documents: Iterable[Document]) -> int:
    """Tell of rules that can't be read, and how many there are; the others are checked all the same."""
    problems = [(document.path, problem) for document in documents for problem in document.pattern.problems]
    for path, problem in problems:
        complain(f"{shown(path)}:{problem.document_line}: {shown(problem.message)}")
    return len(problems)


def _read_patterns(settings: Settings) -> Iterator[Document]:
    project = project_folder(settings)
    roots = [root for root in roots_of(settings.sections.get("architecture", {})) if root.category == PATTERNS]
    found = sorted((placed for placed, _ in listed(project, roots)), key=lambda placed: placed.path)
    names = Counter(placed.inner for placed in found)
    for placed in found:
        name = placed.inner if names[placed.inner] == 1 else placed.path  # two folders may have one of that name
        try:
            content = project.read(placed.path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            raise Misconfiguration(f"A pattern can't be read. {error.message}.") from error
        text = content.decode("utf-8", errors="replace")
        yield Document(placed.path, read_pattern(name.removesuffix(".md"), text))


def _chosen(project: ConfinedFolder, paths: Sequence[str]) -> Chosen:
    root, listing = project.root, list_files(project).paths
    if not paths:
        return Chosen(listing, frozenset())
    named: set[str] = set()
    found: set[str] = set()
    for path in paths:
        inner = _inside(root, path, listing)
        if not os.path.isdir(path):
            named.add(inner)
        elif inner == ".":
            found.update(listing)
        else:
            found.update(each for each in listing if each.startswith(f"{inner}/"))
    return Chosen(sorted(found | named), frozenset(named))


def _inside(root: str, path: str, listing: Sequence[str]) -> str:
    """A path as the project writes it; the last name may be a link, which is followed only inside the project."""
    folder, name = os.path.split(os.path.abspath(path))
    real = os.path.realpath(path) if os.path.isdir(path) else os.path.join(os.path.realpath(folder), name)
    inner = os.path.relpath(real, root)
    if inner == ".." or inner.startswith("../"):
        raise Misconfiguration(f"{path!r} is outside of the project {root}.")
    if not os.path.lexists(path):
        raise Misconfiguration(f"There is no file or folder {path!r}.{path_you_mean(inner, listing)}")
    return inner


def _checked(project: ConfinedFolder, chosen: Chosen, rules: RuleBook, language: str | None) -> Outcome:
    violations: list[Violation] = []
    suppressed: list[Suppressed] = []
    passed_over: list[tuple[str, str]] = []
    files = 0
    for path in chosen.paths:
        spoken = language if language and path in chosen.named else language_of(path)
        if not rules.is_about(spoken):
            continue
        try:
            content = project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            passed_over.append((path, f"{error.message.partition(':')[0]}."))
            continue
        if b"\0" in content:
            passed_over.append((path, "Not a text file."))
            continue
        files += 1
        text = content.decode("utf-8-sig", errors="replace")
        if text.strip():
            found = judged([*rules.check(text, path, spoken)], text, path, spoken, rules.known)
            violations += found.kept
            suppressed += found.suppressed
    return Outcome(tuple(rules.known.values()), tuple(violations), files, tuple(passed_over), tuple(suppressed))


def _print(outcome: Outcome, project: ConfinedFolder, form: str) -> None:
    if form == "plain":
        say(*map(str, outcome.violations))
    else:
        say_json(outcome.as_json(cited_files(project)) if form == "json" else as_sarif(outcome))
    for path, reason in outcome.passed_over:
        complain(f"{shown(path)} was not checked. {shown(reason)}")
    remark(outcome.summary())
