"""An expression as `re` reads it, written as RE2 reads it.

Three things are not in RE2 and are made here:

- Scripts other than Latin. `\\w` and `\\b` of RE2 are ASCII. Before a text is matched, its other letters and digits are
  put as one ASCII character that the expression does not tell from any other letter, its stand-in. Where there is none,
  `\\w` is spelled out by categories of Unicode. An expression that names such letters itself has no boundaries of words
  but at its two ends, where looking back and ahead does the same; inside they are left out.
- Looking ahead at the end. `X(?=Y)` is matched as `(X)(?:Y)`; the group is the match, and the search goes on behind it.
- Looking back at the beginning. `(?<!C)X` is X at the beginning of a text, and `[^C](X)` anywhere behind that.
"""

import string
from typing import NamedTuple

from fieldguide.linear_regex.syntax import (
    IGNORECASE,
    LETTERS,
    LOOKS_BACK,
    MULTILINE,
    VERBOSE,
    NotLinear,
    Token,
    alternatives_of,
    by_number,
    class_pieces,
    named_characters,
    quoted,
    refuse_inner_looks,
    tokens_of,
    without_boundaries,
    without_flags,
)

WORD_CHARACTERS = "_" + string.digits + string.ascii_letters
SPACES = r"\t-\r\x1c- \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
ASCII_SPACES = r"\t-\r "  # what `\s` is in bytes
UNICODE_WORD = r"\p{L}\p{N}_"
WORDS_WITHOUT = {r"[^\W_]": r"[\p{L}\p{N}]", r"[^\W\d_]": r"[\p{L}\p{No}\p{Nl}]"}
ANY = r"(?s:.)"
NOTHING = r"[^\x00-\x{10FFFF}]"


class Translated(NamedTuple):
    """An expression for RE2: `at_start` for the beginning of a text, `behind` for all places after a character.

    `behind` is empty where nothing looks back: then `at_start` is for every place. `cores` are the groups that may hold
    the match, none where it is all that RE2 found; `groups` are those of the expression, by their numbers in RE2.
    """

    at_start: str
    behind: str
    cores: tuple[int, ...]
    groups: tuple[int, ...]
    names: dict[str, int]


class Reading:
    """An expression taken apart; it raises NotLinear for one that can't be matched in linear time."""

    def __init__(self, expression: str, flags: int, *, is_bytes: bool) -> None:
        self._is_bytes = is_bytes
        expression, self.flags = without_flags(expression, flags)
        if not is_bytes and _has_other_letters(expression):
            expression = without_boundaries(expression)
        self._tokens = list(tokens_of(expression, is_verbose=bool(self.flags & VERBOSE)))
        self._alternatives = alternatives_of(self._tokens)
        refuse_inner_looks(self._alternatives, expression)
        plain = "".join(token.text + token.inside for token in self._tokens)
        self.ends_at_last_line = not self.flags & MULTILINE and any(map(_looks_for_end, self._tokens))
        self.looks = self.ends_at_last_line or any(token.kind == "look" for token in self._tokens)
        self.knows_words = any(mark in plain for mark in ("\\w", "\\W", "\\b", "\\B"))
        self.stand_in = self._free_character() if self.knows_words and not is_bytes else ""

    def translate(self, *, is_unicode: bool, before_newline: bool, is_whole: bool) -> Translated:
        """For texts with or without letters beyond ASCII, those that end with a newline, and for whole matches."""
        writing = _Writing(self, is_unicode=is_unicode, before_newline=before_newline and not is_whole)
        pieces = [writing.alternative(each) for each in self._alternatives]
        looks_back, looks_ahead = any(piece.before for piece in pieces), any(piece.after for piece in pieces)
        if is_whole and looks_ahead:
            raise NotLinear("A whole match can't look ahead.")
        at_start, cores, groups, names = _numbered(pieces, needs_cores=looks_back or looks_ahead, behind=False)
        behind = self._opening + _numbered(pieces, needs_cores=True, behind=True)[0] if looks_back else ""
        return Translated(self._opening + at_start, behind, cores, groups, names)

    @property
    def _opening(self) -> str:
        """The flags, as RE2 reads them."""
        flags = "".join(letter for flag, letter in LETTERS.items() if self.flags & flag and flag != VERBOSE)
        return f"(?{flags})" if flags else ""

    @property
    def is_bytes(self) -> bool:
        """Whether it is matched against bytes, in which only ASCII has letters and spaces."""
        return self._is_bytes

    def _free_character(self) -> str | None:
        """A word character that the expression names nowhere; None if there is none, or letters beyond ASCII are."""
        named = "".join(named_characters(self._tokens))
        if _has_other_letters(named):
            return None
        taken = {case for each in named for case in (each.lower(), each.upper())} if self.flags & IGNORECASE else named
        return next((each for each in WORD_CHARACTERS if each not in taken), None)


