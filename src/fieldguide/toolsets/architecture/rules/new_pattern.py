"""Writes new pattern documents, runs the examples of documents, and reads the starter patterns of the package.

An example is for the rules that it names; else for those whose `see` names its section; else, a bad one for any rule of
the document. A good one that names no rule is spared by all of them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.code.parsing import GRAMMARS
from fieldguide.files.kinds import language_of
from fieldguide.prose.markdown import read_markdown
from fieldguide.text import regex as re
from fieldguide.text.errors import Misconfiguration
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.architecture.rules import declared_rules
from fieldguide.toolsets.architecture.rules.examples import DeclaredExample, read_examples
from fieldguide.toolsets.architecture.rules.pattern import (
    Breach,
    PatternRule,
    check_code,
    detect_language,
    is_for_language,
    read_pattern,
)
from fieldguide.toolsets.architecture.rules.project_check import PatternFile

PARSEABLE = "parseable"


class ExampleFailure(NamedTuple):
    """An example that is not what it says, and the document's line."""

    line: int
    message: str


class PatternTestResult(NamedTuple):
    """What became of a document's examples."""

    document: PatternFile
    examples: int
    failures: tuple[ExampleFailure, ...]
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


def run_examples(document: PatternFile) -> PatternTestResult:
    """Try every example of a document."""
    trial = _Trial(document)
    examples = read_examples(document.text)
    failures = [failure for example in examples for failure in trial.failures_of(example)]
    declared = [rule.id for rule in document.pattern.rules if rule.origin == "front-matter"]
    untried = [name for name in declared if name not in trial.caught]
    return PatternTestResult(document, len(examples), tuple(failures), tuple(untried))


class _Trial:
    """One document whose examples are tried."""

    def __init__(self, document: PatternFile) -> None:
        self._pattern = document.pattern
        markdown = read_markdown(document.text)
        self._outline = declared_rules.HeadingOutline(markdown.headings, len(markdown.lines))
        self._known = {rule.id: rule for rule in document.pattern.rules}
        self.caught: set[str] = set()

    def failures_of(self, example: DeclaredExample) -> Iterator[ExampleFailure]:
        """In what an example is not what it says."""
        unknown = [name for name in example.rules if name not in self._known]
        if unknown:
            yield ExampleFailure(example.line, f"There is no rule `{unknown[0]}` that this example could be for.")
            return
        language = example.language or detect_language(example.code)
        meant = self._meant(example, language)
        told = check_code(self._pattern, example.code, language).findings
        found = [finding for finding in told if finding.rule != PARSEABLE]
        yield from (self._bad if example.verdict == "bad" else self._good)(example, meant, found)

    def _meant(self, example: DeclaredExample, language: str | None) -> list[PatternRule]:
        """The rules that an example is for."""
        fitting = [rule for rule in self._known.values() if is_for_language(rule.languages, language)]
        if example.rules:
            return [self._known[name] for name in example.rules]
        if example.verdict == "good":
            return fitting
        here = [rule for rule in fitting if example.line in (self._outline.section_lines(rule.document_line) or ())]
        return here or fitting

    def _bad(
        self, example: DeclaredExample, meant: Sequence[PatternRule], found: Sequence[Breach]
    ) -> Iterator[ExampleFailure]:
        names = [rule.id for rule in meant]
        caught = {finding.rule for finding in found}.intersection(names)
        self.caught |= caught
        missed = [name for name in names if name not in caught]
        if not names:
            yield ExampleFailure(example.line, "No rule of the document is for the language of this bad example.")
        elif example.rules:
            yield from (ExampleFailure(example.line, f"The bad example is not caught by `{name}`.") for name in missed)
        elif not caught:
            said = ", ".join(f"`{name}`" for name in names)
            yield ExampleFailure(example.line, f"The bad example is caught by none of {said}.")

    def _good(
        self, example: DeclaredExample, meant: Sequence[PatternRule], found: Sequence[Breach]
    ) -> Iterator[ExampleFailure]:
        names = {rule.id for rule in meant}
        for finding in found:
            if finding.rule in names:
                line = example.line + finding.line - 1
                yield ExampleFailure(line, f"The good example is caught by `{finding.rule}`.")


UNFINISHED = "FIXME"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:/[A-Za-z0-9][A-Za-z0-9_-]*)*")
IN_ALL = "    in: all\n"
OTHER_CHECKS = """\
    # Other checks, one for each rule (docs: "Pattern rules"):
    # forbid-import: ["psycopg2", "../infrastructure/*"]
    # ast-grep: "$A == None"
    # forbid-text: '\\bTODO\\b'
    # naming: {kind: class, matches: "*Repository", where: {extends: "*Repository"}}
    # And where it holds: files, except-files, inside, outside, when.
"""


