"""What the prose of a document gives: rules where that is certain, and advice for a reader everywhere else.

`statements` reads the document, `examples` its good and bad examples by their `labels`. `bans` finds the sentences that
forbid a code span, `spans` what finds such a span in code, `pairs` what only a bad example has. `evidence` holds each
rule against the examples of the document before it is one (ADR 0045).
"""

from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.document import ReadDocument
from fieldguide.document_formats.markdown import front_matter_lines
from fieldguide.toolsets.architecture.rules.declared.sections import anchor
from fieldguide.toolsets.architecture.rules.pattern import Advice, Check, EveryCheck, Rule
from fieldguide.toolsets.architecture.rules.prose.bans import CONDITION, Ban, Permissions, placed, plain, read_bans
from fieldguide.toolsets.architecture.rules.prose.evidence import Evidence
from fieldguide.toolsets.architecture.rules.prose.examples import Example, read_examples
from fieldguide.toolsets.architecture.rules.prose.pairs import differences, imported_call, is_telling
from fieldguide.toolsets.architecture.rules.prose.spans import checks_for, is_exact
from fieldguide.toolsets.architecture.rules.prose.statements import Prose, Statement

ASKS = re.compile(
    r"^(?:use|always|no)\b|\b(?:must|should|shall|never|avoid|prefer|don['’]t|do not|cannot)\b",
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
    prose = Prose(text, front_matter_lines(markdown.lines))
    hidden = frozenset(chain.from_iterable(covered))
    said = [each for each in prose.statements if each.line not in hidden]
    evidence = Evidence(read_examples([each for each in prose.fences if each.line not in hidden]), languages)
    _take_bans(said, evidence)
    for bad in filterfalse(evidence.is_found, evidence.bad):
        _take_pair(bad, said, evidence)
    rules = tuple(_with_names(evidence.rules))
    return ProseRules(rules, tuple(_advice(said, {rule.document_line for rule in rules})))


def _take_bans(said: Sequence[Statement], evidence: Evidence) -> None:
    """Make rules of sentences; none that says again what another one has said."""
    known: set[tuple[str, str]] = set()
    permissions = Permissions(said)
    for ban in read_bans(said):
        named = {(span.removesuffix("()"), ban.subject) for span in ban.spans}
        draft = _draft(plain(ban.statement), ban.statement.line, evidence.languages)
        is_mild = ban.statement.verdict == "good" or MILD.search(draft.message)
        rule = _forbidding(ban, draft._replace(severity="warning" if is_mild else "error"), evidence)
        if rule and not named <= known and not permissions.allow(ban) and evidence.add_ban(rule, ban.statement.topic):
            known |= named


def _forbidding(ban: Ban, draft: Rule, evidence: Evidence) -> Rule | None:
    """The rule of a ban, if its topic has no bad example, or one that breaks it."""
    found: list[Check] = []
    is_missing = not ban.is_plain or evidence.has_bad(ban.statement.topic)
    for span in ban.spans:
        is_missing = is_missing or not is_exact(span, ban.words, draft.languages)
        checks = checks_for(span, ban.words, draft.languages)
        shown = [check for check in checks if evidence.is_shown(_with(check, draft, ban), ban.statement.topic)]
        is_missing = is_missing and not shown
        found += [*shown, *checks][:1]
    if not found or is_missing:
        return None
    return _with(found[0] if len(found) == 1 else EveryCheck(tuple(found)), draft, ban)


def _with(check: Check, draft: Rule, ban: Ban) -> Rule:
    return placed(draft._replace(check=check), ban.subject)


def _take_pair(bad: Example, said: Sequence[Statement], evidence: Evidence) -> None:
    """Make a rule of what only a bad example has."""
    topic = [each for each in said if each.topic == bad.topic]
    lead = " ".join(plain(each) for each in topic[:LEAD])
    title = plain(topic[0]).rstrip(".:") if topic else "Bad example"
    message = f"{title}: the document shows this as a bad example (line {bad.line})."
    draft = _draft(message, bad.line, (bad.source.language or "",))._replace(id=anchor(title))
    spans = " ".join("".join(each.text for each in topic).split("`")[1::2])
    for each in (*imported_call(bad, evidence.good), *differences(bad, evidence.good)):
        is_enough = is_telling(each, spans, len(evidence.good), is_plain=CONDITION.search(lead) is None)
        if is_enough and evidence.add_shown(draft._replace(check=each.check), bad.topic, each.names):
            return


def _draft(message: str, line: int, languages: tuple[str, ...]) -> Rule:
    return Rule(anchor(message), message, EveryCheck(()), line, "warning", languages, origin="prose")


def _advice(said: Sequence[Statement], told: set[int]) -> Iterator[Advice]:
    """What asks for something and is no rule, each once."""
    known: set[str] = set()
    for each in said:
        text = plain(each)
        is_item = each.verdict is not None and each.line == each.topic
        if (is_item or ASKS.search(text)) and each.line not in told and text not in known:
            known.add(text)
            yield Advice(text, each.line)


def _with_names(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The rules in the order of the document, each with an identifier that no other one has."""
    known: dict[str, int] = {}
    for rule in sorted(rules, key=lambda rule: rule.document_line):
        name = "-".join(filter(None, rule.id.split("-")))[:LONGEST_IDENTIFIER].strip("-") or "rule"
        known[name] = known.get(name, 0) + 1
        yield rule._replace(id=name if known[name] == 1 else f"{name}-{known[name]}")
