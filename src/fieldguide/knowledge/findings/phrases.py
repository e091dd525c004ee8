"""The phrases by which a commit message is recognized as a decision, a fix, a rule or routine upkeep.

Every phrase is a regular expression, in lower case; texts are compared whatever their case.
"""

from collections.abc import Callable
from typing import NamedTuple

from fieldguide.text import regex as re

Match = re.Match[str]


class PhraseUnless(NamedTuple):
    """Phrases that do not count where what stands around them takes them back."""

    pattern: re.Pattern[str]
    is_taken_back: Callable[[Match], bool]

    def search(self, text: str) -> Match | None:
        """The first phrase that counts."""
        return next((found for found in self.pattern.finditer(text) if not self.is_taken_back(found)), None)


Pattern = re.Pattern[str] | PhraseUnless


def compile_anywhere(*phrases: str) -> re.Pattern[str]:
    """Any of these phrases, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def compile_at_start(*phrases: str) -> re.Pattern[str]:
    """Any of these phrases, as whole words, at the beginning."""
    return re.compile(rf"^(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def read_before(found: Match) -> str:
    """What stands before a phrase, in lower case."""
    return found.string[: found.start()].lower()


def read_after(found: Match) -> str:
    """What stands behind a phrase."""
    return found.string[found.end() :]


def _is_merge(found: Match) -> bool:
    return re.match(r"(?:revert|merge)\b", found.string, re.IGNORECASE) is not None


PLACE = PhraseUnless(re.compile(r"^[\w./*+\[\]{}()<>, -]{1,40}:\s+(?=\S)"), _is_merge)
CODE = re.compile(r"\w\(\)|\w_\w|::|->|\w\.\w|[a-z][A-Z]|[A-Z]{2,}\w*[a-z]+|/\w|[<>*&]")

UPKEEP_KINDS = frozenset({"style", "test", "tests", "wip", "release", "deps"})
UPKEEP_SCOPES = frozenset({"deps", "deps-dev", "dependencies", "release", "test", "tests", "lint", "changelog", "i18n"})
UPKEEP = (
    compile_at_start(
        "(?:fixup|squash|amend)!.*", "wip", "merge", "bump", "release", "post[- ]release", r"v?\d+\.\d+\S*",
        r"prepare .*(?:release|v?\d+\.\d+)", "start .*development", "initial (?:commit|import|version)",
        r"(?:update|upgrade|downgrade) .*(?:versions?|dependenc(?:y|ies)|deps|(?:to|from) v?\d\S*|\d+\.\d+\S*)",
        r"(?:update|upgrade) .*(?:submodules?|lock ?file|\S+\.lock|requirements|snapshots?|fixtures?)",
        "minor", "cosmetic", "trivial", "misc", "tweaks?", "nits?", "oops", "more", "clean(?:ed|ing|s)?[- ]?ups?",
        r"(?:re-?)?(?:format|lint|indent)\w*", r"translat\w*", r"address\w* (?:review|comments|feedback).*",
        r"(?:add|update|extend|improve|write|remove|fix|skip|move|rename|refactor|split)\w* (?:\S+ ){0,3}"
        r"(?:tests?|specs?|docs?|documentation|comments?|docstrings?|examples?|screenshots?|badges?)"
        r"(?: (?:for|of|about|to|on|in) .*)?$",
    ),
    compile_anywhere(
        "typos?", "spelling", "white ?space", "indent(?:ation)?", "copyright", "grammar", "translations?", "l10n",
        "black", "prettier", "gofmt", "clang-format", "rustfmt", "eslint", "flake8", "isort", "pylint", "codespell",
        "change ?log", "release notes", "news", "readme", "authors", "contributors", "maintainers", "gitignore",
    ),
)  # fmt: skip
SMALL = compile_anywhere(
    "compil(?:e|er|ing|ation)", "builds?", "building", "warnings?", "lint(?:er|ing)?", "ci", "tests?", "testing",
    "docs?", "documentation", "comments?", "docstrings?", "(?:broken|dead) links?", "nits?", "style", "format(?:ting)?",
    "makefiles?", "make check", "distcheck", "meson", "cmake", "autotools", r"configure(?:\.ac)?", r"autogen(?:\.sh)?",
    "travis", "libtool", "pkg-?config", "man(?: ?pages?)?", "clang", "gcc", "msvc", r"mingw\S*", "xcode", "mypy",
    "shellcheck", "docker(?:file)?", "autoconf",
    "automake", "workflow", "coverage", "imports", "type (?:hints?|errors?)", "name", "naming",
    "wording", "message", "bots?", "unused", "examples?", "demos?", "headers?", "macros", "casts?", "const",
    r"(?:issue|bug)\s*#?\d+", r"-W\S+",
)  # fmt: skip

REVERT = compile_at_start("revert", "back ?out", "undo", "reapply")
REVERT_REASON = compile_anywhere(
    "because", "since", "due to", "as (?:it|this|the|that)", "break(?:s|ing)?", "broken?", r"caus\w+", r"regress\w+",
    r"fail\w*", "problems?", "issues?", r"crash\w*", "wrong", r"incorrect\w*", "not", r"\w+n't", "no longer", "too",
    r"slow\w*", "unnecessary", "turns? out", "turned out",
)  # fmt: skip

SINCE_WHEN = re.compile(r"\s+(?:v?\d|commit|then|the (?:beginning|start|release|last)|version|\w+ \d)", re.IGNORECASE)
SO_WHAT = ("so we", "so i", "so let", "so it's", "so use")


def _gives_no_reason(found: Match) -> bool:
    """Whether `since` is about time, or `so` is no consequence."""
    words = found[0].lower()
    if words == "since":
        return read_before(found).endswith("ever ") or SINCE_WHEN.match(read_after(found)) is not None
    if words.startswith("so ") and words != "so that":
        return not read_before(found).endswith(", ") or words.startswith(SO_WHAT)
    return False


def _gives_no_cause(found: Match) -> bool:
    is_purpose = found[0].lower() == "so that"
    is_ours = is_purpose and read_after(found).lower().startswith(" we")
    return _gives_no_reason(found) or is_ours or (is_purpose and not read_before(found).endswith(", "))


def _is_perfect(found: Match) -> bool:
    return read_after(found).lower().startswith((" have", " been"))


FIX_KINDS = frozenset({"fix", "bugfix", "hotfix", "security"})
FIX = compile_at_start(
    "(?:bug|hot)?fix(?:e[sd]|ing)?", "repair(?:ed|s)?", "mend(?:ed|s)?", "correct(?:ed|s|ly)?", "resolve[sd]?"
)
WORKAROUND = compile_at_start("work(?:ed|s|ing)?[- ]?around (?:an?|the)")
CAUSE = PhraseUnless(compile_anywhere(
    "because", "since", "due to", "caus(?:es?|ed|ing)", "root cause", "l(?:eads?|ed|eading) to",
    "result(?:s|ed|ing)? in",
    "the (?:problem|issue|bug|reason|fault|culprit) (?:is|was)", r"so \w+",
    "which (?:meant|means|made|makes|broke|breaks|would)", "turn(?:s|ed) out", r"forg[eo]t\w*",
    "(?:did|does|was|were|is|would|could)(?:n't| not| never)", "would (?:be|have|then)", "rac(?:es|ed|y)",
    "if (?:the|a|an|two|both|we|it) .*,", "when(?:ever)? .*,", "assum(?:e[sd]?|ing)",
    "(?:was|were|used|returned|got|sent|took) .*instead of",
), _gives_no_cause)  # fmt: skip
SYMPTOM = compile_anywhere(
    "rac(?:e|es|y)", "dead-?locks?", "leak(?:s|ed|ing)?", "crash(?:es|ed|ing)?", "overflows?", "underflows?",
    "corrupt(?:s|ed|ion)?", "use[- ]after[- ]free", "double[- ]free", "hang(?:s|ing)?", "freez(?:es?|ing)", "data loss",
    "off[- ]by[- ]one", "infinite (?:loop|recursion)", "endless loop", "time-?outs?", "injection", "traversal",
    "null (?:pointer|dereference)", "panics?", "seg-?faults?", "out[- ]of[- ]bounds", "regression", "stale",
    "duplicate[sd]?", "lost", "missing", "wrong", "incorrect", "fail(?:s|ed|ures?|ing)?", "error", "broken", "500",
    "exception", "division by zero", "vulnerability", "xss", "csrf", r"not \w+ing",
)  # fmt: skip
CONDITION = compile_anywhere(
    "when", "if", "while", "after", "before", "during", "between", "under", "without", "unless", "caused", "because",
    "due to", "upon", "once",
)  # fmt: skip

REASON = PhraseUnless(compile_anywhere(
    "because", "since", "so that", "due to", "to (?:avoid|prevent)", "the reason", "too (?:slow|large|big|expensive)",
    "which (?:breaks|broke|fails|failed)", "this (?:avoids|prevents|makes sure|guarantees|ensures)",
), _gives_no_reason)  # fmt: skip
CHANGE = compile_at_start(
    "use", "keep", "make", "move", "switch", "replace", "drop", "remove", "stop", "start", "disable", "enable", "limit",
    "require", "pin", "cache", "split", "store", "avoid", "prefer", "allow", "refuse", "reject", "don't", "do not",
    "never", "always", "only", "hold", "downgrade", "retry", "lock", "wait", "run", "read", "write", "send", "hide",
    "skip", "ignore", "treat", "let", "give", "take", "rely", "delay", "defer", "encode", "escape", "validate", "check",
    "return", "raise", "load", "open", "close", "serve", "share", "isolate", "separate", "batch", "increase",
    "decrease", "reduce", "lower", "turn", "set", "change", "convert", "migrate", "adopt", "introduce",
)  # fmt: skip


def _renames(found: Match) -> bool:
    return found.string.lower().startswith("rename")


CHOICES: tuple[tuple[float, Pattern], ...] = (
    (0.8, compile_at_start("(?:drop|remove|end)(?:ped|s|d)? support (?:for|of)")),
    (0.75, compile_at_start("(?:drop|remove|replace|deprecate|retire) .*?in favou?r of")),
    (0.7, compile_at_start("(?:prefer|adopt|choose|pick) .*?(?:instead of|over|rather than|in favou?r of)")),
    (0.7, re.compile(r"^.{7,}?[^\w\n](?:because|so that)(?= .{12,})", re.IGNORECASE)),
    (0.7, compile_at_start("deprecate", "default to")),
    (0.7, compile_at_start("(?:make|set|use|change|turn|enable|disable|switch) .*(?:the|by|as) default")),
    (0.7, re.compile("^(?:switch|migrate) .*?(?:from|to)(?= )", re.IGNORECASE)),
    (
        0.65,
        compile_at_start(
            "require", "standardi[sz]e on", "adopt", "no longer", "stop (?:using|supporting|shipping)", "never"
        ),
    ),
    (0.55, PhraseUnless(re.compile("^.{10,}?(?:instead of|rather than)(?= .{4,})", re.IGNORECASE), _renames)),
    (0.55, compile_at_start("replace .*(?:with|by)")),
    (0.55, PhraseUnless(re.compile("^.{10,}?to (?:avoid|prevent)(?= .{8,})", re.IGNORECASE), _renames)),
)

ABOUT_THE_COMMIT = (
    compile_anywhere(
        r"(?:next|following|previous|subsequent|earlier|later|last|first) (?:patch|commit|change|one)(?:es|s)?",
        "this (?:patch|commit|pr|pull request|change|series|mr)", "no functional changes?", "minor fix", "not too bad",
        "(?:added|introduced|caused) (?:in|by) .*[0-9a-f]{7,}", "(?:pointed out|reported|suggested|found) by",
        "thanks to", "patch (?:from|by)", r"ok \w+@\S*", r"https?://.*", "i(?:'m| am) not?", "i(?:'ll| will)",
        r"i \W?(?:think|guess|hope|believe|suppose|wonder|tested|noticed)", "not sure", "oops", "sigh",
        "(?:not|un)[ -]?tested", "seems? to", "hopefully", "probably", "no idea", "messed", "some reason",
        "undefined reference", "traceback", r"at 0x[0-9a-f]+", "re-?lands?", "merge conflicts?",
    ),
    compile_at_start("note", "for (?:example|instance)", r"e\.g\.", "needed", "required", "necessary", "not that"),
)  # fmt: skip
ASIDE = compile_at_start(
    "also", "but", "and", "so", "then", "we then", "if (?:it|so|not)", "while (?:at it|here|there)", "in passing",
    "rearranged?",
)  # fmt: skip
LEANING = compile_at_start(
    "this", "that", "it", "its", "it's", "these", "those", "they", "he", "she", "then", "so", "also", "however", "but",
    "otherwise", "thus", "therefore", "hence", "and", "instead", "because", "since", "as", "which", "here", "there",
    "now", "still", "yet", "furthermore", "moreover", "in addition", "additionally", "for this", "to do so",
)  # fmt: skip

LEANS = re.compile(r"(?:i|we|it|this|that|these|those|he|she|there|and|or|but|which|what|they|one|so)\s", re.IGNORECASE)
NO_RULE = re.compile(r"have|also|now|then|be (?:an?|the|due|caused)\b", re.IGNORECASE)
ONCE_USED = re.compile(r"^(?:this|similar|.* (?:so|these days|now) )", re.IGNORECASE)
ASSUMES = re.compile(r"\bassum", re.IGNORECASE)


def _is_past(found: Match) -> bool:
    return found[0].lower().endswith("ed") or read_after(found).lower().startswith(" been")


def _is_assumed(found: Match) -> bool:
    return ASSUMES.search(found.string) is not None or _is_perfect(found)


def _is_about_another(found: Match) -> bool:
    return read_before(found).endswith("which ") and not found[0].lower().startswith("only")


def _is_used_once(found: Match) -> bool:
    return ONCE_USED.match(found.string[found.start("what") :]) is not None


def _leans(found: Match) -> bool:
    return LEANS.match(found.string) is not None


def _is_no_rule(found: Match) -> bool:
    text = found.string
    leans = LEANS.match(text[found.start("who") :]) is not None
    return leans or NO_RULE.match(text[found.start("what") :]) is not None or "trigger" in read_after(found).lower()


SENTENCES: tuple[tuple[str, float, Pattern], ...] = (
    ("decision", 0.95, compile_at_start(r"(?:decision|decided|chosen option): \w+")),
    ("rule", 0.95, compile_at_start(r"(?:rule|requirement|invariant|policy): \w+")),
    ("pattern", 0.9, compile_at_start(r"convention: \w+")),
    ("pattern", 0.9, compile_anywhere("the (?:usual |general |common )?(?:pattern|convention) (?:here )?is")),
    ("issue", 0.9, compile_at_start(r"(?:root cause|bug|issue|problem|cause|fixed): \w+ \w+")),
    ("issue", 0.9, compile_anywhere("the root cause (?:is|was)")),
    ("decision", 0.9, compile_at_start("(?:decided|agreed|opted|chose|settled|went) (?:to|on|against|for|not|with)")),
    (
        "decision",
        0.9,
        compile_anywhere("(?:we|i|the team|it was)(?:'ve| have)?(?: also)? (?:decided|agreed|opted|settled)"),
    ),
    (
        "decision",
        0.9,
        compile_anywhere("(?:we|i)(?:'ve| have)? (?:chose|went with|picked|rejected)", "we deliberately"),
    ),
    ("rule", 0.85, compile_at_start("from now on", "going forward", "henceforth")),
    ("rule", 0.8, PhraseUnless(compile_at_start(r"(?:never|always) [a-z]+"), _is_past)),
    (
        "rule",
        0.8,
        PhraseUnless(
            compile_at_start(r"[^()]*\b(?:must|shall|should) (?:never|always)"),
            _is_assumed,
        ),
    ),
    ("rule", 0.75, compile_at_start(r"please (?:do not|don't|always|never|only) \w+ \w+")),
    ("rule", 0.75, PhraseUnless(compile_anywhere("(?:must|shall) (?:not|only)"), _is_perfect)),
    (
        "rule",
        0.7,
        PhraseUnless(compile_at_start(r"(?:\S+ ){0,4}(?P<who>\S+) must (?P<what>\w+)"), _is_no_rule),
    ),
    (
        "rule",
        0.7,
        PhraseUnless(
            compile_anywhere("(?:is|are) (?:forbidden|prohibited)", r"only [\w`./ -]{2,40} may"),
            _is_about_another,
        ),
    ),
    ("pattern", 0.75, compile_anywhere("by convention")),
    (
        "pattern",
        0.7,
        PhraseUnless(
            compile_at_start("we (?:always |usually )?use (?P<what>.*) (?:for|to|when)"),
            _is_used_once,
        ),
    ),
    (
        "pattern",
        0.7,
        compile_anywhere("follow(?:s|ing)? the (?:same |existing |usual )?(?:pattern|convention)s? (?:of|as|in|from)"),
    ),
    (
        "issue",
        0.75,
        compile_at_start("caveat", "gotcha", "beware", "known (?:issue|limitation)", "careful", "watch out"),
    ),
    (
        "issue",
        0.7,
        compile_anywhere(r"work(?:s|ed|ing)? ?around (?:an? |the )?(?:\w+ ){0,3}(?:bug|issue|limitation|defect)"),
    ),
    (
        "decision",
        0.7,
        compile_anywhere("(?:rather than|instead of) .*(?:because|since|so that)", "in favou?r of .*because"),
    ),
    (
        "decision",
        0.65,
        PhraseUnless(
            compile_at_start(r"[A-Z`]\S*(?: \S+){0,4} (?:keeps?|lives?|stays?|runs?|goes) .*so that"),
            _leans,
        ),
    ),
)


def find_first_match(table: tuple[tuple[float, Pattern], ...], text: str) -> tuple[float, str] | None:
    """The confidence of the first line of a table that fits a text, and the words that fit."""
    for confidence, pattern in table:
        if found := pattern.search(text):
            return confidence, found[0]
    return None


def matches_any(patterns: tuple[Pattern, ...], text: str) -> bool:
    """Whether one of these fits a text."""
    return any(pattern.search(text) for pattern in patterns)
