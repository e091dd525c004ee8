"""Questions made of what a project's headings and decisions say; what would make a silly question makes none."""

from fieldguide import linear_regex as re

VERBS = frozenset((
    "access", "add", "adopt", "analyze", "apply", "authenticate", "avoid", "benchmark", "bind", "build", "bundle",
    "cache", "call", "change", "check", "choose", "combine", "compile", "compose", "configure", "connect", "consume",
    "convert", "copy", "create", "customize", "customise", "debug", "declare", "define", "delete", "deploy", "detect",
    "develop", "disable", "embed", "enable", "encrypt", "evaluate", "export", "expose", "extend", "extract", "filter",
    "find", "fine-tune", "fix", "format", "generate", "group", "handle", "hide", "host", "implement", "import",
    "improve", "inject", "install", "instrument", "integrate", "invoke", "keep", "limit", "load", "log", "maintain",
    "make", "manage", "map", "measure", "merge", "migrate", "mock", "modify", "monitor", "move", "optimize", "order",
    "organize", "override", "package", "parse", "pass", "paginate", "persist", "prepare", "prevent", "process",
    "profile", "protect", "publish", "query", "read", "receive", "record", "redirect", "reduce", "refactor", "register",
    "release", "remove", "rename", "render", "replace", "report", "resolve", "restore", "restrict", "retry", "return",
    "reuse", "run", "save", "scale", "schedule", "scrape", "search", "secure", "select", "send", "separate", "serve",
    "set", "share", "show", "sign", "sort", "split", "start", "stop", "store", "stream", "structure", "style",
    "subscribe", "support", "switch", "test", "throttle", "throw", "trace", "track", "train", "transform", "translate",
    "trigger", "troubleshoot", "upload", "use", "validate", "verify", "wrap", "write",
))  # fmt: skip
NOUNS_TOO = frozenset((
    "access", "analyze", "benchmark", "bind", "build", "bundle", "cache", "call", "change", "check", "copy", "debug",
    "export", "filter", "find", "fix", "format", "group", "host", "import", "keep", "limit", "load", "log", "make",
    "map", "measure", "merge", "mock", "monitor", "move", "order", "package", "parse", "pass", "process", "profile",
    "query", "read", "record", "redirect", "release", "render", "report", "return", "retry", "run", "scale", "schedule",
    "search", "select", "set", "share", "show", "sign", "sort", "split", "start", "stop", "store", "stream",
    "structure", "style", "support", "switch", "test", "throw", "trace", "track", "transform", "trigger", "upload",
    "wrap", "write",
))  # fmt: skip
OPENING = frozenset((
    "a", "an", "the", "your", "my", "our", "to", "with", "without", "from", "for", "in", "into", "on", "up", "and",
    "multiple", "several", "custom", "new", "different", "static", "between", "using", "over", "all", "only",
))  # fmt: skip
DOUBLED = frozenset("bdgmnprt")
TITLE_NUMBER = re.compile(r"^\s*(?:\d+(?:\.\d+)*[.):]?\s+|step\s+\d+[.:)]?\s+)", re.IGNORECASE)
HOW_TO = re.compile(r"(?i)^how to (.+)$")
ASKED = re.compile(
    r"(?i)^(?:(?:how|why|when|where|which|can|do|does|should)\b|what (?:is|are)(?: [\w-]+){4,}|what (?:happens|if)\b)"
    r".{4,}\?$"
)
MARKUP = re.compile(
    r"!?\[([^\[\]`]*(?:`[^\[\]`]*`[^\[\]`]*)?)\](?:\([^()\[]*\)|\[[^\[\]]*\])"
    r"|:[\w:+.-]+:`~?([^`<]+?)(?:\s*<[^`]*>)?`|[`*]+|\{#[^{}]*\}"
)
"""What is written into a heading for looks. No part reads over what begins another, so that none is read again."""
PLAIN = re.compile(r"[A-Za-z][\w \-/.,'()+#@]*\??")
RUN_TESTS = re.compile(r"(?i)^(?:run|running)(?: the| all| unit)* tests?(?: suite)?$")
VAGUE = re.compile(
    r"(?i)^(?:(?:it|this|that|them|these|those|more|other|all|everything|and|or|with|the code|your own|help|now|up)\b)"
    r"|\b(?:licen[cs]e|sponsors?|donat\w+|contributors?|changelog|badges?|conduct|credits|this|these|docs?)\b"
    r"|\bv?\d+\.\d+|\b(?:todo|deprecated|bug|issues?|pull requests?)\b"
)
LEAST_WORDS, MOST_WORDS = 2, 9
LONGEST = 90


def question_of_heading(heading: str) -> str:
    """The question that a section with this heading answers; empty where none is plain."""
    plain = TITLE_NUMBER.sub("", plain_heading(heading))
    if len(plain) > LONGEST or not PLAIN.fullmatch(plain):
        return ""
    if ASKED.match(plain):
        return plain if _is_telling(plain.rstrip("?")) else ""
    if RUN_TESTS.match(plain):
        return "How do I run the tests?"
    told = HOW_TO.match(plain)
    task = told.group(1) if told else _task(plain)
    return f"How do I {_lowered(task)}?" if task and _is_telling(task.partition(" ")[2]) else ""


def question_of_decision(name: str, question: str) -> str:
    """What a decision answers: in its own words where it asks, else about its name."""
    asked = [line.strip() for line in question.split("\n") if line.strip().endswith("?")]
    if asked and len(asked[0]) <= LONGEST and asked[0][:1].isupper():
        return plain_heading(asked[0])
    plain = plain_heading(name).rstrip(".?! ")
    if not plain or len(plain) > LONGEST or " " not in plain:
        return ""
    first = plain.partition(" ")[0].lower()
    return f"Why {_lowered(plain)}?" if first in VERBS else f"What was decided about {plain}?"


def plain_heading(text: str) -> str:
    """A heading without its marks."""
    bare = MARKUP.sub(lambda match: match.group(1) or match.group(2) or "", text)
    return " ".join(bare.replace("¶", "").split())


def _task(heading: str) -> str:
    """What a heading tells to do, as somebody would say who wants it done; empty where it tells nothing to do."""
    first, _, rest = heading.partition(" ")
    word = first.lower()
    verb = word if word in VERBS else _verb_of(word)
    is_plain = verb not in NOUNS_TOO or rest.partition(" ")[0].lower() in OPENING  # "Test client" is no task
    return f"{verb} {rest}" if verb and rest and is_plain else ""


def _verb_of(word: str) -> str:
    """The verb of a word in -ing: using, running, building."""
    if not word.endswith("ing"):
        return ""
    stem = word.removesuffix("ing")
    undoubled = stem[:-1] if stem[-1:] in DOUBLED and stem[-2:-1] == stem[-1:] else stem
    return next((verb for verb in (stem, f"{stem}e", undoubled) if verb in VERBS), "")


def _is_telling(words: str) -> bool:
    return LEAST_WORDS <= len(words.split()) <= MOST_WORDS and not VAGUE.search(words)


def _lowered(text: str) -> str:
    """A text that goes on within a sentence; a name in capitals stays as it is."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
