"""The pieces of a regular expression, as `re` writes it."""

from collections.abc import Iterator
from typing import NamedTuple

IGNORECASE, MULTILINE, DOTALL, VERBOSE = 2, 8, 16, 64
LETTERS = {IGNORECASE: "i", MULTILINE: "m", DOTALL: "s", VERBOSE: "x"}
LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
ASCII_BOUNDARY = r"(?a:\b)"
LOOKS_BACK = ("(?<=", "(?<!")
KINDS = {")": "close", "|": "or", "^": "anchor", "$": "anchor", ".": "any"}


class NotLinear(ValueError):
    """An expression that asks for what a linear engine can't do."""


class Token(NamedTuple):
    """A piece of an expression: `text` as written; `inside` is the name of a group, or what a look-around asks for."""

    kind: str
    text: str
    inside: str = ""


def without_flags(expression: str, flags: int) -> tuple[str, int]:
    """An expression without the flags it opens with, such as `(?i)`, and all flags."""
    if expression.startswith("(?") and expression[2:3] in ("i", "m", "s", "x"):
        letters, closing, rest = expression[2:].partition(")")
        if closing and all(letter in "imsx" for letter in letters):
            return rest, flags | sum(flag for flag, letter in LETTERS.items() if letter in letters)
    return expression, flags


def alternatives_of(tokens: list[Token]) -> list[list[Token]]:
    """The outer alternatives of an expression."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in ("group", "open")) - (token.kind == "close")
        if token.text == "|" and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found


def refuse_inner_looks(alternatives: list[list[Token]], expression: str) -> None:
    """Raise NotLinear for a look-around that stands neither at the beginning nor at the end of an alternative."""
    for tokens in alternatives:
        for place, token in enumerate(tokens):
            is_behind = token.text in LOOKS_BACK
            is_at_edge = place == 0 if is_behind else place == len(tokens) - 1
            if token.kind == "look" and not is_at_edge:
                raise NotLinear(f"A look-around stands inside: {token.text}{token.inside}) in {expression}")


def tokens_of(expression: str, *, is_verbose: bool) -> Iterator[Token]:
    """The pieces of an expression, from left to right."""
    at = 0
    while at < len(expression):
        token = _token(expression, at)
        at += len(token.text) + (len(token.inside) + 1 if token.kind == "look" else 0)
        if is_verbose and token.text.isspace():
            continue
        if is_verbose and token.text == "#":
            at = (expression.find("\n", at) + 1) or len(expression)
            continue
        yield token


def _token(expression: str, at: int) -> Token:
    character = expression[at]
    if character == "\\":
        return _escape(expression, at)
    if character == "[":
        return Token("class", expression[at : _class_end(expression, at)])
    if character == "(":
        return _opened(expression, at)
    if character in "*+?" or (character == "{" and _is_repeat(expression, at)):
        end = at + 1 if character != "{" else expression.index("}", at) + 1
        if expression[end : end + 1] == "+":
            raise NotLinear(f"A repeat that gives nothing back: {expression}")
        end += expression[end : end + 1] == "?"
        return Token("repeat", expression[at:end])
    return Token(KINDS.get(character, "character"), character)


def _opened(expression: str, at: int) -> Token:
    for look in LOOKS:
        if expression.startswith(look, at):
            return Token("look", look, expression[at + len(look) : _closing(expression, at) - 1])
    if expression.startswith(ASCII_BOUNDARY, at):
        return Token("boundary", ASCII_BOUNDARY)
    if expression.startswith("(?P<", at):
        end = expression.index(">", at) + 1
        return Token("group", expression[at:end], expression[at + 4 : end - 1])
    if not expression.startswith("(?", at):
        return Token("group", "(")
    end = at + 2
    while expression[end] in "ims-":
        end += 1
    if expression[end] != ":":
        raise NotLinear(f"RE2 has no group like this: {expression[at:]}")
    return Token("open", expression[at : end + 1])


def _closing(expression: str, at: int) -> int:
    """The place behind the bracket that closes the one here."""
    depth = 0
    while at < len(expression):
        character = expression[at]
        if character == "\\":
            at += 2
            continue
        if character == "[":
            at = _class_end(expression, at)
            continue
        depth += (character == "(") - (character == ")")
        at += 1
        if depth == 0:
            return at
    raise NotLinear(f"A bracket is open: {expression}")


def _class_end(expression: str, at: int) -> int:
    at += 2 if expression.startswith("[^", at) else 1
    at += expression.startswith("]", at)
    while expression[at : at + 1] != "]":
        if at >= len(expression):
            raise NotLinear(f"A class is open: {expression}")
        at += 2 if expression[at] == "\\" else 1
    return at + 1


def _is_repeat(expression: str, at: int) -> bool:
    inside, closing, _ = expression[at + 1 :].partition("}")
    low, _, high = inside.partition(",")
    return (
        bool(closing) and inside != "," and all(each.isdecimal() or not each for each in (low, high)) and inside != ""
    )


def _escape(expression: str, at: int) -> Token:
    letter = expression[at + 1 : at + 2]
    if letter.isdecimal() and letter != "0":
        raise NotLinear(f"A reference back to a group: {expression}")
    return Token("escape", expression[at : at + 2 + HEX_DIGITS.get(letter, 0)])


def class_pieces(text: str) -> Iterator[str]:
    """The opening of a class, each of its members, and its end."""
    opening = "[^" if text.startswith("[^") else "["
    yield opening
    at = len(opening)
    while at < len(text) - 1:
        piece = _escape(text, at).text if text[at] == "\\" else text[at]
        yield piece if len(piece) > 1 or piece == "-" else quoted(piece)
        at += len(piece)
    yield "]"


def quoted(character: str) -> str:
    """A character that stands for itself, in a class or outside."""
    is_plain = character.isalnum() or not character.isascii() or character in "_ \t\n\r"
    return character if is_plain else f"\\{character}"


def by_number(text: str) -> str:
    """An escape that names a character by its number, as RE2 writes it; any other as it is."""
    if text == "\\Z":
        return r"\z"
    return f"\\x{{{text[2:]}}}" if text[1:2] in HEX_DIGITS and len(text) > 2 else text


def named_characters(tokens: list[Token]) -> Iterator[str]:
    """All characters that an expression names, one by one, in ranges, or as digits."""
    for token in tokens:
        if token.kind == "character":
            yield token.text
        elif token.kind == "escape":
            yield _named(token.text)
        elif token.kind == "class":
            yield from _named_in_class(list(class_pieces(token.text))[1:-1])
        elif token.kind == "look":
            yield from named_characters(list(tokens_of(token.inside, is_verbose=False)))


def _named_in_class(pieces: list[str]) -> Iterator[str]:
    for place, piece in enumerate(pieces):
        yield _named(piece)
        if piece == "-" and 0 < place < len(pieces) - 1:
            low, high = _named(pieces[place - 1]), _named(pieces[place + 1])
            if len(low) == len(high) == 1:
                yield from (chr(code) for code in (*range(ord(low), min(ord(high), 127) + 1), ord(high)))


def _named(text: str) -> str:
    if text in ("\\d", "\\D"):
        return "0123456789"
    if text[1:2] in HEX_DIGITS and len(text) > 2:
        return chr(int(text[2:], 16))
    return "" if len(text) > 1 and text[1].isalpha() else text[-1:]
