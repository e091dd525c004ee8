"""A pattern document to the rules in it: those of its front matter first, then what its prose says besides."""

from collections.abc import Iterator, Mapping

from fieldguide.document_formats.markdown import read_markdown
from fieldguide.toolsets.architecture.rules.declared.front_matter import Value, read_front_matter
from fieldguide.toolsets.architecture.rules.declared.rules import document_languages, read_declared_rules
from fieldguide.toolsets.architecture.rules.declared.sections import Outline
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, EveryCheck, ImportCheck, Pattern, Rule
from fieldguide.toolsets.architecture.rules.prose import ProseRules, read_prose_rules


def read_pattern(name: str, text: str) -> Pattern:
    """Read a pattern document; any text is one, and what is wrong with it is told in its problems."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")  # a lone surrogate is no character
    markdown = read_markdown(text)
    front = read_front_matter(text)
    outline = Outline(markdown.headings, len(markdown.lines))
    declared = read_declared_rules(front.entries, outline)
    stated = front.entries.get("title")
    title = stated.scalar if stated and isinstance(stated.scalar, str) else markdown.title or name
    told = ProseRules()
    if not _is_prose_off(front.entries):
        covered = [lines for rule in declared.rules if (lines := outline.section_lines(rule.document_line))]
        languages = document_languages(front.entries)
        told = read_prose_rules(text, markdown, languages, covered)
    rules = (*declared.rules, *_besides(declared.rules, told.rules))
    return Pattern(name, title, tuple(_with_scripts(rules)), told.advice, (*front.problems, *declared.problems))


def _is_prose_off(entries: Mapping[str, Value]) -> bool:
    return "prose" in entries and entries["prose"].scalar is False


def _besides(declared: tuple[Rule, ...], told: tuple[Rule, ...]) -> Iterator[Rule]:
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


def _with_scripts(rules: tuple[Rule, ...]) -> Iterator[Rule]:
    """Rules for TypeScript hold for JavaScript too, unless the document has some for JavaScript itself."""
    has_own = any("javascript" in rule.languages for rule in rules)
    for rule in rules:
        yield rule._replace(spares_javascript=True) if has_own and "javascript" not in rule.languages else rule
