"""What a prohibition is about: the code spans it names first, and what stands behind them."""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import Place
from fieldguide.toolsets.architecture.rules.prose import SPAN, SPAN_CLOSES
from fieldguide.toolsets.architecture.rules.roles import Scope, is_everywhere, role_of

MARK = SPAN.pattern.replace("(", "(?:")
NOUNS = (
    r"(?:\s+(?:calls?|statements?|functions?|methods?|blocks?|keywords?|types?|operators?|queries|query|imports?"
    r"|modules?|packages?|librar(?:y|ies)|"
    r"annotations?|decorators?|clauses?|macros?|class(?:es)?|declarations?|exceptions?|errors?|values?|objects?"
    r"|instances?|literals?|layers?|folders?|"
    r"director(?:y|ies)|hooks?|chains?|parameters?|fields?|variables?|api|apis|builtins?|client|handlers?|comments?"
    r"|casts?|assertions?|loops?|expressions?))?"
)
LIST = re.compile(
    rf"{MARK}{NOUNS}(?:\s*(?:(?:,\s*)?or (?:call|use|import|read|access|catch|raise|throw)\s+"
    r"|(?:,\s*(?:or|and|nor)|,|/|or|and|nor)\s*)(?:the\s+|a\s+|an\s+|any\s+|even\s+"
    rf"|raw\s+|no\s+|never\s+)*{MARK}{NOUNS})*",
    re.IGNORECASE,
)
FILLER = re.compile(
    r"(?:the|a|an|any|raw|direct|directly|ever|bare|built-?in|global|plain|naked|explicit|explicitly|your|our"
    r"|own|such|use of|usage of|uses of|"
    r"calls? to|references? to|instances? of|(?:anything|modules?|class(?:es)?|code|things|types|symbols"
    r"|packages?|names|imports?|something|functions?) (?:from|of|in)|"
    r"from|on|about|to|into|of|up|with|at|statements? like|functions? like|methods? like|things like|calls? like"
    r"|like|both|either|all|every)\s+",
    re.IGNORECASE,
)
OTHER = re.other_word(
    "in", "from", "with", "without", "for", "to", "before", "after", "via", "through", "than", "by", "of", "inside",
    "outside", "until", "over", "as", "when", "if", "that", "which", "and", "but", "unless", "or", "because", "since",
)  # fmt: skip
WORDS_BEFORE = re.compile(
    rf"(?:(?:{OTHER}|['-])(?:['-][\w'-]*)?\s+){{1,4}}(?={MARK})",
    re.IGNORECASE,
)
LIMITING = re.compile(
    r"\b(?:empty|blank|nested|nesting|long|longer|deep|deeply|multiple|many|several|more than|unnecessary|needless"
    r"|unused|redundant|excessive|overly|complex|large|huge|giant|unbounded|repeated|duplicate|chained|implicit|unchecked"
    r"|unhandled|shared|mutable|stateful|dangling|unresolved|commented|missing|extra|consecutive|trailing|leading|top-level"
    r"|overus\w+|abus\w+|misus\w+|forget\w*|not|missing|lack\w*|too)\b",
    re.IGNORECASE,
)
SUCH_AS = re.compile(
    rf"(?:\b(?:such as|like|e\.?g\.?,?|i\.?e\.?,?|for example,?|including|namely)\s+|\(\s*)(?=(?:the\s+)?{MARK})",
    re.IGNORECASE,
)
CLAUSE_END = re.compile(
    r"\s*(?:[;:]|\s[—–-]\s|[—–]|,\s*(?:use|call|prefer|instead|because|since|as\b|so\b|but|it|they|this|these"
    r"|rather|always|and\b|which|inject|return|write|raise|throw|log|let|pass|go)\b"
    r"|\band (?:use|prefer|call|inject|return|write|raise|throw|log|pass)\b"
    r"|\bbecause\b|\bsince\b|\bas it\b|\bso that\b|\bit is\b|\s\()\s*|\s*\binstead\b(?! of)",
    re.IGNORECASE,
)
OUTSIDE = re.compile(
    r"\b(?:anywhere\s+)?(?:outside(?: of)?|except(?: for)?(?: in| inside| within| from)?|other than(?: in"
    r"| from)?|anywhere but(?: in)?|elsewhere than(?: in)?|but(?: in)?)\s+(?P<role>.+)$",
    re.IGNORECASE,
)
INSIDE = re.compile(
    r"^(?:directly\s+)?(?:in|inside|inside of|within|from|from within|by|into|on)\s+(?P<role>.+)$", re.IGNORECASE
)
OPENING = re.compile(
    r"^(?:in|inside|within|from)\s+(?P<inside>[^,]+?),?$|^outside(?: of)?\s+(?P<outside>[^,]+?),?$", re.IGNORECASE
)
LEADING = re.compile(
    r"^(?:when|while|for|to|during|as a rule|generally|in general|usually|instead|also|therefore|thus|and|but|so"
    r"|please|then|however|finally|remember|note|always|if)\b",
    re.IGNORECASE,
)
BENIGN = re.compile(
    r"\b(?:any ?more|any longer|again|directly|anywhere|at all|ever|itself|themselves|explicitly|yourself"
    r"|by hand|manually|again|either|blindly|silently|freely|alone|"
    r"(?:if|where|wherever|whenever|when) (?:at all )?possible|statements?|calls?|"
    r"here|in (?:\w+ ){0,2}(?:types|signatures|annotations)|"
    r"in (?:(?:an?|the|our|your|any|all|new|this|production|application|business|library|real|committed|shipped"
    r"|released|merged) )*(?:code|codebase"
    r"|production|project|repo|repository code|source|applications?|librar(?:y|ies)|functions?|methods?|modules?"
    r"|class(?:es)?|files?)|"
    r"as (?:an? )?(?:types?|annotations?|return types?|type annotations?)|to the (?:console|caller|client|user)|"
    r"as a whole|wholesale|in its entirety|to (?:wait|log|print|debug)(?: for \w+| \w+)?|"
    r"for (?:logging|debugging|output|errors?|diagnostics|messages|log messages|tracing|strings|comparisons?))\b",
    re.IGNORECASE,
)
STRICT = re.compile(
    r"\b(?:unless|without|if|when|except|until|before|after|while|more than|during|only)\b", re.IGNORECASE
)

