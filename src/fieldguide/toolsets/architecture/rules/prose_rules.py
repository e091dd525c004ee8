"""Derives rules from the prose of a pattern document, and holds each against the document's examples.

A sentence with a condition is advice, and so is one that says more about the span than that it is forbidden: what
stands behind the span narrows it (`Never use X for logging`).

The pattern is the smallest piece of the bad example around what its good counterpart has otherwise, with variables for
its own names and values; where that is too little to be known again, it is more of the code around.

`statements` reads the document, `examples` its good and bad examples by their `labels`. `bans` finds the sentences that
forbid a code span, `spans` what finds such a span in code, `pairs` what only a bad example has. `evidence` holds each
rule against the examples of the document before it is one (ADR 0045).
"""

from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.code.parsing import find_changed_tokens, is_keyword, list_tokens
from fieldguide.prose.document import ReadDocument
from fieldguide.prose.markdown import count_front_matter_lines
from fieldguide.text import regex as re
from fieldguide.toolsets.architecture.rules.checking import find_breaches
from fieldguide.toolsets.architecture.rules.declared_rules import make_anchor
from fieldguide.toolsets.architecture.rules.examples import ProseExample, ProseStatement, ProseText, read_prose_examples
from fieldguide.toolsets.architecture.rules.matching import InvalidSyntaxRule, can_check
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    DefinitionScope,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    Part,
    PatternAdvice,
    PatternRule,
    RuleCondition,
    SyntaxCheck,
    TextCheck,
    TokenCheck,
    is_for_language,
)

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
    """What a sentence forbids, and to whom; one that is not plain needs a bad example that shows the same."""

    spans: tuple[str, ...]
    words: tuple[str, ...]
    """What else the sentence says of them: that they are preferred to, called, imported, or statements."""
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
    """What sentences allow at times; within its topic, such a sentence may name a thing as a part of something."""

    def __init__(self, statements: Sequence[ProseStatement]) -> None:
        allowing = [each for each in statements if PERMISSION.search(SPAN.sub("", each.text))]
        said = [(each.topic, SPAN.findall(each.text)) for each in allowing]
        self._spans = {span for _, spans in said for span in spans}
        self._parts = {(topic, part) for topic, spans in said for part in " ".join(spans).split()}

    def allow(self, ban: ProseBan) -> bool:
        """Whether what a sentence forbids is allowed by another one."""
        return any(span in self._spans or (ban.statement.topic, span) in self._parts for span in ban.spans)


def limit_to_subject(rule: PatternRule, subject: str) -> PatternRule:
    """A rule for those whom its sentence speaks of: `Services` are the classes whose names have `Service` in them."""
    if not subject:
        return rule
    one = f"{subject[:-3]}y" if subject.endswith("ies") else subject.removesuffix("s")
    classes = (f"*{''.join(part.capitalize() for part in one.split('-'))}*",)
    inside = None if isinstance(rule.check, ImportCheck) else DefinitionScope(classes)
    return rule._replace(when=RuleCondition(classes), inside=inside)


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for end in CLAUSE_END.finditer(text):
        yield text[start : end.start()].strip()
        start = end.end()
    yield text[start:].strip()


def _bans_of(clause: str, statement: ProseStatement) -> Iterator[ProseBan]:
    for form in (*FORMS, LISTED, WEAK) if statement.is_listed else (*FORMS, WEAK):
        found = form.match(clause)
        if found and WHOLE.match(found.group("rest")):
            given = {name: said or "" for name, said in found.groupdict().items()}
            subject = given.get("subject", "")
            who = "" if EVERYONE.fullmatch(subject) else subject
            if not NARROWING.search(SPAN.sub("", given.get("kept", ""))):
                spans = tuple(SPAN.findall(given["banned"]))
                words = (clause.split()[0], given.get("verb", ""), given.get("noun", ""))
                yield ProseBan(spans, tuple(map(str.lower, words)), who, form is not WEAK, statement)
            return


SLIPS = 100  # a ban in plain words may stand against one good example in so many: authors of long guides err, too
MOST_RULES = 200


