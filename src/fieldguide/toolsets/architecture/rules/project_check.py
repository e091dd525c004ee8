"""Checks the files of a project, or the changed lines, against all rules of its patterns."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import language_of
from fieldguide.files.listing import list_files
from fieldguide.files.parser_process import MOST_CHILDREN, run_in_child
from fieldguide.files.project_files import resolve_existing_path
from fieldguide.git.diff import FilePatch, read_patches
from fieldguide.git.program import GitProgram
from fieldguide.settings.config import Settings, open_project_folder
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration, Refusal, Unreadable
from fieldguide.text.near_names import suggest_names
from fieldguide.text.windows import split_lines
from fieldguide.toolsets.architecture.resources import PATTERNS, list_documents, read_roots
from fieldguide.toolsets.architecture.rules.pattern import (
    Breach,
    PatternDocument,
    PatternRule,
    is_for_language,
    read_pattern,
    to_plain,
)
from fieldguide.toolsets.architecture.rules.violations import (
    JudgedViolations,
    ProjectCheckResult,
    RuleReference,
    SuppressedViolation,
    Suppression,
    Violation,
    apply_suppressions,
)


class ChosenFiles(NamedTuple):
    """The files to look at, by their paths in the project; `named` are those that were named one by one."""

    paths: Sequence[str]
    named: frozenset[str]


def choose_files(project: ConfinedFolder, paths: Sequence[str]) -> ChosenFiles:
    """The files of a project at these paths; all files without paths."""
    listing = list_files(project).paths
    if not paths:
        return ChosenFiles(listing, frozenset())
    named: set[str] = set()
    found: set[str] = set()
    for path in paths:
        inner = resolve_existing_path(project.root, path, listing)
        if not os.path.isdir(os.path.join(project.root, inner)):
            named.add(inner)
        elif inner == ".":
            found.update(listing)
        else:
            found.update(each for each in listing if each.startswith(f"{inner}/"))
    return ChosenFiles(sorted(found | named), frozenset(named))


GIT_SECONDS = 60.0
DIFF = ("diff", "--no-renames", "--ignore-submodules=all")


class ChangedLines:
    """Which lines, from the first to the last, of which files are changed; of a file that git does not know, all."""

    def __init__(self, spans: Mapping[str, Sequence[tuple[int, int]]], fresh: frozenset[str]) -> None:
        self._spans = spans
        self._fresh = fresh

    def among(self, chosen: ChosenFiles) -> ChosenFiles:
        """The files of these that have a changed line."""
        paths = [path for path in chosen.paths if path in self._spans or path in self._fresh]
        return ChosenFiles(paths, chosen.named)

    def holds(self, violation: Violation) -> bool:
        """Whether a violation has a changed line in it."""
        if violation.path in self._fresh:
            return True
        spans = self._spans.get(violation.path, ())
        return any(first <= violation.end_line and violation.line <= last for first, last in spans)

    def only(self, outcome: ProjectCheckResult) -> ProjectCheckResult:
        """What was found on changed lines."""
        suppressed = [each for each in outcome.suppressed if self.holds(each.violation)]
        return replace(outcome, violations=tuple(filter(self.holds, outcome.violations)), suppressed=tuple(suppressed))


def find_changed_lines(folder: str, since: str) -> ChangedLines:
    """What has changed since a revision and HEAD parted, as the files lie there now."""
    git = GitProgram(folder, GIT_SECONDS)
    base = _base(git, since)
    quiet = [*_without_filters(git)]
    patches = read_patches(git, (*quiet, *DIFF), base, "--", ".")
    listed = git.ask(*quiet, "ls-files", "--others", "--exclude-standard", "-z")
    fresh = frozenset(filter(None, listed.decode("utf-8", "surrogateescape").split("\0")))
    return ChangedLines(_spans(patches), fresh)


def _base(git: GitProgram, since: str) -> str:
    try:
        git.ask("rev-parse", "--git-dir")
    except Unreadable as error:
        raise Misconfiguration(f"--changed compares with the history of git. {error.message}") from error
    try:
        commit = git.resolve(since)
    except Unreadable as error:
        raise Misconfiguration(
            f"There is no commit {since!r}. `--changed` takes a revision; name paths before it, or behind `--`."
        ) from error
    try:
        return git.ask("merge-base", commit, "HEAD").decode("ascii").strip()
    except Unreadable as error:
        raise Misconfiguration(
            f"{since!r} and HEAD have no commit in common here. A shallow clone needs more of its history: "
            "`git fetch --unshallow`, or `fetch-depth: 0` in CI."
        ) from error


def _without_filters(git: GitProgram) -> Iterator[str]:
    """Options that switch off every program that the repository's settings would run over its files."""
    with_status = git.ask("config", "--null", "--name-only", "--list").decode("utf-8", "replace")
    for name in sorted(set(with_status.split("\0"))):
        if name.startswith("filter.") and name.endswith((".clean", ".process", ".smudge")):
            if "=" in name or "\n" in name:
                raise Misconfiguration(f"git has a filter with an odd name here, {name!r}; --changed would run it.")
            yield from ("-c", f"{name}=")
            yield from ("-c", f"{name.rpartition('.')[0]}.required=false")