def _has_other_letters(text: str) -> bool:
    """Whether there are letters or digits beyond ASCII."""
    return any(each.isalnum() and not each.isascii() for each in text)


def _looks_for_end(token: Token) -> bool:
    return token.text == "$" or (token.kind == "look" and "$" in token.inside)


class _Piece(NamedTuple):
    """One outer alternative: what stands before, the expression, what stands behind; its groups in order, by name."""

    before: str
    core: str
    after: str
    groups: tuple[str, ...]
    is_never_first: bool


class _Writing:
    def __init__(self, reading: Reading, *, is_unicode: bool, before_newline: bool) -> None:
        self._reading = reading
        self._is_unicode = is_unicode
        self._before_newline = before_newline

    def alternative(self, tokens: list[Token]) -> _Piece:
        """One outer alternative, parted into what it looks back at, what it matches and what it looks ahead for."""
        before, is_never_first = "", False
        while tokens and tokens[0].kind == "look" and tokens[0].text in LOOKS_BACK:
            is_never_first = tokens[0].text == "(?<="
            before, tokens = self._behind(tokens[0], is_negated=not is_never_first), tokens[1:]
        after = self._after(tokens[-1]) if tokens else ""
        matched = tokens[:-1] if after else tokens
        groups = tuple(token.inside for token in matched if token.kind == "group")
        return _Piece(before, "".join(map(self._written, matched)), after, groups, is_never_first)

    def _after(self, last: Token) -> str:
        """What the last token looks ahead for; empty where it is matched itself."""
        if last.kind == "look":
            return self._ahead(last)
        is_end = last.text == "$" and self._reading.ends_at_last_line and self._before_newline
        return r"\n?\z" if is_end else ""

    def _behind(self, look: Token, *, is_negated: bool) -> str:
        inside = list(tokens_of(look.inside, is_verbose=False))
        if len(inside) != 1:
            raise NotLinear(f"Only one character can be looked back at, not {look.inside}")
        return self._one_of(inside[0], is_negated=is_negated)

    def _ahead(self, look: Token) -> str:
        inside = list(tokens_of(look.inside, is_verbose=False))
        if look.text == "(?!":
            return self._other_than(inside)
        if any(token.kind in ("look", "group") for token in inside):
            raise NotLinear(f"A look-ahead can't hold this: {look.inside}")
        end = r"\n?\z" if self._before_newline else r"\z"
        is_last = self._reading.ends_at_last_line
        written = (end if token.text == "$" and is_last else self._written(token) for token in inside)
        return f"(?:{''.join(written)})"

    def _other_than(self, tokens: list[Token]) -> str:
        """The end of the text, or what differs from these characters in the first, or in the second, and so on."""
        differs = self._one_of(tokens[0], is_negated=True)
        if len(tokens) == 1:
            return rf"(?:\z|{differs})"
        return rf"(?:\z|{differs}|{self._one_of(tokens[0], is_negated=False)}{self._other_than(tokens[1:])})"

    def _one_of(self, token: Token, *, is_negated: bool) -> str:
        """A character, as a class or its opposite."""
        if token.kind not in ("character", "class", "escape", "any") or token.text in ("\\b", "\\B"):
            raise NotLinear(f"Only characters can be looked at here, not {token.text}")
        plain = {"character": quoted(token.text), "any": r"[^\n]"}
        written = plain.get(token.kind) or self._written(token)
        written = written if written.startswith("[") else f"[{written}]"
        if not is_negated:
            return written
        return f"[{written[2:]}" if written.startswith("[^") else f"[^{written[1:]}"

    def _written(self, token: Token) -> str:
        if token.kind == "class" and token.text in WORDS_WITHOUT and self._is_unicode:
            return WORDS_WITHOUT[token.text]
        if token.kind == "boundary":
            return r"\b"
        if token.kind == "class":
            return "".join(self._in_class(piece) for piece in class_pieces(token.text))
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
        return by_number(text)

    def _in_class(self, piece: str) -> str:
        if piece == "\\s":
            return self._spaces
        if piece == "\\w" and self._is_unicode:
            return UNICODE_WORD
        if piece == "\\S" or (piece == "\\W" and self._is_unicode):
            raise NotLinear(f"{piece} can't stand in a class here.")
        return by_number(piece)

    @property
    def _spaces(self) -> str:
        return ASCII_SPACES if self._reading.is_bytes else SPACES


def _numbered(
    pieces: list[_Piece], *, needs_cores: bool, behind: bool
) -> tuple[str, tuple[int, ...], tuple[int, ...], dict[str, int]]:
    """The alternatives joined, and the numbers of cores and groups in what RE2 reads."""
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
        before = (piece.before or ANY) if behind else NOTHING if piece.is_never_first else ""
        written.append(f"{before}{core}{piece.after}")
    return "|".join(written), tuple(cores), tuple(groups), names
