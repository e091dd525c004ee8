"""Comments that suppress a violation: `fieldguide: ignore[RULE] why`, in whichever way the language writes comments.

Such a comment holds for the line that it stands on, or for the next line of code where it stands alone. One without a
reason holds for nothing, and is told; so is one that nothing is suppressed by. A parser process finds them, for only
a tree tells a comment from a string.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.checked.violations import PatternRule, Suppressed, Violation
from fieldguide.toolsets.architecture.rules.code.source import SourceCode

WORD = "fieldguide:"
MARK = re.compile(r"fieldguide:\s*ignore\b(?:\s*\[([^\]]*)\])?[ \t:,–—-]*(.*)$")
OPENED = re.compile(r"(?:#|//|/\*|--|<!--|;|%|\{-|\(\*|@?[Rr][Ee][Mm]\b|')\s*fieldguide:\s*ignore\b.*$")
CLOSED = ("*/", "-->", '"""', "'''", "-}", "*)", "]]")
LONGEST_REASON = 300
MOST_COMMENTS = 1_000
NO_REASON = PatternRule(
    "fieldguide/ignore-without-reason",
    "A comment ignores a rule without saying why, so it is not obeyed.",
    "warning",
    "",
    1,
    fix="Write the reason behind it: `fieldguide: ignore[RULE] why it is right here`.",
)
NO_RULE = PatternRule(
    "fieldguide/ignore-without-rule",
    "A comment ignores no rule by its name, so it is not obeyed.",
    "warning",
    "",
    1,
    fix="Name the rule: `fieldguide: ignore[RULE] why it is right here`.",
)
UNUSED = PatternRule(
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
        return is_there and any(names(each, violation.rule.id) for each in self.rules)

    def fault(self) -> PatternRule | None:
        """What is wrong with it by itself."""
        if not self.rules:
            return NO_RULE
        return None if self.reason else NO_REASON


class Judged(NamedTuple):
    """The violations of a file: those that stay, with what is told of the comments, and those that are suppressed."""

    kept: tuple[Violation, ...]
    suppressed: tuple[Suppressed, ...] = ()


def names(name: str, rule: str) -> bool:
    """Whether a comment that says `name` means a rule: by its whole id, its own part of it, or its pattern."""
    pattern, _, own = rule.rpartition("/")
    return name in (rule, own, pattern)


def judged(violations: Sequence[Violation], comments: Sequence[Suppression], path: str, rules: Iterable[str]) -> Judged:
    """A file's violations after its comments were heard; `rules` are the ids of those that were run."""
    if not comments:
        return Judged(tuple(violations))
    valid = [each for each in comments if each.fault() is None]
    obeyed = [(each, _first_for(each, valid)) for each in violations]
    kept = [each for each, by in obeyed if by is None]
    suppressed = [Suppressed(each, by.line, by.reason) for each, by in obeyed if by]
    return Judged((*kept, *_told(violations, comments, path, rules)), tuple(suppressed))


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
            rules = tuple(name for each in (found.group(1) or "").split(",") if (name := each.strip()))
            yield Suppression(number, targets[number - 1], rules, _reason(found.group(2)))


def _told(
    violations: Sequence[Violation], comments: Sequence[Suppression], path: str, rules: Iterable[str]
) -> Iterator[Violation]:
    """What is wrong with the comments themselves."""
    for comment in comments:
        fault = comment.fault()
        if fault is None and not any(map(comment.is_for, violations)) and _is_run(comment, rules):
            fault = UNUSED
        if fault:
            yield Violation(path, comment.line, 1, comment.line, fault)


def _first_for(violation: Violation, comments: Iterable[Suppression]) -> Suppression | None:
    return next((each for each in comments if each.is_for(violation)), None)


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
    return any(names(name, rule) for name in suppression.rules for rule in rules)
