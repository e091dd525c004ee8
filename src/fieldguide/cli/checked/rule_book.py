"""The pattern documents of a project, read, and their rules as one book that files are checked against."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide.cli.checked.violations import PatternRule
from fieldguide.cli.terminal import complain
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.config import Settings, project_folder
from fieldguide.errors import Misconfiguration, Refusal
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.toolsets.architecture.roots import PATTERNS, listed, roots_of
from fieldguide.toolsets.architecture.rules import Breach, Pattern, Rule, read_pattern
from fieldguide.toolsets.architecture.rules.code.languages import is_for
from fieldguide.toolsets.architecture.rules.plain_data import as_plain

LARGEST_BYTES = 1 << 20


class Document(NamedTuple):
    """A pattern document: where it lies, what it says, and what was read in it."""

    path: str
    text: str
    pattern: Pattern


def read_documents(settings: Settings, names: Sequence[str] = ()) -> list[Document]:
    """The pattern documents of a project, or those with these names; told where there is none."""
    found = dict(_texts(settings))
    if not found:
        raise Misconfiguration(
            f"There are no patterns in mcp/resources/patterns of {settings.project}. "
            "`fieldguide patterns add error-handling` brings one, `fieldguide patterns new NAME` begins your own; "
            "`--project DIR` looks in another folder."
        )
    unknown = [name for name in names if name not in found]
    if unknown:
        near = did_you_mean(unknown[0], list(found))
        raise Misconfiguration(f"There is no pattern {unknown[0]!r}.{near} The patterns are {', '.join(found)}.")
    chosen = [name for name in found if not names or name in names]
    return [Document(path, text, read_pattern(name, text)) for name in chosen for path, text in [found[name]]]


def tell_problems(documents: Iterable[Document]) -> int:
    """Tell of rules that can't be read, and how many there are; the others are checked all the same."""
    problems = [(document.path, problem) for document in documents for problem in document.pattern.problems]
    for path, problem in problems:
        complain(f"{shown(path)}:{problem.document_line}: {shown(problem.message)}")
    return len(problems)


class RuleBook:
    """The rules of several patterns as one, so that a file is parsed once; each is known as `PATTERN/RULE`."""

    def __init__(self, documents: Iterable[Document], *, only_declared: bool = False) -> None:
        self.known: dict[str, PatternRule] = {}
        self.rules: dict[str, Rule] = {}
        for path, _, pattern in documents:
            for rule in pattern.rules:
                if only_declared and rule.origin != "front-matter":
                    continue
                name = f"{pattern.name}/{rule.id}"
                self.rules[name] = rule._replace(id=name)
                self.known[name] = PatternRule(
                    name, rule.message, rule.severity, path, rule.document_line, fix=rule.fix
                )
        if not self.rules:
            raise Misconfiguration(
                "No pattern here has a rule that a machine can check. `fieldguide patterns new NAME` begins one, "
                "`fieldguide patterns add` brings one of ours."
            )

    def written(self) -> str:
        """All of it as JSON, for a parser process."""
        return json.dumps(as_plain(Pattern("project", "Project", tuple(self.rules.values()))))

    def is_about(self, language: str | None) -> bool:
        """Whether a rule is for a language: one that names it, or one for all, where a parser knows the language."""
        return any(is_about(rule, language) for rule in self.rules.values())

    def rule_of(self, finding: Breach) -> PatternRule:
        """The rule that a finding breaks; one that no document asks for is that the code does not parse."""
        own = PatternRule(finding.rule, finding.description, finding.severity, "", 1)
        return self.known.get(finding.rule) or own


def is_about(rule: Rule, language: str | None) -> bool:
    """Whether a rule is for files in a language."""
    return is_for(rule.languages, language) if rule.languages else language in GRAMMARS


def _texts(settings: Settings) -> Iterator[tuple[str, tuple[str, str]]]:
    """The name of each document with its path and its text."""
    project = project_folder(settings)
    roots = [root for root in roots_of(settings.sections.get("architecture", {})) if root.category == PATTERNS]
    found = sorted((placed for placed, _ in listed(project, roots)), key=lambda placed: placed.path)
    names = Counter(placed.inner for placed in found)
    for placed in found:
        name = placed.inner if names[placed.inner] == 1 else placed.path  # two folders may have one of that name
        try:
            content = project.read(placed.path, limit_bytes=LARGEST_BYTES)
        except Refusal as error:
            raise Misconfiguration(f"A pattern can't be read. {error.message}.") from error
        yield name.removesuffix(".md"), (placed.path, content.decode("utf-8", errors="replace"))
