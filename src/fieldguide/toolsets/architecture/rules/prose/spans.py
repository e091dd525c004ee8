"""A code span that is forbidden, such as `print()` or `==`, to the checks that find it, the most exact one first."""

from itertools import pairwise

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    SyntaxCheck,
    TextCheck,
    TokenCheck,
)

NAME = r"[A-Za-z_][\w$]*"
WORD = re.compile(NAME)
DOTTED = re.compile(rf"{NAME}(?:(?:\.|::|->){NAME})+")
CALL = re.compile(
    rf"(?P<new>new )?(?P<dot>\.?)(?P<name>{NAME}[!?]?(?:(?:\.|::|->|\(\)\.){NAME}[!?]?)*)\((?:\.{{2,3}}|…)?\)"
)
MODULE = re.compile(r"[\w@.-]+(?:(?:/|::|\\)[\w@.*-]+)*/?")
IMPORT = re.compile(r"(?:import|from|use|require)\s+[\"'<]?([\w@./:\\-]+)[\"'>]?;?")
OPERATOR = re.compile(r"[^\w\s'\"`(){}\[\],;.…]{1,4}")
COMMENT = re.compile(r"^(?:#|//|/\*|--)\s*")
IN_COMMENTS = re.compile(r"^@\w+-")
PLACEHOLDER = re.compile(r"\.\.\.|…|<\w+>|\b(?:[Ff]oo|[Bb]ar|[Bb]az|[A-Z])\b")
TOKENS = re.compile(r"\w+|[^\w\s]")
LONGEST = 60


def checks_for(span: str, verb: str, languages: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks for what a span names; the first is exact, the others need a bad example that has the same."""
    text = span.strip().rstrip(";").strip()
    if verb.startswith("import") and MODULE.fullmatch(text):
        return (_imports(text),)
    call, stated = CALL.fullmatch(text), IMPORT.fullmatch(text)
    if call:
        return (CallCheck(_callees(call.group("name"), call.group("new") or "", call.group("dot"))),)
    if stated:
        return (_imports(stated.group(1)),)
    if DOTTED.fullmatch(text):
        name = re.sub(r"::|->", ".", text)
        calls = CallCheck((*_callees(name), f"{name}.*", f"new {name}"))
        return (EveryCheck((calls, ImportCheck((name,)), MentionCheck((name,)))),)
    if WORD.fullmatch(text):
        return _word(text, languages)
    if OPERATOR.fullmatch(text):
        return (TokenCheck((text,)),)
    return _verbatim(text)


def _word(text: str, languages: tuple[str, ...]) -> tuple[Check, ...]:
    """A keyword, a function or a module; a class, however it is mentioned."""
    if text.isupper():
        return (TextCheck(rf"\b{text}\b", ("code", "comments", "strings")),)
    used = EveryCheck((TokenCheck((text,)), CallCheck((text, f"new {text}")), ImportCheck((text,))))
    if text[0].isupper():
        return (EveryCheck((*used.checks, MentionCheck((text,)))),)
    read = SyntaxCheck({language: {"rule": {"pattern": text}} for language in languages})
    return (used, CallCheck((f"*.{text}",)), read)


def _callees(name: str, new: str = "", dot: str = "") -> tuple[str, ...]:
    """How a function is called: one with its owner also as the owner of something else has it."""
    plain = new + re.sub(r"::|->", ".", name)
    return (f"*.{plain}",) if dot else (plain, f"*.{plain}") if "." in plain and not new else (plain,)


def _imports(text: str) -> ImportCheck:
    """A package, also where it is a folder of the project: `infrastructure` is in `shop.infrastructure` too."""
    plain = text.strip("/").removesuffix("/*").removesuffix(".*")
    return ImportCheck((plain, f"*.{plain}", f"*/{plain}") if WORD.fullmatch(plain) else (plain,))


def _verbatim(text: str) -> tuple[Check, ...]:
    """Code of several tokens as it is written, whatever the space between them."""
    bare = COMMENT.sub("", text)
    tokens = TOKENS.findall(bare)
    if len(text) > LONGEST or PLACEHOLDER.search(text) or not re.search(r"\w{2}", text):
        return ()
    written = _edge(tokens[0])
    for before, token in pairwise(("", *tokens)):
        between = r"\s+" if before[-1:].isalnum() and token[:1].isalnum() else r"\s*" if before else ""
        written += between + re.escape(token)
    expression = written + _edge(tokens[-1])
    if bare.isupper():
        return (TextCheck(f"(?i){expression}", ("strings",)),)
    if bare != text or IN_COMMENTS.match(bare):
        return (TextCheck(expression, ("comments",)),)
    return (TextCheck(expression, ("code", "strings") if re.search("[\"']", bare) else ("code",)),)


def _edge(token: str) -> str:
    return r"\b" if token[-1:].isalnum() else ""
