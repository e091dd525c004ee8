"""What a check of files found, and how a person and a script get it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fieldguide.spine.answers.cited_files import CitedFiles
from fieldguide.spine.foreign_text.visible_text import shown

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class PatternRule:
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
    rule: PatternRule
    line_hash: str = ""

    def __str__(self) -> str:
        rule = self.rule
        where = f" ({rule.document}:{rule.document_line})" if rule.document else ""
        return shown(f"{self.path}:{self.line}: {rule.severity} {rule.id}: {rule.message}{where}")


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A violation that a comment suppresses: in which line it stands, and the reason that it gives."""

    violation: Violation
    comment_line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that a check says: the rules that were run, what they found, and what could not be looked at."""

    rules: Sequence[PatternRule]
    violations: Sequence[Violation]
    files: int
    passed_over: Sequence[tuple[str, str]] = ()
    """Files that should have been checked and were not, each with the reason."""
    suppressed: Sequence[Suppressed] = ()
    """What a comment in the code suppresses."""
    known: Sequence[Violation] = ()
    """What the baseline has already."""
    gone: int = 0
    """How many findings of the baseline are not there any more."""

    def count(self, severity: Severity) -> int:
        """How many violations are that severe."""
        return sum(violation.rule.severity == severity for violation in self.violations)

    def summary(self) -> str:
        """One sentence for people, and another where a baseline could shrink."""
        errors, warnings = number(self.count("error"), "error"), number(self.count("warning"), "warning")
        broken = len({violation.path for violation in self.violations})
        files, rules = number(self.files, "file"), number(len(self.rules), "rule")
        quiet = f"; {number(len(self.suppressed), 'violation')} suppressed by comments" if self.suppressed else ""
        known = f"; {number(len(self.known), 'violation')} known to the baseline" if self.known else ""
        return f"{errors} and {warnings} in {broken} of {files}, by {rules}{quiet}{known}.{self._shrinking()}"

    def _shrinking(self) -> str:
        if not self.gone:
            return ""
        said = "1 violation of the baseline is gone" if self.gone == 1 else f"{self.gone} of the baseline are gone"
        return f" {said}: write it again with --write-baseline."

    def as_json(self, files: CitedFiles) -> dict[str, Any]:
        """An object for scripts; each finding cites the lines of its file."""
        return {
            "files": self.files,
            "rules": len(self.rules),
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "findings": [_finding(each, files) for each in self.violations],
            **({"suppressed": list(self._suppressed(files))} if self.suppressed else {}),
            **({"known": [_finding(each, files) for each in self.known]} if self.known else {}),
            **({"gone": self.gone} if self.gone else {}),
            "notChecked": [{"path": path, "reason": reason} for path, reason in self.passed_over],
        }

    def _suppressed(self, files: CitedFiles) -> Iterator[dict[str, Any]]:
        for each in self.suppressed:
            yield {**_finding(each.violation, files), "commentLine": each.comment_line, "reason": each.reason}


def number(count: int, word: str) -> str:
    """A number of things: `1 file`, `2 files`."""
    return f"1 {word}" if count == 1 else f"{count} {word}s"


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
