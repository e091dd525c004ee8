"""Reads manual pages written with the macros of man and mdoc.

What a macro only does is not read; its words are. Definitions of macros (`.de`) and what is ignored (`.ig`)
are skipped.
"""

from fieldguide.prose.document import DocumentOutline, ReadDocument
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines

LEVELS = {"SH": 1, "SS": 2, "Sh": 1, "Ss": 2}
SKIPPED = ("de", "de1", "am", "ig", "dei", "ami")
LITERAL = {"nf": "fi", "EX": "EE", "Bd": "Ed", "TS": "TE", "EQ": "EN"}
BREAKS = frozenset(
    ("PP", "P", "LP", "TP", "IP", "HP", "TQ", "RS", "RE", "Pp", "Bl", "El", "It", "sp", "br", "ti", "in", "Lp")
)
# macros whose words are for the formatter, not for the reader
WORDLESS = frozenset(
    ("TH", "Dd", "Dt", "Os", "ad", "na", "hy", "nh", "ft", "ps", "ta", "ne", "if", "ie", "el", "nr", "ds", "rm", "rn",
     "so", "ll", "pl", "in", "ti", "sp", "br", "tr", "cc", "ec", "eo", "PD", "UC", "RS", "RE", "Bl", "El", "Bd", "Ed",
     "nf", "fi", "EX", "EE", "TS", "TE", "EQ", "EN", "Pp", "PP", "LP", "P", "HP", "TP", "TQ", "Lp", "de", "am", "ig",
     "Bk", "Ek", "Xc", "Xo", "Sm", "Bf", "Ef", "Rs", "Re", "\\\"", "als", "mso", "po", "it", "ch", "wh", "ev")
)  # fmt: skip
CALLED = frozenset(
    ("Nm", "Fl", "Ar", "Op", "Oo", "Oc", "Pa", "Cm", "Ic", "Em", "Sy", "Li", "Ql", "Dq", "Sq", "Pq", "Xr", "Ev", "Va",
     "Fn", "Fa", "Ft", "Vt", "Er", "Dv", "Ns", "No", "Do", "Dc", "So", "Sc", "Po", "Pc", "Qq", "Aq", "Bq", "Brq", "Ad",
     "Tn", "Ux", "Bx", "Fx", "Nx", "Ox", "At", "St", "Lk", "Mt", "Ms", "Cd", "In", "Fd", "An", "Nd", "It", "Ta", "D1",
     "Dl", "Qo", "Qc", "Ao", "Ac", "Bo", "Bc", "Bro", "Brc", "Eo", "Ec", "Ap", "Xo", "Xc", "Tg")
)  # fmt: skip
FLAG = "Fl"
ALTERNATING = frozenset(("BI", "BR", "IB", "IR", "RB", "RI"))
"""Macros whose words stand in two fonts in turn, with nothing between them."""
ESCAPE = re.compile(
    r"\\(?:[fF](?:\(..|\[[^\]\n]*\]|.)|s(?:[-+]?(?:\(..|\[[^\]\n]*\]|\d\d?))|\*(?:\(..|\[[^\]\n]*\]|.)"
    r'|[mMkng](?:\(..|\[[^\]\n]*\]|.)|[hvwlLoDNX]\'[^\'\n]*\'|\((..)|\[([^\]\n]*)\]|"[^\n]*|.)'
)
CHARACTERS = {
    "em": "—", "en": "–", "aq": "'", "cq": "’", "oq": "‘", "lq": "“", "rq": "”", "dq": '"', "bu": "•", "co": "©",
    "rs": "\\", "ti": "~", "ha": "^", "hy": "-", "ga": "`", "mu": "×", "->": "→", "<-": "←", ">=": "≥", "<=": "≤",
}  # fmt: skip
PLAIN = {"-": "-", "e": "\\", "~": " ", " ": " ", "0": " ", "'": "'", "`": "`", ".": ".", "\\": "\\", "t": "\t"}
MACRO = ".'"


def read_man(text: str) -> ReadDocument:
    """Read a manual page; any text is one."""
    lines = split_lines(text)
    reader = _Reader(lines)
    reader.read()
    return reader.outline.document(lines, reader.title, reader.readable)


def is_man(text: str) -> bool:
    """Whether a text is a manual page, by its macros: others have names that end with a number, too."""
    has_head = False
    for line in text[:100_000].split("\n"):
        if line[:1] in (".", "'"):
            name = _name_of(line)
            has_head = has_head or name in ("TH", "Dd", "Dt")
            if (has_head and name in LEVELS) or (name == "so" and "/" in line and len(text) < 1000):
                return True
    return False


