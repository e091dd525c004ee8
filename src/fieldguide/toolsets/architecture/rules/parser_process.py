"""Runs inside a parser process: reads pattern documents and checks code against them.

A rule that can't be broken without a certain word is not run on a text that lacks it: looking for a word takes a
thousandth of what it takes to find every call and import.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from fieldguide.files.parser_worker import HAS_TREES
from fieldguide.prose.markdown import read_markdown
from fieldguide.text import regex as re
from fieldguide.toolsets.architecture.rules.checking import (
    InvalidSyntaxRule,
    find_breaches,
    find_unparsed,
    make_report,
    select_rules,
)
from fieldguide.toolsets.architecture.rules.declared_rules import (
    DeclaredRules,
    HeadingOutline,
    document_languages,
    read_declared_rules,
    read_front_matter,
)
from fieldguide.toolsets.architecture.rules.examples import DeclaredExample, read_examples
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    PatternDocument,
    PatternProblem,
    PatternRule,
    SyntaxCheck,
    from_plain,
    to_plain,
)
from fieldguide.toolsets.architecture.rules.prose_rules import ProseRules, read_prose_rules
from fieldguide.toolsets.architecture.rules.source_code import SourceCode, detect_language
from fieldguide.toolsets.architecture.rules.syntax_patterns import find_written_pattern
from fieldguide.toolsets.architecture.rules.violations import read_suppressions

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NOT_LITERAL = re.compile(r"\${1,3}[A-Z_][A-Z0-9_]*|\${3}")
OPEN = re.compile(r"[\[\]{}?]")


def find_needed_words(rule: PatternRule) -> frozenset[str] | None:
    """Words of which a text has at least one where it breaks the rule; None where that can't be said."""
    if getattr(rule.check, "is_required", False):
        return None
    return _of_check(rule.check)


def _of_check(check: Check) -> frozenset[str] | None:
    if isinstance(check, CallCheck | ImportCheck):
        return _one_of([_of_glob(glob) for glob in check.globs])
    if isinstance(check, SyntaxCheck):
        return _one_of([_of_syntax(each.get("rule"), language) for language, each in check.by_language.items()])
    return None


def _one_of(each: list[frozenset[str] | None]) -> frozenset[str] | None:
    """Of several ways to break a rule, the words of all; None where one of them needs no word."""
    known = [words for words in each if words]
    if not known or len(known) < len(each):
        return None
    return frozenset(chain.from_iterable(known))


def _of_glob(glob: str) -> frozenset[str] | None:
    """The longest word of a glob that has nothing beside it which could be part of a longer one."""
    if OPEN.search(glob):
        return None
    words = [each for each in WORD.findall(glob) if each != "new"]
    return frozenset((max(words, key=len),)) if words else None


def _of_syntax(rule: object, language: str) -> frozenset[str] | None:
    """The words of an ast-grep rule: of its pattern, of one of its `all`, or of every one of its `any`."""
    if not isinstance(rule, Mapping):
        return None
    given = cast("Mapping[str, Any]", rule)
    pattern = find_written_pattern(given.get("pattern"), language)
    words = WORD.findall(NOT_LITERAL.sub(" ", pattern or ""))
    if words:
        return frozenset((max(words, key=len),))
    for part in _listed(given.get("all")):
        needed = _of_syntax(part, language)
        if needed:
            return needed
    ways = _listed(given.get("any"))
    return _one_of([_of_syntax(each, language) for each in ways]) if ways else None


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


KEPT_RULE_BOOKS = 10

Needs = tuple[tuple[PatternRule, frozenset[str] | None], ...]


def check_files(pattern: str, files: str) -> Any:
    """For each file, given as `[path, language, text]`, what it breaks and its comments; all as JSON.

    None where no text may be parsed: some text of these was too much for a parser, and each is asked about alone.
    """
    given: list[tuple[str, str | None, str]] = json.loads(files)
    if len(given) > 1 and not HAS_TREES.get():
        return None
    whole, needs = _read(pattern)
    return [_told(whole, needs, *each) for each in given]


def _told(whole: PatternDocument, needs: Needs, path: str, language: str | None, text: str) -> Any:
    source = SourceCode(text, language, path)
    pattern = whole._replace(rules=tuple(_possible(needs, text)))
    found = set(find_unparsed(source))
    for rule in select_rules(pattern, source)[0]:  # unlike a snippet, a file is checked as it is
        with suppress(InvalidSyntaxRule):
            found.update(breach for breach, _ in find_breaches(rule, source))
    ordered = sorted(found, key=lambda each: (each.line, each.rule))
    return [[list(each) for each in ordered], [list(each) for each in read_suppressions(source)]]


def _possible(needs: Needs, text: str) -> Iterator[PatternRule]:
    """The rules that a text may break, by its words."""
    for rule, words in needs:
        if words is None or any(word in text for word in words):
            yield rule


