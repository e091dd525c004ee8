"""Parses the syntax of `re` and translates expressions to RE2.

Three things are not in RE2 and are made here:

- Scripts other than Latin. `\\w` and `\\b` of RE2 are ASCII. Before a text is matched, its other letters and digits are
  put as one ASCII character that the expression does not tell from any other letter, its stand-in. Where there is none,
  `\\w` is spelled out by categories of Unicode. An expression that names such letters itself has no boundaries of words
  but at its two ends, where looking back and ahead does the same; inside they are left out.
- Looking ahead at the end. `X(?=Y)` is matched as `(X)(?:Y)`; the group is the match, and the search goes on behind it.
- Looking back at the beginning. `(?<!C)X` is X at the beginning of a text, and `[^C](X)` anywhere behind that.
"""

import string
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.text.regex import DOTALL, IGNORECASE, MULTILINE, VERBOSE

LETTERS = {IGNORECASE: "i", MULTILINE: "m", DOTALL: "s", VERBOSE: "x"}
LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
ASCII_BOUNDARY = r"(?a:\b)"
LOOKS_BACK = ("(?<=", "(?<!")
KINDS = {")": "close", "|": "or", "^": "anchor", "$": "anchor", ".": "any"}


class NotLinear(ValueError):
    """An expression that asks for what a linear engine can't do."""


class RegexToken(NamedTuple):
    """A piece of an expression: `text` as written; `inside` is the name of a group, or what a look-around asks for."""

    kind: str
    text: str
    inside: str = ""


def strip_flags(expression: str, flags: int) -> tuple[str, int]:
    """An expression without the flags it opens with, such as `(?i)`, and all flags."""
    if expression.startswith("(?") and expression[2:3] in ("i", "m", "s", "x"):
        letters, closing, rest = expression[2:].partition(")")
        if closing and all(letter in "imsx" for letter in letters):
            return rest, flags | sum(flag for flag, letter in LETTERS.items() if letter in letters)
    return expression, flags


def split_alternatives(tokens: list[RegexToken]) -> list[list[RegexToken]]:
    """The outer alternatives of an expression."""
    alternatives: list[list[RegexToken]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in ("group", "open")) - (token.kind == "close")
        if token.text == "|" and depth == 0:
            alternatives.append([])
        else:
            alternatives[-1].append(token)
    return alternatives


def refuse_inner_looks(alternatives: list[list[RegexToken]], expression: str) -> None:
    """Raise NotLinear for a look-around that is neither at the beginning nor at the end of an alternative."""
    for tokens in alternatives:
        for place, token in enumerate(tokens):
            edge = 0 if token.text in LOOKS_BACK else len(tokens) - 1
            if token.kind == "look" and place != edge:
                raise NotLinear(f"A look-around stands inside: {token.text}{token.inside}) in {expression}")


def tokenize(expression: str, *, is_verbose: bool) -> Iterator[RegexToken]:
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


def _token(expression: str, at: int) -> RegexToken:
    character = expression[at]
    if character == "\\":
        return _escape(expression, at)
    if character == "[":
        return RegexToken("class", expression[at : _class_end(expression, at)])
    if character == "(":
        return _opened(expression, at)
    if character in "*+?" or (character == "{" and _is_repeat(expression, at)):
        end = at + 1 if character != "{" else expression.index("}", at) + 1
        if expression[end : end + 1] == "+":
            raise NotLinear(f"A repeat that gives nothing back: {expression}")
        end += expression[end : end + 1] == "?"
        return RegexToken("repeat", expression[at:end])
    return RegexToken(KINDS.get(character, "character"), character)


def _opened(expression: str, at: int) -> RegexToken:
    for look in LOOKS:
        if expression.startswith(look, at):
            return RegexToken("look", look, expression[at + len(look) : _closing(expression, at) - 1])
    if expression.startswith(ASCII_BOUNDARY, at):
        return RegexToken("boundary", ASCII_BOUNDARY)
    if expression.startswith("(?P<", at):
        end = expression.index(">", at) + 1
        return RegexToken("group", expression[at:end], expression[at + 4 : end - 1])
    if not expression.startswith("(?", at):
        return RegexToken("group", "(")
    end = at + 2
    while expression[end] in "ims-":
        end += 1
    if expression[end] != ":":
        raise NotLinear(f"RE2 has no group like this: {expression[at:]}")
    return RegexToken("open", expression[at : end + 1])


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
    if not closing or inside in ("", ","):
        return False
    low, _, high = inside.partition(",")
    return all(each.isdecimal() or not each for each in (low, high))


