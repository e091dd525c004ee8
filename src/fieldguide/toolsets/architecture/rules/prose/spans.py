"""A code span that is forbidden, such as `print()` or `==`, to the checks that find it, the most exact one first."""

from fieldguide import linear_regex as re
from fieldguide.source_code.tokens import is_keyword
from fieldguide.toolsets.architecture.rules.pattern import (
    CallCheck,
    Check,
    EveryCheck,
    ImportCheck,
    MentionCheck,
    Part,
    SyntaxCheck,
    TextCheck,
    TokenCheck,
)

NAME = r"[A-Za-z_][\w$]*"
WORD = re.compile(NAME)
DOTTED = re.compile(rf"{NAME}(?:\.{NAME})+")
CALL = re.compile(rf"(new )?(\.?)({NAME}[!?]?(?:(?:\(\))?\.{NAME}[!?]?)*)\((?:\.{{2,3}}|…)?\)")
MODULE = re.compile(r"([\w@.-]+(?:/[\w@.*-]+)*/?)")
IMPORT = re.compile(r"(?:import|from|use|require)\s+[\"'<]?([\w@./-]+)[\"'>]?;?")
OPERATOR = re.compile(r"[^\w\s'\"`(){}\[\],;.…]{1,4}")
COMMENT = re.compile(r"^(?:#|//|/\*|--)\s*|^@(?=\w+-)")
PLACEHOLDER = re.compile(r"\.\.\.|…|<\w+>|\b(?:[Ff]oo|[Bb]ar|[Bb]az|[A-Z])\b|^\W*\w?\W*$")
TOKENS = re.compile(r"\w+|[^\w\s]")
LONGEST = 60


def checks_for(span: str, words: tuple[str, ...], languages: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks for what a span names; the first is exact, the others need a bad example that has the same."""
    written = span.strip(" ;")
    text = re.sub(r"::|->|\\", ".", written)
    stated = (MODULE if not {"import", "importing", "imported"}.isdisjoint(words) else IMPORT).fullmatch(text)
    call = CALL.fullmatch(text)
    if stated:
        return (_imports(stated.group(1)),)
    if call:
        new, dot, name = call.groups()
        return (CallCheck((f"{new or '*'}{dot}{name}",) if new or dot else _callees(name)),)
    if DOTTED.fullmatch(text):
        calls = CallCheck((*_callees(text), f"{text}.*", f"new {text}"))
        return (EveryCheck((calls, ImportCheck((text,)), MentionCheck((text,)))),)
    if WORD.fullmatch(text):
        return _word(text, words, languages)
    return (TokenCheck((written,)),) if OPERATOR.fullmatch(written) else _verbatim(written)


def _word(text: str, words: tuple[str, ...], languages: tuple[str, ...]) -> tuple[Check, ...]:
    """A keyword, a function or a module; a class, however it is mentioned; capitals wherever they stand."""
    if text.isupper():
        return (TextCheck(rf"\b{text}\b", ("code", "comments", "strings")),)
    token = TokenCheck((text,), "statement" if "statement" in words else "")
    used = (token, CallCheck((text, f"new {text}")), ImportCheck((text,)))
    if text[0].isupper():
        return (EveryCheck((*used, MentionCheck((text,)))),)
    read = SyntaxCheck({language: {"rule": {"pattern": text}} for language in languages})
    return (EveryCheck(used), CallCheck((f"*.{text}",)), read)


def is_exact(span: str, words: tuple[str, ...], languages: tuple[str, ...]) -> bool:
    """Whether a span names one thing without an example: a word that is less preferred may be any function's name."""
    is_word = "prefer" in words and WORD.fullmatch(span) and not span[0].isupper()
    return not is_word or is_keyword(span, languages)


def _callees(name: str) -> tuple[str, ...]:
    """How a function is called: one with its owner also as something else has that owner."""
    return (name, f"*.{name}") if "." in name else (name,)


def _imports(text: str) -> ImportCheck:
    """A package, also where it is a folder of the project: `infrastructure` is in `shop.infrastructure` too."""
    bare = text.strip("/").removesuffix("/*").removesuffix(".*")
    return ImportCheck((bare, f"*.{bare}", f"*/{bare}") if WORD.fullmatch(bare) else (bare,))


def _verbatim(text: str) -> tuple[Check, ...]:
    """Code of several tokens as it is written, whatever the space between them."""
    bare = COMMENT.sub("", text)
    if len(text) > LONGEST or PLACEHOLDER.search(bare):
        return ()
    written = _spaced(TOKENS.findall(bare))
    if bare.isupper():
        return (TextCheck(f"(?i){written}", ("strings",)),)
    parts: tuple[Part, ...] = ("code", "strings") if re.search("[\"']", bare) else ("code",)
    return (TextCheck(written, parts if bare == text else ("comments",)),)


def _spaced(tokens: list[str]) -> str:
    """An expression for tokens with any space between them, and some between two words."""
    ends = [token[-1].isalnum() for token in tokens]
    gaps = [
        r"\s+" if before and token[0].isalnum() else r"\s*" for before, token in zip(ends, tokens[1:], strict=False)
    ]
    written = "".join(re.escape(token) + gap for token, gap in zip(tokens, [*gaps, ""], strict=True))
    return (r"\b" if tokens[0][0].isalnum() else "") + written + (r"\b" if ends[-1] else "")
