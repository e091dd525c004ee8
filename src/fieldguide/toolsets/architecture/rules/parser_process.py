"""Runs inside a parser process: reads pattern documents and checks code against them."""

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from fieldguide.files.parser_worker import HAS_TREES
from fieldguide.prose.markdown import count_front_matter_lines, read_markdown
from fieldguide.text.windows import split_lines
from fieldguide.toolsets.architecture.rules.checking import (
    InvalidSyntaxRule,
    find_breaches,
    find_unparsed,
    make_report,
    select_rules,
)
from fieldguide.toolsets.architecture.rules.declared_rules import (
    HeadingOutline,
    document_languages,
    read_declared_rules,
    read_front_matter,
)
from fieldguide.toolsets.architecture.rules.examples import ProseText, read_prose_examples
from fieldguide.toolsets.architecture.rules.pattern import (
    Breach,
    CallCheck,
    Check,
    ImportCheck,
    PatternDocument,
    PatternRule,
    from_plain,
    to_plain,
)
from fieldguide.toolsets.architecture.rules.prose_rules import ProseRules, read_prose_rules
from fieldguide.toolsets.architecture.rules.source_code import SourceCode
from fieldguide.toolsets.architecture.rules.violations import read_suppressions


def check_files(pattern: str, files: str) -> Any:
    """For each file, given as `[path, language, text]`, what it breaks and its comments; all as JSON.

    None where no text may be parsed: some text of these was too much for a parser, and each is asked about alone.
    """
    given: list[tuple[str, str | None, str]] = json.loads(files)
    if len(given) > 1 and not HAS_TREES.get():
        return None
    rules = _pattern(pattern)
    return [_told(rules, *each) for each in given]


def _told(pattern: PatternDocument, path: str, language: str | None, text: str) -> Any:
    source = SourceCode(text, language, path)
    found = {*find_unparsed(source), *find_all_breaches(pattern, source)}
    ordered = sorted(found, key=lambda each: (each.line, each.rule))
    return [[list(each) for each in ordered], [list(each) for each in read_suppressions(source)]]


def find_all_breaches(pattern: PatternDocument, source: SourceCode) -> list[Breach]:
    """Every place where a text breaks a rule; unlike a snippet, it is checked as it is."""
    found: list[Breach] = []
    for rule in select_rules(pattern, source)[0]:
        with suppress(InvalidSyntaxRule):
            found += [breach for breach, _ in find_breaches(rule, source)]
    return found


def parse_pattern(name: str, text: str) -> PatternDocument:
    """Read a pattern document; any text is one, and what is wrong with it is told in its problems."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")  # a lone surrogate is no character
    markdown = read_markdown(text)
    front = read_front_matter(text)
    outline = HeadingOutline(markdown.headings, len(markdown.lines))
    declared = read_declared_rules(front.entries, outline)
    stated = front.entries.get("title")
    title = stated.scalar if stated and isinstance(stated.scalar, str) else markdown.title or name
    told = ProseRules()
    if "prose" not in front.entries or front.entries["prose"].scalar is not False:
        sections = [outline.section_lines(rule.document_line) for rule in declared.rules]
        covered = [lines for lines in sections if lines]
        told = read_prose_rules(text, markdown, document_languages(front.entries), covered)
    rules = (*declared.rules, *_besides(declared.rules, told.rules))
    return PatternDocument(name, title, rules, told.advice, (*front.problems, *declared.problems))


def _besides(declared: tuple[PatternRule, ...], told: tuple[PatternRule, ...]) -> Iterator[PatternRule]:
    """The rules of the prose that no declared rule checks already, under names that none of those has."""
    names = {rule.id for rule in declared}
    for rule in told:
        subjects = _subjects(rule.check)
        if not any(other.check == rule.check or subjects & _subjects(other.check) for other in declared):
            yield rule._replace(id=f"{rule.id}-in-prose") if rule.id in names else rule


def _subjects(check: Check) -> set[str]:
    """The calls and imports that a check is about."""
    return set(check.globs) if isinstance(check, CallCheck | ImportCheck) else set()


KEPT_PATTERNS = 100


def told_pattern(name: str, text: str) -> Any:
    """A pattern document, read, as plain data."""
    return to_plain(parse_pattern(name, text))


def told_report(pattern: str, code: str, language: str | None, path: str | None) -> Any:
    """What a check against a pattern, given as JSON, finds, as plain data."""
    return to_plain(make_report(_pattern(pattern), code, language, path))


def told_examples(pattern: str, text: str) -> Any:
    """How many examples a document has, and the lines of those that its rules judge otherwise, with the reason."""
    examples = read_prose_examples(ProseText(text, count_front_matter_lines(split_lines(text))).fences)
    failures: list[tuple[int, str]] = []
    for example in examples:
        found = find_all_breaches(_pattern(pattern), example.source)
        if example.is_good:
            failures += [(example.line + each.line - 1, f"The good example breaks `{each.rule}`.") for each in found]
        elif not found:
            failures.append((example.line, "The bad example breaks no rule."))
    return len(examples), failures


@lru_cache(maxsize=KEPT_PATTERNS)
def _pattern(text: str) -> PatternDocument:
    made: PatternDocument = from_plain(json.loads(text))
    return made