def _escape(expression: str, at: int) -> RegexToken:
    letter = expression[at + 1 : at + 2]
    if letter.isdecimal() and letter != "0":
        raise NotLinear(f"A reference back to a group: {expression}")
    return RegexToken("escape", expression[at : at + 2 + HEX_DIGITS.get(letter, 0)])


def split_class(text: str) -> Iterator[str]:
    """The opening of a class, each of its members, and its end."""
    opening = "[^" if text.startswith("[^") else "["
    yield opening
    at = len(opening)
    while at < len(text) - 1:
        piece = _escape(text, at).text if text[at] == "\\" else text[at]
        yield piece if len(piece) > 1 or piece == "-" else quote_character(piece)
        at += len(piece)
    yield "]"


def quote_character(character: str) -> str:
    """A character that stands for itself, in a class or outside."""
    is_plain = character.isalnum() or not character.isascii() or character in "_ \t\n\r"
    return character if is_plain else f"\\{character}"


def translate_numeric_escape(text: str) -> str:
    """An escape that names a character by its number, as RE2 writes it; any other as it is."""
    if text == "\\Z":
        return r"\z"
    return f"\\x{{{text[2:]}}}" if text[1:2] in HEX_DIGITS and len(text) > 2 else text


def list_named_characters(tokens: list[RegexToken]) -> Iterator[str]:
    """All characters that an expression names, one by one, in ranges, or as digits."""
    for token in tokens:
        if token.kind == "character":
            yield token.text
        elif token.kind == "escape":
            yield _named(token.text)
        elif token.kind == "class":
            yield from _named_in_class(list(split_class(token.text))[1:-1])
        elif token.kind == "look":
            yield from list_named_characters(list(tokenize(token.inside, is_verbose=False)))


def _named_in_class(pieces: list[str]) -> Iterator[str]:
    for place, piece in enumerate(pieces):
        yield _named(piece)
        if piece == "-" and 0 < place < len(pieces) - 1:
            low = _named(pieces[place - 1])
            high = _named(pieces[place + 1])
            if len(low) == len(high) == 1:
                yield from (chr(code) for code in (*range(ord(low), min(ord(high), 127) + 1), ord(high)))


def _named(text: str) -> str:
    if text in ("\\d", "\\D"):
        return "0123456789"
    if text[1:2] in HEX_DIGITS and len(text) > 2:
        return chr(int(text[2:], 16))
    return "" if len(text) > 1 and text[1].isalpha() else text[-1:]


def replace_boundaries(expression: str) -> str:
    """Replace `\\b` at the beginning and the end by a look-around, and remove it elsewhere."""
    pieces: list[str] = []
    place = 0
    while place < len(expression):
        width = 2 if expression[place] == "\\" else 1
        piece = expression[place : place + width]
        if piece == "\\b":
            piece = ""
            if place == 0:
                piece = r"(?<!\w)"
            elif place + width == len(expression):
                piece = r"(?!\w)"
        pieces.append(piece)
        place += width
    return "".join(pieces)


WORD_CHARACTERS = "_" + string.digits + string.ascii_letters
SPACES = r"\t-\r\x1c- \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
ASCII_SPACES = r"\t-\r "  # what `\s` is in bytes
UNICODE_WORD = r"\p{L}\p{N}_"
WORDS_WITHOUT = {r"[^\W_]": r"[\p{L}\p{N}]", r"[^\W\d_]": r"[\p{L}\p{No}\p{Nl}]"}
ANY = r"(?s:.)"
NOTHING = r"[^\x00-\x{10FFFF}]"


class TranslatedRegex(NamedTuple):
    """An expression for RE2: `at_start` for the beginning of a text, `behind` for all places after a character.

    `behind` is empty where nothing looks back: then `at_start` is for every place. `cores` are the groups that may hold
    the match, none where it is all that RE2 found; `groups` are those of the expression, by their numbers in RE2.
    """

    at_start: str
    behind: str
    cores: tuple[int, ...]
    groups: tuple[int, ...]
    names: dict[str, int]


