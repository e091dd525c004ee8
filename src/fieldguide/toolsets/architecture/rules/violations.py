"""Defines the violations of a project check, and the comments that suppress them.

Such a comment holds for the line that it stands on, or for the next line of code where it stands alone. One without a
reason holds for nothing, and is told; so is one that nothing is suppressed by. A parser process finds them, for only
a tree tells a comment from a string.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fieldguide.files.project_files import CitedFiles
from fieldguide.text import regex as re
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.toolsets.architecture.rules.pattern import Severity
from fieldguide.toolsets.architecture.rules.source_code import SourceCode


@dataclass(frozen=True, slots=True)
class RuleReference:
    """A rule of a pattern document; `id` is unique in a project: `PATTERN/RULE`."""

    id: str
    message: str
    severity: Severity
    document: str
    document_line: int
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A line of a file that breaks a rule; `line_hash` says what stands on it, however it is indented."""

    path: str
    line: int
    column: int
    end_line: int
    rule: RuleReference
    line_hash: str = ""

    def __str__(self) -> str:
        rule = self.rule
        where = f" ({rule.document}:{rule.document_line})" if rule.document else ""
        return to_visible_line(f"{self.path}:{self.line}: {rule.severity} {rule.id}: {rule.message}{where}")


@dataclass(frozen=True, slots=True)
class SuppressedViolation:
    """A violation that a comment suppresses: in which line it stands, and the reason that it gives."""

    violation: Violation
    comment_line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ProjectCheckResult:
    """Everything that a check says: the rules that were run, what they found, and what could not be looked at."""

    rules: Sequence[RuleReference]
    violations: Sequence[Violation]
    files: int
    passed_over: Sequence[tuple[str, str]] = ()
    """Files that should have been checked and were not, each with the reason."""
    suppressed: Sequence[SuppressedViolation] = ()
    """What a comment in the code suppresses."""

    def count(self, severity: Severity) -> int:
        """How many violations are that severe."""
        return sum(violation.rule.severity == severity for violation in self.violations)

    def summary(self) -> str:
        """One sentence for people."""
        errors = format_count(self.count("error"), "error")
        warnings = format_count(self.count("warning"), "warning")
        broken = len({violation.path for violation in self.violations})
        files = format_count(self.files, "file")
        rules = format_count(len(self.rules), "rule")
        summary = f"{errors} and {warnings} in {broken} of {files}, by {rules}"
        if self.suppressed:
            summary += f"; {format_count(len(self.suppressed), 'violation')} suppressed by comments"
        return f"{summary}."

    def as_json(self, files: CitedFiles) -> dict[str, Any]:
        """An object for scripts; each finding cites the lines of its file."""
        suppressed = [
            {**_finding(each.violation, files), "commentLine": each.comment_line, "reason": each.reason}
            for each in self.suppressed
        ]
        return {
            "files": self.files,
            "rules": len(self.rules),
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "findings": [_finding(each, files) for each in self.violations],
            **({"suppressed": suppressed} if suppressed else {}),
            "notChecked": [{"path": path, "reason": reason} for path, reason in self.passed_over],
        }


def _finding(violation: Violation, files: CitedFiles) -> dict[str, Any]:
    rule = violation.rule
    return {
        "path": violation.path,
        "line": violation.line,
        "column": violation.column,
        "endLine": violation.end_line,
        "severity": rule.severity,
        "rule": rule.id,
        "message": rule.message,
        "citation": files.cited(violation.path, violation.line, max(violation.line, violation.end_line)),
        **({"fix": rule.fix} if rule.fix else {}),
        **({"document": rule.document, "documentLine": rule.document_line} if rule.document else {}),
    }


WORD = "fieldguide:"
MARK = re.compile(r"fieldguide:\s*ignore\b(?:\s*\[([^\]]*)\])?[ \t:,–—-]*(.*)$")
OPENED = re.compile(r"(?:#|//|/\*|--|<!--|;|%|\{-|\(\*|@?[Rr][Ee][Mm]\b|')\s*fieldguide:\s*ignore\b.*$")
CLOSED = ("*/", "-->", '"""', "'''", "-}", "*)", "]]")
LONGEST_REASON = 300
MOST_COMMENTS = 1_000
NO_REASON = RuleReference(
    "fieldguide/ignore-without-reason",
    "A comment ignores a rule without saying why, so it is not obeyed.",
    "warning",
    "",
    1,
    fix="Write the reason behind it: `fieldguide: ignore[RULE] why it is right here`.",
)
NO_RULE = RuleReference(
    "fieldguide/ignore-without-rule",
    "A comment ignores no rule by its name, so it is not obeyed.",
    "warning",
    "",
    1,
    fix="Name the rule: `fieldguide: ignore[RULE] why it is right here`.",
)
UNUSED = RuleReference(
    "fieldguide/unused-ignore",
    "A comment ignores a rule that is not broken there.",
    "warning",
    "",
    1,
    fix="Take the comment away.",
)