class ExampleEvidence:
    """What the examples say of a rule, and the rules that they let stand."""

    def __init__(self, examples: Sequence[ProseExample], languages: tuple[str, ...]) -> None:
        self.rules: list[PatternRule] = []
        self.languages = languages or tuple(sorted({each.source.language or "" for each in examples}))
        self.good = [each for each in examples if each.is_good]
        self.bad = [each for each in examples if not each.is_good]
        self._slips: set[int] = set()
        self._found: set[int] = set()

    def is_shown(self, rule: PatternRule, topic: int) -> bool:
        """Whether a bad example of the topic breaks a rule, and no good one of it does."""
        bad, good = ([each for each in some if each.topic == topic] for some in (self.bad, self.good))
        return any(is_broken_by(each, rule) for each in bad) and not any(is_broken_by(each, rule) for each in good)

    def add_ban(self, rule: PatternRule, topic: int) -> bool:
        """Keep a ban in plain words if it spares the good examples: all of its topic, nearly all of the others."""
        if len(self.rules) >= MOST_RULES:
            return False
        flagged = {each.line: each.topic for each in self.good if is_broken_by(each, rule)}
        if topic in flagged.values() or len(self._slips | flagged.keys()) * SLIPS > len(self.good):
            return False
        self._slips |= flagged.keys()
        self._add(rule, self.bad)
        return True

    def add_shown(self, rule: PatternRule, topic: int, names: frozenset[str]) -> bool:
        """Keep a rule that is read from an example if it finds that one, and no good one with the same names."""
        alike = [each for each in self.good if all(name in each.source.text for name in names)]
        if (
            len(self.rules) >= MOST_RULES
            or not self.is_shown(rule, topic)
            or any(is_broken_by(each, rule) for each in alike)
        ):
            return False
        self._add(rule, [each for each in self.bad if each.topic == topic])
        return True

    def has_bad(self, topic: int) -> bool:
        """Whether a topic shows what is bad."""
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


