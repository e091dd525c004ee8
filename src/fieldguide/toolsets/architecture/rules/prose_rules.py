"""Derives rules from the prose of a pattern document, and tests each against the document's examples.

A rule comes from a sentence that forbids a code span (`read_bans`), or from a bad example that only calls a function
which it imports or which its section names (`find_shown_call`). A sentence with a condition is advice, and so is one
that narrows the span (`Never use X for logging`). `ExampleEvidence` keeps only the rules that agree with the
examples.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, filterfalse
from typing import NamedTuple

from fieldguide.code.parsing import is_keyword
from fieldguide.prose.document import ReadDocument
from fieldguide.prose.markdown import count_front_matter_lines
from fieldguide.text import regex as re
from fieldguide.text.words import make_singular
from fieldguide.toolsets.architecture.rules.checking import InvalidSyntaxRule, can_check, find_breaches
from fieldguide.toolsets.architecture.rules.declared_rules import make_anchor
from fieldguide.toolsets.architecture.rules.examples import ProseExample, ProseStatement, ProseText, read_prose_examples
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    DefinitionScope,
    ImportCheck,
    Part,
    PatternAdvice,
    PatternRule,
    SyntaxCheck,
    TextCheck,
    is_for_language,
)

USE = r"us(?:e|ing)|call(?:ing)?|import(?:ing)?|pass(?:ing)?"
NEVER = r"never|don['’]t|do not|avoid|no"
MUST_NOT = r"(?:must|should|shall|may)(?:n['’]t| not| never)|can(?:not|['’]t| not)|never|don['’]t|do not"
SPANS = r"`[^`]+`(?:(?:,|,? and|,? or| nor| ?/) ?`[^`]+`)*"
ARTICLE = r"(?:(?:an?|the|any|global|(?:anything )?from) )?"
NOUN = r"(?: (?P<noun>statement|function|call|keyword|operator|method|module|package)s?)?"
BANNED = rf"{ARTICLE}(?P<banned>{SPANS}){NOUN}(?P<rest>.*)$"
SUBJECT = r"(?:(?:all|every|each|the|an?|our) )?(?P<subject>[\w-]+)"
CONTRAST = r"(?: instead of| rather than|,? (?:and )?(?:not|never))"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^(?:{NEVER})(?: ever)?(?: (?P<verb>{USE}))? {BANNED}",
        rf"^{SUBJECT} (?:{MUST_NOT}) (?P<verb>{USE}) {BANNED}",
        rf"^{ARTICLE}(?P<banned>{SPANS}){NOUN} (?:is|are|(?:must|should) be) "
        r"(?:forbidden|banned|prohibited|avoided|not allowed)(?P<rest>.*)$",
        rf"^{ARTICLE}(?P<banned>{SPANS}){NOUN} (?:{MUST_NOT}|is never|are never) (?:be )?"
        r"(?P<verb>used|called|imported)(?P<rest>.*)$",
        rf"^(?:always )?(?:use|prefer) (?P<kept>[^,;]+?){CONTRAST}(?: (?P<verb>{USE}))? {BANNED}",
        rf"^(?:always )?(?:use {SPANS}|prefer (?P<kept>[^,;]+?)) over(?: (?P<verb>{USE}))? {BANNED}",
    )
)
LISTED = re.compile(rf"^(?:(?P<verb>{USE}) )?{BANNED}", re.IGNORECASE)
WEAK = re.compile(rf"^(?:{NEVER}) [^`(]*(?:`[^`]+` [^`(]*)?(?:\(|such as |like ){BANNED}", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:unless|except\w*|only|possible|okay|ok|fine|if|when\w*|where\w*|but)\b", re.IGNORECASE)
PERMISSION = re.compile(r"\b(?:unless|except\w*|only|possible|okay|ok|fine)\b", re.IGNORECASE)
CLAUSE_END = re.compile(r"[;:] | [—–-] |, (?:and |but )?(?=(?:never|avoid|don['’]t|do not)\b)")
EVERYWHERE = r"(?: directly| anywhere| at all| in (?:(?:the|our|this|any) )?(?:code(?: ?base)?|project))?"
WHOLE = re.compile(rf"^{EVERYWHERE}(?:[ )]*$|\)?[;:.!]|\)?, ?(?:[^`ao]|a[^n]|o[^r])| because\b| since\b)")
NARROWING = re.compile(r"\b(?:for|to|in|on|as|with|from)\b")
EVERYONE = re.compile(r"you|we|code|quer(?:y|ies)|functions?|methods?|class(?:es)?|modules?|files?|", re.IGNORECASE)
OPENING = re.compile(r"^[^\w`]*(?:\d+(?:\.\d+)* )?")
SPAN = re.compile(r"`([^`]+)`")


class ProseBan(NamedTuple):
    """The spans that a sentence forbids, and to whom; a ban that is not plain needs a bad example that shows it."""

    spans: tuple[str, ...]
    words: tuple[str, ...]
    """Words of the sentence about the spans: `prefer`, `call`, `import`, `statement`."""
    subject: str
    is_plain: bool
    statement: ProseStatement


def read_bans(statements: Sequence[ProseStatement]) -> Iterator[ProseBan]:
    """The bans of a document, in its order."""
    for statement in statements:
        if "`" in statement.text and not CONDITION.search(SPAN.sub("", statement.text)):
            for clause in _clauses(strip_number(statement)):
                yield from _bans_of(clause, statement)


def strip_number(statement: ProseStatement) -> str:
    """A sentence without its number."""
    return OPENING.sub("", statement.text).strip()


class ProsePermissions:
    """The spans that sentences allow at times; within its topic, such a sentence also allows the words of its spans."""

    def __init__(self, statements: Sequence[ProseStatement]) -> None:
        self._spans: set[str] = set()
        self._parts: set[tuple[int, str]] = set()
        for each in statements:
            if PERMISSION.search(SPAN.sub("", each.text)):
                spans = SPAN.findall(each.text)
                self._spans.update(spans)
                self._parts.update((each.topic, part) for part in " ".join(spans).split())

    def allow(self, ban: ProseBan) -> bool:
        """Whether another sentence allows what one forbids."""
        return any(span in self._spans or (ban.statement.topic, span) in self._parts for span in ban.spans)


def limit_to_subject(rule: PatternRule, subject: str) -> PatternRule:
    """The rule for the subject of its sentence: `Services` are the classes with `Service` in their names."""
    if not subject:
        return rule
    name = "".join(part.capitalize() for part in make_singular(subject).split("-"))
    return rule._replace(inside=DefinitionScope((f"*{name}*",)))


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for end in CLAUSE_END.finditer(text):
        yield text[start : end.start()].strip()
        start = end.end()
    yield text[start:].strip()


def _bans_of(clause: str, statement: ProseStatement) -> Iterator[ProseBan]:
    for form in (*FORMS, LISTED, WEAK) if statement.is_listed else (*FORMS, WEAK):
        match = form.match(clause)
        if not match or not WHOLE.match(match.group("rest")):
            continue
        groups = match.groupdict("")
        if not NARROWING.search(SPAN.sub("", groups.get("kept", ""))):
            subject = groups.get("subject", "")
            if EVERYONE.fullmatch(subject):
                subject = ""
            words = (clause.split()[0], groups.get("verb", ""), groups.get("noun", ""))
            spans = tuple(SPAN.findall(groups["banned"]))
            yield ProseBan(spans, tuple(map(str.lower, words)), subject, form is not WEAK, statement)
        return


SLIPS = 100  # a plain ban may contradict one good example in so many: authors of long guides make mistakes
MOST_RULES = 200


class ExampleEvidence:
    """The examples of a document, and the rules that agree with them."""

    def __init__(self, examples: Sequence[ProseExample], languages: tuple[str, ...]) -> None:
        self.rules: list[PatternRule] = []
        self.languages = languages or tuple(sorted({each.source.language or "" for each in examples}))
        self.good = [each for each in examples if each.is_good]
        self.bad = [each for each in examples if not each.is_good]
        self._slips: set[int] = set()
        self._found: set[int] = set()

    def is_shown(self, rule: PatternRule, topic: int) -> bool:
        """Whether a bad example of the topic breaks a rule, and no good one of it does."""
        if not any(each.topic == topic and is_broken_by(each, rule) for each in self.bad):
            return False
        return not any(each.topic == topic and is_broken_by(each, rule) for each in self.good)

    def add_ban(self, rule: PatternRule, topic: int) -> bool:
        """Keep a plain ban if no good example of its topic and hardly any other good one breaks it."""
        if len(self.rules) >= MOST_RULES:
            return False
        flagged = {each.line: each.topic for each in self.good if is_broken_by(each, rule)}
        if topic in flagged.values() or len(self._slips | flagged.keys()) * SLIPS > len(self.good):
            return False
        self._slips |= flagged.keys()
        self._add(rule, self.bad)
        return True

    def add_shown(self, rule: PatternRule, topic: int) -> None:
        """Keep a rule read from an example if it finds that one, and no good one."""
        if len(self.rules) >= MOST_RULES or not self.is_shown(rule, topic):
            return
        if not any(is_broken_by(each, rule) for each in self.good):
            self._add(rule, [each for each in self.bad if each.topic == topic])

    def has_bad(self, topic: int) -> bool:
        """Whether a topic has a bad example."""
        return any(each.topic == topic for each in self.bad)

    def is_found(self, bad: ProseExample) -> bool:
        """Whether a rule finds a bad example already."""
        return bad.line in self._found

    def _add(self, rule: PatternRule, shown: Sequence[ProseExample]) -> None:
        self.rules.append(rule)
        self._found |= {each.line for each in shown if is_broken_by(each, rule)}


def is_broken_by(example: ProseExample, rule: PatternRule) -> bool:
    """Whether an example breaks a rule."""
    source = example.source
    if not is_for_language(rule.languages, source.language) or not can_check(rule.check, source):
        return False
    try:
        return bool(find_breaches(rule, source))
    except InvalidSyntaxRule:
        return False


IMPORT = re.compile(r"import|comment")


def find_shown_call(bad: ProseExample, good: Sequence[ProseExample], spans: Iterable[str]) -> CallCheck | None:
    """A ban on the call that only the bad example makes, if it does nothing else.

    The function is one of an imported module, or a code span of the section names it.
    """
    known = {name.rpartition(".")[2] for each in bad.source.imports for name in each.names}.union(spans)
    elsewhere = {name for each in good for call in each.source.calls for name in call.names}
    called = {call.names[-1] for call in bad.source.calls if call.names[0].partition(".")[0] in known} - elsewhere
    root = bad.source.root
    if root is None or len(called) != 1:
        return None
    statements = [node for node in root.children() if not IMPORT.search(node.kind())]
    return CallCheck(tuple(called)) if len(statements) == 1 else None


NAME = r"[A-Za-z_][\w$]*"
WORD = re.compile(NAME)
DOTTED = re.compile(rf"{NAME}(?:\.{NAME})+")
SPAN_CALL = re.compile(rf"(new )?(\.?)({NAME}[!?]?(?:(?:\(\))?\.{NAME}[!?]?)*)\((?:\.{{2,3}}|…)?\)")
MODULE = re.compile(r"([\w@.-]+(?:/[\w@.*-]+)*/?)")
SPAN_IMPORT = re.compile(r"(?:import|from|use|require)\s+[\"'<]?([\w@./-]+)[\"'>]?;?")
OPERATOR = re.compile(r"[^\w\s'\"`(){}\[\],;.…]{1,4}")
COMMENT = re.compile(r"^(?:#|//|/\*|--)\s*|^@(?=\w+-)")
PLACEHOLDER = re.compile(r"\.\.\.|…|<\w+>|\b(?:[Ff]oo|[Bb]ar|[Bb]az|[A-Z])\b|^\W*\w?\W*$")
TOKENS = re.compile(r"\w+|[^\w\s]")
SIGNS = "=!<>&|+*/%^~?:-"
CALL_WORDS = frozenset(("call", "calling", "called", "function", "method"))
KEYWORD_NOUNS = frozenset(("statement", "keyword", "operator"))
LONGEST = 60


class SpanChecks(NamedTuple):
    """The checks for what a span names: the certain ones, and others that a bad example has to show."""

    certain: tuple[Check, ...]
    possible: tuple[Check, ...] = ()


def make_checks(span: str, words: tuple[str, ...], languages: tuple[str, ...]) -> SpanChecks:
    """The checks for what a span names."""
    written = span.strip(" ;")
    text = re.sub(r"::|->|\\", ".", written)
    is_import = not {"import", "importing", "imported"}.isdisjoint(words)
    stated = (MODULE if is_import else SPAN_IMPORT).fullmatch(text)
    if stated:
        return SpanChecks((_check_import(stated.group(1)),))
    call = SPAN_CALL.fullmatch(text)
    if call:
        new, dot, name = call.groups()
        return SpanChecks((CallCheck((f"{new or '*'}{dot}{name}",) if new or dot else _callees(name)),))
    if DOTTED.fullmatch(text):
        return SpanChecks((CallCheck((*_callees(text), f"{text}.*", f"new {text}")), ImportCheck((text,))))
    if WORD.fullmatch(text):
        return _check_word(text, words, languages)
    if OPERATOR.fullmatch(written):
        return SpanChecks((TextCheck(f"(?:^|[^{SIGNS}]){re.escape(written)}(?:$|[^{SIGNS}])"),))
    return SpanChecks(_check_verbatim(written))


def _check_word(text: str, words: tuple[str, ...], languages: tuple[str, ...]) -> SpanChecks:
    """Checks for a keyword, for any mention of a class, for a function or a module; for capitals in any text."""
    if text.isupper():
        return SpanChecks((TextCheck(rf"\b{text}\b", ("code", "comments", "strings")),))
    call = CallCheck((text, f"new {text}"))
    if not CALL_WORDS.isdisjoint(words):
        return SpanChecks((call,), (CallCheck((f"*.{text}",)),))
    if text[0].isupper() or not KEYWORD_NOUNS.isdisjoint(words) or is_keyword(text, languages):
        return SpanChecks((TextCheck(rf"(?:^|[^\w.$]){text}\b"),))
    read = SyntaxCheck({"rule": {"pattern": text}}, languages)
    return SpanChecks((call, ImportCheck((text,))), (CallCheck((f"*.{text}",)), read))


def is_exact(span: str, words: tuple[str, ...], languages: tuple[str, ...]) -> bool:
    """Whether a span is clear without an example; the word in `Prefer … over word` may be the name of any function."""
    is_word = "prefer" in words and WORD.fullmatch(span) and not span[0].isupper()
    return not is_word or is_keyword(span, languages)


def _callees(name: str) -> tuple[str, ...]:
    """The names by which a function is called; one with an owner also where the owner is part of something else."""
    return (name, f"*.{name}") if "." in name else (name,)


def _check_import(text: str) -> ImportCheck:
    """Checks for a package, also as a folder of the project: `infrastructure` is in `shop.infrastructure` too."""
    bare = text.strip("/").removesuffix("/*").removesuffix(".*")
    if WORD.fullmatch(bare):
        return ImportCheck((bare, f"*.{bare}", f"*/{bare}"))
    return ImportCheck((bare,))


def _check_verbatim(text: str) -> tuple[Check, ...]:
    """Checks for code of several tokens, with any white space between them."""
    bare = COMMENT.sub("", text)
    if len(text) > LONGEST or PLACEHOLDER.search(bare):
        return ()
    written = _spaced(TOKENS.findall(bare))
    if bare.isupper():
        return (TextCheck(f"(?i){written}", ("strings",)),)
    parts: tuple[Part, ...] = ("code",)
    if bare != text:
        parts = ("comments",)
    elif '"' in bare or "'" in bare:
        parts = ("code", "strings")
    return (TextCheck(written, parts),)


def _spaced(tokens: list[str]) -> str:
    """An expression for tokens with any space between them, and some between two words."""
    written = r"\b" if tokens[0][0].isalnum() else ""
    before = ""
    for token in tokens:
        if before:
            written += r"\s+" if before[-1].isalnum() and token[0].isalnum() else r"\s*"
        written += re.escape(token)
        before = token
    return written + (r"\b" if before[-1].isalnum() else "")


ASKS = re.compile(
    r"^(?:use|always|no)\b|\b(?:must|should|shall|never|avoid|prefer|don['’]t|do not|cannot)\b",
    re.IGNORECASE,
)
MILD = re.compile(r"\b(?:should|prefer|avoid)\b", re.IGNORECASE)
LONGEST_IDENTIFIER = 50
LEAD = 2  # a heading, and the first sentence below it


class ProseRules(NamedTuple):
    """The rules of the prose, and the sentences that only people can follow."""

    rules: tuple[PatternRule, ...] = ()
    advice: tuple[PatternAdvice, ...] = ()


def read_prose_rules(
    text: str, markdown: ReadDocument, languages: tuple[str, ...], covered: Sequence[range]
) -> ProseRules:
    """The rules and the advice of a document; sections that declared rules cover are left out."""
    prose = ProseText(text, count_front_matter_lines(markdown.lines))
    hidden = frozenset(chain.from_iterable(covered))
    statements = [each for each in prose.statements if each.line not in hidden]
    fences = [each for each in prose.fences if each.line not in hidden]
    evidence = ExampleEvidence(read_prose_examples(fences), languages)
    _add_bans(statements, evidence)
    for bad in filterfalse(evidence.is_found, evidence.bad):
        _add_shown_call(bad, statements, evidence)
    rules = tuple(_with_names(evidence.rules))
    return ProseRules(rules, tuple(_advice(statements, {rule.document_line for rule in rules})))


def _add_bans(statements: Sequence[ProseStatement], evidence: ExampleEvidence) -> None:
    """Make rules of sentences, one for each thing that is forbidden."""
    known: set[tuple[str, str]] = set()
    permissions = ProsePermissions(statements)
    for ban in read_bans(statements):
        if permissions.allow(ban):
            continue
        added: set[tuple[str, str]] = set()
        for span, rule in _forbid(ban, evidence):
            named = (span.removesuffix("()"), ban.subject)
            if named not in known and evidence.add_ban(rule, ban.statement.topic):
                added.add(named)
        known |= added


def _forbid(ban: ProseBan, evidence: ExampleEvidence) -> Iterator[tuple[str, PatternRule]]:
    """The rules of a ban, one for each span, if its topic has no bad example, or one that breaks one of them."""
    topic = ban.statement.topic
    found: list[tuple[str, PatternRule]] = []
    is_missing = not ban.is_plain or evidence.has_bad(topic)
    for span in ban.spans:
        is_missing = is_missing or not is_exact(span, ban.words, evidence.languages)
        checks = make_checks(span, ban.words, evidence.languages)
        certain = [_draft_ban(ban, check, evidence.languages) for check in checks.certain]
        possible = [_draft_ban(ban, check, evidence.languages) for check in checks.possible]
        options = [certain, *([rule] for rule in possible)]
        shown = next((rules for rules in options if any(evidence.is_shown(rule, topic) for rule in rules)), None)
        is_missing = is_missing and shown is None
        found += [(span, rule) for rule in shown or certain]
    return iter(() if is_missing else found)


def _draft_ban(ban: ProseBan, check: Check, languages: tuple[str, ...]) -> PatternRule:
    draft = _draft(strip_number(ban.statement), check, ban.statement.line, languages)
    if ban.statement.verdict != "good" and not MILD.search(draft.message):
        draft = draft._replace(severity="error")
    return limit_to_subject(draft, ban.subject)


def _add_shown_call(bad: ProseExample, statements: Sequence[ProseStatement], evidence: ExampleEvidence) -> None:
    """Make a rule of the call that only a bad example has, unless its section names a condition."""
    topic = [each for each in statements if each.topic == bad.topic]
    lead = " ".join(strip_number(each) for each in topic[:LEAD])
    spans = [span.removesuffix("()") for each in topic for span in SPAN.findall(each.text)]
    check = find_shown_call(bad, evidence.good, spans)
    if check is None or CONDITION.search(lead):
        return
    title = strip_number(topic[0]).rstrip(".:") if topic else "Bad example"
    message = f"{title}: the document shows this as a bad example (line {bad.line})."
    draft = _draft(message, check, bad.line, (bad.source.language or "",))
    evidence.add_shown(draft._replace(id=make_anchor(title)), bad.topic)


def _draft(message: str, check: Check, line: int, languages: tuple[str, ...]) -> PatternRule:
    return PatternRule(make_anchor(message), message, check, line, "warning", languages, origin="prose")


def _advice(statements: Sequence[ProseStatement], rule_lines: set[int]) -> Iterator[PatternAdvice]:
    """The sentences that ask for something and are no rule, each once."""
    known: set[str] = set()
    for each in statements:
        text = strip_number(each)
        is_item = each.verdict is not None and each.line == each.topic
        if (is_item or ASKS.search(text)) and each.line not in rule_lines and text not in known:
            known.add(text)
            yield PatternAdvice(text, each.line)


def _with_names(rules: Sequence[PatternRule]) -> Iterator[PatternRule]:
    """The rules in the order of the document, each with an identifier that no other one has."""
    known: dict[str, int] = {}
    for rule in sorted(rules, key=lambda rule: rule.document_line):
        name = "-".join(filter(None, rule.id.split("-")))[:LONGEST_IDENTIFIER].strip("-") or "rule"
        known[name] = known.get(name, 0) + 1
        yield rule._replace(id=name if known[name] == 1 else f"{name}-{known[name]}")