class Suppression(NamedTuple):
    """A comment that suppresses: where it stands, for which line, which rules, and why."""

    line: int
    target: int
    rules: tuple[str, ...]
    reason: str

    def is_for(self, violation: Violation) -> bool:
        """Whether it stands where a violation begins or ends, and names its rule."""
        is_there = self.target in (violation.line, violation.end_line)
        return is_there and any(is_named_by(each, violation.rule.id) for each in self.rules)

    def fault(self) -> RuleReference | None:
        """What is wrong with it by itself."""
        if not self.rules:
            return NO_RULE
        return None if self.reason else NO_REASON


class JudgedViolations(NamedTuple):
    """The violations of a file: those that stay, with what is told of the comments, and those that are suppressed."""

    kept: tuple[Violation, ...]
    suppressed: tuple[SuppressedViolation, ...] = ()


def is_named_by(name: str, rule: str) -> bool:
    """Whether a comment that says `name` means a rule: by its whole id, its own part of it, or its pattern."""
    pattern, _, own = rule.rpartition("/")
    return name in (rule, own, pattern)


def apply_suppressions(
    violations: Sequence[Violation], comments: Sequence[Suppression], path: str, rules: Iterable[str]
) -> JudgedViolations:
    """A file's violations after its comments were heard; `rules` are the ids of those that were run."""
    if not comments:
        return JudgedViolations(tuple(violations))
    valid = [each for each in comments if each.fault() is None]
    kept: list[Violation] = []
    suppressed: list[SuppressedViolation] = []
    for violation in violations:
        comment = next((each for each in valid if each.is_for(violation)), None)
        if comment is None:
            kept.append(violation)
        else:
            suppressed.append(SuppressedViolation(violation, comment.line, comment.reason))
    return JudgedViolations((*kept, *_find_faults(violations, comments, path, rules)), tuple(suppressed))


def read_suppressions(source: SourceCode) -> Iterator[Suppression]:
    """The comments of a text that suppress, in its order; only for a parser process."""
    if WORD not in source.text:
        return
    comments, code = _parted(source)
    targets = _targets(code)
    marked = [number for number, comment in enumerate(comments, start=1) if WORD in comment]
    for number in marked[:MOST_COMMENTS]:
        found = MARK.search(comments[number - 1])
        if found:
            names = [name.strip() for name in (found.group(1) or "").split(",")]
            yield Suppression(number, targets[number - 1], tuple(filter(None, names)), _reason(found.group(2)))


def _find_faults(
    violations: Sequence[Violation], comments: Sequence[Suppression], path: str, rules: Iterable[str]
) -> Iterator[Violation]:
    """What is wrong with the comments themselves."""
    for comment in comments:
        fault = comment.fault()
        if fault is None and not any(map(comment.is_for, violations)) and _is_run(comment, rules):
            fault = UNUSED
        if fault:
            yield Violation(path, comment.line, 1, comment.line, fault)


def _parted(source: SourceCode) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of the comments, and those of everything else; by their marks where no grammar knows them."""
    if source.kinds is not None:
        return source.lines_of(("comments",)), source.lines_of(("code", "strings"))
    found = [OPENED.search(line) if WORD in line else None for line in source.lines]
    comments = [each.group() if each else "" for each in found]
    code = [line[: each.start()] if each else line for line, each in zip(source.lines, found, strict=True)]
    return comments, code


def _targets(code: Sequence[str]) -> list[int]:
    """For each line the one that a comment on it holds for: itself, or the next that has code."""
    targets = [*range(1, len(code) + 1)]
    for at in range(len(code) - 2, -1, -1):
        if not code[at].strip() and code[targets[at + 1] - 1].strip():
            targets[at] = targets[at + 1]
    return targets


def _reason(text: str) -> str:
    reason = text.strip()
    for end in CLOSED:
        reason = reason.removesuffix(end).rstrip()
    return reason[:LONGEST_REASON]


def _is_run(suppression: Suppression, rules: Iterable[str]) -> bool:
    """Whether a rule that a comment names was run: of another nobody knows whether it is broken."""
    return any(is_named_by(name, rule) for name in suppression.rules for rule in rules)