IDENTIFIER = re.compile(r".*identifier.*|name|constant")
VALUE = re.compile(r".*(?:string|number|integer|float|int_literal).*")
CALL = re.compile(r".*(?:call|invocation|new_expression|creation).*")
MEMBER = re.compile(r".*(?:member|attribute|selector|field|access|scoped|navigation).*")
IMPORT = re.compile(r"import|comment")
CAPITALISED = re.compile(r"[A-Z]\w*[a-z]")
VARIABLES = [f"${letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
MOST_TOKENS = 400
MOST_NODES = 12
FEWEST_TOKENS = 10  # fewer are met everywhere: `return x;`, `if err != nil`
FEWEST_NAMED = 3  # `new X`, `x.y`: with one or two tokens a pattern is but a name
MANY_GOOD = 20  # so many good examples without a thing say that it is avoided; fewer may just not need it


class ExampleDifference(NamedTuple):
    """A check, how many tokens it asks for, and the names among them."""

    check: CallCheck | SyntaxCheck
    tokens: int
    names: frozenset[str]
    repeats: bool = False
    """Whether one variable stands in it twice: `$A = $A || {}`."""
    is_all: bool = False
    """Whether it is the whole bad example."""
    is_one: bool = True
    """Whether it is the one place where the two examples differ."""


def is_telling(found: ExampleDifference, spans: str, good: int, *, is_plain: bool) -> bool:
    """Whether nobody would write it by chance: it is long, or names what its section names or everybody knows."""
    if not is_plain or found.tokens < FEWEST_NAMED:
        return False
    if found.tokens >= FEWEST_TOKENS:
        return len(found.names) >= (1 if found.is_all else 2)
    is_known = found.repeats or any(CAPITALISED.match(name) for name in found.names)
    return found.is_one and (not found.names.isdisjoint(spans.split()) or (good >= MANY_GOOD and is_known))


def find_imported_call(bad: ProseExample, good: Sequence[ProseExample]) -> Iterator[ExampleDifference]:
    """The function of an imported module that only the bad example calls, if it does nothing else."""
    modules = _modules(bad)
    elsewhere = {name for each in good for call in each.source.calls for name in call.names}
    called = {call.names[-1] for call in bad.source.calls if call.names[0].partition(".")[0] in modules} - elsewhere
    if len(called) == len(_statements(bad)) == 1:
        yield ExampleDifference(
            CallCheck(tuple(called)), FEWEST_TOKENS, frozenset(name.rpartition(".")[2] for name in called), is_all=True
        )


def _statements(example: ProseExample) -> "list[SgNode]":
    root = example.source.root
    return [node for node in root.children() if not IMPORT.search(node.kind())] if root else []


def find_differences(bad: ProseExample, good: Sequence[ProseExample]) -> Iterator[ExampleDifference]:
    """What might tell a bad example from its counterparts: the smallest piece of it first."""
    tokens = _tokens(bad) if bad.source.broken_line is None else []
    changed = [find_changed_tokens(tokens, _tokens(each)) for each in good if each.topic == bad.topic]
    fewest = min(filter(None, changed), key=len, default=None)
    if fewest is None or len(tokens) == MOST_TOKENS:
        return
    first = tokens[fewest[0]]
    last = tokens[fewest[-1]]
    inner = _around(first, last)
    own = {each.name for each in bad.source.definitions}
    for node in inner or _between(first, last):
        found = _difference(node, bad, own)
        yield found._replace(is_all=found.tokens == len(tokens), is_one=bool(inner))


def _tokens(example: ProseExample) -> "list[SgNode]":
    return list_tokens(example.source.root, MOST_TOKENS) if example.source.root else []


def _around(first: "SgNode", last: "SgNode") -> "list[SgNode]":
    """The nodes that hold both, the smallest one first, without the root."""
    end = last.range().end.index
    nodes = [node for node in (first, *first.ancestors()) if node.range().end.index >= end]
    return [node for node in nodes if node.is_named() and node.parent() is not None][:MOST_NODES]


def _between(first: "SgNode", last: "SgNode") -> "list[SgNode]":
    """The statements from one token to another."""
    start = first.range().start.index
    end = last.range().end.index
    statements = first.get_root().root().children()
    return [node for node in statements if node.range().end.index > start and node.range().start.index < end]


def _modules(example: ProseExample) -> set[str]:
    return {name.rpartition(".")[2] for each in example.source.imports for name in each.names}


def _difference(node: "SgNode", bad: ProseExample, own: set[str]) -> ExampleDifference:
    """The text of a node with variables for the names and the values that are the example's own."""
    start = node.range().start.index
    whole = node.text()
    place = 0
    modules = _modules(bad)
    pieces: list[str] = []
    names: set[str] = set()
    variables: dict[str, str] = {}
    repeats = False
    tokens = list_tokens(node, MOST_TOKENS)
    for token in tokens:
        text = token.text()
        span = token.range()
        if text not in modules and _is_own(token, own):
            repeats = repeats or text in variables
            text = variables.setdefault(text, VARIABLES[min(len(variables), len(VARIABLES) - 1)])
        elif IDENTIFIER.fullmatch(token.kind()):
            names.add(text)
        between = whole[place : span.start.index - start]
        pieces += [between if not between.strip() else "\n" if "\n" in between else " ", text]
        place = span.end.index - start
    line = bad.source.text[:start].rpartition("\n")[2]
    pattern = "".join(pieces).replace("\n" + line[: len(line) - len(line.lstrip())], "\n")
    check = SyntaxCheck({bad.source.grammar or "": {"rule": {"pattern": pattern}}})
    return ExampleDifference(check, len(tokens), frozenset(names), repeats)


def _is_own(token: "SgNode", own: set[str]) -> bool:
    """Whether a token is a name or a value that other code would have another for."""
    kind = token.kind()
    text = token.text()
    parent = token.parent()
    if VALUE.fullmatch(kind) or text in own:
        return True
    if parent is None or not IDENTIFIER.fullmatch(kind) or CALL.fullmatch(parent.kind()):
        return False
    return not text[:1].isupper() and not (MEMBER.fullmatch(parent.kind()) and parent.child(0) != token)


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
LONGEST = 60


def make_checks(span: str, words: tuple[str, ...], languages: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks for what a span names; the first is exact, the others need a bad example that has the same."""
    written = span.strip(" ;")
    text = re.sub(r"::|->|\\", ".", written)
    stated = (MODULE if not {"import", "importing", "imported"}.isdisjoint(words) else SPAN_IMPORT).fullmatch(text)
    call = SPAN_CALL.fullmatch(text)
    if stated:
        return (_imports(stated.group(1)),)
    if call:
        new, dot, name = call.groups()
        return (CallCheck((f"{new or '*'}{dot}{name}",) if new or dot else _callees(name)),)
    if DOTTED.fullmatch(text):
        calls = CallCheck((*_callees(text), f"{text}.*", f"new {text}"))
        return (EveryCheck((calls, ImportCheck((text,)), MentionCheck((text,)))),)
    if WORD.fullmatch(text):
        return _word(text, words, languages)
    return (TokenCheck((written,)),) if OPERATOR.fullmatch(written) else _verbatim(written)


def _word(text: str, words: tuple[str, ...], languages: tuple[str, ...]) -> tuple[Check, ...]:
    """A keyword, a function or a module; a class, however it is mentioned; capitals wherever they stand."""
    if text.isupper():
        return (TextCheck(rf"\b{text}\b", ("code", "comments", "strings")),)
    token = TokenCheck((text,), "statement" if "statement" in words else "")
    used = (token, CallCheck((text, f"new {text}")), ImportCheck((text,)))
    if text[0].isupper():
        return (EveryCheck((*used, MentionCheck((text,)))),)
    read = SyntaxCheck({language: {"rule": {"pattern": text}} for language in languages})
    return (EveryCheck(used), CallCheck((f"*.{text}",)), read)


def is_exact(span: str, words: tuple[str, ...], languages: tuple[str, ...]) -> bool:
    """Whether a span names one thing without an example: a word that is less preferred may be any function's name."""
    is_word = "prefer" in words and WORD.fullmatch(span) and not span[0].isupper()
    return not is_word or is_keyword(span, languages)


def _callees(name: str) -> tuple[str, ...]:
    """How a function is called: one with its owner also as something else has that owner."""
    return (name, f"*.{name}") if "." in name else (name,)


def _imports(text: str) -> ImportCheck:
    """A package, also where it is a folder of the project: `infrastructure` is in `shop.infrastructure` too."""
    bare = text.strip("/").removesuffix("/*").removesuffix(".*")
    return ImportCheck((bare, f"*.{bare}", f"*/{bare}") if WORD.fullmatch(bare) else (bare,))


def _verbatim(text: str) -> tuple[Check, ...]:
    """Code of several tokens as it is written, whatever the space between them."""
    bare = COMMENT.sub("", text)
    if len(text) > LONGEST or PLACEHOLDER.search(bare):
        return ()
    written = _spaced(TOKENS.findall(bare))
    if bare.isupper():
        return (TextCheck(f"(?i){written}", ("strings",)),)
    parts: tuple[Part, ...] = ("code", "strings") if re.search("[\"']", bare) else ("code",)
    return (TextCheck(written, parts if bare == text else ("comments",)),)


def _spaced(tokens: list[str]) -> str:
    """An expression for tokens with any space between them, and some between two words."""
    ends = [token[-1].isalnum() for token in tokens]
    gaps = [
        r"\s+" if before and token[0].isalnum() else r"\s*" for before, token in zip(ends, tokens[1:], strict=False)
    ]
    written = "".join(re.escape(token) + gap for token, gap in zip(tokens, [*gaps, ""], strict=True))
    return (r"\b" if tokens[0][0].isalnum() else "") + written + (r"\b" if ends[-1] else "")


ASKS = re.compile(
    r"^(?:use|always|no)\b|\b(?:must|should|shall|never|avoid|prefer|don['’]t|do not|cannot)\b",
    re.IGNORECASE,
)
MILD = re.compile(r"\b(?:should|prefer|avoid)\b", re.IGNORECASE)
LONGEST_IDENTIFIER = 50
LEAD = 2  # a heading, and the first sentence below it


class ProseRules(NamedTuple):
    """What the prose gives."""

    rules: tuple[PatternRule, ...] = ()
    advice: tuple[PatternAdvice, ...] = ()


def read_prose_rules(
    text: str, markdown: ReadDocument, languages: tuple[str, ...], covered: Sequence[range]
) -> ProseRules:
    """The rules and the advice of a document; sections that declared rules cover are left out."""
    prose = ProseText(text, count_front_matter_lines(markdown.lines))
    hidden = frozenset(chain.from_iterable(covered))
    said = [each for each in prose.statements if each.line not in hidden]
    evidence = ExampleEvidence(
        read_prose_examples([each for each in prose.fences if each.line not in hidden]), languages
    )
    _take_bans(said, evidence)
    for bad in filterfalse(evidence.is_found, evidence.bad):
        _take_pair(bad, said, evidence)
    rules = tuple(_with_names(evidence.rules))
    return ProseRules(rules, tuple(_advice(said, {rule.document_line for rule in rules})))


def _take_bans(said: Sequence[ProseStatement], evidence: ExampleEvidence) -> None:
    """Make rules of sentences; none that says again what another one has said."""
    known: set[tuple[str, str]] = set()
    permissions = ProsePermissions(said)
    for ban in read_bans(said):
        named = {(span.removesuffix("()"), ban.subject) for span in ban.spans}
        draft = _draft(strip_number(ban.statement), ban.statement.line, evidence.languages)
        is_mild = ban.statement.verdict == "good" or MILD.search(draft.message)
        rule = _forbidding(ban, draft._replace(severity="warning" if is_mild else "error"), evidence)
        if rule and not named <= known and not permissions.allow(ban) and evidence.add_ban(rule, ban.statement.topic):
            known |= named


def _forbidding(ban: ProseBan, draft: PatternRule, evidence: ExampleEvidence) -> PatternRule | None:
    """The rule of a ban, if its topic has no bad example, or one that breaks it."""
    found: list[Check] = []
    is_missing = not ban.is_plain or evidence.has_bad(ban.statement.topic)
    for span in ban.spans:
        is_missing = is_missing or not is_exact(span, ban.words, draft.languages)
        checks = make_checks(span, ban.words, draft.languages)
        shown = [check for check in checks if evidence.is_shown(_with(check, draft, ban), ban.statement.topic)]
        is_missing = is_missing and not shown
        found += [*shown, *checks][:1]
    if not found or is_missing:
        return None
    return _with(found[0] if len(found) == 1 else EveryCheck(tuple(found)), draft, ban)


def _with(check: Check, draft: PatternRule, ban: ProseBan) -> PatternRule:
    return limit_to_subject(draft._replace(check=check), ban.subject)


def _take_pair(bad: ProseExample, said: Sequence[ProseStatement], evidence: ExampleEvidence) -> None:
    """Make a rule of what only a bad example has."""
    topic = [each for each in said if each.topic == bad.topic]
    lead = " ".join(strip_number(each) for each in topic[:LEAD])
    title = strip_number(topic[0]).rstrip(".:") if topic else "Bad example"
    message = f"{title}: the document shows this as a bad example (line {bad.line})."
    draft = _draft(message, bad.line, (bad.source.language or "",))._replace(id=make_anchor(title))
    spans = " ".join("".join(each.text for each in topic).split("`")[1::2])
    for each in (*find_imported_call(bad, evidence.good), *find_differences(bad, evidence.good)):
        is_enough = is_telling(each, spans, len(evidence.good), is_plain=CONDITION.search(lead) is None)
        if is_enough and evidence.add_shown(draft._replace(check=each.check), bad.topic, each.names):
            return


def _draft(message: str, line: int, languages: tuple[str, ...]) -> PatternRule:
    return PatternRule(make_anchor(message), message, EveryCheck(()), line, "warning", languages, origin="prose")


def _advice(said: Sequence[ProseStatement], told: set[int]) -> Iterator[PatternAdvice]:
    """What asks for something and is no rule, each once."""
    known: set[str] = set()
    for each in said:
        text = strip_number(each)
        is_item = each.verdict is not None and each.line == each.topic
        if (is_item or ASKS.search(text)) and each.line not in told and text not in known:
            known.add(text)
            yield PatternAdvice(text, each.line)


def _with_names(rules: Sequence[PatternRule]) -> Iterator[PatternRule]:
    """The rules in the order of the document, each with an identifier that no other one has."""
    known: dict[str, int] = {}
    for rule in sorted(rules, key=lambda rule: rule.document_line):
        name = "-".join(filter(None, rule.id.split("-")))[:LONGEST_IDENTIFIER].strip("-") or "rule"
        known[name] = known.get(name, 0) + 1
        yield rule._replace(id=name if known[name] == 1 else f"{name}-{known[name]}")
