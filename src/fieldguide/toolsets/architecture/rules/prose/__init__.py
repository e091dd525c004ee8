"""What the prose of a document gives: rules where that is certain, and advice for a reader everywhere else.

`statements` reads the document, `examples` its good and bad examples by their `labels`. `bans` finds the sentences that
forbid a code span, `spans` what finds such a span in code, `pairs` what only a bad example has. `evidence` holds each
rule against the examples of the document before it is one.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.markdown import front_matter_lines
from fieldguide.toolsets.architecture.rules.declared.sections import anchor
from fieldguide.toolsets.architecture.rules.pattern import (
    Advice,
    Check,
    Condition,
    EveryCheck,
    ImportCheck,
    Place,
    Rule,
)
from fieldguide.toolsets.architecture.rules.prose.bans import CONDITION, OPENING, Ban, is_permitted, read_bans
from fieldguide.toolsets.architecture.rules.prose.evidence import Evidence
from fieldguide.toolsets.architecture.rules.prose.examples import Example, read_examples
from fieldguide.toolsets.architecture.rules.prose.pairs import differences
from fieldguide.toolsets.architecture.rules.prose.spans import checks_for
from fieldguide.toolsets.architecture.rules.prose.statements import Statement, read_prose

ASKS = re.compile(
    r"^\W*(?:\d[\d.]* )?(?:use|prefer|avoid|always)\b|\b(?:must|should|shall|never|don['’]t|do not|cannot)\b",
    re.IGNORECASE,
)
MILD = re.compile(r"\b(?:should|prefer|avoid)\b", re.IGNORECASE)
LONGEST_IDENTIFIER = 50
LEAD = 2  # a heading, and the first sentence below it


class ProseRules(NamedTuple):
    """What the prose gives."""

    rules: tuple[Rule, ...] = ()
    advice: tuple[Advice, ...] = ()


def read_prose_rules(
    text: str, markdown: ReadDocument, languages: tuple[str, ...], covered: Sequence[range]
) -> ProseRules:
    """The rules and the advice of a document; sections that declared rules cover are left out."""
    prose = read_prose(text, front_matter_lines(markdown.lines))
    said = [each for each in prose.statements if not any(each.line in lines for lines in covered)]
    shown = [each for each in read_examples(prose.fences) if not any(each.line in lines for lines in covered)]
    evidence = Evidence(shown, languages)
    for ban in read_bans(said):
        if not any(is_permitted(span, said) for span in ban.spans):
            _take_ban(ban, evidence)
    for bad in evidence.unexplained():
        _take_pair(bad, said, evidence)
    rules = tuple(_with_names(sorted(evidence.rules, key=lambda rule: rule.document_line)))
    told = {rule.document_line for rule in rules}
    advice = {_plain(each): each.line for each in reversed(said) if ASKS.search(each.text) and each.line not in told}
    return ProseRules(rules, tuple(Advice(words, line) for words, line in reversed(advice.items())))


def _take_ban(ban: Ban, evidence: Evidence) -> None:
    """Make a rule of a sentence, if its topic has no bad examples or one that breaks it, and no good one does."""
    topic, statement = ban.statement.topic, ban.statement
    message = _plain(statement)
    draft = Rule(
        anchor(message), message, EveryCheck(()), statement.line, "warning" if MILD.search(message) else "error",
        languages=evidence.languages, origin="prose",
    )  # fmt: skip
    found: list[Check] = []
    is_shown = False
    for span in ban.spans:
        rules = [
            _placed(draft._replace(check=check), ban.subject)
            for check in checks_for(span, ban.verb, evidence.languages)
        ]
        shown = next(filter(lambda rule: evidence.is_shown(rule, topic), rules), None)
        is_shown = is_shown or shown is not None
        found += [(shown or rules[0]).check] if rules else []
    rule = _placed(draft._replace(check=found[0] if len(found) == 1 else EveryCheck(tuple(found))), ban.subject)
    needs_example = not ban.is_plain or topic in evidence.bad
    if found and (is_shown or not needs_example) and evidence.allows(rule, topic):
        evidence.add(rule)


def _placed(rule: Rule, subject: str) -> Rule:
    """A rule for those whom its sentence speaks of: `Services` are the classes whose names have `Service` in them."""
    if not subject:
        return rule
    one = f"{subject[:-3]}y" if subject.endswith("ies") else subject.removesuffix("s")
    classes = (f"*{''.join(part.capitalize() for part in one.split('-'))}*",)
    inside = None if isinstance(rule.check, ImportCheck) else Place(classes)
    return rule._replace(when=Condition(classes), inside=inside)


def _take_pair(bad: Example, said: Sequence[Statement], evidence: Evidence) -> None:
    """Make a rule of what only a bad example has; of a short difference only where something known is named."""
    topic = [each for each in said if each.topic == bad.topic]
    lead = [_plain(each) for each in topic[:LEAD]]
    spans = "".join(each.text for each in topic).split("`")[1::2]
    title = lead[0].rstrip(".:") if lead else "Bad example"
    for each in differences(bad, [good for good in evidence.good if good.topic == bad.topic]):
        message = f"{title}: the document shows this as a bad example (line {bad.line})."
        rule = Rule(
            anchor(title), message, each.check, bad.line, "warning", (bad.source.language or "",), origin="prose"
        )
        is_plain = not any(map(CONDITION.search, lead))
        is_telling = is_plain and each.is_known(spans, len(evidence.good)) if each.is_short else bool(each.names)
        if is_telling and evidence.is_shown(rule, bad.topic) and evidence.spares_good(rule):
            evidence.add(rule)
            return


def _plain(statement: Statement) -> str:
    return OPENING.sub("", statement.text).strip()


def _with_names(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The rules, each with an identifier that no other one has."""
    known: dict[str, int] = {}
    for rule in rules:
        name = rule.id[:LONGEST_IDENTIFIER].strip("-") or "rule"
        known[name] = known.get(name, 0) + 1
        yield rule._replace(id=name if known[name] == 1 else f"{name}-{known[name]}")