class PatternRequest(NamedTuple):
    """What somebody wants to have forbidden: a check and what it is given; and perhaps examples and a message."""

    name: str
    check: str
    value: str
    language: str
    message: str | None = None
    good: str | None = None
    bad: str | None = None
    files: tuple[str, ...] = ()
    is_commented: bool = False


def find_main_language(paths: Iterable[str], among: Iterable[str] = GRAMMARS) -> str:
    """The language that most files of a project are written in, of some or of all that can be parsed.

    Where there is TypeScript beside JavaScript it is TypeScript: a rule for it holds for both.
    """
    wanted = [*among]
    counts = Counter(language for language in map(language_of, paths) if language in wanted)
    if not counts:
        return "python" if "python" in wanted else wanted[0]
    common = str(counts.most_common(1)[0][0])
    return "typescript" if common == "javascript" and "typescript" in counts else common


def make_debug_request(name: str, language: str) -> PatternRequest:
    """The wish of somebody who does not say what it is: nothing that is marked as unfinished."""
    return PatternRequest(name, "forbid-text", UNFINISHED, language, is_commented=True)


def list_structure_languages(structure: str) -> list[str]:
    """The languages that a structure is known in; told where there is none of its name."""
    if structure not in declared_rules.list_structures():
        near = suggest_names(structure, declared_rules.list_structures())
        raise Misconfiguration(
            f"There is no structure {structure!r}.{near} There are {', '.join(declared_rules.list_structures())}."
        )
    return list(dict.fromkeys(snippet.language for snippet in declared_rules.read_structure(structure).snippets))


def complete_structure_request(wish: PatternRequest) -> PatternRequest:
    """A wish for a structure that has a name, checked: it is known, and in this language."""
    languages = list_structure_languages(wish.value)
    structure = declared_rules.read_structure(wish.value)
    if wish.language not in languages:
        raise Misconfiguration(f"{wish.value!r} is a structure of {', '.join(languages)}, not of {wish.language}.")
    return wish._replace(message=wish.message or f"Not written here: {structure.finds[0].lower()}{structure.finds[1:]}")


def write_document(wish: PatternRequest) -> str:
    """The text of a document for a wish; refused where its rule can't be read or its examples show that it fails."""
    if not NAME.fullmatch(wish.name):
        raise Misconfiguration(f"A pattern is named with letters, digits and dashes, not {wish.name!r}.")
    text = _written(wish)
    told = run_examples(PatternFile(wish.name, text, read_pattern(wish.name, text, tries_examples=False)))
    if told.document.pattern.problems:
        raise Misconfiguration(f"The rule can't be read. {told.document.pattern.problems[0].message}")
    if told.failures:
        raise Misconfiguration(f"The rule does not work as its examples say. {told.failures[0].message}")
    return text


def _written(wish: PatternRequest) -> str:
    rule = wish.name.rpartition("/")[2].lower().replace("_", "-")
    title = rule.replace("-", " ").capitalize()
    message = wish.message or MESSAGES.get(wish.check, "{}").format(wish.value)
    files = f"    files: {json.dumps(wish.files)}\n" if wish.files else ""
    value = json.dumps(wish.value, ensure_ascii=False)
    given = f"[{value}]" if wish.check in ("forbid-call", "forbid-import") else value
    examples = [
        f"\n```{wish.language} {verdict} rule={rule}\n{code.rstrip()}\n```\n"
        for verdict, code in (("bad", wish.bad), ("good", wish.good))
        if code is not None
    ]
    return f"""\
---
title: {json.dumps(title, ensure_ascii=False)}
prose: false
rules:
  - id: {rule}
    message: {json.dumps(message, ensure_ascii=False)}
    severity: error
    languages: [{wish.language}]
    see: {json.dumps(title, ensure_ascii=False)}
{files}    {wish.check}: {given}
{IN_ALL if wish.check == "forbid-text" else ""}{OTHER_CHECKS if wish.is_commented else ""}---
# {title}

{message}

Say here why, and what to do instead: whoever breaks the rule is sent to this section.
{"".join(examples)}"""


MESSAGES = {
    "forbid-call": "`{}` is not called here.",
    "forbid-import": "`{}` is not imported here.",
    "forbid-text": "`{}` is not left here.",
    "ast-grep": "`{}` is not written here.",
}


SUFFIX = ".md"


def list_starters() -> tuple[str, ...]:
    """The names of the documents, sorted."""
    return declared_rules.list_packaged("starters", SUFFIX)


def read_starter(name: str) -> str:
    """The text of one of them; a name that `list_starters` does not list is a KeyError."""
    return declared_rules.read_packaged("starters", name, SUFFIX)
