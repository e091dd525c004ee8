"""What the prose of a document gives: rules where that is certain, and advice for a reader everywhere else."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.markdown import front_matter_lines
from fieldguide.toolsets.architecture.rules.pattern import Advice, Rule
from fieldguide.toolsets.architecture.rules.prose.statements import read_prose


class ProseRules(NamedTuple):
    """What the prose gives."""

    rules: tuple[Rule, ...] = ()
    advice: tuple[Advice, ...] = ()


def read_prose_rules(
    text: str, markdown: ReadDocument, languages: tuple[str, ...], covered: Sequence[range]
) -> ProseRules:
    """The rules and the advice of a document; sections that declared rules cover are left out."""
    prose = read_prose(text, front_matter_lines(markdown.lines))
    advice = [
        Advice(statement.shown(), statement.line)
        for statement in prose.statements
        if statement.form != "heading" and not any(statement.line in lines for lines in covered)
    ]
    return ProseRules((), tuple(advice))
