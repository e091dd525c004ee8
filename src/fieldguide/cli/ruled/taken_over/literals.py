"""Settings written as JSON with comments or as plain literals of JavaScript, made into JSON with every line kept."""

import json
from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.cli.ruled.taken_over.carried import NotTheSame

TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>//[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/)"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<mark>[{}\[\],:])"""
    r"""|(?P<word>[A-Za-z_$][\w$]*|-?\d+)|(?P<other>[^\n])"""
)
KINDS = ("blank", "comment", "text", "mark", "word", "other")
ESCAPE = re.compile(r"""\\(['"\\/])""")
CONSTANTS = ("true", "false", "null")


def as_json(text: str, start: int = 0) -> str:
    """The literal that begins at a place, up to its end, as JSON; refused where it has more than plain values.

    Lines are kept, so that what stands on which line of the text is told rightly.
    """
    depth = 0
    pieces: list[str] = []
    for kind, written, after in _tokens(text, start):
        pieces.append(_piece(kind, written, after))
        if kind == "mark":
            depth += (written in "{[") - (written in "}]")
        if depth == 0 and kind in ("mark", "text", "word"):
            return "".join(pieces)
    raise NotTheSame("it does not end")


def _tokens(text: str, at: int) -> Iterator[tuple[str, str, str]]:
    rest = text[at:]
    for match in TOKEN.finditer(rest):
        kind = next(name for name in KINDS if match.group(name) is not None)
        if kind == "other":
            raise NotTheSame("it is more than plain values")
        yield kind, match.group(), rest[match.end() : match.end() + 1]


def _piece(kind: str, written: str, after: str) -> str:
    if kind in ("blank", "comment"):
        return re.sub(r"[^\n]", " ", written)
    if kind == "text":
        return json.dumps(_unquoted(written), ensure_ascii=False)
    if kind == "word" and not (written in CONSTANTS or written.lstrip("-").isdigit()):
        if after != ":":
            raise NotTheSame(f"`{written}` is a name, not a value")
        return json.dumps(written)
    return ", " if written == "," else f"{written} " if written == ":" else written


def _unquoted(written: str) -> str:
    if written[0] == '"':
        try:
            return str(json.loads(written))
        except ValueError:
            pass
    inside = ESCAPE.sub(r"\1", written[1:-1])
    if "\\" in inside.replace("\\\\", "") and re.search(r"\\[nrtux0-9]", inside):
        raise NotTheSame("a text has escapes")
    return inside
