"""Phrases without code that mean a well-defined structure: "swallow exceptions", "parameterised queries"."""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.error_structures import (
    BARE_EXCEPT,
    BROAD_CATCH,
    COMPARED_ERROR,
    EMPTY_CATCH,
    NAKED_RETURN,
    PANIC,
    RETURN_NULL,
    THROWN_GENERIC,
    UNWRAPPED_ERROR,
)
from fieldguide.toolsets.architecture.rules.keyword_structures import (
    DEFAULT_EXPORT,
    ENUM,
    FUNCTION_SCOPED,
    LOOSE_EQUALITY,
    NOT_NULL,
    TYPE_ASSERTION,
)
from fieldguide.toolsets.architecture.rules.library_calls import (
    BLOCKING_IN_ASYNC,
    EVALUATED,
    EXITING,
    INSECURE_TLS,
    NAIVE_TIME,
    SHELL,
    SLEEP,
    TODO,
    WEAK_HASH,
)
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, EveryCheck, TextCheck
from fieldguide.toolsets.architecture.rules.sql_structures import (
    AFTER_STAR,
    DATABASE,
    DRIVERS,
    SQL_CONCATENATION,
    SQL_STRING,
)
from fieldguide.toolsets.architecture.rules.structures import (
    ANY_TYPE,
    CLASS_COMPONENT,
    CONSOLE,
    FIELD_INJECTED,
    GLOBAL_STATE,
    HARD_CODED_URL,
    MADE_DEPENDENCY,
    MUTABLE_DEFAULT,
    NESTED_TERNARY,
    PUBLIC_FIELD,
    RELATIVE_IMPORT,
    SECRET,
    WILDCARD_IMPORT,
)

ERRORS = r"(?:errors?|exceptions?|failures?)"


class Phrase(NamedTuple):
    """Words, and the structure that breaks a rule about them."""

    words: re.Pattern[str]
    check: Check
    fix: str = ""
    unless: re.Pattern[str] | None = None

    def stands_in(self, text: str) -> bool:
        """Whether a text says this, and nothing that takes it back."""
        return self.words.search(text) is not None and not (self.unless and self.unless.search(text))


def phrase(words: str, check: Check, fix: str = "", *, unless: str = "") -> Phrase:
    """A phrase by a regular expression that ignores case, and what takes it back."""
    return Phrase(re.compile(words, re.IGNORECASE), check, fix, re.compile(unless, re.IGNORECASE) if unless else None)


