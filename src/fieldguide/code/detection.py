"""Detects the programming language of a text from its contents.

Only a parser process does this.
"""

from typing import NamedTuple

from fieldguide.code.parsing import parse_tree
from fieldguide.text import regex as re

MOST_LOOKED_AT = 20_000
MOST_PARSED = 4_000
CLOSE = 1  # languages whose signs weigh this much less are tried as well
STRICT = ("python", "javascript", "go", "java", "csharp", "rust")
"""Languages whose parsers refuse what is not theirs; those of Ruby or Kotlin take nearly any words."""


class Sign(NamedTuple):
    """Something that a text in some languages has, and how much it tells."""

    languages: tuple[str, ...]
    weight: int
    expression: re.Pattern[str]


def _sign(languages: str, weight: int, expression: str) -> Sign:
    return Sign(tuple(languages.split()), weight, re.compile(expression, re.MULTILINE))


SCRIPTS = "javascript typescript"
SIGNS = (
    _sign("python", 2, r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w+\("),
    _sign("ruby", 1, r"^[ \t]*def[ \t]+[\w.?!]+\("),
    _sign("python", 3, r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*\([^\n]*(?:\)[^\n]*:|,|\()[ \t]*(?:#[^\n]*)?$"),
    _sign("python", 3, r"^[ \t]*class[ \t]+\w+[ \t]*(?:\([^\n]*\))?:[ \t]*(?:#[^\n]*)?$"),
    _sign("python", 2, r"^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]"),
    _sign("python", 2, r"^[ \t]*(?:if|elif|for|while|with|try|except|else|finally)\b[^\n{]*:[ \t]*(?:#[^\n]*)?$"),
    _sign("python", 1, r"^import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:,[ \t]*\w+)*[ \t]*$"),
    _sign("python", 1, r"\bself\.\w|\bNone\b|\bTrue\b|^[ \t]*@\w[\w.]*(?:\(|$)|\bprint\("),
    _sign("go", 4, r"^package[ \t]+\w+[ \t]*$"),
    _sign("go", 4, r"^func[ \t]+(?:\([^\n)]*\)[ \t]*)?\w+[ \t]*(?:\[[^\n]*\])?\([^\n]*\{?[ \t]*$"),
    _sign("go", 3, r":=|^type[ \t]+\w+[ \t]+(?:struct|interface)\b"),
    _sign("go", 2, r"\bif err != nil\b|\bdefer\b|\bchan\b|\bfmt\.\w|^import[ \t]+\("),
    _sign("java", 3, r"^[ \t]*import[ \t]+(?:static[ \t]+)?[a-z][\w.]*\.[\w*]+;"),
    _sign("java", 3, r"^package[ \t]+[\w.]+;"),
    _sign(
        "java csharp",
        2,
        r"\b(?:public|private|protected)[ \t]+(?:static[ \t]+|final[ \t]+|abstract[ \t]+)*"
        r"(?:class|interface|enum|void|int|long|boolean|bool|[A-Z]\w*(?:<[^\n>]*>)?)[ \t]+\w+",
    ),
    _sign("java", 2, r"@Override\b|@Autowired\b|@\w+[ \t]*\n[ \t]*public\b|\bSystem\.out\.|\bthrows[ \t]+\w"),
    _sign("java", 2, r"\bfinal[ \t]+\w+|\bString\b[ \t]+\w+|\bextends[ \t]+\w+[ \t]+implements\b|\bList<\w+>[ \t]+\w"),
    _sign("java csharp", 1, r"\bnew[ \t]+[A-Z]\w*(?:<[^\n>]*>)?\(|;[ \t]*$"),
    _sign("csharp", 4, r"^using[ \t]+[A-Z][\w.]*;|^namespace[ \t]+[A-Z][\w.]*"),
    _sign(
        "csharp",
        2,
        r"\{[ \t]*get;|\basync[ \t]+Task\b|\bvar[ \t]+\w+[ \t]*=[^\n]*;|\bConsole\.Write|\bstring[ \t]+\w+[,;)=]",
    ),
    _sign(
        "kotlin",
        3,
        r"^[ \t]*(?:(?:private|override|suspend|internal|public|open)[ \t]+)*fun[ \t]+(?:<[^\n>]*>[ \t]*)?[\w.]+\(",
    ),
    _sign(
        "kotlin",
        2,
        r"^[ \t]*(?:private[ \t]+|const[ \t]+|override[ \t]+)*va[lr][ \t]+\w+[^\n;]*$|\bdata class\b"
        r"|\bcompanion object\b",
    ),
    _sign("rust", 3, r"^[ \t]*(?:pub(?:\([^\n)]*\))?[ \t]+)?(?:async[ \t]+)?fn[ \t]+\w+[^\n]*[({]"),
    _sign("rust", 3, r"\blet[ \t]+mut\b|^[ \t]*use[ \t]+[\w:]+(?:::\{[^\n]*)?;|^impl\b|\w+!\(|#\[\w"),
    _sign("rust", 2, r"&mut\b|&str\b|-> (?:Result|Option|Self)|::new\(|\.unwrap\(\)|=> "),
    _sign("ruby", 3, r"^[ \t]*def[ \t]+[\w.?!]+(?:[ \t]*\([^\n]*\))?[ \t]*$"),
    _sign("ruby", 3, r"^[ \t]*end[ \t]*$"),
    _sign(
        "ruby",
        2,
        r"^[ \t]*(?:require|require_relative|attr_\w+|include)[ \t]+[:'\"A-Z]|\bdo[ \t]*\|\w+|^[ \t]*puts[ \t]|\.nil\?",
    ),
    _sign("php", 6, r"<\?php"),
    _sign(
        "php", 3, r"\$this->|^[ \t]*(?:public|private|protected)?[ \t]*(?:static[ \t]+)?function[ \t]+\w+\([^\n]*\$\w"
    ),
    _sign("php", 2, r"^[ \t]*\$\w+[ \t]*=|^use[ \t]+[A-Z]\w*(?:\\\w+)+;|->\w+\("),
    _sign(SCRIPTS, 3, r"^[ \t]*(?:export[ \t]+)?(?:const|let)[ \t]+[\w${\[][^\n]*="),
    _sign(SCRIPTS, 3, r"""^[ \t]*(?:import|export)\b[^\n]*\bfrom[ \t]+["']|\brequire\(["']|^import[ \t]+["']"""),
    _sign(SCRIPTS, 2, r"=>[ \t]*[\w{(\[]|\bfunction\b[ \t]*\w*[ \t]*\(|\bconsole\.\w+\(|===|!=="),
    _sign(
        SCRIPTS, 2, r"^[ \t]*export[ \t]+(?:default|class|async|function|interface|type|abstract|enum)\b|\bawait[ \t]"
    ),
    _sign(SCRIPTS, 1, r"^[ \t]*(?:async[ \t]+)?\w+\([^\n()]*\)[ \t]*\{[ \t]*$|\bconstructor\(|\bthis\.\w|\bnull\b"),
    _sign(
        "typescript",
        3,
        r"[\w)?][ \t]*:[ \t]*(?:string|number|boolean|void|any|unknown|never|Promise<|Record<|Array<|\w+\[\])",
    ),
    _sign(
        "typescript",
        3,
        r"^[ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:interface[ \t]+\w+[^\n]*\{|type[ \t]+\w+[^\n=]*="
        r"|enum[ \t]+\w+[ \t]*\{)",
    ),
    _sign(
        "typescript",
        2,
        r"\b(?:private|public|protected|readonly)[ \t]+(?:readonly[ \t]+|async[ \t]+)?\w+[?!]?[ \t]*[:(]"
        r"|\bas[ \t]+(?:const|any|unknown|[A-Z])|\bimplements\b|import type\b",
    ),
    _sign("typescript", 2, r"\(\s*\w+\??:[ \t]*[A-Z]\w*|\):[ \t]*[A-Z]\w*|\bconst \w+: \w"),
    _sign("shell", 5, r"^#!.*\b(?:ba|z|k)?sh\b"),
    _sign("shell", 2, r"^[ \t]*(?:fi|done|esac)[ \t]*$|^[ \t]*if[ \t]+\[\[?[ \t]|\becho[ \t]+[\"$]"),
    _sign(
        "swift",
        3,
        r"^[ \t]*(?:\w+[ \t]+)*func[ \t]+\w+\([^\n]*\)(?:[ \t]*->[ \t]*\w+)?[ \t]*\{|\bguard let\b"
        r"|\bimport (?:UIKit|Foundation|SwiftUI)\b",
    ),
    _sign("cpp", 4, r"^[ \t]*#include[ \t]*[<\"]|\bstd::\w|^using namespace\b|\btemplate[ \t]*<"),
    _sign("scala", 3, r"^[ \t]*(?:case class|object|trait)[ \t]+\w+|^[ \t]*def[ \t]+\w+[^\n]*=[ \t]*\{?[ \t]*$"),
    _sign("sql", 3, r"^(?i:SELECT|INSERT INTO|CREATE TABLE|UPDATE|DELETE FROM)\b[^\n]*$"),
)
TAGS = re.compile(r"(?:return|=>|\(|&&|\?)\s*<(?:[A-Z]\w*|div|span|p|ul|li|h\d|button|form|input|main|section)?[\s/>]")


def detect_language(code: str) -> str | None:
    """What a text is written in; None when that is anybody's guess."""
    text = code[:MOST_LOOKED_AT]
    scores: dict[str, int] = {}
    for sign in SIGNS:
        if sign.expression.search(text):
            for language in sign.languages:
                scores[language] = scores.get(language, 0) + sign.weight
    if not scores:
        return _only_parsed(text)
    least = max(scores.values()) - CLOSE
    close = sorted((each for each, score in scores.items() if score >= least), key=lambda each: -scores[each])
    chosen = min(close, key=lambda each: _broken(text, each)) if len(close) > 1 else close[0]
    return _script(text, scores) if chosen in ("javascript", "typescript") else chosen


def _script(text: str, scores: dict[str, int]) -> str:
    """Which of the three scripts: types make it TypeScript, tags as well TSX."""
    if scores.get("typescript", 0) <= scores.get("javascript", 0):
        return "javascript"
    return "tsx" if TAGS.search(text) else "typescript"


def _only_parsed(text: str) -> str | None:
    """The one language that a text without any sign is whole in."""
    whole = [language for language in STRICT if any(map(text.__contains__, "(=")) and not _broken(text, language)]
    return whole[0] if len(whole) == 1 else None


def _broken(text: str, language: str) -> int:
    """How many characters of a text a parser can make nothing of."""
    root = parse_tree(text[:MOST_PARSED], "tsx" if language in ("javascript", "typescript") else language)
    if root is None:
        return MOST_PARSED
    places = [node.range() for node in root.find_all(kind="ERROR")]
    return sum(place.end.index - place.start.index for place in places)