class RegexTranslation:
    """An expression taken apart; it raises NotLinear for one that can't be matched in linear time."""

    def __init__(self, expression: str, flags: int, *, is_bytes: bool) -> None:
        self.is_bytes = is_bytes  # in bytes only ASCII has letters and spaces
        expression, self.flags = strip_flags(expression, flags)
        if not is_bytes and _has_other_letters(expression):
            expression = replace_boundaries(expression)
        self._tokens = list(tokenize(expression, is_verbose=bool(self.flags & VERBOSE)))
        self._alternatives = split_alternatives(self._tokens)
        refuse_inner_looks(self._alternatives, expression)
        plain = "".join(token.text + token.inside for token in self._tokens)
        self.ends_at_last_line = not self.flags & MULTILINE and any(
            token.text == "$" or (token.kind == "look" and "$" in token.inside) for token in self._tokens
        )
        self.looks = self.ends_at_last_line or any(token.kind == "look" for token in self._tokens)
        self.knows_words = any(mark in plain for mark in ("\\w", "\\W", "\\b", "\\B"))
        self.stand_in = self._free_character() if self.knows_words and not is_bytes else ""

    def translate(self, *, is_unicode: bool, before_newline: bool, is_whole: bool) -> TranslatedRegex:
        """For texts with or without letters beyond ASCII, those that end with a newline, and for whole matches."""
        writing = _Writing(self, is_unicode=is_unicode, before_newline=before_newline and not is_whole)
        pieces = [writing.alternative(each) for each in self._alternatives]
        looks_back = any(piece.before for piece in pieces)
        looks_ahead = any(piece.after for piece in pieces)
        if is_whole and looks_ahead:
            raise NotLinear("A whole match can't look ahead.")
        at_start, cores, groups, names = _numbered(pieces, needs_cores=looks_back or looks_ahead, behind=False)
        behind = self._opening + _numbered(pieces, needs_cores=True, behind=True)[0] if looks_back else ""
        return TranslatedRegex(self._opening + at_start, behind, cores, groups, names)

    @property
    def _opening(self) -> str:
        """The flags, as RE2 reads them."""
        flags = "".join(letter for flag, letter in LETTERS.items() if self.flags & flag and flag != VERBOSE)
        return f"(?{flags})" if flags else ""

    def _free_character(self) -> str | None:
        """A word character that the expression does not name; None if there is none, or it names non-ASCII letters."""
        named = "".join(list_named_characters(self._tokens))
        if _has_other_letters(named):
            return None
        if self.flags & IGNORECASE:
            named = "".join(each.lower() + each.upper() for each in named)
        return next((each for each in WORD_CHARACTERS if each not in named), None)


def _has_other_letters(text: str) -> bool:
    """Whether there are letters or digits beyond ASCII."""
    return not text.isascii() and any(each.isalnum() and not each.isascii() for each in text)


class _Piece(NamedTuple):
    """One outer alternative: what stands before, the expression, what stands behind; its groups in order, by name."""

    before: str
    core: str
    after: str
    groups: tuple[str, ...]
    is_never_first: bool


