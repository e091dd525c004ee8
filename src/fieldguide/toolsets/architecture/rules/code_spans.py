"""A code span in a prohibition, such as `print` or `SELECT *`, to the check for it."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.error_structures import swallowed
from fieldguide.toolsets.architecture.rules.keyword_structures import KEYWORDS
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    TextCheck,
)
from fieldguide.toolsets.architecture.rules.sql_structures import AFTER_STAR

IMPORTING = re.compile(r"import|depend|rely|relying|referenc|require|know|couple|include", re.IGNORECASE)
CALLING = re.compile(r"call|invok|execut|run", re.IGNORECASE)
CREATING = re.compile(r"instantiat|creat|construct|new|build|mak", re.IGNORECASE)
CATCHING = re.compile(r"catch|caught|except|rescue", re.IGNORECASE)
RETURNING = re.compile(r"return", re.IGNORECASE)
SWALLOWING = re.compile(r"swallow|suppress|eat|silenc|discard", re.IGNORECASE)
THROWING = re.compile(r"throw|rais", re.IGNORECASE)
EXTENDING = re.compile(r"extend|inherit|subclass", re.IGNORECASE)
GLOBAL_FUNCTIONS = frozenset(
    (
        "print",
        "eval",
        "exec",
        "input",
        "open",
        "exit",
        "quit",
        "compile",
        "globals",
        "locals",
        "setattr",
        "getattr",
        "alert",
        "confirm",
        "prompt",
        "require",
        "panic",
        "println",
        "printf",
        "echo",
        "die",
        "var_dump",
        "puts",
        "assert",
        "id",
        "type",
        "super",
        "fetch",
        "isinstance",
        "hasattr",
        "vars",
        "dir",
        "__import__",
        "recover",
        "new",
        "make",
    )
)
NAME = r"[A-Za-z_][\w$]*"
DOTTED = re.compile(rf"{NAME}(?:\(\))?(?:(?:\.|::|->){NAME}(?:\(\))?)*(?:\.|::|->){NAME}")
VARIABLE_HEAD = re.compile(
    r"(?:db|session|conn|connection|cursor|engine|client|entity_?manager|request|response|ctx|context|pool|tx"
    r"|prisma|\w*[sS]ervice|\w*[rR]epo(?:sitory)?)\.",
    re.IGNORECASE,
)
HUMPS = re.compile(r"[a-z]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:_[a-z0-9]+)+|__\w+__")
ASSIGNING = re.compile(r"assign|overwrit", re.IGNORECASE)
PLAIN = re.compile(NAME)
CALL = re.compile(
    rf"(?P<new>new\s+)?(?P<dot>\.?)(?P<name>{NAME}!?(?:(?:\.|::|->|\(\)\.){NAME}!?)*)\s*\((?P<inside>.*)\)", re.DOTALL
)
CREATION = re.compile(rf"^new\s+({NAME}(?:\.{NAME})*)(?:<[^>]*>)?")
METHOD = re.compile(rf"\.({NAME})")
MACRO = re.compile(rf"({NAME})!")
DECORATOR = re.compile(rf"^(?:@({NAME}(?:\.{NAME})*)(?:\(.*\))?|\[({NAME})\])")
IMPORT = re.compile(
    r"^(?:from\s+([\w.]+)\s+import\s+([\w*]+)"
    r"|import\s+(?:static\s+)?(?:[\w{},*\s]+\s+from\s+)?[\"']?([\w./@*-]+)[\"']?;?"
    r"|use\s+([\w:\\]+);?|require\([\"']([^\"']+)[\"']\))"
)
PATH = re.compile(r"@?[\w.-]*(?:/[\w.*@-]+)+/?|\.{1,2}/[\w./*-]*|[\w-]+/")
PACKAGE_GLOB = re.compile(rf"(?:{NAME}|\*)(?:\.(?:{NAME}|\*))+")
SQL = re.compile(
    r"(?:SELECT|INSERT|UPDATE|DELETE|DROP|ALTER|TRUNCATE|CREATE|JOIN|UNION|GRANT|MERGE)\b[\sA-Z*_()a-z,.;]*"
)
FILE_NAME = re.compile(
    r"^(?:[\w.-]+\.(?:py|ts|tsx|js|jsx|go|java|kt|rs|rb|cs|md|ya?ml|toml|json|txt|lock|cfg|ini|sql|sh|html|css"
    r"|xml)|\.env\b.*|Dockerfile|Makefile)"
)
KEYWORD_ARGUMENT = re.compile(rf"({NAME})\s*[=:]\s*(True|False|None|true|false|null|\d+|[\"'][^\"']*[\"'])")
COMMENT_WORD = re.compile(
    r"TODO|FIXME|XXX|HACK|#\s*type:\s*ignore|#\s*noqa|//\s*eslint-disable.*|@ts-ignore|@ts-nocheck"
    r"|eslint-disable.*|nolint|type: ignore|noqa|@SuppressWarnings"
)
COMMENT_START = re.compile(r"^(?://|/\*|#)\s*(?=(?:@ts-|eslint-|nolint|noqa|type: ignore|TODO|FIXME|HACK|XXX))")
HANDLING = re.compile(r"(raise|throw|return|catch|except|rescue)\b[\s(]+\S")
UNTELLING = frozenset((
    "x", "y", "z", "n", "i", "foo", "bar", "baz", "name", "value", "values", "data", "item", "items", "key",
    "result", "other", "true", "false", "none", "null", "nil", "self", "this", "id", "type", "test", "scopes",
    "async", "await", "return", "let", "const", "use", "extern", "fn", "def", "class", "if", "else", "for",
    "while", "in", "of", "is", "not", "and", "or", "import", "from", "str", "int", "float", "bool", "string",
    "number", "boolean", "i32", "u32", "i64", "u64", "f32", "f64", "usize", "char", "void", "object", "list",
    "dict", "set", "map", "catch", "try", "throw", "raise", "with", "break", "continue", "yield", "static", "final",
    "public", "private", "protected", "finally", "do", "case", "get", "post", "put", "patch", "delete", "head",
))  # fmt: skip


def check_for_span(span: str, verb: str) -> Check | None:
    """The check for what a span names, as the verb before it means it; None when that is not clear."""
    text = COMMENT_START.sub("", span.strip()).rstrip(";").strip()
    if ASSIGNING.match(verb) and PLAIN.fullmatch(text):
        return TextCheck(rf"\b{re.escape(text)}\s*=[^=]")
    known = KEYWORDS.get(text) or KEYWORDS.get(text.lower())
    doing = HANDLING.match(text)
    if doing and known is None:
        return _handled(text, doing.group(1))
    if SWALLOWING.match(verb):
        return swallowed(text) if re.fullmatch(r"[\w.]+", text) else None
    if RETURNING.match(verb) or THROWING.match(verb) or CATCHING.match(verb) or EXTENDING.match(verb):
        return _handled(text, verb) or known
    if known is not None and not IMPORTING.match(verb):
        return known
    if not re.search(r"\w", text) or FILE_NAME.fullmatch(text) or text.lower() in UNTELLING or len(text) > 120:
        return None
    if COMMENT_WORD.fullmatch(text):
        return TextCheck(re.escape(text), ("comments", "code"))
    for read in (_import, _decorator, _sql, _argument, _call, _path, _name):
        check = read(text, verb)
        if check is not None:
            return check
    return None


def _import(text: str, verb: str) -> Check | None:
    match = IMPORT.fullmatch(text)
    if match is None:
        return None
    module, name = match.group(1), match.group(2)
    if module:
        return ImportCheck((module if name == "*" else f"{module}.{name}",))
    return ImportCheck((next(each for each in match.groups() if each),))


def _decorator(text: str, verb: str) -> Check | None:
    match = DECORATOR.fullmatch(text)
    if match is None:
        return None
    name = re.escape((match.group(1) or match.group(2)).rpartition(".")[2])
    return TextCheck(rf"[@\[]\s*(?:\w+\.)*{name}\b")


def _sql(text: str, verb: str) -> Check | None:
    if SQL.fullmatch(text) is None:
        return None
    words = [re.escape(word) for word in text.rstrip(";").split()]
    ending = r"\b" if words[-1][-1:].isalnum() else AFTER_STAR
    return TextCheck(r"(?i)\b" + r"\s+".join(words) + ending, ("strings",))


def argument_check(text: str) -> Check | None:
    """An argument that is given by its name: `shell=True`."""
    match = KEYWORD_ARGUMENT.fullmatch(text)
    if match is None:
        return None
    is_quoted = match.group(2)[0] in "\"'"
    expression = rf"\b{re.escape(match.group(1))}[\"']?\s*[=:]\s*{re.escape(match.group(2))}"
    return TextCheck(expression if is_quoted else rf"{expression}\b", ("code", "strings") if is_quoted else ("code",))


def _argument(text: str, verb: str) -> Check | None:
    return argument_check(text)


def _call(text: str, verb: str) -> Check | None:
    creation = CREATION.fullmatch(text)
    if creation:
        return CallCheck((f"new {creation.group(1)}", f"new *.{creation.group(1)}"))
    method = METHOD.fullmatch(text)
    if method:
        return TextCheck(rf"\.{re.escape(method.group(1))}\b")
    macro = MACRO.fullmatch(text)
    if macro:
        return CallCheck((text,))
    match = CALL.fullmatch(text)
    if match is None or match.group("inside").strip(" .…") not in ("", "*"):
        return None
    name = match.group("name")
    if match.group("new"):
        return CallCheck((f"new {name}",))
    return CallCheck((f"*.{name}",) if match.group("dot") else _called(name))


def _path(text: str, verb: str) -> Check | None:
    if IMPORTING.match(verb) and (PATH.fullmatch(text) or PACKAGE_GLOB.fullmatch(text) or PLAIN.fullmatch(text)):
        return imports_of(text)
    return imports_of(text) if PATH.fullmatch(text) else None


def _name(text: str, verb: str) -> Check | None:
    if DOTTED.fullmatch(text):
        dotted = re.sub(r"::|->", ".", text)
        inner = (f"*.{dotted}",) if VARIABLE_HEAD.match(dotted) else ()
        calls = CallCheck((dotted, f"{dotted}.*", f"new {dotted}", *inner))
        if CALLING.match(verb) or "(" in dotted:
            return calls
        return EveryCheck((calls, ImportCheck((dotted,)), MentionCheck((dotted,))))
    if not PLAIN.fullmatch(text):
        return None
    if text[0].isupper() and not text.isupper():
        return _type(text, verb)
    if CREATING.match(verb) or CALLING.match(verb):
        return CallCheck((*_called(text), f"new {text}"))
    mention = (MentionCheck((text,)),) if HUMPS.fullmatch(text) else ()
    return EveryCheck((CallCheck((*_called(text), f"{text}.*")), ImportCheck((text,)), *mention))


def _type(text: str, verb: str) -> Check:
    """A class that is made, or mentioned at all."""
    if CREATING.match(verb) or CALLING.match(verb):
        return CallCheck((text, f"new {text}", f"new *.{text}", f"*.{text}"))
    return MentionCheck((text,))


def imports_of(text: str) -> ImportCheck:
    """A package or folder wherever it stands in an import."""
    plain = text.strip("/").removesuffix("/*").removesuffix(".*").removesuffix("/**")
    bare = re.sub(r"^(?:\.{1,2}/)+|^(?:src|app)/", "", plain)
    joint = "/" if "/" in text else "."
    return ImportCheck(tuple(dict.fromkeys((plain, bare, f"*{joint}{bare}", f"*/{bare}", f"*.{bare}"))))


def _called(name: str) -> tuple[str, ...]:
    """How a function is called: a builtin by its name alone, another also as a method or from its module."""
    dotted = re.sub(r"::|->", ".", name)
    return (dotted,) if dotted in GLOBAL_FUNCTIONS else (dotted, f"*.{dotted}")


def _handled(text: str, verb: str) -> Check | None:
    """What is returned, thrown, caught or extended."""
    name = re.escape(
        re.sub(
            r"^new\s+|\(.*\)$|^(?:except|catch|raise|throw|return)\s+\(?|\)$|:.*$|\s+\w+\)?$", "", text, flags=re.DOTALL
        )
    )
    known = KEYWORDS.get(f"return {text}") if RETURNING.match(verb) else None
    if known or not re.fullmatch(r"[\w\\.]+", name):
        return known
    if RETURNING.match(verb):
        return TextCheck(rf"\breturn\s+\(?{name}\b")
    if THROWING.match(verb):
        return TextCheck(rf"\b(?:raise|throw)\s+(?:new\s+)?(?:\w+\.)*{name}\b")
    if EXTENDING.match(verb):
        return TextCheck(rf"\b(?:extends|implements)\b[^{{]*\b{name}\b|\bclass\s+\w+\s*[(:<][^)]*\b{name}\b")
    return TextCheck(rf"\b(?:except|catch|rescue)\b[^:{{]*\b{name}\b")
