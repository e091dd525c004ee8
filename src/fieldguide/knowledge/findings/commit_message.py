"""Parses a commit message and extracts what it teaches: decisions, fixes, reverts, rules and patterns.

A finding is the subject of the commit, a sentence of its body, or both, in the words of the author. A sentence that
leans on one before it ("Never delete that file") is kept with the subject, or not at all: nobody who reads it alone can
tell what it forbids. Upkeep gives nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.text import regex as re
from fieldguide.text.words import make_singular

Pattern = re.Pattern[str]


def compile_anywhere(*phrases: str) -> Pattern:
    """Any of these phrases, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def compile_at_start(*phrases: str) -> Pattern:
    """Any of these phrases, as whole words, at the beginning."""
    return re.compile(rf"^(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


PLACE = re.compile(r"^[\w./*+\[\]{}()<>, -]{1,40}:\s+(?=\S)")
CODE = re.compile(r"\w\(\)|\w_\w|::|->|\w\.\w|[a-z][A-Z]|[A-Z]{2,}\w*[a-z]+|/\w|[<>*&]")
UPKEEP_KINDS = frozenset({"style", "test", "tests", "wip", "release", "deps", "i18n", "lint", "changelog"})
UPKEEP = (
    compile_at_start(
        "(?:fixup|squash|amend)!.*", "wip", "merge", "bump", "release", r"v?\d+\.\d+\S*", r"prepare .*\d+\.\d+",
        "initial (?:commit|import|version)",
        r"(?:up|down)(?:date|grade) .*(?:versions?|dependenc(?:y|ies)|\d+\.\d+\S*)",
        r"(?:re-?)?(?:format|lint|indent)\w*", "clean(?:ed|ing|s)?[- ]?ups?",
        r"(?:add|update|improve|fix)\w* (?:\S+ ){0,3}(?:tests?|docs?|documentation|comments?|docstrings?)$",
    ),
    compile_anywhere("typos?", "spelling", "white ?space", "copyright", "translations?", "change ?log", "readme"),
)  # fmt: skip
SMALL = compile_anywhere(
    "compil(?:e|er|ing|ation)", "builds?", "warnings?", "lint(?:er|ing)?", "ci", "tests?", "testing", "docs?",
    "documentation", "comments?", "docstrings?", "nits?", "style", "format(?:ting)?", "c?make(?:files?)?", "autoconf",
    "configure", "man(?: ?pages?)?", "docker(?:file)?", "workflow", "coverage", "imports", "type (?:hints?|errors?)",
    "name", "naming", "wording", "message", "unused", "examples?", "headers?", r"(?:issue|bug)\s*#?\d+",
)  # fmt: skip
REVERT = compile_at_start("revert", "back ?out", "undo", "reapply")
REVERT_REASON = compile_anywhere(
    "because", "since", "due to", "break(?:s|ing)?", "broken?", r"caus\w+", r"regress\w+", r"fail\w*", r"crash\w*",
    "wrong", r"incorrect\w*", "not", r"\w+n't", "no longer", "too", r"slow\w*", "turn(?:s|ed) out",
)  # fmt: skip
FIX_KINDS = frozenset({"fix", "bugfix", "hotfix", "security"})
FIX = compile_at_start("(?:bug|hot)?fix(?:e[sd]|ing)?", "repair(?:ed|s)?", "correct(?:ed|s|ly)?", "resolve[sd]?")
WORKAROUND = compile_at_start("work(?:ed|s|ing)?[- ]?around (?:an?|the)")
CAUSE = compile_anywhere(
    "because", "since", "due to", "caus(?:es?|ed|ing)", "root cause", "l(?:eads?|ed|eading) to",
    "result(?:s|ed|ing)? in",
    "the (?:problem|issue|bug|reason|fault|culprit) (?:is|was)", "which (?:meant|means|made|makes|broke|breaks|would)",
    "turn(?:s|ed) out", r"forg[eo]t\w*", "(?:did|does|was|were|is|would|could)(?:n't| not| never)",
    "would (?:be|have|then)", "rac(?:es|ed|y)", "when(?:ever)? .*,", "assum(?:e[sd]?|ing)", r"so \w+",
)  # fmt: skip
SYMPTOM = compile_anywhere(
    "rac(?:e|es|y)", "dead-?locks?", "leak(?:s|ed|ing)?", "crash(?:es|ed|ing)?", "overflows?", "corrupt(?:s|ed|ion)?",
    "use[- ]after[- ]free", "hang(?:s|ing)?", "freez(?:es?|ing)", "data loss", "off[- ]by[- ]one", "time-?outs?",
    "injection", "traversal", "null (?:pointer|dereference)", "panics?", "seg-?faults?", "out[- ]of[- ]bounds",
    "regression", "stale", "duplicate[sd]?", "lost", "missing", "wrong", "incorrect", "fail(?:s|ed|ures?|ing)?",
    "error", "exception", "broken", "vulnerability",
)  # fmt: skip
CONDITION = compile_anywhere(
    "when", "if", "while", "after", "before", "during", "between", "under", "without", "unless", "because", "due to",
)  # fmt: skip
REASON = compile_anywhere(
    "because", "since", "so that", "due to", "to (?:avoid|prevent)", "the reason", "too (?:slow|large|big|expensive)",
    "which (?:breaks|broke|fails|failed)", "this (?:avoids|prevents|makes sure|guarantees|ensures)",
)  # fmt: skip
CHANGE = compile_at_start(
    "use", "keep", "make", "move", "switch", "replace", "drop", "remove", "stop", "start", "disable", "enable", "limit",
    "require", "pin", "cache", "split", "store", "avoid", "prefer", "allow", "refuse", "reject", "don't", "do not",
    "never", "always", "only", "hold", "retry", "lock", "wait", "run", "read", "write", "send", "skip", "ignore",
    "treat", "let", "delay", "escape", "validate", "check", "return", "raise", "load", "open", "close", "share",
    "isolate", "separate", "batch", "increase", "reduce", "lower", "turn", "set", "change", "convert", "adopt",
)  # fmt: skip
CHOICES: tuple[tuple[float, Pattern], ...] = (
    (0.8, compile_at_start("(?:drop|remove|end)(?:ped|s|d)? support (?:for|of)")),
    (0.75, compile_at_start("(?:drop|remove|replace|deprecate|retire) .*?in favou?r of")),
    (0.7, compile_at_start("(?:prefer|adopt|choose|pick) .*?(?:instead of|over|rather than|in favou?r of)")),
    (0.7, re.compile(r"^.{7,}?[^\w\n](?:because|so that)(?= .{12,})", re.IGNORECASE)),
    (0.7, compile_at_start("deprecate", "default to", "(?:make|set|use|change) .*(?:the|by|as) default")),
    (0.7, re.compile("^(?:switch|migrate) .*?(?:from|to)(?= )", re.IGNORECASE)),
    (
        0.65,
        compile_at_start("require", "standardi[sz]e on", "adopt", "no longer", "stop (?:using|supporting)", "never"),
    ),
)
SENTENCES: tuple[tuple[str, float, Pattern], ...] = (
    ("decision", 0.95, compile_at_start(r"(?:decision|decided|chosen option): \w+")),
    ("rule", 0.95, compile_at_start(r"(?:rule|requirement|invariant|policy): \w+")),
    ("pattern", 0.9, compile_at_start(r"convention: \w+")),
    ("pattern", 0.9, compile_anywhere("the (?:usual |general |common )?(?:pattern|convention) (?:here )?is")),
    ("issue", 0.9, compile_at_start(r"(?:root cause|bug|issue|problem|cause|fixed): \w+ \w+")),
    ("issue", 0.9, compile_anywhere("the root cause (?:is|was)")),
    ("decision", 0.9, compile_at_start("(?:decided|agreed|opted|chose|settled|went) (?:to|on|against|for|not|with)")),
    ("decision", 0.9, compile_anywhere("(?:we|i|the team|it was)(?:'ve| have)?(?: also)? (?:decided|agreed|opted)")),
    ("decision", 0.9, compile_anywhere("(?:we|i)(?:'ve| have)? (?:chose|went with|picked)", "we deliberately")),
    ("rule", 0.85, compile_at_start("from now on", "going forward", "henceforth")),
    ("rule", 0.8, compile_at_start(r"(?:never|always) [a-z]+", r"[^()]*\b(?:must|shall|should) (?:never|always)")),
    ("rule", 0.75, compile_at_start(r"please (?:do not|don't|always|never|only) \w+ \w+")),
    ("rule", 0.75, compile_anywhere("(?:must|shall) (?:not|only)", "(?:is|are) (?:forbidden|prohibited)")),
    ("rule", 0.7, compile_at_start(r"(?:\S+ ){1,5}must \w+")),
    ("pattern", 0.75, compile_anywhere("by convention")),
    ("pattern", 0.7, compile_at_start("we (?:always |usually )?use .* (?:for|to|when)")),
    ("issue", 0.75, compile_at_start("caveat", "gotcha", "beware", "known (?:issue|limitation)", "careful")),
    ("decision", 0.65, compile_at_start(r"[A-Z`]\S*(?: \S+){0,4} (?:keeps?|lives?|stays?|runs?|goes) .*so that")),
)
ABOUT_THE_COMMIT = compile_anywhere(
    r"(?:next|following|previous|subsequent|earlier|later) (?:patch|commit|change|one)(?:es|s)?", "minor fix",
    "this (?:patch|commit|pr|pull request|change|series|mr)", "no functional changes?", "thanks to", r"https?://.*",
    r"i \W?(?:think|guess|hope|believe|suppose|wonder|tested|noticed)", "not sure", "oops", "seems? to", "hopefully",
    "probably", "must have been", "not too bad",
)  # fmt: skip
ASIDE = compile_at_start("also", "but", "and", "so", "then", "while (?:at it|here|there)", "in passing")


def find_first_match(table: tuple[tuple[float, Pattern], ...], text: str) -> tuple[float, str] | None:
    """The confidence of the first line of a table that fits a text, and the words that fit."""
    for confidence, pattern in table:
        if found := pattern.search(text):
            return confidence, found[0]
    return None


CONVENTIONAL = re.compile(r"(?P<kind>[A-Za-z]+)(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+")
KINDS = frozenset(
    {"bugfix", "build", "chore", "ci", "deps", "docs", "feat", "feature", "fix", "hotfix", "perf", "refactor"}
    | {"release", "revert", "security", "style", "test", "tests", "wip"}
)
DECORATION = re.compile(r"(?::[a-z0-9_+-]+:|\[[^\]]{1,40}\]:?|[A-Z][A-Z0-9]+-\d+:?|[^\w\s\"'`(<#$@&*/.~\[-]+)\s*")
REFERENCE = re.compile(r"\s*\([^()]{0,80}[#!]\d+\)$")
FENCE = re.compile(r"^\s*(?:```|~~~)")
BULLET = re.compile(r"^\s*(?:[-*+•o]|\d{1,2}[.)])\s+")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)  # templates of pull requests are full of them
HEADING = re.compile(r"^\s*(?:#{1,6}\s|[=~-]{3,}\s*$)")
EMPHASIS = re.compile(r"(?<!\w)\*\*([^*_]{1,200})\*\*(?!\w)|(?<!\w)__([^*_]{1,200})__(?!\w)")
BREAKING = re.compile(r"^BREAKING[ -]CHANGES?:\s*", re.MULTILINE)
PEOPLE = re.compile(r"^\s*[A-Za-z][\w -]{0,30}-(?:by|on):", re.IGNORECASE)
MOST_SUBJECT_CHARACTERS = 300
MOST_SENTENCE_CHARACTERS = 600
LONGEST_ABBREVIATION = 12  # characters, with what stands before it
MACHINE = re.compile(
    r"^\s*(?:cc|change-id|link|url|git-svn-id|differential revision|pr-url|part-of|upstream-commit-id|upstream-id"
    r"|origin|message-id|relnote|test plan|tested|v\d+|\[\s*\d+\.\d+\]|diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- )"
    r"\s*[:#\[]?|^\s*\(cherry[ -]picked from|^\s*this reverts commit|^\s*\[\d+\]:?\s|^\s*https?://\S+\s*$",
    re.IGNORECASE,
)
TICKET = re.compile(
    r"^\s*(?:bug(?:zilla)?|issue|ticket|refs?|references|see(?: also)?|closes?|closed|fix(?:es|ed)?|resolves?|related)"
    r"\b(?:[ -]?(?:to|bug|issue))?\s*:?\s*(?:[#!]?\d+|[A-Z]+-\d+|https?://|[\w.-]+/[\w.-]+#\d+|[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)
FIXED_COMMIT = re.compile(r"^\s*fixes:\s*(?:commit\s+)?([0-9a-f]{7,40})\b", re.IGNORECASE | re.MULTILINE)
REVERTED = re.compile(r"^\s*this reverts commit ([0-9a-f]{7,64})", re.IGNORECASE | re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(`\[]?[A-Z0-9])")
DANGLING = re.compile(
    r"(?:,|\b(?:a|an|and|as|by|for|from|in|is|of|on|or|that|the|to|when|which|with))\s*$", re.IGNORECASE
)
ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|incl|no|fig|sec|St|Dr|Mr|Mrs)|\b[A-Z])\.$")


class CommitMessage(NamedTuple):
    """What a commit message says, in the words of its author."""

    subject: str
    kind: str = ""
    scope: str = ""
    is_breaking: bool = False
    breaking: str = ""
    sentences: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()
    names_fixed_commit: bool = False

    @property
    def title(self) -> str:
        """The subject with the part of the program that it is about, without which many say nothing."""
        return f"{self.scope}: {self.subject}" if self.scope else self.subject


def parse_message(text: str) -> CommitMessage:
    """Take a commit message apart."""
    first, body = _subject_and_body(COMMENT.sub("", text).strip())
    undecorated = _undecorated(first)
    found = CONVENTIONAL.match(undecorated)
    is_conventional = found is not None and found["kind"].lower() in KINDS
    named = found if is_conventional else None
    breaking = BREAKING.split(body, maxsplit=1)
    return CommitMessage(
        subject=_undecorated(undecorated[named.end() :]) if named else undecorated,
        kind=named["kind"].lower() if named else "",
        scope=(named["scope"] or "").strip() if named else "",
        is_breaking=bool(named and named["breaking"]) or len(breaking) > 1,
        breaking=" ".join(next(iter(_units(breaking[1])), "").split()) if len(breaking) > 1 else "",
        sentences=tuple(split_message_sentences(breaking[0])),
        reverts=tuple(REVERTED.findall(body)),
        names_fixed_commit=FIXED_COMMIT.search(body) is not None,
    )


def split_message_sentences(body: str) -> Iterator[str]:
    """The sentences of a text, each in one line; without code, quotes, headings and lines for machines."""
    for unit in _units(body):
        pieces = SENTENCE_END.split(unit)
        parts: list[str] = []
        for number, piece in enumerate(pieces, 1):
            parts.append(piece)
            if number < len(pieces) and ABBREVIATED.search(piece[-LONGEST_ABBREVIATION:]):
                continue  # the sentence goes on behind an abbreviation
            sentence = " ".join(parts)
            parts = []
            if len(sentence) <= MOST_SENTENCE_CHARACTERS:
                yield sentence.strip()


def _subject_and_body(text: str) -> tuple[str, str]:
    """The first line and what follows; or the first sentence, where a long one was broken into lines."""
    first, _, rest = text.partition("\n")
    if not (rest[:1].islower() or DANGLING.search(first)):
        return first, rest
    paragraph, _, body = text.partition("\n\n")
    subject, *others = SENTENCE_END.split(" ".join(paragraph.split()), maxsplit=1)
    return subject, "\n\n".join([*others, body])


def _undecorated(line: str) -> str:
    """A subject without tickets, emoji and pull request numbers."""
    rest = " ".join(line[:MOST_SUBJECT_CHARACTERS].split())
    while (found := DECORATION.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :]
    return REFERENCE.sub("", rest).rstrip(" .")


def _units(body: str) -> Iterator[str]:
    """The paragraphs and list items of a body, each in one line; without code, quotes and lines for machines."""
    for paragraph in re.split(r"\n\s*\n", _without_fences(body)):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        is_code = all(line.startswith(("  ", "\t")) and not BULLET.match(line) for line in lines)
        if not is_code:
            yield from map(_plain, _parted(lines))


def _parted(lines: list[str]) -> Iterator[list[str]]:
    """The lines of a paragraph, parted before each item and where a line is left out."""
    unit: list[str] = []
    for line in lines:
        is_break = any(each.match(line) for each in (PEOPLE, MACHINE, TICKET, HEADING))
        is_break = is_break or line.lstrip().startswith((">", "|"))
        if unit and (is_break or BULLET.match(line)):
            yield unit
            unit = []
        if not is_break:
            unit.append(BULLET.sub("", line).strip())
    if unit:
        yield unit


def _without_fences(body: str) -> str:
    kept: list[str] = []
    is_inside = False
    for line in body.split("\n"):
        if FENCE.match(line):
            is_inside = not is_inside
            kept.append("")
        elif not is_inside:
            kept.append(line.rstrip())
    return "\n".join(kept)


def _plain(lines: list[str]) -> str:
    return EMPHASIS.sub(lambda found: found[1] or found[2], " ".join(" ".join(lines).split()))


WORD = re.compile(r"[\w'-]+")
LEANING = compile_at_start(
    "it", "its", "it's", "they", "he", "she", "then", "so", "also", "however", "but", "otherwise", "thus", "therefore",
    "hence", "and", "instead", "because", "since", "as", "which", "here", "there", "now", "still", "yet", "moreover",
)  # fmt: skip
POINTING = re.compile(r"\b(this|that|these|those)\s+([\w-]+)", re.IGNORECASE)
PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|him|she|her)\b", re.IGNORECASE)
ELSEWHERE = compile_anywhere(
    r"(?:the |as |see |mentioned |described |discussed |explained |noted )(?:above|below|following|latter|former)",
    "aforementioned", "the former", "the latter", "as follows", "respectively",
    r"(?:see|in|from|on|per) the (?:issue|ticket|thread|discussion|pr|pull request|link)",
)  # fmt: skip
OURS = frozenset(("project", "repository", "repo", "library", "codebase", "package", "tool", "framework", "program"))
NOUNS = frozenset(  # behind `that` they are what it points at, never what a clause begins with
    (
        "bug", "call", "case", "check", "class", "code", "command", "commit", "error", "field", "file", "flag",
        "folder", "function", "issue", "line", "list", "lock", "message", "method", "module", "name", "object",
        "option", "part", "path", "problem", "request", "rule", "setting", "state", "string", "table", "test", "thing",
        "time", "type", "value", "variable", "version", "way",
    )
)  # fmt: skip
LIGHT = frozenset(  # words that name nothing a pronoun could stand for
    (
        "a", "all", "also", "always", "an", "and", "any", "are", "be", "but", "can", "do", "don't", "for", "from",
        "had", "has", "have", "i", "if", "in", "is", "must", "never", "no", "not", "of", "on", "only", "or", "please",
        "should", "so", "the", "then", "to", "use", "was", "we", "when", "will", "with", "you", "decided", "agreed",
        "chose",
    )
)  # fmt: skip
IMPERATIVES = ("never ", "always ", "do not ", "don't ", "please ", "only ", "avoid ")
OPEN_END = re.compile(
    r"(?:[,;:(\[{–—-]|…|\.\.\.|\b(?:a|an|and|as|because|but|by|for|if|in|of|on|or|that|the|to|with))$"
)


def is_whole(content: str) -> bool:
    """Whether a text of one or more sentences needs nothing that stands elsewhere."""
    is_paired = content.count("(") == content.count(")") and content.count("`") % 2 == 0 == content.count('"') % 2
    if not is_paired or OPEN_END.search(content.rstrip(" .!\"'")) or ELSEWHERE.search(content):
        return False
    before = ""
    for sentence in SENTENCE_END.split(content):
        if not _names_what_it_shows(sentence, before) or not (before or _has_antecedents(sentence)):
            return False
        before = f"{before} {sentence}"
    return True


def _names_what_it_shows(sentence: str, before: str) -> bool:
    """Whether `this file` or `those tests` were named before; `this` with a verb stands for the sentences before it."""
    for found in POINTING.finditer(sentence):
        noun = found[2].lower()
        is_clause = found[1].lower() == "that" and noun not in NOUNS
        is_verb = bool(before) and noun not in NOUNS
        if is_clause or is_verb or noun in OURS:
            continue
        earlier = WORD.findall(f"{before} {sentence[: found.start()]}".lower())
        if make_singular(noun) not in set(map(make_singular, earlier)):
            return False
    return True


def _has_antecedents(sentence: str) -> bool:
    """Whether something is named before the first pronoun; a verb in front of it is nothing that is named."""
    if LEANING.match(sentence):
        return False
    found = PRONOUN.search(sentence)
    if found is None:
        return True
    words = [word for word in WORD.findall(sentence[: found.start()].lower()) if word not in LIGHT]
    opens_with_verb = sentence.lower().startswith(IMPERATIVES) or (words and CHANGE.match(words[0]))
    return len(words) > (1 if opens_with_verb else 0)


LEAST_CONFIDENCE = 0.6
MOST_PER_COMMIT = 5
MOST_CHARACTERS = 600
LEAST_WORDS = 4
LEAST_SENTENCE_WORDS = 5
MOST_SENTENCE_WORDS = 50
CAUSE_SENTENCES = 4
REASON_SENTENCES = 2  # one that comes later is mostly about a detail
MOST_WHY_CHARACTERS = 80
REVERT_WITH_FAULT = 0.9
REVERT_WITH_REASON = 0.7
BARE_REVERT = 0.5
FIX_WITH_CAUSE = 0.85
FIX_WITH_SYMPTOM = 0.65
BARE_FIX = 0.45
SMALL_FIX = 0.4
WORKAROUND_CONFIDENCE = 0.75
BREAKING_CONFIDENCE = 0.9
BARE_BREAKING_CONFIDENCE = 0.7
CHOICE_WITH_REASON = 0.8
CHANGE_WITH_REASON = 0.65
SMALL_DOUBT = 0.15  # what is said in passing, in a commit about builds or documents
CODE_DOUBT = 0.15  # a choice between two functions is worth less than one between two ways
PRIORITY = ("issue", "decision", "rule", "pattern")


class Teaching(NamedTuple):
    """Something worth knowing that a commit says, how sure the rule is, and the words that gave it away."""

    type: str
    content: str
    confidence: float
    why: str


def find_teachings(message: CommitMessage) -> list[Teaching]:
    """What a commit message teaches, the most important first; nothing for upkeep."""
    if is_upkeep_commit(message):
        return []
    found = [*_of_subject(message)]
    if message.breaking:
        found.append(Teaching("decision", message.breaking, BREAKING_CONFIDENCE, "BREAKING CHANGE"))
    elif message.is_breaking:
        found.append(Teaching("decision", message.title, BARE_BREAKING_CONFIDENCE, "!"))
    found += _of_sentences(message)
    complete = [each for each in found if _is_complete(each.content)]
    complete.sort(key=lambda each: (-each.confidence, PRIORITY.index(each.type)))
    return complete[:MOST_PER_COMMIT]


def is_upkeep_commit(message: CommitMessage) -> bool:
    """Whether a commit only keeps things going: versions, formatting, spelling, tests, merges, work in progress."""
    return (
        message.kind in UPKEEP_KINDS
        or message.scope.lower() in UPKEEP_KINDS
        or any(pattern.search(_without_place(message.subject)) for pattern in UPKEEP)
    )


def _of_subject(message: CommitMessage) -> Iterator[Teaching]:
    subject = _without_place(message.subject)
    if ABOUT_THE_COMMIT.search(subject):
        return
    if REVERT.match(subject) or message.kind == "revert":
        yield _revert(message)
    elif message.kind in FIX_KINDS or FIX.match(subject) or message.names_fixed_commit:
        yield _fix(message, subject)
    elif WORKAROUND.match(subject):
        yield Teaching("issue", message.title, WORKAROUND_CONFIDENCE, "Work around")
    elif SMALL.search(message.subject):
        return
    elif choice := find_first_match(CHOICES, subject):
        yield _choice(message, *choice)
    elif CHANGE.match(subject) and (reason := _reason(message, REASON)):
        yield Teaching("decision", _joined(message.title, reason[0]), CHANGE_WITH_REASON, reason[1])


def _revert(message: CommitMessage) -> Teaching:
    subject = f"revert: {message.title}" if message.kind == "revert" else message.title
    reason = next(filter(_is_telling, message.sentences), None)
    if reason is None:
        return Teaching("decision", subject, BARE_REVERT, "Revert")
    fault = REVERT_REASON.search(reason)
    if fault:
        return Teaching("decision", _joined(subject, reason), REVERT_WITH_FAULT, f"Revert … {fault[0]}")
    return Teaching("decision", _joined(subject, reason), REVERT_WITH_REASON, "Revert")


def _fix(message: CommitMessage, subject: str) -> Teaching:
    """A fixed fault; worth keeping if its cause is named, or what happened and when."""
    if SMALL.search(message.subject):
        return Teaching("issue", message.title, SMALL_FIX, "Fix")
    cause = _reason(message, CAUSE)
    if cause:
        return Teaching("issue", _joined(message.title, cause[0]), FIX_WITH_CAUSE, f"Fix … {cause[1]}")
    symptom = SYMPTOM.search(subject)
    condition = CONDITION.search(SYMPTOM.sub("", subject))
    if symptom and condition:
        return Teaching("issue", message.title, FIX_WITH_SYMPTOM, f"Fix … {symptom[0]} … {condition[0]}")
    return Teaching("issue", message.title, BARE_FIX, "Fix")


def _choice(message: CommitMessage, confidence: float, why: str) -> Teaching:
    reason = _reason(message, REASON)
    if reason is None or REASON.search(message.subject):
        doubt = CODE_DOUBT if CODE.search(message.subject) else 0.0
        return Teaching("decision", message.title, round(confidence - doubt, 2), why)
    confidence = max(confidence, CHOICE_WITH_REASON)
    return Teaching("decision", _joined(message.title, reason[0]), confidence, f"{why} … {reason[1]}")


def _of_sentences(message: CommitMessage) -> Iterator[Teaching]:
    doubt = SMALL_DOUBT if SMALL.search(message.subject) else 0.0
    for sentence in filter(_is_telling, message.sentences):
        for type_, confidence, pattern in SENTENCES:
            found = pattern.search(sentence)
            if found:
                content = sentence if is_whole(sentence) else _joined(message.title, sentence)
                yield Teaching(type_, content, round(confidence - doubt, 2), found[0][-MOST_WHY_CHARACTERS:])
                break


def _reason(message: CommitMessage, pattern: Pattern) -> tuple[str, str] | None:
    """The first sentence of the body that gives a reason, and the words that show it."""
    most = REASON_SENTENCES if pattern is REASON else CAUSE_SENTENCES
    for sentence in message.sentences[:most]:
        found = pattern.search(sentence)
        if found and _is_telling(sentence) and not ASIDE.match(sentence):
            return sentence, found[0][:MOST_WHY_CHARACTERS]
    return None


def _is_telling(sentence: str) -> bool:
    """Whether a sentence says something by itself: no question, no announcement, nothing about the commit as such."""
    if not LEAST_SENTENCE_WORDS <= len(sentence.split()) <= MOST_SENTENCE_WORDS:
        return False
    return not sentence.endswith(("?", ":")) and not ABOUT_THE_COMMIT.search(sentence)


def _joined(subject: str, sentence: str) -> str:
    return f"{subject}{'' if subject.endswith(('.', '!', '?')) else '.'} {sentence}"


def _without_place(subject: str) -> str:
    """A subject without the part of the program that it begins with, as in `net: ipv4: Fix …`."""
    rest = subject
    while found := PLACE.search(rest):
        rest = rest[found.end() :]
    return rest


def _is_complete(text: str) -> bool:
    """Whether a finding says enough, is not too long, and can be read alone."""
    return len(text.split()) >= LEAST_WORDS and len(text) <= MOST_CHARACTERS and is_whole(text)
