"""Comments that suppress a violation: `fieldguide: ignore[RULE] why`, in whichever way the language writes comments.

Such a comment holds for the line that it stands on, or for the next line of code where it stands alone. One without a
reason holds for nothing, and is told; so is one that nothing is suppressed by.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.violations import PatternRule, Suppressed, Violation
from fieldguide.toolsets.architecture.rules.code.source import SourceCode

WORD = "fieldguide:"
MARK = re.compile(r"fieldguide:\s*ignore\b(?:\s*\[([^\]]*)\])?[ \t:,–—-]*(.*)$")
OPENED = re.compile(r"(?:#|//|/\*|--|<!--|;|%|\{-|\(\*|@?[Rr][Ee][Mm]\b|')\s*fieldguide:\s*ignore\b.*$")
CLOSED = ("*/", "-->", '"""', "'''", "-}", "*)", "]]")
LONGEST_REASON = 300
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


class Judged(NamedTuple):
    """The violations of a file: those that stay, with what is told of the comments, and those that are suppressed."""

    kept: tuple[Violation, ...]
    suppressed: tuple[Suppressed, ...] = ()


def names(name: str, rule: str) -> bool:
    """Whether a comment that says `name` means a rule: by its whole id, its own part of it, or its pattern."""
    pattern, _, own = rule.rpartition("/")
    return name in (rule, own, pattern)


def judged(
    violations: Sequence[Violation], text: str, path: str, language: str | None, rules: Mapping[str, PatternRule]
) -> Judged:
    """A file's violations after its comments were heard; `rules` are those that were run, by their ids."""
    if WORD not in text:
        return Judged(tuple(violations))
    comments = [*read_suppressions(text, language)]
    valid = [each for each in comments if each.reason and each.rules]
    suppressed = [(violation, by) for violation in violations for by in valid[:] if by.is_for(violation)]
    gone = {id(violation) for violation, _ in suppressed}
    used = {by for _, by in suppressed}
    told = [
        *(_told(path, each, NO_RULE) for each in comments if not each.rules),
        *(_told(path, each, NO_REASON) for each in comments if each.rules and not each.reason),
        *(_told(path, each, UNUSED) for each in valid if each not in used and _is_run(each, rules)),
    ]
    kept = [violation for violation in violations if id(violation) not in gone]
    first = {id(violation): Suppressed(violation, by.line, by.reason) for violation, by in reversed(suppressed)}
    return Judged((*kept, *told), tuple(first.values()))


def read_suppressions(text: str, language: str | None) -> Iterator[Suppression]:
    """The comments of a text that suppress, in its order."""
    source = SourceCode(text, language)
    comments, code = _parted(source)
    for number, comment in enumerate(comments, start=1):
        found = MARK.search(comment) if WORD in comment else None
        if found is None:
            continue
        rules = tuple(name for each in (found.group(1) or "").split(",") if (name := each.strip()))
        yield Suppression(number, _target(number, code), rules, _reason(found.group(2)))


def _parted(source: SourceCode) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of the comments, and those of everything else; by their marks where no grammar knows them."""
    if source.kinds is not None:
        return source.lines_of(("comments",)), source.lines_of(("code", "strings"))
    found = [OPENED.search(line) if WORD in line else None for line in source.lines]
    comments = [each.group() if each else "" for each in found]
    code = [line[: each.start()] if each else line for line, each in zip(source.lines, found, strict=True)]
    return comments, code


def _target(number: int, code: Sequence[str]) -> int:
    """The line that a comment holds for: its own, or the next that has code."""
    if code[number - 1].strip():
        return number
    following = (at for at in range(number, len(code)) if code[at].strip())
    return next(following, number - 1) + 1


def _reason(text: str) -> str:
    reason = text.strip()
    for end in CLOSED:
        reason = reason.removesuffix(end).rstrip()
    return reason[:LONGEST_REASON]


def _is_run(suppression: Suppression, rules: Iterable[str]) -> bool:
    """Whether a rule that a comment names was run: of another nobody knows whether it is broken."""
    return any(names(name, rule) for name in suppression.rules for rule in rules)


def _told(path: str, suppression: Suppression, rule: PatternRule) -> Violation:
    return Violation(path, suppression.line, 1, suppression.line, rule)
