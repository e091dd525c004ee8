"""The examples of a pattern document as its tests: each bad one is caught by the rule it is for, each good one spared.

An example is for the rules that it names; else for those whose `see` names its section; else, a bad one for any rule of
the document. A good one that names no rule is spared by all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.cli.checked.rule_book import Document
from fieldguide.cli.ruled.examples import Example, Sections, read_examples
from fieldguide.toolsets.architecture.rules import Breach, Rule, check_code, detect_language
from fieldguide.toolsets.architecture.rules.code.languages import is_for

PARSEABLE = "parseable"


class Failure(NamedTuple):
    """An example that is not what it says, and the document's line."""

    line: int
    message: str


class Tested(NamedTuple):
    """What became of a document's examples."""

    document: Document
    examples: int
    failures: tuple[Failure, ...]
    untried: tuple[str, ...]
    """The declared rules that no bad example is caught by."""

    def lines(self) -> list[str]:
        """A line for each failure."""
        return [f"{self.document.path}:{each.line}: {each.message}" for each in self.failures]

    def remarks(self) -> list[str]:
        """What is told beside: rules that nothing shows to work."""
        if not self.document.pattern.rules:
            return [f"{self.document.path} has no rule."]
        if not self.examples:
            return [f"{self.document.path} has no examples that are marked good or bad."]
        names = ", ".join(self.untried)
        return [f"{self.document.path}: no bad example shows that it works: {names}."] if names else []

    def as_json(self) -> dict[str, Any]:
        """The same for scripts."""
        return {
            "document": self.document.path,
            "examples": self.examples,
            "failures": [{"line": each.line, "message": each.message} for each in self.failures],
            "untried": list(self.untried),
        }


def tested(document: Document) -> Tested:
    """Try every example of a document."""
    trial = _Trial(document)
    examples = read_examples(document.text)
    failures = [failure for example in examples for failure in trial.failures_of(example)]
    declared = [rule.id for rule in document.pattern.rules if rule.origin == "front-matter"]
    untried = [name for name in declared if name not in trial.caught]
    return Tested(document, len(examples), tuple(failures), tuple(untried))


class _Trial:
    """One document whose examples are tried."""

    def __init__(self, document: Document) -> None:
        self._pattern = document.pattern
        self._sections = Sections(document.text)
        self._known = {rule.id: rule for rule in document.pattern.rules}
        self.caught: set[str] = set()

    def failures_of(self, example: Example) -> Iterator[Failure]:
        """In what an example is not what it says."""
        unknown = [name for name in example.rules if name not in self._known]
        if unknown:
            yield Failure(example.line, f"There is no rule `{unknown[0]}` that this example could be for.")
            return
        language = example.language or detect_language(example.code)
        meant = self._meant(example, language)
        told = check_code(self._pattern, example.code, language).findings
        found = [finding for finding in told if finding.rule != PARSEABLE]
        yield from (self._bad if example.verdict == "bad" else self._good)(example, meant, found)

    def _meant(self, example: Example, language: str | None) -> list[Rule]:
        """The rules that an example is for."""
        fitting = [rule for rule in self._known.values() if is_for(rule.languages, language)]
        if example.rules:
            return [self._known[name] for name in example.rules]
        if example.verdict == "good":
            return fitting
        here = [rule for rule in fitting if self._sections.holds(rule.document_line, example.line)]
        return here or fitting

    def _bad(self, example: Example, meant: Sequence[Rule], found: Sequence[Breach]) -> Iterator[Failure]:
        names = [rule.id for rule in meant]
        caught = {finding.rule for finding in found}.intersection(names)
        self.caught |= caught
        missed = [name for name in names if name not in caught]
        if not names:
            yield Failure(example.line, "No rule of the document is for the language of this bad example.")
        elif example.rules:
            yield from (Failure(example.line, f"The bad example is not caught by `{name}`.") for name in missed)
        elif not caught:
            said = ", ".join(f"`{name}`" for name in names)
            yield Failure(example.line, f"The bad example is caught by none of {said}.")

    def _good(self, example: Example, meant: Sequence[Rule], found: Sequence[Breach]) -> Iterator[Failure]:
        names = {rule.id for rule in meant}
        for finding in found:
            if finding.rule in names:
                line = example.line + finding.line - 1
                yield Failure(line, f"The good example is caught by `{finding.rule}`.")