class _Reader:
    """One walk over the lines of a page."""

    def __init__(self, lines: list[str]) -> None:
        self.outline = DocumentOutline()
        self.title: str | None = None
        self.readable = [""] * len(lines)
        self._lines = lines
        self._start: int | None = None  # of the block that is being read
        self._literal = ""  # the macro that ends what is set as it stands

    def read(self) -> None:
        """Find the title, every section and block, and what each line says."""
        at = 0
        count = len(self._lines)
        while at < count:
            line = self._lines[at]
            if line[0] in MACRO:
                at = self._macro(at)
                continue
            if line.strip():
                self._read_line(at, _plain(line.rstrip("\r\n")))
            elif not self._literal:
                self._end_block(at)
            at += 1
        self._end_block(count)

    def _macro(self, at: int) -> int:
        line = self._lines[at].rstrip("\r\n")
        name = _name_of(line)
        rest = line[line.find(name) + len(name) :].strip() if name else ""
        if name in LEVELS:
            return self._section(at, LEVELS[name], rest)
        if name in SKIPPED:
            return self._skip(at, rest)
        if name in ("TH", "Dt") and self.title is None:
            self.title = _page_name(rest)
        self._begin_or_end(at, name)
        said = "" if name in WORDLESS or not name else _words(name, rest)
        if said:
            self._read_line(at, said)
        return at + 1

    def _section(self, at: int, level: int, rest: str) -> int:
        """A section; a macro without words has them on the next line."""
        self._end_block(at)
        self._literal = ""
        end = at + 1
        said = _arguments(rest)
        if not said and end < len(self._lines):
            said = [_next_words(self._lines[end])]
            end += 1
        text = " ".join(map(_plain, said)).strip()
        if text:
            self.outline.add_heading(level, text, start=at, end=end)
            self.readable[at] = f"{text}\n"
        return end

    def _skip(self, at: int, rest: str) -> int:
        """To the end of a definition: the line that ends it is `..`, or what the definition names."""
        words = rest.partition('\\"')[0].split()
        is_ignored = _name_of(self._lines[at]) == "ig"
        closing = words[-1] if len(words) > (0 if is_ignored else 1) else "."
        for end in range(at + 1, len(self._lines)):
            line = self._lines[end]
            if line[0] == "." and line[1:].strip() == closing:
                return end + 1
        return len(self._lines)

    def _begin_or_end(self, at: int, name: str) -> None:
        if self._literal:
            if name == self._literal:
                self._end_block(at + 1)
                self._literal = ""
        elif name in LITERAL:
            self._end_block(at)
            self._start = at
            self._literal = LITERAL[name]
        elif name in BREAKS:
            self._end_block(at)
            self._start = at

    def _end_block(self, end: int) -> None:
        if self._start is not None and self._start < end:
            self.outline.add(self._start, end, is_code=bool(self._literal))
        self._start = None

    def _read_line(self, at: int, said: str) -> None:
        if self._start is None:
            self._start = at
        self.readable[at] = f"{said}\n"


def _next_words(line: str) -> str:
    """The words of a heading on the line after its macro, in a font or plain; none where another macro stands there."""
    if line[0] not in MACRO:
        return line.strip()
    name = _name_of(line)
    if not name or not set(name) <= set("BIRSM"):
        return ""
    return _words(name, line[line.find(name) + len(name) :].strip())


def _name_of(line: str) -> str:
    """The name of the macro that a line calls."""
    words = line[1:].split(None, 1)
    return words[0] if words else ""


def _page_name(rest: str) -> str | None:
    """The name of the page with its section, as `ls(1)`."""
    words = [_plain(word) for word in _arguments(rest)[:2]]
    if not words or not words[0]:
        return None
    return f"{words[0]}({words[1]})" if len(words) > 1 and words[1] else words[0]


def _arguments(rest: str) -> list[str]:
    """The arguments of a macro: words, or several in quotes."""
    found: list[str] = []
    at = 0
    count = len(rest)
    while at < count and not rest.startswith('\\"', at):
        if rest[at] in " \t":
            at += 1
            continue
        start = at
        if rest[at] == '"':  # two quotes within stand for one
            end = rest.find('"', at + 1)
            while end > 0 and rest[end + 1 : end + 2] == '"':
                end = rest.find('"', end + 2)
            end = count if end < 0 else end
            found.append(rest[start + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            while at < count and rest[at] not in " \t":
                at += 2 if rest[at] == "\\" else 1
            found.append(rest[start:at])
    return found


def _words(name: str, rest: str) -> str:
    """What a macro says."""
    if name in ALTERNATING:
        return _plain("".join(_arguments(rest))).strip()
    if name in CALLED:
        return _plain(" ".join(_called(name, _arguments(rest)))).strip()
    return _plain(" ".join(_arguments(rest)) if '"' in rest else rest).strip()


def _called(name: str, words: list[str]) -> list[str]:
    """What a macro of mdoc says, which calls others by their names."""
    said = [f"-{word}" if before == FLAG else word for before, word in zip([name, *words], words, strict=False)]
    return [word for word in said if word not in CALLED]


def _plain(text: str) -> str:
    """A text without the escapes of the formatter."""
    return ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    long = found.group(1) or found.group(2)
    if long is not None:
        return CHARACTERS.get(long, "")
    return PLAIN.get(found.group(0)[1:], "")