@lru_cache(maxsize=KEPT_RULE_BOOKS)
def _read(text: str) -> tuple[PatternDocument, Needs]:
    pattern: PatternDocument = from_plain(json.loads(text))
    return pattern, tuple((rule, find_needed_words(rule)) for rule in pattern.rules)


MOST_TRIED = 5  # bad examples of one rule


def parse_pattern(name: str, text: str, *, tries_examples: bool = True) -> PatternDocument:
    """Read a pattern document; any text is one, and what is wrong with it is told in its problems.

    A declared rule that finds nothing in its own bad examples is left out, unless they are not to be tried.
    """
    text = text.encode("utf-8", errors="replace").decode("utf-8")  # a lone surrogate is no character
    markdown = read_markdown(text)
    front = read_front_matter(text)
    outline = HeadingOutline(markdown.headings, len(markdown.lines))
    declared = read_declared_rules(front.entries, outline)
    if tries_examples:
        declared = _tried(declared, text)
    stated = front.entries.get("title")
    title = stated.scalar if stated and isinstance(stated.scalar, str) else markdown.title or name
    told = ProseRules()
    if "prose" not in front.entries or front.entries["prose"].scalar is not False:
        sections = [outline.section_lines(rule.document_line) for rule in declared.rules]
        covered = [lines for lines in sections if lines]
        told = read_prose_rules(text, markdown, document_languages(front.entries), covered)
    rules = (*declared.rules, *_besides(declared.rules, told.rules))
    return PatternDocument(name, title, tuple(_with_scripts(rules)), told.advice, (*front.problems, *declared.problems))


def _tried(declared: DeclaredRules, text: str) -> DeclaredRules:
    """The declared rules without those that find nothing in any of their own bad examples."""
    if not declared.rules:
        return declared
    bad: dict[str, list[DeclaredExample]] = {}
    for example in read_examples(text):
        if example.verdict == "bad":
            for name in example.rules:
                bad.setdefault(name, []).append(example)
    rules: list[PatternRule] = []
    problems: list[PatternProblem] = [*declared.problems]
    for rule in declared.rules:
        examples = bad.get(rule.id, [])[:MOST_TRIED]
        if examples and all(_is_missed(rule, example) for example in examples):
            said = f"its own bad example in line {examples[0].line} is not caught by `{rule.id}`"
            problems.append(PatternProblem(f"Rule `{rule.id}` was left out: {said}.", rule.document_line))
        else:
            rules.append(rule)
    return DeclaredRules(tuple(rules), tuple(problems))


def _is_missed(rule: PatternRule, example: DeclaredExample) -> bool:
    """Whether a rule can be applied to an example and finds nothing there."""
    report = make_report(PatternDocument("", "", (rule,)), example.code, example.language)
    return report.checked > 0 and not any(finding.rule == rule.id for finding in report.findings)


def _besides(declared: tuple[PatternRule, ...], told: tuple[PatternRule, ...]) -> Iterator[PatternRule]:
    """The rules of the prose that no declared rule checks already, under names that none of those has."""
    names = {rule.id for rule in declared}
    for rule in told:
        subjects = _subjects(rule.check)
        if not any(other.check == rule.check or subjects & _subjects(other.check) for other in declared):
            yield rule._replace(id=f"{rule.id}-in-prose") if rule.id in names else rule


def _subjects(check: Check) -> set[str]:
    """The calls and imports that a check is about."""
    if isinstance(check, EveryCheck):
        return {name for each in check.checks for name in _subjects(each)}
    return set(check.globs) if isinstance(check, CallCheck | ImportCheck) else set()


def _with_scripts(rules: tuple[PatternRule, ...]) -> Iterator[PatternRule]:
    """Rules for TypeScript hold for JavaScript too, unless the document has some for JavaScript itself."""
    has_own = any("javascript" in rule.languages for rule in rules)
    for rule in rules:
        yield rule._replace(spares_javascript=True) if has_own and "javascript" not in rule.languages else rule


KEPT_PATTERNS = 100


def told_pattern(name: str, text: str, examples: str | None) -> Any:
    """A pattern document, read, as plain data; its rules are tried with their examples where `examples` says so."""
    return to_plain(parse_pattern(name, text, tries_examples=examples is not None))


def told_report(pattern: str, code: str, language: str | None, path: str | None) -> Any:
    """What a check against a pattern, given as JSON, finds, as plain data."""
    return to_plain(make_report(_pattern(pattern), code, language, path))


def told_language(code: str) -> list[str | None]:
    """What a text is written in."""
    return [detect_language(code)]


@lru_cache(maxsize=KEPT_PATTERNS)
def _pattern(text: str) -> PatternDocument:
    made: PatternDocument = from_plain(json.loads(text))
    return made
