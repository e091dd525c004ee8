"""Phrases that ask for something, and the structures that break them: "inject through the constructor"."""

from fieldguide.toolsets.architecture.rules.error_structures import (
    BARE_EXCEPT,
    BROAD_CATCH,
    COMPARED_ERROR,
    EMPTY_CATCH,
    IGNORED_ERROR,
    LOST_ERROR,
    UNWRAPPED_ERROR,
)
from fieldguide.toolsets.architecture.rules.keyword_structures import DEFAULT_EXPORT, LOOSE_EQUALITY
from fieldguide.toolsets.architecture.rules.library_calls import NAIVE_TIME
from fieldguide.toolsets.architecture.rules.pattern import EveryCheck
from fieldguide.toolsets.architecture.rules.phrases import ERRORS, Phrase, phrase
from fieldguide.toolsets.architecture.rules.sql_structures import SQL_CONCATENATION
from fieldguide.toolsets.architecture.rules.structures import (
    CONSOLE,
    FIELD_INJECTED,
    MADE_DEPENDENCY,
    NO_DOCSTRING,
    NO_TYPE_HINT,
    OPEN_WITHOUT_WITH,
    PUBLIC_FIELD,
    SECRET,
    WILDCARD_IMPORT,
    by_language,
)

LATE_CONTEXT = by_language({"go": {"kind": "parameter_list", "regex": r",\s*\w+\s+context\.Context\b"}})
REQUIRED = (
    phrase(
        r"`(?:context\.Context|ctx[^`]*)`[^.]*\bfirst\b"
        r"|\bfirst (?:parameter|argument)[^.]*`(?:context\.Context|ctx[^`]*)`",
        LATE_CONTEXT,
        "Take a context first.",
    ),
    phrase(
        r"parameteri[sz]ed|prepared statements?|bind (?:parameters|variables)|sql parameters"
        r"|bound parameters",
        SQL_CONCATENATION,
        "Use a parameterised query.",
    ),
    phrase(
        rf"\b(?:catch|handl|except)\w* (?:only )?(?:the )?(?:specific|narrow|precise|concrete|typed|expected"
        rf"|particular|narrowest|most specific)[\w ]*{ERRORS}?|(?:specific|narrow|typed) {ERRORS}(?:$|[^ ]"
        rf"|\s(?:[^cth]|c[^l]|t[^y]|h[^i]|.?$))",
        EveryCheck((BROAD_CATCH, BARE_EXCEPT)),
        "Catch the exceptions that are expected.",
    ),
    phrase(
        r"\bconstructor (?:based )?injection|(?:inject|pass|provid|receiv|take|accept)\w*[^.]* (?:through|via|in"
        r"|by|into|from|using|as) (?:the |a |their |its )?(?:constructors?|`__init__`)",
        EveryCheck((FIELD_INJECTED, MADE_DEPENDENCY)),
        "Take it through the constructor.",
    ),
    phrase(
        r"\b(?:use|via|through|prefer|with) dependency injection\b|\binject (?:all |your |every )?(?:dependenc"
        r"|collaborat"
        r"|services|repositories)|(?:dependencies|collaborators|services) (?:must |should |are |be "
        r"|always )*(?:be )?(?:injected|passed in)",
        EveryCheck((FIELD_INJECTED, MADE_DEPENDENCY)),
        "Take it through the constructor.",
    ),
    phrase(
        rf"\b(?:always )?(?:handle|check|propagate) (?:all |every |each |any |returned |the )*{ERRORS}"
        rf"|every error (?:must|should|is)|{ERRORS} (?:must|should) (?:always )?be (?:handled|checked|propagated"
        rf"|logged)|fail loudly",
        EveryCheck((EMPTY_CATCH, IGNORED_ERROR)),
        "Handle the error, or let it pass on.",
    ),
    phrase(
        r"(?:\b(?:log|logging|output) (?:\w+ )*(?:through|via|with"
        r"|using) (?:the |a |an )?(?:\w+ )?(?:logger"
        r"|logging|log library|`logg)|use (?:the |a |an )?(?:\w+ )?(?:logger|structured log|logging (?:library"
        r"|framework|module)|`logg))",
        CONSOLE,
        "Use the logger.",
        unless=r"\b(?:except|catch)\b",
    ),
    phrase(
        r"`[^`]*%w[^`]*`[^.]*\bwhen(?:ever)?\b|\bwhen(?:ever)?\b[^.]*`[^`]*%w"
        r"|\b(?:use|prefer) `%w`|`%w` (?:instead of|over|not) `%[vs]`",
        LOST_ERROR,
        "Wrap the error with `%w`.",
    ),
    phrase(
        r"\bwrap (?:all |every |the |returned )?errors?|errors? (?:must|should|are"
        r"|be) (?:always )?(?:be )?wrapped|`%w`",
        UNWRAPPED_ERROR,
        "Wrap the error with `%w` and what was being done.",
    ),
    phrase(r"`errors\.(?:Is|As)`", COMPARED_ERROR, "Compare with errors.Is."),
    phrase(
        r"\bcontext managers?|`with`(?: statement)?|\bwith statements?",
        OPEN_WITHOUT_WITH,
        "Open it in a `with` statement.",
    ),
    phrase(
        r"(?:secrets?|credentials?|passwords?|api keys?|tokens?)[^.]*(?:environment|env vars?|secret manager"
        r"|vault|configuration|config)",
        SECRET,
        "Read it from the configuration.",
    ),
    phrase(
        r"\bexplicit imports?|import (?:names|symbols|modules) explicitly",
        WILDCARD_IMPORT,
        "Import the names that are used.",
    ),
    phrase(r"\bdocstrings?\b", NO_DOCSTRING, "Say in a docstring what it is for."),
    phrase(r"\btype (?:hints?|annotations?)\b", NO_TYPE_HINT, "Annotate the function."),
    phrase(r"\bstrict equality|triple equals|`===`", LOOSE_EQUALITY),
    phrase(r"\bnamed exports?\b", DEFAULT_EXPORT),
    phrase(
        r"\binject\w* (?:the |a |an )?clock|clock (?:must|should) be injected|use (?:the |an? )?(?:injected )?clock",
        NAIVE_TIME,
        "Ask the clock that was injected.",
    ),
    phrase(
        r"\bfields\s+(?:(?:must|should|always)\s+)*(?:be|are)\s+private|private fields\b|keep fields private",
        PUBLIC_FIELD,
    ),
)


def required_phrase(text: str) -> Phrase | None:
    """The structure that breaks a requirement in words."""
    return next((each for each in REQUIRED if each.stands_in(text)), None)
