"""The words by which a commit message is known to hold a decision, a fault, a rule or a pattern, or only upkeep.

Every phrase is a regular expression, in lower case; texts are compared whatever their case.
"""

import re

Pattern = re.Pattern[str]


def any_of(*phrases: str) -> Pattern:
    """Any of these phrases, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def begins_with(*phrases: str) -> Pattern:
    """Any of these phrases, as whole words, at the beginning."""
    return re.compile(rf"^(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


PLACE = re.compile(r"(?!revert\b|merge\b)[\w./*+\[\]{}()<>, -]{1,40}:\s+(?=\S)", re.IGNORECASE)
CODE = re.compile(r"\w\(\)|\w_\w|::|->|\w\.\w|[a-z][A-Z]|[A-Z]{2,}\w*[a-z]+|/\w|[<>*&]")

UPKEEP_KINDS = frozenset({"style", "test", "tests", "wip", "release", "deps"})
UPKEEP_SCOPES = frozenset({"deps", "deps-dev", "dependencies", "release", "test", "tests", "lint", "changelog", "i18n"})
UPKEEP = (
    begins_with(
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
    any_of(
        "typos?", "spelling", "white ?space", "indent(?:ation)?", "copyright", "grammar", "translations?", "l10n",
        "black", "prettier", "gofmt", "clang-format", "rustfmt", "eslint", "flake8", "isort", "pylint", "codespell",
        "change ?log", "release notes", "news", "readme", "authors", "contributors", "maintainers", "gitignore",
    ),
)  # fmt: skip
SMALL = any_of(
    "compil(?:e|er|ing|ation)", "builds?", "building", "warnings?", "lint(?:er|ing)?", "ci", "tests?", "testing",
    "docs?", "documentation", "comments?", "docstrings?", "(?:broken|dead) links?", "nits?", "style", "format(?:ting)?",
    "makefiles?", "make check", "distcheck", "meson", "cmake", "autotools", r"configure(?:\.ac)?", r"autogen(?:\.sh)?",
    "travis", "libtool", "pkg-?config", "man(?: ?pages?)?", "clang", "gcc", "msvc", r"mingw\S*", "xcode", "mypy",
    "shellcheck", "docker(?:file)?", "autoconf",
    "automake", "workflow", "coverage", "imports", "type (?:hints?|errors?)", "name", "naming",
    "wording", "message", "bots?", "unused", "examples?", "demos?", "headers?", "macros", "casts?", "const",
    r"(?:issue|bug)\s*#?\d+", r"-W\S+",
)  # fmt: skip

REVERT = begins_with("revert", "back ?out", "undo", "reapply")
REVERT_REASON = any_of(
    "because", "since", "due to", "as (?:it|this|the|that)", "break(?:s|ing)?", "broken?", r"caus\w+", r"regress\w+",
    r"fail\w*", "problems?", "issues?", r"crash\w*", "wrong", r"incorrect\w*", "not", r"\w+n't", "no longer", "too",
    r"slow\w*", "unnecessary", "turns? out", "turned out",
)  # fmt: skip

SINCE = r"(?<!ever )since(?!\s+(?:v?\d|commit|then|the (?:beginning|start|release|last)|version|\w+ \d))"
FIX_KINDS = frozenset({"fix", "bugfix", "hotfix", "security"})
FIX = begins_with(
    "(?:bug|hot)?fix(?:e[sd]|ing)?", "repair(?:ed|s)?", "mend(?:ed|s)?", "correct(?:ed|s|ly)?", "resolve[sd]?"
)
WORKAROUND = begins_with("work(?:ed|s|ing)?[- ]?around (?:an?|the)")
CAUSE = any_of(
    "because", SINCE, "due to", "caus(?:es?|ed|ing)", "root cause", "l(?:eads?|ed|eading) to", "result(?:s|ed|ing)? in",
    "the (?:problem|issue|bug|reason|fault|culprit) (?:is|was)", r"(?<=, )so (?!we|i|let|that we|it's|use)\w+",
    "which (?:meant|means|made|makes|broke|breaks|would)", "turn(?:s|ed) out", r"forg[eo]t\w*",
    "(?:did|does|was|were|is|would|could)(?:n't| not| never)", "would (?:be|have|then)", "rac(?:es|ed|y)",
    "if (?:the|a|an|two|both|we|it) .*,", "when(?:ever)? .*,", "assum(?:e[sd]?|ing)",
    "(?:was|were|used|returned|got|sent|took) .*instead of",
)  # fmt: skip
SYMPTOM = any_of(
    "rac(?:e|es|y)", "dead-?locks?", "leak(?:s|ed|ing)?", "crash(?:es|ed|ing)?", "overflows?", "underflows?",
    "corrupt(?:s|ed|ion)?", "use[- ]after[- ]free", "double[- ]free", "hang(?:s|ing)?", "freez(?:es?|ing)", "data loss",
    "off[- ]by[- ]one", "infinite (?:loop|recursion)", "endless loop", "time-?outs?", "injection", "traversal",
    "null (?:pointer|dereference)", "panics?", "seg-?faults?", "out[- ]of[- ]bounds", "regression", "stale",
    "duplicate[sd]?", "lost", "missing", "wrong", "incorrect", "fail(?:s|ed|ures?|ing)?", "error", "broken", "500",
    "exception", "division by zero", "vulnerability", "xss", "csrf", r"not \w+ing",
)  # fmt: skip
CONDITION = any_of(
    "when", "if", "while", "after", "before", "during", "between", "under", "without", "unless", "caused", "because",
    "due to", "upon", "once",
)  # fmt: skip

REASON = any_of(
    "because", SINCE, "so that", "due to", "to (?:avoid|prevent)", "the reason", "too (?:slow|large|big|expensive)",
    "which (?:breaks|broke|fails|failed)", "this (?:avoids|prevents|makes sure|guarantees|ensures)",
)  # fmt: skip
CHANGE = begins_with(
    "use", "keep", "make", "move", "switch", "replace", "drop", "remove", "stop", "start", "disable", "enable", "limit",
    "require", "pin", "cache", "split", "store", "avoid", "prefer", "allow", "refuse", "reject", "don't", "do not",
    "never", "always", "only", "hold", "downgrade", "retry", "lock", "wait", "run", "read", "write", "send", "hide",
    "skip", "ignore", "treat", "let", "give", "take", "rely", "delay", "defer", "encode", "escape", "validate", "check",
    "return", "raise", "load", "open", "close", "serve", "share", "isolate", "separate", "batch", "increase",
    "decrease", "reduce", "lower", "turn", "set", "change", "convert", "migrate", "adopt", "introduce",
)  # fmt: skip
CHOICES: tuple[tuple[float, Pattern], ...] = (
    (0.8, begins_with("(?:drop|remove|end)(?:ped|s|d)? support (?:for|of)")),
    (0.75, begins_with("(?:drop|remove|replace|deprecate|retire) .*?in favou?r of")),
    (0.7, begins_with("(?:prefer|adopt|choose|pick) .*?(?:instead of|over|rather than|in favou?r of)")),
    (0.7, begins_with(".{8,}?(?<!\\w)(?:because|so that)(?= .{12,})")),
    (0.7, begins_with("deprecate", "default to")),
    (0.7, begins_with("(?:make|set|use|change|turn|enable|disable|switch) .*(?:the|by|as) default")),
    (0.7, begins_with("(?:switch|migrate) .*?(?:from|to)(?= )")),
    (
        0.65,
        begins_with(
            "require", "standardi[sz]e on", "adopt", "no longer", "stop (?:using|supporting|shipping)", "never"
        ),
    ),
    (0.55, begins_with("(?!rename).{10,}?(?:instead of|rather than)(?= .{4,})")),
    (0.55, begins_with("replace .*(?:with|by)", "(?!rename).{10,}?to (?:avoid|prevent)(?= .{8,})")),
)

ABOUT_THE_COMMIT = (
    any_of(
        r"(?:next|following|previous|subsequent|earlier|later|last|first) (?:patch|commit|change|one)(?:es|s)?",
        "this (?:patch|commit|pr|pull request|change|series|mr)", "no functional changes?", "minor fix", "not too bad",
        "(?:added|introduced|caused) (?:in|by) .*[0-9a-f]{7,}", "(?:pointed out|reported|suggested|found) by",
        "thanks to", "patch (?:from|by)", r"ok \w+@\S*", r"https?://.*", "i(?:'m| am) not?", "i(?:'ll| will)",
        r"i \W?(?:think|guess|hope|believe|suppose|wonder|tested|noticed)", "not sure", "oops", "sigh",
        "(?:not|un)[ -]?tested", "seems? to", "hopefully", "probably", "no idea", "messed", "some reason",
        "undefined reference", "traceback", r"at 0x[0-9a-f]+",
    ),
    begins_with("note", "for (?:example|instance)", r"e\.g\.", "needed", "required", "necessary", "not that"),
)  # fmt: skip
ASIDE = begins_with(
    "also", "but", "and", "so", "then", "we then", "if (?:it|so|not)", "while (?:at it|here|there)", "in passing",
    "rearranged?",
)  # fmt: skip
LEANING = begins_with(
    "this", "that", "it", "its", "it's", "these", "those", "they", "he", "she", "then", "so", "also", "however", "but",
    "otherwise", "thus", "therefore", "hence", "and", "instead", "because", "since", "as", "which", "here", "there",
    "now", "still", "yet", "furthermore", "moreover", "in addition", "additionally", "for this", "to do so",
)  # fmt: skip

NOT_THESE = r"(?!(?:i|we|it|this|that|these|those|he|she|there|and|or|but|which|what|they|one|so)\s)"
SENTENCES: tuple[tuple[str, float, Pattern], ...] = (
    ("decision", 0.95, begins_with(r"(?:decision|decided|chosen option): \w+")),
    ("rule", 0.95, begins_with(r"(?:rule|requirement|invariant|policy): \w+")),
    ("pattern", 0.9, begins_with(r"convention: \w+")),
    ("pattern", 0.9, any_of("the (?:usual |general |common )?(?:pattern|convention) (?:here )?is")),
    ("issue", 0.9, begins_with(r"(?:root cause|bug|issue|problem|cause|fixed): \w+ \w+")),
    ("issue", 0.9, any_of("the root cause (?:is|was)")),
    ("decision", 0.9, begins_with("(?:decided|agreed|opted|chose|settled|went) (?:to|on|against|for|not|with)")),
    ("decision", 0.9, any_of("(?:we|i|the team|it was)(?:'ve| have)?(?: also)? (?:decided|agreed|opted|settled)")),
    ("decision", 0.9, any_of("(?:we|i)(?:'ve| have)? (?:chose|went with|picked|rejected)", "we deliberately")),
    ("rule", 0.85, begins_with("from now on", "going forward", "henceforth")),
    ("rule", 0.8, begins_with(r"(?:never|always) [a-z]+(?<!ed)(?! been)")),
    ("rule", 0.8, begins_with(r"(?!.*\bassum)[^()]*\b(?:must|shall|should) (?:never|always)(?! (?:have|been))")),
    ("rule", 0.75, begins_with(r"please (?:do not|don't|always|never|only) \w+ \w+")),
    ("rule", 0.75, any_of("(?:must|shall) (?:not|only)(?! (?:have|been))")),
    (
        "rule",
        0.7,
        begins_with(
            rf"(?:\S+ ){{0,4}}{NOT_THESE}\S+ must (?!have|also|now|then|be (?:an?|the|due|caused)\b)\w+(?!.*trigger)"
        ),
    ),
    ("rule", 0.7, any_of("(?<!which )(?:is|are) (?:forbidden|prohibited)", r"only [\w`./ -]{2,40} may")),
    ("pattern", 0.75, any_of("by convention")),
    (
        "pattern",
        0.7,
        begins_with("we (?:always |usually )?use (?!this|similar|.* (?:so|these days|now) ).* (?:for|to|when)"),
    ),
    (
        "pattern",
        0.7,
        any_of("follow(?:s|ing)? the (?:same |existing |usual )?(?:pattern|convention)s? (?:of|as|in|from)"),
    ),
    ("issue", 0.75, begins_with("caveat", "gotcha", "beware", "known (?:issue|limitation)", "careful", "watch out")),
    ("issue", 0.7, any_of(r"work(?:s|ed|ing)? ?around (?:an? |the )?(?:\w+ ){0,3}(?:bug|issue|limitation|defect)")),
    ("decision", 0.7, any_of("(?:rather than|instead of) .*(?:because|since|so that)", "in favou?r of .*because")),
    (
        "decision",
        0.65,
        begins_with(NOT_THESE + r"[A-Z`]\S*(?: \S+){0,4} (?:keeps?|lives?|stays?|runs?|goes) .*so that"),
    ),
)


def first_of(table: tuple[tuple[float, Pattern], ...], text: str) -> tuple[float, str] | None:
    """The confidence of the first line of a table that fits a text, and the words that fit."""
    for confidence, pattern in table:
        if found := pattern.search(text):
            return confidence, found[0]
    return None


def is_any(patterns: tuple[Pattern, ...], text: str) -> bool:
    """Whether one of these fits a text."""
    return any(pattern.search(text) for pattern in patterns)