def _spans(patches: Iterable[FilePatch]) -> dict[str, list[tuple[int, int]]]:
    """The lines that a diff leaves changed, by file; where some were only taken away, those around that place."""
    found: dict[str, list[tuple[int, int]]] = {}
    for patch in patches:
        for _, _, first, count in patch.hunks if patch.new else ():
            last = first + count - 1 if count else first + 1
            found.setdefault(patch.new, []).append((first, last))
    return found


LARGEST_BYTES = 1 << 20


class PatternFile(NamedTuple):
    """A pattern document with its path and its text."""

    path: str
    text: str
    pattern: PatternDocument


class NoPatterns(Misconfiguration):
    """A project has no pattern document."""


def read_pattern_files(settings: Settings, names: Sequence[str] = ()) -> list[PatternFile]:
    """The pattern documents of a project, or those with these names; NoPatterns where it has none."""
    found = dict(_texts(settings))
    if not found:
        raise NoPatterns(
            f"There are no patterns in mcp/resources/patterns of {settings.project}. "
            "`fieldguide patterns add error-handling` brings one; `--project DIR` looks in another folder."
        )
    unknown = [name for name in names if name not in found]
    if unknown:
        near = suggest_names(unknown[0], list(found))
        raise Misconfiguration(f"There is no pattern {unknown[0]!r}.{near} The patterns are {', '.join(found)}.")
    chosen = [name for name in found if not names or name in names]
    documents: list[PatternFile] = []
    for name in chosen:
        path, text = found[name]
        documents.append(PatternFile(path, text, read_pattern(name, text)))
    return documents


def list_problems(documents: Iterable[PatternFile]) -> list[str]:
    """List the rules that can't be read, a line for each; the others are checked all the same."""
    problems = [(document.path, problem) for document in documents for problem in document.pattern.problems]
    return [
        f"{to_visible_line(path)}:{problem.document_line}: {to_visible_line(problem.message)}"
        for path, problem in problems
    ]


class RuleBook:
    """The rules of several patterns as one, so that a file is parsed once; each is known as `PATTERN/RULE`."""

    def __init__(self, documents: Iterable[PatternFile], *, only_declared: bool = False) -> None:
        self.known: dict[str, RuleReference] = {}
        self.rules: dict[str, PatternRule] = {}
        for path, _, pattern in documents:
            for rule in pattern.rules:
                if only_declared and rule.origin != "front-matter":
                    continue
                name = f"{pattern.name}/{rule.id}"
                self.rules[name] = rule._replace(id=name)
                self.known[name] = RuleReference(
                    name, rule.message, rule.severity, path, rule.document_line, fix=rule.fix
                )
        if not self.rules:
            raise Misconfiguration(
                "No pattern here has a rule that a machine can check. `fieldguide patterns add` brings one of ours."
            )

    def written(self) -> str:
        """All of it as JSON, for a parser process."""
        return json.dumps(to_plain(PatternDocument("project", "Project", tuple(self.rules.values()))))

    def is_about(self, language: str | None) -> bool:
        """Whether a rule is for a language: one that names it, or one for all, where a parser knows the language."""
        return any(is_about_language(rule, language) for rule in self.rules.values())

    def rule_of(self, finding: Breach) -> RuleReference:
        """The rule that a finding breaks; the rule that code must parse is in no document."""
        if finding.rule in self.known:
            return self.known[finding.rule]
        return RuleReference(finding.rule, finding.description, finding.severity, "", 1)


def is_about_language(rule: PatternRule, language: str | None) -> bool:
    """Whether a rule is for files in a language."""
    return is_for_language(rule.languages, language) if rule.languages else language in GRAMMARS


