"""What each rule of a project's patterns catches in this repository, and what of them is no rule."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fieldguide.cli.checked.chosen_files import Chosen, chosen_files
from fieldguide.cli.checked.rule_book import Document, RuleBook, is_about
from fieldguide.cli.checked.running import Checking
from fieldguide.cli.checked.violations import Violation, number
from fieldguide.cli.ruled.wording import in_words
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration
from fieldguide.globbing import matcher
from fieldguide.source_code.languages import language_of
from fieldguide.toolsets.architecture.rules import Rule

FIRST_PLACES = 3
WHY_ADVICE = "no sentence of it names code in a way that leaves nothing to judge, so people and agents read it"


@dataclass(frozen=True, slots=True)
class Explained:
    """A rule: how it is checked, where it looked, and what it caught."""

    rule: Rule
    document: str
    files: int
    violations: Sequence[Violation]
    suppressed: int

    def lines(self) -> list[str]:
        """What a person is told of it."""
        rule = self.rule
        origin = "declared" if rule.origin == "front-matter" else "read from prose"
        hits = number(len(self.violations), "hit") + (f", {self.suppressed} suppressed" if self.suppressed else "")
        places = [f"    {each.path}:{each.line}" for each in self.violations[:FIRST_PLACES]]
        more = len(self.violations) - len(places)
        return [
            f"{rule.id} ({rule.severity}, {origin}, {self.document}:{rule.document_line})",
            f"  {rule.message}",
            f"  Checked: {in_words(rule)}.",
            f"  Here: {hits} in {number(self.files, 'file')} looked at.",
            *places,
            *([f"    and {more} more"] if more else []),
        ]

    def as_json(self) -> dict[str, Any]:
        """The same for scripts, with every place."""
        rule = self.rule
        return {
            "rule": rule.id,
            "message": rule.message,
            "severity": rule.severity,
            "origin": rule.origin,
            "document": self.document,
            "documentLine": rule.document_line,
            "checked": in_words(rule),
            "languages": list(rule.languages),
            "files": self.files,
            "hits": len(self.violations),
            "suppressed": self.suppressed,
            "places": [f"{each.path}:{each.line}" for each in self.violations],
        }


def named_in(documents: Sequence[Document], words: Sequence[str]) -> tuple[list[Document], frozenset[str]]:
    """The documents and the rules that some words name; every document where there are none."""
    patterns = {document.pattern.name for document in documents}
    rules = {name for document in documents for name in _rule_names(document)}
    unknown = [word for word in words if word not in patterns | rules]
    if unknown:
        near = did_you_mean(unknown[0], sorted(patterns | rules))
        known = ", ".join(sorted(patterns))
        raise Misconfiguration(f"There is no pattern or rule {unknown[0]!r}.{near} The patterns are {known}.")
    named = frozenset(words)
    chosen = [each for each in documents if not words or named & {each.pattern.name, *_rule_names(each)}]
    return chosen, named - patterns


def _rule_names(document: Document) -> set[str]:
    rules = document.pattern.rules
    return {rule.id for rule in rules} | {f"{document.pattern.name}/{rule.id}" for rule in rules}


def explained(project: ConfinedFolder, documents: Sequence[Document], wanted: frozenset[str]) -> list[Explained]:
    """Each rule of the documents, or those that are wanted, with what it catches."""
    if not any(document.pattern.rules for document in documents):
        return []
    book = RuleBook(documents)
    if wanted:
        book.rules = {name: rule for name, rule in book.rules.items() if _is_wanted(name, wanted)}
    chosen = chosen_files(project, ())
    outcome = Checking(project, book).outcome(chosen, None)
    return [
        Explained(
            rule,
            book.known[name].document,
            _files(rule, chosen),
            [each for each in outcome.violations if each.rule.id == name],
            sum(each.violation.rule.id == name for each in outcome.suppressed),
        )
        for name, rule in book.rules.items()
    ]


def _is_wanted(name: str, wanted: frozenset[str]) -> bool:
    """Whether a rule is named: by its own name, with its pattern's, or because its whole pattern is."""
    pattern, _, own = name.rpartition("/")
    return not wanted.isdisjoint((name, own, pattern))


def advice_lines(document: Document) -> list[str]:
    """What of a document is no rule, with its lines."""
    advice = document.pattern.advice
    return [f"{document.path}:{each.document_line}: {' '.join(each.text.split())}" for each in advice]


def told_advice(advice: Sequence[str]) -> list[str]:
    """The advice as a person is told, and why it is none of the rules."""
    return [f"Advice, no rules: {WHY_ADVICE}.", *(f"  {line}" for line in advice)] if advice else []


def _files(rule: Rule, chosen: Chosen) -> int:
    """How many files a rule looks at."""
    has_place, is_spared = matcher(rule.files), matcher(rule.except_files)
    return sum(
        is_about(rule, language_of(path)) and (not rule.files or has_place(path)) and not is_spared(path)
        for path in chosen.paths
    )