PURPOSE = re.compile(
    r"(?:for|to|with)\s+(?P<safety>(?:[\w-]+ ){0,3}(?:untrusted|user|secrets?|tokens?|passwords?|keys?|security"
    r"|credentials|signatures?|sensitive|cryptograph\w+)\b)?",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """The spans that a phrase begins with, by their numbers, and the words behind them."""

    spans: tuple[int, ...]
    rest: str
    noun: str = ""
    """What the last span is called: `@Autowired` fields."""
    is_limited: bool = False
    """Whether only some of them are meant: nested, empty, too many …"""


class Tail(NamedTuple):
    """What stands behind the thing: where it holds, what to do instead, and whether there is an unknown condition."""

    scope: Scope
    wanted: str = ""
    is_conditional: bool = False
    is_strict: bool = False
    """Whether the condition takes away from the rule, rather than giving its reason or purpose."""


def is_purpose(text: str) -> bool:
    """Whether a text opens with a purpose that a use does not show, which takes away from a rule.

    That weak randomness is no secret holds anyway.
    """
    found = PURPOSE.match(text)
    return found is not None and found.group("safety") is None


def named_spans(phrase: str) -> Named:
    """The spans at the head of a phrase; none when it begins with anything else."""
    rest = phrase.strip(" ,")
    while filler := FILLER.match(rest):
        rest = rest[filler.end() :]
    whole = rest
    found = LIST.match(rest)
    if found is None:
        words = WORDS_BEFORE.match(rest)
        such = SUCH_AS.search(rest) if not words else None
        start = words.end() if words else such.end() if such else None
        rest = rest[start:] if start is not None else rest
        found = LIST.match(rest) if start is not None else None
    if found is None:
        return Named((), whole)
    noun = found.group().rpartition(SPAN_CLOSES)[2].strip()
    is_limited = LIMITING.search(phrase[: phrase.find(found.group())]) is not None
    return Named(tuple(int(number) for number in SPAN.findall(found.group())), rest[found.end() :], noun, is_limited)


def read_tail(rest: str, spans: tuple[str, ...]) -> Tail:
    """What the words behind the thing say."""
    end = CLAUSE_END.search(rest)
    tail, wanted = (rest[: end.start()], rest[end.end() :].lstrip()) if end else (rest, "")
    tail = tail.strip(" ,.)")
    outside = OUTSIDE.search(tail)
    scope = Scope()
    if outside:
        place = named_place(outside.group("role"), spans)
        if place is None:
            return Tail(scope, wanted, is_conditional=True, is_strict=True)
        scope, tail = Scope(outside=place), tail[: outside.start()]
    left = BENIGN.sub(" ", tail).strip(" ,")
    inside = INSIDE.match(left)
    if inside:
        place = named_place(inside.group("role"), spans)
        if place is not None:
            return Tail(scope._replace(inside=place), wanted)
        if is_everywhere(inside.group("role")):
            return Tail(scope, wanted)
    return Tail(
        scope,
        wanted,
        is_conditional=bool(left),
        is_strict=bool(STRICT.search(left) or is_purpose(left))
        or (inside is not None and not left.lower().startswith("on ")),
    )


def subject_scope(subject: str, spans: tuple[str, ...]) -> Scope | None:
    """Where the subject of a sentence puts its rule; None for a subject that we can't tell in code."""
    words = re.sub(
        r"^(?:therefore|thus|however|finally|also|and|but|so|likewise|similarly)\b,?\s*",
        "",
        subject.strip(" ,"),
        flags=re.IGNORECASE,
    )
    opening = OPENING.match(words)
    if opening:
        said = opening.group("inside") or opening.group("outside")
        if is_everywhere(said):
            return Scope()
        place = named_place(said, spans)
        return None if place is None else Scope(inside=place) if opening.group("inside") else Scope(outside=place)
    if is_everywhere(words) or LEADING.match(words):
        return Scope()
    place = named_place(words, spans)
    return Scope(inside=place) if place else None


def named_place(words: str, spans: tuple[str, ...]) -> Place | None:
    """The places that words or a span such as `*Repository` mean."""
    span = SPAN.search(words)
    if span is None:
        return role_of(words)
    text = re.sub(r"\.(?:py|ts|tsx|js|go|java|kt|rs|rb|cs|php)$", "", spans[int(span.group(1))].strip("/()"))
    if re.fullmatch(r"[*\w]*[A-Z][\w*]*", text):
        return Place(classes=(text,))
    if re.fullmatch(r"[a-z_]\w*(?:[./][\w*]+)*", text):
        return Place(
            layers=tuple(part.lower() for part in re.split(r"[./]", text) if part not in ("src", "app", "*", "**"))[-1:]
        )
    return None