class _Writing:
    def __init__(self, reading: RegexTranslation, *, is_unicode: bool, before_newline: bool) -> None:
        self._reading = reading
        self._is_unicode = is_unicode
        self._before_newline = before_newline

    def alternative(self, tokens: list[RegexToken]) -> _Piece:
        """One outer alternative, parted into what it looks back at, what it matches and what it looks ahead for."""
        before = ""
        is_never_first = False
        while tokens and tokens[0].kind == "look" and tokens[0].text in LOOKS_BACK:
            is_never_first = tokens[0].text == "(?<="
            inside = list(tokenize(tokens[0].inside, is_verbose=False))
            if len(inside) != 1:
                raise NotLinear(f"Only one character can be looked back at, not {tokens[0].inside}")
            before = self._one_of(inside[0], is_negated=not is_never_first)
            tokens = tokens[1:]
        after = self._after(tokens[-1]) if tokens else ""
        matched = tokens[:-1] if after else tokens  # the last token is matched itself where nothing is looked for
        groups = tuple(token.inside for token in matched if token.kind == "group")
        return _Piece(before, "".join(map(self._written, matched)), after, groups, is_never_first)

    def _after(self, last: RegexToken) -> str:
        if last.kind == "look":
            return self._ahead(last)
        is_end = last.text == "$" and self._reading.ends_at_last_line and self._before_newline
        return r"\n?\z" if is_end else ""

    def _ahead(self, look: RegexToken) -> str:
        inside = list(tokenize(look.inside, is_verbose=False))
        if look.text == "(?!":
            return self._other_than(inside)
        if any(token.kind in ("look", "group") for token in inside):
            raise NotLinear(f"A look-ahead can't hold this: {look.inside}")
        end = r"\n?\z" if self._before_newline else r"\z"
        is_last = self._reading.ends_at_last_line
        written = (end if token.text == "$" and is_last else self._written(token) for token in inside)
        return f"(?:{''.join(written)})"

    def _other_than(self, tokens: list[RegexToken]) -> str:
        """The end of the text, or what differs from these characters in the first, or in the second, and so on."""
        differs = self._one_of(tokens[0], is_negated=True)
        if len(tokens) == 1:
            return rf"(?:\z|{differs})"
        return rf"(?:\z|{differs}|{self._one_of(tokens[0], is_negated=False)}{self._other_than(tokens[1:])})"

    def _one_of(self, token: RegexToken, *, is_negated: bool) -> str:
        """A character, as a class or its opposite."""
        if token.kind not in ("character", "class", "escape", "any") or token.text in ("\\b", "\\B"):
            raise NotLinear(f"Only characters can be looked at here, not {token.text}")
        plain = {"character": quote_character(token.text), "any": r"[^\n]"}
        written = plain.get(token.kind) or self._written(token)
        written = written if written.startswith("[") else f"[{written}]"
        if not is_negated:
            return written
        return f"[{written[2:]}" if written.startswith("[^") else f"[^{written[1:]}"

    def _written(self, token: RegexToken) -> str:
        if token.kind == "class" and token.text in WORDS_WITHOUT and self._is_unicode:
            return WORDS_WITHOUT[token.text]
        if token.kind == "boundary":
            return r"\b"
        if token.kind == "class":
            return "".join(self._in_class(piece) for piece in split_class(token.text))
        if token.kind == "escape":
            return self._escaped(token.text)
        if token.text == "$" and not self._reading.flags & MULTILINE:
            return r"\z"
        return token.text

    def _escaped(self, text: str) -> str:
        if text in ("\\s", "\\S"):
            return f"[^{self._spaces}]" if text == "\\S" else f"[{self._spaces}]"
        if text in ("\\w", "\\W") and self._is_unicode:
            return f"[^{UNICODE_WORD}]" if text == "\\W" else f"[{UNICODE_WORD}]"
        if text in ("\\b", "\\B") and self._is_unicode:
            raise NotLinear("No stand-in is left for letters beyond ASCII, and RE2 has no word boundary for them.")
        return translate_numeric_escape(text)

    def _in_class(self, piece: str) -> str:
        if piece == "\\s":
            return self._spaces
        if piece == "\\w" and self._is_unicode:
            return UNICODE_WORD
        if piece == "\\S" or (piece == "\\W" and self._is_unicode):
            raise NotLinear(f"{piece} can't stand in a class here.")
        return translate_numeric_escape(piece)

    @property
    def _spaces(self) -> str:
        return ASCII_SPACES if self._reading.is_bytes else SPACES


def _numbered(
    pieces: list[_Piece], *, needs_cores: bool, behind: bool
) -> tuple[str, tuple[int, ...], tuple[int, ...], dict[str, int]]:
    """The alternatives joined, the numbers of cores and groups in RE2, and the groups by name."""
    written: list[str] = []
    cores: list[int] = []
    groups: list[int] = []
    names: dict[str, int] = {}
    number = 0
    for piece in pieces:
        if needs_cores:
            number += 1
            cores.append(number)
        for name in piece.groups:
            number += 1
            groups.append(number)
            if name:
                names[name] = len(groups)
        core = f"({piece.core})" if needs_cores else piece.core
        before = ""
        if behind:
            before = piece.before or ANY
        elif piece.is_never_first:
            before = NOTHING
        written.append(f"{before}{core}{piece.after}")
    return "|".join(written), tuple(cores), tuple(groups), names