def _texts(settings: Settings) -> Iterator[tuple[str, tuple[str, str]]]:
    """The name of each document with its path and its text."""
    project = open_project_folder(settings)
    roots = [root for root in read_roots(settings.sections.get("architecture", {})) if root.category == PATTERNS]
    found = sorted((placed for placed, _ in list_documents(project, roots)), key=lambda placed: placed.path)
    names = Counter(placed.inner for placed in found)
    for placed in found:
        name = placed.inner if names[placed.inner] == 1 else placed.path  # two folders may have one of that name
        try:
            content = project.read(placed.path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            raise Misconfiguration(f"A pattern can't be read. {error.message}.") from error
        yield name.removesuffix(".md"), (placed.path, content.decode("utf-8", errors="replace"))


CHILD = "fieldguide.toolsets.architecture.rules.parser_process:check_files"
MOST_FILES_AT_ONCE = 64
MOST_CHARACTERS_AT_ONCE = 300_000  # so that three processes have something to do, and a text that ends one costs little
AHEAD = 4
HASH_DIGITS = 16
GIVEN_UP = Breach(
    "parseable", "Checking it took so long that it was given up: it is too far from code.", "warning", 1, 1
)


class CheckedText(NamedTuple):
    """A file to check."""

    path: str
    language: str | None
    text: str


class ProjectCheck:
    """One check of many files."""

    def __init__(self, project: ConfinedFolder, rules: RuleBook) -> None:
        self._project = project
        self._rules = rules
        self._written = rules.written()
        self._passed_over: list[tuple[str, str]] = []
        self._files = 0

    def outcome(self, chosen: ChosenFiles, language: str | None) -> ProjectCheckResult:
        """What the files break, in their order; `language` is that of the files that were named."""
        violations: list[Violation] = []
        suppressed: list[SuppressedViolation] = []
        batches = _batches(self._texts(chosen, language))
        workers = min(MOST_CHILDREN, os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            while some := [*islice(batches, workers * AHEAD)]:
                for batch, answers in zip(some, pool.map(self._asked, some), strict=True):
                    for each, (findings, comments) in zip(batch, answers, strict=True):
                        found = self._judged(each, findings, comments)
                        violations += found.kept
                        suppressed += found.suppressed
        rules = tuple(self._rules.known.values())
        return ProjectCheckResult(rules, tuple(violations), self._files, tuple(self._passed_over), tuple(suppressed))

    def _texts(self, chosen: ChosenFiles, language: str | None) -> Iterator[CheckedText]:
        about: dict[str | None, bool] = {}
        for path in chosen.paths:
            spoken = language if language and path in chosen.named else language_of(path)
            if spoken not in about:
                about[spoken] = self._rules.is_about(spoken)
            if about[spoken] and (text := self._read(path)) is not None:
                self._files += 1
                if text.strip():
                    yield CheckedText(path, spoken, text)

    def _read(self, path: str) -> str | None:
        try:
            content = self._project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            self._passed_over.append((path, f"{error.message.partition(':')[0]}."))
            return None
        if b"\0" in content:
            self._passed_over.append((path, "Not a text file."))
            return None
        return content.decode("utf-8-sig", errors="replace")

    def _asked(self, batch: Sequence[CheckedText]) -> list[Any]:
        """The answers of a parser process for some files; one by one if a text among them was too much for it."""
        told: list[Any] | None = run_in_child(CHILD, self._written, json.dumps(batch))
        if told is not None:
            return told
        if len(batch) == 1:
            return [[[list(GIVEN_UP)], []]]
        return [answer for each in batch for answer in self._asked([each])]

    def _judged(self, file: CheckedText, findings: Sequence[Any], comments: Sequence[Any]) -> JudgedViolations:
        if not findings and not comments:
            return JudgedViolations(())
        lines = split_lines(file.text)
        violations: list[Violation] = []
        for finding in findings:
            breach = Breach(*finding)
            end_line = breach.end_line or breach.line
            violation = Violation(file.path, breach.line, breach.column, end_line, self._rules.rule_of(breach))
            violations.append(_marked(violation, lines))
        said = [Suppression(line, target, tuple(rules), reason) for line, target, rules, reason in comments]
        found = apply_suppressions(violations, said, file.path, self._rules.known)
        return found._replace(kept=tuple(_marked(each, lines) for each in found.kept))


def _marked(violation: Violation, lines: Sequence[str]) -> Violation:
    """The violation with the hash of its line, by which it is recognised after the line has moved."""
    line = lines[violation.line - 1] if violation.line <= len(lines) else ""
    digest = hashlib.sha256(" ".join(line.split()).encode()).hexdigest()[:HASH_DIGITS]
    return replace(violation, line_hash=digest)


def _batches(texts: Iterator[CheckedText]) -> Iterator[list[CheckedText]]:
    batch: list[CheckedText] = []
    size = 0
    for each in texts:
        if batch and (len(batch) == MOST_FILES_AT_ONCE or size + len(each.text) > MOST_CHARACTERS_AT_ONCE):
            yield batch
            batch = []
            size = 0
        batch.append(each)
        size += len(each.text)
    if batch:
        yield batch