FORBIDDEN = (
    phrase(r"(?<!`)\bSELECT \*", TextCheck(rf"(?i)\bselect\s+\*{AFTER_STAR}", ("strings",)), "Name the columns."),
    phrase(
        r"\b(?:bare|naked|untyped|blanket) `?except|except (?:clauses? )?without (?:a |an )?(?:type|exception)",
        BARE_EXCEPT,
        "Name the exceptions that are expected.",
    ),
    phrase(
        rf"\b(?:empty|blank) `?(?:catch|except|rescue)|\b(?:catch|except|rescue)`? (?:blocks?|clauses?|handlers?)"
        rf"(?: (?:must|should|be|not|never|left|are))* (?:empty|blank)|swallow|(?:silently |blindly |quietly )"
        rf"(?:ignor|discard"
        rf"|fail|drop|suppress)|\b(?:eat|suppress|hid|silenc|discard)\w* (?:\w+ )?{ERRORS}"
        rf"|ignor\w* (?:(?:the|any|all|returned|go|caught|an|every) )*{ERRORS}"
        rf"|{ERRORS}[\w ]* (?:be )?(?:silently )?(?:ignored|swallowed|discarded|suppressed|dropped)"
        rf"|silent failures?|fail(?:ing)? silently|pass(?:ing)? silently",
        EMPTY_CATCH,
        "Handle the error, or let it pass on.",
    ),
    phrase(
        rf"\b(?:catch|caught|handl|except)\w* (?:\w+ )?(?:generic|broad|all|every|base|general|everything"
        rf"|overly broad|bare|blanket|any)\b|(?:generic|broad|blanket|overly broad"
        rf"|catch-all) (?:{ERRORS} )?(?:catch|handl|{ERRORS}|except)|catch-all",
        EveryCheck((BROAD_CATCH, BARE_EXCEPT)),
        "Catch the exceptions that can be dealt with here.",
    ),
    phrase(
        r"\b(?:wildcard|star|glob|dot)[- ]imports?|import(?:ing)? (?:everything|\*|all names)"
        r"|imports? with (?:a )?(?:wildcards?|stars?)",
        WILDCARD_IMPORT,
        "Import the names that are used.",
    ),
    phrase(
        r"\bmutable (?:objects? as )?default|default (?:argument|parameter)s?(?: values?)?[\w ]* mutable",
        MUTABLE_DEFAULT,
        "Use None as the default and make the value inside.",
    ),
    phrase(
        r"`@(?:Autowired|Inject|Resource)`[^.]*\b(?:fields?|properties|attributes)\b",
        FIELD_INJECTED,
        "Inject through the constructor.",
    ),
    phrase(
        r"\bfield[- ](?:based )?injection|inject\w* (?:\w+ )?(?:(?:through|via|into|by|on|with) )?(?:(?:private"
        r"|the|your|class) )*fields?\b|property injection",
        FIELD_INJECTED,
        "Inject through the constructor.",
    ),
    phrase(
        r"(?:concatenat|interpolat|string[- ]format|f-strings?|build|assembl|construct|format)\w*[^.]*\b(?:sql"
        r"|quer(?:y|ies))\b|\b(?:sql|quer(?:y|ies))\b[^.]*(?:concatenat|interpolat|string format|f-string"
        r"|from strings|by hand)|sql injection",
        SQL_CONCATENATION,
        "Use a parameterised query.",
    ),
    phrase(
        r"\bglobal (?:mutable |shared )?(?:state|variables?|vars?|objects?|singletons?)\b|\bglobals\b|(?:module"
        r"|package)[- ]level (?:mutable )?(?:state|variables?)|mutable (?:global|module|shared global|package)"
        r"|shared mutable state",
        GLOBAL_STATE,
        "Pass the state in.",
    ),
    phrase(
        r"hard-?\s?cod\w*[^.]*\b(?:secrets?|passwords?|credentials?|(?:api |access |private )?keys?|tokens?"
        r"|connection strings?)|(?:secrets?|passwords?|credentials?|api keys?|tokens?"
        r"|connection strings?)[^.]*(?:hard-?\s?coded|in (?:the )?(?:code|source))",
        SECRET,
        "Read it from the configuration.",
    ),
    phrase(
        r"hard-?\s?cod\w*[^.]*\b(?:urls?|hosts?|endpoints?|addresses)",
        HARD_CODED_URL,
        "Read it from the configuration.",
    ),
    phrase(
        r"\bprint (?:statements?|calls?|debugging)|\bprint(?:ing)? (?:directly )?to (?:the )?(?:console|stdout"
        r"|standard output)|\b(?:console|stdout)[- ](?:log(?:s|ging)?|output|prints?)|(?:log"
        r"|writ)\w* (?:directly )?to (?:the )?(?:console|stdout|standard output)|\bprints\b",
        CONSOLE,
        "Use the logger.",
    ),
    phrase(
        r"\breturn\w* (?:a |an )?(?:raw |bare )?(?:null|none|nil|undefined)\b|\bnull returns?|null (?:as"
        r"|for) (?:a )?(?:return|missing)",
        RETURN_NULL,
    ),
    phrase(
        rf"\b(?:rais|throw)\w* (?:a |an )?(?:generic|raw|bare|plain|base|untyped|vague)(?: \w+)? ?{ERRORS}"
        rf"|generic {ERRORS}|throw\w* (?:strings|literals)",
        THROWN_GENERIC,
        "Throw an error of its own type.",
    ),
    phrase(r"(?<!`)\bpanic(?:s|king)?\b(?!`)", PANIC, "Return an error."),
    phrase(
        r"\b(?:instantiat|creat|construct|build|new|mak)\w*(?: up)? (?:(?:their|its|your|own|concrete|the"
        r"|any) )*(?:dependenc(?:y|ies)|collaborators?|services?(?: directly)?|concrete (?:class"
        r"|implementation)s?|repositories|infrastructure)|hard-?coded dependenc|hidden dependenc|(?:dependencies"
        r"|collaborators)[^.]*(?:created|instantiated|constructed) (?:inside|in|within|by|internally)"
        r"|tight(?:ly)? coupl\w+ (?:to )?(?:concrete|implementations)",
        MADE_DEPENDENCY,
        "Take it through the constructor.",
    ),
    phrase(
        r"\bservice locators?\b",
        CallCheck(
            (
                "*Locator.*",
                "*.getBean",
                "*Container.resolve",
                "*Container.get",
                "container.resolve",
                "container.get",
                "*.container.get",
                "*.container.resolve",
            )
        ),
    ),
    phrase(r"(?<!`)\b(?:the )?any types?\b|\btype any\b|untyped (?:values?|parameters?)|types? as any", ANY_TYPE),
    phrase(r"\bnon-?null assert", NOT_NULL),
    phrase(r"\btype assert|type cast", TYPE_ASSERTION),
    phrase(r"\bloose (?:equality|comparison)|double equals", LOOSE_EQUALITY),
    phrase(r"\b(?:naked|bare) returns?\b", NAKED_RETURN),
    phrase(r"\bdefault exports?\b", DEFAULT_EXPORT),
    phrase(r"\bclass(?:[- ]based)? components?\b", CLASS_COMPONENT, "Write a function component."),
    phrase(r"\benums\b", ENUM),
    phrase(r"\bfunction-scoped variables|\bvar declarations?", FUNCTION_SCOPED),
    phrase(
        r"\bblocking (?:calls?|i/?o|operations?|code)[^.]*(?:async|event loop|coroutine)|(?:async|event loop"
        r"|coroutine)[^.]*\bblock",
        BLOCKING_IN_ASYNC,
    ),
    phrase(r"synchronous (?:file|fs|i/?o|disk)|sync (?:file|fs)", CallCheck(("*Sync",))),
    phrase(
        r"\bpublic (?:mutable )?(?:fields?|attributes|instance variables)|expos\w* (?:public )?fields"
        r"|\bfields be public",
        PUBLIC_FIELD,
    ),
    phrase(r"\brelative imports?", RELATIVE_IMPORT),
    phrase(r"\bshell (?:commands|injection|strings)|through (?:the|a) shell|shell out", SHELL),
    phrase(r"disabl\w* (?:tls|ssl|certificate)|skip\w* (?:tls|ssl|certificate)", INSECURE_TLS),
    phrase(r"\b(?:md5|sha-?1)\b|weak hash", WEAK_HASH),
    phrase(r"\btodo(?:s| comments?)\b|(?:leave|commit|merge)\w* todo", TODO),
    phrase(r"\bnest\w* ternar", NESTED_TERNARY),
    phrase(r"\bdynamic code|evaluat\w* (?:strings|code|user input)", EVALUATED),
    phrase(r"\b(?:exit|terminat|kill)\w* the (?:process|program)", EXITING),
    phrase(r"\bsleep(?:ing|s)?\b(?!`)", SLEEP),
    phrase(r"\bnaive (?:datetimes?|timestamps?|times)|system clock|wall[- ]clock|current time directly", NAIVE_TIME),
    phrase(r"\bcompar\w* errors? (?:directly |with `?==)", COMPARED_ERROR),
    phrase(r"(?:naked|bare|unwrapped|raw) errors?\b|return\w* errors? without (?:context|wrapping)", UNWRAPPED_ERROR),
    phrase(
        r"(?<![\w.`*])sql(?: (?:quer(?:y|ies)|statements?"
        r"|strings?|code|literals?))?\b(?![.`])",
        SQL_STRING,
    ),
    phrase(
        r"\b(?:access|quer|touch|talk to|use|call|reach|hit|read from|write to|connect to|open"
        r"|know about)\w* (?:directly )?(?:to )?(?:the |a )?(?:database|db\b|data ?store|data ?base)|(?:database"
        r"|db|data) (?:access|quer(?:y|ies)|calls?|connections?|operations?)|direct database"
        r"|persistence (?:logic|code|details)",
        EveryCheck((DATABASE, DRIVERS)),
    ),
)


def forbidden_phrase(text: str) -> Phrase | None:
    """The structure that a prohibition in words is about."""
    return next((each for each in FORBIDDEN if each.stands_in(text)), None)
