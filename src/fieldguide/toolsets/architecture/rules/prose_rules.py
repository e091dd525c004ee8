"""The rules in a document's prose: what can be checked becomes a rule, all else that is laid down becomes advice."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.example_rules import rules_of_examples, topic_of
from fieldguide.toolsets.architecture.rules.languages import canonical_language
from fieldguide.toolsets.architecture.rules.meaning import Reading
from fieldguide.toolsets.architecture.rules.naming_norms import naming_check
from fieldguide.toolsets.architecture.rules.norm_rules import read_rule
from fieldguide.toolsets.architecture.rules.norms import Norm, read_norm, split_verb
from fieldguide.toolsets.architecture.rules.overlap import overlaps
from fieldguide.toolsets.architecture.rules.pattern import Advice, Rule, Severity
from fieldguide.toolsets.architecture.rules.prose import Prose, Statement
from fieldguide.toolsets.architecture.rules.sections import anchor

PITFALLS = re.compile(
    r"\b(?:common )?(?:pitfalls?|mistakes)\b|anti-?patterns?|\bdon['’]?ts\b|\bdo not\b|what to avoid"
    r"|\bthings to avoid\b|\bcode smells?\b|\bprohibited\b|\bforbidden\b|^avoid$|^don['’]?t$",
    re.IGNORECASE,
)
PRACTICES = re.compile(
    r"\bbest practices?\b|^do['’]?s\b|\bdos\b|^(?:\w+ )?(?:rules?|guidelines?|conventions?|principles?"
    r"|requirements?|standards)$|^do$|\bcheck-?list$",
    re.IGNORECASE,
)
NOT_ITEMS = re.compile(
    r"^(?:overview|introduction|intent|context|background|example|examples|summary|references?|see also"
    r"|implementation|usage|structure|consequences|when to use|when not to use|motivation|related|why|python"
    r"|typescript|java|go|golang|javascript|bad|good|do|don'?t|❌.*|✅.*)\W*$",
    re.IGNORECASE,
)
POINTING = re.compile(r"(?:it|they|this|these|that|those)\b", re.IGNORECASE)
FURTHER = re.compile(
    r"(?:[:;,]|\s[—–])\s*(?:and |but |or )?(?=(?:never|don['’]t|do not|avoid)\b)"
    r"|[;:]\s*(?=[^;:]{1,80}\s(?:(?:is|are) (?:forbidden|banned|prohibited"
    r"|not allowed)|must not|must never|should not|should never|may not)\b)",
    re.IGNORECASE,
)
NAMES = r"Python|TypeScript|JavaScript|Java|Go|Golang|C#|Kotlin|Rust|Ruby|PHP|Swift|Scala"
LANGUAGE = re.compile(
    rf"\b[Ii]n (?P<name>{NAMES})\b(?!\.\w)|^(?P<first>{NAMES}) (?:code|functions?|methods?|class(?:es)?|modules?"
    rf"|files?|services?|variables?|constants?)\b"
)
CONDITION = re.compile(r"\b(?:where|unless|when|if|except)\b", re.IGNORECASE)
BAD_MARKS = "❌✗✘🚫⛔"
MARKED = re.compile(rf"\s*[{BAD_MARKS}✅✓✔]")
LONGEST_IDENTIFIER = 60
FEWEST_WORDS = 2


class ProseRules(NamedTuple):
    """What the prose gives."""

    rules: tuple[Rule, ...]
    advice: tuple[Advice, ...]


def read_prose_rules(prose: Prose, languages: tuple[str, ...], covered: Sequence[range]) -> ProseRules:
    """The rules and the advice of a document; sections that declared rules cover are left out."""
    reader = _Reader(languages, covered)
    for statement in prose.statements:
        reader.take(statement)
    reader.finish()
    pitfalls = {topic_of(each.headings) for each in prose.examples if any(map(PITFALLS.search, each.headings))}
    for rule in rules_of_examples(prose.examples, reader.told, pitfalls):
        reader.add(rule._replace(languages=rule.languages or languages), None)
    return ProseRules(tuple(reader.rules), tuple(reader.left_advice()))


class _Reader:
    """Collects rules and advice in the order of the document, each only once."""

    def __init__(self, languages: tuple[str, ...], covered: Sequence[range]) -> None:
        self.rules: list[Rule] = []
        self._languages = languages
        self._covered = covered
        self._advice: list[tuple[Advice, Statement]] = []
        self._headings: list[tuple[Rule, Statement]] = []
        self._conditioned: set[int] = set()
        self._explained: set[tuple[str, ...]] = set()
        self._sections: set[int] = set()
        self.told: set[tuple[str, ...]] = set()
        self._identifiers: set[str] = set()

    def take(self, statement: Statement) -> None:
        """Read one statement."""
        if any(statement.line in lines for lines in self._covered):
            return
        norms = [(part, norm) for part in _clauses(statement) if (norm := _norm_of(part))]
        found = [(part, norm, read_rule(norm, statement.spans)) for part, norm in norms]
        rules = [self._rule(statement, norm, reading) for _, norm, reading in found if reading]
        if norms and not rules:
            self._advice.append((Advice(statement.shown(), statement.line), statement))
            self._conditioned |= {statement.section_line} if CONDITION.search(statement.text) else set()
        for rule in rules:
            if statement.form == "heading":
                self._headings.append((rule, statement))
            else:
                self.add(rule, statement)

    def finish(self) -> None:
        """Add what only headings say: those whose section says it more precisely, or under a condition, add nothing."""
        for rule, statement in self._headings:
            if statement.section_line in self._conditioned:
                self._advice.append((Advice(statement.shown(), statement.line), statement._replace(form="sentence")))
            elif topic_of(statement.headings) not in self._explained:
                self.add(rule, statement)
        self.rules.sort(key=lambda rule: rule.document_line)

    def add(self, rule: Rule, statement: Statement | None) -> None:
        """Keep a rule unless another one says the same."""
        if any(rule.document_line in lines for lines in self._covered):
            return
        if statement is not None:
            self._sections.add(statement.section_line)
            self.told.add(topic_of(statement.headings))
            if statement.form == "sentence":
                self._explained.add(topic_of(statement.headings))
        for number, other in enumerate(self.rules):
            if (other.inside, other.outside) == (rule.inside, rule.outside) and overlaps(other.check, rule.check):
                self.rules[number] = other._replace(fix=other.fix or rule.fix)
                return
        self.rules.append(rule._replace(id=self._unique(rule.id)))

    def left_advice(self) -> Iterator[Advice]:
        """Advice, without headings whose section gave a rule."""
        said: set[str] = set()
        for advice, statement in self._advice:
            is_told = statement.form == "heading" and statement.section_line in self._sections
            if not is_told and advice.text not in said:
                said.add(advice.text)
                yield advice

    def _rule(self, statement: Statement, norm: Norm, reading: Reading) -> Rule:
        text = statement.shown()
        return Rule(
            anchor(text)[:LONGEST_IDENTIFIER].strip("-") or "rule",
            text if text.endswith((".", "!")) else f"{text}.",
            reading.check,
            statement.line,
            severity=_severity(statement, norm),
            languages=tuple(_languages_named(statement)) or self._languages,
            fix=reading.fix or None,
            inside=reading.scope.inside,
            outside=reading.scope.outside,
            origin="prose",
        )

    def _unique(self, identifier: str) -> str:
        found, number = identifier, 2
        while found in self._identifiers:
            found, number = f"{identifier}-{number}", number + 1
        self._identifiers.add(found)
        return found


def _clauses(statement: Statement) -> list[Statement]:
    """A sentence, divided where a second prohibition begins."""
    text, start = statement.text, 0
    parts: list[str] = []
    for further in FURTHER.finditer(text):
        if not POINTING.match(text[further.end() :]):
            parts.append(text[start : further.start()].strip())
            start = further.end()
    parts = list(filter(None, [*parts, text[start:].strip()]))
    return [
        statement._replace(text=part, form=statement.form if number == 0 else "sentence")
        for number, part in enumerate(parts)
    ]


def _languages_named(statement: Statement) -> Iterator[str]:
    """The languages that a sentence is about: `Python functions must …`, `… in Go`."""
    for match in LANGUAGE.finditer(statement.text):
        name = canonical_language(match.group("name") or match.group("first"))
        if name:
            yield name


def _section(statement: Statement) -> str | None:
    """Whether a statement stands in a section of pitfalls or of practices; the nearest such heading decides."""
    if statement.form == "item" and MARKED.match(statement.text):
        return "pitfalls" if statement.text.lstrip()[0] in BAD_MARKS else "practices"
    above = statement.headings[1:-1] if statement.form == "heading" else statement.headings
    for heading in reversed(above):
        is_of = [name for name, words in (("pitfalls", PITFALLS), ("practices", PRACTICES)) if words.search(heading)]
        if is_of:
            return is_of[0] if len(is_of) == 1 else None
    return None


def _norm_of(statement: Statement) -> Norm | None:
    """The rule of a statement; an item of a rule section is one even without a word of command."""
    norm = read_norm(statement.text)
    section = _section(statement)
    if norm is not None and not (section == "pitfalls" and norm.kind == "require" and statement.form != "sentence"):
        is_plain_heading = statement.form == "heading" and section is None
        return None if is_plain_heading and norm.kind == "require" else norm
    is_item = statement.form in ("heading", "item") and section is not None
    words = statement.text.strip(" .:*✅✓✔" + BAD_MARKS)
    if naming_check(statement.shown(), is_forbidden=False):
        return Norm("require", "warning", "", "", words)
    is_title = statement.form == "heading" and (PITFALLS.search(words) or PRACTICES.search(words))
    if not is_item or is_title or NOT_ITEMS.match(words) or not words:
        return None
    text = re.split(r"\s[—–-]\s|:\s", words, maxsplit=1)[0]
    verb, rest = split_verb(text)
    if section == "pitfalls":
        return Norm("forbid", "error", "", verb or "use", rest)
    return Norm("require", "warning", "", verb, rest) if len(words.split()) >= FEWEST_WORDS else None


def _severity(statement: Statement, norm: Norm) -> Severity:
    """The section decides over its items, the words over all other sentences."""
    section = _section(statement) if statement.form in ("heading", "item") else None
    return "error" if section == "pitfalls" else "warning" if section == "practices" else norm.severity
